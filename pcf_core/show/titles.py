"""Titles of charts: what a chart shows, in about 60 characters.

A title claims no more than the page's answer; if that is uncertain or too long, it is "".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pcf_core.core.risk import AxisPoint, Comparison, RiskReport
from pcf_core.show.charts.theme import columns
from pcf_core.show.compare import Lean, Standing
from pcf_core.show.findings.models import FEW, FEWEST_OCCUPATIONS, fewest_with_half
from pcf_core.show.wording import sentences

LONGEST = 66  # columns of a title: two lines of a telephone, one of any other screen

say = sentences("titles")


def whom_title(leans: Sequence[Lean]) -> str:
    """Say whom models prefer, by occupation; "" unless one sentence says it about all of them."""
    if not leans or any(lean.says_little for lean in leans):
        return ""
    if len(leans) == 1:
        return _fitting(say("whom_one", lean=leans[0]))
    if any(lean.near_even or not lean.favoured for lean in leans):
        return ""
    if len({lean.favoured for lean in leans}) == 1:
        least = min(leans, key=lambda lean: lean.led / lean.occupations)
        return _fitting(say("whom_all", lean=least, models=len(leans)))
    return _fitting(say("whom_each", leans=leans)) or say("whom_differ", models=len(leans))


def risk_title(standing: Standing | None, ties: Mapping[str, Collection[str]] | None = None) -> str:
    """Say which model has the higher risk in these sentences, or that this may be chance; else "".

    ``standing``: of two models, or of those with the lowest and highest risk, whose ``ties`` are then given.
    """
    if standing is None or not standing.lower:
        return say("no_order") if standing is not None and standing.outcome == "unclear" else ""
    lower, higher = standing.lower, standing.higher
    if ties is None:
        return _fitting(say("higher_risk", higher=higher))
    if not ties[higher]:
        return _fitting(say("highest_risk", model=higher))
    return "" if ties[lower] else _fitting(say("lowest_risk", model=lower))


def caprice_title(reports: Mapping[str, RiskReport]) -> str:
    """Say in which models few occupations have half of all caprice."""
    if any(report.says_little or len(report.occupations) < FEWEST_OCCUPATIONS for report in reports.values()):
        return ""
    most = {name: fewest_with_half(report) for name, report in reports.items()}
    if not all(most.values()):
        return ""
    few = [name for name, number in most.items() if number <= FEW * len(reports[name].occupations)]
    if 0 < len(few) < len(reports):
        return _fitting(say("few_in_one", model=few[0], number=most[few[0]])) if len(few) == 1 else ""
    return _fitting(say("caprice", few=bool(few), models=list(reports)))


def differences_title(comparison: Comparison, quantity: str) -> str:
    """Count the occupations in which two models differ."""
    surviving = len(comparison.surviving(quantity))
    return (
        say("differences", number=surviving, of=len(comparison.occupations), quantity=quantity)
        if surviving
        else ""
    )


def corrected_title(reports: Mapping[str, RiskReport]) -> str:
    """Say how far the correction for few sentences moves prejudice; "" without one."""
    several = [report.corrected for report in reports.values() if report.corrected]
    by = max((abs(one.prejudice_risk - one.plug_in_prejudice_risk) for one in several), default=None)
    return "" if by is None else say("corrected", by=by, models=len(several))


def axis_title(points: Sequence[AxisPoint], axis: str) -> str:
    """State the lowest and the highest risk along an axis; "" for a single place."""
    places = {point.place for point in points}
    risks = [point.values["overall_risk"] for point in points]
    if len(places) < 2:
        return ""
    return say("axis", low=min(risks), high=max(risks), places=len(places), axis=axis)


def change_title(comparisons: Sequence[Comparison]) -> str:
    """Count the sizes at which alignment raises and lowers the risk."""
    changes = [pair.differences["overall_risk"] for pair in comparisons]
    verdicts = [one.verdict for one in changes if one.ordered]
    return say("change", up=verdicts.count("first"), down=verdicts.count("second"), sizes=len(comparisons))


def _fitting(title: str) -> str:
    return title if columns(title) <= LONGEST else ""
