"""Rank correlation against counting by hand, and what its intervals cover."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.regression import rank_correlation

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=5, max_size=12)


def ranks(values: list[int]) -> list[float]:
    """Average ranks, by counting."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


@given(pairs)
def test_against_counting(values: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in values], [b for _, b in values]
    found = rank_correlation(np.array(first, dtype=float), np.array(second, dtype=float))
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found is None
        return
    assert found is not None
    one, other = ranks(first), ranks(second)
    middle = (len(values) + 1) / 2
    covariance = sum((a - middle) * (b - middle) for a, b in zip(one, other, strict=True))
    spread = math.sqrt(sum((a - middle) ** 2 for a in one) * sum((b - middle) ** 2 for b in other))
    assert found.spearman == pytest.approx(covariance / spread, abs=1e-12)
    signs = [(sign(a - c), sign(b - d)) for (a, b), (c, d) in combinations(values, 2)]
    untied = sum(abs(a) for a, _ in signs) * sum(abs(b) for _, b in signs)
    assert found.kendall == pytest.approx(sum(a * b for a, b in signs) / math.sqrt(untied), abs=1e-12)
    for value, interval in (
        (found.spearman, found.spearman_interval),
        (found.kendall, found.kendall_interval),
    ):
        assert -1 <= interval.low <= value + 1e-12
        assert value - 1e-12 <= interval.high <= 1


@pytest.mark.parametrize("n", [5, 7, 10, 19, 200, 3000])
def test_a_perfect_order_is_exactly_one(n: int) -> None:
    values = np.random.default_rng(n).random(n)
    for other, sign_ in ((values**3, 1.0), (-values, -1.0)):
        found = rank_correlation(values, other)
        assert found is not None
        assert (found.spearman, found.kendall) == (sign_, sign_)
        for interval in (found.spearman_interval, found.kendall_interval):
            assert (interval.low, interval.high) == (sign_, sign_)


def test_perfect_order_and_its_reverse() -> None:
    values = np.arange(10.0)
    same, reverse = rank_correlation(values, values**3), rank_correlation(values, -values)
    assert same is not None
    assert reverse is not None
    assert (same.spearman, same.kendall, same.n) == (pytest.approx(1), pytest.approx(1), 10)
    assert (reverse.spearman, reverse.kendall) == (pytest.approx(-1), pytest.approx(-1))
    assert same.spearman_interval.high == pytest.approx(1)


def test_nothing_is_said_of_few_pairs_or_of_one_value() -> None:
    assert rank_correlation(np.arange(4.0), np.arange(4.0)) is None
    assert rank_correlation(np.arange(9.0), np.ones(9)) is None
    assert rank_correlation(np.array([]), np.array([])) is None


@pytest.mark.parametrize("second", [np.arange(4.0), np.ones((5, 1)), np.array([0, 1, 2, 3, math.nan])])
def test_what_is_no_pair_of_lists(second: np.ndarray) -> None:
    with pytest.raises(CriterionError, match="one as long as the other"):
        rank_correlation(np.arange(5.0), second)


def test_the_intervals_cover_what_they_should() -> None:
    """Bivariate normal, ρ = 0.6: ρ_s = 6/π · asin(ρ/2), τ = 2/π · asin(ρ)."""
    generator = np.random.default_rng(0)
    spearman, kendall = 6 / math.pi * math.asin(0.3), 2 / math.pi * math.asin(0.6)
    covered = np.zeros(2)
    for _ in range(400):
        first = generator.standard_normal(40)
        second = 0.6 * first + 0.8 * generator.standard_normal(40)
        found = rank_correlation(first, second)
        assert found is not None
        covered += [
            found.spearman_interval.low <= spearman <= found.spearman_interval.high,
            found.kendall_interval.low <= kendall <= found.kendall_interval.high,
        ]
    assert (covered / 400 >= 0.92).all()
