"""Which shards hold which prompts of one scoring key: sorted hashes in memory, and one search for many."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

HASH_BYTES = 16  # of 32: nobody finds two texts with the same 128 bits by chance
HALVES = np.dtype("<u8")  # a hash is compared by its first half, where that is the same by its second


@dataclass(frozen=True)
class Holding:
    """A shard that holds some of the wanted prompts: ``words`` it answers, ``positions`` of those prompts."""

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
        """Return the shard and the place in ``hashes`` [prompt, half] of each that is here."""
        low, high = (np.searchsorted(self.first, hashes[:, 0], side) for side in ("left", "right"))
        alike = high - low
        wanted = np.repeat(np.arange(len(hashes)), alike)
        here = np.arange(len(wanted)) + np.repeat(low - (np.cumsum(alike) - alike), alike)
        same = self.second[here] == hashes[wanted, 1]
        return self.rows[here[same]], wanted[same]


@dataclass(frozen=True)
class Held:
    """The prompts of all shards of a key, and for each shard its id and the words that it answers.

    They lie in few pieces, each of more than twice the prompts of the next, so that shards that are added
    one by one are not all sorted again each time.  ``newest``: the largest number of a shard in the index.
    """

    names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pieces: tuple[Piece, ...] = ()
    newest: int = 0

    @property
    def shards(self) -> int:
        """How many shards there are."""
        return len(self.names)

    def with_shards(
        self, shards: Sequence[tuple[int, str, tuple[str, ...]]], hashes: bytes, sizes: Sequence[int]
    ) -> Held:
        """Add shards.

        Parameters
        ----------
        shards
            [shard] its number, its id and the words that it answers; the numbers grow.
        hashes
            Of their prompts, shard after shard, as :func:`prompt_hashes` makes them.
        sizes
            [shard] bytes of them.
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
        """Yield the shards that hold some of the prompts, by id; where there are none, look at no prompt."""
        if not self.pieces:
            return
        hashes = np.frombuffer(prompt_hashes(prompts), dtype=HALVES).reshape(-1, 2)
        order = np.argsort(hashes[:, 0], kind="stable")  # neighbours are looked for in one place
        found = [piece.find(hashes[order]) for piece in self.pieces]
        rows = np.concatenate([rows for rows, _ in found])
        positions = order[np.concatenate([places for _, places in found])]
        by_shard = np.lexsort((positions, rows))
        rows, positions = rows[by_shard], positions[by_shard]
        bounds = [0, *(np.flatnonzero(np.diff(rows)) + 1).tolist(), len(rows)]
        parts = [
            (*self.names[rows[start]], positions[start:end]) for start, end in pairwise(bounds) if end > start
        ]
        for part in sorted(parts, key=lambda part: part[0]):
            yield Holding(*part)


def prompt_hashes(prompts: Iterable[str]) -> bytes:
    """Hash prompts to 128 bits each, one after the other."""
    made = hashlib.sha256
    return b"".join([made(prompt.encode()).digest()[:HASH_BYTES] for prompt in prompts])
