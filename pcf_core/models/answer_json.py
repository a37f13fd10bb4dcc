"""The JSON that a server answers: a text that was cut in two, and the code of an error."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic_core import from_json

# Codes and types of errors that are refusals; the last is Azure's, within its ``innererror``.
FILTERED = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
MODERATED = frozenset({"reasons", "flagged_input"})  # OpenRouter's ``metadata`` of a refusal holds them
HALF = re.compile("[\ud800-\udfff]")  # of a character that was cut in two


def mended(content: bytes) -> Any:
    """JSON; a character of which a server wrote one half alone, as ``\\ud83d``, becomes U+FFFD.

    No file or key can hold a half, and a text that ends where its length does can end within a character.
    The name of a model cannot, so that elsewhere a half is no JSON.

    Raises:
        ValueError: no JSON.
        RecursionError: likewise, of a thousand brackets.
    """
    try:
        return from_json(content)
    except ValueError:
        return from_json(HALF.sub("\ufffd", json.dumps(json.loads(content), ensure_ascii=False)))


def code_of(content: bytes) -> str:
    """What names the reason of an error: one of ``FILTERED`` wherever servers say so, else its ``code``."""
    try:
        error = from_json(content)["error"]
        inner, metadata = error.get("innererror"), error.get("metadata")
    except (ValueError, KeyError, TypeError, AttributeError):
        return "None"
    found = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    if isinstance(metadata, dict) and MODERATED & metadata.keys():
        found.append("content_filter")
    named = [str(one).lower() for one in found]
    return next((one for one in named if one in FILTERED), str(found[0]))
