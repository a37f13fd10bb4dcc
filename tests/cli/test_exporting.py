"""``export``: the ending of the file's name chooses the format, and a name that says another is refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from pcf_core.cli.exporting import form_of
from pcf_core.core.settings import Settings
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


def test_a_pack_is_written_to_its_name(keys: list[str], tmp_path: Path) -> None:
    out = tmp_path / "runs.pcfpack"
    assert run_here("export", *keys, "--by", "Ann", "--out", str(out)).returncode == 0
    assert run_here("packs", "verify", str(out)).returncode == 0


def test_a_name_that_says_nothing_takes_any_format() -> None:
    assert form_of("card", Path("README.txt")) == "card"
    assert form_of("parquet", Path("tables.zip")) == "parquet"
    assert form_of("pack", Path("runs")) == "pack"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a", "b", "--format", "csv", "--out", "rep.html"), "--format csv does not fit the name 'rep.html'"),
        (("a", "--format", "html", "--out", "rep.csv"), "--format html does not fit the name 'rep.csv'"),
        (("a", "--format", "json", "--out", "rep.pcfpack"), "let --out end in .json"),
        (("a", "--format", "json", "--out", "rep.zip"), "let --out end in .json"),
        (("a", "--format", "pack", "--out", "rep.zip"), "let --out end in .pcfpack"),
        (("a", "--out", "rep.pdf"), "'rep.pdf' does not say a format"),
        (("a", "b", "--out", "tables.csv"), "come in one ZIP"),
        (("a", "--sections", "all", "--format", "parquet", "--out", "tables.parquet"), "come in one ZIP"),
        (("a", "--out", "cells.zip"), "let --out end in .csv"),
        (("a", "--format", "parquet", "--out", "cells.zip"), "let --out end in .parquet"),
        (("a", "--format", "xml", "--out", "cells.xml"), "--format must be one of csv"),
    ],
)
def test_a_name_that_says_another_format_is_refused(
    own_settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_here("export", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.strip().count("\n") == 0
    assert done.stderr.strip().endswith(".")
    assert list(tmp_path.glob("*.*")) == []
