"""Shares of women beside the world's: statsmodels beside Wilson and the line, rates, what has no line."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from statsmodels.tools import add_constant

from pcf_core.texts.criteria.anecdotes import (
    beside_the_world,
    line_over_world,
    mean_over_professions,
    rate_over_professions,
    why_no_slope,
    wilson,
)
from pcf_core.texts.criteria.records.independence import ProfessionGender

ROWS = (
    ProfessionGender(profession="nurse", world=0.88, women=30, men=0),
    ProfessionGender(profession="plumber", world=0.01, women=9, men=21),
    ProfessionGender(profession="roofer", world=0.05, women=0, men=0, unclear=30),
)


def test_single_professions_have_an_interval_and_a_controlled_test() -> None:
    nurse, plumber, roofer = beside_the_world(ROWS)
    low, high = proportion_confint(9, 30, method="wilson")
    assert plumber.interval is not None
    assert (plumber.interval.low, plumber.interval.high) == pytest.approx((low, high))
    p_values = [binomtest(30, 30, 0.88).pvalue, binomtest(9, 30, 0.01).pvalue]
    assert [nurse.p_value, plumber.p_value] == pytest.approx(p_values)
    adjusted = multipletests(p_values, method="fdr_bh")[1]
    assert [nurse.adjusted, plumber.adjusted] == pytest.approx(list(adjusted))
    assert plumber.differs
    assert not roofer.differs
    assert (plumber.exaggeration, nurse.exaggeration) == pytest.approx((-0.29, 0.12))
    assert (roofer.share, roofer.interval, roofer.exaggeration) == (None, None, None)
    assert beside_the_world(ROWS[2:]) == ROWS[2:]


def test_an_interval_at_the_end_stays_on_the_scale() -> None:
    assert wilson(1.0, 30, 0.95).high == 1
    assert wilson(0.0, 30, 0.95).low == 0


def test_a_rate_is_of_all_texts_and_varies_by_profession() -> None:
    rate = rate_over_professions(np.array([10.0, 0, 5]), np.array([10.0, 0, 10]))
    assert rate is not None
    assert rate.interval is not None
    assert rate.value == pytest.approx(15 / 20)
    assert rate.interval.low <= 0.5
    assert rate.interval.high == 1
    assert rate.interval.unit == "profession"
    whole = rate_over_professions(np.full(50, 30.0), np.full(50, 30.0))
    assert whole is not None
    assert whole.interval is not None
    assert whole.interval.low == pytest.approx(proportion_confint(50, 50, method="wilson")[0])
    one = rate_over_professions(np.array([1.0]), np.array([2.0]))
    assert one is not None
    assert one.interval is None
    assert rate_over_professions(np.zeros(2), np.zeros(2)) is None


def test_intervals_over_professions_hold_the_truth() -> None:
    held = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        hits = rng.binomial(30, rng.beta(8, 2, size=60)).astype(float)
        interval = getattr(rate_over_professions(hits, np.full(60, 30.0), resamples=300), "interval", None)
        assert interval is not None
        held += interval.low <= 0.8 <= interval.high
    assert held >= 51


def test_the_mean_has_professions_as_units() -> None:
    mean = mean_over_professions(np.array([0.1, 0.2, 0.3, 0.2]))
    assert mean is not None
    assert mean.interval is not None
    assert mean.value == pytest.approx(0.2)
    assert (mean.interval.over, mean.interval.unit) == ("occupations", "profession")
    assert mean_over_professions(np.array([])) is None


def test_the_line_is_statsmodels_and_is_tested_against_a_copy() -> None:
    rng = np.random.default_rng(1)
    world = rng.random(40)
    shares = np.clip(0.1 + 0.7 * world + rng.normal(0, 0.05, 40), 0, 1)
    line = line_over_world(world, shares)
    other = OLS(shares, add_constant(world)).fit(cov_type="HC3", use_t=True)
    assert (line.intercept, line.slope) == pytest.approx(tuple(other.params))
    assert line.p_of_one == pytest.approx(float(other.t_test("x1 = 1").pvalue), rel=1e-6)
    assert (line.interval.low, line.interval.high) == pytest.approx(tuple(other.conf_int()[1]))


def test_what_has_no_line_says_why() -> None:
    many = np.linspace(0, 1, 20)
    assert why_no_slope(many, many) == ""
    assert "the same for all professions" in why_no_slope(many, np.full(20, 0.5))
    assert why_no_slope(np.full(20, 0.5), many).startswith("the world's")
    assert why_no_slope(many[:4], many[:4]) == "4 professions, fewer than 10"
