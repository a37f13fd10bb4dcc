"""Dumbbells: marks stand at the tilts, a click anywhere in a row finds its occupation."""

from __future__ import annotations

import pytest

from pcf_core.show.charts import theme
from pcf_core.show.charts.comparison import TARGETS, dumbbell_plot
from pcf_core.show.compare import Dumbbell

ROWS = [Dumbbell("pilot", 0.8, -0.1), Dumbbell("<b>nurse</b>", -0.9, 0.2)]
ENDS = ("women", "men")


def test_both_models_stand_at_their_tilts_in_their_own_style() -> None:
    figure = dumbbell_plot(ROWS, ("one", "two"), ENDS, order=["zero", "one", "two"])
    line, one, two, _ = figure.data
    assert list(one.x) == [0.8, -0.9]
    assert list(two.x) == [-0.1, 0.2]
    assert list(line.x) == [0.8, -0.1, None, -0.9, 0.2, None]
    styles = theme.model_styles(["zero", "one", "two"])
    for trace, name in ((one, "one"), (two, "two")):
        assert (trace.marker.color, trace.marker.symbol) == (styles[name].color, styles[name].marker)
    assert figure.layout.xaxis.title.text == "← women · even · men →"
    assert list(figure.layout.yaxis.categoryarray) == ["pilot", "<b>nurse</b>"]


def test_a_model_keeps_its_style_when_the_two_change_places() -> None:
    order = ["one", "two"]
    for pair in (("one", "two"), ("two", "one")):
        by_name = {trace.name: trace.marker for trace in dumbbell_plot(ROWS, pair, ENDS, order=order).data}
        assert by_name["one"].color == theme.model_styles(["one"])["one"].color


@pytest.mark.parametrize("count", [1, 25, 120, 900])
def test_a_click_anywhere_in_a_row_finds_its_occupation(count: int) -> None:
    rows = [Dumbbell(f"job {place}", 0.5, -0.5) for place in range(count)]
    figure = dumbbell_plot(rows, ("one", "two"), ENDS)
    targets = figure.data[-1]
    assert list(targets.customdata) == list(targets.y)
    assert set(targets.y) == {row.occupation for row in rows}
    assert (min(targets.x), max(targets.x)) == (-1, 1)
    assert len(targets.x) <= max(TARGETS, 5 * count)
    assert figure.layout.hoverdistance == -1, "else a click between two marks finds neither"
    assert figure.layout.xaxis.fixedrange
    assert figure.layout.yaxis.fixedrange
    assert figure.layout.height >= 20 * count, "every name has its line"


def test_names_are_escaped_and_the_chosen_one_is_marked() -> None:
    figure = dumbbell_plot(ROWS, ("one", "two"), ENDS, chosen="pilot")
    assert figure.layout.yaxis.labelalias["pilot"] == "<b>▸ pilot</b>"
    assert figure.layout.yaxis.labelalias["<b>nurse</b>"] == "&lt;b&gt;nurse&lt;/b&gt;"
    assert "<b>nurse" not in figure.data[1].text[1]
    assert figure.data[1].text[0] == "pilot<br>one +0.80<br>two -0.10"


def test_an_axis_above_the_plot_says_what_the_one_below_says() -> None:
    rows = [Dumbbell(f"job {place}", 0.5, -0.5) for place in range(25)]
    below = dumbbell_plot(rows, ("one", "two"), ENDS)
    both = dumbbell_plot(rows, ("one", "two"), ENDS, above=True)
    axis, above = both.layout.xaxis, both.layout.xaxis2
    assert (above.side, above.overlaying) == ("top", "x")
    for name in ("range", "tickvals", "tickformat", "fixedrange", "labelalias"):
        assert above[name] == axis[name]
    assert above.title.text == axis.title.text
    drawn = [trace for trace in both.data if trace.xaxis == "x2"]
    assert [len(trace.x) for trace in drawn] == [1], "Plotly draws no axis without a trace"
    assert not drawn[0].showlegend
    assert drawn[0].hoverinfo == "skip", "a click finds the targets behind it"
    heights = [figure.layout.height - figure.layout.margin.t for figure in (below, both)]
    assert heights[0] == heights[1], "the plot is as high"
    assert both.layout.legend.y > below.layout.legend.y, "the legend stands above the axis"
    assert "xaxis2" not in below.layout
