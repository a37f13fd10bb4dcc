"""Runs and minings on a Ray cluster, by as many processes as its capacity allows.

The process that asks keeps store and ledger: it hands out blocks, takes their scores or counts and writes
them once, into the cache or wherever PCF_SCORES says.  The other machines need the model or the parser, and
the same version of PCF Audit in the same folder; a corpus is read here alone.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from textwrap import shorten
from typing import Any

import numpy as np
import ray
from ray.job_config import JobConfig

from pcf_core.core.errors import ScoringError
from pcf_core.core.run import ModelSpec, TokenTable
from pcf_core.core.settings import ROOT, Settings
from pcf_core.mining.counting import Counts, TextBlock
from pcf_core.mining.pool import Opened as OpenedParser
from pcf_core.mining.pool import Recipe
from pcf_core.models.scoring.base import BEHIND_A_SPACE, Batch
from pcf_core.work.blocks import Block, ParallelScorer, ScoredBlock
from pcf_core.work.ray_pool import Actor, Pool, Reference
from pcf_core.work.ray_worker import Machine, Needs, Opened, RayMiner, RayWorker, needs_of

CONNECT_SECONDS = 10.0


class RayScorer(ParallelScorer):
    """The scorer of a model that is open elsewhere; ``pool`` gives its processes when they are needed."""

    def __init__(self, pool: Callable[[], Pool]) -> None:
        opened: Opened = pool().open()
        super().__init__(opened.key)
        self.environment = opened.environment
        self.parameters = opened.parameters
        self._traits = opened.traits
        self._pool = pool

    @property
    def traits(self) -> dict[str, str]:
        """What the scorer on the cluster says of itself."""
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
        """Yield each block with its scores, in whatever order they come."""
        return self._pool().score(blocks, pause)

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        scored = self._pool().ask("score", Block(tuple(prompts), tuple(words), len(prompts)))
        yield np.arange(len(prompts)), scored.values


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
        """Yield each block with its counts, in whatever order they come."""
        return self._pool.score(blocks, pause)


class RayEngine:
    """A connection to the cluster of RAY_ADDRESS, or that this machine is part of, else to a new local one.

    It is made when the first scorer is opened.  One model has processes at a time, because a second one would
    wait for the room of the first.
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

        def start() -> tuple[Actor, Reference]:
            actor = start_actor(RayWorker, self._settings, needs)
            return actor, actor.open.remote(spec, protocol)

        pool = Pool(start, lambda: needs.room(machines()))

        def in_turn() -> Pool:
            if self._at_work not in (None, pool):
                self._at_work.close()
            self._at_work = pool
            return pool

        return RayScorer(in_turn)

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
    """Start a process on some machine of the cluster with capacity; which GPU it gets, Ray decides."""
    device = settings.device.partition(":")[0]
    variables = {**settings.environment, "PCF_DEVICE": device}
    remote = ray.remote(kind).options(num_cpus=needs.cpus, num_gpus=needs.gpus, max_restarts=0)
    return remote.remote(variables)


def machines() -> list[Machine]:
    """List the machines of the cluster that are alive."""
    return [
        Machine(int(node["Resources"].get("CPU", 0)), int(node["Resources"].get("GPU", 0)))
        for node in ray.nodes()
        if node["Alive"]
    ]


def _connect() -> None:
    """Connect, and leave the signals of this process as they are."""
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
            f"No Ray cluster can be used ({reason}): check RAY_ADDRESS and that Ray of the same version runs "
            "there, or unset RAY_ADDRESS to score on this machine."
        ) from error
    finally:
        if in_main_thread:
            signal.signal(signal.SIGTERM, before)


def _require_an_answer(address: str) -> None:
    """Find out within seconds what Ray itself would try for many minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
