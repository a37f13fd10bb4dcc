"""The charts of two runs: marks stand where the differences say, and not colour alone tells them."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.show.charts import theme
from pcf_core.show.charts.comparison import difference_plot, risk_scatter
from tests.show.charts.compared import FIRST, NAMES, SECOND, compared_example


def test_occupations_stand_at_their_difference_sorted() -> None:
    figure = difference_plot(compared_example())
    order = list(figure.layout.yaxis.categoryarray)
    gaps = dict(zip(NAMES, np.subtract(FIRST, SECOND), strict=True))
    assert order == sorted(NAMES, key=lambda name: -gaps[name])
    drawn = {name: x for trace in figure.data for name, x in zip(trace.y, trace.x, strict=True)}
    assert drawn == pytest.approx(gaps)


def test_filled_marks_survive_and_hollow_ones_do_not() -> None:
    figure = difference_plot(compared_example())
    by_name = {trace.name: trace for trace in figure.data}
    assert list(by_name) == [
        "mini-&lt;i&gt;bert&lt;/i&gt; has more",
        "mini-gpt has more",
        "cannot tell apart",
    ]
    first, second, hollow = by_name.values()
    assert set(first.y) == {"nurse", "stylist"}
    assert set(second.y) == {"engineer"}
    assert hollow.marker.symbol == "circle-open"
    assert first.marker.symbol != second.marker.symbol
    np.testing.assert_allclose(first.error_x.array, [0.1, 0.1])
    np.testing.assert_allclose(first.error_x.arrayminus, [0.1, 0.1])


@pytest.mark.parametrize("chart", [difference_plot, risk_scatter])
def test_a_model_keeps_its_colour_when_the_two_change_places(chart) -> None:
    names = ["mini-gpt", "mini-<i>bert</i>"]
    styles = theme.model_styles(names)
    by_name = {trace.name: trace for trace in chart(compared_example(), order=names).data}
    for name, style in styles.items():
        marker = by_name[f"{theme.text(name)} has more"].marker
        assert (marker.color, marker.symbol) == (style.color, style.marker)


def test_of_many_occupations_the_largest_differences_are_drawn() -> None:
    order = difference_plot(compared_example(), most=3).layout.yaxis.categoryarray
    assert list(order) == ["nurse", "stylist", "engineer"]


def test_names_are_escaped() -> None:
    figure = difference_plot(compared_example())
    assert figure.layout.yaxis.labelalias["<b>baker</b>"] == "&lt;b&gt;baker&lt;/b&gt;"
    assert "<i>" not in figure.layout.xaxis.title.text
    assert "→" in figure.layout.xaxis.title.text


def test_hover_tells_both_figures_the_interval_and_the_controlled_p_value() -> None:
    first = difference_plot(compared_example()).data[0]
    told = first.customdata[list(first.y).index("nurse")]
    assert told == (
        "<b>nurse</b><br>mini-&lt;i&gt;bert&lt;/i&gt; 0.9<br>mini-gpt 0.3<br>"
        "difference +0.6 (+0.5 to +0.7)<br>p 0.001, controlled 0.007"
    )


def test_a_point_of_the_scatter_has_the_first_model_upwards() -> None:
    figure = risk_scatter(compared_example())
    line, first = figure.data[:2]
    assert list(line.x) == list(line.y)
    assert sorted(zip(first.x, first.y, strict=True)) == [(0.2, 0.5), (0.3, 0.9)]
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.xaxis.title.text == "risk of mini-gpt → more"


def test_only_names_that_find_room_are_written() -> None:
    notes = [note.text for note in risk_scatter(compared_example()).layout.annotations]
    assert notes == ["nurse", "engineer", "stylist"]


def test_no_difference_at_all_can_be_drawn() -> None:
    example = compared_example(least_p=0.5)
    assert [trace.name for trace in difference_plot(example).data] == ["cannot tell apart"]
    assert not risk_scatter(example, "caprice_risk").layout.annotations
