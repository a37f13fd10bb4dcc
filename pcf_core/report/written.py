"""A report as JSON that can be verified, and its tables as CSV or Parquet in one archive."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd
from pydantic import ValidationError

from pcf_core.core.errors import InputError
from pcf_core.core.records import first_problem
from pcf_core.report.files import csv_text
from pcf_core.report.records import FORMAT, VERSION, Cell, ReportDocument, ReportTable

LARGEST_REPORT = 256 * 1024 * 1024  # bytes of a JSON file that is read
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first time that an archive can name: the same bytes on every day
PLAIN_FILE = 0o644 << 16
LARGEST_INTEGER = 2**63  # beyond, a whole number is written as a text


def report_bytes(document: ReportDocument) -> bytes:
    """Write the JSON of a report (schema in docs/report.md), the same bytes for the same document."""
    text = json.dumps(document.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False)
    return text.encode() + b"\n"


def read_report(data: bytes) -> ReportDocument:
    """Read a report that :func:`report_bytes` wrote.

    Raises
    ------
    InputError
        It is no report, one of a version that is not known here, has a name twice in one object, or a value
        of another type than the schema's, such as a number as a text.
    """
    if len(data) > LARGEST_REPORT:
        raise InputError(
            f"A report has at most {LARGEST_REPORT // 2**20} MiB, and this file has more: it is no report."
        )
    try:
        found = json.loads(data, object_pairs_hook=each_once)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise InputError(
                "This file is not a report of PCF Audit as JSON: give one that `export … --sections all "
                "--format json` or the page Report has written."
            )
        if found.get("version") != VERSION:
            raise InputError(
                f"This report has the version {str(found.get('version'))[:20]!r}, and {VERSION} is the one "
                "that is known here: write it again with this version of PCF Audit."
            )
        return ReportDocument.model_validate_json(data, strict=True)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ValidationError):
            problem = first_problem(error)  # without what came, which may be anybody's text
            what = f"{problem.where.replace('.', '/')[:100] or 'the document'}: {problem.said}"
        else:
            what = str(error) if isinstance(error, NamedTwice) else "it is not JSON"
        raise InputError(f"This file is not a report that can be read: {what}.") from error


class NamedTwice(ValueError):
    """An object of JSON that has a name twice: readers would not agree on what it says."""


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Check that each name of a JSON object stands there once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        name = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise NamedTwice(f"it has the name {name[:40]!r} twice in one object")
    return found


def tables_archive(document: ReportDocument, form: Literal["csv", "parquet"]) -> bytes:
    """Put every table of a report into one ZIP, a file each, with a list of what they hold; no time in it."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        lines = [f"{document.title}\n"]
        for section, table in document.tables:
            name = f"{table.name}.{form}"
            add(archive, name, csv_bytes(table) if form == "csv" else parquet_bytes(table))
            lines.append(f"{name}: {section}, {table.title}")
        add(archive, "CONTENTS.txt", "\n".join([*lines, ""]).encode())
    return target.getvalue()


def add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Add a file to an archive, with the same time and permissions on every machine."""
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, PLAIN_FILE, 3
    archive.writestr(info, data)


def frame_of(table: ReportTable) -> pd.DataFrame:
    """Return the table as it was computed.

    Whole numbers and truths stay what they are where some are missing.
    """
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    frame = pd.DataFrame({index: series_of(values) for index, values in enumerate(columns)})
    return frame.set_axis(list(table.columns), axis=1)


def series_of(values: Sequence[Cell]) -> pd.Series[Any]:
    """Return one column of one kind: truths, whole numbers, numbers, else texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean")
    if kinds == {int} and all(value is None or abs(int(value)) < LARGEST_INTEGER for value in values):
        return pd.Series(values, dtype="Int64")
    if kinds and kinds <= {int, float}:
        return pd.Series([math.nan if value is None else float(value) for value in values])
    return pd.Series([None if value is None else str(value) for value in values], dtype="object")


def csv_bytes(table: ReportTable) -> bytes:
    """Write CSV whose cells no spreadsheet runs."""
    return csv_text(frame_of(table)).encode()


def parquet_bytes(table: ReportTable) -> bytes:
    """Write Parquet, each column of one kind."""
    target = io.BytesIO()
    frame_of(table).to_parquet(target, index=False)
    return target.getvalue()
