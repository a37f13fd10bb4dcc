"""The queue: joining, claiming, cancelling, and what becomes of the jobs of the dead."""

from __future__ import annotations

import math
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import RunError, StoreError
from pcf_core.core.settings import settings
from pcf_core.store.database import Database
from pcf_core.work.processes import name_of
from pcf_core.work.queue import DEADLY, Queue

ME = name_of(os.getpid())
ELSEWHERE = "elsewhere:1:2"


def empty() -> Queue:
    return Queue(Database(None))


def test_a_job_goes_through_its_life(queue: Queue) -> None:
    job = queue.submit("score", "abc", {"run": {"a": [1]}}, total=10)
    assert (job.state, job.payload, job.total, job.owner) == ("queued", {"run": {"a": [1]}}, 10, None)
    claimed = queue.claim(ME)
    assert (claimed.id, claimed.state, claimed.owner) == (job.id, "running", ME)
    assert claimed.seconds_left is None
    queue.progress(job.id, 4, rate=2.0)
    assert (queue.get(job.id).done, queue.get(job.id).seconds_left) == (4, 3.0)
    queue.finish(job.id, {"scored": 10})
    done = queue.get(job.id)
    assert (done.state, done.result, done.owner, done.rate) == ("done", {"scored": 10}, None, 2.0)
    assert done.seconds_left is None
    assert queue.claim(ME) is None


def test_a_running_job_says_what_it_has_found_so_far(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    queue.note(job.id, {"found": 1}, ME)
    assert queue.get(job.id).result is None, "nobody works on it"
    queue.claim(ME)
    queue.note(job.id, {"found": 2}, "somebody else")
    assert queue.get(job.id).result is None
    queue.note(job.id, {"found": 3}, ME)
    assert (queue.get(job.id).state, queue.get(job.id).result) == ("running", {"found": 3})
    queue.finish(job.id, {"found": 4}, ME)
    assert queue.get(job.id).result == {"found": 4}


def test_the_same_work_is_joined_while_it_is_active(queue: Queue) -> None:
    first = queue.submit("score", "abc", {}, total=10)
    assert queue.submit("score", "abc", {}, priority=2).id == first.id
    assert queue.get(first.id).priority == 2
    assert queue.submit("score", "abc", {}).priority == 2
    queue.claim(ME)
    assert queue.submit("score", "abc", {}).id == first.id
    assert queue.submit("words", "abc", {}).id != first.id
    assert queue.submit("score", "def", {}).id != first.id
    queue.finish(first.id, {})
    assert queue.submit("score", "abc", {}).id != first.id
    assert len(queue.list()) == 4


def test_a_running_job_is_cancelling_until_its_worker_hears_it(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    queue.claim(ME)
    assert not queue.get(job.id).is_cancelling
    assert queue.cancel(job.id).is_cancelling
    queue.release(ME, job.id)
    assert (queue.get(job.id).state, queue.get(job.id).is_cancelling) == ("cancelled", False)
    assert not queue.cancel(queue.submit("score", "waiting", {}).id).is_cancelling, "it has ended at once"


@given(st.lists(st.integers(-2, 3), max_size=10), st.none() | st.integers(-2, 3))
def test_claims_go_by_priority_then_age(priorities: list[int], least: int | None) -> None:
    """Against a stable sort."""
    queue = empty()
    for number, priority in enumerate(priorities):
        queue.submit("score", str(number), {}, priority)
    claimed = []
    while (job := queue.claim(ME, least)) is not None:
        claimed.append(int(job.key))
    fitting = [n for n, priority in enumerate(priorities) if least is None or priority >= least]
    assert claimed == sorted(fitting, key=lambda number: -priorities[number])
    assert queue.waiting() == (len(claimed) < len(priorities))


def take_all(path: Path, ready: Any, taken: Any) -> None:
    queue = Queue.open(path)
    ready.wait()
    while (job := queue.claim(name_of(os.getpid()))) is not None:
        taken.put(job.id)
        queue.finish(job.id, {})
    taken.put(None)


@pytest.mark.slow
def test_processes_never_claim_the_same_job(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.sqlite"
    queue = Queue.open(path)
    jobs = [queue.submit("words", str(number), {}).id for number in range(60)]
    context = multiprocessing.get_context("spawn")
    ready, taken = context.Barrier(3), context.Queue()
    processes = [context.Process(target=take_all, args=(path, ready, taken)) for _ in range(3)]
    for process in processes:
        process.start()
    found: list[int] = []
    ended = 0
    while ended < len(processes):
        number = taken.get(timeout=60)
        ended += number is None
        found += [] if number is None else [number]
    for process in processes:
        process.join()
    assert sorted(found) == jobs


# ---------------------------------------------------------------------------------- cancel and retry


def test_a_waiting_job_is_cancelled_at_once(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    assert queue.cancel(job.id).state == "cancelled"
    assert queue.claim(ME) is None


def test_a_running_job_is_asked_to_stop_and_can_be_resumed(queue: Queue) -> None:
    job = queue.submit("score", "abc", {}, total=10)
    queue.claim(ME)
    queue.progress(job.id, 6)
    assert not queue.cancelled(job.id, ME)
    assert queue.cancel(job.id).state == "running"
    assert queue.cancelled(job.id, ME)
    queue.release(ME, job.id)
    assert queue.get(job.id).state == "cancelled"
    again = queue.retry(job.id)
    assert (again.id, again.state, again.done) == (job.id, "queued", 6)
    assert not queue.cancelled(queue.claim(ME).id, ME)


def test_asking_again_takes_a_cancel_back(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    queue.claim(ME)
    queue.cancel(job.id)
    assert queue.submit("score", "abc", {}).id == job.id
    assert not queue.cancelled(job.id, ME)
    queue.cancel(job.id)
    queue.submit("score", "abc", {})
    queue.release(ME)
    assert queue.get(job.id).state == "queued"


def test_an_ended_job_cannot_be_cancelled(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    queue.claim(ME)
    queue.finish(job.id, {})
    assert queue.cancel(job.id).state == "done"
    assert queue.retry(job.id).state == "done"


def test_a_failed_job_is_retried_without_its_error(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    queue.claim(ME)
    queue.fail(job.id, "The model broke.")
    assert (queue.get(job.id).state, queue.get(job.id).error) == ("failed", "The model broke.")
    assert (queue.retry(job.id).state, queue.get(job.id).error) == ("queued", None)


def test_retrying_joins_the_same_work_under_way(queue: Queue) -> None:
    old = queue.submit("score", "abc", {})
    queue.cancel(old.id)
    new = queue.submit("score", "abc", {})
    assert queue.retry(old.id).id == new.id
    assert queue.get(old.id).state == "cancelled"


@pytest.mark.parametrize("method", ["get", "cancel", "retry"])
def test_an_unknown_job_is_one_sentence(queue: Queue, method: str) -> None:
    with pytest.raises(RunError, match="There is no job 7"):
        getattr(queue, method)(7)


def test_the_list_begins_with_the_newest(queue: Queue) -> None:
    ids = [queue.submit("score", str(number), {}).id for number in range(5)]
    assert [job.id for job in queue.list(3)] == ids[:1:-1]


# ------------------------------------------------------------------------------------------ owners


def test_who_has_lost_a_job_changes_it_no_more(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    queue.claim(ELSEWHERE)
    queue.release(ELSEWHERE)
    queue.claim(ME)
    assert queue.cancelled(job.id, ELSEWHERE)
    queue.progress(job.id, 5, owner=ELSEWHERE)
    queue.finish(job.id, {}, ELSEWHERE)
    queue.fail(job.id, "late", ELSEWHERE)
    queue.release(ELSEWHERE)
    assert (queue.get(job.id).state, queue.get(job.id).owner, queue.get(job.id).done) == ("running", ME, 0)


def test_jobs_of_a_process_that_ended_are_queued_again(queue: Queue) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = name_of(process.pid)
    kept, lost, unwanted = (queue.submit("score", key, {}) for key in "abc")
    queue.claim(ME)
    queue.claim(owner)
    queue.claim(owner)
    queue.cancel(unwanted.id)
    queue.requeue_dead()
    assert {worker.owner for worker in queue.workers()} == {ME, owner}
    process.communicate(b"\n")
    assert [worker.owner for worker in queue.workers()] == [ME]
    queue.requeue_dead()
    assert [queue.get(job.id).state for job in (kept, lost, unwanted)] == ["running", "queued", "cancelled"]


def test_silence_is_death_here_by_the_monotonic_clock(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    job = queue.submit("score", "abc", {})
    queue.claim(ME)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 29)
    queue.requeue_dead()
    assert queue.get(job.id).state == "running"
    monkeypatch.setattr(time, "monotonic", lambda: now + 31)
    queue.requeue_dead()
    assert queue.get(job.id).state == "queued"
    assert queue.workers() == ()


def test_leaving_gives_everything_back(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    queue.claim(ME)
    queue.leave(ME)
    assert queue.get(job.id).state == "queued"
    assert queue.workers() == ()


def test_a_queue_that_cannot_be_written_is_empty_and_takes_nothing() -> None:
    queue = Queue(Database(None, refusal="The cache at /data cannot be written."))
    assert queue.list() == ()
    assert queue.claim(ME) is None
    with pytest.raises(StoreError, match="cannot be written"):
        queue.submit("score", "abc", {})
    with pytest.raises(StoreError, match="cannot be written"):
        queue.heartbeat(ME)


# ------------------------------------------------------------------------------ jobs that kill workers


def fall_silent(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker elsewhere is heard of for half a minute."""
    queue.requeue_dead()
    clock = time.monotonic
    with monkeypatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: clock() + 31)
        queue.requeue_dead()


def die_at_it(queue: Queue, monkeypatch: pytest.MonkeyPatch, done: int | str | None = 0) -> None:
    """A worker elsewhere takes the job, gets this far, or notes alone, or not even begins, and is silent."""
    job = queue.claim(ELSEWHERE)
    if isinstance(done, int):
        queue.progress(job.id, done, owner=ELSEWHERE)
    elif done is not None:
        queue.begin(job.id, ELSEWHERE)
    fall_silent(queue, monkeypatch)


LOADING = "while they loaded the model of this job"


@pytest.mark.parametrize(
    ("deaths", "error"),
    [
        ((0, 0, 0), DEADLY),
        ((*range(1, 8), 7, 7, 7), DEADLY),  # one that gets further between two deaths goes on
        ((0, 0, 9, 9, 9, 9), DEADLY),  # a death with progress is none of the three
        ((None, None, 4, None, 4, None, 4, None), LOADING),  # the first at 4 got further
        ((None, None, 4, None, 4, None, 4, 4), DEADLY),
        (("noted",) * 3, DEADLY),  # as mining a corpus of unknown size does
    ],
)
def test_a_job_that_kills_three_workers_fails_and_is_counted_anew_when_retried(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, deaths: tuple[int | str | None, ...], error: str
) -> None:
    job = queue.submit("score", "abc", {}, total=100)
    for done in deaths:
        assert queue.get(job.id).state == "queued", done
        die_at_it(queue, monkeypatch, done)
    failed = queue.get(job.id)
    assert (failed.state, error in str(failed.error), queue.claim(ME)) == ("failed", True, None)
    queue.retry(job.id)
    die_at_it(queue, monkeypatch, None)
    assert (queue.get(job.id).state, queue.get(job.id).error) == ("queued", None)


def test_what_was_done_before_the_worker_took_it_is_not_its_progress(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = queue.submit("score", "abc", {}, total=100)
    queue.claim(ME)
    queue.progress(job.id, 50, owner=ME)
    queue.release(ME)
    for _ in range(3):
        die_at_it(queue, monkeypatch, done=50)
    assert queue.get(job.id).state == "failed"


def test_a_worker_that_leaves_in_order_has_not_died(queue: Queue) -> None:
    job = queue.submit("score", "abc", {})
    for _ in range(5):
        queue.claim(ME)
        queue.leave(ME)
        queue.requeue_dead()
    assert queue.get(job.id).state == "queued"


def test_a_deadly_job_that_was_cancelled_is_cancelled(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    job = queue.submit("score", "abc", {})
    for _ in range(2):
        die_at_it(queue, monkeypatch)
    assert queue.claim(ELSEWHERE) is not None
    queue.cancel(job.id)
    fall_silent(queue, monkeypatch)
    assert queue.get(job.id).state == "cancelled"


# ------------------------------------------------------------------------- workers of other settings

OLD, NEW = "aaaa@cpu", "bbbb@cpu"


@pytest.fixture
def asked_with(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Let what is asked from now on be asked with settings of a fingerprint."""
    with monkeypatch.context() as patch:
        yield lambda fingerprint: patch.setattr(type(settings()), "fingerprint", fingerprint)


def taken(queue: Queue, owner: str) -> list[int]:
    """The numbers of all jobs that a worker takes, one after another."""
    found: list[int] = []
    while (job := queue.claim(owner)) is not None:
        found.append(job.id)
    return found


def test_a_worker_that_an_app_started_leaves_the_jobs_of_another(
    queue: Queue, asked_with: Callable[[str], None]
) -> None:
    queue.heartbeat("old:1:1", OLD)
    asked_with(OLD)
    first = queue.submit("score", "a", {})
    asked_with(NEW)
    second = queue.submit("score", "b", {})
    assert (first.fingerprint, second.fingerprint) == (OLD, NEW)
    queue.heartbeat("new:1:1", NEW)
    assert taken(queue, "old:1:1") == [first.id]
    assert not queue.waiting("old:1:1")
    assert queue.waiting("new:1:1")
    assert taken(queue, "new:1:1") == [second.id]


def test_a_worker_that_was_started_by_hand_takes_every_job(
    queue: Queue, asked_with: Callable[[str], None]
) -> None:
    queue.heartbeat(ME)
    jobs = []
    for number, fingerprint in enumerate((OLD, NEW)):
        asked_with(fingerprint)
        jobs.append(queue.submit("score", str(number), {}).id)
    assert taken(queue, ME) == jobs


def test_what_an_app_of_before_left_behind_is_taken_over(
    queue: Queue, asked_with: Callable[[str], None]
) -> None:
    asked_with(OLD)
    left = queue.submit("score", "a", {})
    queue.heartbeat("new:1:1", NEW)
    assert taken(queue, "new:1:1") == [left.id]


def test_who_asks_again_asks_with_the_settings_of_now(
    queue: Queue, asked_with: Callable[[str], None]
) -> None:
    queue.heartbeat("old:1:1", OLD)
    asked_with(OLD)
    joined, retried = queue.submit("score", "a", {}), queue.submit("score", "b", {})
    queue.cancel(retried.id)
    asked_with(NEW)
    queue.submit("score", "a", {})
    queue.retry(retried.id)
    assert {queue.get(job.id).fingerprint for job in (joined, retried)} == {NEW}
    assert taken(queue, "old:1:1") == []


def test_the_later_of_two_workers_of_unlike_apps_waits_for_the_earlier(queue: Queue) -> None:
    names = [name_of(os.getpid()), name_of(os.getppid())]
    for owner, fingerprint in zip(names, (OLD, NEW), strict=True):
        queue.heartbeat(owner, fingerprint)
    assert [(queue.predecessor(owner), queue.successor(owner)) for owner in names] == [
        (False, True),
        (True, False),
    ]
    queue.heartbeat(names[0], NEW)
    assert not any(queue.predecessor(owner) or queue.successor(owner) for owner in names), "alike"


def test_who_was_started_by_hand_or_has_ended_is_waited_for_by_none(queue: Queue) -> None:
    queue.heartbeat(ME, OLD)
    queue.heartbeat(name_of(os.getppid()))
    process = subprocess.Popen([sys.executable, "-c", ""])
    queue.heartbeat(name_of(process.pid), NEW)
    process.wait()
    assert not queue.successor(ME)
    assert not queue.predecessor(name_of(os.getppid()))


def test_a_heartbeat_keeps_the_settings_that_a_worker_came_with(queue: Queue) -> None:
    queue.heartbeat(ME, OLD)
    queue.heartbeat(ME)
    assert queue.fingerprint_of(ME) == OLD
    assert [worker.fingerprint for worker in queue.workers()] == [OLD]
    assert queue.fingerprint_of("nobody:1:1") == ""


def test_a_worker_does_not_stay_for_a_job_that_it_leaves_to_another(
    queue: Queue, asked_with: Callable[[str], None]
) -> None:
    queue.heartbeat(ME, OLD)
    asked_with(NEW)
    queue.submit("score", "a", {})
    assert queue.sign_off(ME)
    asked_with(OLD)
    queue.heartbeat(ME, OLD)
    queue.submit("score", "b", {})
    assert not queue.sign_off(ME)
    assert [worker.owner for worker in queue.workers()] == [ME]


def test_a_worker_leaves_what_waits_for_a_frozen_process_to_who_waits_for_it(
    queue: Queue, asked_with: Callable[[str], None]
) -> None:
    """It passes the job over and would not be idle; nobody else could begin."""
    names = [name_of(os.getpid()), name_of(os.getppid())]
    asked_with(OLD)
    queue.heartbeat(names[0], OLD)
    held = queue.submit("score", "held", {})
    queue.heartbeat(names[1], NEW)
    assert queue.sign_off(names[0])
    taken = queue.claim(names[1])
    assert taken.id == held.id


def test_a_worker_stays_for_a_job_that_who_waits_for_it_would_not_take(
    queue: Queue, asked_with: Callable[[str], None]
) -> None:
    names = [name_of(os.getpid()), name_of(os.getppid())]
    asked_with(OLD)
    for name, fingerprint in zip(names, (OLD, NEW), strict=True):
        queue.heartbeat(name, fingerprint)
    late = queue.submit("score", "late", {})
    assert not queue.sign_off(names[0])
    queue.claim(names[0])
    queue.note(late.id, {"stage": "waiting", "holder": "elsewhere:1:1"}, names[0])
    queue.release(names[0])
    assert queue.sign_off(names[0]), (
        "another process is at it: who waits for this one is not to wait for that"
    )
    assert taken(queue, names[1]) == [late.id]


@pytest.mark.parametrize("note", [{"stage": "writing"}, {"stage": "writing", "done": 2, "total": 5}])
def test_what_a_job_that_writes_texts_is_at_is_no_progress_of_a_run(
    queue: Queue, note: dict[str, object]
) -> None:
    job = queue.submit("fairpair", "key", {}, total=5)
    claimed = queue.claim("worker")
    assert claimed is not None
    queue.note(job.id, note, "worker")
    assert queue.get(job.id).at is None


def test_what_a_job_has_found_may_be_infinite_where_a_worker_signs_off(queue: Queue) -> None:
    """SQLite reads no Infinity; the catalogue was set aside for it."""
    here = name_of(os.getpid())
    queue.heartbeat(here, settings().fingerprint)
    queue.heartbeat("another", "of other settings")
    job = queue.submit("score", "run", {})
    assert queue.claim("by hand") is not None
    queue.note(job.id, {"stage": "scoring", "half_width": math.inf}, "by hand")
    queue.release("by hand")
    assert not queue.sign_off(here), "the job is its own"
    assert queue.current
