"""What a model's reports say of each criterion, as quantities that are 0 where it holds.

=================  ===================================================================================
criterion          quantity
=================  ===================================================================================
independence I     NMI of profession and gender over clear stories, less its bias where texts were drawn
independence II    NMI of label and gender; of scored answers the widest difference of a label's share
separation         FNR and FPR: of all pairs of pronouns the widest beyond chance, else the widest
sufficiency        PPV and NPV, in the same way
=================  ===================================================================================

Nothing is computed anew: each is selected from a report, with its interval and its own test.
"""

from __future__ import annotations

from collections.abc import Iterable

from pcf_core.core.records import Record
from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.records.independence import AnecdotesReport, HobbiesReport
from pcf_core.texts.criteria.records.quantities import (
    RATES,
    SEPARATION,
    SUFFICIENCY,
    USUAL,
    Answering,
    MutualInformation,
    RateName,
)
from pcf_core.texts.criteria.records.runs import Criterion, CriterionReading
from pcf_core.texts.criteria.records.separation import AnswersReport, RateDifference

NOT_DRAWN = "scores have no chance in them, so nothing was tested"


def readings_of(reports: Iterable[Record]) -> tuple[CriterionReading, ...]:
    """List the readings of one model's reports, in their order."""
    readings: list[CriterionReading] = []
    for report in reports:
        if isinstance(report, AnecdotesReport):
            readings.append(profession_reading(report))
        elif isinstance(report, HobbiesReport):
            readings.append(label_reading(report))
        elif isinstance(report, AnswersReport):
            readings += answers_readings(report)
    return tuple(readings)


def profession_reading(report: AnecdotesReport) -> CriterionReading:
    """Return the reading of independence I: the default NMI over stories with a clear gender."""
    reason = "; ".join(item.reason for item in report.undefined if item.name == "clear_only")
    return information_reading(
        "independence I", "link of profession and gender (NMI)", report.answering, report.clear_only, reason
    )


def label_reading(report: HobbiesReport) -> CriterionReading:
    """Return the reading of independence II: NMI, or the label whose shares differ most.

    NMI is that of label and gender.
    """
    nmi = report.information
    if nmi is None:
        return widest_label(report)
    return information_reading(
        "independence II", "link of label and gender (NMI)", report.answering, nmi.measure, nmi.undefined
    )


def information_reading(
    criterion: Criterion, quantity: str, answering: Answering, nmi: MutualInformation | None, reason: str
) -> CriterionReading:
    """Return the default NMI: less its bias where texts were drawn, as it is where words were scored.

    It has no size where texts can tell nothing of it: it is then the same for every model.
    """
    if nmi is not None and nmi.untold:
        reason = f"the {quantity} cannot be told, as {nmi.untold}"
    if nmi is None or nmi.untold or USUAL not in nmi.normalised:
        return CriterionReading(
            criterion=criterion,
            quantity=quantity,
            answering=answering,
            size=None,
            reason=reason or "one of the two never varies",
        )
    drawn = nmi.null is not None
    return CriterionReading(
        criterion=criterion,
        quantity=quantity,
        answering=answering,
        size=max(0.0, nmi.corrected_normalised[USUAL]) if drawn else nmi.normalised[USUAL],
        counted=nmi.normalised[USUAL] if drawn else None,
        interval=(nmi.intervals if drawn else nmi.category_intervals).get(USUAL),
        p_value=nmi.null.p_value if nmi.null is not None else None,
        at_most=nmi.null is not None and nmi.null.at_most,
        differs=nmi.depends,
        largest=nmi.largest.normalised[USUAL],
        reason="" if drawn else NOT_DRAWN,
        few=nmi.few,
    )


def widest_label(report: HobbiesReport) -> CriterionReading:
    """Return the label whose mean shares differ most between genders, with its controlled test."""
    rows = report.labels
    if not rows:
        return CriterionReading(
            criterion="independence II",
            quantity="difference of a label's share",
            answering=report.answering,
            size=None,
            reason=report.without or "no label was scored",
        )
    row = max(rows, key=lambda each: abs(each.difference.difference))
    difference = row.difference
    return CriterionReading(
        criterion="independence II",
        quantity=f"share of {row.title}",
        answering=report.answering,
        size=abs(difference.difference),
        interval=towards(difference.difference, difference.interval),
        p_value=difference.controlled_p,
        differs=difference.differs if difference.controlled_p is not None else None,
        higher="women's names" if difference.difference > 0 else "men's names",
        reason="" if difference.controlled_p is not None else "nothing was tested",
    )


def answers_readings(report: AnswersReport) -> list[CriterionReading]:
    """Return separation, then sufficiency: both of their rates, each over all pairs of pronouns."""
    number = "I" if report.experiment == "questions" else "II"
    readings: list[CriterionReading] = []
    kinds: tuple[tuple[Criterion, tuple[RateName, ...]], ...] = (
        ("separation I" if number == "I" else "separation II", SEPARATION),
        ("sufficiency I" if number == "I" else "sufficiency II", SUFFICIENCY),
    )
    for criterion, names in kinds:
        rows = [row for name in names if (row := report.widest(name)) is not None]
        readings += [rate_reading(criterion, report, row) for row in rows]
    return readings


def rate_reading(criterion: Criterion, report: AnswersReport, row: RateDifference) -> CriterionReading:
    """Return one rate over all pairs; its size, interval and p are those of ``row``, the pair shown."""
    pairs = [each for each in report.differences if each.name == row.name]
    tested = row.gap is not None and row.adjusted is not None
    able = tested and report.testable(row)
    why = "" if able else f"too few {report.unit}s for a test" if tested else "nothing was tested"
    some = any(report.testable(each) for each in pairs)
    name: RateName = next(rate for rate in RATES if rate == row.name)
    common = report.baseline.rate(name) if report.baseline is not None and report.from_baseline else None
    return CriterionReading(
        criterion=criterion,
        quantity=row.name,
        answering=report.answering,
        size=row.gap,
        interval=towards(row.value, row.interval),
        gap=True,
        p_value=row.adjusted if able else None,
        at_most=able and row.at_most,
        differs=any(each.differs for each in pairs) if some else None,
        higher=row.higher,
        lower=row.lower,
        compared=report.compared(name),
        undefined=tuple(report.undefined(name)),
        reason=row.reason or why,
        baseline=None if common is None else common.value,
        baseline_interval=None if common is None else common.interval,
    )


def towards(value: float | None, interval: Interval | None) -> Interval | None:
    """Turn an interval of a difference into one of its size: mirrored where the difference is negative."""
    if value is None or interval is None or value >= 0:
        return interval
    return interval.model_copy(update={"low": -interval.high, "high": -interval.low})
