"""The journal of a cache: who queued, cancelled, imported, deleted, exported or changed something, and when.

    <root>/journal.jsonl    one JSON entry per line; append-only

It is not in the catalogue, which may be rebuilt.  Every line has the SHA-256 of the line before it, so that
an altered, removed or inserted line is noticed, but a truncated file only by comparison with an export.

Writers hold a lock until their line is on the disk.  A line left incomplete by a killed process is ended by
the next one, and reported as damage.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import FileIO
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

from filelock import FileLock, Timeout
from pydantic import AfterValidator, Field, ValidationError

from pcf_core.core.errors import StoreError
from pcf_core.core.files import at_once, must_be_file
from pcf_core.core.records import Record
from pcf_core.store.files import FOLDER, busy, sentence

FILE_NAME = "journal.jsonl"
LOCK_SECONDS = 30.0
BEGINNING = "0" * 64  # the previous digest of the first line
LONGEST = 300  # characters of a text
LONGEST_LINE = 16 * 1024  # bytes, more than any entry has
Did = Literal[
    "queued", "queued again", "cancelled", "imported", "deleted", "exported", "signed", "changed", "uploaded"
]


def _in_utc(at: datetime) -> datetime:
    if at.utcoffset() != timedelta(0):
        raise ValueError("is not in UTC")
    return at


class Entry(Record):
    """One action of a person.

    ``number`` counts from 1; ``at``: in UTC; ``who``: the address of a verified log-in, ``terminal: USER``
    for the command line, empty without log-ins.  ``what``: a kind, such as "run" or "topic".  ``previous``:
    SHA-256 of the line before.
    """

    number: int = Field(ge=1, lt=2**53)
    at: Annotated[datetime, AfterValidator(_in_utc)]
    who: str = Field(max_length=LONGEST)
    did: Did
    what: str = Field(max_length=LONGEST)
    name: str = Field(max_length=LONGEST)
    previous: str = Field(pattern="^[0-9a-f]{64}$")


@dataclass(frozen=True)
class Journaled:
    """The entries of a journal in order, its first ``damage``, and the digest of the last line."""

    entries: tuple[Entry, ...]
    damage: str
    last: str


class Journal:
    """The journal of the cache at ``root``."""

    def __init__(self, root: Path) -> None:
        self.path = root / FILE_NAME

    def check_writable(self) -> None:
        """Raise StoreError before an action that could not be recorded."""
        with self._alone():
            pass

    def add(self, who: str, did: Did, what: str, name: str) -> None:
        """Add an entry, which is on the disk when this returns; raises as :meth:`check_writable`."""
        with self._alone() as file:
            number, previous = _end_of(file)
            entry = Entry(
                number=number + 1,
                at=datetime.now(UTC),
                who=_short(who),
                did=did,
                what=_short(what),
                name=_short(name),
                previous=previous,
            )
            size, line = file.seek(0, os.SEEK_END), _line(entry)
            if file.write(line) != len(line):  # the disk is full
                file.truncate(size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())

    def read(self) -> Journaled:
        """Read all entries, checking that each follows the one before; raise StoreError if unreadable."""
        try:
            with open(self.path, "rb", opener=at_once) as file:
                must_be_file(file, self.path)
                return _checked(file)
        except FileNotFoundError:
            return Journaled((), "", BEGINNING)
        except OSError as error:
            raise StoreError(sentence(error, self.path)) from error

    @property
    def stamp(self) -> tuple[int, int]:
        """Size in bytes and time of change of the file; zeros if there is none."""
        try:
            state = self.path.stat()
        except OSError:
            return 0, 0
        return state.st_size, state.st_mtime_ns

    @contextmanager
    def _alone(self) -> Iterator[FileIO]:
        folder = self.path.parent / FOLDER
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / FILE_NAME)
            with (
                lock.acquire(timeout=LOCK_SECONDS, poll_interval=0.01),
                open(self.path, "a+b", buffering=0, opener=at_once) as file,
            ):
                must_be_file(file, self.path)
                yield file
        except Timeout as error:
            raise StoreError(busy(self.path)) from error
        except OSError as error:
            raise StoreError(sentence(error, self.path.parent)) from error


def _short(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)[:LONGEST]


def _line(entry: Entry) -> bytes:
    return json.dumps(entry.model_dump(mode="json"), ensure_ascii=True).encode() + b"\n"


def _end_of(file: FileIO) -> tuple[int, str]:
    """End an incomplete last line; return its number (its position if unreadable) and its digest."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return 0, BEGINNING
    file.seek(max(0, size - LONGEST_LINE))
    tail = file.read(LONGEST_LINE)
    if not tail.endswith(b"\n"):
        file.write(b"\n")
        tail += b"\n"
    last = tail[:-1].rpartition(b"\n")[2] + b"\n"
    try:
        number = Entry.model_validate_json(last).number
    except ValidationError:
        file.seek(0)
        number = sum(1 for _ in file)
    return number, hashlib.sha256(last).hexdigest()


def _checked(file: BinaryIO) -> Journaled:
    entries, damage, previous, number = [], "", BEGINNING, 0
    for line_number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
        try:
            entry = Entry.model_validate_json(line)
        except ValidationError:
            damage = damage or (
                f"Line {line_number:,} of {FILE_NAME} is not a valid entry: it was changed or cut off."
            )
        else:
            entries.append(entry)
            if entry.previous != previous or entry.number != number + 1 or not line.endswith(b"\n"):
                damage = damage or (
                    f"Entry {entry.number:,} of {FILE_NAME} does not follow from the line before it: an "
                    "entry was changed, removed or added."
                )
        previous, number = hashlib.sha256(line).hexdigest(), (entries[-1].number if entries else 0)
    return Journaled(tuple(entries), damage, previous)
