"""Turns at a piece of work: of several processes on one cache, one is at it and the others wait.

A turn is a lock of the operating system on a file, so it ends with its process, however that ends.  SQLite's
own locks, by which processes share the catalogue, ask no less of the file system.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from pcf_core.store.files import told

FOLDER = "turns"
POLL_SECONDS = 0.2


@contextmanager
def turn(root: Path, name: str, while_waiting: Callable[[], None]) -> Iterator[None]:
    """Be the only process at something, once no other is at it any more.

    The empty file stays: one that is taken away while others wait for it would let two of them in.

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
    lock = FileLock(path)
    try:
        while not _taken(lock, path):
            while_waiting()
            time.sleep(POLL_SECONDS)
        yield
    finally:
        lock.release()


def _taken(lock: BaseFileLock, path: Path) -> bool:
    """Whether the lock is held now; not while another process, or another turn of this one, has it."""
    with told(path):
        try:
            lock.acquire(timeout=0)
        except Timeout:  # to Python an OSError, and here none
            return False
    return True
