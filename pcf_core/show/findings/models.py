"""Sentences about whole models: how much risk, which parts, which lean all occupations share, how sure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pcf_core.audit.baseline import Baseline
from pcf_core.core.risk import Interval, Over, RiskReport
from pcf_core.show.findings.numbers import (
    count,
    effective_count,
    ends,
    listed,
    people,
    percent,
    two_decimals,
    with_interval,
)
from pcf_core.show.findings.progress import contexts

DRAWN = {
    "template": "whole templates, each as likely as any other",
    "document": "counts only, as other documents would give them, and no other kinds of sentences",
    "mention": "counts only, each mention as if it were independent, and no other kinds of sentences",
    "draw": "templates, by a sampling plan",
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
    """State R with its interval, over what, what all occupations share of it, then prejudice and caprice."""
    sentence = (
        f"The discrimination risk of {model} is {risk_with_interval(report, over)} "
        f"over {count(len(report.occupations), 'occupation')} "
        f"and {contexts(len(report.templates), report.sampling)}."
    )
    if report.overall_risk <= 0:
        return sentence
    if (common := common_lean(report)) is not None:
        sentence += f" All occupations share {two_decimals(common)} of it."
    spread = f"The stereotype has a standard deviation of {two_decimals(report.stereotype_sd)}"
    if report.caprice_risk == 0:
        return (
            f"{sentence} All of it is prejudice: {no_caprice(report)} over the templates. "
            f"{spread}, averaged over occupations. {unseen_note(report)}"
        )
    share = report.prejudice_risk / report.overall_risk
    corrected = ", both corrected for the draw" if report.corrected and report.corrected.headline else ""
    return (
        f"{sentence} In all, {percent(share)} is prejudice ({two_decimals(report.prejudice_risk)}) and "
        f"{percent(1 - share)} is caprice ({two_decimals(report.caprice_risk)}){corrected}. {spread}."
    )


def common_lean(report: RiskReport) -> float | None:
    """Return how much of R all occupations share; ``None`` where it is not known or there is one alone."""
    return report.lean.common if report.lean is not None and len(report.occupations) > 1 else None


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
    level = f"{percent(interval.level)} ranges{f' of {of}' if of else ''}"
    if interval.over == "occupations":
        return f"The {level} come from resampling the occupations. The sentences stay the same."
    held = "stay the same" if interval.over == "templates" else "are resampled too"
    return f"The {level} come from resampling {DRAWN[interval.unit]}. The occupations {held}."


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
        return "".join(f"The whiskers come from resampling {what}." for what in rows)
    ranked = sorted(rows.items(), key=lambda item: len(item[1]))
    parts = [f"{what} for {listed(names)}" for what, names in ranked[:-1]]
    return f"The whiskers come from resampling {'; '.join(parts)}; {ranked[-1][0]} for all others."


def whole_templates_finding(intervals: Mapping[str, Interval]) -> str:
    """Say how far R may move if whole templates are drawn again, which counts only do not allow for.

    Parameters
    ----------
    intervals
        Of R, per model whose intervals are shown over counts only; none gives no sentence.
    """
    if not intervals:
        return ""
    parts = [f"{ends(interval)} for {model}" for model, interval in intervals.items()]
    return (
        f"Resampling whole templates gives the risk a range of {listed(parts)}. That allows for other kinds "
        "of sentences too."
    )


def unseen_words(share: float) -> str:
    """Say what stands in place of a caprice's interval from 0 to 0.

    ``share``: see :func:`unseen_share`.
    """
    return f"in no sentence here; up to {percent(share)} of sentences may be unseen"


def unseen_share(effective: float) -> float:
    """Return the largest share of all contexts that so many effective templates can miss.

    It is with 95 % confidence.

    A kind of context that makes up the share q of all is in none of n draws with the chance (1 − q)^n, which
    is 5 % at q = 1 − 0.05^(1/n).
    """
    return float(1 - 0.05 ** (1 / effective))


def unseen_note(report: RiskReport) -> str:
    """Say what templates without caprice leave open: the share of contexts that may be otherwise."""
    effective = effective_count(report.effective_templates)
    share = unseen_share(report.effective_templates)
    return (
        "Other sentences may show caprice. "
        f"{effective} effective {'template' if effective == '1' else 'templates'}, drawn at random, "
        f"can miss up to {percent(share)} of all contexts (95 % confidence)."
    )


def overview_finding(
    reports: Mapping[str, RiskReport],
    over: Over = "templates",
    order: str = UNTESTED,
    told: Collection[str] = (),
) -> str:
    """State the risk of each model, once, and what is known of their order.

    Parameters
    ----------
    reports
        By model.
    over
        What the intervals are over.
    order
        What is said of several models' order, see
        :func:`pcf_core.show.findings.comparison.order_finding`.
    told
        The models whose risks that says.
    """
    if not reports:
        return "No model has been scored yet."
    risks = {model: risk_with_interval(report, over) for model, report in reports.items()}
    if len(risks) == 1:
        return "".join(f"The discrimination risk of {model} is {risk}." for model, risk in risks.items())
    rest = [f"{risk} for {model}" for model, risk in risks.items() if model not in told]
    return " ".join([*([f"The risk is {listed(rest)}."] if rest else []), *([order] if order else [])])


def risk_with_interval(report: RiskReport, over: Over = "templates") -> str:
    """Write R and its interval over what is asked for, or the first there is."""
    return with_interval(report.overall_risk, shown_interval(report, "overall_risk", over))


def shown_interval(report: RiskReport, quantity: str, over: Over) -> Interval | None:
    """Return the interval over what is asked for, or the first there is."""
    return report.interval(quantity, over) or next(iter(report.intervals.get(quantity, ())), None)


def corrected_finding(model: str, report: RiskReport) -> str:
    """State plug-in and corrected parts, and what a neutral model would show; empty if not corrected."""
    found = report.corrected
    if found is None:
        return ""
    sentence = " ".join(
        f"Corrected for few templates, the {part} of {model} is {two_decimals(after)}"
        f"{_instead(before, after)}."
        for part, before, after in (
            ("prejudice", found.plug_in_prejudice_risk, found.prejudice_risk),
            ("caprice", found.plug_in_caprice_risk, found.caprice_risk),
        )
    )
    if found.sampling_prejudice is None:
        return sentence
    return (
        f"{sentence} With so few templates, even a model that is neutral on average would show a prejudice "
        f"of {two_decimals(found.sampling_prejudice)}."
    )


def lean_finding(model: str, report: RiskReport) -> str:
    """Say how a risk splits into three parts, the shared one first; empty where that is not known."""
    if report.lean is None:
        return ""
    return (
        f"The risk of {model} is {two_decimals(report.overall_risk)}. All occupations share "
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
    away = with_interval(found.distance[widest], found.interval("distance", over, widest))
    apart = with_interval(found.spread[widest], found.interval("spread", over, widest))
    risk = with_interval(found.overall_risk, found.interval("overall_risk", over))
    return (
        f"Where no occupation is named (a person, a citizen), {model} gives {listed(parts)}. "
        f"Measured from there, its risk is {risk}. "
        f"Its occupations lie {away} from there{of_which}, and {apart} from their own mean."
    )


def neutral_risks_finding(risks: Mapping[str, float]) -> str:
    """Say what several models' risks are when measured from neutral subjects; empty for fewer than two.

    ``risks``: by model.
    """
    if len(risks) < 2:
        return ""
    parts = [f"{two_decimals(risk)} for {model}" for model, risk in risks.items()]
    return f"Measured from what each model expects of a person, the risk is {listed(parts)}."


def _instead(before: float, after: float) -> str:
    """Say what the figure is without the correction."""
    same = two_decimals(before) == two_decimals(after)
    return ", as without the correction" if same else f" instead of {two_decimals(before)}"
