"""Sentences about whole models: how much risk, which parts, and how several compare."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.core.risk import Interval, Over, RiskReport
from pcf_core.show.findings.looks import contexts
from pcf_core.show.findings.numbers import (
    count,
    listed,
    number,
    people,
    percent,
    two_decimals,
    with_interval,
)
from pcf_core.show.findings.numbers import risk_with_interval as written

DRAWN = {
    "template": "whole templates were drawn again, each as likely as any other",
    "document": "counts only were drawn again, as other documents would give them, and no other kinds of "
    "contexts",
    "mention": "counts only were drawn again, each mention as if it were independent, and no other kinds of "
    "contexts",
    "draw": "templates were drawn by a sampling plan",
}
UNITS = {
    "template": "templates",
    "document": "counts only (documents)",
    "mention": "counts only (mentions)",
    "draw": "draws of the sampling plan",
    "occupation": "occupations",
}


UNTESTED = "The page Compare tests which of them differ."


def risk_finding(model: str, report: RiskReport, over: Over = "templates") -> str:
    """State R with its interval, over what, and how it splits into prejudice and caprice."""
    sentence = (
        f"The discrimination risk of {model} is {risk_with_interval(report, over)} "
        f"over {count(len(report.occupations), 'occupation')} "
        f"and {contexts(len(report.templates), report.sampling)}"
    )
    if report.overall_risk <= 0:
        return f"{sentence}."
    spread = f"The stereotype has a standard deviation of {report.stereotype_sd:.2f}"
    if report.caprice_risk == 0:
        return (
            f"{sentence}; all of it is prejudice{shared_text(report)}, because {no_caprice(report)} over the "
            f"templates. {spread}, averaged over occupations. {unseen_note(report)}"
        )
    share = report.prejudice_risk / report.overall_risk
    corrected = ", both corrected for the draw" if report.corrected and report.corrected.headline else ""
    return (
        f"{sentence}; {percent(share)} of it is prejudice ({part_text(report, 'prejudice_risk', over)}"
        f"{shared_text(report)}) "
        f"and {percent(1 - share)} is caprice ({part_text(report, 'caprice_risk', over)}){corrected}. "
        f"{spread}."
    )


def shared_text(report: RiskReport) -> str:
    """Say how much of prejudice all occupations share; empty where that is not known."""
    if report.lean is None or len(report.occupations) < 2:
        return ""
    return f", {two_decimals(report.lean.common)} of it shared by all occupations"


def no_caprice(report: RiskReport) -> str:
    """Say what a caprice of exactly 0 says of all occupations.

    J is linear where no stereotype changes its sign (l1), or where the same group has the largest one (else).
    """
    if len(report.groups) == 2:
        return "no occupation's stereotype changes its sign"
    if adds_up(report):
        return "no group's stereotype changes its sign for any occupation"
    return "no occupation's leading group changes"


def adds_up(report: RiskReport) -> bool:
    """Tell whether the criterion is the sum of the positive stereotypes, l1."""
    return report.criterion.startswith("l1,")


def interval_sentence(interval: Interval, of: str = "") -> str:
    """Say what an interval allows for, and what was resampled to find it.

    ``of`` names the figures that have it, where a page shows others too.
    """
    level = f"{percent(interval.level)}{f' for {of}' if of else ''}"
    if interval.over == "occupations":
        return f"Intervals of {level} over occupations: these were drawn again, in the same contexts."
    held = "the occupations stay" if interval.over == "templates" else "and so were the occupations"
    over = "templates" if interval.over == "templates" else "templates and occupations"
    return f"Intervals of {level} over {over}: {DRAWN[interval.unit]}; {held}."


def drawn_again(interval: Interval) -> str:
    """Say what was resampled for an interval: "documents", "documents and occupations"."""
    return UNITS[interval.unit] + (" and occupations" if interval.over == "both" else "")


def whiskers_note(drawn: Mapping[str, str]) -> str:
    """Say for which of a picture's rows what was resampled; empty where no row has an interval.

    Parameters
    ----------
    drawn
        Per row, see :func:`drawn_again`.
    """
    rows: dict[str, list[str]] = {}
    for name, what in drawn.items():
        rows.setdefault(what, []).append(name)
    if len(rows) < 2:
        return "".join(f"Whiskers: {what} drawn again for every run." for what in rows)
    ranked = sorted(rows.items(), key=lambda item: len(item[1]))
    parts = [f"{what} for {listed(names)}" for what, names in ranked[:-1]]
    return f"Drawn again for the whiskers: {'; '.join(parts)}; {ranked[-1][0]} for all others."


def whole_templates_finding(intervals: Mapping[str, Interval]) -> str:
    """Say how far R may move if whole templates are drawn again, which counts only do not allow for.

    Parameters
    ----------
    intervals
        Of R, per model whose intervals are shown over counts only; none gives no sentence.
    """
    if not intervals:
        return ""
    parts = [f"{ends_of(interval)} for {model}" for model, interval in intervals.items()]
    return (
        f"With whole templates drawn again, the interval of R is {listed(parts)}: it allows for other kinds "
        "of contexts too."
    )


def ends_of(interval: Interval) -> str:
    """Write the ends of an interval alone: "0.673–0.736"."""
    return with_interval(interval.high, interval).partition(" ")[2].strip("()")


def caprice_interval(report: RiskReport, over: Over = "templates") -> str:
    """Write the bounds of R^c as they stand beside it: "0.05–0.07"; what may be unseen where both are 0."""
    interval = report.interval("caprice_risk", over) or report.interval("caprice_risk")
    bounds = with_interval(report.caprice_risk, interval).partition(" ")[2].strip("()")
    return unseen_words(unseen_share(report.effective_templates)) if bounds == "0–0" else bounds


def unseen_words(share: float) -> str:
    """Say what stands in place of a caprice's interval from 0 to 0.

    ``share``: see :func:`unseen_share`.
    """
    return f"in no context here; up to {percent(share)} of contexts may be unseen"


def unseen_share(effective: float) -> float:
    """Return the largest share of all contexts that so many effective templates can miss.

    It is with 95 % confidence.

    A kind of context that makes up the share q of all is in none of n draws with the chance (1 − q)^n, which
    is 5 % at q = 1 − 0.05^(1/n).
    """
    return float(1 - 0.05 ** (1 / effective))


def unseen_note(report: RiskReport) -> str:
    """Say what templates without caprice leave open: the share of contexts that may be otherwise."""
    effective = round(report.effective_templates, 1)
    share = unseen_share(report.effective_templates)
    return (
        f"Contexts in which one does cannot be excluded: {number(effective)} effective "
        f"{'template' if effective == 1 else 'templates'}, drawn at random, can miss a kind of context that "
        f"makes up as much as {percent(share)} of all (95 % confidence)."
    )


def overview_finding(
    reports: Mapping[str, RiskReport], over: Over = "templates", order: str = UNTESTED
) -> str:
    """State the risk of each model, and the strongest lean over all of them.

    ``order``: what is said of several models' order, see :func:`pcf_core.show.findings.order.order_finding`.
    """
    if not reports:
        return "No model has been scored yet."
    risks = {model: risk_with_interval(report, over) for model, report in reports.items()}
    if len(risks) == 1:
        sentence = "".join(f"The discrimination risk of {model} is {risk}." for model, risk in risks.items())
    else:
        sentence = f"The risk is {listed([f'{risk} for {model}' for model, risk in risks.items()])}. {order}"
    leans = [
        (value, group, row.occupation, model)
        for model, report in reports.items()
        for row in report.occupations
        for group, value in row.stereotype.items()
    ]
    value, group, occupation, model = max(leans)
    if value <= 0:
        return sentence
    return (
        f"{sentence} {model} leans most: for “{occupation}” towards {people(group)}, by "
        f"{two_decimals(value)}."
    )


def risk_with_interval(report: RiskReport, over: Over = "templates") -> str:
    """Write R and its interval over what is asked for, or the first there is."""
    return written(report.overall_risk, shown_interval(report, "overall_risk", over))


def part_text(report: RiskReport, quantity: str, over: Over) -> str:
    """Write a risk or a part of it without its interval."""
    return two_decimals(getattr(report, quantity))


def shown_interval(report: RiskReport, quantity: str, over: Over) -> Interval | None:
    """Return the interval over what is asked for, or the first there is."""
    return report.interval(quantity, over) or next(iter(report.intervals.get(quantity, ())), None)
