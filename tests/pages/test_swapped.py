"""Every page with a swapped run: a topic's words at [X], the terms of a list as groups at [Y]."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from pcf_core.app.lists import parameters_of
from pcf_core.audit.preferences import build_run
from pcf_core.audit.results import load_result
from pcf_core.core.run import ModelSpec, RunSpec, version_name
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.suiting import swapped
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.fake import FakeScorer
from pcf_core.show.findings.notes import noun_note
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.pages.opened import App, open_app

MODELS = ("mini-bert", "mini-gpt")


def chance(prompt: str, word: str) -> float:
    return (1 + hashlib.sha256(f"{prompt}|{word}".encode()).digest()[0]) / 1e5


@pytest.fixture(scope="module")
def swapped_cache(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunSpec]:
    """The cache and the last run of :func:`run`, scored once for all tests."""
    cache = tmp_path_factory.mktemp("swapped") / "cache"
    store = Store.open(cache)
    topic, evidence = swapped(load_topic("race-gender"), load_evidence("occupations-bvf"))
    for model in MODELS:
        run = build_run(resolve(model), topic, evidence, load_templates("race-relative"))

        def opened(spec: ModelSpec, protocol: str, run: RunSpec = run) -> Scorer:
            return FakeScorer(chance, key=run.scoring)

        score_run(run, store, opened)
        load_result(store, run)
    return cache, run


@pytest.fixture
def run(swapped_cache: tuple[Path, RunSpec], own_settings: Settings) -> RunSpec:
    """Race and gender at [X], 120 occupations as groups at [Y], scored by the fake for two models."""
    cache, run = swapped_cache
    shutil.copytree(cache, own_settings.cache, dirs_exist_ok=True)
    return run


def open_swapped(page: str, run: RunSpec, **more: str) -> App:
    """The page as the link of a finished job opens it."""
    names = {name: value for name, value in parameters_of(run).items() if name != "model"}
    app = open_app(page, **names, **more)
    assert not app.error, app.error
    return app


READ = ("overview", "heat_map", "tilt", "risk", "caprice", "factors", "sensitivity", "compare")


@pytest.mark.slow
@pytest.mark.parametrize("page", READ)
def test_a_page_reads_a_swapped_run_and_says_what_stands_where(page: str, run: RunSpec) -> None:
    app = open_swapped(page, run)
    said = app.captions
    assert noun_note(run) in said
    assert "read person, such as “white man”" in said
    assert "2 runs · 10 persons × 10 templates" in said
    assert len(app.texts) > 300
    assert len(max(app.texts.split("\n"), key=len)) < 1_200, "a sentence names every group"


@pytest.mark.parametrize(
    "page", ["try_a_sentence", "run_an_audit", "topics", "templates", "knowledge", "models"]
)
def test_a_page_of_no_run_stays_itself_beside_a_swapped_choice(page: str, run: RunSpec) -> None:
    app = open_swapped(page, run)
    assert app.sidebar.selectbox(key="topic").value == version_name(run.topic)


@pytest.mark.slow
def test_the_sidebar_offers_it_with_the_list_and_templates_that_it_was_scored_with(run: RunSpec) -> None:
    app = open_app("risk")
    app.sidebar.selectbox(key="topic").set_value(version_name(run.topic)).run()
    assert app.sidebar.selectbox(key="evidence").value == version_name(run.evidence)
    assert app.sidebar.selectbox(key="templates").value == "race-relative"
    assert app.figures == [f"Risk R · {model}" for model in MODELS]
    score = open_app("run_an_audit")
    assert version_name(run.topic) not in score.selectbox(key="score_topic").options


@pytest.mark.slow
def test_of_many_groups_those_with_the_strongest_leans_have_a_panel(run: RunSpec) -> None:
    app = open_swapped("tilt", run, occupation="black woman")
    assert "The 12 of 120 groups towards which some occupation leans most" in app.captions
    assert "It never favours the other" in app.texts
    assert len(app.dataframe[-1].value) == 2 * 10
    assert app.selectbox(key="occupation").value == "black woman"


def test_probe_asks_for_the_swapped_groups(run: RunSpec) -> None:
    app = open_swapped("probe", run, model="mini-gpt")
    examples = [button.label for button in app.button if (button.key or "").startswith("example_")]
    assert any("white man" in label for label in examples)


def test_a_list_of_the_app_has_no_note(full_store: Store) -> None:
    app = open_app("risk")
    assert "where this page says" not in app.captions
    assert "2 runs · 120 occupations × 19 templates" in app.captions
