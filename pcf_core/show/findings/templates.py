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
from pcf_core.show.findings.numbers import count, listed, percent, two_decimals, with_interval

HEAVIEST = 10
MOST_REASONS = 3


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
    templates = count(len(counts), "template")
    if len(counts) == 1:
        return "The set has one template: every number rests on it alone."
    half = f"half of it lies in {carriers(counts):,} of {templates}"
    if len(counts) <= HEAVIEST:
        return f"The heaviest template carries {percent(kept_share(counts, 1))} of the weight; {half}."
    return f"The ten heaviest carry {percent(kept_share(counts, HEAVIEST))} of the weight; {half}."


def cut_finding(counts: Sequence[float], top: int | None) -> str:
    """Say what a cut to the heaviest keeps; empty where it keeps all."""
    if top is None or top >= len(counts):
        return ""
    mass, templates = percent(kept_share(counts, top)), percent(top / len(counts))
    return f"The cut keeps the {top:,} heaviest: {mass} of the weight and {templates} of the templates."


def origin_finding(card: SetCard, unit: str = "words") -> str:
    """Say of what a set was mined, and which part its own cut has kept; empty if it was not mined.

    ``unit``: what the length of its texts is counted in, a plural.
    """
    if not card.matches:
        return ""
    read = [count(card.documents, "document")] if card.documents else []
    read += [count(card.words, unit.removesuffix("s"), unit)] if card.words else []
    kept = f" This set covers {percent(card.kept)} of the sentences found." if 0 < card.kept < 1 else ""
    whence = f" in {listed(read)}" if read else ""
    corpus = f" The source is {card.corpus}." if card.corpus else ""
    return f"Mined from {count(card.matches, 'sentence')}{whence}.{corpus}{kept}"


def mining_finding(result: Mapping[str, Any]) -> str:
    """Say what a finished mining job has found; ``result`` is the JSON that the command ``mine`` prints."""
    dropped = sorted(result["dropped"].items(), key=lambda item: (-item[1], item[0]))
    reasons = listed([f"{reason} ({times:,})" for reason, times in dropped[:MOST_REASONS]]) if dropped else ""
    without = result.get("without_word")  # not in answers of before
    return (
        f"{count(result['templates'], 'template')} from {count(result['matches'], 'match', 'matches')} in "
        f"{count(result['documents'], 'document')}."
        + (f" {count(without, 'sentence')} had no word that is looked for." if without else "")
        + (f" Most often dropped: {reasons}." if reasons else "")
    )


def move_finding(model: str, before: RiskReport, after: RiskReport, first: str, second: str) -> str:
    """State R over one choice of templates and over another, and what that does to its two parts.

    It does not say that the difference is more than chance: both intervals are over their own templates.
    """
    parts = []
    for name, risk in (("prejudice", "prejudice_risk"), ("caprice", "caprice_risk")):
        was, is_now = two_decimals(getattr(before, risk)), two_decimals(getattr(after, risk))
        parts.append(f"{name} is {was} over both" if was == is_now else f"{name} goes from {was} to {is_now}")
    said = listed(parts)
    return (
        f"The risk of {model} is {risk_with_interval(before)} over {first} and {risk_with_interval(after)} "
        f"over {second}. {said[0].upper()}{said[1:]}."
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
    ranks = ""
    if correlation is not None:
        ranks = f" Over those the ranks correlate with ρ = {with_interval(correlation, interval)}."
    return (
        f"{first.name} and {second.name} have {percent(overlap)} of their weight in common. "
        f"{shared:,} of {len(first.templates):,} and {len(second.templates):,} templates are in both.{ranks}"
    )
