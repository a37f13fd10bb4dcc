"""Start a worker if none is alive, send its heartbeats, unregister it, and log its warnings.

The app's worker is a process that outlives the app and has the fingerprint of its settings.  A worker with
other settings ends when it is idle, which the new one waits for.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from io import TextIOWrapper
from typing import cast

from pcf_core.core.errors import ScoringError, StoreError
from pcf_core.core.files import at_once
from pcf_core.core.settings import ROOT, Settings
from pcf_core.work.processes import is_here, name_of
from pcf_core.work.queue import Queue

COMMAND = (sys.executable, "-m", "pcf_core", "worker")

# Started by this process, and polled to avoid zombies.
_started: list[subprocess.Popen[bytes]] = []
log = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
LOG_NAME = "worker.log"


def worker_alive(settings: Settings) -> bool:
    """Return whether a live worker takes jobs submitted with these settings."""
    with closing(Queue.open(settings.catalogue)) as queue:
        return _is_served(queue, settings)


def worker_here(settings: Settings) -> bool:
    """Return whether a worker on this machine, or in this container, serves this cache."""
    with closing(Queue.open(settings.catalogue)) as queue:
        return any(is_here(worker.owner) for worker in queue.workers())


def ensure_worker(settings: Settings, command: Sequence[str] = COMMAND) -> bool:
    """Start a worker for this cache unless one is alive or the settings forbid it; return whether it started.

    A worker started by hand serves all settings, one started by an app only its own.  Concurrent callers
    start only one.  Raises ScoringError if it cannot be started.
    """
    _started[:] = [process for process in _started if process.poll() is None]
    if not settings.start_worker or worker_alive(settings):
        return False
    with closing(Queue.open(settings.catalogue)) as queue, queue.exclusive():
        if _is_served(queue, settings):
            return False
        process = _start(settings, command)
        queue.heartbeat(name_of(process.pid), settings.fingerprint)
    _started.append(process)
    return True


def _is_served(queue: Queue, settings: Settings) -> bool:
    return any(worker.fingerprint in ("", settings.fingerprint) for worker in queue.workers())


def _start(settings: Settings, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a detached process with the same settings; its output goes to the worker's log."""
    try:
        with open(settings.cache / LOG_NAME, "ab", opener=at_once) as log:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **settings.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
    except OSError as error:
        raise ScoringError(
            f"No worker could be started ({error}): start one yourself with `python -m pcf_core worker`."
        ) from error


def attend(queue: Queue, owner: str, serve: Callable[[], bool], fingerprint: str = "") -> None:
    """Register a worker as alive while ``serve`` works, then release its jobs and unregister it.

    ``serve`` is called again if it returns true and a job waits, since its submitter saw a live worker.
    """
    try:
        while True:
            with _beating(queue, owner, fingerprint):
                would_go_on = serve()
            if not would_go_on or not queue.current or queue.sign_off(owner):
                return
    finally:
        if queue.current:  # otherwise nobody reads it any more
            queue.leave(owner)


@contextmanager
def _beating(queue: Queue, owner: str, fingerprint: str) -> Iterator[None]:
    queue.heartbeat(owner, fingerprint)
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(BEAT_SECONDS):
            try:
                queue.heartbeat(owner, fingerprint)
            except StoreError as error:
                log.warning("%s", error)

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class _LogFile(logging.FileHandler):
    """A log file that drops lines on a full disk, so that work goes on."""

    def _open(self) -> TextIOWrapper:
        opened = open(self.baseFilename, self.mode, encoding=self.encoding, opener=at_once)  # noqa: SIM115
        return cast(TextIOWrapper, opened)

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):  # logging does not catch errors of opening
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Do nothing: Python would print a traceback, usually into the same file."""

    def close(self) -> None:
        with suppress(OSError):
            super().close()


@contextmanager
def logging_to(settings: Settings) -> Iterator[None]:
    """Write the core's warnings and tracebacks to ``worker.log`` in the cache folder."""
    handler = _LogFile(settings.cache / LOG_NAME, encoding="utf8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    core = logging.getLogger("pcf_core")
    core.addHandler(handler)
    try:
        yield
    finally:
        core.removeHandler(handler)
        handler.close()
