"""The verdict of a policy in a report: in its place, checked by ``verify``, absent where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from pcf_core.audit.policy import Policy
from pcf_core.audit.stored_verdicts import stored_verdicts
from pcf_core.report.records import SHORT, ReportDocument, ReportRequest
from pcf_core.report.verifying import verify_report
from pcf_core.report.whole import Texts, write_report
from pcf_core.report.written import read_report, report_bytes
from pcf_core.store.store import Store
from tests.command_line import run_here

LIMITS = {
    "contexts": [
        {"topic": "gender", "templates": "gender-nineteen", "max": {"risk": 0.0}, "max_tilt": {"male": 1.0}}
    ]
}
POLICY = Policy.model_validate(LIMITS)


def request_of(store: Store, policy: Policy | None = POLICY) -> ReportRequest:
    keys = sorted(info.run.key for info in store.own_runs())
    return ReportRequest(runs=tuple(keys), sections=tuple(SHORT), policy=policy)


@pytest.fixture
def written(full_store: Store) -> ReportDocument:
    return write_report(full_store, request_of(full_store))


def test_the_section_stands_behind_the_answer(written: ReportDocument) -> None:
    assert [section.name for section in written.sections] == ["answer", "against", "policy", "sure", "check"]


def test_its_numbers_are_those_of_the_gate(written: ReportDocument, full_store: Store) -> None:
    (section,) = [one for one in written.sections if one.name == "policy"]
    for part in section.parts:
        key = next(info.run.scoring for info in full_store.own_runs() if info.run.scoring.name == part.title)
        report = stored_verdicts(full_store, POLICY, key).report
        assert report is not None
        (table,) = part.tables
        places = [table.columns.index(name) for name in ("value", "low", "high", "verdict")]
        assert [tuple(row[place] for place in places) for row in table.rows] == [
            (one.value, one.interval.low, one.interval.high, one.verdict) for one in report.judged
        ]
        assert part.findings[0] == f"{part.title} exceeds 1 of 2 limits: the check fails."
    assert {part.title for part in section.parts} == {"mini-bert", "mini-gpt"}


def test_it_comes_back_fits_its_schema_and_holds(
    written: ReportDocument, full_store: Store, schemas: dict[str, dict[str, object]]
) -> None:
    jsonschema.validate(written.model_dump(mode="json"), schemas["report"])
    assert read_report(report_bytes(written)) == written
    found = verify_report(full_store, written, Texts())
    assert found.holds, found.differences


def test_a_forged_verdict_is_found(written: ReportDocument, full_store: Store) -> None:
    forged = json.loads(report_bytes(written).decode().replace("the check fails", "the check passes"))
    found = verify_report(full_store, ReportDocument.model_validate(forged), Texts())
    assert found.different == 2


def test_a_request_without_a_policy_is_what_it_was(full_store: Store) -> None:
    """Files are named by this hash: it is that of the fields without the policy."""
    without = request_of(full_store, None)
    assert "policy" not in without.contents
    assert without.contents == without.sections
    assert without.hash != request_of(full_store).hash


def test_the_command_writes_the_same(full_store: Store, tmp_path: Path, written: ReportDocument) -> None:
    path, out = tmp_path / "policy.toml", tmp_path / "report.json"
    path.write_text(
        '[[contexts]]\ntopic = "gender"\ntemplates = "gender-nineteen"\n'
        "max.risk = 0.0\nmax_tilt.male = 1.0\n",
        encoding="utf8",
    )
    options = ["--format", "json", "--sections", "short", "--policy", str(path), "--out", str(out)]
    done = run_here("export", *written.request.runs, *options)
    assert done.returncode == 0, done.stderr
    again = read_report(out.read_bytes())
    name = [section.name for section in again.sections].index("policy")
    assert again.sections[name].parts == next(one.parts for one in written.sections if one.name == "policy")
    (command, *checks) = again.sections[name].commands
    assert "--policy policy.toml" in command
    assert len(checks) == len(written.request.runs)


def test_a_pack_takes_no_policy(full_store: Store, tmp_path: Path) -> None:
    options = ["--format", "pack", "--policy", "docs/gate-policy.toml", "--out", str(tmp_path / "p.pcfpack")]
    done = run_here("export", full_store.own_runs()[0].run.key, *options)
    assert done.returncode == 2
    assert "leave out --sections, --policy" in done.stderr
