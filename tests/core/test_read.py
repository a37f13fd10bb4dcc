"""Verdicts of slopes and of single occupations, from their intervals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.core.factors import OccupationRead, ReadCount
from pcf_core.core.risk import Interval
from tests.show.charts.reads import line_example

Ends = tuple[float, float]


@pytest.mark.parametrize(
    ("corrected", "plain", "said"),
    [
        ((1.1, 1.5), (1.01, 1.4), "amplifies"),
        ((1.1, 1.5), (0.99, 1.4), "cannot tell"),
        ((0.4, 0.9), (0.3, 0.8), "flattens"),
        ((-0.2, 0.3), (-0.1, 0.2), "flattens"),
        ((-0.5, -0.1), (-0.4, 0.1), "flattens"),
        ((-0.5, -0.1), (-0.4, -0.05), "reverses"),
        ((-2.5, -1.1), (-1.9, -1.05), "reverses"),
        ((0.9, 1.2), (0.85, 1.1), "copies"),
        ((0.9, 1.2), (0.85, 1.0), "copies"),
        ((0.9, 1.2), (0.81, 0.95), "cannot tell"),  # one of the two leaves 1 out
        ((1.05, 1.2), (0.9, 1.1), "cannot tell"),
        ((0.9, 1.3), (0.85, 1.1), "cannot tell"),
        ((0.79, 1.2), (0.85, 1.1), "cannot tell"),
    ],
)
def test_a_slope_is_told_where_it_holds_for_both(corrected: Ends, plain: Ends, said: str) -> None:
    line = replace(
        line_example(),
        interval=Interval(low=corrected[0], high=corrected[1]),
        plain_interval=Interval(low=plain[0], high=plain[1]),
    )
    assert line.verdict == said


@pytest.mark.parametrize(
    ("he", "text", "tilt", "model", "said"),
    [
        (80, (0.4, 0.7), 0.9, (0.8, 1.0), "amplifies"),
        (80, (0.4, 0.7), 0.1, (0.0, 0.2), "flattens"),
        (80, (0.4, 0.7), -0.1, (-0.2, 0.0), "flattens"),
        (80, (0.4, 0.7), -0.1, (-0.2, -0.05), "reverses"),
        (80, (0.4, 0.7), -0.7, (-1.0, 0.1), "cannot tell"),  # reversed and farther, or flattened
        (55, (-0.1, 0.3), 0.6, (0.5, 0.7), "amplifies"),
        (55, (-0.1, 0.3), -0.6, (-0.7, -0.5), "cannot tell"),  # amplified if the text leans the same way
        (55, (-0.1, 0.3), -0.08, (-0.09, -0.07), "cannot tell"),
        (50, (-0.2, 0.2), 0.5, (0.4, 0.6), "amplifies"),
    ],
)
def test_a_lean_that_differs(he: int, text: Ends, tilt: float, model: Ends, said: str) -> None:
    count = ReadCount(occupation="x", he=he, she=100 - he, neither=0, as_word=100)
    row = OccupationRead(
        count=count,
        tilt=tilt,
        lean_interval=Interval(low=text[0], high=text[1]),
        tilt_interval=Interval(low=model[0], high=model[1]),
        interval=Interval(low=tilt - count.lean - 0.05, high=tilt - count.lean + 0.05),
        p_value=0.001,
        adjusted=0.01,
    )
    assert (row.differs, row.verdict) == (True, said)
    assert not replace(row, adjusted=0.06).differs


@pytest.mark.parametrize(("half", "said"), [(0.1, "copies"), (0.3, "cannot tell")])
def test_a_lean_that_does_not_differ(half: float, said: str) -> None:
    near = Interval(low=-half, high=half)
    count = ReadCount(occupation="x", he=50, she=50, neither=0, as_word=100)
    row = OccupationRead(count, 0.0, near, near, near, p_value=0.5, adjusted=0.5)
    assert (row.differs, row.verdict) == (False, said)
