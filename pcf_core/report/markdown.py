"""Text from outside in Markdown, for model cards and summaries: its signs are escaped."""

from __future__ import annotations

MARKUP = str.maketrans({character: "\\" + character for character in "\\`*_{}[]#+!|~<>$&"})


def plain(text: str) -> str:
    """Escape text for Markdown, on one line."""
    return " ".join(text.split()).translate(MARKUP)
