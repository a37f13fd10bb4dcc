"""A word joined to its own counterpart: *boys and girls*, *him/her*, *black and white people*.

Such a phrase names both sides, and its order says nothing: it stays.  Were it exchanged, an even-handed
model would look biased by "girls and boys".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

WHOLE = r"(?<![\w-])", r"(?!\w|-\w)"  # no part of another word: not the sister of "sister-in-law"
JOINT = (
    r"(?:['’]s?)?-?(?:\.(?=\s+(?:&|(?-i:and|or)\s)))?"  # owned; "European- and"; "Mr. and"
    r"(?P<joint>\s*[/,&]\s*|,?\s+(?:and/or|and|or|nor)\s+(?:(?:an?|the)\s+)?)"
)
EITHER = re.compile(r"/|\bn?or\b", re.IGNORECASE)
REACH = 80  # characters around a word in which the other one is looked for


def apart(word: str, becomes: str) -> tuple[str, str]:
    """What of two words in lower case differs: "white people", "black people" -> "white", "black"."""
    one, two = word.casefold().split(), becomes.casefold().split()
    while len(one) > 1 and len(two) > 1 and one[-1] == two[-1]:
        one, two = one[:-1], two[:-1]
    while len(one) > 1 and len(two) > 1 and one[0] == two[0]:
        one, two = one[1:], two[1:]
    return " ".join(one), " ".join(two)


class Joined:
    """Finds the other word.  ``pairs``: each word with what it becomes, in either direction or in both."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        words: dict[str, set[str]] = {}  # what differs -> the words that have it
        others: dict[str, set[str]] = {}  # what differs -> its counterparts
        parts: dict[str, set[str]] = {}
        for word, becomes in pairs:
            one, two = apart(word.replace("-", " "), becomes.replace("-", " "))
            parts.setdefault(word.casefold(), set()).add(one)
            for part, other, whole in ((one, two, word), (two, one, becomes)):
                words.setdefault(part, {part}).add(whole.casefold())
                others.setdefault(part, set()).add(other)
        self._of: Mapping[str, frozenset[str]] = {
            word: frozenset(found for part in own for other in others[part] for found in words[other])
            for word, own in parts.items()
        }

    def other(self, text: str, key: str, start: int, end: int) -> tuple[int, str, bool] | None:
        """Where the counterpart of a word starts that is joined to it, as it is written; ``None`` without.

        The third: whether it is joined by "or" or a stroke, and so means one of both for sure.

        Args:
            key: the word in lower case, which must be known.
            start: where it starts, with its article.
            end: where it ends.
        """
        if key not in self._of or re.match(r"-\w", text[end : end + 2]):
            return None
        before, behind = _patterns(self._of[key])
        found = before.search(text, max(0, start - REACH), start) or behind.match(text, end)
        if found is None:
            return None
        return found.start("other"), found["other"].casefold(), bool(EITHER.search(found["joint"]))


@lru_cache(maxsize=1_000)  # a table has hundreds of words, a text a few of them: no other pattern is made
def _patterns(others: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    longest = sorted(others, key=lambda word: (-len(word), word))
    words = "|".join(re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in longest)
    other = f"{WHOLE[0]}(?P<other>{words}){WHOLE[1]}"
    return re.compile(f"{other}{JOINT}$", re.IGNORECASE), re.compile(f"{JOINT}{other}", re.IGNORECASE)
