"""The page Report, made when it is asked for; policies, on Risk and in a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st

from pcf_core.app import report as report_views
from pcf_core.core.settings import settings
from pcf_core.report.records import ReportDocument, ReportRequest
from pcf_core.report.whole import write_report
from pcf_core.show.names import set_title
from pcf_core.store.journal import Journal
from pcf_core.store.store import Store
from pcf_core.work.criteria import CriteriaAudit
from tests.command_line import run_here
from tests.conftest import fill
from tests.pages.opened import App, open_app, own_queue, own_store, set_environment
from tests.pages.walks import assert_state, assert_walk
from tests.texts.criteria.asked import score_criteria
from tests.texts.fairpair.written import write_small

NINETEEN = "gender-nineteen · occupations-bvf"
LIGHT = ["corrected", "tilt", "occupations", "heat-map", "tails", "factors", "compare", "knowledge"]


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[ReportRequest]:
    """The requests of which a report was really written."""
    requests: list[ReportRequest] = []

    def kept(store: Store, request: ReportRequest, *others: object) -> ReportDocument:
        requests.append(request)
        return write_report(store, request, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(report_views, "write_report", kept)
    return requests


def make(app: App) -> App:
    app.press("report_make")
    return app


def made(app: App) -> bool:
    return "Discrimination audit of" in app.texts


def test_nothing_is_worked_out_before_the_button_and_nothing_too_large(
    full_store: Store, requests: list[ReportRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("report")
    assert "The report covers Mini BERT and Mini GPT on “Gender”." in app.texts
    assert requests == []
    assert not made(app)
    monkeypatch.setattr(report_views, "MOST_CELLS", 4_559)
    refused = make(app)
    assert requests == []
    assert "A report of 4,560 test sentences is too large" in refused.warnings
    assert any(code.value.startswith("python -m pcf_core export") for code in refused.code)


def test_a_report_names_the_day_that_is_typed_or_today(
    full_store: Store, requests: list[ReportRequest]
) -> None:
    app = open_app("report", rp_date="2026-11-29")
    make(app)
    app.text_input(key="rp_date").set_value("").run()
    make(app)
    assert [request.date for request in requests] == ["2026-11-29", "2026-01-31"]
    app.text_input(key="rp_date").set_value("tomorrow").run()
    assert "The date of a report is a day such as 2026-11-29; got 'tomorrow'" in app.errors


@pytest.mark.slow
def test_a_report_is_made_once_and_told_of(full_store: Store, requests: list[ReportRequest]) -> None:
    app = make(open_app("report", rp_without=LIGHT))
    assert_state(app, "report made")
    app.run()
    assert made(make(open_app("report", rp_without=LIGHT)))
    assert len(requests) == 1, "another session finds it"


@pytest.mark.slow
def test_the_files_are_those_of_the_command_that_stands_below_them(
    full_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte, each made when it is asked for."""
    files: dict[str, Callable[[], bytes | str]] = {}

    def kept(label: str, data: Callable[[], bytes | str], name: str, kind: str, **options: object) -> bool:
        files[label] = data
        return False

    monkeypatch.setattr(st, "download_button", kept)
    app = make(open_app("report", over="both", criterion="l1", rp_without=LIGHT))
    assert list(files) == ["Download to print (HTML)", "JSON", "CSV", "Parquet", "Model card"]
    (lines,) = [code.value for code in app.code if "pcf_core export" in code.value]
    line, check = lines.splitlines()
    for label, form in zip(files, ("html", "json", "csv", "parquet", "card"), strict=True):
        out = tmp_path / form
        command = line.replace("--format html", f"--format {form}")
        arguments = [*command.split()[3:], "--out", str(out)]
        done = run_here(*arguments)
        assert done.returncode == 0, done.stderr
        data = files[label]()
        assert out.read_bytes() == (data.encode() if isinstance(data, str) else data), form
    done = run_here(*check.split()[3:4], str(tmp_path / "json"))
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_another_choice_is_another_report(full_store: Store, requests: list[ReportRequest]) -> None:
    app = make(open_app("report", rp_without=LIGHT))
    app.selectbox(key="criterion").set_value("large ones weigh more").run()
    assert not made(app)
    make(app)
    assert [request.options["criterion"] for request in requests] == ["max", "l2"]
    app.multiselect(key="rp_without").set_value([*LIGHT, "risk"]).run()
    assert not made(app)


@pytest.mark.slow
def test_further_runs_are_added_by_name(full_store: Store, requests: list[ReportRequest]) -> None:
    other = fill(full_store, "mini-gpt", topic_name="religion")
    label = f"mini-gpt · religion · {other.templates.name} · {other.evidence.name}"
    app = open_app("report", model=["mini-bert"], rp_run=[label], rp_without=LIGHT)
    assert app.multiselect(key="rp_run").value == [label]
    assert app.multiselect(key="rp_run").options == [
        "Mini GPT · Gender · 19 sentence beginnings from the papers · 120 occupations (BVF)",
        f"Mini GPT · Religion · {set_title(other.templates)} · {other.evidence.title}",
    ]
    make(app)
    shown = full_store.runs()
    (request,) = requests
    assert [next(info.run for info in shown if info.run.key == key).topic.name for key in request.runs] == [
        "gender",
        "religion",
    ]
    assert request.runs[1] == other.key
    requests.clear()
    app = make(
        open_app(
            "report",
            topic="religion",
            templates=other.templates.name,
            model=["mini-gpt"],
            rp_without=LIGHT,
            reference="labour",
        )
    )
    assert not app.error
    assert made(app)
    assert (requests[0].runs, requests[0].options["reference"]) == ((other.key,), "labour")


def test_a_run_that_was_added_and_is_the_sidebars_now_stands_there_once(full_store: Store) -> None:
    label = f"mini-gpt · gender · {NINETEEN}"
    app = open_app("report", model=["mini-bert", "mini-gpt"], rp_run=[label])
    assert not app.warning
    assert "covers Mini BERT and Mini GPT on “Gender”." in app.texts


def test_text_audits_are_chosen_by_name(requests: list[ReportRequest]) -> None:
    store = own_store()
    score_criteria(store, "tasks")
    score_criteria(store, "questions")
    app = open_app("report", model=["mini-gpt"])
    assert "covers 2 experiments of the criteria." in app.texts
    (label,) = [one for one in app.multiselect(key="rp_text").options if one.startswith("Tasks")]
    app.multiselect(key="rp_text").set_value([label]).run()
    make(app)
    (request,) = requests
    assert [key[:6] for key in request.criteria] == [label[-6:]]
    assert open_app("report", model=["mini-bert"]).multiselect(key="rp_text").options == []


@pytest.mark.slow
def test_text_audits_of_these_models_are_in_it_the_newest_of_each_kind(requests: list[ReportRequest]) -> None:
    store = own_store()
    write_small(store, temperature=0.5)
    write_small(store)
    score_criteria(store, "tasks")
    app = open_app("report", model=["mini-gpt"])
    labels = app.multiselect(key="rp_text").options
    assert len(labels) == 3
    assert "1 result of FairPair and 1 experiment of the criteria" in app.texts
    older = next(label for label in reversed(labels) if label.startswith("FairPair"))
    app.multiselect(key="rp_text").set_value([older]).run()
    assert "covers 1 result of FairPair." in app.texts
    make(app)
    (request,) = requests
    assert [key[:6] for key in request.fairpair] == [older[-6:]]
    assert request.criteria == ()
    assert "FairPair" not in open_app("report", model=["mini-gpt"], rp_without=["fairpair"]).texts


def test_a_text_audit_that_went_since_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    score_criteria(own_store(), "tasks")
    app = open_app("report", model=["mini-gpt"])
    monkeypatch.setattr(CriteriaAudit, "load", lambda *_: None)
    make(app)
    assert "is in the cache: run it first, or leave it out" in app.errors


def test_too_many_runs_are_refused_in_a_sentence(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.report.records.MOST_RUNS", 1)
    app = open_app("report")
    assert [error.value.replace("\\", "") for error in app.error] == [
        "A report takes at most 1 runs, and 2 were chosen; leave some out."
    ]
    assert app.multiselect(key="rp_run").options == []


def test_a_large_run_is_read_by_the_worker_first(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.app.data.MOST_CELLS", {"preferences": 10, "sensitivity": 10})
    monkeypatch.setattr("pcf_core.app.data.is_kept", lambda *_: False)
    label = f"mini-gpt · gender · {NINETEEN}"
    app = open_app("report", model=["mini-bert"], rp_run=[label])
    assert "They are calculated once and then stored." in app.texts
    jobs = own_queue().list(5, kind="read")
    assert len(jobs) == 2
    assert "report_make" not in app.button_keys


BOTH = ["mini-bert", "mini-gpt"]
HERE = '[[contexts]]\ntopic = "gender"\ntemplates = "gender-nineteen"\n'
KEPT = f'title = "Release"\n{HERE}max = {{ risk = 1.0 }}\n'
OVER = f"{HERE}max = {{ risk = 0.0 }}\n"


@pytest.fixture
def operator(full_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the operator's with two policies."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "kept.toml").write_text(KEPT, encoding="utf8")
    (folder / "over.toml").write_text(OVER, encoding="utf8")
    monkeypatch.setenv("PCF_POLICIES", str(folder))
    settings.cache_clear()
    return folder


def view(**parameters: str | list[str]) -> App:
    return open_app("risk", **({"model": BOTH, "risk_view": "policy"} | parameters))


def test_policies_are_kept_exceeded_unscored_damaged_and_unknown(operator: Path) -> None:
    (operator / "more.toml").write_text(f'{KEPT}[[contexts]]\ntopic = "race"\nmax.risk = 0.5\n', "utf8")
    (operator / "damaged.toml").write_text("no", encoding="utf8")
    for name in ("kept", "over", "more", "damaged", "gone"):
        assert_state(view(policy=name), f"policy {name}")


def test_an_auditor_brings_a_file_and_another(operator: Path) -> None:
    """What is no policy is said in one sentence; what was chosen before stays; no file is opened by it."""
    other = '[[contexts]]\ntopic = "/etc/passwd"\nmax = { risk = 0.5 }\n'
    files = ("", "<b>no</b>", "x" * 70_000, f"{HERE}max = {{ risk = 2.0 }}", OVER, KEPT, other)
    steps = [("send", "policy_file", "mine.toml", text) for text in files]
    assert_walk(view(policy="kept"), "policies are brought", *steps)


def test_a_viewer_reads_the_operators_and_brings_none(
    operator: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_environment(monkeypatch, READ_ONLY="1")
    app = view(policy="kept")
    assert "is within the limit" in app.texts
    assert not app.get("file_uploader")
    monkeypatch.delenv("PCF_POLICIES")
    settings.cache_clear()
    assert "PCF_POLICIES" in view().infos


def test_a_report_says_what_is_kept(operator: Path) -> None:
    app = open_app("report", model=BOTH, rp_policy="over").press("report_make")
    assert [label for label in (box.label for box in app.expander) if "Limits of the policy" in label]
    assert "exceeds the limit: the check fails." in app.texts
    app.selectbox(key="rp_policy").select("none").run()
    app.press("report_make")
    assert not [box for box in app.expander if "Limits of the policy" in box.label]


def test_a_report_is_mapped_and_signed_off(full_store: Store, requests: list[ReportRequest]) -> None:
    app = make(open_app("report", rp_mapping=["eu-ai-act", "nowhere"]))
    assert requests[-1].mappings == ("eu-ai-act",)
    assert "Regulations · 1 table" in [one.label for one in app.expander]
    app.text_input(key="signoff_name").set_value("Ann Lee")
    app.text_input(key="signoff_role").set_value("auditor")
    app.press_label("Sign off")
    assert "A sign-off needs a reason, and none was given: write it." in app.errors
    app.text_input(key="signoff_reason").set_value("Small difference.")
    app.radio(key="signoff_decision").set_value("use")
    app.press_label("Sign off")
    assert "Decided by" in app.texts
    assert "Ann Lee, auditor" in app.texts
    entry = Journal(settings().cache).read().entries[-1]
    assert (entry.did, entry.what) == ("signed", "report")
    assert "Ann Lee" not in str(app.query_params), "names stay out of the address"


def test_a_regulation_is_shown_row_by_row_with_its_evidence(full_store: Store) -> None:
    app = open_app("report", report_tab="Regulations", regulation="nyc-ll-144")
    assert not app.exception
    assert "A report made here is not a bias audit under Local Law 144" in app.texts
    assert app.texts.count("Evidence here:** none") == 2
    app.selectbox(key="regulation").set_value("EU AI Act").run()
    assert "Evidence here:** " in app.texts
    assert "were read in a public copy on 30 November 2026" in app.captions
    assert "compliant" not in app.texts
