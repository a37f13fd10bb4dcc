"""Page tests: a server that had a session before, and no cache of another test's."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator

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


@pytest.fixture(scope="session", autouse=True)
def components_looked_for_once() -> Iterator[None]:
    """Each AppTest reads the metadata of every installed package for components: a sixth of its time."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
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
    known: dict[str, RiskReport] = {}

    def report(result: Result, run: RunSpec, options: ViewOptions, *, brief: bool = False) -> RiskReport:
        all_of_it = pickle.dumps((result, run, options, brief, stamp_of("factors")))
        key = hashlib.sha256(all_of_it).hexdigest()
        if key not in known:
            known[key] = work_out(result, run, options, brief=brief)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "report", report)
        yield


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
