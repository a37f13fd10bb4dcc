"""Sentences about the spread of risk over occupations: whose caprice is largest, how heavy its tail is."""

from __future__ import annotations

from pcf_core.core.risk import RiskReport
from pcf_core.core.tails import NormalShape, TailShape, UpperTail
from pcf_core.show.findings.models import adds_up, unseen_share
from pcf_core.show.findings.numbers import (
    called,
    count,
    listed,
    number,
    p_value,
    percent,
    two_decimals,
    with_interval,
)

SIGNIFICANT = 0.05
FEW = 0.1  # share of the occupations that counts as a few
FEWEST_OCCUPATIONS = 10  # with fewer there are no few of many
MOST_NAMES = 3


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
    zeros = round(zero_share * total)
    keeps = "the stereotype keeps its sign" if len(report.groups) == 2 else "the same group stays ahead"
    if len(report.groups) > 2 and adds_up(report):
        keeps = "no group's stereotype changes its sign"
    spread = (
        f"Over templates the stereotype has a standard deviation of {two_decimals(report.stereotype_sd)}"
        f"{', averaged over occupations' if total > 1 else ''}."
    )
    if zeros == total:
        unseen = percent(unseen_share(report.effective_templates))
        whom = "the one occupation" if total == 1 else f"all {total:,} occupations"
        return (
            f"The caprice of {model} is exactly 0 for {whom}: {keeps} over all templates. Other sentences "
            f"may change that: up to {unseen} of all may be unseen. {spread}"
        )
    sentences = [
        stand_outs(model, report),
        f"Caprice is exactly 0 for {zeros:,} of {count(total, 'occupation')}, where {keeps} over all "
        "templates."
        if zeros
        else f"Caprice is exactly 0 for none of {count(total, 'occupation')}.",
        spread,
    ]
    if kurtosis is not None:
        sentences.append(
            f"The excess kurtosis of caprice is {number(kurtosis)} (0 for a normal distribution)."
        )
    return " ".join(sentences)


def stand_outs(model: str, report: RiskReport) -> str:
    """Name the fewest occupations with half of all caprice, every occupation counting once."""
    ranked = sorted(report.occupations, key=lambda row: -row.caprice_risk)
    whole = sum(row.caprice_risk for row in ranked)
    first, name = ranked[0], called(ranked[0].occupation)
    if whole == 0:
        return f"No occupation has any caprice with {model} here."
    if len(ranked) < FEWEST_OCCUPATIONS:
        return f"The caprice of {model} is largest for “{name}”, {two_decimals(first.caprice_risk)}."
    most, sums = 0, 0.0
    while sums <= whole / 2:
        sums += ranked[most].caprice_risk
        most += 1
    if most == 1:
        return f"With {model}, “{name}” alone has {percent(sums / whole)} of all caprice."
    if most <= FEW * len(ranked):
        named = [
            f"“{called(row.occupation)}” ({percent(row.caprice_risk / whole)})"
            for row in ranked[:most][:MOST_NAMES]
        ]
        named += [f"{most - MOST_NAMES:,} more"] if most > MOST_NAMES else []
        return f"With {model}, only {most:,} occupations have over half of all caprice: {listed(named)}."
    where = f"{most:,} of {len(ranked):,} occupations"
    return f"With {model}, no few stand out: {where} share half of all caprice."


def widest(model: str, report: RiskReport) -> str:
    """Name the occupations with the least and the most prejudice."""
    ranked = sorted(report.occupations, key=lambda row: row.prejudice_risk)
    least, most = ranked[0], ranked[-1]
    low, high = (f"“{called(row.occupation)}” ({two_decimals(row.prejudice_risk)})" for row in (least, most))
    return f"The prejudice of {model} is smallest for {low} and largest for {high}."


def shape_finding(model: str, shape: TailShape) -> str:
    """State the verdict on the tail of caprice and its reasons; empty without any caprice."""
    size, tail = shape.positive.size, shape.tail
    if size == 0:
        return ""
    if shape.verdict == "too few to fit":
        return f"The values of {model} are too few to fit a tail: {size:,} are above 0."
    if not shape.fits:
        return f"The tail of {model} cannot be told: all {size:,} values above 0 are the same."
    if tail is None:
        return (
            f"The tail of {model} cannot be told. No generalised Pareto distribution fits its upper values, "
            "whatever the threshold."
        )
    estimate = (
        f"Its shape is {with_interval(tail.shape, tail.shape_interval)}, where 0 is exponential "
        f"({p_value(tail.p_value)})."
    )
    if shape.verdict == "cannot tell":
        return f"We cannot tell how heavy the tail of {model} is. {estimate} {fitted_to(tail)}"
    span = f"from {two_decimals(float(tail.grid[0]))} to {two_decimals(float(tail.grid[-1]))}"
    lognormal = "" if tail.threshold else _lognormal_sentence(shape)
    return f"The tail of {model} is {shape.verdict}, {span}. {estimate} {fitted_to(tail)}{lognormal}"


def fitted_to(tail: UpperTail) -> str:
    """Say which values the fit of the tail is of: all, or those above the lowest threshold that fits."""
    if not tail.threshold:
        return f"The fit uses all {tail.of:,} values above 0."
    return f"A generalised Pareto distribution fits the {tail.size:,} largest of {tail.of:,} values above 0."


def _lognormal_sentence(shape: TailShape) -> str:
    """Say whether a lognormal distribution fits all values as well; empty where it was not compared."""
    vuong = shape.against("lognormal")
    if vuong is None:
        return ""
    tested = f"(Vuong’s test, {p_value(vuong.p_value)})"
    if vuong.p_value > SIGNIFICANT:
        return f" We cannot tell whether a lognormal distribution fits better {tested}."
    how = "better" if vuong.better == "lognormal" else "worse"
    return f" A lognormal distribution fits {how} {tested}."


def bound_finding(largest: float | None) -> str:
    """Say that caprice is bounded, and what that means for talk of heavy tails."""
    end = "is bounded" if largest is None else f"cannot exceed {number(largest)}"
    return f"Caprice {end}, so its tail must end. “Heavier” and “lighter” hold for the observed range alone."


def normal_finding(model: str, shape: NormalShape) -> str:
    """Say whether prejudice over occupations is compatible with a normal; state its mean and s.d."""
    fit = shape.fit
    spread = (
        f"Its mean is {two_decimals(fit.mean)}, its standard deviation {two_decimals(fit.sd)} over "
        f"{count(fit.n, 'occupation')}"
    )
    values = f"The prejudice of {model}"
    if shape.low is None:
        return f"{values} has too few values, or too similar ones, for a test of normality. {spread}."
    outside = (
        f"{f'{shape.outside:,}' if shape.outside else 'none'} of them "
        f"{'lie' if shape.outside > 1 else 'lies'} outside the normal band"
    )
    if shape.statistic is None or shape.p_value is None:
        return f"{values} is not tested for normality. {spread}; {outside}."
    tested = f"(Shapiro–Wilk, {p_value(shape.p_value)})"
    if shape.p_value <= SIGNIFICANT:
        return f"{values} does not follow a normal distribution {tested}. {spread}; {outside}."
    return f"{values} may follow a normal distribution {tested}. {spread}; {outside}."
