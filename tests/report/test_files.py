"""Tables as CSV: no cell is a formula, whatever the texts; and nothing else changes."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.material.safety.text import FORMULA_STARTS
from pcf_core.report.files import csv_text, guarded, spreadsheet_safe, write_csv

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
