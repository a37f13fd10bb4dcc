"""Page tests: a server that had a session before, a cache of each test's own, and results made once."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from pcf_core.app import data
from pcf_core.app.lists import stamp_of
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.core.topics import MinedSet, Topic
from pcf_core.material.templates import save_set
from pcf_core.material.topics import save_topic
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.quantities import ExperimentName
from tests.conftest import MINI_MODELS, fill
from tests.pages.opened import set_environment
from tests.pages.own import OWN_SET, OWN_TOPIC

RECORDING = {"assert_page_recorded", "assert_recorded", "assert_state", "assert_walk"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests of pages that record nothing where goldens are rewritten."""
    if os.environ.get("REWRITE_GOLDENS") == "1":
        here = Path(__file__).parent
        items[:] = [
            item
            for item in items
            if not item.path.is_relative_to(here) or RECORDING & set(item.function.__code__.co_names)  # type: ignore[attr-defined]
        ]


@pytest.fixture(scope="session", autouse=True)
def components_looked_for_once() -> Iterator[None]:
    """Each AppTest reads the metadata of every installed package for components: a sixth of its time."""
    manifests = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: manifests)
        yield


@pytest.fixture(scope="session", autouse=True)
def waited_for_without_asking() -> Iterator[None]:
    """AppTest asks every millisecond whether the page is done: a tenth of the page's time."""
    ask = local_script_runner.require_widgets_deltas

    def wait(runner: LocalScriptRunner, timeout: float) -> None:
        assert runner._script_thread
        runner._script_thread.join(timeout)
        if runner._script_thread.is_alive():
            ask(runner, timeout=0)  # which stops it, and says so

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(scope="session", autouse=True)
def reports_worked_out_once() -> Iterator[None]:
    """Each test has a store of its own, most with the same preferences: they have the same reports."""
    work_out = data.report
    reports: dict[str, RiskReport] = {}

    def report(result: Result, run: RunSpec, options: ViewOptions, *, brief: bool = False) -> RiskReport:
        all_of_it = pickle.dumps((result, run, options, brief, stamp_of("factors")))
        key = hashlib.sha256(all_of_it).hexdigest()
        if key not in reports:
            reports[key] = work_out(result, run, options, brief=brief)
        return reports[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "report", report)
        yield


@pytest.fixture(autouse=True)
def own_cache(own_settings: Settings) -> None:
    """Each test has a cache of its own, without the shipped results."""


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The day on which a report is made is no part of a golden."""
    monkeypatch.setattr("pcf_core.report.records.today", lambda: "2026-01-31")


@pytest.fixture(autouse=True)
def warm_server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let AppTest be a server that had a session before; by itself it plays the first one at every run."""
    start = PagesManager.__init__

    def warm(self: PagesManager, *arguments: object, **options: object) -> None:
        start(self, *arguments, **options)  # type: ignore[arg-type]
        PagesManager.uses_pages_directory = False

    if "cold_server" not in request.keywords:
        monkeypatch.setattr(PagesManager, "__init__", warm)


@pytest.fixture(autouse=True)
def fresh_caches() -> Iterator[None]:
    """Each test has its own store: what Streamlit cached of another test's is dropped."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def own_topic() -> Topic:
    """A topic of the user's own."""
    return save_topic(OWN_TOPIC)


@pytest.fixture
def own_set() -> MinedSet:
    """A set of the user's own."""
    return save_set(OWN_SET)


@pytest.fixture
def two_precisions(full_store: Store) -> Store:
    """The store of both models in float32, and mini-gpt in bfloat16 too."""
    fill(full_store, "mini-gpt", dtype="bfloat16")
    return full_store


@pytest.fixture
def shipped(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The shipped results under an empty cache."""
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "1")
    settings.cache_clear()
    return Store.open(own_settings.cache, settings().results, settings().scores)


@pytest.fixture(scope="session")
def texts_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of :func:`texts_store`, made once for all tests."""
    from tests.texts.criteria.asked import score_criteria
    from tests.texts.fairpair.written import write_small

    cache = tmp_path_factory.mktemp("texts") / "cache"
    store = Store.open(cache)
    write_small(store)
    for name in get_args(ExperimentName):
        for model in MINI_MODELS:
            score_criteria(store, name, model)
    return cache


@pytest.fixture
def texts_store(texts_cache: Path, own_settings: Settings) -> Store:
    """A store with the small FairPair result of mini-gpt, and both mini models' answers to all criteria."""
    shutil.copytree(texts_cache, own_settings.cache, dirs_exist_ok=True)
    return Store.open(own_settings.cache)


@pytest.fixture
def corpora(own_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator's folder with one corpus, and no downloads."""
    folder = tmp_path / "corpora"
    folder.mkdir()
    (folder / "toy.txt").write_text("The nurse said that she was late.")
    (folder / "notes.pdf").write_bytes(b"%PDF")
    set_environment(monkeypatch, CORPORA=str(folder), ALLOW_HUB="0")


@pytest.fixture
def same_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which models fit into the memory of this machine is no part of a golden."""
    for module in ("tables", "details"):
        monkeypatch.setattr(f"pcf_core.app.models.{module}.main_memory", lambda: 16 * 10**9)
