"""Every way in which the product writes a table as text, found in its source: no cell of any is a formula.

What the writers do is tested beside them; what pages really hand out, in tests/pages/test_downloads.py.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

from pcf_core.app.report import CARD, DATA, PRINTED
from pcf_core.report.records import ReportDocument, ReportPart, ReportRequest, ReportSection, ReportTable

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "pcf_core").rglob("*.py")]
# The only files that may write a table as text.  A spreadsheet is safe from both (tests/report/
# test_spreadsheets.py, tests/material/test_template_files.py).
WRITERS = {"pcf_core/report/files.py", "pcf_core/material/template_files.py"}
WRITING = {"to_csv", "to_excel", "to_clipboard", "writer", "DictWriter", "write_csv", "CSVWriter"}
# What may stand in a button, by the kind of file: the functions that write it.
MADE_BY = {
    "text/csv": {"csv_text", "csv_bytes"},
    "application/vnd.apache.parquet": {"to_parquet", "parquet_bytes"},
    "application/toml": {
        "text",  # of a kind of list
        "topic_toml",
        "prompts_toml",
        "plan_toml",
    },
    "application/x-bibtex": {"citation_bibtex"},
    "application/json": {"signoff_bytes"},
    "text/html": {"html_bytes"},  # it escapes every text
    "application/pdf": {"pdf_bytes"},
}


FROM_A_TABLE = "pcf_core/app/report.py"  # its buttons are drawn from a table


def named(call: ast.Call) -> str:
    """The last part of a called name: ``writer`` of ``csv.writer``."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@functools.cache
def nodes() -> tuple[tuple[str, ast.Call | ast.ImportFrom], ...]:
    """Every call and import in the files of the product that could be about tables or downloads."""
    wanted = re.compile("|".join((*WRITING, "download_button", "data_editor")))
    return tuple(
        (str(path.relative_to(ROOT)), node)
        for path in PRODUCT
        if wanted.search(text := path.read_text(encoding="utf8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call | ast.ImportFrom)
    )


def calls() -> list[tuple[str, ast.Call]]:
    return [(file, node) for file, node in nodes() if isinstance(node, ast.Call)]


def test_tables_are_written_as_text_in_two_files_alone() -> None:
    found = {file for file, call in calls() if named(call) in WRITING - {"write_csv"}}
    assert found == WRITERS
    imports = {
        file
        for file, node in nodes()
        if isinstance(node, ast.ImportFrom)
        and {alias.name for alias in node.names} & {"writer", "DictWriter"}
    }
    assert imports == set(), "csv is called by its name, so that this test finds it"


def test_every_button_hands_out_what_a_known_function_writes() -> None:
    buttons = [(file, call) for file, call in calls() if named(call) == "download_button"]
    assert len(buttons) >= 6
    for file, button in buttons:
        if file == FROM_A_TABLE:
            continue
        place = f"{file}:{button.lineno}"
        data, kind = button.args[1], button.args[3]
        assert isinstance(data, ast.Lambda), f"{place}: data is made when it is asked for, not on every run"
        assert isinstance(kind, ast.Constant), f"{place}: its kind is written out"
        assert isinstance(data.body, ast.Call), place
        assert named(data.body) in MADE_BY[str(kind.value)], place


def test_the_files_of_a_report_are_packed_by_what_guards_their_cells() -> None:
    written = {ending: write for _, ending, _, write in (PRINTED, *DATA, CARD)}
    assert set(written) == {".html", ".json", "-csv.zip", "-parquet.zip", ".md"}
    table = ReportTable(name="t", title="T", columns=("=a", "d"), rows=(("+b", -1), ("c", -0.5)))
    document = ReportDocument(
        request=ReportRequest(runs=("a",)),
        title="",
        subtitle="",
        question="",
        headline=(),
        sections=(ReportSection(name="risk", title="Risk", parts=(ReportPart(tables=(table,)),)),),
        runs=(),
        versions={},
    )
    data = written["-csv.zip"](document)
    assert isinstance(data, bytes)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read("t.csv").decode() == "'=a,d\n'+b,-1.0\nc,-0.5\n"


def test_tables_have_no_download_of_streamlits_own() -> None:
    """It writes cells as they are; so does copying, from which a spreadsheet computes formulas as well."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf8"))
    assert config["client"]["disableDataExport"] is True
    assert not [file for file, call in calls() if named(call) == "data_editor"], "it can be copied from"


@pytest.mark.parametrize("line", ["table.to_csv()", "csv.writer(sink)", "frame.to_clipboard()"])
def test_a_new_writer_would_be_found(line: str) -> None:
    (call,) = [node for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call)]
    assert named(call) in WRITING
