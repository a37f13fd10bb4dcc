"""The gender a text tells of somebody: pronouns, titles and nouns are counted, and the majority decides.

A word counts with any ending behind an apostrophe ("she's", "the man’s"), but not as a part of another word
("man-made").  "Her" counts the same as object and as possessive.  A tie, as where there is nothing to count,
is *unclear*.  Nothing is parsed: where several people stand in a text, the majority may be of another than
the one it is about, which ``mixed`` tells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

from pcf_core.criteria.stripping import WORD, plain_text
from pcf_core.records.anecdotes import GenderReading, ReadingWords

NAME_FOLLOWS = re.compile(r"\s++(?=[^\W\d_])(?![a-zß-ÿ])")  # a letter, and no small one
NAME_IN_CAPITALS = re.compile(r"\.\s+[A-ZÀ-Þ]{2,}\b")  # "MS. LEE", not "She has MS. She"
ALSO_NAMES = {"Guy", "Man", "Foreman"}  # "Guy left", "the Isle of Man", "George Foreman"
NO_NAME_FOLLOWS = re.compile(r"\b(?:the|an?|this|that|old|young)\s+$", re.IGNORECASE)


class GenderReader:
    """Reads texts with one list of words; a word of both lists cannot be (see the loader)."""

    def __init__(self, words: ReadingWords) -> None:
        self.words = words

    def read(self, text: str) -> GenderReading:
        """How often each gendered word stands in the text."""
        plain = plain_text(text)
        if self._neither is not None:
            plain = self._neither.sub(" ", plain)
        found: dict[str, Counter[str]] = {"female": Counter(), "male": Counter()}
        for token in WORD.finditer(plain):
            written = token.group().partition("'")[0]
            side, spelling = self._side(written, plain, token.start(), token.end())
            if side:
                found[side][spelling] += 1
        return GenderReading(female=dict(found["female"]), male=dict(found["male"]))

    def _side(self, written: str, plain: str, start: int, end: int) -> tuple[str, str]:
        """Whose word it is, and how the list spells it; empty where it is nobody's."""
        small = written.casefold()
        if written in ALSO_NAMES and not NO_NAME_FOLLOWS.search(plain[max(0, start - 9) : start]):
            return "", ""
        if side := self._anywhere.get(small):
            return side, small
        if side := self._titles.get(written):
            return side, written
        if (side := self._before_names.get(written)) and NAME_FOLLOWS.match(plain, end):
            return side, written
        if written.isupper() and NAME_IN_CAPITALS.match(plain, end):
            return self._titles.get(written.title(), ""), written.title()
        return "", ""

    @cached_property
    def _neither(self) -> re.Pattern[str] | None:
        longest_first = sorted(self.words.neither, key=len, reverse=True)
        if not longest_first:
            return None
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)

    @cached_property
    def _anywhere(self) -> Mapping[str, str]:
        return _sides((word.casefold() for word in self.words.female), map(str.casefold, self.words.male))

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        return _sides(self.words.female_titles, self.words.male_titles)

    @cached_property
    def _before_names(self) -> Mapping[str, str]:
        return _sides(self.words.female_before_names, self.words.male_before_names)


def _sides(female: Iterable[str], male: Iterable[str]) -> dict[str, str]:
    return {**dict.fromkeys(female, "female"), **dict.fromkeys(male, "male")}
