"""The largest mutual information of given margins: brute force over all tables beside it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.records import FloatArray
from pcf_core.texts.criteria.information import entropies_in, largest_information, least_split, split_entropy
from pcf_core.texts.criteria.records.quantities import Entropies


def entropies(table: FloatArray) -> Entropies:
    one = entropies_in(table)
    return Entropies(rows=float(one.rows), columns=float(one.columns), information=float(one.information))


def test_worked_examples() -> None:
    assert least_split([3, 4, 5], 7) == 0  # 3 + 4
    # 6 of 3, 4, 5: split 3 into 1 and 2 beside 5, or 4 into 1 (beside 5) or 3 (beside 3), or 5 into 2, 3, 1
    assert least_split([3, 4, 5], 6) == pytest.approx(split_entropy(1, 3))
    assert split_entropy(1, 2) == pytest.approx(2 * math.log(2))
    assert split_entropy(0, 3) == split_entropy(3, 3) == 0


@given(st.lists(st.integers(1, 4), min_size=2, max_size=5), st.data())
def test_no_table_with_these_margins_has_more(sizes: list[int], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, sum(sizes) - 1))
    best = 0.0
    for parts in itertools.product(*(range(size + 1) for size in sizes)):
        if sum(parts) == first:
            table = np.array([(part, size - part) for part, size in zip(parts, sizes, strict=True)])
            best = max(best, float(entropies_in(table).information))
            last = table
    largest = largest_information(last.astype(float), entropies(last))
    assert largest.exact
    assert largest.information == pytest.approx(best, abs=1e-9)


def test_three_columns_have_a_bound_and_say_so() -> None:
    table = np.array([[5.0, 1, 2], [1, 4, 3], [2, 2, 2]])
    largest = largest_information(table, entropies(table))
    assert not largest.exact
    assert largest.information == pytest.approx(min(entropies(table).rows, entropies(table).columns))


def test_unequal_rows_that_are_no_counts_have_a_bound() -> None:
    table = np.array([[0.5, 0.25], [0.3, 0.9]])
    assert not largest_information(table, entropies(table)).exact
