"""The normal fit of prejudice against sums by hand, scipy, statsmodels and simulation."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.graphics.gofplots import ProbPlot

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.measure import tails as normality
from pcf_core.measure.tails import normal_band, normal_fit, normal_shape
from tests.quick import scaled

risks = st.lists(st.integers(0, 1000).map(lambda whole: whole / 1000), min_size=4, max_size=30)


@given(risks)
def test_normal_fit_by_loops_and_no_neighbour_is_likelier(values: list[float]) -> None:
    fit = normal_fit(values)
    mean = math.fsum(values) / len(values)
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    assert (fit.mean, fit.sd, fit.n) == pytest.approx((mean, sd, len(values)), abs=1e-12)
    if sd > 1e-3:

        def likelihood(m: float, s: float) -> float:
            return -sum(math.log(s) + (value - m) ** 2 / (2 * s**2) for value in values)

        best = likelihood(fit.mean, fit.sd)
        for m, s in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99)):
            assert likelihood(m * fit.mean, s * fit.sd) <= best + 1e-9


def test_one_value_has_no_spread() -> None:
    assert (normal_fit([0.4]).mean, normal_fit([0.4]).sd) == (0.4, 0)


def test_normal_shape_against_scipy_and_statsmodels() -> None:
    values = np.random.default_rng(3).normal(0.5, 0.1, 80)
    found = normal_shape(values, resamples=99)
    tested = stats.shapiro(values)
    assert (found.statistic, found.p_value) == pytest.approx((tested.statistic, tested.pvalue))
    scores = ProbPlot(values, a=3 / 8).theoretical_quantiles
    np.testing.assert_allclose(found.expected, values.mean() + values.std() * scores)
    np.testing.assert_array_equal(found.ordered, np.sort(values))


def test_the_band_holds_normal_samples_wholly_and_skewed_ones_not() -> None:
    low, high = normal_band(40, 4999, seed=0)
    generator = np.random.default_rng(5)

    def held(draws: FloatArray) -> float:
        standard = (draws - draws.mean(axis=-1, keepdims=True)) / draws.std(axis=-1, keepdims=True)
        inside = (standard >= low) & (standard <= high)
        return float(inside.all(axis=-1).mean())

    assert held(np.sort(generator.standard_normal((4000, 40)))) == pytest.approx(0.955, abs=0.01)
    assert held(np.sort(generator.standard_exponential((1000, 40)))) < 0.2


@given(st.integers(1, 30), st.integers(1, 150), st.integers(0, 1000))
@settings(max_examples=scaled(30), deadline=None)
def test_blocks_give_the_band_of_all_samples_at_once(size: int, resamples: int, seed: int) -> None:
    """Every rank tried on whole arrays, as no file of 5,000 values could be."""
    size += 1  # a single value has no spread to be standardised by
    draws = np.sort(np.random.default_rng(seed).standard_normal((2, resamples, size)), axis=-1)
    draws = (draws - draws.mean(axis=-1, keepdims=True)) / draws.std(axis=-1, keepdims=True)
    ranked = np.sort(draws[0], axis=0)
    rank = 0
    for tried in range(1, resamples // 2):
        inside = (draws[1] >= ranked[tried]) & (draws[1] <= ranked[-1 - tried])
        if inside.all(axis=-1).mean() < 0.95:
            break
        rank = tried
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(normality, "BLOCK", 7 * size)
        low, high = normal_band(size, resamples, seed)
    np.testing.assert_array_equal(low, ranked[rank])
    np.testing.assert_array_equal(high, ranked[-1 - rank])


def test_a_band_takes_little_memory_however_many_values() -> None:
    tracemalloc.start()
    try:
        normal_band(5000, 999, seed=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6, peak  # one array of all samples has 80 MB


@given(st.integers(0, 1000), st.sampled_from([1e-3, 7.0]))
@settings(max_examples=scaled(20), deadline=None)
def test_the_band_follows_unit_and_order(seed: int, unit: float) -> None:
    generator = np.random.default_rng(seed)
    values = generator.uniform(size=25)
    one = normal_shape(values, resamples=99)
    other = normal_shape(unit * generator.permutation(values), resamples=99)
    assert one.low is not None
    assert other.low is not None
    np.testing.assert_allclose(other.low, unit * one.low)
    assert other.outside == one.outside
    assert other.statistic == pytest.approx(one.statistic)


@pytest.mark.parametrize("values", [[0.4], [0.1, 0.2, 0.3], [0.2] * 50])
def test_without_spread_or_values_nothing_is_tested(values: list[float]) -> None:
    found = normal_shape(values)
    assert (found.statistic, found.p_value, found.low, found.high, found.outside) == (
        None,
        None,
        None,
        None,
        0,
    )


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], [0.1, -0.1], [0.1, math.nan], [0.1, math.inf]])
def test_what_is_refused(values: list[float]) -> None:
    for fit in (normal_fit, normal_shape):
        with pytest.raises(CriterionError, match="prejudice must be a list of finite numbers"):
            fit(values)
