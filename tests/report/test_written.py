"""The files of a report: read back, refused, without formulas, the same bytes in every process."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import InputError
from pcf_core.material.safety.text import FORMULA_STARTS
from pcf_core.report.files import csv_text, guarded, spreadsheet_safe, write_csv
from pcf_core.report.panels import table_of
from pcf_core.report.records import Cell, ReportDocument, ReportTable
from pcf_core.report.written import csv_bytes, parquet_bytes, read_report, report_bytes, tables_archive
from tests.command_line import ROOT

cells = st.one_of(
    st.none(),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_an_archive_holds_every_table_and_no_day(whole: ReportDocument, form: str) -> None:
    data = tables_archive(whole, form)  # type: ignore[arg-type]
    assert data == tables_archive(whole, form)  # type: ignore[arg-type]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [f"{table.name}.{form}" for _, table in whole.tables]
        assert archive.namelist() == [*names, "CONTENTS.txt"]
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        for (_, table), name in zip(whole.tables, names, strict=True):
            found = archive.read(name)
            frame = pd.read_csv(io.BytesIO(found)) if form == "csv" else pd.read_parquet(io.BytesIO(found))
            assert list(frame.columns) == list(table.columns)
            assert len(frame) == len(table.rows)


def test_risks_in_the_archive_are_exact(whole: ReportDocument) -> None:
    table = next(table for section, table in whole.tables if section == "risk")
    frame = pd.read_parquet(io.BytesIO(parquet_bytes(table)))
    place = table.columns.index("overall_risk")
    assert frame["overall_risk"].tolist() == [row[place] for row in table.rows]


@pytest.mark.slow
@given(st.lists(st.tuples(cells, st.text(max_size=12)), max_size=8))
def test_no_cell_of_csv_is_run_and_parquet_takes_every_cell(rows: list[tuple[Cell, Cell]]) -> None:
    table = ReportTable(name="t", title="t", columns=("a", "b"), rows=tuple(rows))
    found = pd.read_csv(io.BytesIO(csv_bytes(table)), keep_default_na=False, dtype=str)
    assert len(found) == len(rows)
    texts = [str(cell) for cell in found["b"]]
    assert not any(text.startswith(FORMULA_STARTS) for text in texts)
    assert len(pd.read_parquet(io.BytesIO(parquet_bytes(table)))) == len(rows)


def test_numbers_of_a_frame_stay_numbers() -> None:
    frame = pd.DataFrame({"n": [1, 2], "x": [0.5, float("nan")], "yes": [True, False], "t": ["a", None]})
    assert table_of(frame, "t", "t").rows == ((1, 0.5, True, "a"), (2, None, False, None))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"format": "pcf-audit-report"}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"format": 1}',
    ],
)
def test_what_is_no_report_is_one_sentence(data: bytes) -> None:
    with pytest.raises(InputError, match=r"report"):
        read_report(data)


def test_a_field_too_many_or_of_another_kind_is_refused(whole: ReportDocument) -> None:
    document = json.loads(report_bytes(whole))
    for change in ({"extra": 1}, {"sections": 3}, {"version": 2}):
        with pytest.raises(InputError):
            read_report(json.dumps(document | change).encode())


# Of the shipped runs over the papers' nineteen, in the formats that a report is written in.
WRITE = """
import hashlib
from pcf_core.cli.console import open_store
from pcf_core.cli.exporting import document_of, file_bytes
from pcf_core.report.records import ReportRequest
store = open_store()
request = ReportRequest(runs=("ac20986ee62598d4", "08bba26da567346e"), sections=("risk", "tilt"))
document = document_of(store, request)
for form in ("html", "json", "csv", "parquet", "card"):
    print(form, hashlib.sha256(file_bytes(document, form)).hexdigest())
"""


def hashes(seed: str, cache: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PCF_CACHE": cache, "PCF_SHIPPED_RESULTS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WRITE],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    one, other = (hashes(seed, str(tmp_path_factory.mktemp("cache"))) for seed in ("1", "2"))
    assert len(one.splitlines()) == 5
    assert one == other


TEXTS = st.text(alphabet=st.sampled_from([*FORMULA_STARTS, "'", '"', ",", ";", " ", "a", "é"]), max_size=6)


def rows_of(text: str) -> list[list[str]]:
    """The cells as a reader of CSV has them, which ends a row at any line end outside of quotes."""
    return list(csv.reader(io.StringIO(text, newline="")))


def test_only_texts_that_begin_like_a_formula_get_an_apostrophe() -> None:
    table = pd.DataFrame({"name": ["=1+1", "nurse", "@a", "-b", "a=b"], "value": [-1.0, 2.0, 3.0, 4.0, 5.0]})
    safe = spreadsheet_safe(table)
    assert safe["name"].tolist() == ["'=1+1", "nurse", "'@a", "'-b", "a=b"]
    assert safe["value"].tolist() == [-1.0, 2.0, 3.0, 4.0, 5.0]
    assert table["name"].tolist()[0] == "=1+1"


def test_numbers_among_texts_stay_numbers() -> None:
    table = pd.DataFrame({"value": [-0.5, "-0.5", None, np.float64(-2), -3, float("nan")]}, dtype=object)
    assert csv_text(table).splitlines() == ["value", "-0.5", "'-0.5", '""', "-2.0", "-3", '""']


def test_names_of_columns_are_cells_too() -> None:
    table = pd.DataFrame([[1, "x", 2]], columns=["=cmd", "@a", "=cmd"])
    assert csv_text(table) == "'=cmd,'@a,'=cmd\n1,x,2\n"


def test_a_carriage_return_begins_no_row_of_its_own() -> None:
    """Python writes a cell with a bare carriage return unquoted, and a spreadsheet ends the row there."""
    text = csv_text(pd.DataFrame({"text": ["fine\r=HYPERLINK(1)", "a\r\nb"]}))
    assert rows_of(text) == [["text"], ["fine\n=HYPERLINK(1)"], ["a\nb"]]


def test_words_of_other_kinds_are_looked_at_as_they_are_written() -> None:
    table = pd.DataFrame({"path": [Path("=x")], "kind": pd.Categorical(["-y"]), "yes": [True]})
    assert csv_text(table) == "path,kind,yes\n'=x,'-y,True\n"


@given(
    names=st.lists(TEXTS, min_size=2, max_size=4),
    rows=st.lists(st.tuples(TEXTS, st.floats(allow_nan=False)), max_size=4),
)
def test_no_table_has_a_formula_and_every_text_is_found_again(
    names: list[str], rows: list[tuple[str, float]]
) -> None:
    table = pd.DataFrame([[text, number, *[text] * (len(names) - 2)] for text, number in rows], columns=names)
    header, *written = rows_of(csv_text(table))
    assert len(written) == len(rows)
    for (text, number), cells in zip(rows, written, strict=True):
        assert float(cells[1]) == number
        said = text.replace("\r\n", "\n").replace("\r", "\n")
        for cell in [cells[0], *cells[2:]]:
            assert not cell.startswith(FORMULA_STARTS)
            assert cell.removeprefix("'") == said.removeprefix("'")
    assert not any(name.startswith(FORMULA_STARTS) for name in header)


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_each_sign_is_defused(start: str) -> None:
    cell = guarded(f"{start}cmd|' /C calc'!A0")
    assert isinstance(cell, str)
    assert cell.startswith("'")


def test_a_file_holds_what_the_text_does(tmp_path: Path) -> None:
    table = pd.DataFrame({"=a": ["+b", "c"], "d": [1, 2]})
    write_csv(table, tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_bytes() == csv_text(table).encode()
