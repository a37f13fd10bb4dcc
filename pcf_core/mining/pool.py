"""A pool of processes that count blocks, replaced when they die.

Each process holds one block at a time, so memory does not grow with the corpus; if it dies, its block is
counted by another.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Protocol

from pcf_core.core.errors import AuditError, ScoringError
from pcf_core.mining.counting import BlockCounter, Counts, TextBlock

log = logging.getLogger(__name__)

POLL_SECONDS = 0.2
DEATHS = 3  # mining ends when so many processes die of a block

Recipe = Callable[[], BlockCounter]


@dataclass(frozen=True)
class Opened:
    """The parser that a process has opened."""

    name: str
    identity: str


def opened_parser(counter: BlockCounter) -> Opened:
    """Return the name and identity of a counter's parser."""
    return Opened(counter.parser.name, counter.parser.identity)


class Counters(Protocol):
    """Processes that count blocks, here or on a cluster."""

    def open(self) -> Opened:
        """Wait for the parser; raise its error, or ScoringError if processes die."""
        ...

    def count(
        self, blocks: Iterator[TextBlock], pause: Callable[[], None]
    ) -> Iterator[tuple[TextBlock, Counts]]:
        """Yield each block with its counts, in any order; call ``pause`` while waiting.

        An exception of ``pause`` ends it; ScoringError if processes die while counting a block.
        """
        ...


@dataclass
class _Task:
    block: TextBlock
    deaths: int = 0


@dataclass
class _Member:
    process: BaseProcess
    connection: Connection
    opened: Opened | None = None
    task: _Task | None = None

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class Processes:
    """A context manager with up to ``workers`` processes, which each run the recipe once.

    The recipe is pickled by name: a function of a module, or a partial of one.
    """

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self._recipe = recipe
        self._workers = workers
        self._members: list[_Member] = []
        self._failed_to_open = 0

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self._members:
            member.end()
        self._members = []

    def open(self) -> Opened:
        """See :meth:`Counters.open`."""
        while True:
            for member in self._members:
                if member.opened is not None:
                    return member.opened
            self._grow(1)
            self._collect(None, deque())

    def count(
        self, blocks: Iterator[TextBlock], pause: Callable[[], None]
    ) -> Iterator[tuple[TextBlock, Counts]]:
        """See :meth:`Counters.count`."""
        waiting: deque[_Task] = deque()
        ended = False
        while True:
            pause()
            if not ended and len(waiting) < self._workers:
                block = next(blocks, None)
                ended = block is None
                if block is not None:
                    waiting.append(_Task(block))
            self._hand_out(waiting)
            busy = sum(member.task is not None for member in self._members)
            if ended and not waiting and not busy:
                return
            self._grow(busy + len(waiting))
            full = ended or len(waiting) >= self._workers
            finished = self._collect(POLL_SECONDS if full else 0, waiting)
            self._hand_out(waiting)  # keep processes busy while counts are stored
            yield from finished

    def _grow(self, wanted: int) -> None:
        while len(self._members) < min(wanted, self._workers):
            self._members.append(_start(self._recipe))

    def _hand_out(self, waiting: deque[_Task]) -> None:
        for member in self._members:
            if waiting and member.opened is not None and member.task is None:
                member.task = waiting.popleft()
                try:
                    member.connection.send(member.task.block)
                except OSError:
                    continue  # it died, and its connection will say so

    def _collect(self, timeout: float | None, waiting: deque[_Task]) -> list[tuple[TextBlock, Counts]]:
        finished = []
        ready = wait([member.connection for member in self._members], timeout)
        for member in [member for member in self._members if member.connection in ready]:
            try:
                answer = member.connection.recv()
            except (EOFError, OSError):
                self._drop(member, waiting)
                continue
            if isinstance(answer, AuditError):
                raise answer
            if isinstance(answer, Opened):
                member.opened, self._failed_to_open = answer, 0
            elif member.task is not None:
                finished.append((member.task.block, answer))
                member.task = None
        return finished

    def _drop(self, member: _Member, waiting: deque[_Task]) -> None:
        """Remove a dead process; several that die in the same way end the mining."""
        self._members.remove(member)
        member.end()
        code = member.process.exitcode
        if member.task is None:
            self._failed_to_open += 1
            if self._failed_to_open >= DEATHS:
                raise ScoringError(
                    f"{DEATHS} mining processes ended before they had loaded the parser ({_how(code)}): read "
                    "the messages above, and check that there is enough memory."
                )
            return
        member.task.deaths += 1
        if member.task.deaths >= DEATHS:
            documents = member.task.block.documents
            raise ScoringError(
                f"{DEATHS} mining processes ended while reading the documents {documents[0].id!r} to "
                f"{documents[-1].id!r} ({_how(code)}): mine with fewer workers, or leave these documents "
                "out. The counts so far are kept."
            )
        waiting.appendleft(member.task)


def _how(code: int | None) -> str:
    if code == -signal.SIGKILL:
        return "killed, probably because memory ran out"
    return f"exit code {code}"


def _start(recipe: Recipe) -> _Member:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(recipe, there), name="mining", daemon=True)
    try:
        with interrupts_held():
            process.start()
    except OSError as error:
        here.close()
        raise ScoringError(
            f"No mining process could be started ({error}): mine with fewer workers."
        ) from error
    finally:
        there.close()
    return _Member(process, here)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Make processes started inside ignore interrupts; their parent ends them."""
    resource_tracker.ensure_running()  # otherwise it would start inside and unblock interrupts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(recipe: Recipe, connection: Connection) -> None:
    """Run a process of the pool: open the counter, then count blocks."""
    threading.Thread(target=end_with_parent, name="parent", daemon=True).start()
    try:
        counter = recipe()
        connection.send(opened_parser(counter))
        while True:
            connection.send(counter.count(connection.recv()))
    except (EOFError, ConnectionError):
        return
    except AuditError as error:
        connection.send(error)
    except Exception as error:
        log.exception("a mining process failed")
        connection.send(
            ScoringError(f"Mining failed with an unexpected error: {type(error).__name__}: {error}")
        )


def end_with_parent() -> None:
    """Exit at once when the parent process ends."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
