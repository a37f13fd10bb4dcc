"""Runs in another precision, by a sampling plan, swapped, and of lists that have changed since."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pcf_core.app.lists import parameters_of
from pcf_core.app.report import finished_runs
from pcf_core.audit.preferences import build_run
from pcf_core.audit.sampling import planned
from pcf_core.core.risk import Interval, Look
from pcf_core.core.run import RunSpec, version_name
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group
from pcf_core.material.evidence import load_evidence
from pcf_core.material.suiting import swapped
from pcf_core.material.templates import load_mined, load_templates, save_set
from pcf_core.material.topics import delete_topic, load_topic, make_topic, save_topic
from pcf_core.models import names
from pcf_core.models.registry import resolve
from pcf_core.show.findings.notes import noun_note
from pcf_core.store.results import RunFolder
from pcf_core.store.store import Store
from pcf_core.work.requests import ProbeRequest, submit_run
from tests.conftest import MINI_MODELS, chance, fill
from tests.pages.opened import App, open_app, own_queue, own_store, score_with, usual_run
from tests.quick import quick

NARROW = "Mini GPT (bfloat16)"
READ_PAGES = ["overview", "heat_map", "tilt", "risk", "caprice", "compare", "report", "case_file"]


@pytest.fixture
def narrow_run() -> RunSpec:
    """The one finished run of a cache: Mini GPT in bfloat16."""
    return fill(own_store(), "mini-gpt", dtype="bfloat16")


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this machine have a GPU that computes with every type."""
    monkeypatch.setattr(names, "_capability", lambda: 9.0)
    return


@pytest.mark.parametrize("page", quick(READ_PAGES, ("overview", "risk", "case_file").__contains__))
def test_the_link_of_a_narrow_run_opens_it_on_every_page(narrow_run: RunSpec, page: str) -> None:
    link = parameters_of(narrow_run)
    assert link["precision"] == ["bfloat16"]
    app = open_app(page, **link)
    assert not app.error
    assert "No result yet" not in app.texts
    assert app.multiselect(key="precision").value == ["bfloat16"]
    if page in ("overview", "risk", "heat_map"):
        shown = app.texts + "".join(str(one.options) for one in app.selectbox)
        assert NARROW in shown
    if page == "case_file":
        assert "The risk was calculated in bfloat16." in [caption.value for caption in app.caption]


def test_a_link_without_a_precision_shows_what_there_are_results_in(narrow_run: RunSpec) -> None:
    app = open_app("risk", model=["mini-gpt"])
    assert NARROW in app.texts
    assert "No result yet" not in app.texts


def test_what_comes_with_the_app_is_shown_beside_a_gpu_too(full_store: Store, gpu: None) -> None:
    """The shipped models' own precision is float16, and their shipped results are float32."""
    text = open_app("risk", model=["mini-gpt"]).texts
    assert "No result yet" not in text
    assert "float16" not in text


def test_the_noise_floor_of_each_precision_stands_beside_it(two_precisions: Store) -> None:
    app = open_app("risk", model=["mini-gpt"], precision=["float32", "bfloat16"]).open_foot()
    facts = [table.value["value"] for table in app.table if "noise floor" in table.value.index]
    assert [fact["precision"] for fact in facts] == ["float32", "bfloat16"]
    assert all("Scored again one at a time, " in fact["noise floor"] for fact in facts)
    assert [label for label in finished_runs() if label.startswith("mini-gpt (bfloat16)")]


def test_auto_scores_in_the_models_own_precision_where_there_is_a_gpu(gpu: None) -> None:
    assert "**Mini GPT** · calculated in float16" in open_app("run_an_audit", score_model=["mini-gpt"]).texts


def test_a_probe_is_asked_in_the_chosen_precision() -> None:
    open_app("try_a_sentence", model=["mini-gpt"], precision="bfloat16")
    (job,) = own_queue().list(5, kind="probe")
    assert ProbeRequest.model_validate(job.payload).dtype == "bfloat16"


def test_an_empty_field_is_auto(full_store: Store) -> None:
    app = open_app("risk", model=["mini-gpt"])
    app.multiselect(key="precision").set_value([]).run()
    assert "No result yet" not in app.texts


DRAWN_PAGES = ["overview", "heat_map", "tilt", "risk", "caprice"]
LOOK = Look(
    within=0.005,
    draws=400,
    effective_draws=400,
    templates=18,
    available=19,
    half_width=0.02,
    estimates={"overall_risk": 0.71, "prejudice_risk": 0.66, "caprice_risk": 0.05},
    intervals={
        "overall_risk": Interval(low=0.69, high=0.73),
        "prejudice_risk": Interval(low=0.64, high=0.68),
        "caprice_risk": Interval(low=0.03, high=0.07),
    },
)


def plan_of(model: str, within: float = 0.1) -> RunSpec:
    """The default run; a hundred draws reach 17 of its 19 templates."""
    return planned(usual_run(model), within)


@pytest.fixture(scope="module")
def drawn_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of :func:`drawn_store`, scored once for all tests."""
    cache = tmp_path_factory.mktemp("drawn") / "cache"
    store = Store.open(cache)
    for run in map(plan_of, MINI_MODELS):
        score_with(run, partial(chance, run.scoring.label), store)
    return cache


@pytest.fixture
def drawn_store(drawn_cache: Path, own_settings: Settings) -> Store:
    """Both mini models' keys scored by a plan alone."""
    shutil.copytree(drawn_cache, own_settings.cache, dirs_exist_ok=True)
    return own_store()


@pytest.mark.parametrize("page", quick(DRAWN_PAGES, ("overview", "risk").__contains__))
def test_every_page_reads_a_run_with_a_plan(drawn_store: Store, page: str) -> None:
    app = open_app(page)
    assert not app.error
    assert len(app.pictures(page)) >= 1
    assert "120 occupations × 17 of 19 sentences in 100 random draws" in app.captions
    assert "No result yet" not in app.texts
    if page == "risk":
        assert "over 120 occupations and 17 of 19 sentences in 100 random draws" in app.texts
        assert "both corrected for the sampling of sentences" in app.texts
        assert "corrected for the bias of a sample" in app.captions


@pytest.mark.slow
def test_a_whole_run_goes_before_a_draw(drawn_store: Store) -> None:
    fill(drawn_store, "mini-gpt")
    app = open_app("risk", model=["mini-gpt"])
    assert "over 120 occupations and 19 sentences" in app.texts
    assert "draws" not in app.texts


def test_draws_by_other_counts_are_not_shown_as_those_of_the_set(drawn_store: Store) -> None:
    """Counts are no part of a key: what was drawn before they changed is the risk of other contexts."""
    run = plan_of("mini-gpt")
    recounted = tuple(t.model_copy(update={"count": t.count + 1}) for t in run.templates.templates)
    templates = run.templates.model_copy(update={"templates": recounted})
    old = RunFolder(drawn_store._root)  # as earlier versions did, and as a set does whose file is changed
    old.save(run.model_copy(update={"templates": templates}), {}, complete=True)
    assert "No result yet" in open_app("risk", model=["mini-gpt"]).texts


@pytest.mark.slow
def test_equal_weights_are_read_from_the_draw(drawn_store: Store) -> None:
    app = open_app("risk", template_weights="equal")
    assert not app.error
    assert "17 of 19 sentences in 100 random draws" in app.texts


@pytest.mark.parametrize("page", ["run_an_audit", "risk"])
def test_estimate_and_interval_are_shown_while_it_runs(page: str) -> None:
    run, queue = plan_of("mini-gpt", 0.005), own_queue()
    job = submit_run(own_store(), queue, run, run.cells)
    queue.claim("somebody")
    queue.note(job.id, {"sampling": LOOK.model_dump(mode="json")}, "somebody")
    app = open_app(page, model=["mini-gpt"])
    assert "The risk is 0.71 (0.69–0.73) after 400 random draws of sentences" in app.captions
    assert "The widest range is ± 0.02; the goal is ± 0.005" in app.captions
    assert app.button(key=f"cancel_{job.id}").label == "Cancel"


def hashed(prompt: str, word: str) -> float:
    return (1 + hashlib.sha256(f"{prompt}|{word}".encode()).digest()[0]) / 1e5


@pytest.fixture(scope="module")
def swapped_cache(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunSpec]:
    """The cache and the last run of :func:`swapped_run`, scored once for all tests."""
    cache = tmp_path_factory.mktemp("swapped") / "cache"
    store = Store.open(cache)
    topic, evidence = swapped(load_topic("race-gender"), load_evidence("occupations-bvf"))
    for model in MINI_MODELS:
        run = build_run(resolve(model), topic, evidence, load_templates("race-relative"))
        score_with(run, hashed, store)
    return cache, run


@pytest.fixture
def swapped_run(swapped_cache: tuple[Path, RunSpec], own_settings: Settings) -> RunSpec:
    """Race and gender at [X], 120 occupations as groups at [Y], scored by the fake for two models."""
    cache, run = swapped_cache
    shutil.copytree(cache, own_settings.cache, dirs_exist_ok=True)
    return run


def open_swapped(page: str, swapped_run: RunSpec, **more: str) -> App:
    """The page as the link of a finished job opens it."""
    names = {name: value for name, value in parameters_of(swapped_run).items() if name != "model"}
    app = open_app(page, **names, **more)
    assert not app.error
    return app


SWAPPED_READ = ("overview", "heat_map", "tilt", "risk", "caprice", "factors", "sensitivity", "compare")


@pytest.mark.slow
@pytest.mark.parametrize("page", SWAPPED_READ)
def test_a_page_reads_a_swapped_run_and_says_what_stands_where(page: str, swapped_run: RunSpec) -> None:
    app = open_swapped(page, swapped_run)
    assert noun_note(swapped_run) in app.captions
    assert "2 results · 10 persons × 10 sentences" in app.captions
    assert len(app.texts) > 300
    assert len(max(app.texts.split("\n"), key=len)) < 1_200, "a sentence names every group"


@pytest.mark.parametrize(
    "page",
    quick(
        ["try_a_sentence", "run_an_audit", "topics", "templates", "knowledge", "models"],
        ("run_an_audit", "models").__contains__,
    ),
)
def test_a_page_of_no_run_stays_itself_beside_a_swapped_choice(page: str, swapped_run: RunSpec) -> None:
    app = open_swapped(page, swapped_run)
    assert app.sidebar.selectbox(key="topic").value == version_name(swapped_run.topic)


@pytest.mark.slow
def test_the_sidebar_offers_it_with_the_list_and_templates_that_it_was_scored_with(
    swapped_run: RunSpec,
) -> None:
    app = open_app("risk")
    app.sidebar.selectbox(key="topic").set_value(version_name(swapped_run.topic)).run()
    assert app.sidebar.selectbox(key="evidence").value == version_name(swapped_run.evidence)
    assert app.sidebar.selectbox(key="templates").value == "race-relative"
    assert app.figures == [f"Risk R · {model}" for model in MINI_MODELS]
    score = open_app("run_an_audit")
    assert version_name(swapped_run.topic) not in str(score.selectbox(key="score_topic").options)


@pytest.mark.slow
def test_of_many_groups_those_with_the_strongest_leans_have_a_panel(swapped_run: RunSpec) -> None:
    app = open_swapped("tilt", swapped_run, occupation="black woman")
    assert "12 of 120 groups have a panel: those that a model prefers" in app.captions
    assert "It prefers none of the other" in app.texts
    assert len(app.dataframe[-1].value) == 2 * 10
    assert app.selectbox(key="occupation").value == "black woman"


def test_probe_asks_for_the_swapped_groups(swapped_run: RunSpec) -> None:
    app = open_swapped("probe", swapped_run, model="mini-gpt")
    examples = [button.label for button in app.button if (button.key or "").startswith("example_")]
    assert any("white man" in label for label in examples)


def test_a_list_of_the_app_has_no_note(full_store: Store) -> None:
    app = open_app("risk")
    assert "where this page says" not in app.captions
    assert "2 results · 120 occupations × 19 sentences" in app.captions


PETS = make_topic(
    "pets",
    [Group(name="cats", words=("cat",)), Group(name="dogs", words=("dog",))],
    evidence="sports",
    templates="gender-nineteen",
)
MORE = PETS.model_copy(update={"groups": (Group(name="cats", words=("cat", "kitten")), PETS.groups[1])})
VERSION = f"pets@{PETS.hash[:8]}"


@pytest.fixture
def run() -> RunSpec:
    """A finished run of a topic of the user's own, the newest of the queue."""
    save_topic(PETS)
    store = own_store()
    scored = fill(store, "mini-gpt", "gender-nineteen", "sports", "pets")
    queue = own_queue()
    job = submit_run(store, queue, scored, 0)
    assert queue.claim("me:1:1") is not None
    queue.finish(job.id, {}, "me:1:1")
    return scored


def links(page: str) -> str:
    """The query strings of the page's links to Risk."""
    app = open_app(page, model=["mini-gpt"])
    links = [element.proto for element in app.main if element.type == "page_link"]
    return "\n".join(proto.query_string for proto in links if proto.page.endswith("risk"))


def risk_of(topic: str) -> str:
    return open_app("risk", model=["mini-gpt"], topic=topic, templates="gender-nineteen").texts


def test_a_changed_topic_has_no_results_and_the_old_ones_have_their_own_name(run: RunSpec) -> None:
    before = risk_of("pets")
    assert "0 of 1" not in before
    assert VERSION not in str(open_app("risk", model=["mini-gpt"]).selectbox(key="topic").options)
    save_topic(MORE, replace=True)
    assert risk_of(VERSION) == before
    app = open_app("risk", model=["mini-gpt"], topic="pets", templates="gender-nineteen")
    assert VERSION in str(app.selectbox(key="topic").options)
    assert "No result yet" in "\n".join(element.value for element in [*app.info, *app.warning, *app.markdown])
    app.selectbox(key="topic").set_value(VERSION).run()
    assert app.selectbox(key="evidence").value == "sports"
    assert app.texts == before


def test_results_of_a_deleted_topic_stay(run: RunSpec) -> None:
    before = risk_of("pets")
    delete_topic("pets")
    assert risk_of(VERSION) == before
    app = open_app("risk", model=["mini-gpt"], topic="pets")
    assert "There is no topic named 'pets'" in app.errors


def test_links_name_what_the_run_was_scored_with(run: RunSpec) -> None:
    assert parameters_of(run)["topic"] == "pets"
    assert "topic=pets&" in links("run_an_audit")
    save_topic(MORE, replace=True)
    assert parameters_of(run)["topic"] == VERSION
    assert f"topic={VERSION.replace('@', '%40')}&" in links("run_an_audit")


def save_counts(name: str, power: int) -> None:
    """Save the nineteen templates as a set of one's own, with counts that grow as a power."""
    shipped = load_mined("gender-nineteen")
    counted = tuple(
        template.model_copy(update={"count": (1.0 + at) ** power, "documents": 0})
        for at, template in enumerate(shipped.templates)
    )
    save_set(shipped.model_copy(update={"name": name, "templates": counted}), replace=True)


def test_the_same_sentences_with_other_counts_are_another_set_and_say_so(full_store: Store) -> None:
    """The result with the shipped counts stays, here and under its key, and both say which is which."""
    usual = open_app("risk", model=["mini-gpt"]).texts
    save_counts("mine", 1)
    key = usual_run("mini-gpt").key
    mine = open_app("risk", model=["mini-gpt"], templates="mine")
    assert mine.texts != usual
    assert (
        f"The run {key} uses the counts of “19 sentence beginnings from the papers”, not those of mine."
        in mine.captions
    )
    command = f"python -m pcf_core risk {key} --templates mine"
    assert command in "\n".join(block.value for block in mine.open_foot().code)
    form = open_app("run_an_audit", score_model=["mini-gpt"], score_templates="mine")
    assert f"It keeps using them; `risk {key} --templates mine` reads it with yours." in form.captions
    run = full_store.load_run(key).model_copy(update={"templates": load_templates("mine")})
    submit_run(own_store(), own_queue(), run, 0)
    again = open_app("risk", model=["mini-gpt"])
    assert again.texts == usual
    assert "uses the counts" not in again.captions
    report = open_app("report", model=["mini-gpt"], templates="mine")
    assert "so they differ from those on the pages" in report.warnings
    assert not open_app("report", model=["mini-gpt"]).warning


def test_a_link_to_a_result_has_the_counts_of_its_key_after_its_set_was_counted_again() -> None:
    save_counts("mine", 1)
    store = own_store()
    run = fill(store, "mini-gpt", "mine")
    before = open_app("risk", **parameters_of(run)).texts
    assert parameters_of(run)["templates"] == "mine"
    save_counts("mine", 4)
    stored = parameters_of(store.load_run(run.key))
    assert str(stored["templates"]).startswith("mine@")
    assert stored["templates"] != version_name(run.templates), "which the set has now, too"
    app = open_app("risk", **stored)
    assert app.texts == before
    assert "uses the counts" not in app.captions
    now = open_app("risk", model=["mini-gpt"], templates="mine")
    assert now.texts != before
    assert "uses the counts of mine as it was first scored, not those of mine as it is now" in now.captions
