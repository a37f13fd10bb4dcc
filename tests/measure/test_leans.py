"""One occupation: Wilson's interval, the difference and its p value a second time, verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from pcf_core.core.errors import CriterionError
from pcf_core.core.factors import OccupationRead, ReadCount
from pcf_core.core.risk import Interval
from pcf_core.measure.amplification import lean_interval, occupations_read
from pcf_core.measure.comparison import adjusted_p_values

Z = norm.ppf(0.975)


def one(he: int, she: int, says: float, half: float = 0.05) -> OccupationRead:
    """The comparison of one occupation, with an interval of a given half-width for what the model says."""
    count = ReadCount(occupation="x", he=he, she=she, neither=0, as_word=he + she)
    return occupations_read([count], np.array([says]), [Interval(low=says - half, high=says + half)], 0.95)[0]


@settings(max_examples=30)
@given(st.integers(0, 30), st.integers(0, 30))
def test_turning_the_groups_turns_everything(he: int, she: int) -> None:
    assume(he + she > 0)
    first, turned = one(he, she, 0.3), one(she, he, -0.3)
    assert turned.difference == pytest.approx(-first.difference)
    assert turned.interval.low == pytest.approx(-first.interval.high)
    assert turned.p_value == pytest.approx(first.p_value)
    assert turned.verdict == first.verdict


@given(st.integers(0, 50), st.integers(2, 50), st.floats(0.5, 4))
def test_the_interval_of_a_lean_is_wilsons(hits: int, documents: int, quantile: float) -> None:
    hits = min(hits, documents)
    low, high = lean_interval(2 * hits / documents - 1, documents, quantile)
    expected = proportion_confint(hits, documents, alpha=2 * norm.sf(quantile), method="wilson")
    assert ((low + 1) / 2, (high + 1) / 2) == (
        pytest.approx(expected[0], abs=1e-9),
        pytest.approx(expected[1]),
    )


@pytest.mark.parametrize(
    ("he", "she", "says", "half"), [(16, 4, 0.1, 0.1), (4, 16, 0.3, 0.3), (20, 0, 0.5, 0.2)]
)
def test_the_interval_of_a_difference_and_its_p_value_a_second_time(
    he: int, she: int, says: float, half: float
) -> None:
    row = one(he, she, says, half)

    def ends(quantile: float) -> tuple[float, float]:
        low, high = proportion_confint(he, he + she, alpha=2 * norm.sf(quantile), method="wilson")
        text, margin = row.count.lean, half * quantile / Z
        below = np.sqrt(margin**2 + (2 * high - 1 - text) ** 2)
        above = np.sqrt(margin**2 + (text - 2 * low + 1) ** 2)
        return says - text - below, says - text + above

    assert (row.interval.low, row.interval.high) == pytest.approx(ends(Z))
    end = 0 if says > row.count.lean else 1
    assert row.p_value == pytest.approx(2 * norm.sf(brentq(lambda quantile: ends(quantile)[end], 1e-6, 30)))
    assert (row.p_value < 0.05) == (row.interval.low > 0 or row.interval.high < 0)


def test_false_discoveries_are_controlled_over_occupations() -> None:
    generator = np.random.default_rng(3)
    counts = [
        ReadCount(occupation=str(place), he=int(he), she=30 - int(he), neither=0, as_word=30)
        for place, he in enumerate(generator.integers(0, 31, 50))
    ]
    says = generator.uniform(-1, 1, 50)
    rows = occupations_read(
        counts, says, [Interval(low=value - 0.1, high=value + 0.1) for value in says], 0.95
    )
    expected = adjusted_p_values([row.p_value for row in rows])
    assert [row.adjusted for row in rows] == pytest.approx(expected.tolist())
    assert any(row.adjusted > row.p_value for row in rows)


def test_a_level_outside_0_and_1_is_refused() -> None:
    count = ReadCount(occupation="x", he=1, she=1, neither=0, as_word=2)
    with pytest.raises(CriterionError, match="between 0 and 1; got 1"):
        occupations_read([count], np.zeros(1), [Interval(low=-1, high=1)], 1.0)


@pytest.mark.parametrize(
    ("he", "she", "says", "half", "said"),
    [
        (19, 81, 0.5, 0.05, "reverses"),
        (600, 400, 0.9, 0.05, "amplifies"),
        (900, 100, 0.3, 0.05, "flattens"),
        (900, 100, -0.02, 0.05, "flattens"),
        (500, 500, -0.6, 0.05, "amplifies"),
        (500, 500, 0.02, 0.05, "copies"),
        (10, 10, 0.2, 0.05, "cannot tell"),
        (560, 440, -0.2, 0.4, "cannot tell"),
    ],
)
def test_verdicts_of_an_occupation(he: int, she: int, says: float, half: float, said: str) -> None:
    assert one(he, she, says, half).verdict == said
