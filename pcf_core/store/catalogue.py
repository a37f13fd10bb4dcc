"""The index of one folder of shards: which shards hold a prompt, and which words they answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.run import TokenTable
from pcf_core.store.database import FILE_NAME, Database, KeptTwice, opened
from pcf_core.store.shards import Manifest

TABLES = (
    """CREATE TABLE IF NOT EXISTS shards (
        number INTEGER PRIMARY KEY, scoring TEXT NOT NULL, id TEXT NOT NULL,
        tokens TEXT NOT NULL, refused TEXT NOT NULL, UNIQUE (scoring, id))""",
    # A table of its own: the one of shards may be older than what it tells.
    """CREATE TABLE IF NOT EXISTS spellings (
        shard INTEGER PRIMARY KEY, spelling TEXT NOT NULL, unspaced TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS prompts (
        prompt BLOB NOT NULL, shard INTEGER NOT NULL, PRIMARY KEY (prompt, shard)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS warnings (
        scoring TEXT NOT NULL, shard TEXT NOT NULL, sentence TEXT NOT NULL, PRIMARY KEY (scoring, shard))""",
)
SHARDS = KeptTwice("shards", ("number", "scoring", "id", "tokens", "refused", "spelt", "at_start"))
SPELLINGS = KeptTwice("spellings", ("shard", "spelling", "unspaced"))
WARNINGS = KeptTwice("warnings", ("scoring", "shard", "sentence"))
# What was indexed before is indexed again from the shards, which are checked; prompts are checked by the
# shard that they lead to.  ``spelt``: whether the shard has a row in the table of spellings.
CHECKED = (
    "ALTER TABLE shards ADD COLUMN spelt INTEGER",
    "ALTER TABLE shards ADD COLUMN at_start TEXT",
    *(f"DELETE FROM {table}" for table in ("shards", "spellings", "prompts")),
    *(step for kept in (SHARDS, SPELLINGS, WARNINGS) for step in kept.steps),
)
VERSIONS = (TABLES, CHECKED)
WANTED = "CREATE TEMPORARY TABLE IF NOT EXISTS wanted (position INTEGER PRIMARY KEY, prompt BLOB NOT NULL)"


@dataclass(frozen=True)
class Holding:
    """A shard that holds some of the wanted prompts: ``words`` it answers, ``positions`` of those prompts."""

    shard: str
    words: tuple[str, ...]
    positions: NDArray[np.int_]


class Catalogue:
    """Tables in a database that other processes use too; all of it can be rebuilt from the shards.

    Every method raises DamagedCatalogueError where the file is not as it was written.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        database.bring_up("catalogue", VERSIONS)
        database.execute(WANTED)

    @classmethod
    def open(cls, root: Path) -> Catalogue:
        """Open the catalogue of the cache at ``root``.

        Raises
        ------
        StoreError
            Another process holds it, or a later version of this program has written it.
        """
        return opened(root / FILE_NAME, cls)

    def shards(self, scoring: str) -> set[str]:
        """List the ids of the shards that are indexed."""
        rows = self.database.execute("SELECT id FROM shards WHERE scoring = ?", (scoring,))
        return {row["id"] for row in rows}

    def holds(self, scoring: str, shard: str) -> bool:
        """Tell whether a shard is indexed."""
        sql = "SELECT 1 FROM shards WHERE scoring = ? AND id = ?"
        return bool(self.database.execute(sql, (scoring, shard)))

    def newest(self) -> int:
        """Return a number that grows with each shard that is indexed, by whatever process."""
        return int(self.database.execute("SELECT max(number) FROM shards")[0][0] or 0)

    def add(self, scoring: str, manifest: Manifest, prompts: Sequence[str]) -> None:
        """Index a shard; see :meth:`add_all`."""
        self.add_all(scoring, [(manifest, prompts)])

    def add_all(self, scoring: str, shards: Iterable[tuple[Manifest, Sequence[str]]]) -> None:
        """Index shards; this settles warnings about earlier, damaged ones of the same ids.

        ``shards``: the manifest and the prompts of each.
        """
        hashed: list[tuple[bytes, int]] = []
        with self.database.transaction():
            for manifest, prompts in shards:
                for number in self._numbered(scoring, manifest):
                    hashed.extend((one, number) for one in prompt_hashes(scoring, prompts))
                self.settle(scoring, manifest.shard)
            hashed.sort()  # neighbours stand on one page, which is then read and written once
            self.database.execute_many("INSERT OR IGNORE INTO prompts (prompt, shard) VALUES (?, ?)", hashed)

    def _numbered(self, scoring: str, manifest: Manifest) -> list[int]:
        """Index a shard but for its prompts; return its number, nothing where it was there."""
        added = self.database.execute(
            "INSERT INTO shards (scoring, id, tokens, refused, spelt, at_start) "
            "VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING RETURNING number",
            (
                scoring,
                manifest.shard,
                json.dumps(dict(zip(manifest.words, manifest.tokens, strict=True))),
                json.dumps(manifest.refused),
                bool(manifest.spelling),
                json.dumps(manifest.at_start),
            ),
        )
        numbers = [row["number"] for row in added]
        if manifest.spelling:
            self.database.execute_many(
                "INSERT OR REPLACE INTO spellings (shard, spelling, unspaced) VALUES (?, ?, ?)",
                [(one, json.dumps(manifest.spelling), json.dumps(manifest.unspaced)) for one in numbers],
            )
        return numbers

    def forget(self, scoring: str, shards: Collection[str]) -> None:
        """Take shards out of the index."""
        with self.database.transaction():
            for shard in shards:
                gone = self.database.execute(
                    "DELETE FROM shards WHERE scoring = ? AND id = ? RETURNING number", (scoring, shard)
                )
                for row in gone:
                    for table in ("prompts", "spellings"):
                        self.database.execute(f"DELETE FROM {table} WHERE shard = ?", (row["number"],))

    def clear(self) -> None:
        """Forget everything."""
        with self.database.transaction():
            for table in ("shards", "spellings", "prompts", "warnings"):
                self.database.execute(f"DELETE FROM {table}")

    def holdings(self, scoring: str, prompts: Sequence[str]) -> Iterator[Holding]:
        """Yield the shards that hold some of the prompts, by id: one join for all of them.

        A few tens of thousands of prompts at a time are enough to make the join cheap, and fit into memory.
        Where nothing is indexed under the key no prompt is looked at: of several layers most hold nothing.
        """
        if not self.database.execute("SELECT 1 FROM shards WHERE scoring = ? LIMIT 1", (scoring,)):
            return
        wanted = enumerate(prompt_hashes(scoring, prompts))
        with self.database.snapshot():
            self.database.execute("DELETE FROM wanted")
            self.database.execute_many("INSERT INTO wanted (position, prompt) VALUES (?, ?)", wanted)
            found = self.database.execute(
                "SELECT prompts.shard, wanted.position FROM wanted "
                "CROSS JOIN prompts ON prompts.prompt = wanted.prompt ORDER BY prompts.shard, wanted.position"
            )
            positions = {
                number: np.array([row[1] for row in rows]) for number, rows in groupby(found, itemgetter(0))
            }
            shards = [
                row
                for number in positions
                for row in self.database.checked(
                    f"SELECT number, id, tokens, {SHARDS.whole} AS whole FROM shards "
                    "WHERE number = ? AND scoring = ?",
                    (number, scoring),
                )
            ]
        for number, shard, tokens, _ in sorted(shards, key=itemgetter(1)):
            yield Holding(shard, tuple(json.loads(tokens)), positions[number])

    def known_words(self, scoring: str) -> TokenTable:
        """Unite what the shards know: tokens per word, the tokens where they are known, and words refused."""
        tokens: dict[str, int] = {}
        refused: dict[str, str] = {}
        spelling: dict[str, str] = {}
        unspaced: set[str] = set()
        at_start: dict[str, int] = {}
        sql = (
            f"SELECT DISTINCT tokens, refused, spelling, unspaced, at_start, {SHARDS.whole} AND "
            f"({SPELLINGS.whole} OR (spellings.shard IS NULL AND spelt IS NOT 1)) AS whole FROM shards "
            "LEFT JOIN spellings ON spellings.shard = shards.number WHERE scoring = ?"
        )
        for row in self.database.checked(sql, (scoring,)):
            tokens.update(json.loads(row["tokens"]))
            refused.update(json.loads(row["refused"]))
            spelling.update(json.loads(row["spelling"] or "{}"))
            unspaced.update(json.loads(row["unspaced"] or "[]"))
            at_start.update(json.loads(row["at_start"] or "{}"))
        return TokenTable(tokens, refused, spelling, frozenset(unspaced), at_start)

    def warn(self, scoring: str, shard: str, sentence: str) -> None:
        """Record what is wrong with a shard, until it is written again."""
        self.database.execute(
            "INSERT OR REPLACE INTO warnings (scoring, shard, sentence) VALUES (?, ?, ?)",
            (scoring, shard, sentence),
        )

    def settle(self, scoring: str, shard: str) -> None:
        """Take back what was recorded: the shard is there again."""
        self.database.execute("DELETE FROM warnings WHERE scoring = ? AND shard = ?", (scoring, shard))

    def warnings(self) -> tuple[str, ...]:
        """List what is to be said of damaged shards."""
        rows = self.database.checked(
            f"SELECT sentence, {WARNINGS.whole} AS whole FROM warnings ORDER BY scoring, shard"
        )
        return tuple(row["sentence"] for row in rows)


def prompt_hashes(scoring: str, prompts: Iterable[str]) -> Iterator[bytes]:
    """Hash prompts under a scoring key to 128 bits: shards of other models are never touched."""
    begun = hashlib.blake2b(digest_size=16, key=scoring.encode())
    for prompt in prompts:
        hashed = begun.copy()
        hashed.update(prompt.encode())
        yield hashed.digest()
