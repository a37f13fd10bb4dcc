"""Whole models in sentences: risk, its parts, how sure they are, and their spread."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pcf_core.audit.baseline import Baseline
from pcf_core.core.risk import Interval, Over, RiskReport
from pcf_core.show.findings.notes import contexts
from pcf_core.show.findings.numbers import (
    first_few,
    percent,
    percent_with_interval,
    two_decimals,
    with_interval,
)
from pcf_core.show.wording import sentences

if TYPE_CHECKING:
    from pcf_core.core.tails import NormalShape, TailShape, UpperTail

say = sentences("models")


def risk_finding(model: str, report: RiskReport, over: Over = "templates") -> str:
    """State R with its interval, and prejudice and caprice."""
    sentence = say(
        "risk",
        model=model,
        report=report,
        risk=risk_with_interval(report, over),
        contexts=contexts(len(report.templates), report.sampling),
    )
    if report.overall_risk <= 0:
        return sentence
    if report.caprice_risk == 0:
        steady = say("all_prejudice", report=report, adds_up=adds_up(report), unseen=unseen_note(report))
        return f"{sentence} {steady}"
    share = report.prejudice_risk / report.overall_risk
    corrected = report.corrected is not None and report.corrected.headline
    parts = say("two_parts", report=report, prejudice=share, caprice=1 - share, corrected=corrected)
    return f"{sentence} {parts}"


def wording_finding(model: str, report: RiskReport, over: Over = "templates") -> str:
    """Say how much of caprice the wording alone makes, "" if no families of sentences tell."""
    if report.wording_caprice is None or report.corrected is None or report.says_little:
        return ""
    return say(
        "wording",
        model=model,
        caprice=report.caprice_risk,
        part=with_interval(report.wording_caprice, report.interval("wording_caprice", over)),
        corrected=report.corrected.wording_caprice,
    )


def adds_up(report: RiskReport) -> bool:
    """Return whether the criterion is l1, whose caprice is 0 if no stereotype changes its sign."""
    return report.criterion.startswith("l1,")


def interval_sentence(interval: Interval, of: str = "") -> str:
    """Say what an interval allows for, and what was resampled; ``of``: the figures that have it."""
    return say("interval", interval=interval, of=of)


def units(interval: Interval) -> str:
    """Say what was resampled besides occupations: "documents"."""
    return say("units", unit=interval.unit)


def drawn_again(interval: Interval) -> str:
    """Say what was resampled: "documents", "documents and occupations"."""
    return say("drawn_again", interval=interval)


def whiskers_note(drawn: Mapping[str, str]) -> str:
    """Say what was resampled for which rows of a picture; ``drawn``: by row, of :func:`drawn_again`."""
    rows: dict[str, list[str]] = {}
    for name, what in drawn.items():
        rows.setdefault(what, []).append(name)
    if len(rows) < 2:
        return "".join(say("whiskers", what=what) for what in rows)
    *ranked, (others, _) = sorted(rows.items(), key=lambda item: len(item[1]))
    parts = [say("drawn_for", what=what, rows=names) for what, names in ranked]
    return say("whiskers_apart", parts=parts, others=others)


def whole_templates_finding(intervals: Mapping[str, Interval]) -> str:
    """State R's intervals over whole templates, for models whose shown interval is over counts only."""
    if not intervals:
        return ""
    ranges = [say("range_for", model=model, interval=interval) for model, interval in intervals.items()]
    return say("whole_templates", ranges=ranges)


def unseen_words(share: float) -> str:
    """Say what replaces a caprice's interval from 0 to 0; ``share``: of :func:`unseen_share`."""
    return say("unseen_words", share=share)


def unseen_share(effective: float) -> float:
    """Return the largest share of sentences that ``effective`` templates can miss, with 95 % confidence.

    A kind with the share q is in none of n draws with probability (1 − q)^n: 5 % at q = 1 − 0.05^(1/n).
    """
    return float(1 - 0.05 ** (1 / effective))


def unseen_note(report: RiskReport) -> str:
    """State the share of sentences that templates without caprice may miss."""
    effective = report.effective_templates
    return say("unseen", effective=effective, share=unseen_share(effective))


def caprice_coverage_note(reports: Mapping[str, RiskReport]) -> str:
    """Say how seldom ranges of caprice hold the truth for models whose prejudice may be 0; "" for none."""
    held = {name: report.caprice_coverage for name, report in reports.items() if report.caprice_coverage}
    return say("caprice_coverage", models=list(held), share=min(held.values())) if held else ""


def overview_finding(reports: Mapping[str, RiskReport], over: Over = "templates") -> str:
    """State the risk of each model, and where it is tested whether they differ."""
    if not reports:
        return say("no_model")
    risks = {model: risk_with_interval(report, over) for model, report in reports.items()}
    if len(risks) == 1:
        return "".join(say("risk_of_one", model=model, risk=risk) for model, risk in risks.items())
    several = [say("risk_for", model=model, risk=risk) for model, risk in risks.items()]
    return f"{say('risks', risks=several)} {say('untested')}"


def risk_with_interval(report: RiskReport, over: Over = "templates") -> str:
    """Write R with :func:`shown_interval`."""
    return with_interval(report.overall_risk, shown_interval(report, "overall_risk", over))


def shown_interval(report: RiskReport, quantity: str, over: Over) -> Interval | None:
    """Return the requested interval, or the first there is."""
    return report.interval(quantity, over) or next(iter(report.intervals.get(quantity, ())), None)


def corrected_finding(model: str, report: RiskReport) -> str:
    """State plug-in and corrected parts, and those of a neutral model; "" if not corrected."""
    return "" if report.corrected is None else say("corrected", model=model, found=report.corrected)


@dataclass(frozen=True)
class Spread:
    """How the mean preference for one group varies over occupations (weighted), 0 to 1."""

    group: str
    mean: float
    deviation: float
    lowest: float
    lowest_occupation: str
    highest: float
    highest_occupation: str


def spread_of(report: RiskReport) -> Spread:
    """Return the spread of the first of two groups, or of the group with the widest."""
    spreads = [_spread(report, group) for group in report.groups]
    return spreads[0] if len(spreads) == 2 else max(spreads, key=lambda spread: spread.deviation)


def _spread(report: RiskReport, group: str) -> Spread:
    rows = sorted(report.occupations, key=lambda row: row.preferences[group])
    mean = sum(row.weight * row.preferences[group] for row in rows)
    square = sum(row.weight * (row.preferences[group] - mean) ** 2 for row in rows)
    return Spread(
        group=group,
        mean=mean,
        deviation=math.sqrt(square),
        lowest=rows[0].preferences[group],
        lowest_occupation=rows[0].occupation,
        highest=rows[-1].preferences[group],
        highest_occupation=rows[-1].occupation,
    )


def lean_finding(model: str, report: RiskReport, over: Over = "templates") -> str:
    """Say how much a model's occupations differ; "" for one occupation or a sampling plan."""
    if report.lean is None or len(report.occupations) < 2:
        return ""
    share = report.lean.differing
    interval = report.lean.interval("differing", over)
    return say(
        "lean",
        model=model,
        spread=spread_of(report),
        share="" if share is None else percent_with_interval(share, interval),
    )


def baseline_finding(model: str, baseline: Baseline, over: Over = "templates") -> str:
    """State the shares for neutral subjects, and how far the occupations are from them and each other."""
    ranked = sorted(baseline.preferences, key=lambda group: -baseline.preferences[group])[:2]
    widest = max(baseline.distance, key=lambda group: baseline.distance[group])
    return say(
        "baseline",
        model=model,
        found=baseline,
        shares=[say("share_of", group=group, share=baseline.preferences[group]) for group in ranked],
        widest=widest,
        of_two=len(baseline.preferences) <= 2,
        distance=baseline.interval("distance", over, widest),
        spread=baseline.interval("spread", over, widest),
    )


def neutral_distances_finding(distances: Mapping[str, float]) -> str:
    """State the models' distances from neutral subjects; "" for fewer than two."""
    if len(distances) < 2:
        return ""
    parts = [
        say("distance_for", model=model, distance=two_decimals(distance))
        for model, distance in distances.items()
    ]
    return say("neutral_distances", distances=parts)


SIGNIFICANT = 0.05
FEW = 0.1  # share of the occupations that counts as a few
FEWEST_OCCUPATIONS = 10  # fewer are too few to single out some
MOST_NAMES = 3


def tails_finding(model: str, report: RiskReport, zero_share: float, kurtosis: float | None) -> str:
    """Say whether few occupations have most of the caprice, which, and what an exact 0 means.

    ``zero_share``: of occupations with caprice 0; ``kurtosis``: excess kurtosis, ``None`` if undefined.
    """
    total = len(report.occupations)
    return say(
        "tails",
        model=model,
        occupations=total,
        zeros=round(zero_share * total),
        groups=len(report.groups),
        adds_up=adds_up(report),
        sd=report.stereotype_sd,
        unseen=unseen_share(report.effective_templates),
        stand_outs=stand_outs(model, report),
        kurtosis=kurtosis,
    )


def stand_outs(model: str, report: RiskReport) -> str:
    """Name the fewest occupations with half of all caprice, unweighted."""
    ranked = sorted(report.occupations, key=lambda row: -row.caprice_risk)
    whole = sum(row.caprice_risk for row in ranked)
    first = ranked[0]
    if whole == 0:
        return say("no_caprice", model=model)
    if len(ranked) < FEWEST_OCCUPATIONS:
        return say("largest_caprice", model=model, occupation=first.occupation, caprice=first.caprice_risk)
    most = fewest_with_half(report)
    if most == 1:
        share = first.caprice_risk / whole
        return say("one_stands_out", model=model, occupation=first.occupation, share=share)
    if most > FEW * len(ranked):
        return say("none_stands_out", model=model, number=most, occupations=len(ranked))
    named = [_with_number(row.occupation, percent(row.caprice_risk / whole)) for row in ranked[:most]]
    return say("few_stand_out", model=model, number=most, named=first_few(named, MOST_NAMES))


def fewest_with_half(report: RiskReport) -> int:
    """Count the fewest occupations with more than half of all caprice; 0 without caprice."""
    ranked = sorted((row.caprice_risk for row in report.occupations), reverse=True)
    whole, sums = sum(ranked), 0.0
    for most, caprice in enumerate(ranked, start=1):
        sums += caprice
        if sums > whole / 2:
            return most
    return 0


def widest(model: str, report: RiskReport) -> str:
    """Name the occupations with the least and the most prejudice."""
    ranked = sorted(report.occupations, key=lambda row: row.prejudice_risk)
    least, most = (
        _with_number(row.occupation, two_decimals(row.prejudice_risk)) for row in (ranked[0], ranked[-1])
    )
    return say("widest", model=model, least=least, most=most)


def _with_number(occupation: str, number: str) -> str:
    return say("occupation_with", occupation=occupation, number=number)


def shape_finding(model: str, shape: TailShape) -> str:
    """State the verdict on the tail of caprice and its reasons; "" without caprice."""
    size, tail = shape.positive.size, shape.tail
    if size == 0:
        return ""
    if shape.verdict == "too few to fit":
        return say("too_few_to_fit", model=model, positive=size)
    if not shape.fits:
        return say("all_the_same", model=model, positive=size)
    if tail is None:
        return say("nothing_fits", model=model)
    sentence = say("shape", model=model, verdict=shape.verdict, tail=tail, fitted=fitted_to(tail))
    vuong = shape.against("lognormal")
    if shape.verdict == "cannot tell" or tail.threshold or vuong is None:
        return sentence
    clear = vuong.p_value <= SIGNIFICANT
    return f"{sentence} {say('lognormal', better=vuong.better == 'lognormal', told=clear, p=vuong.p_value)}"


def fitted_to(tail: UpperTail) -> str:
    """Say to which values the tail was fitted: all, or those above a threshold."""
    if not tail.threshold:
        return say("fitted_to_all", values=tail.of)
    return say("fitted_to_largest", values=tail.size, of=tail.of)


def bound_finding(largest: float | None) -> str:
    """Say that caprice is bounded, and what that means for heavy tails."""
    return say("bound", largest=largest)


def normal_finding(model: str, shape: NormalShape) -> str:
    """Say whether prejudice over occupations is compatible with a normal distribution, with mean and s.d."""
    p = shape.p_value
    return say(
        "normal",
        model=model,
        fit=shape.fit,
        testable=shape.low is not None,
        outside=shape.outside,
        statistic=shape.statistic,
        p=p,
        normal=p is not None and p > SIGNIFICANT,
    )
