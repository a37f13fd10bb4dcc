"""Degrees of freedom of a sum of variances: a worked example, Welch's test, properties, simulations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from pcf_core.measure.resampling import degrees_of_freedom

VARIANCES = st.lists(st.tuples(st.floats(1e-3, 1e3), st.floats(0.1, 1e3)), min_size=1, max_size=6)


def test_a_worked_example() -> None:
    """3 known by 6 and 1 known by 2: 4² / (3²/6 + 1²/2) = 8."""
    assert degrees_of_freedom([3, 1], [6, 2]) == pytest.approx(8)


def test_two_samples_have_those_of_welch() -> None:
    generator = np.random.default_rng(0)
    one, other = generator.normal(0, 1, 9), generator.normal(0, 4, 25)
    variances = [one.var(ddof=1) / 9, other.var(ddof=1) / 25]
    assert degrees_of_freedom(variances, [8, 24]) == pytest.approx(ttest_ind(one, other, equal_var=False).df)


@given(VARIANCES, st.floats(1e-6, 1e6))
def test_they_lie_between_the_least_and_all_together_in_any_unit(
    sources: list[tuple[float, float]], unit: float
) -> None:
    variances, freedoms = np.array(sources).T
    found = degrees_of_freedom(variances, freedoms)
    assert freedoms.min() * (1 - 1e-9) <= found <= freedoms.sum() * (1 + 1e-9)
    assert degrees_of_freedom(unit * variances, freedoms) == pytest.approx(found)


def test_a_source_that_adds_little_leaves_the_others_theirs_and_an_unknown_one_leaves_none() -> None:
    assert degrees_of_freedom([1, 1e-6], [80, 1.5]) == pytest.approx(80, rel=1e-3)
    assert degrees_of_freedom([1, 0], [80, 0]) == 0
    assert degrees_of_freedom([0, 0], [80, 3]) == 3
    np.testing.assert_allclose(degrees_of_freedom([[1, 0], [1, 1]], [[4, 4], [4, 9]]), [8, 9])


def test_a_sum_of_estimates_spreads_like_a_chi_square_of_so_many() -> None:
    """The variance of an estimate with ν degrees of freedom is 2 V² / ν; 20,000 sums tell it to 2 %."""
    generator = np.random.default_rng(1)
    variances, freedoms = np.array([4.0, 2.0, 1.0]), np.array([30.0, 5.0, 3.0])
    sums = (generator.chisquare(freedoms, (20_000, 3)) * variances / freedoms).sum(axis=1)
    told = 2 * sums.mean() ** 2 / sums.var()
    assert degrees_of_freedom(variances, freedoms) == pytest.approx(told, rel=0.06)


def test_items_of_a_sum_count_by_their_factors() -> None:
    assert degrees_of_freedom(np.full(12, 0.3), 1) == pytest.approx(12)
    assert degrees_of_freedom(np.array([3.0, 1, 1, 1]) ** 2, 1) == pytest.approx(144 / 84)
