"""The supervisor: a small process that restarts a worker process, and kills one that does not respond.

Library code that reads foreign models can be busy for hours, so the worker is a separate process that reports
its job between batches.  The supervisor itself loads no model.

    no report for ``PCF_STALL_SECONDS``       the process is killed, the job fails with a sentence
    a cancel or stop ignored for 10 s         the process is killed, the job is cancelled or queued again
    the process ends at a job                 counts as a death at the job; another process is started
    the supervisor dies                       the process ends too
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from pcf_core.core.errors import AuditError, StoreError
from pcf_core.core.settings import Settings, settings
from pcf_core.mining.pool import end_with_parent, interrupts_held
from pcf_core.work.launch import attend, logging_to
from pcf_core.work.processes import leave_signals_to_parent, name_of, signals_to
from pcf_core.work.queue import Queue

log = logging.getLogger(__name__)

HEAR_SECONDS = 10.0  # for the process to obey a cancel or a stop, before it is killed
POLL_SECONDS = 0.2
TELL_SECONDS = 0.5  # between two reports of the same job
STALLED = (
    "The job made no progress for {seconds:,.0f} seconds (PCF_STALL_SECONDS), so its worker was stopped. "
    "The model or its chat template may never finish, or one batch takes too long on this computer. Choose "
    "another model, a smaller PCF_BATCH_TOKENS or a longer PCF_STALL_SECONDS, then retry."
)
Serve = Callable[[str, Connection, bool], None]


def serve(owner: str, line: Connection, until_idle: bool) -> None:
    """Run the worker process, under its supervisor's name."""
    from pcf_core.work.worker import Worker

    leave_signals_to_parent()
    threading.Thread(target=end_with_parent, name="parent", daemon=True).start()
    try:
        Worker.open(settings(), owner, Line(line)).serve(until_idle)
    except AuditError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)


class Line:
    """The worker process's connection to its supervisor: reports the current job, and returns stops."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._last: tuple[int | None, float] = None, -TELL_SECONDS

    def __call__(self, job_id: int | None) -> bool:
        """Report the job if it is another one, or time has passed; return whether to stop."""
        with self._lock:
            at, when = self._last
            if job_id != at or time.monotonic() - when >= TELL_SECONDS:
                self._connection.send(job_id)
                self._last = job_id, time.monotonic()
            return self._connection.poll()  # a supervisor only sends a stop


class Supervisor:
    """Keeps one worker process running for the cache of the settings, under the supervisor's own name."""

    def __init__(self, settings: Settings, until_idle: bool = False, serve: Serve = serve) -> None:
        self.settings = settings
        self.queue = Queue.open(settings.catalogue)
        self.owner = name_of(os.getpid())
        self._until_idle = until_idle
        self._serve = serve
        self._stopping = False
        self._code = 0
        self._heard = time.monotonic()
        self._last_warning = ""  # about a cache that cannot be read, logged once

    @property
    def silence(self) -> float:
        """Seconds since the last report of the worker process, which reports when idle too."""
        return time.monotonic() - self._heard

    def stop(self) -> None:
        """Stop the process after its current batch, or kill it; its job goes back to the queue."""
        self._stopping = True

    def run(self) -> int:
        """Serve the queue until it was empty for a while; return the exit code.

        SIGTERM and SIGINT call :meth:`stop`, a second one ends at once.  Raises StoreError if the cache is
        unusable.
        """
        with logging_to(self.settings), signals_to(self.stop):
            self.queue.heartbeat(self.owner)  # after that of the app that started us, if any
            attend(self.queue, self.owner, self._keep, self.queue.fingerprint_of(self.owner))
        return self._code

    def _keep(self) -> bool:
        """Run processes until one needs no successor, after waiting for a worker with other settings."""
        while not self._is_over() and self.queue.predecessor(self.owner):
            time.sleep(POLL_SECONDS)
        while not self._is_over() and self._watch_one():
            pass
        return not self._stopping and self._code == 0

    def _is_over(self) -> bool:
        """Return whether to stop, also if the catalogue was replaced, unnoticed by the worker process."""
        if not self._stopping and not self.queue.current:
            log.warning(
                "The catalogue was deleted or set aside, so this worker ends; the next worker "
                "starts with a new catalogue."
            )
            self.stop()
        return self._stopping

    def _watch_one(self) -> bool:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(
            target=self._serve, args=(self.owner, there, self._until_idle), name="worker"
        )
        with here:
            with there, interrupts_held():  # terminal interrupts, until the process ignores them
                process.start()
            try:
                return self._watch(process, here)
            finally:
                process.kill()
                process.join()

    def _watch(self, process: BaseProcess, line: Connection) -> bool:
        at: int | None = None
        moved = time.monotonic()
        unheard: float | None = None  # when the process should have noticed that it has to stop
        begun = stop_sent = False
        while process.is_alive():
            for job_id in _news(line):
                begun, moved = True, time.monotonic()
                self._heard = moved
                if job_id != at:
                    at, unheard = job_id, None
            now = time.monotonic()
            if self._is_over() and not stop_sent:
                with suppress(OSError):  # it has just ended
                    line.send(None)
                stop_sent = True
            if not self._stopping and not self._cancelled(at):
                unheard = None
            elif unheard is None:
                unheard = now
            if unheard is not None and now - unheard > HEAR_SECONDS:
                self._end(process, at, "")
                return True
            if at is not None and now - moved > self.settings.stall_seconds:
                self._end(process, at, STALLED.format(seconds=self.settings.stall_seconds))
                return True
        for job_id in _news(line):  # what it said last
            begun, at = True, job_id
        return self._ended(process, at, begun)

    def _cancelled(self, job_id: int | None) -> bool:
        try:
            cancelled = job_id is not None and self.queue.cancelled(job_id, self.owner)
        except StoreError as error:
            if str(error) != self._last_warning:
                log.warning("%s", error)
            self._last_warning = str(error)
            return False
        self._last_warning = ""
        return cancelled

    def _end(self, process: BaseProcess, at: int | None, sentence: str) -> None:
        """Kill the process and release its jobs; with a sentence, its current job fails."""
        log.warning("job %s: its process %s was killed. %s", at, process.pid, sentence)
        process.kill()
        process.join()
        try:
            if at is not None and sentence:
                self.queue.fail(at, sentence, self.owner)
            self.queue.release(self.owner)
        except StoreError as error:
            log.warning("%s", error)

    def _ended(self, process: BaseProcess, at: int | None, begun: bool) -> bool:
        """Handle a process that ended by itself: a death if a signal ended it, or if it had a job."""
        process.join()
        code = process.exitcode or 0
        if self._stopping or (code >= 0 and at is None):
            self._code = 0 if self._stopping else code
            return False
        cause = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        log.warning("The worker's process %s died of %s.", process.pid, cause)
        try:
            self.queue.died(self.owner)
        except StoreError as error:
            log.warning("%s", error)
        self._code = 0 if begun else 1  # a process that dies before it serves would do so again
        return begun


def _news(line: Connection) -> list[int | None]:
    """Return the reports that arrive within the time of a poll."""
    news: list[int | None] = []
    try:
        while line.poll(0 if news else POLL_SECONDS):
            news.append(line.recv())
    except (EOFError, OSError):  # it ended
        time.sleep(POLL_SECONDS)
    return news
