"""Percentiles against numpy, Student's t, and scipy's BCa."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from pcf_core.core.errors import CriterionError
from pcf_core.measure.bootstrap import acceleration, moments
from pcf_core.measure.resampling import TemplateUnit, percentiles, stretched, tail


def test_hesterbergs_tail_for_ten_units() -> None:
    """n = 10: t = 2.262, times √(10/9) is 2.384, and Φ(−2.384) = 0.0086 (his Table 3 says 0.009)."""
    assert tail(0.95, 10) == pytest.approx(0.0086, abs=5e-5)
    assert tail(0.95, 10) == pytest.approx(
        scipy_stats.norm.cdf(np.sqrt(10 / 9) * scipy_stats.t.ppf(0.025, 9)), abs=1e-12
    )


@given(st.floats(1.5, 500), st.floats(0.5, 0.99))
def test_fewer_units_mean_wider_bounds(effective: float, level: float) -> None:
    assert 0 <= tail(level, effective) <= tail(level, effective + 1) <= (1 - level) / 2
    assert tail(level, 1e9) == pytest.approx((1 - level) / 2, rel=1e-6)


def test_a_single_unit_gives_the_extremes() -> None:
    values = np.random.default_rng(0).normal(size=(100, 2))
    bounds = percentiles(values, 0.95, 1.0, [0.1, 0.2])
    np.testing.assert_array_equal(bounds, [values.min(axis=0), values.max(axis=0)])


def test_without_skewness_and_with_many_units_they_are_numpys() -> None:
    values = np.random.default_rng(0).normal(size=(501, 4))
    expected = np.percentile(values, [5, 95], axis=0)
    np.testing.assert_allclose(percentiles(values, 0.9), expected)
    np.testing.assert_allclose(percentiles(values, 0.9, acceleration=np.zeros(4)), expected, atol=1e-12)


def test_an_expanded_interval_of_a_mean_is_that_of_students_t() -> None:
    sample = scipy_stats.norm.ppf((np.arange(12) + 0.5) / 12)
    draws = np.random.default_rng(0).integers(12, size=(200_000, 12))
    low, high = percentiles(sample[draws].mean(axis=1), 0.95, 12)
    expected = scipy_stats.t.ppf(0.975, 11) * sample.std(ddof=1) / np.sqrt(12)
    assert (low, high) == pytest.approx((-expected, expected), rel=0.03)


def test_a_stretched_interval_of_three_units_is_that_of_students_t() -> None:
    """Percentiles of a mean of three end at the smallest and the largest; 0 ± 4.303 / √3 is 2.484."""
    sample = np.array([-1.0, 0.0, 1.0])
    draws = np.random.default_rng(0).integers(3, size=(200_000, 3))
    replicates = sample[draws].mean(axis=1)
    assert percentiles(replicates, 0.95, 3).tolist() == [-1, 1]
    low, high = stretched(replicates, 0.95, TemplateUnit.templates([1, 1, 1]).stretch(0.95))
    assert (low, high) == pytest.approx((-2.484, 2.484), rel=0.1)


def test_scipys_bca_finds_the_same_bounds_of_a_skew_mean() -> None:
    """Its z0 comes from the replicates and ours is a, which is the same to the first order."""
    sample = np.random.default_rng(3).exponential(size=60)
    other = scipy_stats.bootstrap(
        (sample,), np.mean, n_resamples=40_000, method="BCa", rng=1
    ).confidence_interval
    draws = np.random.default_rng(2).integers(60, size=(40_000, 60))
    skew = acceleration(moments(sample - sample.mean(), TemplateUnit.templates(np.ones(60))))
    assert skew == pytest.approx(scipy_stats.skew(sample) / (6 * np.sqrt(60)))
    found = percentiles(sample[draws].mean(axis=1), 0.95, acceleration=skew)
    assert found == pytest.approx([other.low, other.high], abs=0.008)
    plain = percentiles(sample[draws].mean(axis=1), 0.95)
    assert (found > plain + 0.015).all()


def test_bounds_run_off_where_an_acceleration_is_too_large() -> None:
    values = np.arange(101.0)
    assert percentiles(values, 0.95, 3.0, 0.5)[1] == 100
    assert percentiles(values, 0.95, 3.0, -0.5)[0] == 0


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(CriterionError, match="between 0 and 1; got"):
        percentiles(np.zeros(3), level)
