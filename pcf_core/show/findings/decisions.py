"""Decisions about people in sentences: rates, the impact ratio, and whether a group is favoured."""

from __future__ import annotations

from pcf_core.core.risk import Decisions, RiskReport
from pcf_core.show.findings.numbers import ends
from pcf_core.show.wording import sentences

say = sentences("decisions")


def decisions_finding(model: str, report: RiskReport, decisions: Decisions) -> str:
    """Say how often the groups get a favourable answer, and how far that depends on the sentence."""
    low, high = decisions.worst_pair
    interval = decisions.interval("impact_ratio")
    rates = say(
        "rates",
        model=model,
        low=low,
        high=high,
        bottom=decisions.mean[low],
        top=decisions.mean[high],
        ratio=decisions.impact_ratio,
        range=ends(interval) if interval else "",
        groups=len(decisions.mean),
    )
    return f"{rates} {say('parts', report=report)}"


def favours_finding(model: str, decisions: Decisions) -> str:
    """Say whom a model favours on average, if the range of the impact ratio excludes 1."""
    low, high = decisions.worst_pair
    interval = decisions.interval("impact_ratio")
    apart = interval is not None and interval.high < 1 - 1e-9  # for rounding
    return say("favours", model=model, low=low, high=high, apart=apart)
