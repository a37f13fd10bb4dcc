"""A cache, its store and queue, and the toy model in place of the registry's."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from pcf_core.core.settings import Settings, settings
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.worker import Worker

TOY = Path(__file__).with_name("toy.py")


@pytest.fixture(scope="session")
def toy() -> ModuleType:
    found = importlib.util.spec_from_file_location("toy", TOY)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture
def toy_settings(tmp_path: Path, toy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """An empty cache, shards of four prompts; every model's name means the toy."""
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "4")
    monkeypatch.setattr("pcf_core.work.scoring.resolve", toy.spec_of)
    monkeypatch.setattr("pcf_core.work.probing.resolve", toy.spec_of)
    settings.cache_clear()
    yield settings()
    settings.cache_clear()


@pytest.fixture
def usual_blocks(toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody chose how many prompts a shard has."""
    monkeypatch.delenv("PCF_SHARD_PROMPTS")
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture
def every_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """All drawn cells are checked, however short the scoring was."""
    monkeypatch.setattr("pcf_core.work.self_audit.PART_OF_TIME", 1e9)


@pytest.fixture
def slow_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every shard takes longer than whole blocks wait for others to be saved with them."""
    monkeypatch.setattr("pcf_core.work.scoring.SAVE_SECONDS", 0.0)


@pytest.fixture
def store(toy_settings: Settings) -> Store:
    return Store.open(toy_settings.cache)


@pytest.fixture
def queue(toy_settings: Settings) -> Queue:
    return Queue.open(toy_settings.cache / "catalogue.sqlite")


@pytest.fixture
def worker(store: Store, queue: Queue, toy_settings: Settings, toy: ModuleType) -> Worker:
    """A worker of the toy model."""
    return Worker(store, queue, toy_settings, toy.open_toy)
