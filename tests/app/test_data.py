"""What decides that a page reads a run anew."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st

from pcf_core.app import data
from pcf_core.app.addresses import Choice, choice_of
from pcf_core.app.caching import open_store
from pcf_core.app.lists import all_topics
from pcf_core.audit.baseline import NEUTRAL
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import drawn_run
from pcf_core.audit.sampling import planned
from pcf_core.core.errors import RunError, StoreError
from pcf_core.core.frame import Frame
from pcf_core.core.run import RunSpec, ScoringKey, split_label
from pcf_core.core.settings import Settings, settings
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.measure.bootstrap import RISKS
from pcf_core.models.names import AUTO
from pcf_core.models.registry import resolve
from pcf_core.store.results import RunInfo
from pcf_core.store.shards import now
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import load_experiment
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.work.criteria import CRITERIA_AUDIT, scored_asked
from pcf_core.work.scoring import score_run
from tests.conftest import fake_scorer, fill


@pytest.fixture
def run(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> RunSpec:
    """A run that is scored by the fake, in a store that pages open."""
    st.cache_resource.clear()
    store = Store.open(own_settings.cache)
    monkeypatch.setattr(data, "open_store", lambda: store)
    return fill(store, "mini-gpt")


def test_a_choice_comes_back_from_its_address_and_decides_how_its_runs_are_read() -> None:
    choice = Choice(
        ("mini-gpt", "mini-bert"),
        "gender",
        "gender-nineteen",
        "occupations-pcf",
        ViewOptions(aggregation="mean"),
        over="both",
        precisions=("float32", AUTO),
    )
    assert choice_of(choice.parameters) == choice
    loaded = data.Loaded.of(choice, {})
    assert (loaded.options, loaded.over, loaded.others) == (choice.options, "both", {})


def test_a_menu_of_topics_counts_the_models_with_results(run: RunSpec) -> None:
    """Each model once, whatever sentences it has results on; neutral subjects alone are no result."""
    store = data.open_store()
    neutral = run.evidence.model_copy(update={"name": NEUTRAL})
    other = run.topic.model_copy(update={"groups": load_topic("age").groups})
    store.save_run(run.model_copy(update={"evidence": neutral, "topic": other}), {})
    store.save_run(run.model_copy(update={"templates": load_templates("gender-fiction")}), {})
    number = data.models_by_topic()
    assert number == {name: int(name == "gender") for name in all_topics()}
    assert {data.results_mark(models) for models in (0, 1, 12)} == {"not run yet", "1 model", "12 models"}


def with_templates(run: RunSpec, **change: float) -> RunSpec:
    changed = tuple(template.model_copy(update=change) for template in run.templates.templates)
    return run.model_copy(update={"templates": run.templates.model_copy(update={"templates": changed})})


def unit_of(item: data.Report) -> str:
    interval = item.report.interval("overall_risk", "templates")
    assert interval is not None
    return interval.unit


def test_documents_and_counts_decide_what_is_shown(run: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same texts and counts with documents have intervals over documents, not those read before."""
    unknown, with_documents = with_templates(run, documents=0), with_templates(run, documents=3)
    assert unknown.key == with_documents.key
    counts = ViewOptions(unit="counts-only")
    first, second = (data.results().report(item, counts) for item in (unknown, with_documents))
    assert (unit_of(first), unit_of(second)) == ("template", "document")
    counted = data.results().report(with_templates(run, documents=3, count=3.0), counts)
    assert len({first.view_key, second.view_key, counted.view_key}) == 3
    assert data.results().report(with_documents, counts).view_key == second.view_key
    choice = Choice(("mini-gpt",), "gender", run.templates.name, run.evidence.name, counts)
    monkeypatch.setattr(data.Loaded, "read_as", lambda self, item, options: first.report)
    over_whole = [
        data.whole_template_intervals(data.Loaded.of(choice, {"mini-gpt": item})) for item in (first, second)
    ]
    assert over_whole == [{}, {"mini-gpt": first.report.interval("overall_risk", "templates")}]


def test_preferences_are_loaded_once_somebody_looks(run: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    data.results().report(run, ViewOptions())
    loaded: list[str] = []
    real = data.cached_result
    monkeypatch.setattr(data, "cached_result", lambda run, *how: loaded.append(run.key) or real(run, *how))
    item = data.results().report(run, ViewOptions())
    assert not loaded
    assert item.result is item.result
    assert item.result.preferences.occupations == run.evidence.terms
    assert loaded == [run.key]


def test_answered_requests_are_read_again_once_one_comes_or_changes(
    own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    st.cache_resource.clear()
    store = Store.open(own_settings.cache)
    monkeypatch.setattr(data, "open_store", lambda: store)
    read: list[str] = []
    real = store.load_document
    monkeypatch.setattr(store, "load_document", lambda key, name: read.append(key) or real(key, name))
    keys = [ScoringKey.of(resolve(name)) for name in ("mini-gpt", "mini-t5")]
    first, second = (scored_asked(load_experiment("tasks"), key) for key in keys)

    def answer(request: CriteriaAsked) -> None:
        CRITERIA_AUDIT.save_asked(store, request)
        store.save_document(request.hash, CRITERIA_AUDIT.kind, {})

    assert data.answered(CRITERIA_AUDIT) == ()
    answer(first)
    assert [data.answered(CRITERIA_AUDIT) for _ in range(2)] == [(first,)] * 2
    assert read == [first.hash]
    answer(second)
    assert set(data.answered(CRITERIA_AUDIT)) == {first, second}
    assert [data.asked_as(CRITERIA_AUDIT, first.hash) for _ in range(2)] == [first] * 2
    file = own_settings.cache / "results" / first.hash / f"{CRITERIA_AUDIT.asked_name}.json"
    file.write_text("{}")
    assert data.answered(CRITERIA_AUDIT) == (second,)
    with pytest.raises(StoreError, match="start it again"):
        data.asked_as(CRITERIA_AUDIT, first.hash)


@pytest.mark.slow
def test_runs_that_nobody_chose_are_read_for_r_alone(run: RunSpec) -> None:
    """The intervals of R are those of the whole report, whichever of the two was read first."""
    other = fill(open_store(), "mini-bert")
    choice = Choice(("mini-gpt",), "gender", run.templates.name, run.evidence.name, ViewOptions())
    loaded = data.Loaded.of(choice, {"mini-gpt": data.results().report(run, ViewOptions())})
    reports, unread = data.all_reports(loaded)
    assert (list(reports), unread) == (["mini-gpt", "mini-bert"], 0)
    assert reports["mini-gpt"] is loaded.first.report
    assert list(reports["mini-bert"].intervals) == ["overall_risk"]
    whole = data.results().report(other, ViewOptions()).report
    assert list(whole.intervals) == list(RISKS)
    for one, other in zip(
        whole.intervals["overall_risk"], reports["mini-bert"].intervals["overall_risk"], strict=True
    ):
        assert one.over == other.over
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.slow
def test_runs_come_by_template_set_and_model_not_by_age(run: RunSpec) -> None:
    """What is shown, the topic's usual set, the other sets by name; the newest run is no longer the first."""
    store = open_store()
    for model, templates in (
        ("mini-gpt", "gender-reporting"),
        ("mini-gpt", run.topic.templates),
        ("mini-bert", "gender-nineteen-stop"),
        ("mini-bert", run.templates.name),
        ("mini-bert", run.topic.templates),
        ("mini-bert", "gender-reporting"),
    ):
        fill(store, model, templates)
    assert [(one.templates.name, one.scoring.model) for one in data.finished_runs(run)] == [
        ("gender-nineteen", "mini-bert"),
        ("gender-nineteen", "mini-gpt"),
        ("gender-wikipedia-100", "mini-bert"),
        ("gender-wikipedia-100", "mini-gpt"),
        ("gender-nineteen-stop", "mini-bert"),
        ("gender-reporting", "mini-bert"),
        ("gender-reporting", "mini-gpt"),
    ]
    choice = Choice(("mini-gpt",), "gender", run.templates.name, run.evidence.name, ViewOptions())
    reports, _ = data.all_reports(
        data.Loaded.of(choice, {"mini-gpt": data.results().report(run, ViewOptions())})
    )
    assert list(reports)[:3] == ["mini-gpt", "mini-bert", "mini-bert · gender-wikipedia-100"]


def test_draws_are_read_with_what_is_known_of_their_templates_now(run: RunSpec) -> None:
    drawn = planned(with_templates(run, documents=1), 0.1)
    score_run(drawn, open_store(), lambda spec, protocol: fake_scorer(drawn.scoring, drawn.topic))
    today = with_templates(run, documents=7)
    stands_for_it = drawn_run(open_store(), today)
    assert stands_for_it is not None
    assert stands_for_it.key == drawn.key
    assert stands_for_it.templates == today.templates


def test_statistics_behind_weights_decide_what_is_shown(
    run: RunSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A corrected figure of employment changes weighted risks and no run key: what was kept is not shown."""
    folder = tmp_path / "assets" / "factors"
    shutil.copytree(settings().assets / "factors", folder)
    monkeypatch.setenv("PCF_ASSETS", str(folder.parent))
    settings.cache_clear()
    before = data.stored_state(run, "exact")
    assert data.stored_state(run, "exact") == before
    with sorted(folder.glob("*.csv"))[0].open("a", encoding="utf8") as file:
        file.write("\n")
    assert data.stored_state(run, "exact") != before


def test_an_imported_run_is_of_the_precision_that_was_chosen(
    run: RunSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores of one model in two number types come under one name; neither is shown as the other."""
    keys = [run.scoring.model_copy(update={"dtype": dtype}) for dtype in ("bfloat16", "float32")]
    brain, single = (run.model_copy(update={"scoring": key}).as_imported for key in keys)
    infos = [RunInfo(run=one, complete=True, created=now(), provenance={}) for one in (brain, single)]
    monkeypatch.setattr(data, "open_store", lambda: SimpleNamespace(runs=lambda: infos))
    lists = run.topic, run.evidence, run.templates
    for precision, expected in (("bfloat16", brain), ("float32", single), (AUTO, brain)):
        assert data.stored_run(brain.scoring.name, precision, lists, "exact") is expected
    with pytest.raises(RunError, match="No stored result of"):
        data.stored_run(brain.scoring.name, "float16", lists, "exact")


def test_a_run_in_a_chat_opens_by_its_name(run: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = [Frame(kind="chat", system=system, text=f"{system}…") for system in ("", "Be fair.")]
    keys = [run.scoring.model_copy(update={"frame": frame}) for frame in frames]
    runs = [run.model_copy(update={"scoring": key}) for key in keys]
    infos = [RunInfo(run=one, complete=True, created=now(), provenance={}) for one in (run, *runs)]
    monkeypatch.setattr(data, "open_store", lambda: SimpleNamespace(runs=lambda: infos))
    lists = run.topic.name, run.templates.name, run.evidence.name
    for one in runs:
        choice = Choice((one.scoring.name,), lists[0], lists[1], lists[2], ViewOptions())
        assert data.asked_run(choice, one.scoring.name, AUTO) is one
        assert split_label(one.scoring.label) == (one.scoring.name, "float32")
