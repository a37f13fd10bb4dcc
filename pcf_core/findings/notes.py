"""What has to be said beside a number: what was left out."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.records import LeftOut


def left_out_note(left_out: Sequence[LeftOut]) -> str:
    """Everything that was not used, by name, gathered by reason; empty where nothing was left out."""
    reasons: dict[str, list[str]] = {}
    for item in left_out:
        reasons.setdefault(item.reason, []).append(item.name)
    return " ".join(f"Left out, {reason}: {', '.join(names)}." for reason, names in reasons.items())
