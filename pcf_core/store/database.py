"""The SQLite file of the catalogue and the job queue, shared by several processes.

SQLite does not notice that a bit of a row has changed, so rows that matter carry a checksum.  A file that
SQLite or a reader finds damaged is renamed to ``….damaged`` and replaced: the catalogue fills its tables from
the shards, and the queue copies the intact jobs.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from filelock import FileLock, Timeout

from pcf_core.core.errors import DamagedCatalogueError, StoreError
from pcf_core.store.files import FOLDER, busy, is_damage, sentence, set_aside, sqlite_code

log = logging.getLogger(__name__)

BUSY_SECONDS = 30.0
FILE_NAME = "catalogue.sqlite"
SCHEMA_VERSION = 2  # in the header of the file
ENDINGS = ("-wal", "-shm")  # of SQLite's files beside a database

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)  # the latter if SQLite's message is not UTF-8
Parameters = Sequence[Any] | Mapping[str, Any]
T = TypeVar("T")


class Database:
    """A connection that the threads of one process share, in autocommit mode.

    ``path``: ``None`` for a database in memory, with ``refusal`` the sentence for writes that have to last.

    Every method raises :class:`StoreError` with one sentence if SQLite refuses, and
    :class:`DamagedCatalogueError` if the file is damaged: it is then renamed, and no longer ``current``.
    ``close()`` is called at the latest when the object is collected.
    """

    def __init__(self, path: Path | None, refusal: str = "") -> None:
        self._path = path or Path(":memory:")
        self._refusal = refusal
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection.row_factory = sqlite3.Row
        # While the file is open, its inode number is not reused.
        self._file = None if path is None else path.stat().st_ino
        self.close = weakref.finalize(self, self._connection.close)
        try:
            _use_wal(self._connection)
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA temp_store = MEMORY")
            self._connection.execute("BEGIN IMMEDIATE")  # can it be written?
            self._connection.execute("ROLLBACK")
        except UNREADABLE:
            self.close()
            raise

    @property
    def current(self) -> bool:
        """Whether other processes read what is written here: not in memory or after the file was replaced."""
        if self._file is None:
            return not self._refusal
        try:
            return self._path.stat().st_ino == self._file
        except OSError:
            return False

    @property
    def lasts(self) -> bool:
        """Whether writes last: the folder was writable when the database was opened."""
        return not self._refusal

    def must_last(self) -> None:
        """Raise StoreError if the folder was not writable when the database was opened."""
        if self._refusal:
            raise StoreError(self._refusal)

    def execute(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """Run one statement and fetch all its rows."""
        with self._lock, self._as_store_error():
            return self._connection.execute(sql, parameters).fetchall()

    def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement per row."""
        with self._lock, self._as_store_error():
            self._connection.executemany(sql, rows)

    def give_up(self, reason: str) -> NoReturn:
        """Rename the damaged file, unless another process has, and raise DamagedCatalogueError."""
        message = _damage_sentence(self._path, reason)
        if self._file is None:  # in memory
            raise DamagedCatalogueError(message)
        try:
            with self._lock, _alone(self._path):
                if self.current:
                    _set_aside(self._path)
                    log.warning("%s", message)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(sentence(error, self._path)) from error
        raise DamagedCatalogueError(message)

    def create_tables(
        self, table: str, statements: Sequence[str], fill: Callable[[], None] = lambda: None
    ) -> None:
        """Create the tables of one part of the file, and fill them, unless ``table`` exists."""
        if self._has(table):  # look before taking the write lock
            return
        with self.transaction():
            if not self._has(table):
                for statement in statements:
                    self.execute(statement)
                self.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                fill()

    def _has(self, table: str) -> bool:
        (row,) = self.execute(
            "SELECT user_version AS version, (SELECT count(*) FROM sqlite_master) AS names, "
            "EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?) AS found FROM pragma_user_version",
            (table,),
        )
        if row["names"] and row["version"] != SCHEMA_VERSION:
            raise StoreError(
                f"The file {self._path} was written by another version of PCF Audit: use that version, set "
                "PCF_CACHE to another folder, or delete the file (it is rebuilt from the shards, but "
                "waiting jobs are lost)."
            )
        return bool(row["found"])

    def salvaged(self, statements: Sequence[str]) -> Iterator[sqlite3.Row]:
        """Yield the readable rows of the damaged file, each statement up to its first unreadable row."""
        for statement in statements:
            with suppress(*UNREADABLE), closing(_existing(damaged(self._path))) as connection:
                connection.row_factory = sqlite3.Row
                yield from connection.execute(statement)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, which may be rolled back."""
        return self._connection.in_transaction

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run all statements inside or none, one process at a time; nested ones are part of the outer one."""
        with self._within("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one state in several statements; writers in other processes do not wait."""
        with self._within("BEGIN DEFERRED"):
            yield

    @contextmanager
    def _as_store_error(self) -> Iterator[None]:
        try:
            yield
        except UNREADABLE as error:
            if self._file is not None and is_damage(error):
                self.give_up(str(error))
            raise StoreError(sentence(error, self._path)) from error

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


def opened(path: Path, use: Callable[[Database], T]) -> T:
    """Open the file and return what ``use`` makes of it; replace a damaged file once."""
    try:
        return use(open_database(path))
    except DamagedCatalogueError:
        return use(open_database(path))


def open_database(path: Path) -> Database:
    """Open the file, replaced if it is no database, or a database in memory if the folder is unwritable."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            try:
                return Database(path)
            except UNREADABLE as error:
                if not is_damage(error):
                    raise
                _set_aside(path)
                log.warning("%s", _damage_sentence(path, str(error)))
                return Database(path)
    except (OSError, sqlite3.Error) as error:
        if sqlite_code(error) == sqlite3.SQLITE_BUSY:
            raise StoreError(sentence(error, path)) from error
        return Database(None, refusal=sentence(error, path.parent))


def damaged(path: Path) -> Path:
    """Return the path to which a damaged file is renamed."""
    return path.with_name(f"{path.name}.damaged")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock for opening or replacing the file, as SQLite's files belong to the old one."""
    folder = path.parent / FOLDER
    folder.mkdir(exist_ok=True)
    lock = FileLock(folder / path.name)
    try:
        lock.acquire(timeout=BUSY_SECONDS, poll_interval=0.01)
    except Timeout as error:
        raise StoreError(busy(path)) from error
    try:
        yield
    finally:
        lock.release()


def _damage_sentence(path: Path, reason: str) -> str:
    return (
        f"The catalogue at {path} was damaged ({reason}). It was saved as {damaged(path).name} and replaced "
        "by a new one, made from the shards and the jobs that could still be read: repeat your last action."
    )


def _set_aside(path: Path) -> None:
    """Rename a file and SQLite's files beside it, the file itself last."""
    for ending in ENDINGS:
        beside = path.with_name(path.name + ending)
        renamed = damaged(path)
        renamed = renamed.with_name(renamed.name + ending)
        if beside.exists():
            beside.replace(renamed)
        else:
            renamed.unlink(missing_ok=True)  # of an earlier damaged file
    set_aside(path)


def _existing(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, so that readers do not wait for the writer.

    Processes that open a new file at once wait here, as SQLite's timeout does not cover the exclusive access.
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
