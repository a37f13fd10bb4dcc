"""A supervised worker on the toy, as a program; models of some names never come back.

    python supervised.py CACHE STALL_SECONDS HEAR_SECONDS [--until-idle]

``endless-load`` is busy without end while it is opened, ``endless-batch`` in its third batch, and ``slow``
takes half a second for each batch.  ``deaf-load`` never lets another thread of Python run either.  ``exits``,
``exits-well``, ``leaves`` and ``panics`` end their process while they are opened, ``panics-batch`` in its
second batch.  Each model that is opened is written to ``CACHE/opened.log``, with the process that opened it,
and ``CACHE/left.log`` says which process ended in order.
"""

from __future__ import annotations

import importlib
import os
import sys
from multiprocessing.connection import Connection

from benchmarks.fakes import FakeScorer
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings, settings
from pcf_core.store.store import Store
from pcf_core.work import probing as words
from pcf_core.work import scoring, supervisor
from pcf_core.work.processes import leave_signals_to_parent
from pcf_core.work.queue import Queue
from pcf_core.work.supervisor import Line, Supervisor
from pcf_core.work.worker import Worker
from tests.work import toy

NEVER = 3600.0  # seconds


def open_noted(spec: ModelSpec, protocol: str) -> FakeScorer:
    with (settings().cache / "opened.log").open("a") as log:
        log.write(f"{os.getpid()} {spec.name}\n")
    if spec.name == "endless-load":
        busy()
    if spec.name == "deaf-load":
        sys.setswitchinterval(NEVER)
        busy()
    if spec.name == "exits":
        os._exit(2)  # as native code does after an error of its own
    if spec.name == "exits-well":
        os._exit(0)
    if spec.name == "leaves":
        sys.exit(0)
    if spec.name == "panics":
        raise Panic("index out of bounds")
    batches: set[str] = set()

    def probability(prompt: str, word: str) -> float:
        batches.add(prompt)
        if spec.name == "panics-batch" and len(batches) == 3:
            raise Panic("index out of bounds")
        if spec.name == "endless-batch" and len(batches) == 5:  # of two prompts each
            busy()
        return toy.probability(prompt, word)

    delay = 0.5 if spec.name == "slow" else 0.0
    return FakeScorer(probability, key=ScoringKey.of(spec, protocol), batch_size=2, delay=delay)


class Panic(BaseException):
    """As pyo3 raises it where Rust panics: it is no ``Exception``."""


def busy() -> None:
    """As a template of nested loops is, or the building of a hundred million layers."""
    while True:
        pass


def serve(owner: str, line: Connection, until_idle: bool) -> None:
    leave_signals_to_parent()
    scoring.resolve = words.resolve = toy.spec_of
    if settings().stall_seconds < NEVER:  # on a busy machine it takes seconds, in which a run would not move
        importlib.import_module("pandas")
    queue = Queue.open(settings().catalogue)
    worker = Worker(Store.open(settings().cache), queue, settings(), open_noted, owner=owner, tell=Line(line))
    worker.serve(until_idle)
    (settings().cache / "left.log").write_text(str(os.getpid()))


def main(cache: str, stall_seconds: str, hear_seconds: str, *options: str) -> int:
    os.environ |= {"PCF_CACHE": cache, "PCF_SHARD_PROMPTS": "4", "PCF_WORKER_IDLE_SECONDS": "600"}
    os.environ["PCF_STALL_SECONDS"] = stall_seconds
    supervisor.HEAR_SECONDS = float(hear_seconds)
    return Supervisor(Settings(), "--until-idle" in options, serve).run()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
