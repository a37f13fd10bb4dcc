"""Processes on a Ray cluster, alike: as many as its capacity allows, replaced when they die."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from pcf_core.core.errors import AuditError, ScoringError

POLL_SECONDS = 0.2
ROOM_SECONDS = 5.0  # machines that join or leave are noticed after this time
DEATHS = 3  # a shard that ends so many processes ends the run

Actor = Any
Reference = Any
Opened = Any  # what an actor says of itself once it is open
Block = Any
Found = Any  # what it makes of a block


class LostError(Exception):
    """A process, or its machine, is gone; what it was asked for was not done."""


@dataclass
class _Task:
    block: Block
    deaths: int = 0


class Pool:
    """Actors that opened the same model, or the same parser: ``score`` answers a block.

    ``start`` gives a new actor and the reference to what its ``open`` says of it; ``room`` says how many of
    them the cluster can hold now.  Ray restarts nothing by itself: what a lost process had in hand is given
    to another one here, and an actor is started wherever there is capacity again.
    """

    def __init__(self, start: Callable[[], tuple[Actor, Reference]], room: Callable[[], int]) -> None:
        self._start = start
        self._room = room
        self._looked = -ROOM_SECONDS
        self._limit = 1
        self._opening: dict[Reference, Actor] = {}
        self._idle: list[Actor] = []
        self._busy: dict[Reference, tuple[Actor, _Task]] = {}
        self._failed_to_open = 0

    def open(self) -> Opened:
        """Wait for a first actor; raises ModelError, or ScoringError if processes die while they open it."""
        while True:
            self._grow(1)
            (done,), _ = ray.wait(list(self._opening), num_returns=1)
            opened = self._take_opened(done)
            if opened is not None:
                return opened

    def ask(self, method: str, *arguments: Any) -> Any:
        """Return the answer of one actor while nothing else is under way.

        Raises what the method raises, or ScoringError if processes die over it.
        """
        deaths = 0
        while True:
            if not self._idle:
                self.open()
            try:
                return _result(getattr(self._idle[-1], method).remote(*arguments))
            except LostError as error:
                deaths += 1
                self._drop(self._idle.pop(), error, deaths >= DEATHS)

    def score(self, blocks: Iterator[Block], pause: Callable[[], None]) -> Iterator[tuple[Block, Found]]:
        """See :meth:`pcf_core.work.blocks.ParallelScorer.score_blocks`."""
        waiting: deque[_Task] = deque()
        finished: list[tuple[Block, Found]] = []
        while True:
            pause()
            limit = self._limit_now()
            while len(waiting) + len(self._busy) < limit and (block := next(blocks, None)) is not None:
                waiting.append(_Task(block))
            self._grow(min(limit, len(waiting) + len(self._busy)))
            while waiting and self._idle:
                actor, task = self._idle.pop(), waiting.popleft()
                self._busy[actor.score.remote(task.block)] = actor, task
            yield from finished  # the actors go on while they are written
            if not waiting and not self._busy:
                return
            finished = self._take_finished(waiting)

    def close(self) -> None:
        """End all actors; the next request starts new ones."""
        busy = [actor for actor, _ in self._busy.values()]
        for actor in [*self._opening.values(), *self._idle, *busy]:
            ray.kill(actor)
        self._opening, self._idle, self._busy = {}, [], {}

    def _take_finished(self, waiting: deque[_Task]) -> list[tuple[Block, Found]]:
        finished = []
        done, _ = ray.wait([*self._busy, *self._opening], num_returns=1, timeout=POLL_SECONDS)
        for reference in done:
            if reference in self._opening:
                self._take_opened(reference)
                continue
            actor, task = self._busy.pop(reference)
            try:
                finished.append((task.block, _result(reference)))
                self._idle.append(actor)
            except LostError as error:
                task.deaths += 1
                waiting.appendleft(task)
                self._drop(actor, error, task.deaths >= DEATHS)
        return finished

    def _grow(self, wanted: int) -> None:
        while len(self._opening) + len(self._idle) + len(self._busy) < wanted:
            actor, opened = self._start()
            self._opening[opened] = actor

    def _take_opened(self, reference: Reference) -> Opened | None:
        actor = self._opening.pop(reference)
        try:
            opened = _result(reference)
        except LostError as error:
            self._failed_to_open += 1
            self._drop(actor, error, self._failed_to_open >= DEATHS * self._limit)
            return None
        self._failed_to_open = 0
        self._idle.append(actor)
        return opened

    def _limit_now(self) -> int:
        if time.monotonic() - self._looked >= ROOM_SECONDS:
            self._looked = time.monotonic()
            self._limit = max(self._room(), 1)
        return self._limit

    def _drop(self, actor: Actor, error: LostError, is_last: bool) -> None:
        """Let a lost actor go; several lost the same way end the run."""
        ray.kill(actor)
        if is_last:
            raise ScoringError(
                f"Process after process of the Ray cluster ended without an answer (the last: {error}): look "
                "into Ray's logs on its machines; what is finished is kept."
            ) from error


def _result(reference: Reference) -> Any:
    """Return the value, or raise what the method raised as if it had been raised here."""
    try:
        return ray.get(reference)
    except RayTaskError as error:
        if isinstance(error.cause, AuditError):
            raise error.cause from None
        raise
    except RayError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise LostError(lines[-1] if "creation task" in lines[0] else lines[0]) from error
