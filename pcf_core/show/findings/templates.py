"""Sentences about template sets: how the mass is spread, where it comes from, what a choice does to R."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.topics import MinedSet, SetCard
from pcf_core.show.findings.models import risk_with_interval
from pcf_core.show.wording import sentences

HEAVIEST = 10
MOST_REASONS = 3

say = sentences("templates")


def mass_of(counts: ArrayLike) -> FloatArray:
    """Return [template] cumulative shares of the counts, heaviest first; the last is 1."""
    heaviest = np.sort(np.asarray(counts, dtype=np.float64))[::-1]
    return np.asarray(np.cumsum(heaviest) / heaviest.sum())


def kept_share(counts: ArrayLike, top: int | None) -> float:
    """Return the share of the counts that the ``top`` heaviest carry; ``None`` keeps all."""
    mass = mass_of(counts)
    return 1.0 if top is None or top >= len(mass) else float(mass[top - 1])


def carriers(counts: ArrayLike, share: float = 0.5) -> int:
    """Return how few of the heaviest carry this share of the counts."""
    return int(np.searchsorted(mass_of(counts), share - 1e-12)) + 1


def set_finding(counts: Sequence[float]) -> str:
    """Say how the counts are spread over the templates."""
    if len(counts) == 1:
        return say("one_template")
    few = len(counts) <= HEAVIEST
    share = kept_share(counts, 1 if few else HEAVIEST)
    return say("weight", few=few, share=share, half=carriers(counts), templates=len(counts))


def cut_finding(counts: Sequence[float], top: int | None) -> str:
    """Say what a cut to the heaviest keeps; empty where it keeps all."""
    if top is None or top >= len(counts):
        return ""
    return say("cut", top=top, weight=kept_share(counts, top), templates=top / len(counts))


def origin_finding(card: SetCard, unit: str = "words") -> str:
    """Say of what a set was mined, and which part its own cut has kept; empty if it was not mined.

    ``unit``: what the length of its texts is counted in, a plural.
    """
    if not card.matches:
        return ""
    return say("origin", card=card, unit=unit.removesuffix("s"), units=unit, partly=0 < card.kept < 1)


def mining_finding(result: Mapping[str, Any]) -> str:
    """Say what a finished mining job has found; ``result`` is the JSON that the command ``mine`` prints."""
    dropped = sorted(result["dropped"].items(), key=lambda item: (-item[1], item[0]))
    return say(
        "mined",
        templates=result["templates"],
        matches=result["matches"],
        documents=result["documents"],
        without_word=result.get("without_word"),  # not in answers of before
        dropped=[say("dropped_for", reason=reason, times=times) for reason, times in dropped[:MOST_REASONS]],
    )


def move_finding(model: str, before: RiskReport, after: RiskReport, first: str, second: str) -> str:
    """State R over one choice of templates and over another, and what that does to its two parts.

    It does not say that the difference is more than chance: both intervals are over their own templates.
    """
    return say(
        "moved",
        model=model,
        first=first,
        before_risk=risk_with_interval(before),
        before=before,
        second=second,
        after_risk=risk_with_interval(after),
        after=after,
    )


def sets_finding(
    first: MinedSet,
    second: MinedSet,
    overlap: float,
    shared: int,
    correlation: float | None,
    interval: Interval | None = None,
) -> str:
    """Say how much two sets have in common.

    Parameters
    ----------
    first, second
        The sets.
    overlap
        Σ min of the normalised weights, 0 to 1.
    shared
        Number of templates in both.
    correlation, interval
        Spearman's over the shared templates; ``None`` where nothing can be said.
    """
    return say(
        "two_sets",
        first=first,
        second=second,
        overlap=overlap,
        shared=shared,
        correlation=correlation,
        interval=interval,
    )
