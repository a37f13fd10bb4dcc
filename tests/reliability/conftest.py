"""Runs of made-up scores in caches of their own, served by workers that are processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.kills import SHARD_PROMPTS
from pcf_core.core.settings import settings


@pytest.fixture(autouse=True)
def small_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The settings of the benchmark for what this process scores itself."""
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "0")
    monkeypatch.setenv("PCF_SHARD_PROMPTS", str(SHARD_PROMPTS))
    settings.cache_clear()
    yield
    settings.cache_clear()
