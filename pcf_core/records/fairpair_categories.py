"""Categories of words in which FairPair's texts may differ."""

from __future__ import annotations

from pcf_core.records.base import Record


class WordCategory(Record):
    """``words``: in small letters, as they are; with * at the end, whatever goes on from there."""

    name: str
    title: str
    words: tuple[str, ...]


class CategorySet(Record):
    """A user's own; the categories are compared, the name is for people."""

    name: str
    title: str
    categories: tuple[WordCategory, ...]
