"""Files: written whole or not at all, JSON with its own checksum, errors in one sentence, locks.

Of several processes that want to do the same work one does it, under a lock of the operating system on a file
that ends with its process; the file names the holder, which may be frozen.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from pcf_core.core.errors import StoreError
from pcf_core.core.files import read_file

ROOM = 2**20  # bytes that must be free for another attempt
FULL = (errno.ENOSPC, errno.EDQUOT)
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
# SQLite's codes for a damaged file, including tables, columns or types that our statements do not
# expect; ``None``: a text cannot be decoded.
DAMAGED = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_FORMAT,
    None,
)


def sha256(data: bytes) -> str:
    """Return all 64 hexadecimal digits of the SHA-256."""
    return hashlib.sha256(data).hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file completely or not at all, even if the power fails; raise OSError if that fails.

    The next attempt overwrites the draft of a killed process, which has a fixed name; so callers hold a lock
    (:meth:`pcf_core.store.database.Database.transaction`).
    """
    write_together({path: data})


def write_together(files: Mapping[Path, bytes], suffix: str = ".tmp") -> None:
    """Write several files as :func:`write_whole` does, in this order, waiting for the disk once."""
    with _drafted(files, suffix) as drafts:
        for path, draft in drafts.items():
            draft.replace(path)


def write_new(path: Path, data: bytes, suffix: str = ".tmp") -> bool:
    """Write a file unless it exists; return whether it was written."""
    if path.exists():
        return False
    with _drafted({path: data}, suffix) as drafts:
        try:
            path.hardlink_to(drafts[path])  # unlike a rename, it fails if the file exists
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            drafts[path].replace(path)
    return True


@contextmanager
def _drafted(files: Mapping[Path, bytes], suffix: str) -> Iterator[dict[Path, Path]]:
    """Write a complete draft beside each path; the block gives the drafts their names."""
    folders = {path.parent for path in files}
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    drafts = {path: path.with_name(path.name + suffix) for path in files}
    try:
        with ExitStack() as written:
            open_files = []
            for path, data in files.items():
                drafts[path].unlink(missing_ok=True)  # it may be a hard link to a finished file
                open_files.append(written.enter_context(drafts[path].open("xb")))
                open_files[-1].write(data)
                open_files[-1].flush()
            for file in open_files:  # only now, so that the disk takes all at once
                os.fsync(file.fileno())
        yield drafts
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    for folder in folders:
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)  # makes the new names last
        finally:
            os.close(opened)


def set_aside(path: Path) -> None:
    """Rename a damaged file so that it is no longer used."""
    path.replace(path.with_name(f"{path.name}.damaged"))


def takes_files(folder: Path) -> bool:
    """Return whether a folder seems to be writable and has some space left."""
    try:
        state = os.statvfs(folder)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK) and state.f_bavail * state.f_frsize >= ROOM


def seal(body: Mapping[str, Any]) -> bytes:
    """Return JSON with the checksum of its own content."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    return json.dumps({**body, "checksum": sha256(text.encode())}, ensure_ascii=False, indent=1).encode()


def unseal(data: bytes) -> dict[str, Any]:
    """Return the content of sealed JSON."""
    body = json.loads(data)
    if isinstance(body, dict) and body.pop("checksum", None) and seal(body) == data:
        return body
    raise ValueError("the checksum does not fit")


@contextmanager
def as_store_error(path: Path, setting: str = "PCF_CACHE") -> Iterator[None]:
    """Turn errors of the system or SQLite into a StoreError on ``path`` and the setting that chooses it."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise StoreError(sentence(error, path, setting)) from error


def sentence(
    error: OSError | sqlite3.Error | UnicodeDecodeError, path: Path, setting: str = "PCF_CACHE"
) -> str:
    """Return a sentence on what went wrong with the cache at ``path``, and the remedy."""
    code = sqlite_code(error)
    number = error.errno if isinstance(error, OSError) else None
    # On a full disk SQLite first fails to enlarge its shared memory file.
    lacks_room = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHMSIZE
    if number in FULL or code == sqlite3.SQLITE_FULL or lacks_room:
        return (
            f"The cache at {path} is full: free some space or set {setting} to another folder, "
            "then repeat. Finished work is kept."
        )
    if number in NOT_WRITABLE or code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return f"The cache at {path} cannot be written: make it writable or set {setting} to another folder."
    if code == sqlite3.SQLITE_BUSY:
        return busy(path)
    if is_damage(error):
        return f"The catalogue at {path} is damaged: delete it, and it is rebuilt from the shards."
    return f"The cache at {path} cannot be used ({error}): check the disk or set {setting} to another folder."


def busy(path: Path) -> str:
    """Return the sentence for a cache that other processes are using."""
    return f"The cache at {path} is being used by other processes: try again in a moment."


def is_damage(error: Exception) -> bool:
    """Return whether an error of SQLite means a damaged file; its message may then be undecodable."""
    if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.ProgrammingError):
        return sqlite_code(error) in DAMAGED
    return isinstance(error, UnicodeDecodeError)


def sqlite_code(error: Exception) -> int | None:
    """Return SQLite's primary result code; ``None`` for errors that do not come from SQLite itself."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


FOLDER = "turns"
POLL_SECONDS = 0.2
NOBODY_KNOWN = "another process"


@contextmanager
def locked(root: Path, name: str, while_waiting: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock on a piece of work, as soon as no other process has it; never remove the lock file.

    ``while_waiting`` is called several times a second with the holder's name; an exception of it ends the
    waiting.
    """
    path = root / FOLDER / name
    with as_store_error(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        while not _taken(lock, path):
            while_waiting(_holder(path))
            time.sleep(POLL_SECONDS)
        with suppress(OSError):  # on a full disk the holder stays unnamed
            path.write_text(f"process {os.getpid()} on {socket.gethostname()}", encoding="utf8")
        yield
    finally:
        lock.release()


def _taken(lock: BaseFileLock, path: Path) -> bool:
    """Acquire the lock; return false if another process, or another lock of this one, has it."""
    with as_store_error(path):
        try:
            lock.acquire(timeout=0)
        except Timeout:  # a subclass of OSError
            return False
    return True


def _holder(path: Path) -> str:
    with suppress(OSError):
        return read_file(path).decode("utf8", errors="replace").strip() or NOBODY_KNOWN
    return NOBODY_KNOWN
