"""Small multiples: three panels, places in order, printed rows apart from ours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.core.risk import AxisPoint, Interval
from pcf_core.show.charts import theme
from pcf_core.show.charts.axis import PANELS, axis_panels, change_panels
from tests.show.charts.compared import axis_example, axis_point


def test_three_panels_show_the_three_risks_of_each_line() -> None:
    figure = axis_panels(axis_example(), "template set")
    bert = [trace for trace in figure.data if trace.name == "mini-bert"]
    assert [list(trace.y) for trace in bert] == [
        pytest.approx([0.4, 0.6, 0.5]),
        pytest.approx([0.3, 0.45, 0.375]),
        pytest.approx([0.1, 0.15, 0.125]),
    ]
    assert [trace.showlegend for trace in bert] == [True, False, False]
    assert figure.layout.xaxis3.title.text == "template set"
    assert list(figure.layout.xaxis3.ticktext) == ["news", "books", "&lt;b&gt;web&lt;/b&gt;"]
    assert all("→" in axis.title.text for axis in figure.select_yaxes())


def test_whiskers_are_the_interval_where_there_is_one() -> None:
    overall, prejudice = axis_panels(axis_example(), "x").data[:2]
    np.testing.assert_allclose(overall.error_y.array, [0.1] * 3)
    np.testing.assert_allclose(overall.error_y.arrayminus, [0.05] * 3)
    assert prejudice.error_y.array is None


def test_no_mark_or_whisker_ends_at_the_edge_of_its_panel() -> None:
    """Marks are 9 pixels wide, panels some 150 high: 3 % on either side holds half a mark."""
    highest = (0.7 + 0.1, 0.75 * 0.7, 0.25 * 0.7)  # the end of a whisker of R, marks alone of the parts
    for axis, end in zip(axis_panels(axis_example(), "x").select_yaxes(), highest, strict=True):
        low, high = axis.range
        assert low < -0.03 * (high - low)
        assert end + 0.03 * (high - low) < high < 1.25 * end


def test_a_panel_of_zeros_reaches_to_1() -> None:
    axes = axis_panels([axis_point("a", "x", 0.0, "BVF Table 4")], "x").select_yaxes()
    assert [list(axis.range) for axis in axes] == [pytest.approx([-0.06, 1.16])] * 3


def test_nothing_joins_places_that_have_no_order() -> None:
    assert {trace.mode for trace in axis_panels(axis_example(), "x").data} == {"markers"}


def test_colours_and_marks_follow_the_order_of_the_sidebar() -> None:
    sized = [axis_point("mini-gpt", 1e6, 0.2), axis_point("mini-bert", 1e8, 0.4)]
    order = ["mini-bert", "mini-gpt"]
    marks = {
        trace.name: (trace.marker.color, trace.marker.symbol)
        for trace in axis_panels(sized, "x", order).data
        if trace.showlegend
    }
    styles = theme.model_styles(order)
    assert marks == {name: (styles[name].color, styles[name].marker) for name in order}


def test_one_mark_a_place_stands_on_its_tick() -> None:
    points = [axis_point("a", "a", 0.2), axis_point("b", "b", 0.4)]
    assert [list(trace.x) for trace in axis_panels(points, "x").data[::3]] == [[0], [1]]


def test_a_caprice_of_0_has_no_interval_from_0_to_0() -> None:
    nothing = Interval(low=0, high=0)
    point = replace(axis_point("a", "x", 0.4), intervals={"caprice_risk": nothing, "prejudice_risk": nothing})
    none = replace(point, values=dict(point.values) | {"caprice_risk": 0.0})
    told = [trace.customdata[0] for trace in axis_panels([none], "x").data]
    assert told[2].endswith("in no sentence here")
    assert "in no context" not in told[1]
    assert "in no context" not in axis_panels([point], "x").data[2].customdata[0]


def test_lines_of_one_place_stand_apart_but_nearer_than_places() -> None:
    figure = axis_panels(axis_example(), "x")
    starts = [trace.x[0] for trace in figure.data[::3]]
    assert len(set(starts)) == 3
    assert max(starts) - min(starts) < 0.5
    assert list(axis_panels(axis_example()[:3], "x").data[0].x) == [0, 1, 2]


def test_printed_rows_are_hollow_and_name_their_source() -> None:
    printed = axis_panels(axis_example(), "x").data[-3]
    assert printed.name == "BERT (BVF Table 4)"
    assert printed.marker.symbol == "diamond-open"
    assert printed.error_y.array is None
    assert "BVF Table 4" in printed.customdata[0]


def test_numbers_stand_on_a_logarithmic_axis() -> None:
    figure = axis_panels([axis_point("a", 1e6, 0.2), axis_point("b", 1e8, 0.4)], "parameters (log) → larger")
    assert {axis.type for axis in figure.select_xaxes()} == {"log"}
    assert [list(trace.x) for trace in figure.data[::3]] == [[1e6], [1e8]]
    assert figure.data[0].customdata[0] == "<b>a</b><br>1,000,000<br>0.200 (0.150–0.300)"


def test_sizes_of_one_series_are_joined_and_stand_apart() -> None:
    """Base and aligned of one size have one place: their marks stand beside it, the hover names it."""
    points = [axis_point(line, size, 0.3) for line in ("S, base", "S, aligned") for size in (1e6, 1e8)]
    figure = axis_panels(points, "x", joined=True)
    assert {trace.mode for trace in figure.data} == {"lines+markers"}
    base, aligned = figure.data[0], figure.data[3]
    assert all(left < size < right for left, size, right in zip(base.x, (1e6, 1e8), aligned.x, strict=True))
    assert [text.split("<br>")[1] for text in base.customdata] == ["1,000,000", "100,000,000"]


def test_changes_have_a_sign_and_0_in_the_middle() -> None:
    changed = [
        AxisPoint(
            line="S",
            place=size,
            values=dict.fromkeys(PANELS, value),
            intervals={"overall_risk": Interval(low=value - 0.1, high=value + 0.2)},
        )
        for size, value in ((1e6, -0.3), (1e8, 0.1))
    ]
    figure = change_panels(changed, "parameters")
    assert [list(trace.y) for trace in figure.data] == [[-0.3, 0.1]] * 3
    assert figure.data[0].customdata[0].endswith("-0.3 (-0.4 to -0.1)")
    for axis, end in zip(figure.select_yaxes(), (0.4, 0.3, 0.3), strict=True):
        low, high = axis.range
        assert low == -high
        assert high > end
        assert "aligned − base" in axis.title.text
    still = change_panels([replace(axis_point("S", 1e6, 0.0), intervals={})], "parameters")
    assert all(axis.range[1] > 1 for axis in still.select_yaxes())
