"""Start a worker where none is alive: a process of its own, which outlives the app."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing

from pcf_core.errors import ScoringError
from pcf_core.jobs.processes import is_here, name_of
from pcf_core.jobs.queue import Queue
from pcf_core.settings import ROOT, Settings

LOG_NAME = "worker.log"
COMMAND = (sys.executable, "-m", "pcf_core", "worker")

_started: list[
    subprocess.Popen[bytes]
] = []  # by this process; asked for their end, so that none is left a zombie


def worker_alive(settings: Settings) -> bool:
    """Whether a worker serves this cache."""
    with closing(Queue.open(settings.catalogue)) as queue:
        return bool(queue.workers())


def worker_here(settings: Settings) -> bool:
    """Whether a worker of this machine, or container, serves this cache."""
    with closing(Queue.open(settings.catalogue)) as queue:
        return any(is_here(worker.owner) for worker in queue.workers())


def ensure_worker(settings: Settings, command: Sequence[str] = COMMAND) -> bool:
    """Start a worker for this cache, unless one is alive or the settings forbid it; say whether it was.

    Of several callers at once, in whatever processes, one starts it: the new process is registered before the
    next caller may look.

    Raises:
        ScoringError: the process could not be started.
        StoreError: the cache folder is read-only or full.
    """
    _started[:] = [process for process in _started if process.poll() is None]
    if not settings.start_worker or worker_alive(settings):
        return False
    with closing(Queue.open(settings.catalogue)) as queue, queue.exclusive():
        if queue.workers():
            return False
        process = _start(settings, command)
        queue.heartbeat(name_of(process.pid))
    _started.append(process)
    return True


def _start(settings: Settings, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A detached process with the same settings; what it prints goes to the worker's log."""
    try:
        with (settings.cache / LOG_NAME).open("ab") as log:
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
