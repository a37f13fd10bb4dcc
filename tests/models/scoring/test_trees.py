"""Prefix trees: by hand, and against the plain sequences they hold."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.models.scoring.seam import Ids
from pcf_core.models.scoring.trees import ENDS, LEFT, Continuations, Tree, chains, pack

ids = st.lists(st.integers(0, 2), min_size=1, max_size=4).map(tuple)
request = st.lists(st.tuples(ids, st.lists(ids, min_size=1, max_size=5)), min_size=1, max_size=6)
Read = tuple[int, int, Ids, int]  # row, word, the sequence that the model has seen, token


def read_by(tree: Tree) -> list[Read]:
    """What is read, with each node's sequence found by walking up to the root."""

    def sequence(node: int) -> Ids:
        return (*sequence(int(tree.parents[node])), int(tree.ids[node])) if node >= 0 else ()

    return [(row, word, sequence(node), token) for row, word, node, token in tree.reads.tolist()]


def expected(texts: list[tuple[Ids, list[Ids]]], boundary: bool) -> list[Read]:
    """Every token of every word behind its left text and the tokens before it."""
    found = []
    for row, (left, words) in enumerate(texts):
        for word, tokens in enumerate(words):
            ends = [ENDS] if boundary else []
            for n, token in enumerate([*tokens, *ends]):
                found.append((row, word, left + tokens[:n], token))
    return found


def behind(texts: list[tuple[Ids, list[Ids]]], boundary: bool) -> list[Continuations]:
    return [Continuations.of(words, boundary) for _, words in texts]


def test_continuations_by_hand() -> None:
    """Words 5 6 7, 5 8 and 9: behind the left text stand 5 and 5 6, and nothing is run behind 9."""
    tree = Continuations.of([(5, 6, 7), (5, 8), (9,)])
    assert tree.ids.tolist() == [5, 6]
    assert tree.parents.tolist() == [LEFT, 0]
    assert tree.depths.tolist() == [0, 1]
    assert tree.reads.tolist() == [[0, LEFT, 5], [0, 0, 6], [0, 1, 7], [1, LEFT, 5], [1, 0, 8], [2, LEFT, 9]]
    assert (tree.longest, tree.read_nodes) == (2, 3)


def test_a_tree_by_hand() -> None:
    """Left texts 1 2 3 and 1 2 4, with 7 behind each: 1 and 2 stand in the tree once."""
    one = Continuations.of([(7, 8)])
    ((rows, tree),) = pack([(1, 2, 4), (1, 2, 3)], [one, one], [0, 1], 100, 100)
    assert rows == [1, 0]
    assert tree.ids.tolist() == [1, 2, 3, 7, 4, 7]
    assert tree.parents.tolist() == [-1, 0, 1, 2, 1, 4]
    assert tree.depths.tolist() == [0, 1, 2, 3, 2, 3]
    assert tree.visible(7).astype(int).tolist() == [
        [1, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0, 0],
        [1, 1, 1, 1, 0, 0, 0],
        [1, 1, 0, 0, 1, 0, 0],
        [1, 1, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 0, 0, 1],
    ]


@given(request, st.booleans(), st.integers(1, 12), st.integers(1, 6))
def test_trees_read_every_token_once_behind_its_own_beginning(
    texts: list[tuple[Ids, list[Ids]]], boundary: bool, limit: int, reads: int
) -> None:
    trees = list(pack([left for left, _ in texts], behind(texts, boundary), range(len(texts)), limit, reads))
    found = [read for _, tree in trees for read in read_by(tree)]
    assert Counter(found) == Counter(expected(texts, boundary))
    assert sorted(row for rows, _ in trees for row in rows) == list(range(len(texts)))
    for rows, tree in trees:
        assert len(rows) == 1 or (len(tree.ids) <= limit and tree.read_nodes <= reads)


@given(request, st.booleans())
def test_chains_read_the_same_as_trees(texts: list[tuple[Ids, list[Ids]]], boundary: bool) -> None:
    found = []
    for row, (left, _) in enumerate(texts):
        for chain in chains(left, behind(texts, boundary)[row], row):
            assert chain.is_chain
            assert tuple(chain.ids[: len(left)].tolist()) == left
            found += read_by(chain)
    assert Counter(found) == Counter(expected(texts, boundary))


@given(request)
def test_depths_and_masks_count_ancestors(texts: list[tuple[Ids, list[Ids]]]) -> None:
    ((_, tree),) = pack([left for left, _ in texts], behind(texts, False), range(len(texts)), 10**6, 10**6)
    seen = tree.visible(len(tree.ids))
    np.testing.assert_array_equal(seen.sum(axis=1) - 1, tree.depths)
    assert not np.triu(seen, 1).any()


@given(st.lists(ids, min_size=1, max_size=8))
def test_no_beginning_of_a_left_text_stands_in_a_tree_twice(lefts: list[Ids]) -> None:
    one = Continuations.of([(9,)])
    ((_, tree),) = pack(lefts, [one] * len(lefts), range(len(lefts)), 10**6, 10**6)
    assert len(tree.ids) == len({left[:n] for left in lefts for n in range(1, len(left) + 1)})
