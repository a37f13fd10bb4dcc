"""The verb of a predicate in the past tense, with its negation.

says, has said, is saying, does say -> said        is known, has been known -> was known
does not know, hasn't known -> did not know        can go -> could go    may have gone -> might have gone
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pcf_core.core.topics import Part
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import lexicon, verb_forms
from pcf_core.mining.verbs import is_irregular_past, past_tense


@dataclass(frozen=True)
class Candidate:
    """A template with its tokens at ``[X]`` and ``[Y]`` (``None`` without one), and what fits at ``[Y]``."""

    text: str
    subject: int
    word: int | None
    fits: tuple[Part, ...]


@dataclass(frozen=True)
class Dropped:
    """A sentence that had the form of a rule but gave no template, and one of a few fixed reasons.

    ``pair``: the tokens for ``[X]`` and ``[Y]``, if only the words between could not be kept; not compared.
    """

    reason: str
    pair: tuple[int, int] | None = field(default=None, compare=False)


class Refused(Exception):
    """Raised by parts of a rule; its text is the reason."""


def attempt(
    subject: int, word: int | None, text: Callable[[], str], fits: tuple[Part, ...]
) -> Candidate | Dropped:
    """Make the template of two tokens, or return why it was refused."""
    try:
        return Candidate(text(), subject, word, fits)
    except Refused as reason:
        return Dropped(str(reason), None if word is None else (subject, word))


MODALS = {
    "can": "could", "ca": "could", "could": "could", "will": "would", "wo": "would", "'ll": "would",
    "’ll": "would", "would": "would", "'d": "would", "’d": "would", "may": "might", "might": "might",
    "must": "must", "shall": "should", "should": "should",
}  # fmt: skip
NEGATIONS = {"not": "not", "n't": "not", "n’t": "not", "never": "never"}
LOST_NEGATIONS = frozenset(
    ["longer", "hardly", "scarcely", "barely", "neither", "nor", "seldom", "rarely", "nowhere"]
)
MISSPELT = frozenset(["leaved", "finded", "gived", "taked", "maked", "goed"])


def finite(tree: Tree, head: int) -> tuple[str, ...]:
    """Return the verb group of a finite clause in the past; of a copula without its predicate (``was not``).

    Refused are questions, forms without a past, and lemmas that do not fit their form.
    """
    helpers = helpers_of(tree, head)
    negation = _negation(tree, head)
    if any(helper > head for helper in helpers) or any(helper < _subject(tree, head) for helper in helpers):
        raise Refused("a question or an inversion")
    modal = [helper for helper in helpers if tree.tags[helper] == "MD"]
    perfect = any(tree.lemmas[helper] == "have" for helper in helpers if helper not in modal)
    passive = is_passive(tree, head)
    copula = bool(tree.children(head, "cop"))
    if modal:
        rest = _after_modal(tree, head, perfect=perfect, passive=passive, copula=copula)
        return (MODALS.get(tree.words[modal[0]].lower()) or _refuse_modal(), *negation, *rest)
    if copula:
        return ("was", *negation)
    if passive:
        return ("was", *negation, _participle(tree, head))
    if is_going_to(tree, head):
        return ("was", *negation, "going")
    if negation == ("not",):
        return ("did", "not", base(tree, head))
    return (*negation, past(tree, head))


def helpers_of(tree: Tree, head: int) -> tuple[int, ...]:
    """Return auxiliaries and copula; a second verb may share them ("was tried and shot")."""
    own = tree.children(head, "aux", "cop")
    if own or not tree.has(head, "conj") or tree.tags[head] not in ("VBN", "VBG", "VB"):
        return own
    return () if tree.children(head, "nsubj") else tree.children(tree.heads[head], "aux", "cop")


def is_passive(tree: Tree, head: int) -> bool:
    """Tell whether a verb is passive."""
    helpers = helpers_of(tree, head)
    joined = bool(helpers) and not tree.children(head, "aux", "cop") and tree.tags[head] == "VBN"
    return any(
        tree.relations[helper] == "aux:pass" or (joined and tree.relations[helper] == "cop")
        for helper in helpers
    )


def past(tree: Tree, verb: int) -> str:
    """Return the simple past of a verb: its own form if it is one, otherwise from its lemma."""
    word, tag = tree.words[verb].lower(), tree.tags[verb]
    helped = bool(helpers_of(tree, verb))
    if word in MISSPELT or not word.isalpha():
        raise Refused("an unsure verb form")
    if tag == "VBP" and is_irregular_past(word) and word not in lexicon().lemmas.get(word, ()):
        return word  # "shook", mistagged as present
    if tag == "VBD":
        return "was" if word == "were" else word
    if tag == "VBN" and (helped or _past_of_lemma(tree, verb) == word):
        return word if word.endswith("ed") else past_tense(_checked_lemma(tree, verb))
    if tag in ("VBZ", "VBP") or helped:
        return past_tense(base(tree, verb))
    raise Refused("no finite verb")


def base(tree: Tree, verb: int) -> str:
    """Return the infinitive of a verb."""
    if tree.tags[verb] in ("VB", "VBP"):
        word = tree.words[verb].lower()
        return "be" if word in ("are", "am") else word
    return _checked_lemma(tree, verb)


def is_going_to(tree: Tree, verb: int) -> bool:
    """Tell whether a verb is the *going* of "was going to leave"."""
    return tree.words[verb].lower() == "going" and bool(tree.children(verb, "xcomp"))


def lemma_of(tree: Tree, verb: int) -> str:
    """Return the lemma of a verb; if the lists know its form, one of theirs."""
    lemma, word = tree.lemmas[verb].lower(), tree.words[verb].lower()
    lemmas = lexicon().lemmas.get(word, ())
    return lemma if lemma in lemmas or not lemmas else lemmas[0]


def _after_modal(tree: Tree, head: int, *, perfect: bool, passive: bool, copula: bool) -> tuple[str, ...]:
    if copula:
        return ("have", "been") if perfect else ("be",)
    if passive:
        return (*(("have", "been") if perfect else ("be",)), _participle(tree, head))
    if perfect:
        return ("have", _participle(tree, head))
    return (base(tree, head),)


def _participle(tree: Tree, verb: int) -> str:
    word = tree.words[verb].lower()
    if not (tree.tags[verb] in ("VBN", "VBD") or word.endswith("ed")) or not word.isalpha():
        raise Refused("an unsure verb form")
    return word


def _checked_lemma(tree: Tree, verb: int) -> str:
    lemma = lemma_of(tree, verb)
    if not lemma.isalpha() or tree.words[verb].lower() not in verb_forms(lemma):
        raise Refused("an unsure verb form")
    return lemma


def _past_of_lemma(tree: Tree, verb: int) -> str:
    lemma = lemma_of(tree, verb)
    return past_tense(lemma) if lemma.isalpha() else ""


def _negation(tree: Tree, head: int) -> tuple[str, ...]:
    """Return ``not`` or ``never`` before the predicate; refuse other negations."""
    negations = []
    for child in tree.children(head, "advmod"):
        word = tree.words[child].lower()
        if word in LOST_NEGATIONS:
            raise Refused("a negation that is not kept")
        if word in NEGATIONS and child < head:
            negations.append(NEGATIONS[word])
    if len(negations) > 1:
        raise Refused("a negation that is not kept")
    return tuple(negations)


def _subject(tree: Tree, head: int) -> int:
    return next(iter(tree.children(head, "nsubj")), -1)


def _refuse_modal() -> str:
    raise Refused("a modal verb that has no past")
