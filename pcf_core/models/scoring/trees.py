"""Prefix trees of token sequences: common beginnings of prompts and words are computed once.  No torch.

A causal model's result at a token depends only on the tokens before it.  Each node of a tree is a token after
its parent, and stands for the sequence from the root to itself.

===========  =================================================================================
``ids``      [node] tokens; parents come first
``parents``  [node] index of the token before, −1 at the beginning of a text
``depths``   [node] number of tokens before it: its position
===========  =================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcf_core.models.scoring.seam import Ids

Indices = NDArray[np.int_]
ENDS = -1  # stands for all tokens that end the word
LEFT = -1  # the node of a continuation's left text


@dataclass(frozen=True)
class Continuations:
    """The continuations of one left text, with every distinct beginning once.

    A tree whose ``parents`` are −1 and ``depths`` 0 right after the left text.  ``reads``: [read, 3] of
    (word, node, token): the token's probability is read after the node, or after the left text.
    """

    ids: Indices
    parents: Indices
    depths: Indices
    reads: Indices

    @classmethod
    def of(cls, words: Sequence[Ids], boundary: bool = False, heads: Sequence[Ids] = ()) -> Continuations:
        """Make a tree from each word's token ids (with right text); ``boundary``: also read its end.

        ``heads``: words without their right text, read as further words; ``boundary`` then applies to them.
        """
        nodes: dict[Ids, int] = {(): LEFT}
        reads = []
        for word, ids in enumerate((*words, *heads)):
            ends = boundary and (not heads or word >= len(words))
            for length in range(len(ids) + ends):
                node = nodes.setdefault(ids[:length], len(nodes) - 1)
                reads.append((word, node, ids[length] if length < len(ids) else ENDS))
        paths = [path for path in nodes if path]
        return cls(
            np.array([path[-1] for path in paths], dtype=int),
            np.array([nodes[path[:-1]] for path in paths], dtype=int),
            np.array([len(path) - 1 for path in paths], dtype=int),
            np.array(reads, dtype=int).reshape(-1, 3),
        )

    @property
    def longest(self) -> int:
        """Tokens of the longest continuation."""
        return int(self.depths.max(initial=-1)) + 1

    @cached_property
    def read_nodes(self) -> int:
        """Number of nodes, including the left text, after which something is read."""
        return len(np.unique(self.reads[:, 1]))

    @cached_property
    def paths(self) -> tuple[Indices, ...]:
        """The nodes of every continuation that is not the beginning of another."""
        leaves = sorted(set(range(len(self.ids))) - set(self.parents.tolist()))
        paths = []
        for leaf in leaves:
            path = [leaf]
            while self.parents[path[-1]] != LEFT:
                path.append(int(self.parents[path[-1]]))
            paths.append(np.array(path[::-1], dtype=int))
        return tuple(paths)


@dataclass(frozen=True)
class Tree:
    """One row of a forward pass.  ``reads``: [read, 4] of (row, word, node, token)."""

    ids: Indices
    parents: Indices
    depths: Indices
    reads: Indices

    @property
    def is_chain(self) -> bool:
        """Whether it is one sequence, which needs no mask."""
        return bool((self.parents == np.arange(len(self.parents)) - 1).all())

    @cached_property
    def read_nodes(self) -> int:
        """Number of nodes after which something is read."""
        return len(np.unique(self.reads[:, 2]))

    def visible(self, length: int) -> NDArray[np.bool_]:
        """Return [length, length]: whether a slot (row) sees another (column): its ancestors and itself."""
        seen = np.eye(length, dtype=bool)
        for node, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                seen[node] |= seen[parent]
        return seen


def pack(
    starts: Sequence[Ids], behind: Sequence[Continuations], rows: Sequence[int], limit: int, reads: int
) -> Iterator[tuple[list[int], Tree]]:
    """Yield trees of at most ``limit`` nodes and ``reads`` read ones (or one row), each with its rows.

    Rows are sorted by left text, so that those with a common beginning are neighbours.
    """
    tree = _Growing()
    for row in sorted(rows, key=lambda row: (starts[row], row)):
        if tree.rows and (
            tree.size + tree.more(starts[row], behind[row]) > limit
            or tree.read_nodes + behind[row].read_nodes > reads
        ):
            yield tree.rows, tree.finished()
            tree = _Growing()
        tree.add(row, starts[row], behind[row])
    if tree.rows:
        yield tree.rows, tree.finished()


def chains(start: Ids, behind: Continuations, row: int) -> Iterator[Tree]:
    """Yield the sequences of one row, each whole: the left text alone if no word follows."""
    left, unread = np.array(start, dtype=int), np.ones(len(behind.reads), dtype=bool)
    for path in behind.paths or (np.array([], dtype=int),):
        nodes = np.concatenate([[LEFT], path])
        here = unread & np.isin(behind.reads[:, 1], nodes)
        unread &= ~here
        word, node, token = behind.reads[here].T
        position = len(left) - 1 + np.array([np.flatnonzero(nodes == n)[0] for n in node], dtype=int)
        ids = np.concatenate([left, behind.ids[path]])
        slots = np.arange(len(ids))
        yield Tree(ids, slots - 1, slots, np.stack([np.full_like(word, row), word, position, token], axis=1))


class _Growing:
    def __init__(self) -> None:
        self.rows: list[int] = []
        self.size = 0
        self.read_nodes = 0
        self._last: Ids = ()
        self._path: list[int] = []  # the nodes of the last left text
        self._parts: list[tuple[Indices, Indices, Indices]] = []
        self._reads: list[Indices] = []

    def more(self, start: Ids, behind: Continuations) -> int:
        """Count the nodes that a row would add."""
        return len(start) - self._shared(start) + len(behind.ids)

    def add(self, row: int, start: Ids, behind: Continuations) -> None:
        shared = self._shared(start)
        fresh = np.arange(self.size, self.size + len(start) - shared)
        self._path = [*self._path[:shared], *fresh.tolist()]
        before = np.array([-1, *self._path], dtype=int)
        self._parts.append(
            (np.array(start[shared:], dtype=int), before[shared:-1], np.arange(shared, len(start)))
        )
        self.size += len(fresh)
        end = self._path[-1]
        self._parts.append(
            (
                behind.ids,
                np.where(behind.parents == LEFT, end, behind.parents + self.size),
                behind.depths + len(start),
            )
        )
        word, node, token = behind.reads.T
        slot = np.where(node == LEFT, end, node + self.size)
        self._reads.append(np.stack([np.full_like(word, row), word, slot, token], axis=1))
        self.size += len(behind.ids)
        self.read_nodes += behind.read_nodes
        self.rows.append(row)
        self._last = start

    def finished(self) -> Tree:
        ids, parents, depths = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        return Tree(ids, parents, depths, np.concatenate(self._reads))

    def _shared(self, start: Ids) -> int:
        pairs = zip(self._last, start, strict=False)
        return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(self._last), len(start)))
