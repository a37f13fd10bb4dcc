"""Start a worker where none is alive: a process of its own, which outlives the app.

It carries the fingerprint of the app's settings.  A worker with those of another app, or of this one before
they were changed, is replaced: it ends when it is idle, and the new one waits for that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing

from pcf_core.core.errors import ScoringError
from pcf_core.core.settings import ROOT, Settings
from pcf_core.work.attendance import LOG_NAME
from pcf_core.work.processes import is_here, name_of
from pcf_core.work.queue import Queue

COMMAND = (sys.executable, "-m", "pcf_core", "worker")

_started: list[
    subprocess.Popen[bytes]
] = []  # by this process; asked for their end, so that none is left a zombie


def worker_alive(settings: Settings) -> bool:
    """Tell whether a worker takes what is asked of this cache with these settings."""
    with closing(Queue.open(settings.catalogue)) as queue:
        return _is_served(queue, settings)


def worker_here(settings: Settings) -> bool:
    """Tell whether a worker of this machine, or container, serves this cache."""
    with closing(Queue.open(settings.catalogue)) as queue:
        return any(is_here(worker.owner) for worker in queue.workers())


def ensure_worker(settings: Settings, command: Sequence[str] = COMMAND) -> bool:
    """Start a worker for this cache, unless one is alive or the settings forbid it; say whether it was.

    Alive is one that was started by hand, whatever its settings, or by an app with the same ones.

    Of several callers at once, in whatever processes, one starts it: the new process is registered before the
    next caller may look.

    Raises
    ------
    ScoringError
        The process could not be started.
    StoreError
        The cache folder is read-only or full.
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
    """Start a detached process with the same settings; what it prints goes to the worker's log."""
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
