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


def test_a_neutral_model_measured_with_a_standard_error_of_a_tenth() -> None:
    """|N(0, 0.1)| is 0.1 √(2/π) = 0.0798 on average: a plug-in 0 has a bias of that, and stays 0."""
    found = sampling_bias(*two_groups(0.0, 0.1), Criterion())
    assert found == pytest.approx([0.1 * math.sqrt(2 / math.pi)], rel=0.005)
    assert corrected_prejudice(*two_groups(0.0, 0.1), np.array([0.4]), Criterion()) == 0


def test_a_plug_in_of_half_a_standard_error_is_mostly_bias() -> None:
    """2 (φ(½) − ½ Φ(−½)) = 0.3956 standard errors of 0.1 are taken from 0.05."""
    found = corrected_prejudice(*two_groups(0.05, 0.1), np.array([0.4]), Criterion())
    assert found == pytest.approx([0.05 - 0.03956], abs=1e-4)


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


@given(st.integers(0, 2**32))
def test_a_part_is_between_nothing_and_the_whole(seed: int) -> None:
    generator = np.random.default_rng(seed)
    values = generator.dirichlet(np.ones(3), size=(5, 4))
    criterion = Criterion()
    s = criterion.stereotypes(values)
    mean = s.mean(axis=1)
    overall = criterion.of_stereotypes(s).mean(axis=1)
    covariance = np.stack([np.cov(row.T) / 4 for row in s])
    found = corrected_prejudice(mean, covariance, overall, criterion)
    assert (found >= 0).all()
    assert (found <= np.minimum(overall, criterion.of_stereotypes(mean)) + 1e-12).all()


def test_where_no_sign_is_in_doubt_nothing_is_corrected() -> None:
    assert sampling_bias(*two_groups(0.6, 0.02), Criterion()) == 0


def test_at_the_kink_a_quarter_of_the_bias_goes() -> None:
    """Neutral on average, as in the module's docstring: 0.80 standard errors before, 0.60 after."""
    means = np.random.default_rng(1).standard_normal(40_000)
    mean = np.stack([means, -means], axis=-1)
    covariance = np.broadcast_to(OPPOSITE, (40_000, 2, 2))
    corrected = corrected_prejudice(mean, covariance, np.full(40_000, 9.0), Criterion())
    assert np.abs(means).mean() == pytest.approx(0.798, abs=0.01)
    assert corrected.mean() == pytest.approx(0.600, abs=0.01)


def test_three_standard_errors_away_little_is_left() -> None:
    means = 3 + np.random.default_rng(1).standard_normal(40_000)
    mean = np.stack([means, -means], axis=-1)
    covariance = np.broadcast_to(OPPOSITE, (40_000, 2, 2))
    corrected = corrected_prejudice(mean, covariance, np.full(40_000, 9.0), Criterion())
    assert corrected.mean() == pytest.approx(3, abs=0.03)


def test_square_roots_of_singular_covariances() -> None:
    root = square_roots(OPPOSITE[np.newaxis])
    np.testing.assert_allclose(root @ root.transpose(0, 2, 1), OPPOSITE[np.newaxis], atol=1e-12)


def test_normal_numbers_come_in_pairs_of_unit_variance() -> None:
    pairs = normal_pairs(3)
    assert pairs.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    np.testing.assert_allclose(np.cov(pairs.T), np.eye(3), atol=0.1)
