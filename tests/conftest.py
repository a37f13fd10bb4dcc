"""Fixtures shared by all tests: a cache of their own, and a store filled by the shipped fake scorer."""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.audit.preferences import build_run
from pcf_core.audit.results import load_result
from pcf_core.audit.slots import capitalised
from pcf_core.core.run import ModelSpec, RunSpec, ScoringKey
from pcf_core.core.settings import Settings, settings
from pcf_core.core.topics import Group, MinedTemplate, SetCard, Topic
from pcf_core.material.evidence import OWN as OWN_LISTS
from pcf_core.material.evidence import load_evidence, make_evidence
from pcf_core.material.templates import load_templates, make_mined, save_set
from pcf_core.material.topics import load_topic, save_topic
from pcf_core.models import folder
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run

# The machines that run the tests differ in speed: an example has no deadline, a test has (pytest-timeout).
# `make test` takes the profile "quick" (--hypothesis-profile), which tries the same examples each time,
# `make test-all` "project"; a property that needs another number of examples scales it by tests.quick.scaled.
hypothesis.settings.register_profile("project", deadline=None)
hypothesis.settings.register_profile(
    "quick", hypothesis.settings.get_profile("project"), max_examples=25, derandomize=True
)
hypothesis.settings.load_profile("project")

# A shell ignores interrupts for what it starts in the background; some tests interrupt processes of theirs.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

CollectReports = Generator[None, pytest.CollectReport, pytest.CollectReport]
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")  # gw0, gw1, …; none where one process runs all tests
MINI_MODELS = ("mini-bert", "mini-gpt")
SMALL = {"gender": "gender-nineteen"}  # templates that tests score in the place of a topic's usual ones
# By test: `make test` takes every n-th of its cases, or none (0). Written by `tools/list_thorough.py`.
THOROUGH = {
    line.split()[0]: int(line.split()[-1]) if " every " in line else 0
    for line in Path(__file__).with_name("thorough.txt").read_text(encoding="utf8").splitlines()
}


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> CollectReports:
    """Every other process collects from the end: a file is compiled by the one that comes to it first."""
    report = yield
    if isinstance(collector, pytest.Directory) and int(WORKER[2:] or 0) % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)  # before pytest groups what shares a fixture
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if WORKER:
        items.sort(key=lambda item: item.path.parts)
    cases: Counter[str] = Counter()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if name in THOROUGH:
            every, number = THOROUGH[name], cases[name]
            cases[name] += 1
            if not every or number % every:
                item.add_marker("thorough")


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


class Unsynced(sqlite3.Connection):
    """A connection that waits for no disk where it is told to wait now and then."""

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        return super().execute(sql.replace("synchronous = NORMAL", "synchronous = OFF"), *given)


@pytest.fixture(scope="session", autouse=True)
def no_power_cut() -> Iterator[None]:
    """No machine loses its power during a test: what a file system has taken need not reach the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        patch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=Unsynced))
        yield


@pytest.fixture(autouse=True)
def same_main() -> Iterator[None]:
    """A tested page leaves the app's file as the main module, which processes that start later would run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True)
def patient() -> Iterator[None]:
    """A tested page leaves a process that does not wait for the hashes of large files, as no worker is."""
    yield
    folder._patience.clear()


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings with an empty cache, no shipped results, no package of a public model, no worker of the app.

    What endpoints answered is forgotten: the server of another test may have had the same port.
    """
    monkeypatch.setattr("pcf_core.models.endpoint._answers", {})
    monkeypatch.setattr("pcf_core.models.endpoint._chats", {})
    monkeypatch.setattr("pcf_core.models.endpoint._listed", {})
    monkeypatch.setattr("pcf_core.models.public._located", lambda file: None)
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "0")
    monkeypatch.setenv("PCF_START_WORKER", "0")
    settings.cache_clear()
    yield settings()
    settings.cache_clear()


@functools.lru_cache(maxsize=100_000)
def chance(model: str, prompt: str, group: str) -> float:
    """A probability of each word of a group, the same in every process."""
    lean = hashlib.sha256(f"{model}|{prompt}|{group}".encode()).digest()[0] / 255
    return (0.02 + lean) / 100


def fake_scorer(key: ScoringKey, topic: Topic) -> FakeScorer:
    group_of = {
        written: group.name
        for group in reversed(topic.groups)
        for word in group.words
        for written in (capitalised(word), word)
    }
    return FakeScorer(lambda prompt, word: chance(key.label, prompt, group_of[word]), key=key)


def fill(
    store: Store,
    model: str,
    templates: str = "",
    evidence: str = "",
    topic_name: str = "gender",
    dtype: str = "float32",
) -> RunSpec:
    """Score one run of a shipped model's key with the fake scorer and keep its result."""
    topic = load_topic(topic_name)
    run = build_run(
        resolve(model).with_dtype(dtype),
        topic,
        load_evidence(evidence or topic.evidence),
        load_templates(templates or SMALL.get(topic_name, topic.templates)),
    )

    def open_fake(spec: ModelSpec, protocol: str) -> Scorer:
        return fake_scorer(run.scoring, topic)

    score_run(run, store, open_fake)
    load_result(store, run)
    return run


@pytest.fixture
def small_topics(own_settings: Settings) -> tuple[str, str]:
    """The names of two topics of one's own, each with ten sentences about three occupations."""
    OWN_LISTS.save(make_evidence("few", ["nurse", "engineer", "clerk"]))
    verbs = ["said", "felt", "thought", "wrote", "knew", "hoped", "feared", "saw", "heard", "learned"]
    texts = [MinedTemplate(text=f"The [X] {verb} that [Y]", count=1) for verb in verbs]
    save_set(make_mined("ten", texts, SetCard(title="Ten sentences", form="clausal")))
    for name, shipped in (("first", "gender-pronouns"), ("second", "gender")):
        lists = {"name": name, "title": name.title(), "evidence": "few", "templates": "ten"}
        save_topic(load_topic(shipped).model_copy(update=lists))
    return "first", "second"


@pytest.fixture
def small_people(small_topics: tuple[str, str]) -> str:
    """The name of a topic of one's own about four people, asked three questions for three occupations."""
    asked = [f"[P] {did}. Should [P] be hired as [X]? Answer: [Y]" for did in ("applied", "called", "wrote")]
    card = SetCard(title="Three questions", form="decision")
    save_set(make_mined("asked", [MinedTemplate(text=text) for text in asked], card))
    groups = (Group(name="white", words=("Emily", "Greg")), Group(name="black", words=("Aisha", "Jamal")))
    lists = {"name": "people", "evidence": "few", "templates": "asked", "groups": groups}
    save_topic(load_topic("people-race").model_copy(update=lists))
    return "people"


@pytest.fixture(scope="session")
def filled_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of :func:`full_store`, scored once for all tests."""
    cache = tmp_path_factory.mktemp("filled") / "cache"
    store = Store.open(cache)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pcf_core.work.self_audit.PART_OF_TIME", 1e9)  # all cells, however short the scoring
        for model in MINI_MODELS:
            fill(store, model)
    return cache


@pytest.fixture
def full_store(filled_cache: Path, own_settings: Settings) -> Store:
    """A store with both mini models' keys scored by the fake on gender, the nineteen and its occupations."""
    shutil.copytree(filled_cache, own_settings.cache, dirs_exist_ok=True)
    return Store.open(own_settings.cache)
