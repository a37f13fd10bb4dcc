"""What every mark holds to: whiskers, hover text, names that have room."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from pcf_core.show.charts import marks


def test_whiskers_reach_from_the_value_to_the_ends() -> None:
    found = marks.whiskers([1.0, 2.0], [marks.Span(0.5, 1.25), None], "#000000")
    assert found is not None
    assert (found["array"], found["arrayminus"]) == ([0.25, None], [0.5, None])


def test_without_intervals_there_is_no_whisker() -> None:
    assert marks.whiskers([1.0], [None], "#000000") is None


def test_an_interval_beside_its_value_reaches_it() -> None:
    assert marks.reaching([1.0, 0.2], [marks.Span(0.4, 0.6), None]) == [(0.4, 1.0), None]


def test_hover_is_a_text_a_mark_a_template_or_nothing() -> None:
    each = marks.dots([1, 2], [0, 0], "a", color="#000000", hover=["one", "two"], extra="name")
    assert list(each.customdata) == ["one", "two"]
    assert each.hovertemplate == "%{customdata}<extra>%{fullData.name}</extra>"
    assert marks.line([0], [0], hover="%{x}").hovertemplate == "%{x}<extra></extra>"
    assert marks.line([0], [0]).hoverinfo == "skip"


def test_told_escapes_its_head_and_leaves_empty_lines_out() -> None:
    assert marks.told("<i>", "", "R 1") == "<b>&lt;i&gt;</b><br>R 1"
    assert marks.within(marks.Span(0.5, 1), "+.2f", "–") == " (+0.50–+1.00)"
    assert marks.within(None) == ""


def test_pieces_are_separate_lines() -> None:
    assert marks.pieces([((0, 1), (2, 3)), ((4, 5), (6, 7))]) == (
        [0, 2, None, 4, 6, None],
        [1, 3, None, 5, 7, None],
    )


def test_a_box_holds_the_middle_half_and_has_no_whiskers() -> None:
    """The values are drawn over it, and thin lines beside the thick range of a mean were not understood."""
    drawn = marks.box(np.array([0.0, 1.0, 2.0, 3.0, 100.0]), 0, 0.3, "a", "#000000")
    assert (drawn.q1[0], drawn.median[0], drawn.q3[0]) == (1, 2, 3)
    assert (drawn.lowerfence[0], drawn.upperfence[0]) == (1, 3)


@pytest.mark.parametrize(("apart", "expected"), [(0.05, ["far"]), (0.5, ["far", "near"])])
def test_names_are_given_to_the_farthest_that_have_room(apart: float, expected: list[str]) -> None:
    figure = go.Figure()
    points = [marks.Point("near", 0, 0.2, 0.2), marks.Point("far", apart, 0.2, -0.9)]
    marks.name_points(figure, points, (0.3, 0.1), middle=0.3)
    assert [note.text for note in figure.layout.annotations] == expected
    assert figure.layout.annotations[0].yshift < 0
