"""Runs, comparisons and the journal as JSON documents (schemas in docs/cli.md) and as tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pcf_core.audit.baseline import Baseline, OtherScales
from pcf_core.audit.by_slot import BySlot
from pcf_core.audit.comparing import OtherSentences
from pcf_core.core.records import Record
from pcf_core.core.risk import (
    Comparison,
    CorrectedRisk,
    Difference,
    Interval,
    Lean,
    NeutralComparison,
    Over,
    RiskReport,
    SampledRisk,
)
from pcf_core.core.run import Preferences, RunSpec
from pcf_core.models.scoring.base import has_right_text
from pcf_core.report.files import check_target, write_csv, write_whole
from pcf_core.show.findings.comparison import verdict_text
from pcf_core.store.journal import Entry, Journaled

if TYPE_CHECKING:  # slow to import, and most commands write no table
    import pandas as pd

RISKS = {"overall_risk": "Risk R", "prejudice_risk": "Prejudice", "caprice_risk": "Caprice"}


def finite(value: Any) -> Any:
    """Return a value for JSON: records become dictionaries, arrays lists, NaN and infinities null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Record):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


def picked(record: object, *names: str) -> dict[str, Any]:
    """Return fields and properties of a record by name, in this order."""
    return {name: getattr(record, name) for name in names}


def report_document(report: RiskReport) -> dict[str, Any]:
    """Return a report in the shape of ``risk --json`` (docs/cli.md)."""
    weights = zip(report.templates, report.template_weights.tolist(), strict=True)
    document = {
        **picked(report, *RISKS, "context_caprice", "wording_caprice", "stereotype_sd"),
        "reliable": not report.says_little,
        "lean": report.lean and _lean_document(report.lean, report.caprice_risk),
        "corrected": report.corrected and _corrected_document(report.corrected),
        **(
            {}
            if report.sampled is None
            else picked(report.sampled, "uncorrected") | {"sampled": report.sampled}
        ),
        **picked(report, "sampling", "effective_templates", "criterion", "intervals", "groups"),
        "templates": [{"template": text, "weight": weight} for text, weight in weights],
        "occupations": [
            picked(row, "occupation", "weight", *RISKS, "corrected_prejudice_risk", "stereotype_sd")
            | picked(row, "stereotype", "preferences", "intervals")
            for row in report.occupations
        ],
        **picked(report, "left_out", "warnings", "coverage", "self_audit"),
        **({} if report.caprice_coverage is None else picked(report, "caprice_coverage")),
        **({} if report.forbidden is None else {"forbidden": report.forbidden}),
        **({} if report.decisions is None else {"decisions": report.decisions}),
    }
    return finite(document)  # type: ignore[no-any-return]


def _sampled_document(sampled: SampledRisk | None) -> dict[str, Any]:
    if sampled is None:
        return {}
    rest = picked(sampled, "answers", "cells", "left_out", "coverage", "noise_floor")
    return {"uncorrected": sampled.uncorrected, "sampled": rest}


def _lean_document(lean: Lean, caprice: float) -> dict[str, Any]:
    return {
        **picked(lean, "mean_square", "variance", "differing"),
        "common_lean": lean.common,
        "specific_lean": lean.specific,
        "caprice_risk": caprice,
        "intervals": lean.intervals,
    }


def _corrected_document(corrected: CorrectedRisk) -> dict[str, Any]:
    return {
        **picked(corrected, "headline", "prejudice_risk", "caprice_risk"),
        **picked(corrected, "context_caprice", "wording_caprice"),
        "plug_in": {
            "prejudice_risk": corrected.plug_in_prejudice_risk,
            "caprice_risk": corrected.plug_in_caprice_risk,
        },
        "sampling_prejudice": corrected.sampling_prejudice,
    }


def baseline_document(baseline: Baseline) -> dict[str, Any]:
    """Return what a model expects of neutral subjects, and the distance of its occupations."""
    around = {
        name: {group: baseline.intervals[name, group] for group in baseline.preferences}
        for name in ("spread", "distance")
    }
    document = {
        **picked(baseline, "run", "subjects", "preferences", "lean", "overall_risk", "spread", "distance"),
        "around": {"overall_risk": baseline.intervals["overall_risk", ""], **around},
        "intervals": {"lean": baseline.lean_interval, "overall_risk": baseline.interval("overall_risk")},
    }
    return finite(document)  # type: ignore[no-any-return]


def slots_document(slots: BySlot) -> dict[str, Any]:
    """Return the risk of a run by slot."""
    return finite(asdict(slots))  # type: ignore[no-any-return]


def cell_table(preferences: Preferences, report: RiskReport, *, whole: bool = False) -> pd.DataFrame:
    """Make a table with one row per occupation × template × group: probability, weights, coverage.

    Rows of a cell sum to 1.  ``flagged``: coverage is so small that the probability says little.  A column
    ``left_only`` says where coverage is of words given only the text to their left, a column ``forbidden``
    where the model forbids a word, so that there is no probability.  ``whole``: also occupations that the
    report leaves out, without a weight.
    """
    import pandas as pd

    names = preferences.occupations if whole else [row.occupation for row in report.occupations]
    rows = [preferences.occupations.index(name) for name in names]
    values = preferences.values[rows]
    occupations, templates, groups = values.shape
    coverage = np.full((occupations, templates), np.nan)
    if preferences.coverage is not None:
        coverage = preferences.coverage[rows]
    weighted = {row.occupation: row.weight for row in report.occupations}
    weights = np.array([weighted.get(name, np.nan) for name in names])
    left_only = np.array([has_right_text(template) for template in preferences.templates])
    left_only_column = np.tile(np.repeat(left_only, groups), occupations)
    return pd.DataFrame(
        {
            "occupation": np.repeat(np.array(names, dtype=object), templates * groups),
            "template": np.tile(np.repeat(np.array(report.templates, dtype=object), groups), occupations),
            "group": np.tile(np.array(preferences.groups, dtype=object), occupations * templates),
            "probability": values.ravel(),
            "occupation_weight": np.repeat(weights, templates * groups),
            "template_weight": np.tile(np.repeat(report.template_weights, groups), occupations),
            "coverage": np.repeat(coverage.ravel(), groups),
            **({"left_only": left_only_column} if preferences.left_only else {}),
            "flagged": np.repeat(preferences.flagged[rows].ravel(), groups),
            **({} if report.forbidden is None else {"forbidden": np.isnan(values).ravel()}),
        }
    )


def export_run(
    run: RunSpec, preferences: Preferences, report: RiskReport, out: Path, form: str
) -> list[Path]:
    """Write the cells and the risk report of a run; return the files.

    ``csv`` and ``parquet`` have one row per occupation × template × group, and the report beside them in
    ``<name>.risk.json``; ``json`` has both.  Raises InputError for an invalid ``out``, StoreError if writing
    fails.
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
    """Write a document as JSON, the same bytes for the same document; raise ValueError for NaN."""
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False).encode()


def comparison_document(
    comparison: Comparison, others: Sequence[OtherSentences] = (), scales: OtherScales | None = None
) -> dict[str, Any]:
    """Return a comparison in the shape of ``compare RUN RUN --json`` (docs/cli.md)."""
    scales = scales or OtherScales()
    document = {
        "first": asdict(comparison.first),
        "second": asdict(comparison.second),
        "differences": _differences_document(comparison.differences),
        "permutations": asdict(comparison.permutations),
        "templates": len(comparison.templates),
        **picked(comparison, "effective_templates", "criterion", "groups"),
        "occupations": [
            {**picked(row, "occupation", "weight"), "differences": _differences_document(row.differences)}
            for row in comparison.occupations
        ],
        **picked(comparison, "left_out", "warnings"),
        "elsewhere": [
            {
                "templates": other.name,
                "runs": [run.key for run in other.runs],
                "says_little": other.little,
                "overall_risk": _difference_document(other.risk),
            }
            for other in others
        ],
        "labour_force": scales.labour and _difference_document(scales.labour),
        "employment": scales.employment and _difference_document(scales.employment),
        "neutral": scales.neutral and _neutral_document(scales.neutral),
    }
    return finite(document)  # type: ignore[no-any-return]


def _neutral_document(neutral: NeutralComparison) -> dict[str, Any]:
    return {
        "runs": neutral.runs,
        "differences": _differences_document(neutral.differences),
        "subjects": [
            {
                "subject": one.subject,
                "preferences": [dict(zip(neutral.groups, shares, strict=True)) for shares in one.shares],
                "distance_without": one.without,
            }
            for one in neutral.subjects
        ],
    }


def _differences_document(differences: Mapping[Any, Difference]) -> dict[str, Any]:
    return {name: _difference_document(one) for name, one in differences.items()}


def _difference_document(difference: Difference) -> dict[str, Any]:
    return {
        **picked(difference, "first", "second"),
        "difference": difference.value,
        **picked(difference, "intervals", "p_value"),
        "adjusted_p_value": difference.adjusted,
        **picked(difference, "verdict", "margin", "negligible", "ordered", "detectable"),
    }


def comparison_table(comparison: Comparison, over: Over) -> pd.DataFrame:
    """Make a table with one row per quantity and occupation, totals first, intervals over ``over``."""
    import pandas as pd

    rows = [("", 1.0, comparison.differences)]
    rows += [(row.occupation, row.weight, row.differences) for row in comparison.occupations]
    return pd.DataFrame(
        [
            {
                "occupation": occupation,
                "weight": weight,
                "quantity": name,
                f"first: {comparison.first.name}": one.first,
                f"second: {comparison.second.name}": one.second,
                **_difference_cells(one, one.interval(over) or one.interval()),
                **picked(one, "verdict", "negligible", "ordered"),
            }
            for occupation, weight, differences in rows
            for name, one in differences.items()
        ]
    )


def _difference_cells(one: Difference, interval: Interval | None) -> dict[str, Any]:
    return {
        "difference": one.value,
        **_interval_cells(interval),
        "p_value": one.p_value,
        "adjusted_p_value": one.adjusted,
    }


def _interval_cells(interval: Interval | None) -> dict[str, Any]:
    return {**interval_cells("", interval), "over": interval and interval.over}


def interval_cells(before: str, interval: Interval | None) -> dict[str, Any]:
    """Return both ends of an interval as cells, ``before`` in front of their names; empty without one."""
    return {f"{before}low": interval and interval.low, f"{before}high": interval and interval.high}


def neutral_table(names: tuple[str, str], compared: NeutralComparison) -> pd.DataFrame:
    """Make a table of two models against their own neutral subjects, one row per measure, unrounded."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "measure": measure,
                names[0]: one.first,
                names[1]: one.second,
                "difference": one.value,
                **_interval_cells(one.interval()),
                "p_value": one.p_value,
                "verdict": verdict_text(one, *names),
            }
            for measure, one in compared.differences.items()
        ]
    )


def several_table(comparisons: Sequence[Comparison], over: Over) -> pd.DataFrame:
    """Make a table with one row per comparison and quantity, intervals over ``over``."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "first": comparison.first.name,
                "second": comparison.second.name,
                "quantity": label,
                "first_value": one.first,
                "second_value": one.second,
                **_difference_cells(one, one.interval(over)),
                "verdict": verdict_text(one, comparison.first.name, comparison.second.name),
            }
            for comparison in comparisons
            for name, label in RISKS.items()
            for one in [comparison.differences[name]]
        ]
    )


def journal_table(journal: Journaled) -> pd.DataFrame:
    """Make a table with one row per entry, newest first."""
    import pandas as pd

    rows = [entry.model_dump() for entry in reversed(journal.entries)]
    return pd.DataFrame(rows, columns=list(Entry.model_fields))


def journal_document(journal: Journaled) -> dict[str, Any]:
    """Return the journal in the shape of ``journal --json`` (docs/cli.md), oldest entry first."""
    document = {
        "entries": journal.entries,
        "whole": not journal.damage,
        "damage": journal.damage or None,
        "last": journal.last,
    }
    return finite(document)  # type: ignore[no-any-return]
