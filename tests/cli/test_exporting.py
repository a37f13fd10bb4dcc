"""``export``: the ending of the file's name chooses the format, and a name that says another is refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from pcf_core.cli.exporting import form_of
from pcf_core.store.store import Store
from tests.command_line import run_here


@pytest.fixture
def keys(full_store: Store) -> list[str]:
    return [info.run.key for info in full_store.own_runs()][:2]


def test_a_report_is_written_as_its_name_ends(keys: list[str], tmp_path: Path) -> None:
    written = {}
    for ending in ("html", "JSON", "zip", "md"):
        out = tmp_path / f"report.{ending}"
        done = run_here("export", *keys, "--sections", "risk", "--out", str(out))
        assert done.returncode == 0, done.stderr
        written[ending] = out
    assert written["html"].read_text(encoding="utf8").startswith("<!doctype html>")
    assert json.loads(written["JSON"].read_text(encoding="utf8"))["request"]["runs"] == keys
    assert any(name.endswith(".csv") for name in zipfile.ZipFile(written["zip"]).namelist())
    assert written["md"].read_text(encoding="utf8").startswith("---\n")


def test_cells_are_written_as_their_name_ends(keys: list[str], tmp_path: Path) -> None:
    tables = []
    for name, read in (
        ("cells.csv", pd.read_csv),
        ("cells.parquet", pd.read_parquet),
        ("cells", pd.read_csv),
    ):
        done = run_here("export", keys[0], "--out", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        tables.append(read(tmp_path / name))
    assert [len(table) for table in tables] == [len(tables[0])] * 3
    assert len(tables[0]) > 0


def test_a_name_that_says_nothing_takes_any_format() -> None:
    assert form_of("card", Path("README.txt")) == "card"
    assert form_of("parquet", Path("tables.zip")) == "parquet"
    assert form_of("pack", Path("runs")) == "pack"
