"""A kind of job is a request and one handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pcf_core.core.records import Record
from pcf_core.work.jobs import HANDLERS, JobContext, PauseClock, Stopped, job
from pcf_core.work.queue import Queue
from pcf_core.work.worker import Worker


class CountRequest(Record):
    """Count to a number."""

    to: int


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[JobContext, CountRequest], Any]], Any]:
    """Registers a handler of the kind *count*, for one test."""
    monkeypatch.setitem(HANDLERS, "count", lambda context: {})  # taken out again afterwards
    return job("count", CountRequest)


def test_every_kind_that_can_be_asked_for_has_a_handler() -> None:
    assert HANDLERS.keys() == {
        *("score", "words", "probe", "check", "read", "knowledge", "mine"),
        *("fairpair", "criteria", "embedding", "fetch", "benchmark"),
    }


def test_a_new_kind_is_one_handler(worker: Worker, queue: Queue, handle: Callable[..., Any]) -> None:
    seen: list[tuple[int, int, Any]] = []

    @handle
    def answer_count(context: JobContext, request: CountRequest) -> dict[str, Any]:
        for number in range(request.to):
            context.pause()
            context.progress(number + 1, request.to, 1.0)
            context.note({"at": number})
            now = queue.get(context.job.id)
            seen.append((now.done, now.total, now.result))
        return {"counted": request.to}

    asked = queue.submit("count", "three", CountRequest(to=3).model_dump(mode="json"), total=3)
    worker.run(until_idle=True)
    assert seen == [(1, 3, {"at": 0}), (2, 3, {"at": 1}), (3, 3, {"at": 2})]
    assert (queue.get(asked.id).state, queue.get(asked.id).result) == ("done", {"counted": 3})


def test_a_cancelled_job_ends_in_its_pause_and_one_that_is_held_waits(
    worker: Worker, queue: Queue, handle: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.work.worker.AGAIN_SECONDS", 0.1)
    tried: list[int] = []

    @handle
    def answer_count(context: JobContext, request: CountRequest) -> dict[str, Any]:
        tried.append(request.to)
        if request.to == 1 and tried.count(1) == 1:
            context.wait_for("another")
        if request.to == 2:
            queue.cancel(context.job.id)
        context.pause()
        return {}

    held, cancelled = (
        queue.submit("count", str(to), CountRequest(to=to).model_dump(mode="json")) for to in (1, 2)
    )
    worker.run(until_idle=True)
    while queue.get(held.id).state == "queued":  # idle, until it is its turn again
        worker.run(until_idle=True)
    assert (queue.get(held.id).state, queue.get(cancelled.id).state) == ("done", "cancelled")
    assert tried.count(1) == 2


def test_what_is_spent_in_pauses_is_known_also_of_the_last_one() -> None:
    def stop() -> None:
        raise Stopped

    clock = PauseClock(stop)
    with pytest.raises(Stopped):
        clock()
    assert clock.seconds > 0
