"""Differences of two runs: when one is said to be higher, and when that is too little to matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.risk import Difference, Interval, StereotypeDistribution


def difference(
    value: float, low: float, high: float, p: float, margin: float = 0.0, unit: str = "template"
) -> Difference:
    intervals = (Interval(low=low, high=high, unit=unit),)
    return Difference(0.5 + value, 0.5, intervals, p_value=p, least_p=0.001, margin=margin)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (difference(0.1, 0.02, 0.2, 0.01), "first"),
        (difference(-0.1, -0.2, -0.02, 0.01), "second"),
        (difference(0.1, 0.02, 0.2, 0.06), "unclear"),  # the test alone finds nothing
        (difference(0.1, -0.02, 0.2, 0.01), "unclear"),  # the interval alone holds 0
        (difference(0.1, 0.0, 0.2, 0.01), "unclear"),
        (difference(0.1, 0.02, 0.2, 0.05), "first"),
        (difference(0.0, 0.0, 0.0, 1.0), "equal"),
        (difference(0.0, -0.1, 0.1, 1.0), "unclear"),
        (difference(0.1, 0.02, 0.2, 0.01, unit="document"), "first"),  # no interval to rest on: the test
    ],
)
def test_a_verdict_needs_the_test_and_the_interval(found: Difference, verdict: str) -> None:
    assert found.verdict == verdict


# Parts of 1,024 and of them: sums with 0.5 and products are exact, so that turning round changes no last bit.
ENDS = st.integers(-1024, 1024).map(lambda part: part / 1024)
SHARES = st.integers(0, 1024).map(lambda part: part / 1024)


@given(st.tuples(ENDS, ENDS).map(sorted), SHARES, st.floats(0, 1), st.floats(0, 0.5))
def test_exchanging_the_two_exchanges_the_verdict_and_nothing_else(
    ends: list[float], share: float, p: float, margin: float
) -> None:
    low, high = ends
    value = min(max(low + share * (high - low), low), high)
    one = difference(value, low, high, p, margin)
    other = Difference(
        0.5, 0.5 + value, (Interval(low=-high, high=-low),), p_value=p, least_p=0.001, margin=margin
    )
    turned = {"first": "second", "second": "first"}
    assert other.verdict == turned.get(one.verdict, one.verdict)
    assert (other.negligible, other.ordered) == (one.negligible, one.ordered)
    assert one.negligible == (-margin < low and high < margin)


def test_the_shares_of_a_distribution_by_hand() -> None:
    """Three contexts of weights 1/2, 1/4, 1/4: above 0.2 lies the last alone, for it is not above itself."""
    found = StereotypeDistribution(
        "nurse", "male", np.array([-0.5, 0.2, 0.6]), np.array([0.5, 0.25, 0.25]), ("a", "b", "c"),
        -0.05, 0.5, 0.2, 0.05, True, Interval(low=-0.4, high=0.3), 2.7,
    )  # fmt: skip
    assert found.jensen_gap == pytest.approx(0.15)
    assert [found.share_above(at) for at in (-1.0, -0.5, 0.2, 0.6)] == [1.0, 0.5, 0.25, 0.0]
