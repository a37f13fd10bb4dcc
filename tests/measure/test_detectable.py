"""The detectable difference: by hand, and by simulation the power with which such a difference is shown."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Difference, Interval, detectable_difference
from pcf_core.measure.comparison import paired_comparison
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit

TEMPLATES, OCCUPATIONS, SPREAD = 24, 6, 0.15


def simulated(generator: np.random.Generator, shift: float) -> Difference:
    """R of two models whose stereotypes are 0.4 and 0.4 + shift, with a common effect of each template."""
    means = np.array([0.4, 0.4 + shift])[:, None, None]
    effects = generator.normal(0, SPREAD, (2, 1, TEMPLATES))
    share = (1 + np.clip(means + effects + np.zeros((2, OCCUPATIONS, 1)), -0.99, 0.99)) / 2
    models: FloatArray = np.stack([share, 1 - share], axis=-1)
    unit = TemplateUnit.templates(np.ones(TEMPLATES))
    done = paired_comparison(
        models[0], models[1], unit, np.ones(OCCUPATIONS), Criterion(), resamples=300, permutations=300
    )
    return done.totals["overall_risk"]


def test_half_a_width_by_hand() -> None:
    """z(.975) = 1.95996 and z(.8) = 0.84162: a range of ± 0.1 could have shown 0.1 × 2.80158 / 1.95996."""
    size = detectable_difference(Interval(low=-0.08, high=0.12))
    assert size == pytest.approx(0.1 * 2.80158 / 1.95996, abs=1e-5)
    assert detectable_difference(None) is None
    assert detectable_difference(Interval(low=-0.1, high=0.1, level=0.9)) is None


def test_it_is_given_only_where_a_single_test_shows_nothing() -> None:
    unclear = Difference(0.5, 0.48, (Interval(low=-0.08, high=0.12),), p_value=0.5, least_p=0.001)
    assert unclear.detectable is not None
    shown = Difference(0.5, 0.3, (Interval(low=0.1, high=0.3),), p_value=0.01, least_p=0.001)
    corrected = Difference(0.5, 0.48, unclear.intervals, p_value=0.5, least_p=0.001, adjusted=1.0)
    assert (shown.detectable, corrected.detectable) == (None, None)


@pytest.mark.thorough
def test_such_a_difference_is_shown_three_times_in_four() -> None:
    generator = np.random.default_rng(5)
    nothing = [simulated(generator, 0) for _ in range(150)]
    size = float(np.mean([one.detectable for one in nothing if one.detectable]))
    error = SPREAD * math.sqrt(2 / TEMPLATES)
    assert size == pytest.approx(2.80158 * error, rel=0.15)
    power = np.mean([simulated(generator, size).verdict == "second" for _ in range(1000)])
    assert 0.71 < power < 0.79  # as sentences say, 0.75, with a standard error of 0.014
