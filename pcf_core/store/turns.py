"""Turns at a piece of work: of several processes on one cache, one is at it and the others wait.

A turn is a lock of the operating system on a file, so it ends with its process, however that ends.  SQLite's
own locks, by which processes share the catalogue, ask no less of the file system.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pcf_core.store.files import told

FOLDER = "turns"
POLL_SECONDS = 0.2


@contextmanager
def turn(root: Path, name: str, while_waiting: Callable[[], None]) -> Iterator[bool]:
    """Be the only process at something, and say whether another was at it before.

    Args:
        root: the cache folder.
        name: of the work, as a file can be called.
        while_waiting: called several times a second while another process is at it; what it raises ends this.

    Raises:
        StoreError: the folder is full or read-only.
    """
    path = root / FOLDER / name
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        held, waited = _take(path), False
    try:
        while held is None:
            waited = True
            while_waiting()
            time.sleep(POLL_SECONDS)
            with told(path):
                held = _take(path)
        yield waited
    finally:
        if held is not None:
            with suppress(OSError):  # where it cannot be taken away, it stays as an empty file
                path.unlink()  # while it is held: whoever opened it before looks again
            os.close(held)


def _take(path: Path) -> int | None:
    """The open and locked file, or ``None`` while another process, or another turn of this one, has it."""
    opened = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.exists() and path.stat().st_ino == os.fstat(opened).st_ino:
            return opened
    except BlockingIOError:
        pass
    os.close(opened)
    return None
