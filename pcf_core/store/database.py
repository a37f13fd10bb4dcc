"""One SQLite file that several processes share: the catalogue and the job queue keep their tables in it."""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pcf_core.errors import StoreError
from pcf_core.store.files import DAMAGED, sentence, set_aside, sqlite_code, told

BUSY_SECONDS = 30.0
FILE_NAME = "catalogue.sqlite"
VERSIONS = "CREATE TABLE IF NOT EXISTS versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL)"

Parameters = Sequence[Any] | Mapping[str, Any]


class Database:
    """A connection that the threads of one process share, in autocommit mode.

    ``path`` is the file, or ``None`` for a database in memory; ``refusal`` then says why nothing that is
    written to it would last, where somebody may try.

    Every method raises :class:`StoreError` with one sentence where SQLite refuses.  ``close()`` is called at
    the latest when the object goes.
    """

    def __init__(self, path: Path | None, refusal: str = "") -> None:
        self._place = path or Path(":memory:")
        self._refusal = refusal
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            self._place, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection.row_factory = sqlite3.Row
        self._file = (
            None if path is None else path.stat().st_ino
        )  # held open, its number is not given to another
        self.close = weakref.finalize(self, self._connection.close)
        try:
            _use_wal(self._connection)
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA temp_store = MEMORY")
            self._connection.execute("BEGIN IMMEDIATE")  # can it be written?
            self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.close()
            raise

    @property
    def current(self) -> bool:
        """Whether others read what is written here: not in memory for want of a writable folder, nor in a
        file that was deleted or replaced since it was opened."""
        if self._file is None:
            return not self._refusal
        try:
            return self._place.stat().st_ino == self._file
        except OSError:
            return False

    def must_last(self) -> None:
        """Refuse to go on where nothing can be kept.

        Raises:
            StoreError: the folder could not be written when it was opened.
        """
        if self._refusal:
            raise StoreError(self._refusal)

    def execute(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """Run one statement and fetch all its rows."""
        with self._lock, told(self._place):
            return self._connection.execute(sql, parameters).fetchall()

    def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement per row."""
        with self._lock, told(self._place):
            self._connection.executemany(sql, rows)

    def bring_up(self, part: str, steps: Sequence[Sequence[str]]) -> None:
        """Make the tables of one part of the file, or bring those of an earlier version up to date.

        Version 1 is what files had before they said their version: its statements do nothing where the tables
        are there.  Only what is new may be added: an app of before goes on with the same file.

        Args:
            part: a name for these tables.
            steps: the statements that make version 1, those that make version 2 of it, and so on.

        Raises:
            StoreError: a later version of this program has written the file, or its tables are not those of
                the version that it says.
        """
        known = len(steps)
        if self._version(part) == known:  # look before taking the write lock
            return
        with self.transaction():
            self.execute(VERSIONS)
            version = self._version(part)
            if version > known:
                raise StoreError(
                    f"The file {self._place} was written by a later version of PCF Audit (its {part} have "
                    f"version {version}, this program knows {known}): update the program, or give it another "
                    "folder as PCF_CACHE."
                )
            try:
                for statements in steps[version:]:
                    for statement in statements:
                        self.execute(statement)
            except StoreError as error:
                cause = error.__cause__
                if isinstance(cause, sqlite3.Error) and sqlite_code(cause) == sqlite3.SQLITE_ERROR:
                    raise self._odd(part, version) from error  # such as a column that is there
                raise
            self.execute(
                "INSERT INTO versions (part, version) VALUES (:part, :version) "
                "ON CONFLICT (part) DO UPDATE SET version = :version",
                {"part": part, "version": known},
            )

    def _version(self, part: str) -> int:
        """The version of a part's tables; 0 where the file says none."""
        if not self.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'versions'"):
            return 0
        rows = self.execute("SELECT version FROM versions WHERE part = ?", (part,))
        version = rows[0]["version"] if rows else 0
        if not isinstance(version, int):
            raise self._odd(part, version)
        return version

    def _odd(self, part: str, version: object) -> StoreError:
        return StoreError(
            f"The {part} in the file {self._place} are not of the version {version!r} that it says: put back "
            "a copy, or delete the file; the catalogue is made anew from the shards, the queue is not."
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the statements inside or none; one process at a time.  Inside another, part of that one."""
        with self._within("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several reads of one state, which writers in other processes neither change nor wait for."""
        with self._within("BEGIN DEFERRED"):
            yield

    @contextmanager
    def _within(self, begin: str) -> Iterator[None]:
        with self._lock:
            inside_another = self._connection.in_transaction
            if inside_another:
                yield
                return
            self.execute(begin)
            try:
                yield
                self.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self.execute("ROLLBACK")


def open_database(path: Path) -> Database:
    """Open the file; in memory where the folder is read-only or full, so that reading goes on.

    A file that is not a database any more is set aside and a new one begun.

    Raises:
        StoreError: another process holds it for longer than 30 s.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Database(path)
    except (OSError, sqlite3.Error) as error:
        if sqlite_code(error) == sqlite3.SQLITE_BUSY:
            raise StoreError(sentence(error, path)) from error
        if sqlite_code(error) in DAMAGED:
            with told(path):
                set_aside(path)
                for suffix in ("-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
                return Database(path)
        return Database(None, refusal=sentence(error, path.parent))


def _use_wal(connection: sqlite3.Connection) -> None:
    """Let readers and one writer work at the same time.

    The change needs the file for oneself, and SQLite's busy timeout does not cover it: of several processes
    that open a new file at once, the late ones wait here.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if sqlite_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)
