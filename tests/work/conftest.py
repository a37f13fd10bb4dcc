"""A cache, its store and queue, and the toy model in place of the registry's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.core.settings import Settings, settings
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.worker import Worker
from tests.work import toy


@pytest.fixture
def toy_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """An empty cache, shards of four prompts; every model's name means the toy."""
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "4")
    monkeypatch.setattr("pcf_core.work.scoring.resolve", toy.spec_of)
    monkeypatch.setattr("pcf_core.work.probing.resolve", toy.spec_of)
    settings.cache_clear()
    yield settings()
    settings.cache_clear()


@pytest.fixture
def toy_writers(toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name means a toy that writes texts and scores words of experiments."""
    for name in ("text_audits.resolve_writer", "blocks.resolve"):
        monkeypatch.setattr(f"pcf_core.work.{name}", toy.writer_of)
    for name in ("criteria.resolve", "benchmarks.resolve", "estimate.resolve"):
        monkeypatch.setattr(f"pcf_core.work.{name}", toy.writer_of)


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
    return Queue.open(toy_settings.catalogue)


@pytest.fixture
def worker(store: Store, queue: Queue, toy_settings: Settings) -> Worker:
    """A worker of the toy model."""
    return Worker(store, queue, toy_settings, toy.open_toy)
