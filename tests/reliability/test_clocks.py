"""A clock that jumps: an hour or ten years forward or back, while workers hold jobs."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from pcf_core.store.store import Store
from pcf_core.work.processes import name_of
from pcf_core.work.queue import Queue
from tests.reliability.test_damage import RUN, score

JUMPS = (-315_360_000.0, -3600.0, 3600.0, 315_360_000.0)
AWAY = "another-host:17:12345"


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return Queue.open(tmp_path / "cache" / "catalogue.sqlite")


def set_clock(monkeypatch: pytest.MonkeyPatch, wall: float = 0.0, monotonic: float = 0.0) -> None:
    """Both clocks of this process, that many seconds from the true ones."""
    real, steady = time.time, time.monotonic
    monkeypatch.setattr("pcf_core.work.queue.time.time", lambda: real() + wall)
    monkeypatch.setattr("pcf_core.work.queue.time.monotonic", lambda: steady() + monotonic)


def held_by(queue: Queue, owner: str) -> int:
    job = queue.submit("score", "key", {})
    assert queue.claim(owner) is not None
    return job.id


@pytest.mark.parametrize("jump", JUMPS)
def test_a_worker_here_keeps_its_job(queue: Queue, monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    job = held_by(queue, name_of(os.getpid()))
    with monkeypatch.context() as patch:
        set_clock(patch, wall=jump)
        queue.requeue_dead()
        assert queue.get(job).state == "running"
        assert len(queue.workers()) == 1


@pytest.mark.parametrize("jump", JUMPS)
def test_a_worker_elsewhere_keeps_its_job_while_it_beats(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """Its beats are told apart, and for how long they fail to come is told by our own steady clock."""
    job = held_by(queue, AWAY)
    queue.requeue_dead()
    for later in range(0, 200, 20):
        with monkeypatch.context() as patch:
            set_clock(patch, wall=jump + later, monotonic=later)
            queue.requeue_dead()
        assert queue.get(job).state == "running", later
        with monkeypatch.context() as patch:  # its own clock did not jump
            set_clock(patch, wall=later, monotonic=1e6 + later)
            queue.heartbeat(AWAY)


@pytest.mark.parametrize("jump", JUMPS)
def test_a_silent_worker_elsewhere_loses_its_job_whatever_the_clock_says(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """Also one that last beat in what is now the future."""
    job = held_by(queue, AWAY)
    queue.requeue_dead()
    for later, state in ((20, "running"), (40, "queued")):
        with monkeypatch.context() as patch:
            set_clock(patch, wall=jump + later, monotonic=later)
            queue.requeue_dead()
        assert queue.get(job).state == state


@pytest.mark.parametrize("jump", JUMPS)
def test_nobody_waits_for_a_worker_that_last_beat_in_another_time(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """A beat an hour ahead is no sign of life: an app may start a worker of its own."""
    queue.heartbeat(AWAY)
    assert [worker.owner for worker in queue.workers()] == [AWAY]
    set_clock(monkeypatch, wall=jump)
    assert queue.workers() == ()


def test_a_host_of_the_same_name_is_this_one(queue: Queue) -> None:
    """What the names of workers begin with; a process of this host that is gone is dead at once."""
    gone = f"{socket.gethostname()}:4194305:1"
    job = held_by(queue, gone)
    queue.requeue_dead()
    assert queue.get(job).state == "queued"


@pytest.mark.parametrize("jump", JUMPS)
def test_files_dated_in_another_time_are_read_and_nothing_is_scored_again(
    tmp_path: Path, jump: float
) -> None:
    """Neither what is missing nor what is intact goes by the age of a file."""
    cache = tmp_path / "cache"
    assert score(cache) == 76
    then = time.time() + jump
    for path in cache.rglob("*"):
        os.utime(path, (then, then))
    assert score(cache) == 0
    assert Store.open(cache).run_info(RUN.key).complete
