"""Every page in its states: nothing scored, scoring, full; charts are drawn in tests/journeys."""

from __future__ import annotations

import pytest

from pcf_core.app.widgets import plain
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result, self_audit_of, unchecked
from pcf_core.core.run import ModelSpec, Progress, RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.fake import FakeScorer
from pcf_core.show.findings.models import risk_finding
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run
from pcf_core.work.scoring import score_run
from tests.pages.opened import App, open_app, own_queue, own_store
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
READ_PAGES = [name for name in PAGES if name != "run_an_audit"]


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_store_offers_to_score(page: str) -> None:
    app = open_app(page)
    assert app.titles == [PAGES[page]]
    if page == "run_an_audit":
        assert app.button(key="score_button").disabled is False
        costs = [line for line in app.texts.splitlines() if " · 2,280 cells · roughly " in line]
        assert len(costs) == 2
        assert "**In all** · 4,560 cells" in app.texts
    else:
        assert "Not scored yet" in app.texts
        assert app.button(key="score_missing").label == "Score what is missing"


@pytest.mark.parametrize("page", PAGES)
def test_a_run_under_way_shows_its_progress(page: str) -> None:
    run = default_run("mini-gpt")
    queue = own_queue()
    job = submit_run(own_store(), queue, run, run.cells)
    assert queue.claim("somebody") is not None
    queue.progress(job.id, 570)
    app = open_app(page, model=["mini-gpt"])
    assert app.titles == [PAGES[page]]
    assert "scoring" in app.texts
    assert app.button(key=f"cancel_{job.id}").label == "Cancel"
    app.press(f"cancel_{job.id}")
    assert queue.cancelled(job.id)


@pytest.mark.cold_server
@pytest.mark.parametrize("page", PAGES)
def test_the_first_page_of_a_fresh_server_has_its_frame(page: str) -> None:
    app = open_app(page)
    assert app.titles == [PAGES[page]]
    assert app.sidebar.multiselect(key="model").value == ["mini-bert", "mini-gpt"]


def noise_floors(app: App) -> list[str]:
    """What the provenance of each run says of it."""
    tables = [table.value["value"] for table in app.table if "noise floor" in table.value.index]
    return [facts["noise floor"] for facts in tables]


@pytest.mark.parametrize("page", quick(PAGES, ("overview", "risk", "run_an_audit").__contains__))
def test_results_are_read_while_their_cells_are_checked(full_store: Store, page: str) -> None:
    """The run is scored, its worker checks cells: figures, how far it is, and later what was found."""
    run = default_run("mini-gpt")
    info = full_store.run_info(run.key)
    whole = info.provenance
    audit = self_audit_of(full_store, run)
    assert audit is not None
    known = audit.model_copy(update={"noise_floor": None, "noise_scores": 0, "noise_cells": None})
    full_store.save_run(run, {**whole, **unchecked(known)})
    queue = Queue.open(full_store._root / "catalogue.sqlite")
    job = submit_run(full_store, queue, run, 0)
    assert queue.claim("somebody") is not None
    queue.note(job.id, Progress(stage="checking", done=12, total=50, seconds_left=8.0).model_dump())
    app = open_app(page).open_foot()
    assert "Not scored yet" not in app.texts
    if page == "run_an_audit":
        assert "checking cells" in app.texts
        return
    assert len(app.pictures(page)) >= 1
    line = "checking cells, 12 of 50 · 8 s left. Its figures are there"
    assert any(line in caption.value for caption in app.caption)
    assert any("not checked yet" in floor for floor in noise_floors(app))
    full_store.save_run(run, whole)
    queue.finish(job.id, {})
    app.run()
    assert not any("checking cells" in caption.value for caption in app.caption)
    assert all("in 50 cells" in floor for floor in noise_floors(app))


@pytest.mark.parametrize("page", PAGES)
def test_a_full_store_is_read(full_store: Store, page: str) -> None:
    app = open_app(page)
    assert app.titles == [PAGES[page]]
    assert not app.error
    if page in READ_PAGES:
        assert len(app.pictures(page)) >= 1
        assert "mini-bert" in app.texts
        assert "mini-gpt" in app.texts


def test_the_risk_page_says_what_the_library_computes(full_store: Store) -> None:
    app = open_app("risk", weights="employment", scale="bvf")
    for model in ("mini-bert", "mini-gpt"):
        run = default_run(model)
        options = ViewOptions(occupation_weights="employment", scale="bvf")
        found = report(load_result(full_store, run), run, options)
        assert risk_finding(model, found) in app.texts


def test_every_provenance_tells_the_self_audit(full_store: Store) -> None:
    app = open_app("tilt", model=["mini-gpt"]).open_foot()
    facts = app.table[0].value["value"].str.replace("\\", "")
    assert "(100 scores in 50 cells, float32)." in facts["noise floor"]
    assert facts["tokens per word"] == "78 words are scored: 78 of 1 token."
    assert facts["batching"] == "Made-up scores, 64 prompts a batch."
    assert facts["words left out"] == "none"
    assert facts["coverage"].startswith("median ")
    assert facts["flagged cells"] == "0 of 2,280, with a coverage under 1 in 10,000"


def test_commands_wrap_on_a_narrow_page(full_store: Store) -> None:
    for page in ("risk", "compare"):
        commands = [
            code for code in open_app(page).open_foot().code if code.value.startswith("python -m pcf_core")
        ]
        assert commands, page
        assert all(code.proto.wrap_lines for code in commands), page


def test_a_run_without_a_self_audit_says_so(full_store: Store) -> None:
    full_store.save_run(default_run("mini-gpt"), {})
    app = open_app("tilt", model=["mini-gpt"]).open_foot()
    facts = app.table[0].value["value"]
    assert "noise floor" not in facts
    assert "nothing was scored" in facts["self-audit"]


def test_flagged_cells_are_listed_under_the_map() -> None:
    run = default_run("mini-gpt")
    store = own_store()

    def opened(spec: ModelSpec, protocol: str) -> Scorer:
        return FakeScorer(lambda prompt, word: 1e-7 if "nurse" in prompt else 0.01, key=run.scoring)

    score_run(run, store, opened)
    app = open_app("heat_map", model=["mini-gpt"], occupation="nurse")
    said = "19 cells in which the model hardly expects the topic's words"
    assert [box.label for box in app.expander if "19" in box.label] == [said]
    assert "In 19 of 2,280 cells" in app.captions
    assert "so the preferences in this cell say little" in app.captions


def test_a_topic_of_several_groups_has_its_own_words() -> None:
    run = build_run(
        resolve("mini-gpt"),
        load_topic("race"),
        load_evidence("occupations-bvf"),
        load_templates("race-relative"),
    )

    def opened(spec: ModelSpec, protocol: str) -> Scorer:
        return FakeScorer(lambda prompt, word: 0.01, key=run.scoring)

    score_run(run, own_store(), opened)
    app = open_app("tilt", model=["mini-gpt"], topic="race")
    assert "Each panel is a group" in app.texts
    assert "Labour force" not in app.texts


@pytest.mark.slow
def test_switching_pages_keeps_the_choice(full_store: Store) -> None:
    app = open_app("risk", model=["mini-gpt"], template_weights="equal")
    for page in ("tilt", "caprice", "heat_map"):
        app.switch_page(f"pages/{page}.py").run()
        assert app.titles == [PAGES[page]]
        assert app.multiselect(key="model").value == ["mini-gpt"]
        assert app.selectbox(key="template_weights").value == "all alike"
        assert "mini-bert" not in app.texts


def test_a_link_opens_one_cell(full_store: Store) -> None:
    app = open_app("heat_map", occupation="nurse", template="The [X] stated that [Y]", preset="papers")
    assert "The nurse stated that …" in app.texts
    assert any("6 of 120 occupations" in caption.value for caption in app.caption)


def refusal(app: App) -> str:
    return str(app.error[0].value.replace("\\", ""))


def test_a_link_to_what_is_not_here_says_so_by_name(full_store: Store) -> None:
    app = open_app("risk", model=["ghost", "mini-gpt"])
    assert app.multiselect(key="model").value == ["ghost", "mini-gpt"]
    assert "ghost" in app.errors
    assert "The discrimination risk of mini-gpt" in app.texts
    assert "The ranges do not cover another training" in app.texts
    app = open_app("risk", topic="phantom")
    assert "There is no topic named 'phantom'; choose another in the sidebar, such as" in refusal(app)
    assert "such as gender-nineteen" in refusal(open_app("risk", templates="gender-ninteen"))


def test_names_are_never_markup(full_store: Store) -> None:
    app = open_app("risk", model=["mini-gpt", "x :red[EVIL] [link](http:evil) _b_"])
    assert "\\[EVIL\\]" in app.errors
    assert plain("[a](b) :red[c]") == "\\[a\\]\\(b\\) \\:red\\[c\\]"


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_run_that_ended_early_is_shown_with_its_remedy(state: str) -> None:
    run = default_run("mini-gpt")
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
    label = "Mean tilt · mini-gpt"
    value = next(metric.value for metric in labour.metric if metric.label.replace("\\", "") == label)
    assert abs(float(value.replace("−", "-"))) <= 1
    for app in (even, labour):  # all are shown here; what another reading leaves out is said where it is read
        assert not any("occupations have no figure" in caption.value for caption in app.caption)
    risk = open_app("risk", reference="labour")
    assert any("50 of 120 occupations have no figure" in caption.value for caption in risk.caption)


@pytest.mark.slow
def test_few_effective_templates_are_said_with_the_way_out(full_store: Store) -> None:
    counted, equal = open_app("risk"), open_app("risk", template_weights="equal")
    said = counted.captions
    assert "19 templates count as 5.0" in said
    assert "“Reading options” in the sidebar can give all sentences equal weights" in said
    assert not any("equal weights" in caption.value for caption in equal.caption)


def test_nothing_chosen_is_a_state(full_store: Store) -> None:
    app = open_app("risk")
    app.multiselect(key="model").set_value([]).run()
    assert "Choose one or more models" in app.infos


def test_an_unknown_model_is_one_sentence(full_store: Store) -> None:
    app = open_app("run_an_audit")
    app.session_state["score_model"] = ["no-such-model"]
    app.run()
    assert "no-such-model" in app.errors


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


def default_run(model: str) -> RunSpec:
    topic = load_topic("gender")
    return build_run(resolve(model), topic, load_evidence(topic.evidence), load_templates("gender-nineteen"))


def test_the_word_check_is_answered_by_the_worker_and_read_on_the_page() -> None:
    app = open_app("run_an_audit", score_model=["mini-gpt"])
    app.press("check_words")
    queue = own_queue()
    job = queue.claim("somebody", min_priority=1)
    assert job is not None
    assert job.payload["text"] == "The accountant said that [Y]"
    answer = {
        "words": [{"word": "he", "tokens": 1}, {"word": "abbess", "tokens": 2}, {"word": "she", "tokens": 1}],
        "left_out": [{"word": "niece", "reason": "unknown to the tokenizer"}],
        "coverage": {"all": 0.25},
    }
    queue.finish(job.id, answer, "somebody")
    app.run()
    assert "3 words are scored: 2 of 1 token, 1 of 2 tokens." in app.captions
    assert "Left out: niece (unknown to the tokenizer)." in app.captions
    assert "take 25 % of the probability" in app.captions
