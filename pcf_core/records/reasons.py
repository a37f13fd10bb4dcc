"""What an error of another library says, fit for a sentence: a line, without what a signed address has."""

from __future__ import annotations

import re

LONGEST_REASON = 300  # characters
SIGNED = re.compile(
    r"(?<=[^\s?])\?[^\s'\")]+"
)  # behind the question mark of an address: who holds it may read


def reason_of(error: Exception) -> str:
    """The first line of an error, or its name where it says nothing.

    "403 for https://host/file?Signature=f00d" -> "403 for https://host/file?…"
    """
    said = next(iter(str(error).splitlines()), "") or type(error).__name__
    return SIGNED.sub("?…", said)[:LONGEST_REASON]
