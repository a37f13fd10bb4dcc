"""The index of one folder of shards: which shards contain a prompt, and for which words.

SQLite tables, which can be rebuilt from the shards, and sorted hashes of the prompts in memory for fast
search.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.run import TokenTable
from pcf_core.store.database import FILE_NAME, Database, opened
from pcf_core.store.files import sha256
from pcf_core.store.shards import Manifest

# One row per shard, not per prompt: millions of rows took longer to read than the shards themselves.
TABLES = (
    # Numbers are never reused, so their count and maximum show any change.
    """CREATE TABLE shard_words (
        number INTEGER PRIMARY KEY AUTOINCREMENT, scoring TEXT NOT NULL, id TEXT NOT NULL,
        words TEXT NOT NULL, prompts TEXT NOT NULL, checksum TEXT NOT NULL, UNIQUE (scoring, id))""",
    "CREATE TABLE shard_prompts (shard INTEGER PRIMARY KEY, hashes BLOB NOT NULL)",
    """CREATE TABLE warnings (
        scoring TEXT NOT NULL, shard TEXT NOT NULL, sentence TEXT NOT NULL, PRIMARY KEY (scoring, shard))""",
)
KEYS_HELD = 2  # keys whose prompts stay in memory: pages compare two models
ROWS_AT_ONCE = 256


class Catalogue:
    """The tables of a shared index; methods raise DamagedCatalogueError if the file is damaged."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.create_tables("shard_words", TABLES)
        self._held: dict[str, Held] = {}  # by scoring key, last used last

    @classmethod
    def open(cls, root: Path) -> Catalogue:
        """Open the catalogue of the cache at ``root``."""
        return opened(root / FILE_NAME, cls)

    def shards(self, scoring: str) -> set[str]:
        """Return the ids of the indexed shards."""
        rows = self.database.execute("SELECT id FROM shard_words WHERE scoring = ?", (scoring,))
        return {row["id"] for row in rows}

    def holds(self, scoring: str, shard: str) -> bool:
        """Return whether a shard is indexed."""
        sql = "SELECT 1 FROM shard_words WHERE scoring = ? AND id = ?"
        return bool(self.database.execute(sql, (scoring, shard)))

    def newest(self) -> int:
        """Return a number that grows with each shard that any process indexes."""
        return int(self.database.execute("SELECT max(number) FROM shard_words")[0][0] or 0)

    def add(self, scoring: str, manifest: Manifest, prompts: Sequence[str]) -> None:
        """Index a shard; see :meth:`add_all`."""
        self.add_all(scoring, [(manifest, prompts)])

    def add_all(self, scoring: str, shards: Iterable[tuple[Manifest, Sequence[str]]]) -> None:
        """Index shards, by manifest and prompts, and drop warnings about damaged ones of the same ids."""
        with self.database.transaction():
            for manifest, prompts in shards:
                hashes = prompt_hashes(prompts)
                row = (scoring, manifest.shard, _words_of(manifest), sha256(hashes))
                added = self.database.execute(
                    "INSERT INTO shard_words (scoring, id, words, prompts, checksum) VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT DO NOTHING RETURNING number",
                    (*row, row_checksum(*row)),
                )
                self.database.execute_many(
                    "INSERT OR REPLACE INTO shard_prompts (shard, hashes) VALUES (?, ?)",
                    [(row["number"], hashes) for row in added],
                )
                self.settle(scoring, manifest.shard)

    def forget(self, scoring: str, shards: Collection[str]) -> None:
        """Remove shards from the index."""
        with self.database.transaction():
            for shard in shards:
                gone = self.database.execute(
                    "DELETE FROM shard_words WHERE scoring = ? AND id = ? RETURNING number", (scoring, shard)
                )
                for row in gone:
                    self.database.execute("DELETE FROM shard_prompts WHERE shard = ?", (row["number"],))

    def holdings(self, scoring: str, prompts: Sequence[str]) -> Iterator[Holding]:
        """Yield the shards that have some of the prompts, by id; searches tens of thousands at once."""
        undone = self.database.in_transaction  # rows may be rolled back, and their numbers reused
        with self.database.snapshot():
            held = self._holding(scoring)
            if undone:
                self._held.pop(scoring, None)
        yield from held.find(prompts)

    def _holding(self, scoring: str) -> Held:
        """Return the prompts indexed under a key; only rows added since the last call are read."""
        sql = "SELECT count(*), max(number) FROM shard_words WHERE scoring = ?"
        ((shards, newest),) = self.database.execute(sql, (scoring,))
        held = self._held.pop(scoring, None) or Held()
        if not shards:
            return Held()
        if held.newest < newest:
            held = self._read_on(held, scoring)
        if held.shards != shards:
            held = self._read_on(Held(), scoring)
        self._held[scoring] = held
        for oldest in list(self._held)[:-KEYS_HELD]:
            self._held.pop(oldest, None)  # another thread may have been faster
        return held

    def _read_on(self, held: Held, scoring: str) -> Held:
        while True:
            rows = self._rows(
                "SELECT number, id, words, prompts, checksum, hashes FROM shard_words "
                "LEFT JOIN shard_prompts ON shard = number WHERE scoring = ? AND number > ? "
                f"ORDER BY number LIMIT {ROWS_AT_ONCE}",
                scoring,
                held.newest,
            )
            for row in rows:
                if not isinstance(row["hashes"], bytes) or sha256(row["hashes"]) != row["prompts"]:
                    self.database.give_up("the prompts of a shard are not as they were written")
            held = held.with_shards(
                [(row["number"], row["id"], tuple(json.loads(row["words"])["tokens"])) for row in rows],
                b"".join(row["hashes"] for row in rows),
                [len(row["hashes"]) for row in rows],
            )
            if len(rows) < ROWS_AT_ONCE:
                return held

    def known_words(self, scoring: str) -> TokenTable:
        """Return the tokens and refusals of words in all shards of a key."""
        united: dict[str, Any] = {"tokens": {}, "refused": {}, "spelling": {}, "unspaced": {}, "at_start": {}}
        rows = self._rows("SELECT id, words, prompts, checksum FROM shard_words WHERE scoring = ?", scoring)
        for words in dict.fromkeys(row["words"] for row in rows):
            for name, part in json.loads(words).items():
                united[name].update(part if isinstance(part, dict) else dict.fromkeys(part))
        return TokenTable(**united | {"unspaced": frozenset(united["unspaced"])})

    def warn(self, scoring: str, shard: str, sentence: str) -> None:
        """Store a sentence about a damaged shard, until it is written again."""
        self.database.execute(
            "INSERT OR REPLACE INTO warnings (scoring, shard, sentence) VALUES (?, ?, ?)",
            (scoring, shard, sentence),
        )

    def settle(self, scoring: str, shard: str) -> None:
        """Delete the warning about a shard that was written again."""
        self.database.execute("DELETE FROM warnings WHERE scoring = ? AND shard = ?", (scoring, shard))

    def warnings(self) -> tuple[str, ...]:
        """Return the sentences about damaged shards."""
        rows = self.database.execute("SELECT sentence FROM warnings ORDER BY scoring, shard")
        return tuple(row["sentence"] for row in rows)

    def _rows(self, sql: str, scoring: str, *parameters: Any) -> list[sqlite3.Row]:
        """Return rows about shards of a key; if a checksum is wrong, give up the file."""
        rows = self.database.execute(sql, (scoring, *parameters))
        for row in rows:
            if row["checksum"] != row_checksum(scoring, row["id"], row["words"], row["prompts"]):
                self.database.give_up("a row is not as it was written")
        return rows


def row_checksum(scoring: str, shard: str, words: str, prompts: str) -> str:
    """Return the checksum of a row of ``shard_words``; ``prompts``: the checksum of their hashes."""
    return sha256(json.dumps([scoring, shard, words, prompts], default=repr).encode())


def _words_of(manifest: Manifest) -> str:
    return json.dumps(
        {
            "tokens": dict(zip(manifest.words, manifest.tokens, strict=True)),
            "refused": manifest.refused,
            "spelling": manifest.spelling,
            "unspaced": manifest.unspaced,
            "at_start": manifest.at_start,
        }
    )


HASH_BYTES = 16  # of 32: two texts never share 128 bits by chance
HALVES = np.dtype("<u8")  # a hash is compared by its first half, then by its second


@dataclass(frozen=True)
class Holding:
    """A shard with some of the wanted prompts: its ``words``, and the ``positions`` of those prompts."""

    shard: str
    words: tuple[str, ...]
    positions: NDArray[np.int_]


@dataclass(frozen=True)
class Piece:
    """Prompts of some shards, sorted by the first half of their hashes; ``rows``: the shard of each."""

    first: NDArray[np.uint64]
    second: NDArray[np.uint64]
    rows: NDArray[np.int32]

    def joined(self, other: Piece) -> Piece:
        """Return the prompts of both."""
        first = np.concatenate([self.first, other.first])
        order = np.argsort(first, kind="stable")
        second = np.concatenate([self.second, other.second])
        return Piece(first[order], second[order], np.concatenate([self.rows, other.rows])[order])

    def find(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int_]]:
        """Return the shard, and the index in ``hashes`` [prompt, half], of each hash that is in here."""
        low, high = (np.searchsorted(self.first, hashes[:, 0], side) for side in ("left", "right"))
        alike = high - low
        wanted = np.repeat(np.arange(len(hashes)), alike)
        here = np.arange(len(wanted)) + np.repeat(low - (np.cumsum(alike) - alike), alike)
        same = self.second[here] == hashes[wanted, 1]
        return self.rows[here[same]], wanted[same]


@dataclass(frozen=True)
class Held:
    """The prompts of all shards of a key; ``names``: the id and the words of each shard.

    Each piece has more than twice the prompts of the next, so adding a shard does not sort all of them again.
    ``newest``: the largest number of a shard in the index.
    """

    names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pieces: tuple[Piece, ...] = ()
    newest: int = 0

    @property
    def shards(self) -> int:
        """The number of shards."""
        return len(self.names)

    def with_shards(
        self, shards: Sequence[tuple[int, str, tuple[str, ...]]], hashes: bytes, sizes: Sequence[int]
    ) -> Held:
        """Add shards: [shard] number, id and words, by ascending number.

        ``hashes``: from :func:`prompt_hashes`, of their prompts, shard by shard; ``sizes`` [shard]: bytes of
        these.
        """
        if not shards:
            return self
        halves = np.frombuffer(hashes, dtype=HALVES).reshape(-1, 2)
        order = np.argsort(halves[:, 0], kind="stable")
        counts = np.asarray(sizes) // HASH_BYTES
        rows = np.repeat(np.arange(self.shards, self.shards + len(shards), dtype=np.int32), counts)
        pieces = [*self.pieces, Piece(halves[order, 0], halves[order, 1], rows[order])]
        while len(pieces) > 1 and len(pieces[-2].first) <= 2 * len(pieces[-1].first):
            last = pieces.pop()
            pieces[-1] = pieces[-1].joined(last)
        names = tuple((shard, words) for _, shard, words in shards)
        return Held((*self.names, *names), tuple(pieces), shards[-1][0])

    def find(self, prompts: Iterable[str]) -> Iterator[Holding]:
        """Yield the shards that hold some of the prompts, by id."""
        if not self.pieces:
            return
        hashes = np.frombuffer(prompt_hashes(prompts), dtype=HALVES).reshape(-1, 2)
        order = np.argsort(hashes[:, 0], kind="stable")  # sorted for locality of memory
        matches = [piece.find(hashes[order]) for piece in self.pieces]
        rows = np.concatenate([rows for rows, _ in matches])
        positions = order[np.concatenate([wanted for _, wanted in matches])]
        by_shard = np.lexsort((positions, rows))
        rows, positions = rows[by_shard], positions[by_shard]
        bounds = [0, *(np.flatnonzero(np.diff(rows)) + 1).tolist(), len(rows)]
        parts = [
            (*self.names[rows[start]], positions[start:end]) for start, end in pairwise(bounds) if end > start
        ]
        for part in sorted(parts, key=lambda part: part[0]):
            yield Holding(*part)


def prompt_hashes(prompts: Iterable[str]) -> bytes:
    """Return 128 bits of the hash of each prompt, joined."""
    made = hashlib.sha256
    return b"".join([made(prompt.encode()).digest()[:HASH_BYTES] for prompt in prompts])
