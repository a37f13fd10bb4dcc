"""Words that are surnames where they stand: *Elton John*, *Stephen King*, *Dr. King*.

A word that is wrongly taken for a surname stays in the rewritten texts and is exchanged in no other: an
even-handed model looks biased.  So a given name tells of one only if it is no other word of English, which
may begin a sentence before a name ("Will John come?", "In May John left", "Georgia Man Arrested").
"""

from __future__ import annotations

import re
from functools import lru_cache

from pcf_core.mining.naming import naming
from pcf_core.settings import settings

BEFORE = re.compile(r"([^\W\d_][\w'’-]*)(\.?)[^\S\n]+$")
HONORIFICS = frozenset(
    {"dr", "mr", "ms", "mrs", "miss", "prof", "professor", "judge", "senator", "president"}
)
# What stands before a letter that may be an initial: a word, and the letter of a list before that.
BEFORE_INITIAL = re.compile(r"(\b[^\W\d_]\.[^\S\n]+)?\b([^\W\d_][\w'’-]*)(\.?)[^\S\n]+$")
REACH = 60  # characters before a word in which the one before it is looked for


@lru_cache(maxsize=1)
def given_names() -> frozenset[str]:
    """Given names, in lower case, that are neither a place, a month nor another word (the shipped list)."""
    path = settings().assets / "lexicons" / "names-that-are-words.txt"
    lines = path.read_text(encoding="utf8").splitlines()
    words = {word for line in lines if not line.startswith("#") for word in line.split()}
    known = naming()
    return frozenset(known.given) - words - known.place - known.time - known.organisation


def is_surname(text: str, begin: int, is_name: bool, is_also_surname: bool) -> bool:
    """Whether the word of a table that begins at a place is a surname there.

    It has a capital, and before it stands an initial or an honorific; or, where the word is a name or listed
    as a surname too, a given name.  A name behind an honorific is a given one: *Mr. John Smith*.  Before any
    but a listed surname a letter with a full stop is an initial only behind another one, an honorific or a
    given name, *Elton B. John*; else it ends a sentence or counts: *Vitamin C. John took it*, *A. John*.
    """
    before = BEFORE.search(text, max(0, begin - REACH), begin)
    if before is None or not text[begin].isupper() or not before[1][0].isupper():
        return False
    word = before[1].casefold()
    if word in HONORIFICS:
        return not is_name
    if len(word) == 1:
        return bool(before[2]) and (is_also_surname or _goes_on(text, before.start()))
    return (is_name or is_also_surname) and not before[2] and word in given_names()


def _goes_on(text: str, letter: int) -> bool:
    """Whether a letter goes on with a name: not in "A. Bob B. John", a list."""
    before = BEFORE_INITIAL.search(text, max(0, letter - REACH), letter)
    if before is None or not before[2][0].isupper():
        return False
    word = before[2].casefold()
    if len(word) == 1:
        return bool(before[3])
    return word in HONORIFICS or (not before[1] and not before[3] and word in given_names())
