"""One place of shards with its catalogue: what is there, what is intact, what has to be set aside."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from pcf_core.core.errors import DamagedCatalogueError, DamagedShardError, StoreError
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.store.catalogue import Catalogue
from pcf_core.store.files import unseal
from pcf_core.store.held import Holding
from pcf_core.store.places import Place, UnreachableError
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

log = logging.getLogger(__name__)

Stamps = tuple[object, ...]
Drafted = tuple[Sequence[str], Manifest, bytes]  # the prompts, the manifest and the data of a shard
T = TypeVar("T")


@dataclass(frozen=True)
class Scores:
    """A block to be kept as a shard; see :meth:`Store.write` for what its parts are."""

    prompts: tuple[str, ...]
    words: tuple[str, ...]
    values: Nats
    provenance: Mapping[str, Any]


class Layer:
    """Shards at ``scores``, a folder per scoring key.

    The catalogue is only an index: a shard counts while its files are there and fit their checksums.  Reading
    goes on where the index cannot be kept up to date (a full disk); that is logged and mended later.  Where
    the shards cannot be reached at all, UnreachableError passes through: nothing is called missing for it.
    So does DamagedCatalogueError: the catalogue is to be opened anew, and what was asked to be asked again.
    """

    def __init__(self, scores: Place, catalogue: Catalogue) -> None:
        self.scores = scores
        self.catalogue = catalogue
        self._verdicts: dict[tuple[str, str], tuple[Stamps, bool]] = {}
        self._refreshed: dict[str, float] = {}
        self._marks: dict[str, tuple[object, ...]] = {}
        self._changes: Counter[str] = Counter()

    def begin_anew(self, catalogue: Catalogue) -> None:
        """Go on with another catalogue, which is filled when something is asked."""
        self.catalogue = catalogue
        self._refreshed.clear()

    def refresh(self, scoring: str) -> None:
        """Index shards that were added without the catalogue, forget those that are gone."""
        started = time.monotonic()
        if started - self._refreshed.get(scoring, -self.scores.listing_seconds) < self.scores.listing_seconds:
            return
        known = self.catalogue.shards(scoring)  # before looking: what is written meanwhile is not "gone"
        there = set(self.shards(scoring))
        try:
            if known - there:
                self.catalogue.forget(scoring, known - there)
            for shard in sorted(there - known):
                self._index(scoring, shard)
        except (UnreachableError, DamagedCatalogueError):
            raise
        except StoreError as error:
            log.warning("%s", error)
        self._refreshed[scoring] = started

    def shards(self, scoring: str) -> list[str]:
        """List the ids of the existing shards, in order."""
        return (self.scores / scoring).stems(MANIFEST)

    def rebuild(self) -> None:
        """Make the catalogue anew from the shards."""
        self.catalogue.clear()
        self._refreshed.clear()
        for scoring in self.scores.folders():
            self.refresh(scoring)

    def holdings(self, scoring: str, prompts: Sequence[str]) -> list[Holding]:
        """Find shards that hold some of the prompts; see :meth:`Catalogue.holdings`."""
        self.refresh(scoring)
        return list(self.catalogue.holdings(scoring, prompts))

    def changes(self, scoring: str) -> int | None:
        """Count how often shards of a key were added by now, here or elsewhere; see :meth:`Store.changes`."""
        if self.scores.shared:
            return None
        with self.catalogue.database.snapshot():
            self._look(scoring)
            return self._changes[scoring]

    def _look(self, scoring: str) -> None:
        """Count a change since the last look, inside a transaction, so that threads look one after the other.

        Whoever adds a shard writes files to the folder and a number to the index.  The latter also changes
        within one tick of the disk's clock, the former also where its writer was killed before the latter.
        """
        mark = self._mark(scoring)
        if self._marks.get(scoring) != mark:
            self._marks[scoring] = mark
            self._changes[scoring] += 1

    def _mark(self, scoring: str) -> tuple[object, ...]:
        return self.catalogue.newest(), self.scores.stamp(scoring)

    def known_words(self, scoring: str) -> TokenTable:
        """Return what is known of words under a key, after a look for new shards."""
        self.refresh(scoring)
        return self.catalogue.known_words(scoring)

    def is_intact(self, scoring: str, shard: str) -> bool:
        """Tell whether the shard's bytes fit their checksums; read again only after a file changed."""
        stamps = self._stamps(scoring, shard)
        if self._verdicts.get((scoring, shard), (None, False))[0] != stamps:
            self._judge(scoring, shard, stamps)
        return self._verdicts[scoring, shard][1]

    def read(self, scoring: str, shard: str) -> Shard | None:
        """Read a shard, every byte checked; return ``None`` if it is gone or damaged, and forget it.

        Raises
        ------
        UnreachableError
            The place does not answer, which says nothing about the shard.
        """
        folder = self.scores / scoring
        return read_or_set_aside(lambda: read_shard(folder, shard), folder, shard, self.catalogue)

    def write(self, key: ScoringKey, table: TokenTable, blocks: Iterable[Scores]) -> list[str]:
        """Write shards, but those that another process wrote first; see :meth:`Store.write_all`."""
        self.catalogue.database.must_last()
        scoring, folder = key.hash, self.scores / key.hash
        shards = [(block.prompts, *_drafted(key, table, block)) for block in blocks]
        if self.scores.shared:  # a slow network would let others wait too long
            for prompts, manifest, data in self._lacking(scoring, shards):
                write_shard(folder, manifest, data)
                self.catalogue.add(scoring, manifest, prompts)
        else:
            with self.catalogue.database.transaction():  # on one disk writers hold a lock
                self._look(scoring)  # what others added, apart from what is added here
                lacking = list(self._lacking(scoring, shards))
                write_together(folder, [(manifest, data) for _, manifest, data in lacking])
                self.catalogue.add_all(scoring, [(manifest, prompts) for prompts, manifest, _ in lacking])
                self._marks[scoring] = self._mark(scoring)
                self._changes[scoring] += 1  # also where another process was first: who writes counts one
        return [manifest.shard for _, manifest, _ in shards]

    def _lacking(self, scoring: str, shards: Sequence[Drafted]) -> Iterator[Drafted]:
        """Yield the shards that are not indexed, asked for one after the other."""
        return (shard for shard in shards if not self.catalogue.holds(scoring, shard[1].shard))

    def rows(self, scoring: str, shard: str) -> int:
        """Return how many prompts a shard holds, by its manifest; 0 where that is gone or damaged."""
        _, manifest = file_names(shard)
        try:
            return int(unseal((self.scores / scoring).read(manifest) or b"")["rows"])
        except (ValueError, KeyError, TypeError):
            return 0

    def _index(self, scoring: str, shard: str) -> None:
        """Add a shard to the catalogue, unless it was looked at before and found unusable."""
        stamps = self._stamps(scoring, shard)
        if self._verdicts.get((scoring, shard)) != (stamps, False):
            found = self._judge(scoring, shard, stamps)
            if found:
                self.catalogue.add(scoring, found.manifest, found.prompts)

    def _judge(self, scoring: str, shard: str, stamps: Stamps) -> Shard | None:
        """Read a shard and remember whether it was intact when it had these stamps."""
        found = self.read(scoring, shard)
        self._verdicts[scoring, shard] = stamps, found is not None
        return found

    def _stamps(self, scoring: str, shard: str) -> Stamps:
        """Return values that change when somebody writes the files."""
        return stamps_of(self.scores / scoring, shard)


def _drafted(key: ScoringKey, table: TokenTable, block: Scores) -> tuple[Manifest, bytes]:
    """Return the manifest and the data of a shard that holds a block."""
    data = encode(block.prompts, block.values)
    return manifest_of(key, block.prompts, block.words, table, data, now(), block.provenance), data


def stamps_of(folder: Place, shard: str) -> Stamps:
    """Return values that change when somebody writes the files of a shard."""
    return tuple(folder.stamp(name) for name in file_names(shard))


def read_or_set_aside(read: Callable[[], T], folder: Place, shard: str, catalogue: Catalogue) -> T | None:
    """Read a shard with ``read``; set a damaged one aside.

    Return ``None`` where it is gone, or cannot be used and no longer counts.

    Where it fails it looks once more while nobody writes; then a damaged shard is renamed, and its sentence
    kept with the catalogue's warnings.

    Raises
    ------
    UnreachableError
        The place does not answer, which says nothing about the shard.
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
                    for name in file_names(shard):  # the data first: killed here, nobody finds them alone
                        with suppress(StoreError):  # in a read-only folder it stays where it is, unused
                            folder.set_aside(name)
    except (UnreachableError, DamagedCatalogueError):
        raise
    except StoreError as error:  # the index cannot be written: the next reader finds the same
        log.warning("%s", error)
    return None
