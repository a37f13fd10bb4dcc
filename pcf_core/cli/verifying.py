"""``verify``: whether a report says what the cache says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcf_core.cli.console import give, open_store
from pcf_core.cli.exporting import kept_texts
from pcf_core.cli.options import JsonOption
from pcf_core.core.errors import InputError

if TYPE_CHECKING:  # plotly and pandas: most commands draw nothing
    from pcf_core.report.verifying import Verification

MOST_LINES = 20
DIFFERS = 1


def verify(
    file: Annotated[Path, typer.Argument(help="a report as JSON, as export or the page Report writes it")],
    weights: Annotated[
        str | None, typer.Option(help="the CSV file of weights of a report that was written with one")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Compute a report's numbers again from the cache and say what differs: exit 0 nothing, 1 something."""
    from pcf_core.report.verifying import verify_report
    from pcf_core.report.written import read_report

    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}; give the path of a report.") from error
    reported = read_report(data)
    store = open_store()
    found = verify_report(store, reported, kept_texts(store, reported.request), weights)

    def lines() -> list[str]:
        return [*version_lines(found), *result_lines(found, bool(reported.runs))]

    give(found.model_dump(mode="json") | {"holds": found.holds}, as_json, lines)
    return 0 if found.holds else DIFFERS


def version_lines(found: Verification) -> list[str]:
    """Say what wrote the report and what has read it, where these are not the same."""
    return [
        f"{name}: {then} wrote the report, {now} reads it" for name, (then, now) in found.versions.items()
    ]


def result_lines(found: Verification, of_runs: bool) -> list[str]:
    """Say what came of it.

    A report without runs has kept results alone, of which nothing is computed again.
    """
    if found.problem:
        return [f"The report cannot be computed again. {found.problem}"]
    if found.holds:
        how = "computed again" if of_runs else "compared with the kept results of its text audits"
        return [f"Nothing differs: {found.compared:,} texts and numbers were {how}."]
    told = [
        f"{one.path}: reported {one.reported!r}, recomputed {one.recomputed!r}"
        for one in found.differences[:MOST_LINES]
    ]
    more = found.different - len(told)
    return [
        f"{found.different:,} of {found.compared:,} texts and numbers differ.",
        *told,
        *([f"… and {more:,} more; --json tells up to a thousand."] if more > 0 else []),
    ]
