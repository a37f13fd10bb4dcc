"""A risk report as a JSON document, the shape of ``risk RUN --json`` (schema in docs/cli.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pcf_core.records import Interval, RiskReport


def report_document(report: RiskReport) -> dict[str, Any]:
    """Plain dictionaries, lists, numbers and texts; NaN and infinities become null."""
    document = {
        "overall_risk": report.overall_risk,
        "prejudice_risk": report.prejudice_risk,
        "caprice_risk": report.caprice_risk,
        "corrected": None,
        "effective_templates": report.effective_templates,
        "criterion": report.criterion,
        "intervals": intervals_document(report.intervals),
        "groups": list(report.groups),
        "templates": [
            {"template": text, "weight": float(weight)}
            for text, weight in zip(report.templates, report.template_weights, strict=True)
        ],
        "occupations": [
            {
                "occupation": row.occupation,
                "weight": row.weight,
                "overall_risk": row.overall_risk,
                "prejudice_risk": row.prejudice_risk,
                "caprice_risk": row.caprice_risk,
                "stereotype_sd": row.stereotype_sd,
                "stereotype": dict(row.stereotype),
                "preferences": dict(row.preferences),
                "intervals": intervals_document(row.intervals),
            }
            for row in report.occupations
        ],
        "left_out": [item.model_dump() for item in report.left_out],
        "warnings": list(report.warnings),
    }
    return finite(document)  # type: ignore[no-any-return]


def intervals_document(intervals: Mapping[str, tuple[Interval, ...]]) -> dict[str, Any]:
    return {name: [interval.model_dump() for interval in several] for name, several in intervals.items()}


def finite(value: Any) -> Any:
    """The same value with every number JSON cannot write as null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return value
