"""A report with enough caprice to be fitted, and its fits."""

from __future__ import annotations

from pcf_core.core.risk import RiskReport
from pcf_core.core.tails import NormalShape, TailShape
from pcf_core.measure.tails import normal_shape, tail_shape

from .conftest import occupation, report_of


def many(zeros: int = 5) -> RiskReport:
    """Forty occupations with caprice between 0.01 and 0.4, the largest first, and some without."""
    rows = [
        occupation(f"<{place}>", {"male": 0.3, "female": -0.3}, 0.3 + place / 100, 0.4 / (place + 1))
        for place in range(40)
    ]
    none = [occupation(f"none {place}", {"male": 0.3, "female": -0.3}, 0.2, 0.0) for place in range(zeros)]
    return report_of([*rows, *none], ("male", "female"))


def shape_of(report: RiskReport) -> TailShape:
    return tail_shape([row.caprice_risk for row in report.occupations], 1.0, resamples=19)


def normal_of(report: RiskReport) -> NormalShape:
    return normal_shape([row.prejudice_risk for row in report.occupations], resamples=99)
