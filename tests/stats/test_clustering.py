"""Neighbours are alike: hand-made blocks, and the sum of distances against every order of few rows."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.records import FloatArray
from pcf_core.stats import clustered_order


def walked(rows: FloatArray, order: list[int]) -> float:
    """The sum of distances from row to row."""
    return float(sum(np.linalg.norm(rows[a] - rows[b]) for a, b in pairwise(order)))


def test_two_kinds_of_rows_are_set_apart() -> None:
    kinds = np.array([0, 1, 0, 1, 1, 0])
    rows = kinds[:, np.newaxis] * 0.8 + np.linspace(0, 0.05, 6)[:, np.newaxis] * np.ones(3)
    ordered = kinds[clustered_order(rows)]
    assert int(np.abs(np.diff(ordered)).sum()) == 1


def test_rows_on_a_line_come_in_their_order() -> None:
    places = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    ordered = places[clustered_order(places[:, np.newaxis])]
    assert ordered.tolist() in ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])


def test_columns_without_weight_do_not_count() -> None:
    rows = np.array([[0.0, 9.0], [1.0, 0.0], [2.0, 5.0], [3.0, 1.0]])
    ordered = clustered_order(rows, np.array([1.0, 0.0]))
    assert ordered in ([0, 1, 2, 3], [3, 2, 1, 0])


def test_two_rows_stay() -> None:
    assert clustered_order(np.ones((2, 3))) == [0, 1]
    assert clustered_order(np.ones((0, 3))) == []


@settings(max_examples=40)
@given(st.integers(3, 6), st.integers(0, 10_000))
def test_the_order_is_a_permutation_no_longer_than_the_rows_as_they_come(size: int, seed: int) -> None:
    """Not the shortest of all orders, as the tree binds it, but shorter than the mean of all."""
    rows = np.random.default_rng(seed).random((size, 2))
    order = clustered_order(rows)
    assert sorted(order) == list(range(size))
    every = [walked(rows, list(other)) for other in permutations(range(size))]
    assert min(every) - 1e-9 <= walked(rows, order) < np.mean(every) + 1e-9
