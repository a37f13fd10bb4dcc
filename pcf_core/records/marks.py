"""Texts in which marks are heaped on one letter: no script does that, and it is an attack on normalisation.

Unicode's normal forms put the marks behind a letter into an order, and the standard library does so by
insertion: 16,000 marks of one kind before as many of another take three seconds, a megabyte of them hours,
in which nothing else runs.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

MOST_MARKS = 30  # on one letter, as Unicode's stream-safe texts have (UAX 15, 13); living scripts need three


def is_heaped(text: str) -> bool:
    """Whether over 30 combining marks stand on one letter, so that the text is not to be normalised."""
    if text.isascii():
        return False
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > MOST_MARKS:
            return True
    return False


def normal(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """The normal form of a text; one with heaped marks stays as it is."""
    return text if is_heaped(text) else unicodedata.normalize(form, text)
