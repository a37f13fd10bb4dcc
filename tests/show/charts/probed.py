"""Answers to a probe, made by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pcf_core.core.probe import ProbeAnswer


def answer(
    words: Mapping[str, Mapping[str, float]],
    preferences: Mapping[str, float | None] | None = None,
    coverage: Mapping[str, float | None] | None = None,
) -> ProbeAnswer:
    """``words``: group to word to probability, of one token each; groups share evenly unless said."""
    return ProbeAnswer.of(
        {
            "words": [
                {"word": word, "group": group, "log_probability": math.log(p) if p else None, "tokens": 1}
                for group, found in words.items()
                for word, p in found.items()
            ],
            "left_out": [],
            "coverage": coverage,
            "preferences": preferences or dict.fromkeys(words, 1 / len(words)),
        }
    )
