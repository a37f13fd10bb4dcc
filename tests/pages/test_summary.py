"""The tabs Summary and Known benchmarks: all audits side by side, and the ways to each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pcf_core.app.addresses import Choice
from pcf_core.app.texts.benchmarks import read_files
from pcf_core.app.texts.summary import OTHERWISE, UNREAD, case_file, tables_for
from pcf_core.audit.options import ViewOptions
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group, Topic
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.show.findings.case_file import FOUND
from pcf_core.show.findings.numbers import begun
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.records import ItemScores
from pcf_core.work.benchmarking import run_benchmark
from pcf_core.work.benchmarks import BENCHMARK_AUDIT, BLOCK, BlockScores, benchmark_asked, block_name
from pcf_core.work.fairpair import FairPairAudit
from tests.material.other_results import RESULTS
from tests.pages.opened import App, open_address, open_app
from tests.pages.walks import assert_state, assert_walk
from tests.texts.benchmarks.written_files import FRENCH, crows_file, stereoset_files
from tests.texts.criteria.asked import score_criteria, write_criteria
from tests.texts.fairpair.written import write_small

GPT: dict[str, Any] = {"model": ["mini-gpt"], "cf_model": "mini-gpt"}


def tables(app: App) -> list[dict[str, str]]:
    """What the three tables say was found, by what is asked."""
    return [
        {str(question): verdict.replace("\\", "") for question, verdict in table.value["Verdict"].items()}
        for table in app.table[:3]
    ]


def links(app: App) -> list[tuple[str, str]]:
    return [(link.proto.label.replace("\\", ""), link.proto.query_string) for link in app.get("page_link")]


def pressed(app: App, label: str) -> dict[str, Any]:
    """What the form of another tab holds after its button is pressed."""
    return app.press_label(label).session_state.to_dict()


def test_without_any_result_every_audit_can_be_asked() -> None:
    assert_walk(open_app("case_file", **GPT), "a model is scored from its summary", "score_missing")


@pytest.mark.parametrize(
    ("label", "tab", "values"),
    [
        ("Start FairPair", "FairPair", {"fp_model": ["mini-gpt"], "fp_table": "gender"}),
        ("Start the criteria", "Criteria", {"cr_model": ["mini-gpt"]}),
    ],
)
def test_a_button_leads_to_another_tab_and_keeps_the_choice(
    label: str, tab: str, values: dict[str, Any]
) -> None:
    app = open_app("case_file", **GPT, criterion="l2")
    held = pressed(app, label)
    assert {name: held[name] for name in values} == values
    assert held["text_tab"] == tab
    assert (held["model"], held["criterion"], held["templates"]) == (
        ["mini-gpt"],
        "large ones weigh more",
        "gender-nineteen",
    )
    app.segmented_control(key="text_tab").set_value("Summary").run()
    assert app.selectbox(key="cf_model").value == "mini-gpt"


@pytest.mark.slow
def test_all_audits_side_by_side_with_the_ways_to_each(full_store: Store) -> None:
    write_small(full_store)
    write_criteria(full_store, "anecdotes")
    score_criteria(full_store, "tasks")
    assert_state(open_app("case_file", **GPT), "case_file all audits")
    for label, key, value in (
        ("John and Jane, temperature 1", "fp_category", ["pets"]),
        ("Anecdotes, written", "cr_view", "anecdotes"),
        ("Tasks, scored", "cr_answering", "scored words"),
    ):
        assert pressed(open_app("case_file", **GPT), label)[key] == value


def test_the_figure_is_of_the_request_that_the_verdict_rests_on(full_store: Store) -> None:
    write_small(full_store)
    write_small(full_store, temperature=0)  # the newest, and not tested
    app = open_app("case_file", **GPT)
    verdict = next(one for one in case_findings_of(app) if one.startswith("FairPair"))
    (figure,) = (metric for metric in app.metric if metric.label == "Ratio of differences (FairPair)")
    assert FOUND["cannot be told"] not in figure.delta
    assert f"{figure.value} (" in verdict
    assert "temperature 1" in verdict
    measured = [text.replace("\\", "") for text in app.table[1].value["Measured"]]
    assert len(measured) == len(set(measured)) == 4
    assert sum("temperature 0 " in text for text in measured) == 2


def test_a_result_that_could_not_be_read_is_looked_for_again(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_small(full_store)
    with monkeypatch.context() as damaged:
        damaged.setattr(FairPairAudit, "load", lambda *_: None)
        app = open_app("case_file", **GPT)
        assert next(iter(tables(app)[1].values())).startswith(begun(FOUND["not run"]))
    assert next(iter(tables(open_app("case_file", **GPT))[1].values())).startswith(begun(FOUND["difference"]))


def test_the_file_has_the_newest_texts_of_its_model_about_its_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = [
        SimpleNamespace(
            key=SimpleNamespace(name=model),
            perturbation=SimpleNamespace(table=table),
            hash=f"{model} {index}",
        )
        for index in range(4)
        for model, table in (("mini-gpt", "gender"), ("mini-gpt", "race-names"), ("mini-bert", "gender"))
    ]
    looked_for: list[str] = []

    def gone(audit: object, key: str) -> None:
        looked_for.append(key)
        raise LookupError

    monkeypatch.setattr(FairPairAudit, "kept", lambda self, store: stored)
    monkeypatch.setattr("pcf_core.app.texts.summary.complete_result", gone)
    choice = Choice(("mini-bert",), "gender", "gender-nineteen", "occupations-bvf", ViewOptions())
    assert case_file("mini-gpt", choice).older == 1
    assert looked_for == ["mini-gpt 0", "mini-gpt 1", "mini-gpt 2"]


def case_findings_of(app: App) -> list[str]:
    return [line.replace("\\", "") for line in app.texts.splitlines()]


def test_a_run_under_other_settings_or_not_read_yet_is_not_nothing(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("case_file", **GPT, templates="gender-fiction")
    assert next(iter(tables(app)[0].values())) == f"{begun(FOUND['not run'])}: {OTHERWISE}"
    monkeypatch.setattr("pcf_core.app.data.must_wait", lambda run, what, options: what == "preferences")
    app = open_app("case_file", **GPT)
    assert next(iter(tables(app)[0].values())) == f"{begun(FOUND['cannot be told'])}: {UNREAD}"
    assert "There is no result of this model" not in app.texts


def test_a_model_that_the_sidebar_has_not_is_chosen_here(full_store: Store) -> None:
    app = open_app("case_file", model=["mini-bert"], cf_model="mini-gpt")
    assert "Mini GPT on gender" in app.texts
    assert "model=mini-gpt" in dict(links(app))["Risk"]
    assert app.selectbox(key="cf_model").options[0] == "Mini BERT"


@pytest.mark.parametrize(
    ("topic", "tables"),
    [
        ("gender", ("gender",)),
        ("gender-inclusive", ("gender",)),
        ("race", ("race-names",)),
        ("religion", ("religion",)),
        ("age", ("age",)),
        ("disability", ()),
    ],
)
def test_which_tables_are_about_a_topic(topic: str, tables: tuple[str, ...]) -> None:
    assert tables_for(load_topic(topic)) == tables


def test_a_topic_of_ones_own_with_both_genders_is_about_gender() -> None:
    groups = (Group(name="male", words=("he",)), Group(name="female", words=("she",)))
    own = load_topic("gender").model_copy(update={"name": "mine", "groups": groups})
    assert isinstance(own, Topic)
    assert tables_for(own) == ("gender",)


SUMMARY = {"text_tab": "Summary", "cf_model": "mini-bert", "templates": "gender-nineteen"}
BENCHMARKS = {"text_tab": "Known benchmarks", "templates": "gender-nineteen"}


def score_benchmark(store: Store, material: Any, model: str, nats: Sequence[tuple[float, ...]]) -> None:
    """Keep these log-probabilities as a model's answer to each item."""
    request = benchmark_asked(material, ScoringKey.of(resolve(model)))
    BENCHMARK_AUDIT.keep(store, request, material)
    body = BlockScores(items=tuple(ItemScores(nats=one) for one in nats))
    store.save_document(request.hash, block_name(range(len(nats))), body.model_dump(mode="json"))
    run_benchmark(request, store)


def test_the_summary_leads_to_the_benchmark_that_has_results(full_store: Store, tmp_path: Path) -> None:
    path = stereoset_files(tmp_path)["dev.json"]
    material = read_files("stereoset", [(path.name, path.read_bytes())])
    score_benchmark(full_store, material, "mini-bert", [(-1.0, -2.0, -3.0)] * len(material.triples))
    app = open_address("written_text", model=["mini-bert"], **SUMMARY).press_label(
        "Do these benchmarks agree with the risk?"
    )
    assert app.session_state["bench"] == "stereoset"
    assert not app.link_warnings


def test_two_models_are_compared_and_held_against_ours(full_store: Store, tmp_path: Path) -> None:
    both = ["mini-bert", "mini-gpt"]
    assert_state(open_address("written_text", model=both, **BENCHMARKS), "benchmarks without files")
    path = crows_file(
        tmp_path, tuple(("age", f"The old man {n}.", f"The young man {n}.") for n in range(BLOCK))
    )
    material = read_files("crows-pairs", [(path.name, path.read_bytes())])
    for model, share in (("mini-bert", 1.0), ("mini-gpt", 0.5)):
        nats = [(-1.0, -2.0) if item < share * BLOCK else (-2.0, -1.0) for item in range(BLOCK)]
        score_benchmark(full_store, material, model, nats)
    assert_state(open_address("written_text", model=both, **BENCHMARKS), "benchmarks of two models")
    summary = open_address("written_text", model=["mini-bert"], **SUMMARY)
    assert ": Mini BERT prefers the more stereotyping sentence in 100 %" in summary.texts
    assert ": Mini GPT prefers the more" not in summary.texts
    assert "CrowS-Pairs and prejudice" not in summary.texts  # of one model nothing is worse
    assert "CrowS-Pairs and prejudice" in open_address("written_text", model=both, **SUMMARY).texts


def test_another_language_is_given_beside_the_files_and_a_result_of_another_tool_is_named(
    own_settings: Settings, tmp_path: Path
) -> None:
    french = crows_file(tmp_path, FRENCH)
    app = open_address("written_text", model=["mini-gpt"], **BENCHMARKS)
    app.upload("bench_files_crows-pairs", "stats.json", RESULTS["stats.json"][0])
    assert "stats.json is a HELM result: it holds" in app.errors
    app.upload("bench_files_crows-pairs", french.name, french.read_bytes())
    assert "do not look English: give their language, such as fr or de." in app.errors
    app.text_input(key="bench_language_crows-pairs").input("fr").run()
    assert not app.errors
    assert [*app.table_with("more")["more"]] == [more for _, more, _ in FRENCH], "before anything is run"
    assert app.button(key="bench_score").label.startswith("Run 2 items")
