"""Tables of a run: one row per occupation × template × group, or one per occupation."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pcf_core.errors import InputError, StoreError
from pcf_core.records import OccupationRisk, Preferences, RiskReport, RunSpec
from pcf_core.report.documents import report_document
from pcf_core.report.spreadsheets import write_csv

if TYPE_CHECKING:  # a third of a command's start, and most write no table
    import pandas as pd


def cell_table(preferences: Preferences, report: RiskReport) -> pd.DataFrame:
    """One row per occupation × template × group of the report: probability, weights, coverage.

    Probabilities of the rows of one cell sum to 1; ``coverage`` is empty where it is not defined, and
    ``flagged`` says where it is so small that the probability says little.
    """
    import pandas as pd

    rows = [preferences.occupations.index(row.occupation) for row in report.occupations]
    values = preferences.values[rows]
    occupations, templates, groups = values.shape
    coverage = np.full((occupations, templates), np.nan)
    if preferences.coverage is not None:
        coverage = preferences.coverage[rows]
    weights = np.array([row.weight for row in report.occupations])
    names = np.array([row.occupation for row in report.occupations], dtype=object)
    return pd.DataFrame(
        {
            "occupation": np.repeat(names, templates * groups),
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
    """One row per occupation: the three risks with their intervals, corrected prejudice, s.d., preferences.

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
    """One risk of an occupation with its interval, a column each; no columns for bounds nobody knows."""
    bounds = row.intervals.get(f"{part}_risk", ())[:1]
    ends = {f"{part}_{end}": getattr(interval, end) for interval in bounds for end in ("low", "high")}
    return {f"{part}_risk": getattr(row, f"{part}_risk")} | ends


def check_target(out: Path) -> None:
    """Refuse a place where no regular file can stand.

    Raises:
        InputError: it has no name, its folder is not there, or something else than a file is there.
    """
    try:
        usable = bool(out.name) and out.parent.is_dir() and (out.is_file() or not out.exists())
    except OSError:  # a name that is too long, a folder that may not be looked into
        usable = False
    if not usable:
        raise InputError(f"{str(out)!r} cannot be a file to write; give a file name in a folder that exists.")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file whole or not at all.

    Raises:
        StoreError: the file cannot be written.
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

    Raises:
        InputError: ``out`` cannot be a file.
        StoreError: a file cannot be written.
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
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False).encode()
