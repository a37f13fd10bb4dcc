"""Runs with a sampling plan on the pages: asked for, watched, and read with their labels."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pcf_core.audit.preferences import build_run
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned
from pcf_core.core.risk import Interval, Look
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.results import RunFolder
from pcf_core.store.store import Store
from pcf_core.work.requests import submit_run
from pcf_core.work.scoring import score_run
from tests.conftest import fake_scorer, fill
from tests.pages.opened import open_app, own_queue, own_store
from tests.quick import quick

READ_PAGES = ["overview", "heat_map", "tilt", "risk", "caprice"]
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
    topic = load_topic("gender")
    lists = topic, load_evidence(topic.evidence), load_templates("gender-nineteen")
    return planned(build_run(resolve(model), *lists), within)


@pytest.fixture(scope="module")
def drawn_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of :func:`drawn_store`, scored once for all tests."""
    cache = tmp_path_factory.mktemp("drawn") / "cache"
    store = Store.open(cache)
    for model in ("mini-bert", "mini-gpt"):
        run = plan_of(model)

        def open_fake(spec: ModelSpec, protocol: str, run: RunSpec = run) -> Scorer:
            return fake_scorer(run.scoring, run.topic)

        score_run(run, store, open_fake)
        load_result(store, run)
    return cache


@pytest.fixture
def drawn_store(drawn_cache: Path, own_settings: Settings) -> Store:
    """Both mini models' keys scored by a plan alone."""
    shutil.copytree(drawn_cache, own_settings.cache, dirs_exist_ok=True)
    return own_store()


@pytest.mark.parametrize("page", quick(READ_PAGES, ("overview", "risk").__contains__))
def test_every_page_reads_a_run_with_a_plan(drawn_store: Store, page: str) -> None:
    app = open_app(page)
    assert not app.error
    assert len(app.pictures(page)) >= 1
    said = app.captions
    assert "120 occupations × 100 draws of 17 out of 19 templates" in said
    assert "Not scored yet" not in app.texts
    if page == "risk":
        assert "over 120 occupations and 100 draws of 17 out of 19 templates" in app.texts
        assert "both corrected for the draw" in app.texts
        assert "corrected for the bias of a sample" in said


@pytest.mark.slow
def test_a_whole_run_goes_before_a_draw(drawn_store: Store) -> None:
    fill(drawn_store, "mini-gpt")
    app = open_app("risk", model=["mini-gpt"])
    assert "over 120 occupations and 19 templates" in app.texts
    assert "draws" not in app.texts


def test_draws_by_other_counts_are_not_shown_as_those_of_the_set(drawn_store: Store) -> None:
    """Counts are no part of a key: what was drawn before they changed is the risk of other contexts."""
    run = plan_of("mini-gpt")
    recounted = tuple(t.model_copy(update={"count": t.count + 1}) for t in run.templates.templates)
    templates = run.templates.model_copy(update={"templates": recounted})
    old = RunFolder(drawn_store._root)  # as earlier versions did, and as a set does whose file is changed
    old.save(run.model_copy(update={"templates": templates}), {}, complete=True)
    assert "Not scored yet" in open_app("risk", model=["mini-gpt"]).texts


@pytest.mark.slow
def test_equal_weights_are_read_from_the_draw(drawn_store: Store) -> None:
    app = open_app("risk", template_weights="equal")
    assert not app.error
    assert "100 draws of 17" in app.texts


def test_the_form_asks_for_a_plan_and_says_what_it_may_cost() -> None:
    app = open_app(
        "run_an_audit", score_model=["mini-gpt"], score_within="0.02", score_templates="gender-nineteen"
    )
    assert app.number_input(key="score_within").value == 0.02
    assert "at most 2,280 cells · roughly " in app.texts
    app.press("score_button")
    (job,) = own_queue().list(10)
    assert job.payload["within"] == 0.02
    assert job.key == plan_of("mini-gpt", 0.02).key
    assert job.total == plan_of("mini-gpt", 0.02).cells
    assert "until ± 0.02" in app.texts


@pytest.mark.parametrize("page", ["run_an_audit", "risk"])
def test_estimate_and_interval_are_shown_while_it_runs(page: str) -> None:
    run, queue = plan_of("mini-gpt", 0.005), own_queue()
    job = submit_run(own_store(), queue, run, run.cells)
    queue.claim("somebody")
    queue.note(job.id, {"sampling": LOOK.model_dump(mode="json")}, "somebody")
    app = open_app(page, model=["mini-gpt"])
    said = app.captions
    assert "The risk is 0.71 (0.69–0.73) after 400 draws" in said
    assert "The widest range is ± 0.02, the goal ± 0.005" in said
    assert app.button(key=f"cancel_{job.id}").label == "Cancel"
