"""Mappings and sign-offs of a report: the table follows its sections, the statement its bytes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pcf_core.core.errors import InputError
from pcf_core.report.records import SHORT, ReportDocument, ReportRequest
from pcf_core.report.sections.mapping import NO_EVIDENCE
from pcf_core.report.signoff import (
    Decided,
    beside,
    check_signoff,
    make_statement,
    read_signoff,
    write_signoff,
)
from pcf_core.report.verifying import verify_report
from pcf_core.report.whole import Texts, write_report
from pcf_core.report.written import html_bytes, report_bytes, tables_archive
from pcf_core.store.store import Store
from tests.command_line import run_here
from tests.report.test_signatures import listed, make_key

DECIDED = {
    "name": "Ann Lee",
    "role": "head of compliance",
    "decision": "conditions",
    "reason": "The ranges are wide.",
    "conditions": "Only with a person who decides.",
    "date": "2026-11-30",
    "next_review": "2027-05-31",
}


@pytest.fixture(scope="module")
def mapped(filled_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, ReportDocument]:
    cache = tmp_path_factory.mktemp("mapped") / "cache"
    shutil.copytree(filled_cache, cache)
    store = Store.open(cache)
    key = store.runs()[0].run.key
    request = ReportRequest(
        runs=(key,), sections=tuple(SHORT), mappings=("eu-ai-act", "nyc-ll-144"), date="2026-11-30"
    )
    return store, write_report(store, request)


def test_evidence_is_named_only_if_the_report_has_its_section(
    mapped: tuple[Store, ReportDocument], schemas: dict[str, Any]
) -> None:
    store, document = mapped
    jsonschema.validate(document.model_dump(mode="json"), schemas["report"])
    last = document.sections[-1]
    assert (last.name, last.title) == ("mapping", "Regulations")
    rows = {row[0]: row for part in last.parts for table in part.tables for row in table.rows}
    gate = next(row for cited, row in rows.items() if str(cited).startswith("Art. 9"))
    assert gate[2:4] == (NO_EVIDENCE, "none"), "no policy was judged"
    whom = next(row for cited, row in rows.items() if str(cited).startswith("Art. 13"))
    assert whom[2] == f"Against whom? (results {document.runs[0].run[:8]})"
    assert whom[3] == "partial"
    assert verify_report(store, document, Texts()).holds
    written = html_bytes(document).decode()
    assert "Art. 27" in written
    assert "not a bias audit under Local Law 144" in written
    assert b"mapping-eu-ai-act.csv" in tables_archive(document, "csv")


def test_a_report_without_mappings_keeps_its_hash() -> None:
    assert ReportRequest(runs=("a",)).hash == ReportRequest(runs=("a",), mappings=()).hash
    assert ReportRequest(runs=("a",)).hash != ReportRequest(runs=("a",), mappings=("eu-ai-act",)).hash


def test_a_statement_is_about_the_bytes_it_was_made_on(
    mapped: tuple[Store, ReportDocument], tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    report.write_bytes(data := report_bytes(mapped[1]))
    assert check_signoff(report, data, None) is None
    statement = make_statement(data, Decided.model_validate(DECIDED))
    write_signoff(report, statement)
    assert read_signoff(beside(report).read_bytes()) == statement
    check = check_signoff(report, data, None)
    assert check is not None
    assert (check.matches, check.signature) == (True, "not signed")
    other = check_signoff(report, data + b" ", None)
    assert other is not None
    assert not other.matches
    beside(report).write_text("{}")
    with pytest.raises(InputError, match="sign the report again, or remove it"):
        check_signoff(report, data, None)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_signed_statement_names_its_signer_and_cannot_be_changed(tmp_path: Path) -> None:
    ann = make_key(tmp_path, "ann")
    signers = listed(tmp_path, ("ann@example.org", ann))
    report = tmp_path / "report.json"
    statement = make_statement(b"a report", Decided.model_validate(DECIDED), ann)
    write_signoff(report, statement)
    check = check_signoff(report, b"a report", signers)
    assert check is not None
    assert check.signature == "signed by ann@example.org"
    write_signoff(report, statement.model_copy(update={"decision": "use", "conditions": ""}))
    with pytest.raises(InputError, match="is not one of these contents"):
        check_signoff(report, b"a report", signers)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": " "}, "A sign-off needs a name"),
        ({"reason": ""}, "A sign-off needs a reason"),
        ({"conditions": ""}, "give both or neither"),
        ({"decision": "use"}, "give both or neither"),
        ({"date": "tomorrow"}, "got 'tomorrow'"),
        ({"next_review": "2026-11-30"}, "which is not after the decision"),
    ],
)
def test_a_statement_that_says_too_little_is_refused(change: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Decided.model_validate(DECIDED | change)


def test_the_commands_sign_show_and_refuse(
    full_store: Store, tmp_path: Path, schemas: dict[str, Any]
) -> None:
    report, printed = tmp_path / "report.json", tmp_path / "signed.html"
    key = full_store.runs()[0].run.key
    run_here("export", key, "--sections", "risk", "--mapping", "eu-ai-act", "--out", str(report))
    options = [text for name, value in DECIDED.items() for text in (f"--{name.replace('_', '-')}", value)]
    done = run_here("sign", str(report), *options, "--print", str(printed))
    assert done.returncode == 0, done.stderr
    page = printed.read_text(encoding="utf8")
    assert page.index('id="sign-off"') < page.index('class="cover"')
    assert "Only with a person who decides." in page
    shown = run_here("verify", str(report), "--json")
    document = json.loads(shown.stdout)
    jsonschema.validate(document, schemas["verify"])
    assert shown.returncode == 0
    assert document["signoff"]["matches"]
    entry = json.loads(run_here("journal", "--json").stdout)["entries"][-1]
    assert (entry["did"], entry["what"]) == ("signed", "report")
    report.write_bytes(report.read_bytes() + b"\n")
    changed = run_here("verify", str(report), "--json")
    assert changed.returncode == 1
    assert not json.loads(changed.stdout)["holds"]
