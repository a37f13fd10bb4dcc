"""Dependents, relations and subtrees against a sentence, and against random trees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.parser.trees import Tree

SENTENCE = Tree(
    words=("She", "was", "chosen", "last", "year", "."),
    lemmas=("she", "be", "choose", "last", "year", "."),
    tags=("PRP", "VBD", "VBN", "JJ", "NN", "."),
    heads=(2, 2, 2, 4, 2, 2),
    relations=("nsubj:pass", "aux:pass", "root", "amod", "obl:unmarked", "punct"),
)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any tree: each word but the first of a random order hangs on one that came before it."""
    order = draw(st.permutations(range(draw(st.integers(1, 12)))))
    heads = [0] * len(order)
    for place, token in enumerate(order):
        heads[token] = order[draw(st.integers(0, place - 1))] if place else token
    blank = ("",) * len(order)
    return Tree(
        blank, blank, blank, tuple(heads), tuple("root" if h == t else "dep" for t, h in enumerate(heads))
    )


def test_dependents_by_relation() -> None:
    assert SENTENCE.root == 2
    assert SENTENCE.children(2) == (0, 1, 4, 5)
    assert SENTENCE.children(2, "nsubj", "punct") == (0, 5)
    assert SENTENCE.children(2, "obl:unmarked") == (4,)
    assert SENTENCE.children(2, "obl:tmod") == ()
    assert sorted(SENTENCE.subtree(4)) == [3, 4]
    assert list(SENTENCE.above(3)) == [4, 2]
    assert list(SENTENCE.above(2)) == []


def test_a_relation_has_its_subtypes_and_no_namesakes() -> None:
    assert SENTENCE.has(0, "nsubj")
    assert SENTENCE.has(0, "obj", "nsubj:pass")
    assert not SENTENCE.has(0, "nsubj:outer")
    assert not SENTENCE.has(0, "nsu")


@given(trees())
def test_every_word_stands_below_the_root_once(tree: Tree) -> None:
    assert sorted(tree.subtree(tree.root)) == list(range(len(tree)))
    assert sorted([tree.root, *(c for token in range(len(tree)) for c in tree.children(token))]) == list(
        range(len(tree))
    )
    assert all(tree.heads[child] == token for token in range(len(tree)) for child in tree.children(token))
