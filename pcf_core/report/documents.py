"""Runs, comparisons and the journal as JSON documents (their schemas are in docs/cli.md) and as tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pcf_core.audit.baseline import Baseline, OtherScales
from pcf_core.audit.comparing import OtherSentences
from pcf_core.core.risk import (
    Comparison,
    CorrectedRisk,
    Difference,
    Interval,
    Lean,
    NeutralComparison,
    OccupationRisk,
    Over,
    RiskReport,
)
from pcf_core.core.run import Preferences, RunSpec
from pcf_core.report.files import check_target, write_csv, write_whole
from pcf_core.show.findings.comparison import verdict_text
from pcf_core.store.journal import Entry, Journaled

if TYPE_CHECKING:  # a third of a command's start, and most write no table
    import pandas as pd

RISKS = {"overall_risk": "Risk R", "prejudice_risk": "Prejudice", "caprice_risk": "Caprice"}
COLUMNS = tuple(Entry.model_fields)


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
    """Return how much occupations differ by squares, and the split of R by J in three parts."""
    return {
        "mean_square": lean.mean_square,
        "variance": lean.variance,
        "differing": lean.differing,
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


def cell_table(preferences: Preferences, report: RiskReport) -> pd.DataFrame:
    """Make a table with one row per occupation × template × group: probability, weights, coverage.

    Probabilities of the rows of one cell sum to 1; ``coverage`` is empty where it is not defined, and
    ``flagged`` says where it is so small that the probability says little.
    """
    return _cells(preferences, report, [row.occupation for row in report.occupations])


def whole_cell_table(preferences: Preferences, report: RiskReport) -> pd.DataFrame:
    """Make the same of every occupation of the run; one that the report leaves out has no weight."""
    return _cells(preferences, report, preferences.occupations)


def _cells(preferences: Preferences, report: RiskReport, names: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    rows = [preferences.occupations.index(name) for name in names]
    values = preferences.values[rows]
    occupations, templates, groups = values.shape
    coverage = np.full((occupations, templates), np.nan)
    if preferences.coverage is not None:
        coverage = preferences.coverage[rows]
    known = {row.occupation: row.weight for row in report.occupations}
    weights = np.array([known.get(name, np.nan) for name in names])
    return pd.DataFrame(
        {
            "occupation": np.repeat(np.array(names, dtype=object), templates * groups),
            "template": np.tile(np.repeat(np.array(report.templates, dtype=object), groups), occupations),
            "group": np.tile(np.array(preferences.groups, dtype=object), occupations * templates),
            "probability": values.ravel(),
            "occupation_weight": np.repeat(weights, templates * groups),
            "template_weight": np.tile(np.repeat(report.template_weights, groups), occupations),
            "coverage": np.repeat(coverage.ravel(), groups),
            "flagged": np.repeat(preferences.flagged[rows].ravel(), groups),
        }
    )


def occupation_table(report: RiskReport) -> pd.DataFrame:
    """Make a table with one row per occupation: the risks, corrected prejudice, s.d., preferences.

    The three risks have their intervals.

    Intervals are over templates.
    """
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "occupation": row.occupation,
                "weight": row.weight,
                **with_bounds(row, "overall"),
                **with_bounds(row, "prejudice"),
                **with_bounds(row, "caprice"),
                "corrected_prejudice_risk": row.corrected_prejudice_risk,
                "stereotype_sd": row.stereotype_sd,
                **{f"stereotype_{group}": row.stereotype[group] for group in report.groups},
                **{f"preference_{group}": row.preferences[group] for group in report.groups},
            }
            for row in report.occupations
        ]
    )


def with_bounds(row: OccupationRisk, part: str) -> dict[str, float]:
    """Return one risk of an occupation with its interval, a column each; without unknown bounds."""
    bounds = row.intervals.get(f"{part}_risk", ())[:1]
    ends = {f"{part}_{end}": getattr(interval, end) for interval in bounds for end in ("low", "high")}
    return {f"{part}_risk": getattr(row, f"{part}_risk")} | ends


def export_run(
    run: RunSpec, preferences: Preferences, report: RiskReport, out: Path, form: str
) -> list[Path]:
    """Write the cells and the risk report of a run; return the files.

    ``csv`` and ``parquet`` hold one row per occupation × template × group, with the report beside them in
    ``<name>.risk.json``; ``json`` holds both in one document.

    Raises
    ------
    InputError
        ``out`` cannot be a file.
    StoreError
        A file cannot be written.
    """
    check_target(out)
    cells = cell_table(preferences, report)
    document = {"run": run.key, "specification": run.model_dump(), "report": report_document(report)}
    if form == "json":
        records = cells.astype(object).where(cells.notna(), None).to_dict("records")
        write_whole(out, lambda path: path.write_bytes(json_bytes(document | {"cells": records})))
        return [out]
    if form == "parquet":
        write_whole(out, lambda path: cells.to_parquet(path, index=False))
    else:
        write_whole(out, lambda path: write_csv(cells, path))
    beside = out.with_name(out.stem + ".risk.json")
    write_whole(beside, lambda path: path.write_bytes(json_bytes(document)))
    return [out, beside]


def json_bytes(document: object) -> bytes:
    """Write a document as indented JSON in UTF-8."""
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False).encode()


def comparison_document(
    comparison: Comparison, others: Sequence[OtherSentences] = (), scales: OtherScales | None = None
) -> dict[str, Any]:
    """Return plain dictionaries, lists, numbers and texts, the shape of ``compare RUN RUN --json``.

    ``others``: the same two models in other sentences; ``scales``: against other than an even split.
    """
    labour, neutral = (scales.labour, scales.neutral) if scales else (None, None)
    document = {
        "first": asdict(comparison.first),
        "second": asdict(comparison.second),
        "differences": differences_document(comparison.differences),
        "permutations": asdict(comparison.permutations),
        "templates": len(comparison.templates),
        "effective_templates": comparison.effective_templates,
        "criterion": comparison.criterion,
        "groups": list(comparison.groups),
        "occupations": [
            {
                "occupation": row.occupation,
                "weight": row.weight,
                "differences": differences_document(row.differences),
            }
            for row in comparison.occupations
        ],
        "left_out": [item.model_dump() for item in comparison.left_out],
        "warnings": list(comparison.warnings),
        "elsewhere": [
            {
                "templates": other.name,
                "runs": [run.key for run in other.runs],
                "says_little": list(other.little),
                **differences_document({"overall_risk": other.risk}),
            }
            for other in others
        ],
        "labour_force": None if labour is None else differences_document({"risk": labour})["risk"],
        "neutral": None if neutral is None else neutral_document(neutral),
    }
    return finite(document)  # type: ignore[no-any-return]


def neutral_document(neutral: NeutralComparison) -> dict[str, Any]:
    """Return how two runs compare where each is held against its own neutral subjects."""
    return {
        "runs": list(neutral.runs),
        "differences": differences_document(neutral.differences),
        "subjects": [
            {
                "subject": one.subject,
                "preferences": [dict(zip(neutral.groups, shares, strict=True)) for shares in one.shares],
                "distance_without": one.without,
            }
            for one in neutral.subjects
        ],
    }


def differences_document(differences: Mapping[Any, Difference]) -> dict[str, Any]:
    """Return each difference by quantity, with its intervals and tests."""
    return {
        name: {
            "first": found.first,
            "second": found.second,
            "difference": found.value,
            "intervals": [interval.model_dump() for interval in found.intervals],
            "p_value": found.p_value,
            "adjusted_p_value": found.adjusted,
            "verdict": found.verdict,
            "margin": found.margin,
            "negligible": found.negligible,
            "ordered": found.ordered,
        }
        for name, found in differences.items()
    }


def comparison_table(comparison: Comparison, over: Over) -> pd.DataFrame:
    """Make a table with one row per quantity and occupation, the totals first (with no occupation).

    The interval is that over what is asked for, else that over templates, as an occupation has no other;
    the column ``over`` says which it is.
    """
    import pandas as pd

    rows = [("", 1.0, comparison.differences)]
    rows += [(row.occupation, row.weight, row.differences) for row in comparison.occupations]
    return pd.DataFrame(
        [
            {
                "occupation": occupation,
                "weight": weight,
                "quantity": name,
                f"first: {comparison.first.name}": found.first,
                f"second: {comparison.second.name}": found.second,
                "difference": found.value,
                **interval_cells(found.interval(over) or found.interval()),
                "p_value": found.p_value,
                "adjusted_p_value": found.adjusted,
                "verdict": found.verdict,
                "negligible": found.negligible,
                "ordered": found.ordered,
            }
            for occupation, weight, differences in rows
            for name, found in differences.items()
        ]
    )


def interval_cells(interval: Interval | None) -> dict[str, object]:
    """Return the ends of an interval and what it is over; nothing where there is none."""
    if interval is None:
        return {"low": None, "high": None, "over": None}
    return {"low": interval.low, "high": interval.high, "over": interval.over}


def neutral_table(names: tuple[str, str], found: NeutralComparison) -> pd.DataFrame:
    """Make a table of two models against their own neutral subjects, one row per measure, numbers in full."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "measure": measure,
                names[0]: one.first,
                names[1]: one.second,
                "difference": one.value,
                **interval_cells(one.interval()),
                "p_value": one.p_value,
                "verdict": verdict_text(one, *names),
            }
            for measure, one in found.differences.items()
        ]
    )


def several_table(comparisons: Sequence[Comparison], over: Over) -> pd.DataFrame:
    """Make a table with one row per quantity of each comparison, with the interval over what is asked for."""
    import pandas as pd

    return pd.DataFrame(
        [
            several_row(comparison, name, comparison.differences[name], over)
            for comparison in comparisons
            for name in RISKS
        ]
    )


def several_row(comparison: Comparison, name: str, found: Difference, over: Over) -> dict[str, object]:
    """Make the row of one quantity of a comparison."""
    first, second = comparison.first.name, comparison.second.name
    return {
        "first": first,
        "second": second,
        "quantity": RISKS[name],
        "first_value": found.first,
        "second_value": found.second,
        "difference": found.value,
        **interval_cells(found.interval(over)),
        "p_value": found.p_value,
        "adjusted_p_value": found.adjusted,
        "verdict": verdict_text(found, first, second),
    }


def journal_table(found: Journaled) -> pd.DataFrame:
    """Make a row an entry, the newest first."""
    import pandas as pd

    rows = [entry.model_dump() for entry in reversed(found.entries)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def journal_document(found: Journaled) -> dict[str, Any]:
    """Return the shape of ``journal --json`` (docs/cli.md), the oldest entry first."""
    return {
        "entries": [entry.model_dump(mode="json") for entry in found.entries],
        "whole": not found.damage,
        "damage": found.damage or None,
        "last": found.last,
    }
