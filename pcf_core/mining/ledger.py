"""The ledger of one mining: a SQLite file with the finished blocks and their counts.

One transaction marks a block and adds its counts, so each is counted exactly once however processes end, and
the next process continues with the remaining blocks.
"""

from __future__ import annotations

import errno
import json
import sqlite3
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pcf_core.core.errors import StoreError
from pcf_core.core.topics import MinedTemplate
from pcf_core.mining.counting import Counts, all_parts, first_examples

FORMAT = "4"  # part of a ledger's key
MOST_SOURCES = 100  # of a template, the most frequent
OTHERS = "other sources"  # stands for the rest
BUSY_SECONDS = 30.0
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
FULL = (errno.ENOSPC, errno.EDQUOT)
TABLES = (
    "CREATE TABLE IF NOT EXISTS blocks (number INTEGER PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS dropped (reason TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS templates (
        id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, count INTEGER NOT NULL,
        documents INTEGER NOT NULL, examples TEXT NOT NULL, fits TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS sources (
        template INTEGER, source TEXT, count INTEGER NOT NULL, PRIMARY KEY (template, source))
        WITHOUT ROWID""",
)
COUNTED = ("documents", "words", "sentences", "matches", "without_word")
ADD_FACT = "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value"
ADD_DROPPED = "INSERT INTO dropped VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"
ADD_TEMPLATE = """INSERT INTO templates (text, count, documents, examples, fits) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, documents = documents + excluded.documents,
    examples = examples_of_both(examples, excluded.examples), fits = fits_of_both(fits, excluded.fits)"""
ADD_SOURCE = """INSERT INTO sources SELECT id, ?, ? FROM templates WHERE text = ?
    ON CONFLICT DO UPDATE SET count = count + excluded.count"""


@dataclass(frozen=True)
class Facts:
    """Sums over finished blocks; ``seconds`` of wall time.  ``count``: of all templates."""

    documents: int = 0
    words: int = 0
    sentences: int = 0
    matches: int = 0
    seconds: float = 0.0
    templates: int = 0
    count: int = 0
    without_word: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)


class Ledger:
    """An open ledger, shared by processes.  Methods raise StoreError if it is full, read-only or lost."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        self.close = weakref.finalize(self, self._connection.close)
        try:
            self._connection.create_function("examples_of_both", 2, _examples, deterministic=True)
            self._connection.create_function("fits_of_both", 2, _fits, deterministic=True)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            if self._connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise _damaged()
            for table in TABLES:
                self._connection.execute(table)
        except sqlite3.Error:
            self.close()
            raise

    @property
    def finished(self) -> bool:
        """Whether all blocks are done."""
        with self._errors_in_words():
            return bool(self._connection.execute("SELECT 1 FROM facts WHERE name = 'finished'").fetchall())

    def finish(self) -> None:
        """Record that the corpus has no further block."""
        with self._errors_in_words():
            self._connection.execute("INSERT OR IGNORE INTO facts VALUES ('finished', 1)")

    def done(self) -> set[int]:
        """Return the numbers of finished blocks."""
        with self._errors_in_words():
            return {number for (number,) in self._connection.execute("SELECT number FROM blocks")}

    def has(self, number: int) -> bool:
        """Tell whether a block is finished."""
        with self._errors_in_words():
            return bool(
                self._connection.execute("SELECT 1 FROM blocks WHERE number = ?", [number]).fetchall()
            )

    def add(self, number: int, counts: Counts, seconds: float) -> bool:
        """Store the counts of a block; return false if another process has stored them."""
        facts = {**{name: getattr(counts, name) for name in COUNTED}, "seconds": seconds}
        templates = [
            (text, tally.count, tally.documents, json.dumps(tally.examples), json.dumps(tally.fits))
            for text, tally in counts.templates.items()
        ]
        sources = [
            (source, count, text)
            for text, tally in counts.templates.items()
            for source, count in tally.sources.items()
        ]
        with self._errors_in_words(), self._transaction() as run:
            if not run.execute("INSERT OR IGNORE INTO blocks VALUES (?)", [number]).rowcount:
                return False
            run.executemany(ADD_FACT, facts.items())
            run.executemany(ADD_DROPPED, counts.dropped.items())
            run.executemany(ADD_TEMPLATE, templates)
            run.executemany(ADD_SOURCE, sources)
        return True

    def facts(self) -> Facts:
        """Return the sums so far."""
        with self._errors_in_words():
            sums = dict(self._connection.execute("SELECT name, value FROM facts").fetchall())
            dropped = self._connection.execute("SELECT reason, count FROM dropped ORDER BY -count, reason")
            totals = self._connection.execute("SELECT count(*), total(count) FROM templates").fetchone()
            return Facts(
                **{name: int(sums.get(name, 0)) for name in COUNTED},
                seconds=float(sums.get("seconds", 0)),
                templates=totals[0],
                count=int(totals[1]),
                dropped=dict(dropped.fetchall()),
            )

    def templates(self, cut: float = 1) -> Iterator[MinedTemplate]:
        """Yield the templates with at least this count, in descending order, then by text.

        Of more than ``MOST_SOURCES`` the most frequent are listed, and the rest added up as ``OTHERS``.
        """
        with self._errors_in_words():
            for number, text, count, documents, examples, fits in self._connection.execute(
                "SELECT id, text, count, documents, examples, fits FROM templates WHERE count >= ? "
                "ORDER BY count DESC, text",
                [cut],
            ):
                yield MinedTemplate(
                    text=text,
                    count=count,
                    documents=documents,
                    sources=dict(sorted(self._sources(number).items())),
                    examples=tuple(json.loads(examples)),
                    fits=tuple(json.loads(fits)),
                )

    def _sources(self, template: int) -> Counter[str]:
        ranked = self._connection.execute(
            "SELECT source, count FROM sources WHERE template = ? ORDER BY count DESC, source", [template]
        )
        counts = Counter(dict(ranked.fetchmany(MOST_SOURCES)))
        for _, count in ranked:
            counts[OTHERS] += count
        return counts

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise StoreError(_sentence(error, self.path)) from error


def open_ledger(path: Path, say: Callable[[str], None]) -> Ledger:
    """Open or create a ledger; set a damaged one aside and report it to ``say``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return Ledger(path)
        except sqlite3.Error as error:
            if _code(error) not in DAMAGED:
                raise
        path.replace(path.with_name(f"{path.name}.damaged"))
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        say(
            f"The ledger {path} was damaged. It was saved as {path.name}.damaged, and mining starts from "
            "the beginning."
        )
        return Ledger(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(_sentence(error, path)) from error


def _examples(first: str, second: str) -> str:
    return json.dumps(first_examples(json.loads(first), json.loads(second)))


def _fits(first: str, second: str) -> str:
    return json.dumps(all_parts(json.loads(first), json.loads(second)))


def _damaged() -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError("the check of the file failed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _code(error: Exception) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _sentence(error: OSError | sqlite3.Error, path: Path) -> str:
    code = _code(error)
    number = error.errno if isinstance(error, OSError) else None
    if number in FULL or code == sqlite3.SQLITE_FULL:
        return (
            f"The cache at {path.parent} is full: free some space or set PCF_CACHE to another "
            "folder, then repeat. The counts so far are kept."
        )
    if isinstance(error, OSError) or code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return (
            f"The cache at {path.parent} cannot be written ({error}): make it writable or set PCF_CACHE to "
            "another folder."
        )
    if code == sqlite3.SQLITE_BUSY:
        return f"The ledger {path} is being used by another process: try again in a moment."
    if code in DAMAGED:
        return f"The ledger {path} is damaged: repeat, and mining starts from the beginning with a new one."
    return f"The ledger {path} cannot be used ({error}): check the disk or set PCF_CACHE to another folder."
