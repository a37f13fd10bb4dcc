"""Tables of counterparts, by which a text about one group becomes one about another; their own errors."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pcf_core.records.base import Record, digest

Mode = Literal["entity", "whole"]
Pair = tuple[str, str]
Cause = Literal["one way", "part of speech", "another reading"]


class Rule(Record):
    """A word of one side that becomes another, and need not come back.

    ``tags``: the Penn Treebank tags under which it does, any where there are none; ``title``: only before a
    name.  Of several rules for a word the first that fits counts.
    """

    side: str
    word: str
    becomes: str
    tags: tuple[str, ...] = ()
    title: bool = False


class PerturbationTable(Record):
    """Words of two sides and their counterparts.

    A pair has the first side's word first.  ``names``, the first of which is the usual entity, and ``titles``
    are written with a capital; ``words`` and ``plurals`` in any case.  ``rules`` go before words, titles
    before rules.  ``pronouns``: which of the words may mean whoever was named.  ``surnames``: which may be
    surnames, too: they stay behind a given name.  ``fixed``: phrases that stay.  ``unpaired``: by side, words
    without a counterpart, which stay and are counted as left.
    """

    name: str
    title: str
    sides: Pair
    names: tuple[Pair, ...]
    titles: tuple[Pair, ...] = ()
    words: tuple[Pair, ...] = ()
    plurals: tuple[Pair, ...] = ()
    rules: tuple[Rule, ...] = ()
    pronouns: tuple[str, ...] = ()
    surnames: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    unpaired: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    source: str = ""
    notes: str = ""

    @property
    def hash(self) -> str:
        """Hash of what decides a text: all but titles of the table, source and notes."""
        return digest(self.model_dump(mode="json", exclude={"name", "title", "source", "notes"}))


class NotReturned(Record):
    """A word that was changed and did not come back, with the text around it.

    ``word`` became ``counterpart``, and that became ``back``; empty where the word was found on one of both
    ways alone.
    """

    word: str
    counterpart: str
    back: str
    cause: Cause
    context: str


class PerturbationErrors(Record):
    """What a perturbation does wrong by its own measure, over texts that it was given.

    ``changed``: words that it changed, in ``changed_texts`` of the ``texts``.  ``returned_texts``: texts that
    the way back made what they were, byte by byte.  ``not_returned``: words of the others, by cause: the
    counterpart leads back to another word (``one way``), its part of speech was read otherwise
    (``part of speech``), or it was not found again (``another reading``).  ``left``: words of the source side
    that still stand in the result where nothing was put, in ``left_texts``; word -> how often.  In the mode
    ``whole`` these are words without a counterpart and what was taken for a surname, rightly or not; in the
    mode ``entity`` the entity's name alone, since other words may rightly be about somebody else.
    """

    table: str
    mode: Mode
    texts: int
    changed_texts: int
    changed: int
    returned_texts: int
    not_returned: dict[Cause, int]
    left: dict[str, int]
    left_texts: int
    examples: tuple[NotReturned, ...] = ()

    @property
    def text_error(self) -> float | None:
        """Share of all texts that did not come back, 0 to 1; ``None`` without texts."""
        return 1 - self.returned_texts / self.texts if self.texts else None

    @property
    def word_error(self) -> float | None:
        """Share of the changed words that did not come back, 0 to 1; ``None`` where none was changed."""
        return min(1.0, sum(self.not_returned.values()) / self.changed) if self.changed else None

    @property
    def left_share(self) -> float | None:
        """Words left, as a share of those left and changed; ``None`` without any."""
        left = sum(self.left.values())
        return left / (left + self.changed) if left + self.changed else None
