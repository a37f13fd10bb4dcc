"""Kinds of jobs: the registry of who carries out each, and what they have of the worker that took a job.

A new kind is a request, a record in a file that the app may import, and a handler beside what does the work::

    @job("knowledge", KnowledgeRequest)
    def answer_knowledge(job: JobContext, request: KnowledgeRequest) -> dict[str, Any]: ...

What it gives is the job's result.  :mod:`pcf_core.work.worker` imports the files of all handlers, no one else
does: they bring the parser, the scorers and what writes texts.
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
OnProgress = Callable[[int, int, float], None]  # how many are done, of how many, and how many a second
Pause = Callable[[], None]  # called wherever work may be interrupted; what it raises ends the work
Request = TypeVar("Request", bound=Record)

WINDOW_SECONDS = 30.0
REPORT_SECONDS = 0.2  # between two words of a job's progress that say the same but for the numbers


class Stopped(Exception):
    """Work ended before it was complete, because it was asked to: an outcome, not an error."""


class Held(Exception):
    """Another process is at the work of a job, which has to wait for it: an outcome, not an error."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


def no_pause() -> None:
    """Do nothing: the pause of work in the foreground, which only a signal interrupts."""


@dataclass(frozen=True)
class JobContext:
    """A job that a worker has taken, and what the worker lends to whoever carries it out.

    ``open_scorer`` and ``open_generator`` give what is open already, else open it.  ``pause`` is called
    between two batches: the supervisor hears of it, small jobs that wait are answered, and ``Stopped`` is
    raised where the job is to end.
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
        """Say how far the job is; see :meth:`pcf_core.work.queue.Queue.progress`."""
        self.queue.progress(self.job.id, done, total, rate, self.owner, note)

    def note(self, result: Mapping[str, Any]) -> None:
        """Say what the job has found so far, or which stage it is at; its result takes the place of it."""
        self.queue.note(self.job.id, result, self.owner)

    def begin(self) -> None:
        """Say that what the job needs is loaded: who dies at it from now on dies at work."""
        self.queue.begin(self.job.id, self.owner)

    def wait_for(self, holder: str) -> NoReturn:
        """Give the job back until another process has ended what it is at."""
        raise Held(holder)


Answer = Callable[[JobContext, Request], Mapping[str, Any]]
HANDLERS: dict[str, Callable[[JobContext], Mapping[str, Any]]] = {}  # by kind, as far as they are imported


def job(kind: str, request: type[Request]) -> Callable[[Answer[Request]], Answer[Request]]:
    """Register who carries out a kind of jobs, whose payload is a ``request``."""

    def register(handler: Answer[Request]) -> Answer[Request]:
        HANDLERS[kind] = lambda context: handler(context, request.model_validate(context.job.payload))
        return handler

    return register


@dataclass
class Pace:
    """How much is done in a second, over the last half minute by the monotonic clock."""

    marks: deque[tuple[float, int]] = field(default_factory=deque)

    def rate(self, done: int) -> float:
        """Record that so many are done now; 0 until there is something to divide by."""
        now = time.monotonic()
        self.marks.append((now, done))
        while len(self.marks) > 2 and now - self.marks[0][0] > WINDOW_SECONDS:
            self.marks.popleft()
        began, already = self.marks[0]
        return (done - already) / (now - began) if now > began else 0.0


@dataclass
class PauseClock:
    """A pause, and the seconds that were spent in it: they are not counted as work."""

    pause: Pause
    seconds: float = 0.0

    def __call__(self) -> None:
        """Pause, and count how long that took."""
        began = time.perf_counter()
        try:
            self.pause()
        finally:
            self.seconds += time.perf_counter() - began
