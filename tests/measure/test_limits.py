"""Verdicts on limits: properties, a second opinion by a grid, and what looks spend."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from pcf_core.core.errors import CriterionError
from pcf_core.measure.limits import (
    FEWEST,
    LEAST_ERROR,
    SPENT,
    limit_verdict,
    reaching,
    resamples_for,
    stages,
    unseen_share,
)
from pcf_core.measure.resampling import effective_number
from pcf_core.measure.sampling import LEVEL, looks

unit = st.floats(-1, 1)
ends = st.tuples(unit, unit).map(sorted)
ORDER = ["exceeds", "cannot tell", "within"]


@given(ends, unit, unit)
def test_a_looser_limit_is_never_judged_worse(interval: list[float], one: float, other: float) -> None:
    strict, loose = sorted((one, other))
    verdicts = [ORDER.index(limit_verdict(*interval, limit)) for limit in (strict, loose)]
    assert verdicts == sorted(verdicts)


@given(ends, unit)
def test_a_grid_of_possible_figures_says_the_same(interval: list[float], limit: float) -> None:
    """Every figure of the interval keeps the limit, none does, or some."""
    kept = np.linspace(*interval, 101) <= limit + 1e-12
    expected = "within" if kept.all() else "cannot tell" if kept.any() else "exceeds"
    assert limit_verdict(*interval, limit) == expected


@given(ends, unit)
def test_never_over_a_limit_that_lies_inside_or_above(interval: list[float], limit: float) -> None:
    verdict = limit_verdict(*interval, limit)
    assert verdict != "exceeds" or interval[0] > limit
    assert verdict != "within" or interval[1] <= limit + 1e-12


def test_rounding_is_no_excess() -> None:
    assert limit_verdict(0.1, 0.1 + 0.2, 0.3) == "within"


@pytest.mark.parametrize("given_", [(0.2, 0.1, 0.3), (float("nan"), 0.1, 0.3), (0.1, 0.2, float("inf"))])
def test_what_is_no_interval_is_refused(given_: tuple[float, float, float]) -> None:
    with pytest.raises(CriterionError, match="finite numbers"):
        limit_verdict(*given_)


@given(
    st.lists(st.floats(0.01, 1000), min_size=1, max_size=300),
    st.sampled_from([0.05, 0.01, 0.2]),
    st.booleans(),
)
def test_looks_spend_the_error_and_end_with_all(weights: list[float], error: float, early: bool) -> None:
    ordered = np.sort(weights)[::-1]
    found = stages(ordered, error, early=early)
    sizes = [stage.templates for stage in found]
    assert sum(stage.error for stage in found) == pytest.approx(error * (SPENT if len(found) > 1 else 1))
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == len(weights)
    assert early or len(found) == 1
    for stage in found[:-1]:
        assert stage.templates >= FEWEST
        assert effective_number(ordered[: stage.templates]) >= 5
    assert found[-1].error >= sum(stage.error for stage in found) / 2 - 1e-12


def test_the_looks_of_a_hundred_equal_templates() -> None:
    found = stages(np.ones(100), 0.04, early=True)
    assert [stage.templates for stage in found] == [25, 50, 100]
    assert [stage.error for stage in found] == pytest.approx([0.005, 0.005, 0.01])


def test_an_error_that_resamples_cannot_show_is_refused() -> None:
    with pytest.raises(CriterionError, match="--stop-early"):
        stages(np.ones(100), LEAST_ERROR * 2, early=True)
    assert stages(np.ones(100), LEAST_ERROR, early=False)[0].error == LEAST_ERROR


def test_resamples_leave_ten_beyond_each_end() -> None:
    assert resamples_for(0.05) == 2000
    assert resamples_for(LEAST_ERROR) * LEAST_ERROR / 2 == pytest.approx(10)


def test_what_can_be_missed_is_the_rule_of_three() -> None:
    """A share u of contexts is missed by n draws with the chance (1 − u)^n."""
    assert unseen_share(100, 0.1) == pytest.approx(3 / 100, rel=0.02)
    assert (1 - unseen_share(7, 0.05)) ** 7 == pytest.approx(0.025)


def test_a_point_reaches_out_and_an_interval_stays() -> None:
    assert reaching(0.1, 0.2, 50, 0.05) == (0.1, 0.2)
    low, high = reaching(0.3, 0.3, 50, 0.05)
    assert high - 0.3 == pytest.approx(0.3 - low) == pytest.approx(2 * unseen_share(50, 0.05))
    assert reaching(0.3, 0.3, 1, 0.05)[1] > 1  # one template tells nothing of any limit
    assert reaching(0.0, 0.0, 50, 0.05, 2)[1] == pytest.approx(2 * (high - 0.3))


@given(st.integers(0, 2**32), st.floats(0.01, 0.3))
def test_no_mixture_with_unseen_contexts_leaves_the_reach(seed: int, share: float) -> None:
    """A model that never changes, mixed with any context: R, R^p, R^c move by at most 2u."""
    generator = np.random.default_rng(seed)
    same, other = generator.dirichlet(np.ones(3), size=2) * 1.5 - 0.5  # stereotypes of three groups

    def figures(weights: list[float]) -> np.ndarray:
        rows = np.stack([same, other])
        overall = float(np.array(weights) @ rows.max(axis=1))
        prejudice = float((np.array(weights) @ rows).max())
        return np.array([overall, prejudice, overall - prejudice])

    moved = np.abs(figures([1 - share, share]) - figures([1, 0]))
    assert (moved <= 2 * share + 1e-12).all()
    assert moved[0] <= share + 1e-12


# The looks of a sampling plan: doubling sizes, a level that pays for all, a last one that suffices.


def test_the_looks_for_half_a_hundredth() -> None:
    """Fourteen looks, 0.05 / 14 each: a quantile of 2.91 and 100 × 2¹³ draws at most."""
    found = looks(0.005)
    assert found.sizes == tuple(100 * 2**look for look in range(14))
    assert found.quantile == pytest.approx(norm.ppf(1 - 0.05 / 14 / 2))
    assert found.quantile == pytest.approx(2.91, abs=0.005)


@given(st.floats(0.001, 0.1))
def test_errors_add_up_to_five_per_cent_and_the_last_look_suffices(within: float) -> None:
    found = looks(within)
    assert len(found.sizes) * (1 - found.level) == pytest.approx(1 - LEVEL)
    assert all(later == 2 * earlier for earlier, later in zip(found.sizes, found.sizes[1:], strict=False))
    last = found.sizes[-1]
    assert (found.quantile + 1) * math.sqrt(1 / (last - 1) + (2 / last) ** 2) <= within


@given(st.floats(0.001, 0.1), st.floats(0.001, 0.1))
def test_a_finer_goal_has_the_looks_of_a_coarser_one_and_more(one: float, other: float) -> None:
    coarse, fine = looks(max(one, other)).sizes, looks(min(one, other)).sizes
    assert fine[: len(coarse)] == coarse


@pytest.mark.parametrize("within", [0.0, -0.01, 0.0009, 0.11, 5.0, math.nan, math.inf])
def test_goals_that_are_refused(within: float) -> None:
    with pytest.raises(CriterionError, match=r"between 0\.001 and 0\.1; .* was given"):
        looks(within)
