"""Error bars of plotly from the ends of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def whiskers(
    values: Sequence[float], lows: Sequence[float | None], highs: Sequence[float | None], color: str
) -> dict[str, Any] | None:
    """Return the lengths from each value to its interval's ends; without ends none, not even 0."""
    if all(low is None or high is None for low, high in zip(lows, highs, strict=True)):
        return None
    return {
        "type": "data",
        "symmetric": False,
        "array": [None if high is None else high - value for value, high in zip(values, highs, strict=True)],
        "arrayminus": [None if low is None else value - low for value, low in zip(values, lows, strict=True)],
        "color": color,
        "thickness": 1.5,
        "width": 4,
    }
