"""Bytes on disk: written whole or not at all, JSON sealed with a checksum, failures told in one sentence."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pcf_core.errors import StoreError

ROOM = 2**20  # bytes that must be free before it is worth another try
FULL = (errno.ENOSPC, errno.EDQUOT)
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def sha256(data: bytes) -> str:
    """All 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def write_whole(path: Path, data: bytes, suffix: str = ".tmp") -> None:
    """Write a file that is there completely or not at all, also after a power cut.

    The draft beside it has a fixed name, so that what a killed process left is overwritten by the next
    attempt; callers therefore take turns (:meth:`pcf_core.store.database.Database.transaction`), or give
    their drafts a ``suffix`` of their own.

    Raises:
        OSError: the folder is full or cannot be written; nothing is left behind.
    """
    with _drafted(path, data, suffix) as draft:
        draft.replace(path)


def write_new(path: Path, data: bytes, suffix: str = ".tmp") -> bool:
    """The same for a file that is never replaced: false where it is there already, whoever wrote it.

    Raises:
        OSError: as :func:`write_whole`.
    """
    if path.exists():
        return False
    with _drafted(path, data, suffix) as draft:
        try:
            path.hardlink_to(draft)  # unlike a rename, it fails where somebody was faster
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            draft.replace(path)
    return True


@contextmanager
def _drafted(path: Path, data: bytes, suffix: str) -> Iterator[Path]:
    """A complete draft beside ``path``, to be given its name inside."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + suffix)
    try:
        draft.unlink(missing_ok=True)  # never written into: it may be another name of a finished file
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # makes the new name last
    finally:
        os.close(folder)


def set_aside(path: Path) -> None:
    """Rename a damaged file so that it is no longer found, where the folder can be written."""
    path.replace(path.with_name(f"{path.name}.damaged"))


def takes_files(folder: Path) -> bool:
    """Whether a folder looks as if it could be written: allowed, and with some room."""
    try:
        state = os.statvfs(folder)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK) and state.f_bavail * state.f_frsize >= ROOM


def seal(body: Mapping[str, Any]) -> bytes:
    """JSON that carries the checksum of its own content."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    return json.dumps({**body, "checksum": sha256(text.encode())}, ensure_ascii=False, indent=1).encode()


def unseal(data: bytes) -> dict[str, Any]:
    """The content of sealed JSON.

    Raises:
        ValueError: any byte differs from what :func:`seal` wrote.
    """
    body = json.loads(data)
    if isinstance(body, dict) and body.pop("checksum", None) and seal(body) == data:
        return body
    raise ValueError("the checksum does not fit")


@contextmanager
def told(place: Path, setting: str = "PCF_CACHE") -> Iterator[None]:
    """Turn what the operating system or SQLite raises inside into one sentence about ``place``.

    ``setting`` is the one that chooses another place.

    Raises:
        StoreError: what happened and what to do.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise StoreError(sentence(error, place, setting)) from error


def sentence(error: OSError | sqlite3.Error, place: Path, setting: str = "PCF_CACHE") -> str:
    """What went wrong with the cache at ``place``, and the remedy."""
    code = sqlite_code(error)
    number = error.errno if isinstance(error, OSError) else None
    if number in FULL or code == sqlite3.SQLITE_FULL or _lacks_room(error):
        return (
            f"The cache at {place} is full: free some space or set {setting} to another folder, "
            "then repeat; what is finished is kept."
        )
    if number in NOT_WRITABLE or code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return f"The cache at {place} cannot be written: make it writable or set {setting} to another folder."
    if code == sqlite3.SQLITE_BUSY:
        return f"The cache at {place} is busy with other processes: repeat in a moment."
    if code in DAMAGED:
        return f"The catalogue at {place} is damaged: delete it, it is rebuilt from the shards."
    return (
        f"The cache at {place} cannot be used ({error}): check the disk or set {setting} to another folder."
    )


def _lacks_room(error: Exception) -> bool:
    """Whether SQLite could not enlarge the file that its processes share: how it first meets a full disk."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHMSIZE


def sqlite_code(error: Exception) -> int | None:
    """SQLite's primary result code; ``None`` for errors that do not come from SQLite itself."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
