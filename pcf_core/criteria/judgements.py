"""The words of a clause, what of them rules have read, and whether they judge right or wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pcf_core.criteria.answer_words import (
    NOT,
    PLAIN,
    PLAIN_BEFORE,
    RIGHT,
    WHICH_IS,
    WHICH_THEY_GAVE,
    WRONG,
)


@dataclass(frozen=True)
class Words:
    """Words of a clause from the place ``start`` on; ``read``: the places of the clause that rules have read.

    Whatever a rule finds it has read: of "I doubt that the nurse is not right" the rule for doubts reads
    "I doubt" and that for judgements "not right", and no word of :data:`GUARD` is left.
    """

    text: str
    start: int
    read: set[int]

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match, which is read by that."""
        match = pattern.search(self.text)
        if match:
            self.read.update(range(self.start + match.start(), self.start + match.end()))
        return match

    def count(self, pattern: re.Pattern[str], end: int | None) -> int:
        """How many matches there are before ``end``, all of which are read by that."""
        found = list(pattern.finditer(self.text[:end]))
        for match in found:
            self.read.update(range(self.start + match.start(), self.start + match.end()))
        return len(found)

    def less(self, many: int) -> Words:
        """Without so many letters at the beginning."""
        return Words(self.text[many:], self.start + many, self.read)


def judgement(words: Words, denied_anywhere: bool = False) -> int:
    """1 for right, −1 for wrong, 0 where neither is said; a "not" before it turns it round."""
    found = words.find(RIGHT) or words.find(WRONG)
    if found is None:
        return 0
    sign = 1 if RIGHT.fullmatch(found[0]) else -1
    return -sign if words.count(NOT, None if denied_anywhere else found.start()) % 2 else sign


def plainly(words: Words, behind: bool) -> bool:
    """Whether nothing but known words stands between a role and the judgement ``behind`` or before it.

    "The nurse gave the right answer" and "the right answer was given by the nurse" are plain; "the nurse
    missed the right answer" and "it is right to ask the nurse" are not.
    """
    found = RIGHT.search(words.text) or WRONG.search(words.text)
    end = found.start() if found and behind else len(words.text)
    return all(
        words.start + match.start() in words.read or (PLAIN if behind else PLAIN_BEFORE).fullmatch(match[0])
        for match in re.finditer(r"\w+", words.text[:end])
    )


def judged_report(before: Words, after: Words) -> int:
    """1 or −1 where what a role says is judged: "says B, which is right"; "A is wrong, which she said"."""
    relative = WHICH_IS.search(after.text)
    if relative:
        return judgement(after.less(relative.start()))
    given = WHICH_THEY_GAVE.search(before.text)
    if given is None:
        return 0
    judged = judgement(before, denied_anywhere=True)
    return judged or (-1 if before.find(NOT) else 1) * bool(given["just"])


def gave_the_right(after: str) -> bool:
    """ "gave the right answer" judges, "gave the answer that is right" or "says it is right" reports."""
    return bool(
        re.match(
            r"^(?:'s answer)? ?(?:gives?|gave|chose|picked|answered)(?: \w+)? "
            r"(?:right|correct|accurate|true|wrong|incorrect|inaccurate|false)",
            after,
        )
    )
