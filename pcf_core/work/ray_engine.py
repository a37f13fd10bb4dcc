"""Runs and minings on a Ray cluster, with as many processes as its capacity allows.

The calling process alone reads the corpus, has the store, hands out blocks and writes their scores or counts.
Other machines need the model or the parser, and the same version of PCF Audit in the same folder.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError
from ray.job_config import JobConfig

from pcf_core.core.errors import AuditError, ScoringError
from pcf_core.core.run import ModelSpec, ScoringKey, TokenTable
from pcf_core.core.settings import ROOT, Settings
from pcf_core.mining.counting import Counts, TextBlock
from pcf_core.mining.pool import Opened as OpenedParser
from pcf_core.mining.pool import Recipe
from pcf_core.models.scoring.base import BEHIND_A_SPACE, Batch
from pcf_core.work.blocks import Block, ParallelScorer, ScoredBlock
from pcf_core.work.ray_worker import Machine, Needs, Opened, RayMiner, RayWorker, needs_of

CONNECT_SECONDS = 10.0
POLL_SECONDS = 0.2
ROOM_SECONDS = 5.0  # until machines that join or leave are noticed
DEATHS = 3  # of processes at one shard, before the run ends
Actor = Any
Reference = Any


class LostError(Exception):
    """A process or its machine is gone before it finished its task."""


@dataclass
class _Task:
    block: Any
    deaths: int = 0


class Pool:
    """Actors with the same open model or parser; ``score`` answers a block.

    ``start`` returns a new actor and the reference to the result of its ``open``; ``room`` how many the
    cluster can hold now.  Ray restarts nothing by itself: the task of a lost process is given to another one
    here, and actors are started when there is capacity again.
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

    def open(self) -> Any:
        """Wait for a first actor; raises ModelError, or ScoringError if processes die while they open it."""
        while True:
            self._grow(1)
            (done,), _ = ray.wait(list(self._opening), num_returns=1)
            opened = self._take_opened(done)
            if opened is not None:
                return opened

    def ask(self, method: str, *arguments: Any) -> Any:
        """Return one actor's answer while no block is in progress; raise ScoringError if processes die."""
        deaths = 0
        while True:
            if not self._idle:
                self.open()
            try:
                return _result(getattr(self._idle[-1], method).remote(*arguments))
            except LostError as error:
                deaths += 1
                self._drop(self._idle.pop(), error, deaths >= DEATHS)

    def score(self, blocks: Iterator[Any], pause: Callable[[], None]) -> Iterator[tuple[Any, Any]]:
        """See :meth:`pcf_core.work.blocks.ParallelScorer.score_blocks`."""
        waiting: deque[_Task] = deque()
        finished: list[tuple[Any, Any]] = []
        while True:
            pause()
            limit = self._limit_now()
            while len(waiting) + len(self._busy) < limit and (block := next(blocks, None)) is not None:
                waiting.append(_Task(block))
            self._grow(min(limit, len(waiting) + len(self._busy)))
            while waiting and self._idle:
                actor, task = self._idle.pop(), waiting.popleft()
                self._busy[actor.score.remote(task.block)] = actor, task
            yield from finished  # actors go on while these are written
            if not waiting and not self._busy:
                return
            finished = self._take_finished(waiting)

    def close(self) -> None:
        """End all actors; the next request starts new ones."""
        busy = [actor for actor, _ in self._busy.values()]
        for actor in [*self._opening.values(), *self._idle, *busy]:
            ray.kill(actor)
        self._opening, self._idle, self._busy = {}, [], {}

    def _take_finished(self, waiting: deque[_Task]) -> list[tuple[Any, Any]]:
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

    def _take_opened(self, reference: Reference) -> Any:
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
        """Let a lost actor go; the last of several raises."""
        ray.kill(actor)
        if is_last:
            raise ScoringError(
                f"One process of the Ray cluster after another ended without a result (the last: {error}): "
                "check Ray's logs on its machines. Finished work is kept."
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


class RayScorer(ParallelScorer):
    """The scorer of a model that is open elsewhere; ``pool`` returns its processes when they are needed."""

    def __init__(self, pool: Callable[[], Pool]) -> None:
        opened: Opened = pool().open()
        super().__init__(opened.key)
        self.environment = opened.environment
        self.parameters = opened.parameters
        self._traits = opened.traits
        self._pool = pool

    @property
    def traits(self) -> dict[str, str]:
        """The traits of the scorer on the cluster."""
        return self._traits

    def check(self, words: Sequence[str], text: str = BEHIND_A_SPACE) -> TokenTable:
        """Return the tokens of words in a text, and the words that cannot be scored with the reason."""
        table: TokenTable = self._pool().ask("check", words, text)
        return table

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, with nothing batched or shared."""
        return float(self._pool().ask("alone", prompt, word))

    def score_blocks(
        self, blocks: Iterator[Block], pause: Callable[[], None]
    ) -> Iterator[tuple[Block, ScoredBlock]]:
        """Yield each block with its scores, in any order."""
        return self._pool().score(blocks, pause)

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        scored = self._pool().ask("score", Block(tuple(prompts), tuple(words), len(prompts)))
        yield Batch(np.arange(len(prompts)), scored.values, scored.left)


class RayCounters:
    """Processes elsewhere that count blocks of a corpus, see :class:`pcf_core.mining.pool.Counters`."""

    def __init__(
        self, start: Callable[[str | None], tuple[Actor, Reference]], room: Callable[[], int]
    ) -> None:
        self._identity: str | None = None
        self._pool = Pool(lambda: start(self._identity), room)

    def open(self) -> OpenedParser:
        """Open the parser on the cluster; return its name and identity."""
        opened: OpenedParser = self._pool.open()
        self._identity = opened.identity
        return opened

    def count(
        self, blocks: Iterator[TextBlock], pause: Callable[[], None]
    ) -> Iterator[tuple[TextBlock, Counts]]:
        """Yield each block with its counts, in any order."""
        return self._pool.score(blocks, pause)


class RayEngine:
    """A connection to the cluster of RAY_ADDRESS, or of this machine, or else to a new local one.

    It is made when the first scorer is opened.  Only one model at a time has processes.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._connected = False
        self._at_work: Pool | None = None

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connected:
            ray.shutdown()  # ends the processes as well
            self._connected = False

    def open_scorer(self, spec: ModelSpec, protocol: str) -> RayScorer:
        """Open a model on a machine of the cluster; other machines open it once there is work for them.

        Raises ScoringError if no cluster can be reached, it has no capacity left, or its processes die, and
        ModelError if the model cannot be opened there.
        """
        self._connect()
        needs = needs_of(self._settings, machines())
        first: ScoringKey | None = None

        def start() -> tuple[Actor, Reference]:
            actor = start_actor(RayWorker, self._settings, needs)
            return actor, actor.open.remote(spec, protocol, first)

        pool = Pool(start, lambda: needs.room(machines()))

        def in_turn() -> Pool:
            if self._at_work not in (None, pool):
                self._at_work.close()
            self._at_work = pool
            return pool

        scorer = RayScorer(in_turn)
        first = scorer.key
        return scorer

    def counters(self, recipe: Recipe) -> RayCounters:
        """Open processes that count blocks, one per CPU."""
        self._connect()
        needs = Needs(cpus=1, gpus=0)

        def start(identity: str | None) -> tuple[Actor, Reference]:
            actor = start_actor(RayMiner, self._settings, needs)
            return actor, actor.open.remote(recipe, identity)

        return RayCounters(start, lambda: needs.room(machines()))

    def _connect(self) -> None:
        if not self._connected:
            _connect()
            self._connected = True


def start_actor(kind: type[RayWorker | RayMiner], settings: Settings, needs: Needs) -> Actor:
    """Start a process on a machine of the cluster with capacity; Ray chooses the GPU."""
    device = settings.device.partition(":")[0]
    variables = {**settings.environment, "PCF_DEVICE": device}
    remote = ray.remote(kind).options(num_cpus=needs.cpus, num_gpus=needs.gpus, max_restarts=0)
    return remote.remote(variables)


def machines() -> list[Machine]:
    """Return the live machines of the cluster."""
    return [
        Machine(int(node["Resources"].get("CPU", 0)), int(node["Resources"].get("GPU", 0)))
        for node in ray.nodes()
        if node["Alive"]
    ]


def _connect() -> None:
    """Connect, and leave the signals of this process unchanged."""
    logging.getLogger("ray").setLevel(logging.ERROR)
    in_main_thread = threading.current_thread() is threading.main_thread()
    before: Any = signal.getsignal(signal.SIGTERM)
    try:
        _require_an_answer(os.environ.get("RAY_ADDRESS", ""))
        ray.init(
            job_config=JobConfig(code_search_path=[str(ROOT)]),
            include_dashboard=False,
            log_to_driver=False,
            configure_logging=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:  # ConnectionError, ValueError, RuntimeError, and those of gRPC
        reason = shorten(f"{type(error).__name__}: {error}", 240, placeholder=" …")
        raise ScoringError(
            f"No Ray cluster can be used ({reason}): check that RAY_ADDRESS is right and that the cluster "
            "runs the same version of Ray, or unset RAY_ADDRESS to score on this computer."
        ) from error
    finally:
        if in_main_thread:
            signal.signal(signal.SIGTERM, before)


def _require_an_answer(address: str) -> None:
    """Fail within seconds where Ray itself would try for many minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
