"""Rewording: from each template of an English set, others that say the same.

Each rule changes one thing of the original, so a template with its wordings is a star of minimal pairs.  The
rules read the words behind ``The [X]`` and ``The [X], who`` without a parser.  They know verbs in the past
tense (``said``, ``was told``, ``did not know``) and *could* and its like, and leave alone what they do not
know.

A template's count is divided equally among the original and its wordings, which form its family.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import MinedSet, MinedTemplate, Part, families_of
from pcf_core.material.safety.text import listed, shown
from pcf_core.material.template_editing import heaviest_first
from pcf_core.material.templates import make_mined
from pcf_core.mining.verbs import FORMS, PREFIXES, past_participle

REWORDED = "Reworded by the rules"  # how the step begins in the history of a set
HEAD = re.compile(r"(?P<determiner>The|This|An?) \[X\](?P<who>, who)? (?P<rest>.+)")
TIME = frozenset({"when", "until", "till", "before", "after", "while", "as", "once", "since"})
AT_ONCE = frozenset({"when", "while", "as", "once"})  # with "then", one of the two is too many
ALSO = frozenset({"also", "too"})
# With these, "has said" is wrong.
DATE = re.compile(
    r"\b(?:\d{4}|\d+(?:st|nd|rd|th)|ago|yesterday|last|then|January|February|March|April|May|June|July|August|"
    r"September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b"
)
CLAUSES = frozenset({"that", "if", "whether", "how", "why", "where", "what"})
MODALS = frozenset({"could", "would", "should", "might", "must"})
PAST = frozenset({"was", "were", "did", "had", *MODALS})
# Also an auxiliary, with two participles, rather an adjective, or no verb.
UNSURE = frozenset({"had", "got", "bore", "born", "indeed"})
PREDICATES: frozenset[Part] = frozenset({"plural", "noun", "phrase", "adjective"})
SUBJECTS: frozenset[Part] = frozenset({"pronoun"})
NOT = re.compile(r"\b(did|was|were|is|are|has|had|could|would|should|does|do) not\b")
CONTRACTED = re.compile(r"\b(did|was|were|is|are|has|had|could|would|should|does|do)n't\b")
PARTICIPLES = dict(FORMS.values())


@dataclass(frozen=True)
class Sentence:
    """A template as the rules read it; ``rest``: the words behind the subject."""

    template: MinedTemplate
    determiner: str
    who: str
    rest: str

    @cached_property
    def words(self) -> list[str]:
        """The words behind the subject, without commas."""
        return self.rest.replace(",", "").split()

    @property
    def start(self) -> str:
        """The subject, with the relative pronoun, if there is one."""
        return f"{self.determiner} [X]{self.who}"

    @property
    def ends(self) -> str:
        """The last two words, without a full stop."""
        return " ".join(self.rest.rstrip(".").split()[-2:])

    @cached_property
    def is_negated(self) -> bool:
        """Whether *not* follows the first verb."""
        return self.words[1:2] == ["not"]

    @cached_property
    def participle(self) -> str:
        """The participle of the full verb, "said" of "was said" and "did not say"; "" if unsure."""
        first, *others = self.words
        verb = next(iter(others[self.is_negated :]), "")
        if first == "was":
            return verb if is_participle(verb) else ""
        if first == "did" and self.is_negated:
            return "" if verb in ("have", "get", "bear", "be") else past_participle(verb)
        is_habit = [first, verb] == ["used", "to"]
        return "" if self.is_negated or is_habit or first in UNSURE | MODALS else participle_of(first)

    @property
    def is_past(self) -> bool:
        """Whether the first verb is one in the past tense that the rules know."""
        return bool(self.participle) or self.words[0] in ("was", *MODALS)

    @property
    def joins_verbs(self) -> bool:
        """Whether another verb in the past follows *and*: "came and went" gives no "has come and went"."""
        following = [word for before, word in pairwise(self.words) if before in ("and", "or", "but")]
        return any(word in PAST or participle_of(word) for word in following)

    @property
    def behind(self) -> str:
        """The text behind the full verb: a space or a comma comes first."""
        first = self.words[0]
        helped = first == "was" or (first == "did" and self.is_negated)
        before = self.rest.split(" ", helped + self.is_negated)[-1]
        return before[len(before.split()[0].rstrip(",")) :]

    @property
    def before_y(self) -> str:
        """The word before ``[Y]``."""
        left = self.template.text.partition("[Y]")[0].split()
        return left[-1].strip(",") if left else ""


def is_participle(word: str) -> bool:
    """Tell whether a word is the participle of a verb, by its form."""
    is_known = word in PARTICIPLES.values() or (word.endswith("ed") and len(word) > len("red"))
    return is_known and word not in UNSURE


def participle_of(past: str) -> str:
    """Return the participle of a verb from its past tense: "wrote" gives "written"; "" for other words."""
    if past in PARTICIPLES:
        return PARTICIPLES[past]
    for prefix in PREFIXES:
        if past.startswith(prefix) and past.removeprefix(prefix) in PARTICIPLES:
            return prefix + PARTICIPLES[past.removeprefix(prefix)]
    return past if past.endswith("ed") and past.isalpha() else ""


# The rules: each returns the texts that it makes of a sentence.


def adverb(one: Sentence) -> list[str]:
    """Put *then* and *also* before the verb, and behind *was* and *could*."""
    if not one.is_past or "never" in one.words:
        return []
    first, _, others = one.rest.partition(" ")
    is_behind = first == "was" or (first in MODALS and not one.is_negated)
    pattern = f"{one.start} {first} {{}} {others}" if is_behind else f"{one.start} {{}} {one.rest}"
    adverbs = []
    if one.participle and not {"then", *AT_ONCE} & set(one.words):
        adverbs.append("then")
    if not ALSO & set(one.words) and (one.participle or not TIME & set(one.words)):
        adverbs.append("also")
    return [pattern.format(word) for word in adverbs]


def tense(one: Sentence) -> list[str]:
    """Write *has said* and *had said* in place of *said*."""
    if not one.participle or one.joins_verbs:
        return []
    passive = ["been"] if one.words[0] == "was" else []
    negated = ["not"] if one.is_negated else []
    helpers = []
    is_dated = TIME & set(one.words) or DATE.search(one.rest)
    if not is_dated and one.ends != "was [Y]":
        helpers.append("has")
    if one.ends != "is [Y]":
        helpers.append("had")
    return [
        " ".join([one.start, helper, *negated, *passive, one.participle]) + one.behind for helper in helpers
    ]


def contraction(one: Sentence) -> list[str]:
    """Write *didn't* in place of *did not*, and the other way round."""
    text = one.template.text
    changed = CONTRACTED.sub(r"\1 not", text) if CONTRACTED.search(text) else NOT.sub(r"\1n't", text)
    return [changed] if changed != text else []


def stop(one: Sentence) -> list[str]:
    """Put a full stop behind a predicate at [Y], or take away the one that a template has.

    Elsewhere the template may be half a sentence: "The nurse said that he", "The nurse ran his hands".
    """
    text, fits = one.template.text, one.template.fits
    if text.endswith("."):
        return [text[:-1]]
    return [f"{text}."] if text.endswith("[Y]") and fits and PREDICATES.issuperset(fits) else []


def determiner(one: Sentence) -> list[str]:
    """Write *This* in place of *The*, and the other way round."""
    return [f"{'The' if one.determiner == 'This' else 'This'} [X]{one.who} {one.rest}"]


def article(one: Sentence) -> list[str]:
    """Write *A* in place of *The*, which is wrong before a vowel: "A engineer"."""
    return [f"A [X]{one.who} {one.rest}"] if one.determiner in ("The", "This") else []


def cleft(one: Sentence) -> list[str]:
    """Write *It was the [X] who said* in place of *The [X] said*, unless [Y] begins another main clause."""
    in_clause = not one.template.fits or SUBJECTS.issuperset(one.template.fits)
    if one.who or not one.participle or (in_clause and one.before_y not in CLAUSES):
        return []
    return [f"It was the [X] who {one.rest}"]


READ, MOST_ODD = 50, 0.02  # sentences of each rule, and the largest share of odd ones


@dataclass(frozen=True)
class RewordingRule:
    """A rule for rewording.

    ``example``: a template and what becomes of it.  ``odd``: of 50 sentences from the shipped sets, drawn at
    random, those that a reader would not write although they would write the original.
    """

    name: str
    title: str
    example: tuple[str, str]
    apply: Callable[[Sentence], list[str]]
    odd: int

    @property
    def on(self) -> bool:
        """Whether it is used by default: at most 2 % of its sentences are odd."""
        return self.odd <= MOST_ODD * READ

    @property
    def standing(self) -> str:
        """Whether it is on by default, and why, in words."""
        switch = "on" if self.on else "off"
        return f"{switch} by itself: of {READ} sentences that we read, we would not write {self.odd}"


SAID = "The [X] said that [Y]"
RULES: Mapping[str, RewordingRule] = {
    one.name: one
    for one in (
        RewordingRule("adverb", "then and also", (SAID, "The [X] then said that [Y]"), adverb, 1),
        RewordingRule("tense", "has said and had said", (SAID, "The [X] had said that [Y]"), tense, 1),
        RewordingRule(
            "contraction", "didn't, or did not", ("The [X] did not say if [Y]", "The [X] didn't say if [Y]"),
            contraction, 0,
        ),
        RewordingRule(
            "stop", "a full stop, or none", ("The [X], who came, is [Y]", "The [X], who came, is [Y]."),
            stop, 0,
        ),
        RewordingRule("determiner", "This in place of The", (SAID, "This [X] said that [Y]"), determiner, 0),
        RewordingRule("cleft", "It was …", (SAID, "It was the [X] who said that [Y]"), cleft, 0),
        RewordingRule("article", "A in place of The", (SAID, "A [X] said that [Y]"), article, 19),
    )
}  # fmt: skip


def chosen_rules(names: Collection[str] = ()) -> tuple[RewordingRule, ...]:
    """Return the rules of these names, by default those that are on; or raise TemplateError."""
    unknown = sorted(set(names) - RULES.keys())
    if unknown:
        raise TemplateError(
            f"There is no rule {shown(unknown[0])} for rewording: choose from {listed(RULES)}."
        )
    return tuple(one for one in RULES.values() if (one.name in names if names else one.on))


def wordings(template: MinedTemplate, rules: Collection[RewordingRule]) -> tuple[str, ...]:
    """Return the texts that the rules make of a template, in their order; none if its form is unknown."""
    head = HEAD.fullmatch(template.text)
    if head is None:
        return ()
    one = Sentence(template, head["determiner"], head["who"] or "", head["rest"])
    return tuple(dict.fromkeys(text for rule in rules for text in rule.apply(one)))


def reworded(mined: MinedSet, names: Collection[str] = ()) -> MinedSet:
    """Return a set with the wordings of each template, which share its family and its count.

    ``names``: of rules, by default those that are on.  A wording that is a template of the set already is not
    made again, but shares the family unless it has another.  Raises TemplateError for an unknown rule, a set
    in another language than English or already reworded, and one with no template that the rules know.
    """
    rules = chosen_rules(names)
    _check(mined)
    made = {item.text: wordings(item, rules) for item in mined.templates}
    families = _with_wordings(mined, made)
    taken = set(made)
    new: list[MinedTemplate] = []
    for item in mined.templates:
        texts = [text for text in made[item.text] if text not in taken]
        taken.update(texts)
        shared = {"count": item.count / (1 + len(texts)), "family": families[item.text], "documents": 0}
        new.append(item.model_copy(update=shared | {"sources": {}}))
        new += [MinedTemplate(text=text, fits=item.fits, **shared) for text in texts]
    if len(new) == len(mined.templates):
        raise TemplateError(
            f"The rules {listed(one.name for one in rules)} change no template of {mined.name}: they know "
            f"sentences such as {SAID}."
        )
    used = listed(one.name for one in rules)
    step = f"{REWORDED} {used}: {len(mined.templates):,} templates became {len(new):,}."
    facts = {"title": f"{mined.card.title}, reworded", "history": (*mined.card.history, step), "cut": 0.0}
    card = mined.card.model_copy(update=facts)
    return make_mined(mined.name, heaviest_first(new), card, where=f"The set {mined.name}")


def _with_wordings(mined: MinedSet, made: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return the family of each template: that of one which the set has already as a wording of another."""
    given = {item.text: item.family for item in mined.templates}
    families = {text: family or text for text, family in given.items()}
    for text, others in made.items():
        for other in families.keys() & set(others):
            one, two = families[text], families[other]
            if one != two and not (given[text] and given[other]):
                old, new = (one, two) if given[other] else (two, one)
                families = {name: new if family == old else family for name, family in families.items()}
    return families


def _check(mined: MinedSet) -> None:
    if mined.card.language.partition("-")[0].lower() != "en":
        raise TemplateError(
            f"The rules reword English only, and {mined.name} is in the language {mined.card.language}: "
            "write the wordings yourself, each with its family."
        )
    members = Counter(families_of(mined.templates)).values()
    with_others = sum(number for number in members if number > 1)
    is_reworded = any(step.startswith(REWORDED) for step in mined.card.history)
    if is_reworded or 2 * with_others > len(mined.templates):
        raise TemplateError(
            f"{mined.name} already has several wordings of its templates, so more would be wordings of "
            "wordings: reword the set that it was made from."
        )
