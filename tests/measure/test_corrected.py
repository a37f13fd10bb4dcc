"""Prejudice without the bias of a sample: the closed form of two groups, and what a simulation finds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import foldnorm

from pcf_core.measure.corrected import corrected_prejudice, normal_pairs, sampling_bias, square_roots
from pcf_core.measure.criterion import Criterion

OPPOSITE = np.array([[1.0, -1.0], [-1.0, 1.0]])


def two_groups(mean: float, error: float) -> tuple[np.ndarray, np.ndarray]:
    """The mean stereotype of one occupation, and its covariance."""
    return np.array([[mean, -mean]]), error**2 * OPPOSITE[np.newaxis]


def corrected(means: np.ndarray, error: float, shares: np.ndarray | None = None) -> np.ndarray:
    """Corrected r^p of two groups' mean stereotypes [occupation], all with one standard error."""
    mean = np.stack([means, -means], axis=-1)
    covariance = np.broadcast_to(error**2 * OPPOSITE, (means.size, 2, 2))
    plug_in = Criterion().of_stereotypes(mean)
    noisier = plug_in + sampling_bias(mean, covariance, Criterion())
    shares = np.full(means.size, 1 / means.size) if shares is None else shares
    return corrected_prejudice(plug_in, noisier, shares)


def test_a_neutral_model_measured_with_a_standard_error_of_a_tenth() -> None:
    """|N(0, 0.1)| is 0.1 √(2/π) = 0.0798 on average: a plug-in 0 has a bias of that, and stays 0."""
    found = sampling_bias(*two_groups(0.0, 0.1), Criterion())
    assert found == pytest.approx([0.1 * math.sqrt(2 / math.pi)], rel=0.005)
    assert corrected(np.array([0.0]), 0.1) == 0


def test_one_standard_error_is_half_noise() -> None:
    """At 0.1 the mean of |N(0.1, 0.1)| is 0.11666: √(2 · 0.01 − 0.01361) = 0.0799 is left."""
    assert corrected(np.array([0.1]), 0.1) == pytest.approx([0.0799], abs=2e-4)


def test_two_occupations_by_hand() -> None:
    """0.9 is in no doubt.  P = (0.9 + 0.1)/2, E = (0.9 + 0.11666)/2: √(2 · 0.25 − 0.25841) = 0.4915 is R^p,
    so that 0.083 is left of 0.1, a little more than alone."""
    found = corrected(np.array([0.9, -0.1]), 0.1)
    assert found == pytest.approx([0.9, 2 * 0.49152 - 0.9], abs=3e-4)


@given(st.integers(0, 2**32), st.floats(0.01, 0.5))
def test_the_occupations_add_up_to_the_extrapolated_total(seed: int, error: float) -> None:
    generator = np.random.default_rng(seed)
    means, shares = generator.normal(0, 0.3, size=6), generator.dirichlet(np.ones(6))
    once = abs(means)
    twice = foldnorm.mean(once / error, scale=error)
    wanted = math.sqrt(max(0, 2 * (shares @ once) ** 2 - (shares @ twice) ** 2))
    found = corrected(means, error, shares)
    # The bias is known to 0.005 standard errors (above), and a root is steep where little is left.  Where
    # occupations in no doubt already have more than the total, they keep it.
    much, total = 0.02 * error * (shares @ twice) + 1e-9, (shares @ found) ** 2
    doubtful = twice > once + 0.01 * error
    assert total >= wanted**2 - much
    if found[doubtful].any():
        assert total <= wanted**2 + much
    assert ((found >= 0) & (found <= once + 1e-12)).all()


@given(st.floats(-0.9, 0.9), st.floats(0.001, 0.2))
def test_two_groups_follow_the_folded_normal(mean: float, error: float) -> None:
    expected = foldnorm.mean(abs(mean) / error, scale=error) - abs(mean)
    found = sampling_bias(*two_groups(mean, error), Criterion())[0]
    assert found == pytest.approx(max(expected, 0.0), abs=0.005 * error)


@given(st.integers(0, 2**32), st.sampled_from([1.0, 2.0, math.inf]))
def test_three_groups_follow_draws_of_the_mean(seed: int, norm: float) -> None:
    generator = np.random.default_rng(seed)
    root = generator.normal(size=(3, 3)) * 0.1
    root -= root.mean(axis=0)
    mean = generator.dirichlet([2, 2, 2]) - 1 / 3
    criterion = Criterion(norm)
    found = sampling_bias(mean[np.newaxis], (root @ root.T)[np.newaxis], criterion)[0]
    many = mean + generator.normal(size=(20_000, 3)) @ root.T
    loop = criterion.of_stereotypes(many).mean() - criterion.of_stereotypes(mean)
    assert found == pytest.approx(loop, abs=0.1 * np.sqrt(np.trace(root @ root.T)))


def test_where_no_sign_is_in_doubt_nothing_is_corrected() -> None:
    assert sampling_bias(*two_groups(0.6, 0.02), Criterion()) == 0


def test_at_the_kink_one_occupation_keeps_two_thirds_of_its_bias() -> None:
    """Neutral on average, as in the module's docstring: 0.80 standard errors before, 0.54 after."""
    means = np.random.default_rng(1).standard_normal(4000)
    assert np.abs(means).mean() == pytest.approx(0.798, abs=0.02)
    assert np.mean([corrected(means[place : place + 1], 1.0) for place in range(4000)]) == pytest.approx(
        0.540, abs=0.02
    )


def test_at_the_kink_fifteen_occupations_keep_a_quarter() -> None:
    means = np.random.default_rng(1).standard_normal((2000, 15))
    found = np.mean([corrected(row, 1.0).mean() for row in means])
    assert found == pytest.approx(0.22, abs=0.02)


@pytest.mark.slow
def test_leans_that_are_normal_about_neutral_lose_all_of_it() -> None:
    """Leans of s.d. 2: |N(0, 2)| is 1.596 on average, the plug-in figure that of N(0, √5), 1.784."""
    means = np.sqrt(5) * np.random.default_rng(1).standard_normal(100_000)
    assert np.abs(means).mean() == pytest.approx(1.784, abs=0.01)
    assert corrected(means, 1.0).mean() == pytest.approx(1.596, abs=0.02)


def test_three_standard_errors_away_little_is_left() -> None:
    means = 3 + np.random.default_rng(1).standard_normal(40_000)
    assert corrected(means, 1.0).mean() == pytest.approx(3, abs=0.03)


def test_square_roots_of_singular_covariances() -> None:
    root = square_roots(OPPOSITE[np.newaxis])
    np.testing.assert_allclose(root @ root.transpose(0, 2, 1), OPPOSITE[np.newaxis], atol=1e-12)


def test_normal_numbers_come_in_pairs_of_unit_variance() -> None:
    pairs = normal_pairs(3)
    assert pairs.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    np.testing.assert_allclose(np.cov(pairs.T), np.eye(3), atol=0.1)
