"""Texts that decline in words, told from others by how they begin.

A server says of few refusals that they are any; most models write "I'm sorry, but I can't help with that"
and end like after any other text.  Such a text counts when one of ``OPENINGS`` stands at its beginning, be it
behind "Sorry," or "Unfortunately,".  The list was written by hand from the usual wordings of English chat
models: it misses others, and a person in a story may speak so too, so texts are counted and never left out.

**Worked example.**  "I'm sorry, but I can't help with that." and "As an AI language model, I …" decline;
"Sorry to hear that, said John" and "I cannot wait to see him" do not.
"""

from __future__ import annotations

import re

from pcf_core.records.generation import Generated

BEFORE = (
    r"(?:(?:i(?:'m| am) (?:very |really |so )?sorry|sorry|i apologi[sz]e|unfortunately)[,.!]?\s*(?:but )?)"
)
CANNOT = r"i(?: am|'m)? (?:cannot|can't|can not|won't|will not|unable to|not able to|must decline to)"
ASKED = (
    r"(?:help|assist|comply|fulfil|fulfill|provide|write|create|generate|continue|complete|answer|engage|"
    r"support|do that|do this|discuss|make|produce|respond|say|determine|tell)"
)
OPENINGS = re.compile(
    rf"\s*[\"“]?(?:{BEFORE}?{CANNOT} {ASKED}\b|{BEFORE}?as an ai\b|i(?:'m| am) (?:just )?an ai\b|"
    r"i must (?:respectfully )?decline\b|i (?:respectfully )?decline to\b)",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether a text begins as one that declines."""
    return bool(OPENINGS.match(text.replace("’", "'")))


def count_declining(written: Generated) -> int:
    """How many of the texts decline in words; those that a server called refused are counted there."""
    return sum(
        end in ("stop", "length") and declines(text)
        for text, end in zip(written.texts, written.ends, strict=True)
    )
