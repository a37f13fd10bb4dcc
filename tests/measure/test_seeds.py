"""How far two trainings may differ: by hand, in other units, and against drawing seeds again and again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.comparison import seed_bound

RISKS = st.lists(st.floats(0, 1), min_size=2, max_size=8)


def test_three_seeds_by_hand() -> None:
    """0.3, 0.4 and 0.5: s = 0.1, t with 2 degrees of freedom = 4.3027, times √2 is 0.6085."""
    assert seed_bound([0.3, 0.4, 0.5]) == pytest.approx(0.6085, abs=5e-5)


@given(RISKS, st.floats(-1, 1), st.floats(0.1, 1000))
def test_it_follows_the_unit_and_not_the_level_of_the_risks(
    risks: list[float], shift: float, unit: float
) -> None:
    moved = [shift + unit * risk for risk in risks]
    assert seed_bound(moved) == pytest.approx(unit * seed_bound(risks), rel=1e-6, abs=1e-9)
    assert seed_bound(risks[::-1]) == pytest.approx(seed_bound(risks))
    assert seed_bound(risks, 0.5) <= seed_bound(risks, 0.95)


@pytest.mark.parametrize(("seeds", "level"), [(2, 0.95), (3, 0.95), (3, 0.5), (10, 0.9)])
def test_it_holds_two_further_trainings_as_often_as_it_says(seeds: int, level: float) -> None:
    """Drawn from one normal distribution: 4,000 times some seeds, and two further trainings each."""
    drawn = np.random.default_rng(seeds).normal(0.4, 0.02, (4000, seeds + 2))
    held = [abs(row[0] - row[1]) <= seed_bound(row[2:], level) for row in drawn]
    assert np.mean(held) == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / 4000))


def test_it_holds_skewed_figures_less_often_than_it_says() -> None:
    """Figures whose logarithms are normal with s.d. 0.7, as caprice may be: 91 % instead of 95 %."""
    drawn = np.exp(np.random.default_rng(0).normal(0, 0.7, (4000, 5)))
    held = [abs(row[0] - row[1]) <= seed_bound(row[2:]) for row in drawn]
    assert np.mean(held) == pytest.approx(0.91, abs=3 * np.sqrt(0.91 * 0.09 / 4000))


@pytest.mark.parametrize(
    ("risks", "level", "said"),
    [
        ([0.3], 0.95, "at least two"),
        ([0.3, float("nan")], 0.95, "finite"),
        ([0.3, 0.4], 1.0, "inside 0 and 1"),
    ],
)
def test_what_has_no_spread_is_refused(risks: list[float], level: float, said: str) -> None:
    with pytest.raises(CriterionError, match=said):
        seed_bound(risks, level)
