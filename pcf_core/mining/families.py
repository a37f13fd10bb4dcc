"""Families of templates: those that say the same in other words, by a rule on their texts.

The words that carry the meaning, with the gaps, in their order, are the name of a family: *The [X] had then
said that [Y].* and *A [X] also says [Y]* are both ``[X] say [Y]``.

Kept, as lemmas: nouns, verbs, adjectives, numerals, and the small words that change what is said: pronouns,
prepositions, conjunctions, negations (*not, never, no, hardly*), verbs of possibility and duty (*could,
must*), *be* as a full verb and of the passive, and adverbs that a verb needs (*went back*, *did well*).  The
degree of an adjective is kept too (*the younger*).  Dropped: other adverbs, articles and other determiners,
*that* before a clause, auxiliaries of tense and aspect, contracted or not, and punctuation.  *It was the [X]
who said* is read as *The [X] said*.

Only English has such a rule.  Where [Y] takes other words than most templates of a set (*said that he*, *hurt
himself*), the name says so, because these are never the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import FITS_OF_FORM, MinedSet, MinedTemplate, Part
from pcf_core.material.template_editing import with_families
from pcf_core.mining.counting import Parser
from pcf_core.mining.parser.trees import Placed, Tree, placed
from pcf_core.mining.persons import lexicon
from pcf_core.mining.verb_groups import lemma_of
from pcf_core.mining.verbs import is_irregular_past

PERSON = "nurse"  # stands for [X] while a template is parsed
FILLERS: Mapping[Part, str] = {
    "pronoun": "he",
    "object": "him",
    "possessive": "his",
    "determiner": "his",
    "reflexive": "himself",
    "plural": "men",
    "noun": "man",
    "phrase": "a man",
    "adjective": "old",
}
GAP = re.compile(r"\[[XY]\]")
CLEFT = re.compile(r"It(?:'s| is| was) (?:the|an?|this|that) \[X\] (?:who|that) ", re.IGNORECASE)
# The tokenizer does not split these off a word that it does not know.
CONTRACTED = {"'d ": " had ", "'ll ": " will ", "'ve ": " have ", "'re ": " are "}
NEGATIONS = frozenset(
    ["not", "never", "no", "neither", "nor", "nobody", "nowhere", "longer", "hardly", "scarcely", "barely"]
) | {"seldom", "rarely"}
# Before these, "'s" is no possessive, though the parser takes it for one.
IS = re.compile(r"(\[X\])'s (?=(?:an?|the|this|not|never|also|then|now|always|still) )")
MODALS = {"ca": "can", "can": "can", "could": "could", "may": "may", "might": "might", "must": "must"}
MODALS |= {"should": "should", "ought": "ought"}
DOUBLED = re.compile(r".*[aeiou][a-z]*[aeiou]ll|.*([bdgkmnprt])\1")
WITHOUT_E = re.compile(r".*(?:[^aeiou]at|[iu]at|[aeiou]bl|[cuvz]|[dr]g|[^s]s)")
DETERMINERS = frozenset({"DT", "PDT"})
COMPARED = frozenset({"JJR", "JJS"})


def is_readable(language: str) -> bool:
    """Return whether there is a rule for the language of a set, a code such as ``en``."""
    return language.partition("-")[0].lower() == "en"


def grouped(mined: MinedSet, parser: Parser, pause: Callable[[], None] = lambda: None) -> MinedSet:
    """Return a set in which each template has the family that the rule gives it; earlier ones are replaced.

    ``pause``: called after each template; an exception from it stops the work.  Raises TemplateError for a
    set in another language than English.
    """
    if not is_readable(mined.card.language):
        raise TemplateError(
            f"Families are found in English only, and {mined.name} is in the language {mined.card.language}: "
            "write them into a column family of its file."
        )
    usual = FITS_OF_FORM.get(mined.card.form, ())
    return with_families(mined, names_of(mined.templates, parser, usual, pause))


def names_of(
    templates: Sequence[MinedTemplate],
    parser: Parser,
    usual: tuple[Part, ...] = (),
    pause: Callable[[], None] = lambda: None,
) -> tuple[str, ...]:
    """Return the name of each template's family; ``usual``: what fits at [Y] in most of them."""
    texts = [_Text(template.text, template.fits) for template in templates]
    forests = parser.trees(text.sentence for text in texts)
    names = []
    for text, template, trees in zip(texts, templates, forests, strict=True):
        name = " ".join(_meaning(text, placed(text.sentence, trees)))
        pause()
        names.append(name if template.fits in ((), usual) else f"{name} ({', '.join(template.fits)})")
    return tuple(names)


class _Text:
    """A template as a sentence that can be parsed; ``gaps``: start and end of each gap's filler."""

    def __init__(self, text: str, fits: tuple[Part, ...]) -> None:
        text = IS.sub(r"\1 is ", CLEFT.sub("The [X] ", text.replace("’", "'"))).removesuffix(".")
        for contracted, full in CONTRACTED.items():
            text = text.replace(contracted, full)
        word = FILLERS[fits[0] if fits else "pronoun"]
        self.gaps: dict[str, tuple[int, int]] = {}
        self.sentence, end = "", 0
        for gap in GAP.finditer(text):
            self.sentence += text[end : gap.start()]
            filler = PERSON if gap[0] == "[X]" else word
            self.gaps[gap[0]] = len(self.sentence), len(self.sentence) + len(filler)
            self.sentence, end = self.sentence + filler, gap.end()
        self.sentence += text[end:]
        self.end = len(self.sentence)
        if text.endswith("[Y]"):  # half a sentence is parsed less well
            self.sentence += " was there" if word == FILLERS["pronoun"] else ""
        self.sentence += "."

    def gap_at(self, offset: int) -> str:
        """Return the gap whose filler is at an offset in the sentence, "" for none."""
        return next((gap for gap, (start, end) in self.gaps.items() if start <= offset < end), "")


def _meaning(text: _Text, tokens: Iterable[Placed]) -> list[str]:
    """Return the gaps and the lemmas that carry the meaning, in their order."""
    parts: list[str] = []
    verb = ""
    for token in tokens:
        if token.start >= text.end:
            break
        if gap := text.gap_at(token.start):
            parts += [gap] if parts[-1:] != [gap] else []
            continue
        lemma = _kept(token, verb)
        if token.tag.startswith("V") and lemma:
            verb = lemma
        at = -1 if lemma in NEGATIONS and parts[-1:] == ["be"] else len(parts)  # as in "has not been"
        parts[at:at] = [lemma] if lemma else []
    return parts


def _kept(token: Placed, verb: str) -> str:
    """Return the lemma of a word that carries meaning, or ""; ``verb``: the lemma of the verb before it."""
    tree, index, tag = token.tree, token.token, token.tag
    word = tree.words[index].lower()
    if word == "n't" or word in NEGATIONS:
        return "not" if word == "n't" else word
    if not any(map(str.isalnum, word)) or tag in ("POS", "UH"):
        return ""
    if tag == "MD":
        return MODALS.get(word, "")
    if tag.startswith("RB"):
        needed = tree.has(index, "compound:prt") or word in lexicon().adverbs.get(verb, ())
        return word if needed else ""
    if tag in DETERMINERS or word == "that" or tree.relations[index] == "aux":
        return ""
    if tag in COMPARED:
        return word
    return _verb(tree, index) if tag.startswith("V") else tree.lemmas[index].lower()


def _verb(tree: Tree, index: int) -> str:
    """Return the lemma of a verb: of a form in -ed that the lists lack, from its letters alone.

    The parser's guess at such a form changes with the words around it.
    """
    word = tree.words[index].lower()
    if word in lexicon().lemmas or not word.endswith("ed") or is_irregular_past(word):
        return lemma_of(tree, index)
    stem = word.removesuffix("ed")
    if stem.endswith("i"):
        return f"{stem[:-1]}y"
    if DOUBLED.fullmatch(stem):
        return stem[:-1]
    return f"{stem}e" if WITHOUT_E.fullmatch(stem) else stem
