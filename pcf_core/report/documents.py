"""A risk report as a JSON document, the shape of ``risk RUN --json`` (schema in docs/cli.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pcf_core.audit.baseline import Baseline
from pcf_core.core.risk import CorrectedRisk, Interval, Lean, RiskReport


def report_document(report: RiskReport) -> dict[str, Any]:
    """Return plain dictionaries, lists, numbers and texts; NaN and infinities become null."""
    document = {
        "overall_risk": report.overall_risk,
        "prejudice_risk": report.prejudice_risk,
        "caprice_risk": report.caprice_risk,
        "stereotype_sd": report.stereotype_sd,
        "lean": None if report.lean is None else lean_document(report.lean, report.caprice_risk),
        "corrected": None if report.corrected is None else corrected_document(report.corrected),
        "sampling": None if report.sampling is None else report.sampling.model_dump(mode="json"),
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
                "corrected_prejudice_risk": row.corrected_prejudice_risk,
                "stereotype_sd": row.stereotype_sd,
                "stereotype": dict(row.stereotype),
                "preferences": dict(row.preferences),
                "intervals": intervals_document(row.intervals),
            }
            for row in report.occupations
        ],
        "left_out": [item.model_dump() for item in report.left_out],
        "warnings": list(report.warnings),
        "coverage": None if report.coverage is None else report.coverage.model_dump(mode="json"),
        "self_audit": None if report.self_audit is None else report.self_audit.model_dump(mode="json"),
    }
    return finite(document)  # type: ignore[no-any-return]


def lean_document(lean: Lean, caprice: float) -> dict[str, Any]:
    """Return R in three parts: what occupations share, what differs between them, what changes by context."""
    return {
        "common_lean": lean.common,
        "specific_lean": lean.specific,
        "caprice_risk": caprice,
        "intervals": intervals_document(lean.intervals),
    }


def baseline_document(baseline: Baseline) -> dict[str, Any]:
    """Return what a model expects of neutral subjects, and how far its occupations are from that."""
    intervals = {"lean": baseline.lean_interval, "overall_risk": baseline.interval("overall_risk")}
    around = {
        name: {group: dumped(baseline.intervals[name, group]) for group in baseline.preferences}
        for name in ("spread", "distance")
    }
    document = {
        "run": baseline.run,
        "subjects": list(baseline.subjects),
        "preferences": dict(baseline.preferences),
        "lean": baseline.lean,
        "overall_risk": baseline.overall_risk,
        "spread": dict(baseline.spread),
        "distance": dict(baseline.distance),
        "around": {"overall_risk": dumped(baseline.intervals["overall_risk", ""]), **around},
        "intervals": {name: one and one.model_dump() for name, one in intervals.items()},
    }
    return finite(document)  # type: ignore[no-any-return]


def corrected_document(corrected: CorrectedRisk) -> dict[str, Any]:
    """Return the corrected parts, the plug-in ones, and which of the two the report gives first."""
    return {
        "headline": corrected.headline,
        "prejudice_risk": corrected.prejudice_risk,
        "caprice_risk": corrected.caprice_risk,
        "plug_in": {
            "prejudice_risk": corrected.plug_in_prejudice_risk,
            "caprice_risk": corrected.plug_in_caprice_risk,
        },
        "sampling_prejudice": corrected.sampling_prejudice,
    }


def intervals_document(intervals: Mapping[str, tuple[Interval, ...]]) -> dict[str, Any]:
    """Return the intervals of each quantity as plain dictionaries."""
    return {name: dumped(several) for name, several in intervals.items()}


def dumped(several: tuple[Interval, ...]) -> list[dict[str, Any]]:
    """Return the intervals of one quantity as plain dictionaries."""
    return [interval.model_dump() for interval in several]


def finite(value: Any) -> Any:
    """Replace every number that JSON cannot write by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return value
