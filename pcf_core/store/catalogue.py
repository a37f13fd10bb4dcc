"""The index of one folder of shards: which shards hold a prompt, and which words they answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from pcf_core.records import TokenTable
from pcf_core.store.database import Database
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
WANTED = "CREATE TEMPORARY TABLE IF NOT EXISTS wanted (position INTEGER PRIMARY KEY, prompt BLOB NOT NULL)"


@dataclass(frozen=True)
class Holding:
    """A shard that holds some of the wanted prompts: ``words`` it answers, ``positions`` of those prompts."""

    shard: str
    words: tuple[str, ...]
    positions: NDArray[np.int_]


class Catalogue:
    """Tables in a database that other processes use too; all of it can be rebuilt from the shards."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.bring_up("catalogue", [TABLES])
        database.execute(WANTED)

    def shards(self, scoring: str) -> set[str]:
        """Ids of the shards that are indexed."""
        rows = self.database.execute("SELECT id FROM shards WHERE scoring = ?", (scoring,))
        return {row["id"] for row in rows}

    def holds(self, scoring: str, shard: str) -> bool:
        """Whether a shard is indexed."""
        sql = "SELECT 1 FROM shards WHERE scoring = ? AND id = ?"
        return bool(self.database.execute(sql, (scoring, shard)))

    def add(self, scoring: str, manifest: Manifest, prompts: Sequence[str]) -> None:
        """Index a shard; a warning about an earlier, damaged one of the same id is settled by it."""
        tokens = json.dumps(dict(zip(manifest.words, manifest.tokens, strict=True)))
        with self.database.transaction():
            added = self.database.execute(
                "INSERT INTO shards (scoring, id, tokens, refused) VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING RETURNING number",
                (scoring, manifest.shard, tokens, json.dumps(manifest.refused)),
            )
            for row in added:
                if manifest.spelling:
                    self.database.execute(
                        "INSERT OR REPLACE INTO spellings (shard, spelling, unspaced) VALUES (?, ?, ?)",
                        (row["number"], json.dumps(manifest.spelling), json.dumps(manifest.unspaced)),
                    )
                self.database.execute_many(
                    "INSERT OR IGNORE INTO prompts (prompt, shard) VALUES (?, ?)",
                    ((prompt_hash(scoring, prompt), row["number"]) for prompt in prompts),
                )
            self.settle(scoring, manifest.shard)

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
        """The shards that hold some of the prompts, by id: one join for all of them.

        A few tens of thousands of prompts at a time are enough to make the join cheap, and fit into memory.
        Where nothing is indexed under the key no prompt is looked at: of several layers most hold nothing.
        """
        if not self.shards(scoring):
            return
        wanted = ((position, prompt_hash(scoring, prompt)) for position, prompt in enumerate(prompts))
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
                for row in self.database.execute(
                    "SELECT number, id, tokens FROM shards WHERE number = ? AND scoring = ?",
                    (number, scoring),
                )
            ]
        for number, shard, tokens in sorted(shards, key=itemgetter(1)):
            yield Holding(shard, tuple(json.loads(tokens)), positions[number])

    def known_words(self, scoring: str) -> TokenTable:
        """Union over the shards: tokens per word, the tokens where they are known, and words refused."""
        tokens: dict[str, int] = {}
        refused: dict[str, str] = {}
        spelling: dict[str, str] = {}
        unspaced: set[str] = set()
        sql = (
            "SELECT DISTINCT tokens, refused, spelling, unspaced FROM shards "
            "LEFT JOIN spellings ON spellings.shard = shards.number WHERE scoring = ?"
        )
        for row in self.database.execute(sql, (scoring,)):
            tokens.update(json.loads(row["tokens"]))
            refused.update(json.loads(row["refused"]))
            spelling.update(json.loads(row["spelling"] or "{}"))
            unspaced.update(json.loads(row["unspaced"] or "[]"))
        return TokenTable(tokens, refused, spelling, frozenset(unspaced))

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
        rows = self.database.execute("SELECT sentence FROM warnings ORDER BY scoring, shard")
        return tuple(row["sentence"] for row in rows)


def prompt_hash(scoring: str, prompt: str) -> bytes:
    """128 bits that stand for a prompt under a scoring key: shards of other models are never touched."""
    return hashlib.blake2b(prompt.encode(), digest_size=16, key=scoring.encode()).digest()
