"""Occupations in gaps and in stories: filled where both lean to one side, a user's names never markup."""

from __future__ import annotations

from pcf_core.charts.case_file import OTHER, SAME, shared_scatter
from pcf_core.records import Interval
from pcf_core.records.case_file import SharedOccupation, SharedOccupations

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
    assert len(shared_scatter(SharedOccupations(rows=rows), "female").layout.annotations) == 1
