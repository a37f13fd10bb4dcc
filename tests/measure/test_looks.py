"""The looks of a sampling plan: doubling sizes, a level that pays for all, a last one that suffices."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from pcf_core.core.errors import CriterionError
from pcf_core.measure.sampling import LEVEL, looks


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
    with pytest.raises(CriterionError, match=r"between 0\.001 and 0\.1; got"):
        looks(within)
