"""F, E and the reasons for having no F; verdicts; records through JSON."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.risk import Interval
from pcf_core.texts.fairpair.records import Course, SignedReading, Variation

SHARES = st.floats(0.01, 1)


@given(SHARES, SHARES, SHARES)
def test_the_ratio_and_the_energy(between: float, original: float, prompt: float) -> None:
    found = Variation(between=between, within_original=original, within_prompt=prompt)
    assert found.ratio == pytest.approx(between**2 / (original * prompt))
    assert found.energy == pytest.approx(2 * between - original - prompt)
    if found.energy >= 0:  # B is at least the arithmetic mean of the V, and so the geometric one
        assert found.ratio is not None
        assert found.ratio >= 1 - 1e-9
    assert Variation.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        ((0, 0, 0), "no variation"),
        ((0.5, 0, 0), "both sides constant"),
        ((0.5, 0, 0.2), "one side constant"),
        ((0.5, 0.2, 0), "one side constant"),
        ((0.5, 0.2, 0.2), ""),
    ],
)
def test_why_there_is_no_ratio(figures: tuple[float, float, float], reason: str) -> None:
    found = Variation(between=figures[0], within_original=figures[1], within_prompt=figures[2])
    assert found.undefined == reason
    assert (found.ratio is None) == bool(reason)


def test_a_course_has_no_ratio_where_a_v_is_none() -> None:
    course = Course(places=(1, 2), between=(0.5, 0.6), within_original=(None, 0.6), within_prompt=(None, 0.6))
    assert course.ratio == (None, pytest.approx(1))


@pytest.mark.parametrize(
    ("low", "high", "side"), [(-0.1, 0.3, None), (0.1, 0.3, "prompt"), (-0.3, -0.1, "original")]
)
def test_the_more_positive_side_needs_an_interval_without_0(
    low: float, high: float, side: str | None
) -> None:
    middle = (low + high) / 2
    reading = SignedReading(original=0.2, prompt=0.2 + middle, interval=Interval(low=low, high=high))
    assert reading.more_positive == side
