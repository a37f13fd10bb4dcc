"""Sentences of Chinese parsed by hand: ``word/TAG/head/relation``, heads counted from 1, 0 the root."""

from __future__ import annotations

from pcf_core.mining.parser.trees import Tree


def rows(text: str) -> list[tuple[str, str, int, str]]:
    """Word, tag, head from 0 on and relation of each token.

    A word without notes is a mark or particle that hangs on the root.
    """
    parts = [part.split("/") for part in text.split()]
    root = next(place for place, part in enumerate(parts) if part[-1] == "root")
    found = []
    for place, (word, *notes) in enumerate(parts):
        tag, head, relation = notes or (".", root + 1, "punct")
        found.append((word, tag, int(head) - 1 if int(head) else place, relation))
    return found


def sentence(text: str) -> Tree:
    """The tree of a sentence; a word is its own lemma."""
    words, tags, heads, relations = zip(*rows(text), strict=True)
    return Tree(words, words, tags, heads, relations)
