"""The words of a text, as FairPair counts them."""

from __future__ import annotations

import re
from functools import lru_cache

from pcf_core.records.marks import normal
from pcf_core.settings import settings

# Letters and digits, with apostrophes inside: "don't" is one word, "well-known" two.
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
CLAUSE_END = re.compile(r"[.!?…;:()\n]+")


def word_tokens(text: str) -> tuple[str, ...]:
    """Lower-case words in the order of the text, punctuation dropped: "Don’t go!" -> ("don't", "go").

    A script that puts no spaces between words gives one token for each run of its letters.
    """
    plain = normal("NFC", text).lower().replace("’", "'")
    return tuple(WORD.findall(plain))


def clauses(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of each stretch between full stops and their like: no phrase reaches over one."""
    found = (word_tokens(part) for part in CLAUSE_END.split(text))
    return tuple(words for words in found if words)


@lru_cache(maxsize=4)
def stop_words() -> frozenset[str]:
    """The shipped list of English words that say little: articles, pronouns, auxiliaries, prepositions."""
    lines = (settings().assets / "lexicons" / "stop-words.txt").read_text(encoding="utf8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
