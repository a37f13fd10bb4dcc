"""What is asked about: the groups of a topic (Y), the occupations (X) and how much each counts."""

from __future__ import annotations

from typing import Literal

from pcf_core.records.base import LeftOut, Record, digest


class Group(Record):
    """One protected group and the words that stand for it at ``[Y]``."""

    name: str
    words: tuple[str, ...]


class Topic(Record):
    """Groups of words (Y).  ``aligned``: the i-th words of all groups are counterparts.

    ``position``: what a word is at ``[Y]``, and so which templates suit: the ``subject`` of a clause
    ("The [X] said that [Y]") or a ``predicate`` ("The [X], who came, is [Y]").
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

    @property
    def words(self) -> tuple[str, ...]:
        """All words, group after group: the order of the word axis."""
        return tuple(word for group in self.groups for word in group.words)

    @property
    def group_names(self) -> tuple[str, ...]:
        return tuple(group.name for group in self.groups)

    @property
    def hash(self) -> str:
        """Hash of what decides a number: groups and words, not titles and notes."""
        return digest([[group.name, group.words] for group in self.groups])


class Evidence(Record):
    """The occupations (X), or any list of terms that fill ``[X]``.

    ``weights``: [term] how much each counts, as the source says, on any scale; empty where it does not say.
    ``noun``: what one of the terms is, such as "athlete"; its plural has an s.
    """

    name: str
    title: str
    terms: tuple[str, ...]
    weights: tuple[float, ...] = ()
    noun: str = "occupation"
    source: str = ""
    notes: str = ""

    @property
    def hash(self) -> str:
        """Hash of the terms: weights are a view option and decide no score."""
        return digest(self.terms)


class Weights(Record):
    """Weights of the occupations, aligned with ``terms``; what had no figure is named in ``left_out``.

    ``share`` is the part of the list that remains (by number of occupations).
    """

    name: str
    terms: tuple[str, ...]
    values: tuple[float, ...]
    left_out: tuple[LeftOut, ...] = ()
    share: float = 1.0
    source: str = ""
