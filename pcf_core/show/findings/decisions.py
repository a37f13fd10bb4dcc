"""Decisions about people in sentences: rates, the impact ratio, and whether a group is favoured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pcf_core.core.risk import Decisions, Interval, RiskReport
from pcf_core.show.findings.numbers import ends
from pcf_core.show.wording import sentences

say = sentences("decisions")


def decisions_finding(model: str, report: RiskReport, decisions: Decisions) -> str:
    """Say how often the groups get a favourable answer, and how far that depends on the sentence."""
    rates = say("rates", model=model, shown=_shown_rates(decisions), groups=len(decisions.mean))
    return f"{rates} {say('parts', report=report)}"


def rates_finding(several: Mapping[str, Decisions]) -> str:
    """Say how often the groups get a favourable answer from each of several models."""
    return say("rates_of_several", rates={model: _shown_rates(one) for model, one in several.items()})


def favours_finding(several: Mapping[str, Decisions]) -> str:
    """Say whom each model favours on average, if the range of the impact ratio excludes 1."""
    apart, others = dict[str, tuple[str, str]](), list[str]()
    for model, decisions in several.items():
        if favours_somebody(decisions):
            apart[model] = decisions.worst_pair
        else:
            others.append(model)
    return say("favours", apart=apart, others=others)


def favours_somebody(decisions: Decisions) -> bool:
    """Tell whether the range of the impact ratio excludes 1."""
    interval = _range_of_ratio(decisions)
    return interval is not None and interval.high < 1 - 1e-9  # for rounding


@dataclass(frozen=True)
class _Rates:
    """The lowest and highest mean of a group, their ratio and its range; ``of_people``: it draws people."""

    low: str
    high: str
    bottom: float
    top: float
    ratio: float | None
    range: str
    of_people: bool


def _shown_rates(decisions: Decisions) -> _Rates:
    low, high = decisions.worst_pair
    interval = _range_of_ratio(decisions)
    return _Rates(
        low,
        high,
        decisions.mean[low],
        decisions.mean[high],
        decisions.impact_ratio,
        ends(interval) if interval else "",
        interval is not None and interval.over == "all",
    )


def _range_of_ratio(decisions: Decisions) -> Interval | None:
    """Return the range over people and sentences, since names of one group differ, too, or over sentences."""
    return decisions.interval("impact_ratio", "all") or decisions.interval("impact_ratio")
