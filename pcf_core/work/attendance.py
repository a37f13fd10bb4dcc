"""How a worker is known as alive while it serves, and how it signs off without leaving a job behind."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pcf_core.core.errors import StoreError
from pcf_core.core.settings import Settings
from pcf_core.work.queue import Queue

log = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
LOG_NAME = "worker.log"


def attend(queue: Queue, owner: str, serve: Callable[[], bool], fingerprint: str = "") -> None:
    """Be known as alive while ``serve`` works; then give back what is held and sign off.

    ``fingerprint`` tells the settings of the app that started it, if one did.  ``serve`` is called again
    where it says that it would go on and something waits: it was submitted by somebody who saw that a worker
    is alive.
    """
    try:
        while True:
            with _beating(queue, owner, fingerprint):
                would_go_on = serve()
            if not would_go_on or not queue.current or queue.sign_off(owner):
                return
    finally:
        if queue.current:  # else nobody reads it any more
            queue.leave(owner)


@contextmanager
def _beating(queue: Queue, owner: str, fingerprint: str) -> Iterator[None]:
    """Send heartbeats, in long batches too."""
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
    """A log whose lines are lost where the disk takes none: work must not end for want of a log."""

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):  # of opening the file, which the class it extends does outside its own care
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Do nothing: Python would print a traceback, mostly into the same file."""

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
