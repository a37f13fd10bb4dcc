"""A worker that may be killed at any moment, and the log of the blocks it began to score.

It is :mod:`pcf_core.work.worker` with a scorer that logs each block before scoring it, and how many of its
prompts were in a finished shard by then, read from the files without the store or its catalogue.  A scorer of
made-up probabilities can replace the model.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.fakes import FakeScorer
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import adopt, settings
from pcf_core.models.scoring.base import Batch, Scorer, open_scorer
from pcf_core.store.database import Database
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.worker import Worker

LOG = "scored.log"
# What is slow to import, so that kills find workers at work: for any, and for one with a real model.
ANY = ("benchmarks.mortal", "benchmarks.mortal_apps", "pandas", "pyarrow.dataset", "pyarrow.pandas_compat")
MODEL = (
    "transformers.models.gpt2.modeling_gpt2",
    "pcf_core.models.loading",
    "pcf_core.models.scoring.causal",
)
CHANGES = {"os.link", "os.mkdir", "os.remove", "os.rename"}  # audit events of folder changes


@dataclass
class Finished:
    """The prompts in finished shards under a key, with the words they were scored for."""

    folder: Path
    _seen: dict[str, tuple[set[str], set[str]]] = field(default_factory=dict)

    def among(self, prompts: Sequence[str], words: Sequence[str]) -> int:
        """Count the prompts that have a score of every word."""
        for manifest in self.folder.glob("*.json"):
            if manifest.stem not in self._seen:
                told = json.loads(manifest.read_bytes())
                table = pq.read_table(manifest.with_suffix(".parquet"), columns=["prompt"])
                self._seen[manifest.stem] = set(table["prompt"].to_pylist()), set(told["words"])
        known = [have for have, scored in self._seen.values() if scored >= set(words)]
        return sum(any(prompt in have for have in known) for prompt in prompts)


def probability(prompt: str, word: str) -> float:
    """Return a probability between 0 and 1 %, the same in every process."""
    return (1 + zlib.crc32(f"{prompt}|{word}".encode()) % 997) / 100_000


def note_blocks(scorer: Scorer, cache: Path) -> Scorer:
    """Let a scorer log each block, in one write, before it scores it.

    The self-audit at the end of a run rereads single prompts on purpose; these are not logged.
    """
    finished = Finished(cache / "scores" / scorer.key.hash)
    score, alone = scorer.batches, scorer.alone

    def unnoted(prompt: str, word: str) -> float:
        scorer.batches = score  # type: ignore[method-assign]
        try:
            return alone(prompt, word)
        finally:
            scorer.batches = batches  # type: ignore[method-assign]

    def batches(
        prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None] = lambda: None
    ) -> Iterator[Batch]:
        again = finished.among(prompts, words)
        line = json.dumps({"pid": os.getpid(), "prompts": len(prompts), "again": again})
        log = os.open(cache / LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(log, f"{line}\n".encode())
        os.close(log)
        yield from score(prompts, words, pause)

    scorer.batches = batches  # type: ignore[method-assign]
    scorer.alone = unnoted  # type: ignore[method-assign]
    return scorer


def noted(cache: Path) -> list[dict[str, int]]:
    log = cache / LOG
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def serve(
    variables: Mapping[str, str], made_up: float | None, dies_at: int = 0, until_idle: bool = True
) -> None:
    """Work as a process until the queue is empty, or idle for as long as the settings say.

    ``variables``: the settings; ``made_up``: seconds per batch of made-up scores, ``None`` for the real
    model; ``dies_at``: the process kills itself right before this numbered change to a file or the database.
    """
    adopt(variables)
    cache = settings().cache

    def open_noted(spec: ModelSpec, protocol: str) -> Scorer:
        if made_up is None:
            return note_blocks(open_scorer(spec, protocol), cache)
        key = ScoringKey.of(spec, protocol)
        return note_blocks(FakeScorer(probability, key=key, batch_size=8, delay=made_up), cache)

    if dies_at:
        _die_at(dies_at)
    Worker(Store.open(cache), Queue.open(settings().catalogue), settings(), open_noted).run(until_idle)


def start(
    variables: Mapping[str, str], made_up: float | None, dies_at: int = 0, until_idle: bool = True
) -> BaseProcess:
    """Start :func:`serve` in a new process, forked from one that has imported everything."""
    context = get_context("forkserver")
    context.set_forkserver_preload([*ANY, *([] if made_up is not None else MODEL)])
    process = context.Process(target=serve, args=(dict(variables), made_up, dies_at, until_idle), daemon=True)
    process.start()
    return process


def _die_at(number: int) -> None:
    """Count database writes and file changes, and kill the process at this one."""
    left = number

    def step() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        writes = (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if event in CHANGES or (writes and str(arguments[0]).endswith(".tmp")):
            step()

    execute = Database.execute

    def counted(self: Database, sql: str, parameters: Any = ()) -> list[Any]:
        if not sql.startswith(("SELECT", "CREATE")):
            step()
        return execute(self, sql, parameters)

    Database.execute = counted  # type: ignore[method-assign]
    sys.addaudithook(watch)
