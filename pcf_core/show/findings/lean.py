"""Sentences about what all occupations share of a risk, and what a model expects of nobody in particular."""

from __future__ import annotations

from pcf_core.audit.baseline import Baseline
from pcf_core.core.risk import Interval, Over, RiskReport
from pcf_core.show.findings.numbers import listed, people, percent, two_decimals


def lean_finding(model: str, report: RiskReport) -> str:
    """Say how a risk splits into three parts, the shared one first; empty where that is not known."""
    if report.lean is None:
        return ""
    return (
        f"The risk of {model} is {two_decimals(report.overall_risk)}: all occupations share "
        f"{two_decimals(report.lean.common)} of it, {two_decimals(report.lean.specific)} differs between "
        f"them, and {two_decimals(report.caprice_risk)} changes with the sentence."
    )


def baseline_finding(model: str, found: Baseline, over: Over = "templates") -> str:
    """Say what a model expects of neutral subjects, its risk from there, and how far its occupations lie.

    Of more than two groups the distances are those of the group in which they are largest.
    """
    ranked = sorted(found.preferences, key=lambda group: -found.preferences[group])[:2]
    parts = [f"{people(group)} {percent(found.preferences[group])}" for group in ranked]
    widest = max(found.distance, key=lambda group: found.distance[group])
    of_which = f" in their lean to {people(widest)}" if len(found.preferences) > 2 else ""
    away = ranged(found.distance[widest], found.interval("distance", over, widest))
    apart = ranged(found.spread[widest], found.interval("spread", over, widest))
    risk = ranged(found.overall_risk, found.interval("overall_risk", over))
    return (
        f"Where no occupation is named (a person, a citizen), {model} gives {listed(parts)}. "
        f"Measured from there, its risk is {risk}. "
        f"Its occupations lie {away} from there{of_which}, and {apart} from their own mean."
    )


def ranged(value: float, interval: Interval | None) -> str:
    """Write a risk or a distance with two decimals, and its range."""
    if interval is None:
        return two_decimals(value)
    return f"{two_decimals(value)} ({interval.low:.2f}–{interval.high:.2f})"
