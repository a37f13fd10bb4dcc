"""Select from a model's reports, for each criterion, the quantities that are 0 where it holds.

=================  ===================================================================================
criterion          quantity
=================  ===================================================================================
independence I     NMI of profession and gender over clear stories, less its bias where texts were drawn
independence II    NMI of label and gender; of scored answers the widest difference of a label's share
separation         FNR and FPR: of all pairs of pronouns the widest beyond chance, else the widest
sufficiency        PPV and NPV, in the same way
=================  ===================================================================================

Also decides the verdict on each criterion, and counts how many fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pcf_core.core.records import Record
from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.records.independence import AnecdotesReport, HobbiesReport
from pcf_core.texts.criteria.records.quantities import (
    SEPARATION,
    SUFFICIENCY,
    USUAL,
    Answering,
    MutualInformation,
    RateName,
)
from pcf_core.texts.criteria.records.runs import CRITERIA, CRITERIA_OF, Criterion, CriterionReading
from pcf_core.texts.criteria.records.separation import AnswersReport, RateDifference

NOT_DRAWN = "scores have no chance in them, so nothing was tested"

Status = Literal["fails", "cannot be shown", "too few", "not tested", "undefined", "not asked"]


def status_of(rows: Iterable[CriterionReading]) -> Status:
    """Return the verdict on one criterion: it fails if one of its readings does.

    ``too few``: too few questions or tasks to show a difference; ``not tested``: no p-value.
    """
    rows = list(rows)
    verdicts = {row.differs for row in rows}
    if not rows:
        return "not asked"
    if True in verdicts:
        return "fails"
    if False in verdicts:
        return "cannot be shown"
    if all(row.size is None for row in rows):
        return "undefined"
    return "too few" if any(row.too_few for row in rows) else "not tested"


@dataclass(frozen=True)
class CriteriaCount:
    """The criteria of one model by verdict."""

    by_status: dict[Status, list[Criterion]]

    @classmethod
    def of(cls, readings: Sequence[CriterionReading]) -> CriteriaCount:
        """Sort the criteria by verdict."""
        by_status: dict[Status, list[Criterion]] = {}
        for criterion in CRITERIA:
            status = status_of(row for row in readings if row.criterion == criterion)
            by_status.setdefault(status, []).append(criterion)
        return cls(by_status)

    def number(self, status: Status) -> int:
        """Return the number of criteria with a verdict."""
        return len(self.by_status.get(status, ()))

    @property
    def asked(self) -> int:
        """The number of criteria with a result."""
        return len(CRITERIA) - self.number("not asked")


def readings_of(reports: Iterable[Record]) -> tuple[CriterionReading, ...]:
    """List the readings of one model's reports."""
    readings: list[CriterionReading] = []
    for report in reports:
        if isinstance(report, AnecdotesReport):
            reason = "; ".join(item.reason for item in report.undefined if item.name == "clear_only")
            quantity = "link of profession and gender (NMI)"
            readings.append(
                _information("independence I", quantity, report.answering, report.clear_only, reason)
            )
        elif isinstance(report, HobbiesReport) and (nmi := report.information) is not None:
            quantity = "link of label and gender (NMI)"
            readings.append(
                _information("independence II", quantity, report.answering, nmi.measure, nmi.undefined)
            )
        elif isinstance(report, HobbiesReport):
            readings.append(_widest_label(report))
        elif isinstance(report, AnswersReport):
            separation, sufficiency = CRITERIA_OF[report.experiment]
            for criterion, names in ((separation, SEPARATION), (sufficiency, SUFFICIENCY)):
                for name in names:
                    if (row := report.widest(name)) is not None:
                        readings.append(_rate(criterion, name, report, row))
    return tuple(readings)


def _information(
    criterion: Criterion, quantity: str, answering: Answering, nmi: MutualInformation | None, reason: str
) -> CriterionReading:
    """Return the default NMI: without its bias if texts were drawn, unchanged if words were scored."""
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


def _widest_label(report: HobbiesReport) -> CriterionReading:
    row = max(report.labels, key=lambda each: abs(each.difference.difference), default=None)
    if row is None:
        return CriterionReading(
            criterion="independence II",
            quantity="difference of a label's share",
            answering=report.answering,
            size=None,
            reason=report.without or "no label was scored",
        )
    difference = row.difference
    return CriterionReading(
        criterion="independence II",
        quantity=f"share of {row.title}",
        answering=report.answering,
        size=abs(difference.difference),
        interval=towards(difference.difference, difference.interval),
        p_value=difference.controlled_p,
        differs=difference.differs,
        higher="women's names" if difference.difference > 0 else "men's names",
    )


def _rate(
    criterion: Criterion, name: RateName, report: AnswersReport, row: RateDifference
) -> CriterionReading:
    """Return one rate over all pairs of pronouns; ``row``: the pair shown."""
    pairs = [each for each in report.differences if each.name == name]
    tested = row.gap is not None and row.adjusted is not None
    able = tested and report.testable(row)
    why = "" if able else f"too few {report.unit}s to show a difference" if tested else "nothing was tested"
    some = any(report.testable(each) for each in pairs)
    common = report.baseline.rate(name) if report.baseline is not None and report.from_baseline else None
    return CriterionReading(
        criterion=criterion,
        quantity=name,
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
        too_few=tested and not some,
        baseline=None if common is None else common.value,
        baseline_interval=None if common is None else common.interval,
    )


def towards(value: float | None, interval: Interval | None) -> Interval | None:
    """Convert the interval of a difference into one of its size."""
    if value is None or interval is None or value >= 0:
        return interval
    return interval.model_copy(update={"low": -interval.high, "high": -interval.low})
