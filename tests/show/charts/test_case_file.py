"""Occupations in gaps and in stories: filled where both lean to one side, a user's names never markup."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pcf_core.core.risk import Interval
from pcf_core.show.charts.case_file import OTHER, SAME, shared_scatter
from pcf_core.texts.case_file import SharedOccupation, SharedOccupations

ENDS = Interval(low=0.3, high=1.0)


def shared(name: str, tilt: float, share: float, interval: Interval | None = ENDS) -> SharedOccupation:
    return SharedOccupation(
        occupation=name, tilt=tilt, tilt_interval=interval, share=share, interval=interval
    )


def test_sides_are_marks_and_not_colours_alone() -> None:
    rows = (shared("nurse", 0.5, 1.0), shared("pilot", -0.4, 0.9), shared("clerk", 0.2, 0.5))
    figure = shared_scatter(SharedOccupations(rows=rows), "female")
    assert [trace.name for trace in figure.data] == [SAME, OTHER]
    assert [trace.marker.symbol for trace in figure.data] == ["circle", "circle-open"]
    assert [list(trace.x) for trace in figure.data] == [[0.5], [-0.4, 0.2]]
    assert figure.data[0].error_y.array[0] == 0.0
    assert figure.data[0].error_x.arrayminus[0] == 0.5 - 0.3
    assert "female" in figure.layout.xaxis.title.text
    assert len(figure.layout.shapes) == 2


def test_scores_have_no_whisker_upwards_and_names_are_no_markup() -> None:
    figure = shared_scatter(SharedOccupations(rows=(shared("<b>cook", 0.1, 0.6, None),)), "<i>women")
    assert figure.data[0].error_y.array is None
    texts = [annotation.text for annotation in figure.layout.annotations]
    assert texts == ["&lt;b&gt;cook"]
    assert "<i>" not in figure.layout.xaxis.title.text
    assert "&lt;b&gt;cook" in figure.data[0].customdata[0]


def test_names_that_would_meet_are_left_to_the_hover() -> None:
    rows = tuple(shared(f"job {place}", 0.5 + place / 1000, 0.8) for place in range(20))
    assert len(shared_scatter(SharedOccupations(rows=rows), "female").layout.annotations) <= 4


Box = tuple[float, float, float, float]  # pixels: left, right, low, high


@pytest.mark.parametrize("width", [262, 500, 733, 1580])
@pytest.mark.parametrize("height", [331, 384])
@pytest.mark.parametrize("seed", range(4))
def test_no_name_covers_a_point_or_a_name_at_any_width(width: int, height: int, seed: int) -> None:
    """Spread all over, in a heap, along a line, and in the corners."""
    draw = np.random.default_rng(seed)
    spread = [0.9, 0.05, 0.4, 0.95][seed]
    tilts = np.clip(draw.normal(0, spread, 30) - 0.6 * (seed == 1), -1, 1)
    shares = np.clip(0.5 + (tilts / 2 if seed == 2 else draw.normal(0, spread / 2, 30)), 0, 1)
    rows = tuple(
        shared("electrician and more"[: 4 + place % 17], float(tilt), float(share))
        for place, (tilt, share) in enumerate(zip(tilts, shares, strict=True))
    )
    figure = shared_scatter(SharedOccupations(rows=rows), "female")
    across, upwards = figure.layout.xaxis.range, figure.layout.yaxis.range

    def place_of(x: float, y: float) -> tuple[float, float]:
        return (
            width * (x - across[0]) / (across[1] - across[0]),
            height * (y - upwards[0]) / (upwards[1] - upwards[0]),
        )

    points: list[Box] = []
    for row in rows:
        x, y = place_of(row.tilt, row.share)
        points.append((x - 6, x + 6, y - 6, y + 6))
    names: list[Box] = []
    for one in figure.layout.annotations:
        x, y = place_of(one.x, one.y)
        x, y, long = x + one.xshift, y + one.yshift, 6.5 * len(one.text)
        names.append((x, x + long, y - 7, y + 7) if one.xanchor == "left" else (x - long, x, y - 7, y + 7))
    assert names

    def meet(one: Box, other: Box) -> bool:
        return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]

    assert not [pair for pair in itertools.product(names, points) if meet(*pair)]
    assert not [pair for pair in itertools.combinations(names, 2) if meet(*pair)]
    assert all(
        left >= 0 and right <= width and low >= 0 and high <= height for left, right, low, high in names
    )
