"""Kinds of jobs: the registry of their handlers, and what a worker passes to a handler.

A new kind needs a request, a record in a file that the app may import, and a handler that returns the job's
result and that :mod:`pcf_core.work.worker` imports::

    @job("knowledge", KnowledgeRequest)
    def answer_knowledge(job: JobContext, request: KnowledgeRequest) -> dict[str, Any]: ...
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from pcf_core.core.generation import Decoding
from pcf_core.core.records import Record
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings
from pcf_core.models.generation.base import Generator
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.queue import Job, Queue

OpenScorer = Callable[[ModelSpec, str], Scorer]
OpenGenerator = Callable[[ModelSpec, Decoding], Generator]
OnProgress = Callable[[int, int, float], None]  # done, total and rate per second
Pause = Callable[[], None]  # called where work may be interrupted; an exception ends it
Request = TypeVar("Request", bound=Record)

WINDOW_SECONDS = 30.0
REPORT_SECONDS = 0.5  # between reports of progress that differ only in numbers


class Stopped(Exception):
    """Work was stopped on request before it was complete: an outcome, not an error."""


class Held(Exception):
    """A job has to wait because another process does its work: an outcome, not an error."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


def no_pause() -> None:
    """Do nothing: the pause of work in the foreground, which only a signal interrupts."""


@dataclass(frozen=True)
class JobContext:
    """A claimed job, and what the worker passes to its handler.

    ``open_scorer`` and ``open_generator`` return an open model, or open it.  ``pause``, called between
    batches, reports to the supervisor, answers small waiting jobs, and raises ``Stopped`` if the job has to
    end.
    """

    job: Job
    owner: str
    queue: Queue
    store: Store
    settings: Settings
    open_scorer: OpenScorer
    open_generator: OpenGenerator
    pause: Pause

    def progress(
        self, done: int, total: int, rate: float | None = None, note: Mapping[str, Any] | None = None
    ) -> None:
        """Store the progress of the job; see :meth:`pcf_core.work.queue.Queue.progress`."""
        self.queue.progress(self.job.id, done, total, rate, self.owner, note)

    def note(self, result: Mapping[str, Any]) -> None:
        """Store an intermediate result, or the stage, until the final result replaces it."""
        self.queue.note(self.job.id, result, self.owner)

    def begin(self) -> None:
        """Record that the model is loaded: a later death counts as one at work."""
        self.queue.begin(self.job.id, self.owner)

    def wait_for(self, holder: str) -> NoReturn:
        """Give the job back until another process has finished."""
        raise Held(holder)


Answer = Callable[[JobContext, Request], Mapping[str, Any]]
HANDLERS: dict[str, Callable[[JobContext], Mapping[str, Any]]] = {}  # by kind, of imported files


def job(kind: str, request: type[Request]) -> Callable[[Answer[Request]], Answer[Request]]:
    """Register the handler of a kind of jobs, whose payload is a ``request``."""

    def register(handler: Answer[Request]) -> Answer[Request]:
        HANDLERS[kind] = lambda context: handler(context, request.model_validate(context.job.payload))
        return handler

    return register


@dataclass
class Pace:
    """The rate of work over the last half minute, by the monotonic clock."""

    marks: deque[tuple[float, int]] = field(default_factory=deque)

    def rate(self, done: int) -> float:
        """Record how many are done now, and return the rate per second; 0 at first."""
        now = time.monotonic()
        self.marks.append((now, done))
        while len(self.marks) > 2 and now - self.marks[0][0] > WINDOW_SECONDS:
            self.marks.popleft()
        began, already = self.marks[0]
        return (done - already) / (now - began) if now > began else 0.0


@dataclass
class PauseClock:
    """A pause that counts the seconds spent in it, which are not work."""

    pause: Pause
    seconds: float = 0.0

    def __call__(self) -> None:
        """Pause, and count how long that took."""
        began = time.perf_counter()
        try:
            self.pause()
        finally:
            self.seconds += time.perf_counter() - began
