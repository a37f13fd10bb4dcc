"""The subjects of an audit: groups of a topic (Y), occupations (X) and contexts (C) with their weights."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Literal, TypeVar, get_args

import numpy as np
from pydantic import Field

from pcf_core.core.records import FloatArray, LeftOut, Record, digest


class Group(Record):
    """A protected group and the words for it at ``[Y]``."""

    name: str
    words: tuple[str, ...]


class Topic(Record):
    """Groups of words (Y), or of people about whom is decided.

    ``aligned``: the i-th words of all groups are counterparts.  ``position``: a word at ``[Y]`` is the
    ``subject`` of a clause ("The [X] said that [Y]") or a ``predicate`` ("The [X], who came, is [Y]"), which
    decides suitable templates. ``spells``: a topic with the same words in another spelling, listed after this
    one.

    ``favourable``, ``unfavourable``: answers at ``[Y]``.  If there are any, the words of a group are people,
    names or descriptions, and each stands at ``[P]``.
    """

    name: str
    title: str
    groups: tuple[Group, ...]
    aligned: bool = False
    language: str = "en"
    source: str = ""
    notes: str = ""
    left_out: tuple[LeftOut, ...] = ()
    evidence: str = ""
    templates: str = ""
    position: Literal["subject", "predicate"] = "subject"
    spells: str = ""
    favourable: tuple[str, ...] = Field((), exclude_if=operator.not_)
    unfavourable: tuple[str, ...] = Field((), exclude_if=operator.not_)

    @property
    def decides(self) -> bool:
        """Whether the groups are people about whom is decided."""
        return bool(self.favourable)

    @property
    def words(self) -> tuple[str, ...]:
        """All words at ``[Y]``, group by group: the order of the word axis."""
        return (*self.favourable, *self.unfavourable) if self.decides else self.people

    @property
    def people(self) -> tuple[str, ...]:
        """The words of all groups, which stand at ``[P]`` if they are people."""
        return tuple(word for group in self.groups for word in group.words)

    @property
    def answers(self) -> Topic:
        """The topic of what stands at ``[Y]``: of the answers, in two groups, or the topic itself."""
        if not self.decides:
            return self
        groups = (
            Group(name="favourable", words=self.favourable),
            Group(name="unfavourable", words=self.unfavourable),
        )
        return Topic(name=self.name, title=self.title, groups=groups, language=self.language)

    @property
    def group_names(self) -> tuple[str, ...]:
        """The names of the groups, in the order of the topic."""
        return tuple(group.name for group in self.groups)

    @cached_property
    def hash(self) -> str:
        """Hash of what decides a number: groups and words, not titles and notes."""
        groups = [[group.name, group.words] for group in self.groups]
        return digest([groups, self.favourable, self.unfavourable] if self.decides else groups)

    @property
    def beside_hash(self) -> dict[str, object]:
        """What results depend on beside the hash, by readable name."""
        return {"counterparts": self.aligned, "language": self.language}


class Evidence(Record):
    """The occupations (X), or any list of terms that fill ``[X]``.

    ``weights`` [term]: on any scale, empty if unknown.  ``noun``: what a term is, such as "athlete"; its
    plural has an s.  ``codes`` [term]: of a classification such as ISCO; an empty one is not written.
    """

    name: str
    title: str
    terms: tuple[str, ...]
    weights: tuple[float, ...] = ()
    noun: str = "occupation"
    source: str = ""
    notes: str = ""
    codes: tuple[str, ...] = Field((), exclude_if=lambda codes: not codes)

    @cached_property
    def hash(self) -> str:
        """Hash of the terms; weights decide no score."""
        return digest(self.terms)

    @property
    def beside_hash(self) -> dict[str, object]:
        """What results depend on beside the hash, by readable name."""
        return {"weights": self.weights}


class Weights(Record):
    """Weights aligned with ``terms``; ``left_out``: terms without, so that ``share`` of the list remains."""

    name: str
    terms: tuple[str, ...]
    values: tuple[float, ...]
    left_out: tuple[LeftOut, ...] = ()
    share: float = 1.0
    source: str = ""


# The contexts (C), also with their origin in a corpus.


# What can fill ``[Y]``: pronouns as subject, object, possessive (or determiner, where they
# stand before a noun: "her", not "hers"), or reflexive; a noun in the plural, one without an article, one
# with it (a phrase); an adjective.
Part = Literal[
    "pronoun", "object", "possessive", "determiner", "reflexive", "plural", "noun", "phrase", "adjective"
]
PARTS: tuple[Part, ...] = get_args(Part)
ANY = "any"  # the slot of templates that do not say what fits
# What fills ``[Y]`` in templates, by the rule that mines them.
FITS_OF_FORM: Mapping[str, tuple[Part, ...]] = {
    "clausal": ("pronoun",),
    "attributive": ("phrase", "adjective"),
}


# Where a sentence begins: there a description such as "a woman" has a capital letter.
PERSON = re.compile(r"((?:^|[.?!:] )[\"“]?)?\[P\]")


def with_person(text: str, person: str) -> str:
    """Return a template's text with a person at every ``[P]``.

    Examples
    --------
    >>> with_person("[P] applied. Should [P] get it?", "a woman")
    'A woman applied. Should a woman get it?'
    """
    begun = person[:1].upper() + person[1:]
    return PERSON.sub(lambda gap: person if gap[1] is None else gap[1] + begun, text)


def filled(text: str, term: str) -> str:
    """Return a template's text with the term at ``[X]`` and ``[Y]`` still open."""
    return text.replace("[X]", term)


# Scripts without spaces: a letter next to ``[Y]`` usually belongs to another word.
WITHOUT_SPACES = frozenset(
    ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "IDEOGRAPHIC", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
)


def whole_word_prompt(prompt: str) -> tuple[str, str, str]:
    """Widen the one ``[Y]`` of a prompt to the whole word; return prompt, and letters removed left and right.

    Models tokenize "painters" differently from "painter" and "s", so whole words are scored.  Texts in
    scripts without spaces stay unchanged: there the tokenizer decides.

    Examples
    --------
    >>> whole_word_prompt("We met two [Y]s.")
    ('We met two [Y].', '', 's')
    >>> whole_word_prompt("It is un[Y]")
    ('It is [Y]', 'un', '')
    """
    left, gap, right = prompt.partition("[Y]")
    if left[-1:] in ("", " ") and right[:1] in ("", " ", ".", ","):  # nearly all of millions of prompts
        return prompt, "", ""
    if any(map(_is_of_script_without_spaces, left + right)):
        return prompt, "", ""
    start, end = len(left), 0
    while start and (letter := _last_letter(left, start)) is not None:
        start = letter
    while end < len(right) and (right[end].isalnum() or _is_mark(right[end])):
        end += 1
    return left[:start] + gap + right[end:], left[start:], right[:end]


def _last_letter(text: str, end: int) -> int | None:
    """Return the start of the letter or digit, with its marks, that ends ``text[:end]``, if any."""
    place = end - 1
    while place > 0 and _is_mark(text[place]):
        place -= 1
    return place if text[place].isalnum() else None


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _is_of_script_without_spaces(character: str) -> bool:
    return not character.isascii() and unicodedata.name(character, "").partition(" ")[0] in WITHOUT_SPACES


class Template(Record):
    """A text with one ``[X]`` and one ``[Y]``, and its count in a corpus.

    ``documents``: how many have it, 0 if unknown.  ``fits``: what fits at ``[Y]``, empty if unknown.
    ``family``: label that templates of one meaning share; empty: it has a family of its own.
    """

    text: str
    count: float = 1.0
    documents: int = 0
    fits: tuple[Part, ...] = ()
    family: str = Field("", exclude_if=operator.not_)

    def prompt(self, term: str) -> str:
        """Return the text with the term at ``[X]`` and ``[Y]`` still open."""
        return filled(self.text, term)


class TemplateSet(Record):
    """The contexts (C).  ``kept``: their share of the mass of the set that they were selected from."""

    name: str
    title: str
    templates: tuple[Template, ...]
    kept: float = 1.0
    source: str = ""
    notes: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the templates, in the order of the set."""
        return tuple(template.text for template in self.templates)

    @property
    def counts(self) -> FloatArray:
        """[template] counts, not normalised."""
        return np.array([template.count for template in self.templates], dtype=np.float64)

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The family of each template, see :func:`families_of`."""
        return families_of(self.templates)

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """What fits at ``[Y]`` in each template, such as ``phrase+adjective``; nothing if all are alike."""
        labels = tuple("+".join(template.fits) or ANY for template in self.templates)
        return labels if len(set(labels)) > 1 else ()

    @cached_property
    def hash(self) -> str:
        """Hash of the texts; counts and families decide no score."""
        return digest(self.texts)

    @property
    def beside_hash(self) -> dict[str, object]:
        """What results depend on beside the hash, by readable name; ``None`` if unknown."""
        documents = tuple(template.documents for template in self.templates)
        fits = tuple(template.fits for template in self.templates)
        return {
            "counts": tuple(template.count for template in self.templates),
            "document counts": documents if any(documents) else None,
            "word classes": fits if any(fits) else None,
        }


Listed = TypeVar("Listed", Topic, Evidence, TemplateSet)


def differing(one: Listed, other: Listed) -> tuple[str, ...]:
    """Return what may make results of two lists with one hash differ, as far as both record it."""
    if one is other:
        return ()
    values, others = one.beside_hash, other.beside_hash
    both = (name for name in values if values[name] is not None and others.get(name) is not None)
    return tuple(name for name in both if values[name] != others[name])


class MinedTemplate(Record):
    """A template with its origin; see :class:`Template`.

    ``sources``: count by source of the corpus.  ``examples``: up to three sentences, ``document id@offset of
    the first character``.
    """

    text: str
    count: float = 1.0
    documents: int = 0
    sources: dict[str, int] = Field(default_factory=dict)
    examples: tuple[str, ...] = ()
    fits: tuple[Part, ...] = ()
    family: str = ""


def families_of(templates: Sequence[Template | MinedTemplate]) -> tuple[str, ...]:
    """Return the label of each template's family, or nothing if every family has one member.

    A template without a label has a family of its own, which its text names.
    """
    labels = tuple(template.family or template.text for template in templates)
    return labels if len(set(labels)) < len(labels) else ()


def counts_of_families(templates: Sequence[Template | MinedTemplate]) -> FloatArray:
    """Return [family] counts, each the sum of its members', in the order of the first members."""
    counts: dict[str, float] = {}
    for template in templates:
        label = template.family or template.text
        counts[label] = counts.get(label, 0.0) + template.count
    return np.array([*counts.values()], dtype=np.float64)


Whole = Annotated[int, Field(ge=0, lt=2**63)]  # the range of the file formats


class SetCard(Record):
    """What is known of a template set beside its templates; ``""`` and 0 if unknown.

    ``form``: rule that mined it, or ``decision``, with people at ``[P]``.  ``corpus``, ``licence``: of the
    texts.  ``documents``, ``words``: read; ``sentences``: parsed; ``matches``: occurrences of templates.
    ``cut``: lowest count kept; ``kept``: remaining share of matches. ``pipeline``, ``rules``: parser and
    version of the rules.  ``parents``: sets it was made from; ``history``: a sentence for each step.
    ``topic``: the only topic that it is for, whose pages open on it.
    """

    title: str
    source: str = ""
    notes: str = ""
    language: str = "en"
    form: Literal["", "clausal", "attributive", "decision"] = ""
    corpus: str = ""
    licence: str = ""
    documents: Whole = 0
    words: Whole = 0
    sentences: Whole = 0
    matches: Whole = 0
    cut: float = Field(0, ge=0, allow_inf_nan=False)
    kept: float = Field(1.0, ge=0, le=1)
    pipeline: str = ""
    rules: str = ""
    parents: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    topic: str = ""


class MinedSet(Record):
    """A template set with its card and the origin of every template, heaviest first."""

    name: str
    card: SetCard
    templates: tuple[MinedTemplate, ...]

    @property
    def templates_only(self) -> TemplateSet:
        """The set without origins, which are not part of a run."""
        return TemplateSet(
            name=self.name,
            title=self.card.title,
            templates=tuple(
                Template(
                    text=mined.text,
                    count=mined.count,
                    documents=mined.documents,
                    fits=mined.fits,
                    family=mined.family,
                )
                for mined in self.templates
            ),
            kept=self.card.kept,
            source=self.card.source,
            notes=self.card.notes,
        )
