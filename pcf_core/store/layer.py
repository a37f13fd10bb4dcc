"""Shards of scores in one folder with their catalogue; what several such layers lack, have and can delete."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import DamagedCatalogueError, DamagedShardError, StoreError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import RunSpec, ScoringKey, TokenTable
from pcf_core.core.settings import settings
from pcf_core.core.topics import whole_word_prompt
from pcf_core.store.catalogue import Catalogue, Holding
from pcf_core.store.files import unseal
from pcf_core.store.shards import (
    MANIFEST,
    Manifest,
    MissingShardError,
    Nats,
    Shard,
    encode,
    file_names,
    manifest_of,
    now,
    read_shard,
    write_shard,
    write_together,
)
from pcf_core.store.storage import Folder, Storage, UnreachableError

log = logging.getLogger(__name__)

Stamps = tuple[object, ...]
Drafted = tuple[Sequence[str], Manifest, bytes]  # prompts, manifest and data of a shard
T = TypeVar("T")


@dataclass(frozen=True)
class Scores:
    """A block to be stored as a shard; for its fields see :meth:`Store.write`.

    ``left`` [prompt, accepted word]: nats given the text on the left alone, NaN where a token spans word and
    right text; ``None`` if these are the scores, or unknown.
    """

    prompts: tuple[str, ...]
    words: tuple[str, ...]
    values: Nats
    provenance: Mapping[str, Any]
    left: Nats | None = None


class Layer:
    """Shards at ``scores``, a folder per scoring key.

    The catalogue is only an index: a shard counts while its files exist and match their checksums.  If the
    index cannot be written (a full disk), that is logged and reading goes on.  Two errors pass through:
    UnreachableError, so that nothing counts as missing because a network is down, and DamagedCatalogueError,
    after which the catalogue has to be opened again and the request repeated.
    """

    def __init__(self, scores: Storage, catalogue: Catalogue) -> None:
        self.scores = scores
        self.catalogue = catalogue
        self._verdicts: dict[tuple[str, str], tuple[Stamps, bool]] = {}
        self._refreshed: dict[str, float] = {}
        self._marks: dict[str, tuple[object, ...]] = {}
        self._changes: Counter[str] = Counter()

    def use_catalogue(self, catalogue: Catalogue) -> None:
        """Replace the catalogue; it is filled at the next request."""
        self.catalogue = catalogue
        self._refreshed.clear()

    def refresh(self, scoring: str) -> None:
        """Bring the catalogue up to date with the folder: index new shards, forget deleted ones."""
        started = time.monotonic()
        if started - self._refreshed.get(scoring, -self.scores.listing_seconds) < self.scores.listing_seconds:
            return
        indexed = self.catalogue.shards(scoring)  # before listing, so that a new shard is not "deleted"
        there = set(self.shards(scoring))
        try:
            if indexed - there:
                self.catalogue.forget(scoring, indexed - there)
            for shard in sorted(there - indexed):
                self._index(scoring, shard)
        except (UnreachableError, DamagedCatalogueError):
            raise
        except StoreError as error:
            log.warning("%s", error)
        self._refreshed[scoring] = started

    def shards(self, scoring: str) -> list[str]:
        """Return the ids of the existing shards, in order."""
        return (self.scores / scoring).stems(MANIFEST)

    def holdings(self, scoring: str, prompts: Sequence[str]) -> list[Holding]:
        """Return the shards that hold some of the prompts; see :meth:`Catalogue.holdings`."""
        self.refresh(scoring)
        return list(self.catalogue.holdings(scoring, prompts))

    def changes(self, scoring: str) -> int | None:
        """Count additions of shards under a key by any process; see :meth:`Store.changes`."""
        if self.scores.shared:
            return None
        with self.catalogue.database.snapshot():
            self._look(scoring)
            return self._changes[scoring]

    def _look(self, scoring: str) -> None:
        """Count a change since the last look; the caller's transaction keeps threads apart.

        The folder changes even if a writer was killed, the index's number even within a tick of the disk's
        clock.
        """
        mark = self._mark(scoring)
        if self._marks.get(scoring) != mark:
            self._marks[scoring] = mark
            self._changes[scoring] += 1

    def _mark(self, scoring: str) -> tuple[object, ...]:
        return self.catalogue.newest(), self.scores.stamp(scoring)

    def known_words(self, scoring: str) -> TokenTable:
        """Return the tokens of words under a key, new shards included."""
        self.refresh(scoring)
        return self.catalogue.known_words(scoring)

    def is_intact(self, scoring: str, shard: str) -> bool:
        """Return whether a shard matches its checksums; it is read again only after a file changed."""
        stamps = stamps_of(self.scores / scoring, shard)
        if self._verdicts.get((scoring, shard), (None, False))[0] != stamps:
            self._judge(scoring, shard, stamps)
        return self._verdicts[scoring, shard][1]

    def read(self, scoring: str, shard: str) -> Shard | None:
        """Read a shard and check every byte; ``None``, and no longer indexed, if it is gone or damaged."""
        folder = self.scores / scoring
        return read_or_set_aside(lambda: read_shard(folder, shard), folder, shard, self.catalogue)

    def write(self, key: ScoringKey, table: TokenTable, blocks: Iterable[Scores]) -> list[str]:
        """Write shards that no other process has written yet; see :meth:`Store.write_all`."""
        self.catalogue.database.must_last()
        scoring, folder = key.hash, self.scores / key.hash
        shards = [(block.prompts, *_drafted(key, table, block)) for block in blocks]
        if self.scores.shared:  # on a slow network others would wait too long
            for prompts, manifest, data in self._lacking(scoring, shards):
                write_shard(folder, manifest, data)
                self.catalogue.add(scoring, manifest, prompts)
        else:
            with self.catalogue.database.transaction():  # on a local disk writers hold a lock
                self._look(scoring)  # count others' additions separately
                lacking = list(self._lacking(scoring, shards))
                write_together(folder, [(manifest, data) for _, manifest, data in lacking])
                self.catalogue.add_all(scoring, [(manifest, prompts) for prompts, manifest, _ in lacking])
                self._marks[scoring] = self._mark(scoring)
                self._changes[scoring] += 1  # even if another process was first
        return [manifest.shard for _, manifest, _ in shards]

    def _lacking(self, scoring: str, shards: Sequence[Drafted]) -> Iterator[Drafted]:
        return (shard for shard in shards if not self.catalogue.holds(scoring, shard[1].shard))

    def rows(self, scoring: str, shard: str) -> int:
        """Return the number of prompts in a shard's manifest; 0 if that is gone or damaged."""
        _, manifest = file_names(shard)
        try:
            return int(unseal((self.scores / scoring).read(manifest) or b"")["rows"])
        except (ValueError, KeyError, TypeError):
            return 0

    def _index(self, scoring: str, shard: str) -> None:
        """Index a shard, unless it was read before and found unusable."""
        stamps = stamps_of(self.scores / scoring, shard)
        if self._verdicts.get((scoring, shard)) != (stamps, False):
            content = self._judge(scoring, shard, stamps)
            if content:
                self.catalogue.add(scoring, content.manifest, content.prompts)

    def _judge(self, scoring: str, shard: str, stamps: Stamps) -> Shard | None:
        """Read a shard, and remember whether it was intact while its files had these stamps."""
        content = self.read(scoring, shard)
        self._verdicts[scoring, shard] = stamps, content is not None
        return content


def _drafted(key: ScoringKey, table: TokenTable, block: Scores) -> tuple[Manifest, bytes]:
    data = encode(block.prompts, block.values, block.left)
    return manifest_of(key, block.prompts, block.words, table, data, now(), block.provenance), data


def stamps_of(folder: Storage, shard: str) -> Stamps:
    """Return values that change when a file of a shard does."""
    return tuple(folder.stamp(name) for name in file_names(shard))


def read_or_set_aside(read: Callable[[], T], folder: Storage, shard: str, catalogue: Catalogue) -> T | None:
    """Read a shard with ``read``; return ``None`` if it is gone or damaged.

    A failure is tried again while nobody writes; then the shard is renamed, and the catalogue gets a warning.
    """
    try:
        return read()
    except UnreachableError:
        raise
    except StoreError:
        pass
    try:
        with catalogue.database.transaction():
            try:
                return read()
            except UnreachableError:
                raise
            except StoreError as error:
                log.warning("%s", error)
                catalogue.forget(folder.name, [shard])
                if not isinstance(error, MissingShardError):
                    catalogue.warn(folder.name, shard, str(error))
                if isinstance(error, DamagedShardError):
                    for name in file_names(shard):  # the data first: without a manifest they do not count
                        with suppress(StoreError):  # in a read-only folder it stays, unused
                            folder.set_aside(name)
    except (UnreachableError, DamagedCatalogueError):
        raise
    except StoreError as error:  # the index cannot be written: the next reader tries again
        log.warning("%s", error)
    return None


# Prompts × words that several layers lack or hold.


@dataclass(frozen=True)
class Missing:
    """A block of prompts × words that has to be scored."""

    prompts: tuple[str, ...]
    words: tuple[str, ...]


def missing_blocks(
    layers: Sequence[Layer],
    key: ScoringKey,
    prompts: Sequence[str],
    words: Sequence[str],
    refused: Collection[str],
) -> list[Missing]:
    """Return the prompts × words that no layer has; see :meth:`~pcf_core.store.store.Store.missing`."""
    prompts = tuple(dict.fromkeys(prompts))
    words = tuple(word for word in dict.fromkeys(words) if word not in refused)
    there = np.zeros((len(prompts), len(words)), dtype=bool)
    for layer in layers:
        for holding in layer.holdings(key.hash, prompts):
            _, columns = _shared(holding.words, words)
            cells = np.ix_(holding.positions, columns)
            if not there[cells].all() and layer.is_intact(key.hash, holding.shard):
                there[cells] = True
    blocks = []
    for rows in _alike(there):
        lacking = tuple(word for word, is_there in zip(words, there[rows[0]], strict=True) if not is_there)
        for start in range(0, len(rows) if lacking else 0, settings().most_prompts):
            part = rows[start : start + settings().most_prompts]
            blocks.append(Missing(tuple(prompts[row] for row in part), lacking))
    return blocks


@dataclass(frozen=True)
class Gathered:
    """Scores of several layers.

    ``values`` [prompt, word]: float32 nats, NaN if missing.  ``left``: those given the text on the left
    alone, from the same shards, NaN if missing (:class:`Scores`).  ``has_left``: whether the shard of a score
    has any.
    """

    values: FloatArray
    left: FloatArray
    has_left: NDArray[np.bool_]


def gathered(
    layers: Sequence[Layer], key: ScoringKey, prompts: Sequence[str], words: Sequence[str]
) -> Gathered:
    """Return the scores of prompts × words, each from the first layer that has it."""
    values = np.full((len(prompts), len(words)), np.nan, dtype=np.float32)
    left, has_left = values.copy(), np.zeros(values.shape, dtype=bool)
    for layer in layers:
        for holding in layer.holdings(key.hash, prompts):
            there, columns = _shared(holding.words, words)
            cells = np.ix_(holding.positions, columns)
            if not np.isnan(values[cells]).any():
                continue
            shard = layer.read(key.hash, holding.shard)
            if shard is not None:
                rows = _rows_of(shard.prompts, [prompts[position] for position in holding.positions.tolist()])
                if (rows < 0).any() or holding.words != shard.manifest.words:
                    layer.catalogue.database.give_up(f"it is wrong about the shard {holding.shard}")
                new = np.isnan(values[cells])
                values[cells] = np.where(new, shard.values[np.ix_(rows, there)], values[cells])
                if shard.left is not None:
                    left[cells] = np.where(new, shard.left[np.ix_(rows, there)], left[cells])
                    has_left[cells] |= new
    return Gathered(values, left, has_left)


def _alike(there: NDArray[np.bool_]) -> Iterable[Sequence[int]]:
    """Group the rows of prompts that lack the same words, in the order of each group's first row."""
    if (there == there[:1]).all():  # all missing, or none
        return [range(len(there))] if len(there) else []
    packed = np.packbits(~there, axis=1)
    width, lacks = packed.shape[1], packed.tobytes()
    alike: dict[bytes, list[int]] = {}
    for row in range(len(there)):
        alike.setdefault(lacks[row * width : (row + 1) * width], []).append(row)
    return alike.values()


def _rows_of(there: Sequence[str], wanted: Sequence[str]) -> NDArray[np.int_]:
    if tuple(wanted) == tuple(there):  # usual for a run scored in one piece
        return np.arange(len(there))
    row_of = {prompt: row for row, prompt in enumerate(there)}
    return np.array([row_of.get(prompt, -1) for prompt in wanted], dtype=np.int_)


def _shared(shard_words: Sequence[str], words: Sequence[str]) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return the columns of common words in the shard and in the request."""
    column_of = {word: column for column, word in enumerate(shard_words)}
    here = [column for column, word in enumerate(words) if word in column_of]
    there = [column_of[words[column]] for column in here]
    return np.array(there, dtype=np.int_), np.array(here, dtype=np.int_)


def check_block(block: Scores, table: TokenTable) -> None:
    """Raise ValueError for a block that :meth:`Store.write` refuses."""
    prompts, values = block.prompts, block.values
    accepted = sum(word in table.tokens for word in block.words)
    unknown = [word for word in block.words if word not in table.tokens and word not in table.refused]
    if values.shape != (len(prompts), accepted) or len(set(prompts)) != len(prompts):
        raise ValueError(f"{values.shape} values for {len(prompts)} prompts and {accepted} accepted words")
    if block.left is not None and block.left.shape != values.shape:
        raise ValueError(f"{block.left.shape} values given the left text for {values.shape} scores")
    if unknown or np.isnan(values).any():
        raise ValueError(f"words the table does not know: {unknown}" if unknown else "values are NaN")


# Deletion of a run.


@dataclass(frozen=True)
class Deletable:
    """The files to delete with a run, in this order, and the ids of the shards among them."""

    files: tuple[Path, ...]
    shards: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.files)


def deletable(root: Path, layer: Layer, run: RunSpec, others: Iterable[RunSpec]) -> Deletable:
    """Return what deleting a run would delete.

    A shard is deleted only if this run uses all of it and none of ``others`` (which may include the run) any
    of it. Shards in a folder shared by several caches are never deleted.
    """
    derived = sorted((root / "results" / run.key).glob("*"))
    # The record first, so that no run lacks its results, and manifests before their data.
    files = [root / "runs" / f"{run.key}.json", *derived]
    shards: tuple[str, ...] = ()
    if isinstance(layer.scores, Folder) and not layer.scores.shared:
        folder = layer.scores.path / run.scoring.hash
        shards = _of_one(layer, run, others)
        files += [folder / name for shard in shards for name in reversed(file_names(shard))]
    return Deletable(tuple(path for path in files if path.is_file()), shards)


def delete(removal: Deletable, layer: Layer, run: RunSpec) -> None:
    """Delete what :func:`deletable` returned; raises OSError if the folder cannot be written."""
    for path in removal.files:
        path.unlink(missing_ok=True)
    layer.catalogue.forget(run.scoring.hash, removal.shards)


def _of_one(layer: Layer, run: RunSpec, others: Iterable[RunSpec]) -> tuple[str, ...]:
    """Return the shards whose prompts and words, in any case, all belong to this run, and none to another."""
    scoring, (prompts, words) = run.scoring.hash, _stored_as(run)
    alone = {
        holding.shard
        for holding in layer.holdings(scoring, prompts)
        if _folded(holding.words) <= words and len(holding.positions) == layer.rows(scoring, holding.shard)
    }
    for other in others:
        if alone and other.key != run.key and other.scoring.hash == scoring:
            prompts, other_words = _stored_as(other)
            alone -= {
                holding.shard
                for holding in layer.holdings(scoring, prompts)
                if other_words & _folded(holding.words)
            }
    return tuple(sorted(alone))


def _stored_as(run: RunSpec) -> tuple[tuple[str, ...], set[str]]:
    """Return a run's prompts and words as they are stored, with the letters that touch ``[Y]``."""
    prompts, letters = dict[str, None](), set[tuple[str, str]]()
    for prompt in run.prompts:
        whole, left, right = whole_word_prompt(prompt)
        prompts[whole] = None
        letters.add((left, right))
    return tuple(prompts), _folded(
        f"{left}{word}{right}" for left, right in letters for word in run.topic.words
    )


def _folded(words: Iterable[str]) -> set[str]:
    return {word.casefold() for word in words}
