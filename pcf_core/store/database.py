"""One SQLite file that several processes share: the catalogue and the job queue keep their tables in it.

SQLite does not notice that a bit of a row has changed.  So rows that say something are :class:`KeptTwice`,
and whatever is found not to be as it was written, by SQLite or by that, sets the whole file aside as
``….damaged``.  A new file takes its place: the catalogue fills its tables from the shards, and the queue
takes over the jobs that are whole.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from filelock import FileLock, Timeout

from pcf_core.core.errors import DamagedCatalogueError, StoreError
from pcf_core.store.files import FOLDER, busy, is_damage, sentence, set_aside, sqlite_code

log = logging.getLogger(__name__)

BUSY_SECONDS = 30.0
FILE_NAME = "catalogue.sqlite"
VERSIONS = "CREATE TABLE IF NOT EXISTS versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL)"

FOLLOWS = 1  # what the header of a new file says until jobs are taken over from the damaged one
ENDINGS = ("-wal", "-shm")  # of the files beside a database in which SQLite keeps what is not in it yet

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)  # the latter where SQLite's own message is no text
Parameters = Sequence[Any] | Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class KeptTwice:
    """A table each row of which carries a copy of itself.

    Triggers in the file make the copy, so that a program of before makes it too, and refuse to change a row
    that is not whole.  Who reads rows reads ``whole`` with them, by :meth:`Database.checked`.
    """

    table: str
    columns: tuple[str, ...]

    @property
    def whole(self) -> str:
        """SQL: whether a row is as it was written."""
        return f"({self.table}.copy IS {self._copy(self.table)})"

    @property
    def steps(self) -> tuple[str, ...]:
        """The statements that begin with it, in a table that has these columns."""
        table, columns = self.table, ", ".join(self.columns)
        make = f"UPDATE {table} SET copy = {self._copy(table)}"
        return (
            f"ALTER TABLE {table} ADD COLUMN copy TEXT NOT NULL DEFAULT ''",
            make,
            f"CREATE TRIGGER {table}_added AFTER INSERT ON {table} BEGIN {make} WHERE rowid = NEW.rowid; END",
            f"CREATE TRIGGER {table}_changing BEFORE UPDATE OF {columns} ON {table} "
            f"WHEN OLD.copy IS NOT {self._copy('OLD')} "
            f"BEGIN SELECT RAISE(ABORT, 'a row of {table} is not as it was written'); END",
            f"CREATE TRIGGER {table}_changed AFTER UPDATE OF {columns} ON {table} "
            f"BEGIN {make} WHERE rowid = NEW.rowid; END",
        )

    def _copy(self, row: str) -> str:
        """Write the content of its columns as a text.

        Times and rates are in millionths: the digits of a real number depend on the version of SQLite.
        """
        values = (
            f"CASE typeof({row}.{column}) WHEN 'real' THEN CAST(round({row}.{column} * 1e6) AS INTEGER) "
            f"ELSE {row}.{column} END"
            for column in self.columns
        )
        return f"json_array({', '.join(values)})"


class Database:
    """A connection that the threads of one process share, in autocommit mode.

    ``path`` is the file, or ``None`` for a database in memory; ``refusal`` then says why nothing that is
    written to it would last, where somebody may try.

    Every method raises :class:`StoreError` with one sentence where SQLite refuses, and
    :class:`DamagedCatalogueError` where the file is damaged: it is set aside then, and no longer ``current``.
    ``close()`` is called at the latest when the object goes.
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
            return self._place.stat().st_ino == self._file
        except OSError:
            return False

    @property
    def lasts(self) -> bool:
        """Whether what is written is kept: the folder could be written when it was opened."""
        return not self._refusal

    def must_last(self) -> None:
        """Refuse to go on where nothing can be kept.

        Raises
        ------
        StoreError
            The folder could not be written when it was opened.
        """
        if self._refusal:
            raise StoreError(self._refusal)

    def execute(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """Run one statement and fetch all its rows."""
        with self._lock, self._told():
            return self._connection.execute(sql, parameters).fetchall()

    def checked(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """Run a query of rows that are kept twice, whose column ``whole`` is :attr:`KeptTwice.whole`."""
        rows = self.execute(sql, parameters)
        if not all(row["whole"] for row in rows):
            self.give_up("a row is not as it was written")
        return rows

    def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement per row."""
        with self._lock, self._told():
            self._connection.executemany(sql, rows)

    def give_up(self, reason: str) -> NoReturn:
        """Set the file aside, unless another process was first, and begin a new one.

        Raises
        ------
        DamagedCatalogueError
            always.
        """
        said = _given_up(self._place, reason)
        if self._file is None:  # nobody else reads it, and nothing is beside it
            raise DamagedCatalogueError(said)
        try:
            with self._lock, _alone(self._place):
                if self.current:
                    _begin_anew(self._place)
                    log.warning("%s", said)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(sentence(error, self._place)) from error
        raise DamagedCatalogueError(said)

    def take_over(self, kept: KeptTwice) -> bool:
        """Take the whole rows of a table from the damaged file in whose place this one was begun, once.

        Whether there was one; to be asked in a transaction, when nothing else has taken a row's place.
        """
        rows = {}
        if not self.follows:
            return False
        columns = ", ".join(kept.columns)
        for order in ("ASC", "DESC"):  # up to what cannot be read, from either end
            with suppress(*UNREADABLE), closing(_existing(damaged(self._place))) as before:
                for row in before.execute(
                    f"SELECT rowid, {columns}, {kept.whole} AS whole FROM {kept.table} ORDER BY rowid {order}"
                ):
                    if row[-1]:
                        rows[row[0]] = row[1:-1]
        places = ", ".join("?" * len(kept.columns))
        self.execute_many(
            f"INSERT OR IGNORE INTO {kept.table} ({columns}) VALUES ({places})",
            [rows[number] for number in sorted(rows)],
        )
        self.execute("PRAGMA user_version = 0")
        return True

    @property
    def follows(self) -> bool:
        """Whether it was begun in the place of a damaged file of which nothing was taken over yet."""
        return bool(self.execute("PRAGMA user_version")[0][0] == FOLLOWS)

    def bring_up(self, part: str, steps: Sequence[Sequence[str]]) -> None:
        """Make the tables of one part of the file, or bring those of an earlier version up to date.

        Version 1 is what files had before they said their version: its statements do nothing where the tables
        are there.  Only what is new may be added: an app of before goes on with the same file.

        Parameters
        ----------
        part
            A name for these tables.
        steps
            The statements that make version 1, those that make version 2 of it, and so on.

        Raises
        ------
        StoreError
            A later version of this program has written the file.
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
            for statements in steps[version:]:
                for statement in statements:
                    self.execute(statement)
            self.execute(
                "INSERT INTO versions (part, version) VALUES (:part, :version) "
                "ON CONFLICT (part) DO UPDATE SET version = :version",
                {"part": part, "version": known},
            )

    def _version(self, part: str) -> int:
        """Return the version of a part's tables; 0 where the file says none."""
        if not self.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'versions'"):
            return 0
        rows = self.execute("SELECT version FROM versions WHERE part = ?", (part,))
        version = rows[0]["version"] if rows else 0
        if not isinstance(version, int):
            self.give_up(f"its {part} have no version")
        return version

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
    def _told(self) -> Iterator[None]:
        try:
            yield
        except UNREADABLE as error:
            if self._file is not None and is_damage(error):
                self.give_up(str(error))
            raise StoreError(sentence(error, self._place)) from error

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

    Raises
    ------
    StoreError
        Another process holds it for longer than 30 s.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            try:
                return Database(path)
            except UNREADABLE as error:
                if not is_damage(error):
                    raise
                _begin_anew(path)
                log.warning("%s", _given_up(path, str(error)))
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

    Raises
    ------
    StoreError
        Another process is at it for longer than 30 s.
    OSError
        The folder is read-only or full.
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


def _given_up(path: Path, reason: str) -> str:
    return (
        f"The catalogue at {path} was damaged ({reason}): it is kept as {damaged(path).name}, and another "
        "takes its place, made from the shards and the jobs that can still be read; repeat what you did."
    )


def _begin_anew(path: Path) -> None:
    """Set a file aside with what SQLite keeps beside it, the file last, and begin the one that follows it."""
    for ending in ENDINGS:
        beside = path.with_name(path.name + ending)
        kept = damaged(path)
        kept = kept.with_name(kept.name + ending)
        if beside.exists():
            beside.replace(kept)
        else:
            kept.unlink(missing_ok=True)  # of a file that was set aside before
    set_aside(path)
    with closing(Database(path)) as new:
        new.execute(f"PRAGMA user_version = {FOLLOWS}")


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
