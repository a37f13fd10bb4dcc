"""Sentences about the spread of risk over occupations: whose caprice is largest, how heavy its tail is."""

from __future__ import annotations

from pcf_core.core.risk import RiskReport
from pcf_core.core.tails import NormalShape, TailShape, UpperTail
from pcf_core.show.findings.models import adds_up, unseen_share
from pcf_core.show.findings.numbers import first_few, percent, two_decimals
from pcf_core.show.wording import sentences

SIGNIFICANT = 0.05
FEW = 0.1  # share of the occupations that counts as a few
FEWEST_OCCUPATIONS = 10  # with fewer there are no few of many
MOST_NAMES = 3

say = sentences("tails")


def tails_finding(model: str, report: RiskReport, zero_share: float, kurtosis: float | None) -> str:
    """Say whether few occupations have most of the caprice, which, and what an exact 0 of it means.

    Parameters
    ----------
    model
        Its name.
    report
        Of the model.
    zero_share
        Share of occupations whose caprice is exactly 0.
    kurtosis
        Excess kurtosis of caprice, ``None`` where it is not defined.
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
    """Name the fewest occupations with half of all caprice, every occupation counting once."""
    ranked = sorted(report.occupations, key=lambda row: -row.caprice_risk)
    whole = sum(row.caprice_risk for row in ranked)
    first = ranked[0]
    if whole == 0:
        return say("no_caprice", model=model)
    if len(ranked) < FEWEST_OCCUPATIONS:
        return say("largest_caprice", model=model, occupation=first.occupation, caprice=first.caprice_risk)
    most, sums = 0, 0.0
    while sums <= whole / 2:
        sums += ranked[most].caprice_risk
        most += 1
    if most == 1:
        return say("one_stands_out", model=model, occupation=first.occupation, share=sums / whole)
    if most > FEW * len(ranked):
        return say("none_stands_out", model=model, number=most, occupations=len(ranked))
    named = [_with_number(row.occupation, percent(row.caprice_risk / whole)) for row in ranked[:most]]
    return say("few_stand_out", model=model, number=most, named=first_few(named, MOST_NAMES))


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
    """State the verdict on the tail of caprice and its reasons; empty without any caprice."""
    size, tail = shape.positive.size, shape.tail
    if size == 0:
        return ""
    if shape.verdict == "too few to fit":
        return say("too_few_to_fit", model=model, positive=size)
    if not shape.fits:
        return say("all_the_same", model=model, positive=size)
    if tail is None:
        return say("nothing_fits", model=model)
    found = say("shape", model=model, verdict=shape.verdict, tail=tail, fitted=fitted_to(tail))
    vuong = shape.against("lognormal")
    if shape.verdict == "cannot tell" or tail.threshold or vuong is None:
        return found
    told = vuong.p_value <= SIGNIFICANT
    return f"{found} {say('lognormal', better=vuong.better == 'lognormal', told=told, p=vuong.p_value)}"


def fitted_to(tail: UpperTail) -> str:
    """Say which values the fit of the tail is of: all, or those above the lowest threshold that fits."""
    if not tail.threshold:
        return say("fitted_to_all", values=tail.of)
    return say("fitted_to_largest", values=tail.size, of=tail.of)


def bound_finding(largest: float | None) -> str:
    """Say that caprice is bounded, and what that means for talk of heavy tails."""
    return say("bound", largest=largest)


def normal_finding(model: str, shape: NormalShape) -> str:
    """Say whether prejudice over occupations is compatible with a normal; state its mean and s.d."""
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
