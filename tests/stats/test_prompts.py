"""Intervals over prompts: scipy's bootstrap beside them, coverage by simulation, what has none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray
from pcf_core.stats.prompts import mean_interval, ratio_of_means_interval, signed_ranks


def three(prompts: int, seed: int) -> FloatArray:
    """[3, prompt] B and both V, all alike on average and moving together."""
    generator = np.random.default_rng([2, seed])
    return 0.6 + 0.1 * generator.normal(size=prompts) + 0.05 * generator.normal(size=(3, prompts))


def test_the_mean_is_close_to_scipys_bca() -> None:
    values = np.random.default_rng(0).gamma(2.0, size=200)
    found = mean_interval(values, resamples=4000)
    other = bootstrap((values,), np.mean, method="BCa", rng=np.random.default_rng(1)).confidence_interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.03)
    assert (found.unit, found.level) == ("prompt", 0.95)


def test_the_ratio_is_close_to_scipys_bca() -> None:
    values = three(150, 0)

    def ratio(b: FloatArray, v: FloatArray, w: FloatArray, axis: int = -1) -> FloatArray:
        return np.asarray(b.mean(axis) ** 2 / (v.mean(axis) * w.mean(axis)))

    found = ratio_of_means_interval(*values, resamples=4000)
    other = bootstrap(tuple(values), ratio, paired=True, method="BCa", rng=np.random.default_rng(1))
    assert found is not None
    ends = other.confidence_interval
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=0.003)


def check_coverage(simulations: int, prompts: int, least: float) -> None:
    hold = {"mean": 0, "ratio": 0}
    for seed in range(simulations):
        values = three(prompts, 1 + seed)
        mean = mean_interval(values[0], resamples=500, seed=seed)
        ratio = ratio_of_means_interval(*values, resamples=500, seed=seed)
        assert mean is not None
        assert ratio is not None
        hold["mean"] += mean.low <= 0.6 <= mean.high
        hold["ratio"] += ratio.low <= 1 <= ratio.high
    assert min(hold.values()) / simulations >= least


def test_intervals_hold_the_truth() -> None:
    check_coverage(300, 20, 0.92)


@pytest.mark.slow
def test_intervals_hold_the_truth_in_many_simulations() -> None:
    for prompts, least in ((5, 0.9), (10, 0.92), (20, 0.93), (100, 0.94)):
        check_coverage(4000, prompts, least)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_an_interval_of_the_mean_lies_inside_the_values(values: list[float]) -> None:
    found = mean_interval(np.array(values), resamples=200)
    assert found is not None
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_what_has_no_interval() -> None:
    one, zeros = np.array([0.5]), np.array([0.0, 0.0, 0.4])
    assert mean_interval(one) is None
    assert ratio_of_means_interval(one, one, one) is None
    assert ratio_of_means_interval(zeros + 0.1, zeros, zeros) is None  # some draws have no V at all
    with pytest.raises(CriterionError, match="finite"):
        mean_interval(np.array([0.5, np.nan]))
    with pytest.raises(CriterionError, match="finite"):
        ratio_of_means_interval(zeros, zeros, np.array([0.5, np.inf, 1]))


def test_signed_ranks_by_hand() -> None:
    """All five above 0: the one largest sum of ranks of 2^5."""
    assert signed_ranks(np.array([1.0, 2, 3, 4, 5])) == pytest.approx(1 / 32)
    assert signed_ranks(np.array([-1.0, -2, -3, -4, -5])) == pytest.approx(1)
    assert signed_ranks(np.zeros(5)) is None
