"""What one context more does to a risk, against computing the risk again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from pcf_core.measure.bootstrap import RISKS, acceleration, influences, moments
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose
from pcf_core.measure.resampling import TemplateUnit


@given(st.integers(0, 2**32), st.sampled_from([1.0, 2.0, math.inf]))
def test_a_little_more_weight_moves_the_risk_as_much(seed: int, norm: float) -> None:
    """Weight ε more on one template, all others scaled down: the change is ε times the influence."""
    generator = np.random.default_rng(seed)
    values = generator.dirichlet([5, 3, 1], size=(2, 6))
    weights, criterion, step = generator.dirichlet(np.ones(6)), Criterion(norm), 1e-7
    parts = decompose(values, weights, criterion)
    moves = influences(criterion.stereotypes(values), parts, criterion)
    more = decompose(values, (1 - step) * weights + step * np.eye(6)[4], criterion)
    pairs = zip(
        RISKS,
        (more.overall - parts.overall, more.prejudice - parts.prejudice, more.caprice - parts.caprice),
        strict=True,
    )
    for name, change in pairs:
        np.testing.assert_allclose(change / step, moves[name][:, 4], atol=1e-4)


@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(1, 9)), min_size=2, max_size=12))
def test_acceleration_is_a_sixth_of_the_skewness_of_the_mean(pairs: list[tuple[float, int]]) -> None:
    values, counts = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    singles = np.repeat(values, counts.astype(int))
    moves = values - singles.mean()
    found = acceleration(moments(moves, TemplateUnit.mentions(counts)))
    if np.ptp(values) < 1e-3:
        return
    assert found == pytest.approx(scipy_stats.skew(singles) / (6 * math.sqrt(singles.size)), abs=1e-6)


def test_what_does_not_move_has_no_skewness() -> None:
    assert acceleration(moments(np.zeros((2, 3)), TemplateUnit.templates(np.ones(3)))).tolist() == [0, 0]


def test_what_hardly_moves_has_no_skewness_either() -> None:
    """The square of 1e-140 can be told from 0, its cube cannot."""
    moves = 1e-140 * np.array([[-0.5, 0.5]])
    assert acceleration(moments(moves, TemplateUnit.templates(np.ones(2)))).tolist() == [0]


def test_the_skewness_of_a_sum_of_what_is_drawn_apart() -> None:
    """A mean of 20 exponential values plus one of 30: variances and third moments add up."""
    generator = np.random.default_rng(0)
    first, second = generator.exponential(size=20), generator.exponential(size=30)
    sums = generator.choice(first, (200_000, 20)).mean(axis=1) + generator.choice(second, (200_000, 30)).mean(
        axis=1
    )
    parts = [
        moments(values - values.mean(), TemplateUnit.templates(np.ones(values.size)))
        for values in (first, second)
    ]
    assert acceleration(*parts) == pytest.approx(scipy_stats.skew(sums) / 6, abs=0.004)
