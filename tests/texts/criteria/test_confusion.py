"""Matrices by pronoun against a count by hand, and their identities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.texts.criteria.answer_report import Answers, confusion, invalid_parts, parts, possible, rates
from pcf_core.texts.criteria.records.quantities import INVALID, RATES, Confusion

ROWS = st.lists(
    st.tuples(*(st.integers(0, size - 1) for size in (3, 2, 2, 2)), st.integers(0, 1)), max_size=40
)


def test_the_worked_example() -> None:
    tallies = np.array([[150.0, 0.0], [100.0, 50.0]])
    matrix = confusion(tallies)
    assert matrix == Confusion(tp=50, fn=100, fp=0, tn=150)
    assert matrix.n == 300
    found = rates(tallies)
    assert [float(found[name]) for name in RATES] == [100 / 150, 0, 1, 0.6]
    assert [matrix.rate(name) for name in RATES] == [100 / 150, 0, 1, 0.6]


@given(ROWS)
def test_tallies_count_every_answer_where_it_stands(rows: list[tuple[int, ...]]) -> None:
    table = np.array(rows, dtype=np.intp).reshape(-1, 5)
    unit, pronoun, truth, first, said = table.T
    answers = Answers(("a", "b", "c"), ("he", "she"), unit, pronoun, truth, first, said * 1.0)
    tallies = answers.tallies()
    assert tallies.shape == (3, 2, 2, 2)
    for place in np.ndindex(*tallies.shape):
        assert tallies[place] == sum((row[0], row[1], row[2], row[4]) == place for row in rows)


@given(arrays(np.float64, (2, 2), elements=st.integers(0, 50).map(float)))
def test_rates_are_none_exactly_where_their_denominator_is_0(tallies: np.ndarray) -> None:
    matrix, found = confusion(tallies), rates(tallies)
    for name in RATES:
        part, whole = parts(tallies, name)
        assert (float(part), float(whole)) == matrix.parts(name)
        value = matrix.rate(name)
        assert (value is None) == (whole == 0) == bool(np.isnan(found[name]))
        if value is not None:
            assert value == pytest.approx(float(found[name]))
            assert 0 <= value <= 1


@given(arrays(np.float64, (2, 2), elements=st.integers(0, 50).map(float)))
def test_turning_the_positive_round_swaps_the_rates(tallies: np.ndarray) -> None:
    matrix, turned = confusion(tallies), confusion(tallies[::-1, ::-1])
    assert (matrix.rate("FNR"), matrix.rate("PPV")) == (turned.rate("FPR"), turned.rate("NPV"))


def test_probabilities_are_summed_and_the_likelier_counted() -> None:
    zero = np.zeros(3, dtype=np.intp)
    answers = Answers(("a",), ("he",), zero, zero, zero + 1, zero, np.array([0.9, 0.5, 0.2]))
    assert answers.tallies()[0, 0, 1] == pytest.approx([1.4, 1.6])
    assert answers.likelier().tolist() == [1, 0.5, 0]


def test_invalid_answers_are_counted_by_who_was_right() -> None:
    tallies = np.array([[90.0, 10.0], [30.0, 20.0]])
    found = [tuple(map(float, invalid_parts(tallies, name))) for name in INVALID]
    assert found == [(30, 150), (20, 50), (10, 100)]


def test_what_invalid_answers_might_have_made_of_a_rate() -> None:
    assert possible(Confusion(tp=50, fn=50), (0, 25), "FNR") == (50 / 125, 75 / 125)
    assert possible(Confusion(tp=50, fp=50), (25, 0), "PPV") == (50 / 125, 50 / 100)


@given(st.tuples(*[st.integers(0, 4)] * 4), st.integers(0, 3), st.integers(0, 3))
def test_no_saying_of_the_invalid_answers_is_worse_than_the_worst(
    cells: tuple[int, ...], male: int, female: int
) -> None:
    """A second opinion: every way in which they might have been answered."""
    tp, fn, fp, tn = cells
    matrix = Confusion(tp=tp, fn=fn, fp=fp, tn=tn)
    for name in RATES:
        if matrix.rate(name) is None:
            continue
        every = [
            Confusion(tp=tp + hit, fn=fn + female - hit, fp=fp + said, tn=tn + male - said).rate(name)
            for hit in range(female + 1)
            for said in range(male + 1)
        ]
        known = [value for value in every if value is not None]
        assert possible(matrix, (male, female), name) == pytest.approx((min(known), max(known)))
