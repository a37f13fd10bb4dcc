"""A key, words and small shards; the places they may lie at; folders that really are read-only or full."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import settings
from pcf_core.store.storage import Storage, storage_of
from pcf_core.store.store import Store
from tests.mounts import small_disk_at

NOBODY = 65534
KEY = ScoringKey(model="toy", identity="weights", tokenizer="tokens", family="fake", rules="1")


@pytest.fixture
def key() -> ScoringKey:
    return KEY


@pytest.fixture(autouse=True)
def shards_of_four(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "4")
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(root: Path) -> Store:
    return Store.open(root)


@pytest.fixture(params=["in the cache", "shared folder", "object storage"])
def scores(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What PCF_SCORES says; object storage is listed each time, as a folder is."""
    monkeypatch.setattr("pcf_core.store.storage.LISTING_SECONDS", 0.0)
    kinds = {
        "in the cache": "",
        "shared folder": f"{tmp_path}/shared",
        "object storage": f"memory:/{tmp_path}",
    }
    return kinds[request.param]


@pytest.fixture
def any_store(root: Path, scores: str) -> Store:
    return Store.open(root, (), scores)


@pytest.fixture
def place(root: Path, scores: str) -> Storage:
    return storage_of(root, scores)


@pytest.fixture
def as_reader() -> Iterator[Path]:
    """A folder that this process may read but, once its mode says so, not write: root becomes nobody."""
    folder = Path(tempfile.mkdtemp(prefix="pcf-reader-"))
    folder.chmod(0o755)
    is_root = os.geteuid() == 0
    yield folder
    if is_root:
        os.seteuid(0)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    with small_disk_at(tmp_path / "disk", "1m") as folder:
        yield folder
