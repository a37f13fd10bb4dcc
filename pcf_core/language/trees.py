"""A parsed sentence, in Universal Dependencies whatever labels the parser has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Tree:
    """One sentence; every field has one entry a token.

    ``tags`` are the Penn Treebank's (``VBD``), ``relations`` Universal Dependencies' with subtypes
    (``nsubj:pass``), ``heads`` positions in the sentence; the root is its own head and has the relation
    ``root``.  ``offset``: characters between the start of the parsed text and the sentence.
    """

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    offset: int = 0

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in self.words]
        for token, head in enumerate(self.heads):
            if head != token:
                children[head].append(token)
        return tuple(map(tuple, children))

    def children(self, token: int, *relations: str) -> tuple[int, ...]:
        """Dependents from left to right, of these relations if any is named (``obl`` finds ``obl:tmod``)."""
        found = self._children[token]
        return tuple(child for child in found if self.has(child, *relations)) if relations else found

    def has(self, token: int, *relations: str) -> bool:
        """Whether a token's relation is one of these, or a subtype of one."""
        relation = self.relations[token]
        return any(relation == wanted or relation.startswith(f"{wanted}:") for wanted in relations)

    def subtree(self, token: int) -> Iterator[int]:
        """A token and all below it, in no particular order."""
        stack = [token]
        while stack:
            top = stack.pop()
            yield top
            stack.extend(self._children[top])

    @property
    def root(self) -> int:
        return next(token for token, head in enumerate(self.heads) if head == token)
