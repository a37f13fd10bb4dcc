"""Pages with nothing scored, scoring, scored, cancelled, and with a damaged cache; views are goldens."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import streamlit as st

from pcf_core.app.present import RULES, SLIDE_RULES
from pcf_core.audit.results import self_audit_of, unchecked
from pcf_core.core.run import Progress
from pcf_core.core.settings import Settings
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run
from tests.conftest import fill
from tests.pages.opened import App, open_app, own_queue, own_store, score_with, usual_run
from tests.pages.walks import assert_walk
from tests.quick import quick

PAGES = {
    "overview": "Overview",
    "run_an_audit": "Run an audit",
    "heat_map": "Heat map",
    "tilt": "Tilt",
    "risk": "Risk",
    "caprice": "Caprice",
    "compare": "Compare",
    "sensitivity": "Why?",
}


@pytest.mark.parametrize("page", quick(PAGES, ("overview", "run_an_audit", "sensitivity").__contains__))
def test_an_empty_store_offers_to_score(page: str) -> None:
    app = open_app(page)
    assert app.titles == [PAGES[page]]
    if page == "run_an_audit":
        assert app.button(key="score_button").disabled is False
        costs = [line for line in app.texts.splitlines() if " · 2,280 test sentences · roughly " in line]
        assert len(costs) == 2
        assert "**In all** · 4,560 test sentences" in app.texts
    else:
        assert "No result yet" in app.texts
        assert app.button(key="score_missing").label == "Calculate the missing results"


@pytest.mark.parametrize("page", quick(PAGES, ("run_an_audit", "risk", "compare").__contains__))
def test_a_run_under_way_shows_its_progress(page: str) -> None:
    run = usual_run("mini-gpt")
    queue = own_queue()
    job = submit_run(own_store(), queue, run, run.cells)
    assert queue.claim("somebody") is not None
    queue.progress(job.id, 570)
    app = open_app(page, model=["mini-gpt"])
    assert app.titles == [PAGES[page]]
    assert ":material/sync: running" in app.texts
    assert app.button(key=f"cancel_{job.id}").label == "Cancel"
    app.press(f"cancel_{job.id}")
    assert queue.cancelled(job.id)
    assert "cancelling; what is finished is kept" in app.texts, "until the worker hears it"
    assert f"cancel_{job.id}" not in app.button_keys


@pytest.mark.cold_server
@pytest.mark.parametrize("page", quick(PAGES, ("overview", "compare").__contains__))
def test_the_first_page_of_a_fresh_server_has_its_frame(page: str) -> None:
    app = open_app(page)
    assert app.titles == [PAGES[page]]
    assert app.sidebar.multiselect(key="model").value == ["mini-bert", "mini-gpt"]


def test_a_slide_has_its_number_and_links_to_those_beside_it_and_to_an_audit(full_store: Store) -> None:
    """The fields of a page are hidden by its style, but not where something is typed or started."""

    def links(app: App) -> dict[str, str]:
        return {link.proto.label: link.proto.page for link in app.get("page_link")}

    app = open_app("tilt", present="1")
    assert "3 of 6" in app.texts
    assert {label: links(app)[label] for label in ("←", "→", "Run an audit")} == {
        "←": "compare", "→": "heat_map", "Run an audit": "run_an_audit"
    }  # fmt: skip
    assert not {"←", "→"} & links(open_app("tilt")).keys()
    audit = open_app("run_an_audit", present="1")
    assert (links(audit)["←"], "→" in links(audit)) == ("", False), "back to the first slide"
    assert "of 6" not in audit.texts
    styles = [element.proto.body for page in (app, audit) for element in page.get("html")]
    assert [SLIDE_RULES in style for style in styles if RULES in style] == [True, False]


def noise_floors(app: App) -> list[str]:
    """What the provenance of each run says of it."""
    tables = [table.value["value"] for table in app.table if "noise floor" in table.value.index]
    return [facts["noise floor"] for facts in tables]


@pytest.mark.parametrize("page", quick(PAGES, ("overview", "risk", "run_an_audit").__contains__))
def test_results_are_read_while_their_cells_are_checked(full_store: Store, page: str) -> None:
    """The run is scored, its worker checks cells: figures, how far it is, and later what was found."""
    run = usual_run("mini-gpt")
    info = full_store.run_info(run.key)
    whole = info.provenance
    audit = self_audit_of(full_store, run)
    assert audit is not None
    unfinished = audit.model_copy(update={"noise_floor": None, "noise_scores": 0, "noise_cells": None})
    full_store.save_run(run, {**whole, **unchecked(unfinished)})
    queue = Queue.open(full_store._root / "catalogue.sqlite")
    job = submit_run(full_store, queue, run, 0)
    assert queue.claim("somebody") is not None
    queue.note(job.id, Progress(stage="checking", done=12, total=50, seconds_left=8.0).model_dump())
    app = open_app(page).open_foot()
    assert "No result yet" not in app.texts
    if page == "run_an_audit":
        assert "checking test sentences" in app.texts
        return
    assert len(app.pictures(page)) >= 1
    line = "checking test sentences, 12 of 50 · 8 s left. The results are complete."
    assert line in app.captions
    assert any("not checked yet" in floor for floor in noise_floors(app))
    full_store.save_run(run, whole)
    queue.finish(job.id, {})
    app.run()
    assert "checking test sentences" not in app.captions
    assert all("in 50 test sentences" in floor for floor in noise_floors(app))


def test_every_provenance_tells_the_self_audit(full_store: Store) -> None:
    app = open_app("tilt", model=["mini-gpt"]).open_foot()
    facts = app.table[0].value["value"].str.replace("\\", "")
    assert "(100 scores in 50 test sentences, float32)." in facts["noise floor"]
    assert facts["tokens per word"] == "78 words are scored: 78 of 1 token."
    assert facts["batching"] == "Made-up scores, 64 prompts a batch."
    assert facts["words left out"] == "none"
    assert facts["coverage"].startswith("median ")
    assert (
        facts["flagged cells"] == "0 of 2,280, where all words together have a probability under 1 in 10,000"
    )
    commands = [code for code in app.code if code.value.startswith("python -m pcf_core")]
    assert commands
    assert all(code.proto.wrap_lines for code in commands), "on a narrow page"


def test_a_run_without_a_self_audit_says_so(full_store: Store) -> None:
    full_store.save_run(usual_run("mini-gpt"), {})
    app = open_app("tilt", model=["mini-gpt"]).open_foot()
    facts = app.table[0].value["value"]
    assert "noise floor" not in facts
    assert "this result reuses earlier scores" in facts["self-audit"]


def test_flagged_cells_are_listed_under_the_map() -> None:
    score_with(usual_run("mini-gpt"), lambda prompt, word: 1e-7 if "nurse" in prompt else 0.01)
    app = open_app("heat_map", model=["mini-gpt"], occupation="nurse")
    title = "19 test sentences in which the model almost never uses these words"
    assert [box.label for box in app.expander if "19" in box.label] == [title]
    assert "In 19 of 2,280 test sentences the model almost never uses these words" in app.captions
    assert "so ignore the preferences in this sentence" in app.captions


def test_a_topic_of_several_groups_has_its_own_words() -> None:
    fill(own_store(), "mini-gpt", topic_name="race")
    app = open_app("tilt", model=["mini-gpt"], topic="race")
    assert "0 is always an even share here" in app.texts
    assert "Labour force" not in app.texts


@pytest.mark.slow
def test_switching_pages_keeps_the_choice(full_store: Store) -> None:
    app = open_app("risk", model=["mini-gpt"], template_weights="equal")
    for page in ("tilt", "caprice", "heat_map"):
        app.switch_page(f"pages/{page}.py").run()
        assert app.titles == [PAGES[page]]
        assert app.multiselect(key="model").value == ["mini-gpt"]
        assert app.selectbox(key="template_weights").value == "nothing: all count the same"
        assert "mini-bert" not in app.texts


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_run_that_ended_early_is_shown_with_its_remedy(state: str) -> None:
    run = usual_run("mini-gpt")
    queue = own_queue()
    job = submit_run(own_store(), queue, run, run.cells).id
    queue.claim("somebody")
    if state == "failed":
        queue.fail(job, "The disk is full; free some space.")
    else:
        queue.cancel(job)
        queue.release("somebody", job)
    app = open_app("caprice", model=["mini-gpt"])
    assert state in app.texts
    if state == "failed":
        assert "The disk is full" in app.errors
    app.press(f"retry_{job}")
    assert queue.get(job).state == "queued"


@pytest.mark.slow
def test_tilt_is_measured_against_an_even_split_whatever_the_neutral_point(full_store: Store) -> None:
    even, labour = open_app("tilt"), open_app("tilt", reference="labour", scale="bvf")
    label = "Mean tilt · Mini GPT"
    value = next(metric.value for metric in labour.metric if metric.label.replace("\\", "") == label)
    assert abs(float(value.replace("−", "-"))) <= 1
    for app in (even, labour):  # all are shown here; what another reading leaves out is said where it is read
        assert "occupations are left out" not in app.captions
    risk = open_app("risk", reference="labour")
    assert "50 of 120 occupations are left out" in risk.captions


@pytest.mark.parametrize(
    ("page", "field", "sentence"),
    [
        ("overview", "model", "Choose one or more models"),
        ("risk", "model", "Choose one or more models"),
        ("try_a_sentence", "model", "Choose one or more models"),
        ("topics", "model", "Choose one or more models"),
        ("report", "model", "Nothing you chose has a result"),
        ("fairpair", "fp_model", "Choose one or more models"),
        ("fairpair", "fp_temperature", "Choose one or more temperatures"),
        ("criteria", "cr_model", "Choose one or more models"),
    ],
)
def test_nothing_chosen_is_a_state(page: str, field: str, sentence: str) -> None:
    app = open_app(page, **({"topic_view": "check"} if page == "topics" else {}))
    app.multiselect(key=field).set_value([]).run()
    assert sentence in app.infos


@pytest.mark.slow
def test_pressing_score_queues_what_is_missing_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing the estimate has counted: the store is not asked again."""
    app = open_app("run_an_audit")
    monkeypatch.setattr(Store, "missing", lambda *rest: pytest.fail("the store was asked again"))
    app.press("score_button")
    app.press("score_button")
    jobs = own_queue().list(10)
    assert sorted(job.payload["model"] for job in jobs) == ["mini-bert", "mini-gpt"]
    assert {job.total for job in jobs} == {2_280}, "of the sidebar's templates"


def test_the_word_check_is_answered_by_the_worker_and_read_on_the_page() -> None:
    answer = {
        "words": [{"word": "he", "tokens": 1}, {"word": "abbess", "tokens": 2}, {"word": "she", "tokens": 1}],
        "left_out": [{"word": "niece", "reason": "unknown to the tokenizer"}],
        "coverage": {"all": 0.25},
    }
    queue = own_queue()

    def answered() -> None:
        job = queue.claim("somebody", min_priority=1)
        assert job is not None
        queue.finish(job.id, answer, "somebody")

    app = open_app("run_an_audit", score_model=["mini-gpt"])
    assert_walk(app, "words are checked", "check_words", ("do", answered))


HARM = {
    "another count": (b'"she": 1', b'"she": 3'),
    "no JSON": (b'"she": 1', b'"she"> 1'),
    "no such table": (b"CREATE TABLE shard_words", b"CREATE TABLE shard_wordz"),
    "no database": (b"SQLite format 3", b"SQLite format 2"),
}


def said_of_damage(app: App) -> list[str]:
    return [warning.value for warning in app.warning if "damaged" in warning.value]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["overview", "risk"])
def test_a_damaged_catalogue_is_one_sentence_over_the_same_page(
    full_store: Store, own_settings: Settings, page: str
) -> None:
    shown = open_app(page).texts
    full_store._database.close()
    for old, new in HARM.values():
        st.cache_resource.clear()
        shutil.rmtree(own_settings.cache / "results")
        content = own_settings.catalogue.read_bytes()
        assert old in content
        own_settings.catalogue.write_bytes(content.replace(old, new, 1))
        app = open_app(page)
        assert app.texts == shown
        aside = Path(f"{own_settings.catalogue}.damaged")
        assert aside.exists()
        aside.unlink()
        assert [error.value for error in app.error] == []


def test_what_was_found_damaged_is_said_until_it_is_whole_again(
    full_store: Store, own_settings: Settings
) -> None:
    data = sorted((own_settings.cache / "scores").glob("*/*.parquet"))[0]
    data.write_bytes(data.read_bytes()[:-1])
    key = next(run.run.scoring for run in full_store.runs() if run.run.scoring.hash == data.parent.name)
    run = next(run.run for run in full_store.runs() if run.run.scoring == key)
    assert full_store.missing(key, run.prompts, run.topic.words) != []
    (sentence,) = said_of_damage(open_app("about"))
    assert data.stem in sentence
    Path(f"{own_settings.catalogue}.damaged").write_bytes(b"once a catalogue")
    assert len(said_of_damage(open_app("about"))) == 2
