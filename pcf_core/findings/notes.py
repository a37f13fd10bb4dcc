"""What has to be said beside a number: how rough it is, what was left out."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.findings.numbers import count, number, percent
from pcf_core.records import LeftOut, Weights

FEW_TEMPLATES = 10


def effective_templates_note(effective: float, templates: int) -> str:
    """How many equally weighted templates these are worth; empty where that is all of them and enough."""
    if templates == 1:
        return "This is one template; an interval over templates says nothing."
    worth = f"{effective:.0f}" if effective >= 1.95 else number(effective)
    as_many = f"These {count(templates, 'template')} count as about {worth}"
    if effective < FEW_TEMPLATES:
        return f"{as_many}, by their weights; under {FEW_TEMPLATES}: this interval is rough."
    return "" if round(effective) == templates else f"{as_many}, by their weights."


def left_out_note(left_out: Sequence[LeftOut]) -> str:
    """Everything that was not used, by name, gathered by reason; empty where nothing was left out."""
    reasons: dict[str, list[str]] = {}
    for item in left_out:
        reasons.setdefault(item.reason, []).append(item.name)
    return " ".join(f"Left out, {reason}: {', '.join(names)}." for reason, names in reasons.items())


def weights_note(weights: Weights) -> str:
    """What share of the occupations the weights cover; empty where it is all of them."""
    if not weights.left_out:
        return ""
    total = len(weights.terms) + len(weights.left_out)
    return (
        f"The weights “{weights.name}” cover {len(weights.terms):,} of {count(total, 'occupation')} "
        f"({percent(weights.share)}); the others are left out by name."
    )
