"""One SQLite file that several processes share: the catalogue and the job queue keep their tables in it.

SQLite does not notice that a bit of a row has changed, so rows that matter carry a checksum which their
reader compares.  A file that SQLite or such a reader finds damaged is renamed to ``….damaged`` and a new one
takes its place: the catalogue fills its tables from the shards, and the queue copies the intact jobs.
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
SCHEMA_VERSION = 2  # of the whole file; the header of a file has it
ENDINGS = ("-wal", "-shm")  # of the files beside a database in which SQLite keeps what is not in it yet

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)  # the latter where SQLite's own message is no text
Parameters = Sequence[Any] | Mapping[str, Any]
T = TypeVar("T")


class Database:
    """A connection that the threads of one process share, in autocommit mode.

    ``path`` is the file, or ``None`` for a database in memory; ``refusal`` then says why nothing that is
    written to it would last, where somebody may try.

    Every method raises :class:`StoreError` with one sentence where SQLite refuses, and
    :class:`DamagedCatalogueError` where the file is damaged: it is set aside then, and no longer ``current``.
    ``close()`` is called at the latest when the object goes.
    """

    def __init__(self, path: Path | None, refusal: str = "") -> None:
        self._path = path or Path(":memory:")
        self._refusal = refusal
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection.row_factory = sqlite3.Row
        # While the file is open, its number is not given to another.
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
        """Whether others read what is written here.

        They do not where the database is in memory for want of a writable folder, or in a file that was
        deleted or replaced since it was opened.
        """
        if self._file is None:
            return not self._refusal
        try:
            return self._path.stat().st_ino == self._file
        except OSError:
            return False

    @property
    def lasts(self) -> bool:
        """Whether what is written is kept: the folder could be written when it was opened."""
        return not self._refusal

    def must_last(self) -> None:
        """Refuse to go on where nothing can be kept."""
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
        """Set the file aside, unless another process was first; whoever opens it again begins a new one."""
        message = _damage_sentence(self._path, reason)
        if self._file is None:  # nobody else reads it, and nothing is beside it
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
                f"The file {self._path} was written by another version of PCF Audit: use that version, give "
                "this one another folder as PCF_CACHE, or delete the file (it is made again from the shards, "
                "and waiting jobs are lost)."
            )
        return bool(row["found"])

    def salvaged(self, statements: Sequence[str]) -> Iterator[sqlite3.Row]:
        """Yield what can be read of the damaged file in whose place this one was begun, if there is one.

        Each statement is read up to the first row that cannot be.
        """
        for statement in statements:
            with suppress(*UNREADABLE), closing(_existing(damaged(self._path))) as connection:
                connection.row_factory = sqlite3.Row
                yield from connection.execute(statement)

    @property
    def in_transaction(self) -> bool:
        """Whether statements are run that may yet be taken back."""
        return self._connection.in_transaction

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run all of the statements inside or none; one process at a time.

        Inside another transaction, they are part of that one.
        """
        with self._within("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one state several times; writers in other processes neither change it nor wait for it."""
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
    """Open the file and return what ``use`` makes of it; a damaged one is replaced by a new one, once.

    Raises
    ------
    StoreError
        As :func:`open_database`, and what ``use`` raises.
    """
    try:
        return use(open_database(path))
    except DamagedCatalogueError:
        return use(open_database(path))


def open_database(path: Path) -> Database:
    """Open the file; in memory where the folder is read-only or full, so that reading goes on.

    A file that is not a database any more is set aside and a new one begun.
    """
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
    """Return the path at which a damaged file is kept."""
    return path.with_name(f"{path.name}.damaged")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Open the file, or put another in its place, while no other process does either.

    Otherwise who opens it in between could join the new file to what SQLite keeps beside the old one.
    """
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
        f"The catalogue at {path} was damaged ({reason}): it is kept as {damaged(path).name}, and another "
        "takes its place, made from the shards and the jobs that can still be read; repeat what you did."
    )


def _set_aside(path: Path) -> None:
    """Rename a file and what SQLite keeps beside it, the file itself last."""
    for ending in ENDINGS:
        beside = path.with_name(path.name + ending)
        renamed = damaged(path)
        renamed = renamed.with_name(renamed.name + ending)
        if beside.exists():
            beside.replace(renamed)
        else:
            renamed.unlink(missing_ok=True)  # of a file that was set aside before
    set_aside(path)


def _existing(path: Path) -> sqlite3.Connection:
    """Connect to an existing file; it is not created."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)


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
