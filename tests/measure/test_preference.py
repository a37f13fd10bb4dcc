"""A difference in preference between two occupations, against loops."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.core.errors import CriterionError
from pcf_core.measure.distribution import preference_difference
from pcf_core.measure.resampling import TemplateUnit, resampled_template_weights
from tests.measure.test_bootstrap import grid


def test_difference_of_two_occupations_by_loops() -> None:
    values, weights = grid()
    estimate, interval = preference_difference(values, weights, 2, 0, 1, resamples=80, level=0.9, seed=4)
    means = [np.average(values[x, :, 1], weights=weights) for x in (2, 0)]
    assert estimate == pytest.approx(means[0] - means[1], abs=1e-12)
    unit = TemplateUnit.templates(weights)
    replicates = [
        np.average(values[2, :, 1], weights=row) - np.average(values[0, :, 1], weights=row)
        for row in np.concatenate(list(resampled_template_weights(unit, 80, 4)))
    ]
    middle, stretch = np.mean(replicates), unit.stretch(0.9)
    expected = middle + stretch * (np.quantile(replicates, [0.05, 0.95]) - middle)
    assert (interval.low, interval.high) == pytest.approx(tuple(expected), abs=1e-12)
    assert interval.few
    assert (interval.level, interval.over, interval.unit) == (0.9, "templates", "template")


def test_difference_changes_its_sign_with_the_order() -> None:
    values, weights = grid()
    forward, there = preference_difference(values, weights, 0, 1, 2, resamples=100)
    backward, back = preference_difference(values, weights, 1, 0, 2, resamples=100)
    assert backward == -forward
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-15)


def test_difference_is_paired_over_templates() -> None:
    # Both occupations move together by far more than they differ: the pairing takes the movement out.
    engineer = np.random.default_rng(0).uniform(0.2, 0.9, size=10)
    male = np.stack([engineer - 0.05, engineer])
    values = np.stack([male, 1 - male], axis=-1)
    estimate, interval = preference_difference(values, np.ones(10), 0, 1, 0)
    assert (estimate, interval.low, interval.high) == pytest.approx((-0.05, -0.05, -0.05), abs=1e-12)


def test_difference_does_not_draw_templates_without_weight() -> None:
    values, weights = grid()
    values = np.concatenate([values, values[:, :1]], axis=1)
    expected = preference_difference(values[:, :12], weights, 0, 1, 0, resamples=50)
    found = preference_difference(values, np.append(weights, 0), 0, 1, 0, resamples=50)
    assert found[0] == pytest.approx(expected[0], abs=1e-12)
    assert (found[1].low, found[1].high) == pytest.approx((expected[1].low, expected[1].high), abs=1e-12)


@pytest.mark.parametrize(
    ("positions", "sentence"),
    [
        ((3, 0, 0), "first occupation must be a position from 0 to 2; got 3"),
        ((0, -1, 0), "second occupation must be a position from 0 to 2; got -1"),
        ((0, 1, 3), "group must be a position from 0 to 2; got 3"),
    ],
)
def test_positions_that_are_refused(positions: tuple[int, int, int], sentence: str) -> None:
    with pytest.raises(CriterionError, match=sentence):
        preference_difference(*grid(), *positions)
