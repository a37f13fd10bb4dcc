"""Sentences in large letters, as a parser can read them: it takes all words of HE LOST HIS KEYS for names."""

from __future__ import annotations

import re
from collections.abc import Container

SENTENCE = re.compile(r"[^.!?…\n]+")
WORD = re.compile(r"[^\W\d_]+")


def calmed(text: str, names: Container[str]) -> str:
    """The text with such sentences in small letters, character by character; others are as they were.

    A sentence is one of two words or more.  ``names``, in lower case, keep their capital, and so does *I*.
    """

    def sentence(match: re.Match[str]) -> str:
        shouted = match[0].isupper() and len(WORD.findall(match[0])) > 1
        return WORD.sub(word, match[0]) if shouted else match[0]

    def word(match: re.Match[str]) -> str:
        small = "".join(map(smaller, match[0]))
        return match[0][0] + small[1:] if small in names or small == "i" else small

    return SENTENCE.sub(sentence, text)


def smaller(letter: str) -> str:
    """The small letter, but for the few that become two characters, which would move what is behind."""
    return letter if len(letter.lower()) > 1 else letter.lower()
