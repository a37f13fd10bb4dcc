"""Fits on the positive half line, against scipy's distributions and fits, and against loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pcf_core.core.records import FloatArray
from pcf_core.core.tails import Distribution
from pcf_core.measure.tails import (
    LOWEST_SHAPE,
    NAMES,
    Fitted,
    anderson_darling,
    fitted,
    pareto_parameters,
    scale_at,
)
from tests.quick import scaled

positive = st.lists(
    st.integers(1, 10**6).map(lambda whole: whole / 10**6), min_size=5, max_size=40, unique=True
)


def scipy_twin(fit: Fitted) -> Any:
    one = {name: float(value.ravel()[0]) for name, value in fit.parameters.items()}
    if fit.distribution == "lognormal":
        return stats.lognorm(one["sd"], scale=math.exp(one["mean"]))
    return stats.genpareto(one.get("shape", 0.0), scale=one["scale"])


def sample(shape: float, size: int, seed: int = 0) -> FloatArray:
    generator = np.random.default_rng(seed)
    return np.asarray(stats.genpareto.rvs(shape, scale=0.01, size=size, random_state=generator))


def test_worked_examples() -> None:
    exponential = fitted("exponential", np.array([1.0, 2.0, 3.0]))
    assert exponential.parameters["scale"][0] == 2
    assert exponential.log_density(np.array([1.0, 2.0, 3.0])).sum() == pytest.approx(-3 * (math.log(2) + 1))
    lognormal = fitted("lognormal", np.array([1.0, math.e**2]))
    assert (lognormal.parameters["mean"][0], lognormal.parameters["sd"][0]) == pytest.approx((1, 1))
    pareto = Fitted("generalised Pareto", {"shape": np.array([1.0]), "scale": np.array([1.0])})
    assert np.exp(pareto.log_survival(np.array([1.0, 3.0]))) == pytest.approx([1 / 2, 1 / 4])  # 1 / (1 + x)


@pytest.mark.parametrize("shape", [-0.6, -0.2, 0.0, 0.4, 1.5])
def test_pareto_is_as_likely_as_scipys_fit(shape: float) -> None:
    values = sample(shape, 150, seed=3)
    fit = fitted("generalised Pareto", values)
    theirs = stats.genpareto.fit(values, floc=0)
    assert fit.log_density(values).sum() >= stats.genpareto(*theirs).logpdf(values).sum() - 1e-9
    found = (fit.parameters["shape"][0], fit.parameters["scale"][0] / values.mean())
    assert found == pytest.approx((theirs[0], theirs[2] / values.mean()), abs=2e-3)


@pytest.mark.parametrize("shape", [-0.6, -0.2, 0.4, 1.5])
def test_another_order_of_additions_gives_the_same_parameters(shape: float) -> None:
    """What another processor or number of threads does: reports of it have to verify."""
    values = sample(shape, 120, seed=5)
    straight, turned = (pareto_parameters(one) for one in (values, values[::-1]))
    for one, other in zip(straight, turned, strict=True):
        assert float(one[0]) == pytest.approx(float(other[0]), rel=1e-11)


@given(positive)
def test_pareto_has_no_likelier_neighbour(values: list[float]) -> None:
    data = np.array(values)
    shape, scale = (float(value[0]) for value in pareto_parameters(data))
    assert shape >= LOWEST_SHAPE - 1e-9
    if shape < LOWEST_SHAPE + 1e-3:
        return  # at the end of what is allowed likelier neighbours may lie outside

    def likelihood(at: float, by: float) -> float:
        return float(stats.genpareto(at, scale=by).logpdf(data).sum())

    best = likelihood(shape, scale)
    for move in (0.999, 1.001):
        assert likelihood(shape, scale * move) <= best + 1e-7
        assert likelihood(shape + move - 1, scale) <= best + 1e-7


@given(positive, st.sampled_from([1e-6, 1e-2, 50.0]))
def test_fits_follow_the_unit(values: list[float], unit: float) -> None:
    data = np.array(values)
    for name in NAMES:
        one, other = fitted(name, data), fitted(name, unit * data)
        np.testing.assert_allclose(other.log_survival(unit * data), one.log_survival(data), atol=1e-5)
        moved = other.log_density(unit * data) + math.log(unit)
        np.testing.assert_allclose(moved, one.log_density(data), atol=1e-5)


def test_many_samples_at_once_are_the_same_as_one_by_one() -> None:
    samples = np.stack([sample(shape, 40, seed) for seed, shape in enumerate((-0.5, 0.0, 0.7))])
    for name in NAMES:
        together = fitted(name, samples)
        distances = anderson_darling(together, samples)
        for place, values in enumerate(samples):
            alone = fitted(name, values)
            for key, value in alone.parameters.items():
                assert together.parameters[key][place, 0] == pytest.approx(value[0], abs=1e-9)
            assert distances[place] == pytest.approx(float(anderson_darling(alone, values)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [-0.5, 0.0, 0.8])
def test_functions_of_a_distribution_against_scipy(name: Distribution, shape: float) -> None:
    values = sample(shape, 60, seed=5)
    fit = fitted(name, values)
    twin = scipy_twin(fit)
    np.testing.assert_allclose(fit.log_density(values), twin.logpdf(values), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(fit.log_survival(values), twin.logsf(values), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(fit.log_distribution(values), twin.logcdf(values), rtol=1e-6, atol=1e-6)


def test_a_light_tail_has_an_end() -> None:
    fit = Fitted("generalised Pareto", {"shape": np.array([-0.5]), "scale": np.array([1.0])})
    survival = np.exp(fit.log_survival(np.array([1.9, 2.0, 3.0])))
    assert survival[0] > 0
    assert list(survival[1:]) == [0, 0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [-0.4, 0.0, 0.6])
def test_draws_follow_the_fit(name: Distribution, shape: float) -> None:
    fit = fitted(name, sample(shape, 80, seed=7))
    draws = fit.draw(np.random.default_rng(0), 40, 50)
    assert draws.shape == (40, 50)
    assert stats.kstest(draws.ravel(), scipy_twin(fit).cdf).pvalue > 0.01


@settings(max_examples=scaled(40))
@given(positive)
def test_distance_by_a_loop(values: list[float]) -> None:
    data = np.array(values)
    for name in NAMES:
        fit = fitted(name, data)
        twin, ordered, n = scipy_twin(fit), sorted(values), len(values)
        total = 0.0
        for i in range(1, n + 1):
            total += (2 * i - 1) * (twin.logcdf(ordered[i - 1]) + twin.logsf(ordered[n - i]))
        assert float(anderson_darling(fit, data)) == pytest.approx(-n - total / n, rel=1e-5, abs=1e-5)


def test_distance_is_that_of_scipy() -> None:
    values = sample(0.3, 50, seed=11)
    theirs = stats.goodness_of_fit(
        stats.expon, values, known_params={"loc": 0}, statistic="ad", n_mc_samples=19
    )
    assert float(anderson_darling(fitted("exponential", values), values)) == pytest.approx(theirs.statistic)


@pytest.mark.parametrize("shape", [-0.9, -0.3, 0.0, 0.5, 3.0])
def test_scale_at_a_shape_has_no_likelier_neighbour(shape: float) -> None:
    values = sample(0.2, 70, seed=13)
    scale = scale_at(shape, values)
    best = stats.genpareto(shape, scale=scale).logpdf(values).sum()
    for move in (0.99, 1.01):
        assert stats.genpareto(shape, scale=scale * move).logpdf(values).sum() < best


def test_scale_at_the_fitted_shape_is_the_fitted_scale() -> None:
    values = sample(0.4, 70, seed=17)
    shape, scale = pareto_parameters(values)
    assert scale_at(float(shape[0]), values) == pytest.approx(float(scale[0]), rel=1e-6)
    assert scale_at(0.0, values) == pytest.approx(values.mean())
