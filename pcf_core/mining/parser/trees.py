"""A parsed sentence in Universal Dependencies, and the positions of its words in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Tree:
    """One sentence; every field has one entry per token.

    ``tags``: Penn Treebank's (``VBD``; for Chinese the parser's own), ``relations``: Universal Dependencies'
    with subtypes (``nsubj:pass``), ``heads``: positions; the root is its own head with the relation ``root``.
    ``offset``: characters before the sentence in the parsed text.
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
        """Return dependents from left to right, optionally of these relations and their subtypes."""
        children = self._children[token]
        return tuple(child for child in children if self.has(child, *relations)) if relations else children

    def has(self, token: int, *relations: str) -> bool:
        """Tell whether a token's relation is one of these, or a subtype of one."""
        relation = self.relations[token]
        return any(relation == wanted or relation.startswith(f"{wanted}:") for wanted in relations)

    def subtree(self, token: int) -> Iterator[int]:
        """Yield a token and all below it, in no particular order."""
        stack = [token]
        while stack:
            top = stack.pop()
            yield top
            stack.extend(self._children[top])

    def above(self, token: int) -> Iterator[int]:
        """Yield the heads above a token, the nearest first."""
        while self.heads[token] != token:
            token = self.heads[token]
            yield token

    @property
    def root(self) -> int:
        """The token that is its own head."""
        return next(token for token, head in enumerate(self.heads) if head == token)

    def edited(self, **columns: Mapping[int, Any]) -> Tree:
        """Return the tree with other entries at some tokens, by field: ``heads={3: 1}``."""
        fields: dict[str, Any] = {}
        for name, entries in columns.items():
            column = list(getattr(self, name))
            for token, entry in entries.items():
                column[token] = entry
            fields[name] = tuple(column)
        return replace(self, **fields)


# Positions of words in the text.


HALF = re.compile(r"[\ud800-\udfff]")  # lone surrogates, which a parser reads as unknown characters
UNKNOWN = "\ufffd"
# Tags that cannot follow a possessive.
NO_NOUN_PHRASE = frozenset(
    {".", ",", ":", "''", "-RRB-", "IN", "TO", "DT", "PRP", "PRP$", "MD", "WDT", "WP", "WRB"}
)
POSSESSIVE, PERSONAL = "PRP$", "PRP"
OBJECTS = "obj", "iobj"
SAYING = ("JJ", "JJR", "VB", "VBG", "VBN", "RB", "RP")
WITHOUT_NOUN = ("own", "first", "last", "next", "best", "worst", "living")


@dataclass(frozen=True)
class Placed:
    """A token of a tree, and its start and end in the text."""

    start: int
    end: int
    tree: Tree
    token: int

    @property
    def tag(self) -> str:
        """The token's tag, corrected for a possessive without a noun: "it is his.", "with her in".

        Possessives cannot be followed by the end of the sentence, punctuation, prepositions, other pronouns,
        auxiliaries and articles, except *every*.  *her* is one in "her and his book", and none in "called her
        beautiful", where the parser finds an object.  Not corrected, because no rule is reliable: "saw her
        running", "helped her move", "gave her flowers".
        """
        tree, token = self.tree, self.token
        behind = token + 1
        if tree.tags[token] != POSSESSIVE:
            shared = tree.tags[behind : behind + 2] == ("CC", POSSESSIVE)
            return POSSESSIVE if shared and tree.words[token].lower() == "her" else tree.tags[token]
        alone = self._ends_at(behind) or self._is_object()
        return PERSONAL if alone else POSSESSIVE

    def _ends_at(self, behind: int) -> bool:
        tree = self.tree
        return behind == len(tree) or (tree.tags[behind] in NO_NOUN_PHRASE and tree.words[behind] != "every")

    def _is_object(self) -> bool:
        """Tell whether *her* is the object of a verb before it, followed by one word that describes her."""
        tree, token = self.tree, self.token
        return (
            tree.words[token].lower() == "her"
            and tree.has(token, *OBJECTS)
            and tree.heads[token] < token
            and tree.tags[token + 1] in SAYING
            and tree.words[token + 1].lower() not in WITHOUT_NOUN
            and self._ends_at(token + 2)
        )


def placed(text: str, trees: Sequence[Tree]) -> list[Placed]:
    """Locate the tokens of a text's sentences, from left to right."""
    tokens, end = [], 0
    readable = HALF.sub(UNKNOWN, text)
    for tree in trees:
        for token, word in enumerate(tree.words):
            start = readable.index(word, end)
            end = start + len(word)
            tokens.append(Placed(start, end, tree, token))
    return tokens
