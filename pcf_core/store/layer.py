"""One folder of shards with its catalogue: what is there, what is intact, what has to be set aside."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pcf_core.errors import DamagedShardError, StoreError
from pcf_core.records import ScoringKey, TokenTable
from pcf_core.store.catalogue import Catalogue, Holding
from pcf_core.store.files import set_aside, sha256, told
from pcf_core.store.shards import (
    Manifest,
    MissingShardError,
    Nats,
    Shard,
    encode,
    now,
    paths,
    read_shard,
    shard_id,
    write_shard,
)

log = logging.getLogger(__name__)

Stamps = tuple[tuple[int, int, int], ...]


class Layer:
    """Shards below ``root`` (folder ``scores``).

    The catalogue is only an index: a shard counts while its files are there and fit their checksums.  Reading
    goes on where the index cannot be kept up to date (a full disk); that is logged and mended later.
    """

    def __init__(self, root: Path, catalogue: Catalogue) -> None:
        self.scores = root / "scores"
        self.catalogue = catalogue
        self._verdicts: dict[Path, tuple[Stamps, bool]] = {}

    def refresh(self, scoring: str) -> None:
        """Index shards that were put there without the catalogue, forget those that are gone."""
        known = self.catalogue.shards(scoring)  # before looking: what is written meanwhile is not "gone"
        there = set(self.shards(scoring))
        try:
            if known - there:
                self.catalogue.forget(scoring, known - there)
            for shard in sorted(there - known):
                found = self.read(scoring, shard) if self.is_intact(scoring, shard) else None
                if found:
                    self.catalogue.add(scoring, found.manifest, found.prompts)
        except StoreError as error:
            log.warning("%s", error)

    def shards(self, scoring: str) -> list[str]:
        """Ids of the shards that are there, in order."""
        return sorted(path.stem for path in (self.scores / scoring).glob("*.json"))

    def rebuild(self) -> None:
        """Make the catalogue anew from the shards."""
        self.catalogue.clear()
        for folder in sorted(self.scores.glob("*/")):
            self.refresh(folder.name)

    def holdings(self, scoring: str, prompts: Sequence[str]) -> list[Holding]:
        """Shards that hold some of the prompts; see :meth:`Catalogue.holdings`."""
        self.refresh(scoring)
        return list(self.catalogue.holdings(scoring, prompts))

    def known_words(self, scoring: str) -> TokenTable:
        self.refresh(scoring)
        return self.catalogue.known_words(scoring)

    def is_intact(self, scoring: str, shard: str) -> bool:
        """Whether the shard's bytes fit their checksums; read again only after a file changed."""
        data = paths(self.scores / scoring, shard)[0]
        stamps = _stamps(self.scores / scoring, shard)
        if data not in self._verdicts or self._verdicts[data][0] != stamps:
            self._verdicts[data] = stamps, self.read(scoring, shard) is not None
        return self._verdicts[data][1]

    def read(self, scoring: str, shard: str) -> Shard | None:
        """The shard, every byte checked, or ``None``: it is gone, or cannot be used and no longer counts."""
        try:
            return read_shard(self.scores / scoring, shard)
        except StoreError:
            return self._set_aside(scoring, shard)

    def write(
        self,
        key: ScoringKey,
        prompts: Sequence[str],
        words: Sequence[str],
        table: TokenTable,
        values: Nats,
        provenance: Mapping[str, Any],
    ) -> str:
        """Write a shard, unless another process was first; see :meth:`Store.write`."""
        self.catalogue.database.must_last()
        scoring = key.hash
        shard = shard_id(scoring, prompts, words)
        accepted = tuple(word for word in words if word in table.tokens)
        data = encode(prompts, values)
        manifest = Manifest(
            shard=shard,
            sha256=sha256(data),
            scoring=key,
            rows=len(prompts),
            words=accepted,
            tokens=tuple(table.tokens[word] for word in accepted),
            refused={word: table.refused[word] for word in words if word in table.refused},
            created=now(),
            provenance=dict(provenance),
        )
        with self.catalogue.database.transaction():
            if shard not in self.catalogue.shards(scoring):
                self.catalogue.add(scoring, manifest, prompts)
                with told(self.scores.parent):
                    write_shard(self.scores / scoring, manifest, data)
        return shard

    def _set_aside(self, scoring: str, shard: str) -> Shard | None:
        """Look once more while nobody writes; a shard that still cannot be used no longer counts."""
        folder = self.scores / scoring
        try:
            with self.catalogue.database.transaction():
                try:
                    return read_shard(folder, shard)
                except StoreError as error:
                    log.warning("%s", error)
                    self.catalogue.forget(scoring, [shard])
                    if not isinstance(error, MissingShardError):
                        self.catalogue.warn(scoring, shard, str(error))
                    if isinstance(error, DamagedShardError):
                        for path in reversed(paths(folder, shard)):
                            with suppress(OSError):  # in a read-only folder it stays where it is, unused
                                set_aside(path)
        except StoreError as error:  # the index cannot be written: the next reader finds the same
            log.warning("%s", error)
        return None


def _stamps(folder: Path, shard: str) -> Stamps:
    """What changes when somebody touches the files; empty where one of them is gone."""
    try:
        states = [path.stat() for path in paths(folder, shard)]
    except OSError:
        return ()
    return tuple((state.st_ino, state.st_size, state.st_ctime_ns) for state in states)
