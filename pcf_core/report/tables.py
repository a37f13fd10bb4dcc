"""Tables of a run: one row per occupation × template × group, or one per occupation."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pcf_core.core.errors import InputError, StoreError
from pcf_core.core.risk import OccupationRisk, RiskReport
from pcf_core.core.run import Preferences, RunSpec
from pcf_core.report.documents import report_document
from pcf_core.report.spreadsheets import write_csv

if TYPE_CHECKING:  # a third of a command's start, and most write no table
    import pandas as pd


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


def check_target(out: Path) -> None:
    """Refuse a place where no regular file can stand.

    Raises
    ------
    InputError
        It has no name, its folder is not there, or something else than a file is there.
    """
    try:
        usable = bool(out.name) and out.parent.is_dir() and (out.is_file() or not out.exists())
    except OSError:  # a name that is too long, a folder that may not be looked into
        usable = False
    if not usable:
        raise InputError(f"{str(out)!r} cannot be a file to write; give a file name in a folder that exists.")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file whole or not at all.

    Raises
    ------
    StoreError
        The file cannot be written.
    """
    target = path.resolve()
    partial = target.with_name(target.name + ".part")
    try:
        write(partial)
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}; choose another place."
        ) from error


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
