"""The index of one folder of shards: which shards hold a prompt, and which words they answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pcf_core.core.run import TokenTable
from pcf_core.store.database import FILE_NAME, Database, KeptTwice, opened
from pcf_core.store.files import sha256
from pcf_core.store.held import Held, Holding, prompt_hashes
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
# A row a shard and not a prompt: millions of rows took longer than all that the shards themselves take.  The
# tables of before are emptied, and what was in them is indexed again from the shards.
INDEX = KeptTwice("shard_words", ("number", "scoring", "id", "words", "checksum"))
BY_SHARD = (
    # No number is given twice, so that how many there are and the largest tell whether anything changed.
    """CREATE TABLE shard_words (
        number INTEGER PRIMARY KEY AUTOINCREMENT, scoring TEXT NOT NULL, id TEXT NOT NULL,
        words TEXT NOT NULL, checksum TEXT NOT NULL, UNIQUE (scoring, id))""",
    "CREATE TABLE shard_prompts (shard INTEGER PRIMARY KEY, hashes BLOB NOT NULL)",
    *(f"DELETE FROM {table}" for table in ("shards", "spellings", "prompts")),
    *INDEX.steps,
)
VERSIONS = (TABLES, CHECKED, BY_SHARD)
KEYS_HELD = 2  # whose prompts stay in memory: pages compare two models
ROWS_AT_ONCE = 256


class Catalogue:
    """Tables in a database that other processes use too; all of it can be rebuilt from the shards.

    Every method raises DamagedCatalogueError where the file is not as it was written.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        database.bring_up("catalogue", VERSIONS)
        self._held: dict[str, Held] = {}  # by scoring key, the one that was asked for last at the end

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
        rows = self.database.execute("SELECT id FROM shard_words WHERE scoring = ?", (scoring,))
        return {row["id"] for row in rows}

    def holds(self, scoring: str, shard: str) -> bool:
        """Tell whether a shard is indexed."""
        sql = "SELECT 1 FROM shard_words WHERE scoring = ? AND id = ?"
        return bool(self.database.execute(sql, (scoring, shard)))

    def newest(self) -> int:
        """Return a number that grows with each shard that is indexed, by whatever process."""
        return int(self.database.execute("SELECT max(number) FROM shard_words")[0][0] or 0)

    def add(self, scoring: str, manifest: Manifest, prompts: Sequence[str]) -> None:
        """Index a shard; see :meth:`add_all`."""
        self.add_all(scoring, [(manifest, prompts)])

    def add_all(self, scoring: str, shards: Iterable[tuple[Manifest, Sequence[str]]]) -> None:
        """Index shards; this settles warnings about earlier, damaged ones of the same ids.

        ``shards``: the manifest and the prompts of each.
        """
        with self.database.transaction():
            for manifest, prompts in shards:
                hashes = prompt_hashes(prompts)
                added = self.database.execute(
                    "INSERT INTO shard_words (scoring, id, words, checksum) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT DO NOTHING RETURNING number",
                    (scoring, manifest.shard, _words_of(manifest), sha256(hashes)),
                )
                self.database.execute_many(
                    "INSERT OR REPLACE INTO shard_prompts (shard, hashes) VALUES (?, ?)",
                    [(row["number"], hashes) for row in added],
                )
                self.settle(scoring, manifest.shard)

    def forget(self, scoring: str, shards: Collection[str]) -> None:
        """Take shards out of the index."""
        with self.database.transaction():
            for shard in shards:
                gone = self.database.execute(
                    "DELETE FROM shard_words WHERE scoring = ? AND id = ? RETURNING number", (scoring, shard)
                )
                for row in gone:
                    self.database.execute("DELETE FROM shard_prompts WHERE shard = ?", (row["number"],))

    def clear(self) -> None:
        """Forget everything."""
        with self.database.transaction():
            for table in ("shard_words", "shard_prompts", "warnings"):
                self.database.execute(f"DELETE FROM {table}")

    def holdings(self, scoring: str, prompts: Sequence[str]) -> Iterator[Holding]:
        """Yield the shards that hold some of the prompts, by id: one search for all of them.

        A few tens of thousands of prompts at a time are enough to make the search cheap, and fit into memory.
        Where nothing is indexed under the key no prompt is looked at: of several layers most hold nothing.
        """
        undone = self.database.in_transaction  # what it adds may be taken back, and its numbers given again
        with self.database.snapshot():
            held = self._holding(scoring)
            if undone:
                self._held.pop(scoring, None)
        yield from held.find(prompts)

    def _holding(self, scoring: str) -> Held:
        """Return what is held under a key by now.

        Only what was added since the last time is read, or all, where something was forgotten.
        """
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
        """Return what is held with the shards that were added since."""
        while True:
            rows = self.database.checked(
                f"SELECT number, id, words, checksum, hashes, {INDEX.whole} AS whole FROM shard_words "
                "LEFT JOIN shard_prompts ON shard = number WHERE scoring = ? AND number > ? "
                f"ORDER BY number LIMIT {ROWS_AT_ONCE}",
                (scoring, held.newest),
            )
            for row in rows:
                if not isinstance(row["hashes"], bytes) or sha256(row["hashes"]) != row["checksum"]:
                    self.database.give_up("the prompts of a shard are not as they were written")
            held = held.with_shards(
                [(row["number"], row["id"], tuple(json.loads(row["words"])["tokens"])) for row in rows],
                b"".join(row["hashes"] for row in rows),
                [len(row["hashes"]) for row in rows],
            )
            if len(rows) < ROWS_AT_ONCE:
                return held

    def known_words(self, scoring: str) -> TokenTable:
        """Unite what the shards know: tokens per word, the tokens where they are known, and words refused."""
        known: dict[str, Any] = {"tokens": {}, "refused": {}, "spelling": {}, "unspaced": {}, "at_start": {}}
        rows = self.database.checked(
            f"SELECT DISTINCT words, {INDEX.whole} AS whole FROM shard_words WHERE scoring = ?", (scoring,)
        )
        for row in rows:
            for name, found in json.loads(row["words"]).items():
                known[name].update(found if isinstance(found, dict) else dict.fromkeys(found))
        return TokenTable(**known | {"unspaced": frozenset(known["unspaced"])})

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


def _words_of(manifest: Manifest) -> str:
    """Write what a shard tells of words, as it is kept in the index."""
    return json.dumps(
        {
            "tokens": dict(zip(manifest.words, manifest.tokens, strict=True)),
            "refused": manifest.refused,
            "spelling": manifest.spelling,
            "unspaced": manifest.unspaced,
            "at_start": manifest.at_start,
        }
    )
