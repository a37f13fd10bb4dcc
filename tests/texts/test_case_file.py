"""Occupations in gaps and in stories: the worked example, a second opinion, and what always holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from pcf_core.core.risk import Interval
from pcf_core.texts.case_file import shared_occupations
from pcf_core.texts.criteria.records.independence import ProfessionGender

TILTS = {"nurse": 0.8, "clerk": 0.3, "pilot": -0.6, "welder": -0.9, "cook": 0.1, "singer": 0.5}
SHARES = {"nurse": 1.0, "clerk": 0.4, "pilot": 0.0, "welder": 0.2, "Cook": 0.6, "judge": 0.9}


def told(name: str, share: float | None, interval: Interval | None = None) -> ProfessionGender:
    women = 0.0 if share is None else 20 * share
    men = 0.0 if share is None else 20 - women
    return ProfessionGender(profession=name, world=0.4, women=women, men=men, interval=interval)


def test_the_worked_example() -> None:
    tilts = {name: (tilt, None) for name, tilt in TILTS.items()}
    found = shared_occupations(tilts, [told(name, share) for name, share in SHARES.items()])
    assert [row.occupation for row in found.rows] == ["nurse", "clerk", "cook", "pilot", "welder"]
    assert (found.same, found.sure) == (4, ())
    assert found.correlation == pytest.approx(0.8)
    assert found.interval.low < 0.8 < found.interval.high


def test_sure_are_those_whose_intervals_leave_out_an_even_split() -> None:
    up, across = Interval(low=0.6, high=1.0), Interval(low=0.4, high=1.0)
    right, zero = Interval(low=0.1, high=0.9), Interval(low=-0.1, high=0.9)
    tilts = {"a": (0.5, right), "b": (0.5, zero), "c": (0.5, right), "d": (0.5, right), "e": (0.5, None)}
    stories = [
        told("a", 0.8, up),
        told("b", 0.8, up),
        told("c", 0.8, across),
        told("d", 0.8),
        told("e", 0.8, up),
    ]
    found = shared_occupations(tilts, stories)
    assert [row.occupation for row in found.sure] == ["a"]
    assert found.same == 5
    assert found.correlation is None, "all are equal"


def test_no_clear_story_and_nothing_shared() -> None:
    assert shared_occupations({"nurse": (0.5, None)}, [told("nurse", None)]).rows == ()
    assert shared_occupations({}, []).correlation is None


def test_an_even_split_leans_to_no_side() -> None:
    found = shared_occupations({"a": (0.0, None), "b": (0.3, None)}, [told("a", 1.0), told("b", 0.5)])
    assert [row.same_side for row in found.rows] == [None, None]
    assert found.same == 0


PAIRS = st.lists(
    st.tuples(st.integers(-9, 9).map(lambda n: n / 10), st.integers(0, 20).map(lambda n: n / 20)),
    min_size=5,
    max_size=12,
)


@given(PAIRS)
def test_turning_both_round_changes_nothing(pairs: list[tuple[float, float]]) -> None:
    """And ρ is Pearson's correlation of the ranks, computed by its definition."""
    tilts = {str(place): (tilt, None) for place, (tilt, _) in enumerate(pairs)}
    turned = {name: (-tilt, None) for name, (tilt, _) in tilts.items()}
    found = shared_occupations(tilts, [told(str(place), share) for place, (_, share) in enumerate(pairs)])
    other = shared_occupations(
        turned, [told(str(place), 1 - share) for place, (_, share) in enumerate(pairs)]
    )
    assert found.same == other.same
    if found.correlation is None:
        assert other.correlation is None
        return
    assert other.correlation == pytest.approx(found.correlation)
    x, y = (rankdata(values) for values in zip(*pairs, strict=True))
    x, y = x - x.mean(), y - y.mean()
    assert found.correlation == pytest.approx(float((x * y).sum() / ((x**2).sum() * (y**2).sum()) ** 0.5))
