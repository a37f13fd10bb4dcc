"""A disk that is full, really (a tmpfs of 2 MB), and a cache that cannot be written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

from benchmarks.kills import differences, runs_of, submit, undisturbed, variables_of
from benchmarks.mortal import noted, start
from pcf_core.app.caching import open_store
from pcf_core.audit.results import load_result
from pcf_core.core.errors import StoreError
from pcf_core.core.settings import Settings, settings
from pcf_core.store.store import Store
from pcf_core.work.queue import Job, Queue
from pcf_core.work.worker import Worker
from tests.mounts import mounted, small_disk_at

RUNS = runs_of(["mini-gpt"], 6)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    with small_disk_at(tmp_path / "disk", "2m") as folder:
        yield folder


def fill_but(disk: Path, left: int) -> Path:
    """A file that leaves ``left`` bytes of the disk."""
    state = os.statvfs(disk)
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(max(0, state.f_bavail * state.f_frsize - left)))
    return ballast


def only_job(cache: Path) -> Job:
    with closing(Queue.open(cache / "catalogue.sqlite")) as queue:
        return queue.list()[0]


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, 8, 32, 64, 96, 128, 160, 192, 224, 256])
def test_a_disk_that_fills_up_anywhere_costs_nothing_that_is_finished(
    tmp_path: Path, disk: Path, left: int
) -> None:
    """The worker meets the full disk at another step each time: at its start, at a shard, at its result."""
    undisturbed(tmp_path / "undisturbed", RUNS, 0.0)
    cache = disk / "cache"
    submit(cache, RUNS)
    ballast = fill_but(disk, left * 1024)
    start(variables_of(cache), 0.0).join()
    ballast.unlink()
    job = only_job(cache)
    assert job.state in ("queued", "running", "failed")
    assert job.error is None or "free some space" in job.error
    with closing(Queue.open(cache / "catalogue.sqlite")) as queue:
        queue.retry(job.id)
    worker = start(variables_of(cache), 0.0)
    worker.join()
    assert (worker.exitcode, only_job(cache).state) == (0, "done")
    assert differences(cache, tmp_path / "undisturbed") == []
    assert sum(block["again"] for block in noted(cache)) == 0


@pytest.mark.slow
def test_a_worker_that_stays_goes_on_when_there_is_space_again(tmp_path: Path, disk: Path) -> None:
    cache = disk / "cache"
    submit(cache, RUNS)
    ballast = fill_but(disk, 120 * 1024)
    worker = start({**variables_of(cache), "PCF_WORKER_IDLE_SECONDS": "3"}, 0.0, until_idle=False)
    deadline = monotonic() + 60
    while not noted(cache) and monotonic() < deadline:
        sleep(0.05)
    sleep(1.0)
    assert worker.is_alive()
    assert only_job(cache).state != "done"
    ballast.unlink()
    with closing(Queue.open(cache / "catalogue.sqlite")) as queue:
        queue.retry(only_job(cache).id)  # where its failure could still be written down
    worker.join()
    assert (worker.exitcode, only_job(cache).state) == (0, "done")
    undisturbed(tmp_path / "undisturbed", RUNS, 0.0)
    assert differences(cache, tmp_path / "undisturbed") == []
    assert sum(block["again"] for block in noted(cache)) == 0


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A scored cache on a file system that is mounted read-only."""
    cache = tmp_path / "cache"
    undisturbed(cache, RUNS, 0.0)
    with mounted(cache, "--bind", str(cache)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(cache)], check=True)
        yield cache


@pytest.mark.slow
def test_a_read_only_cache_is_read_and_takes_no_work(read_only: Path) -> None:
    """Also by one that was written a moment ago, with the catalogue's journal still beside it."""
    before = {path: path.read_bytes() for path in read_only.rglob("*") if path.is_file()}
    store = Store.open(read_only)
    (run,) = RUNS
    assert store.run_info(run.key).complete
    assert store.missing(run.scoring, run.prompts, run.topic.words) == []
    assert np.isfinite(load_result(store, run).preferences.values).all()
    with pytest.raises(StoreError, match="cannot be written: make it writable"):
        submit(read_only, RUNS)
    with pytest.raises(StoreError, match="cannot be written: make it writable"):
        Worker.open(Settings(cache=read_only)).run(until_idle=True)
    assert {path: path.read_bytes() for path in read_only.rglob("*") if path.is_file()} == before


def test_an_app_that_was_started_on_a_full_disk_goes_on_when_there_is_space(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says that it is full meanwhile, whatever SQLite calls it."""
    cache = disk / "cache"
    monkeypatch.setenv("PCF_CACHE", str(cache))
    settings.cache_clear()
    Store.open(cache)._database.close()
    ballast = fill_but(disk, 0)
    open_store.clear()
    with pytest.raises(StoreError, match="is full: free some space"):
        open_store().must_be_writable()
    assert open_store() is open_store()
    ballast.unlink()
    open_store().must_be_writable()
    open_store.clear()
