"""The heat map draws the cells that were chosen, in their order, on a fixed scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.core.run import Preferences
from pcf_core.show.charts.heat_map import heat_map

WEIGHTS = [4, 3, 2, 1]


def test_cells_rows_and_columns_come_in_the_order_given(preferences: Preferences) -> None:
    figure = heat_map(preferences, "male", [2, 0], [3, 1], WEIGHTS, neutral=0.5)
    cells = next(trace for trace in figure.data if trace.type == "heatmap")
    np.testing.assert_allclose(cells.z, [[0.6, 0.8], [0.4, 0.2]])
    np.testing.assert_allclose(cells.customdata, np.array([[0.6, 0.8], [0.4, 0.2]]) / 10)
    assert list(cells.y) == ["2", "0"]
    assert list(cells.x) == ["3", "1"]
    assert figure.layout.yaxis2.labelalias == {"2": "captain", "0": "nurse"}
    assert figure.layout.xaxis.labelalias == {"3": "… wrote that", "1": "… told that"}
    assert figure.layout.yaxis2.range == (1.5, -0.5), "from the top"


def test_the_margins_speak_of_all_templates(preferences: Preferences) -> None:
    figure = heat_map(preferences, "male", [0, 2], [0], WEIGHTS, neutral=0.5)
    weights, means = (trace for trace in figure.data if trace.type == "bar")
    np.testing.assert_allclose(weights.y, [0.4])
    by_hand = [0.1 * 0.4 + 0.2 * 0.3 + 0.3 * 0.2 + 0.4 * 0.1, 0.9 * 0.4 + 0.8 * 0.3 + 0.7 * 0.2 + 0.6 * 0.1]
    np.testing.assert_allclose(means.customdata, by_hand)
    np.testing.assert_allclose(np.asarray(means.x) + means.base, by_hand)


@pytest.mark.parametrize(("group", "neutral"), [("male", 0.5), ("female", 0.25)])
def test_the_scale_is_fixed_and_centred_on_neutral(
    preferences: Preferences, group: str, neutral: float
) -> None:
    figure = heat_map(preferences, group, [0], [0], WEIGHTS, neutral=neutral)
    axis = figure.layout.coloraxis
    assert (axis.cmin, axis.cmax) == (0, 1)
    assert axis.colorscale[5] == (neutral, "#f7f7f7")
    assert axis.colorbar.title.text == f"probability of {group} words"


def test_a_group_whose_name_is_no_adjective_is_quoted(preferences: Preferences) -> None:
    asked = replace(preferences, groups=("christian", "muslim"))
    figure = heat_map(asked, "christian", [0], [0], WEIGHTS, neutral=0.5)
    assert figure.layout.coloraxis.colorbar.title.text == "probability of words of “christian”"


def test_labels_are_escaped_and_coverage_is_left_out_where_unknown(preferences: Preferences) -> None:
    figure = heat_map(replace(preferences, coverage=None), "male", [1], [0], WEIGHTS, neutral=0.5)
    cells = next(trace for trace in figure.data if trace.type == "heatmap")
    assert figure.layout.yaxis2.labelalias["1"] == "&lt;b&gt;clerk&lt;/b&gt;"
    assert cells.customdata is None
    assert "coverage" not in cells.hovertemplate


def test_cells_with_next_to_no_coverage_are_crossed_out(preferences: Preferences) -> None:
    """Of two flagged cells one is among the rows and columns that are drawn."""
    coverage = np.full((3, 4), 0.5)
    coverage[0, 2] = coverage[1, 3] = 9e-5
    flagged = replace(preferences, coverage=coverage)
    figure = heat_map(flagged, "male", [2, 0], [3, 2], WEIGHTS, neutral=0.5)
    (crosses,) = [trace for trace in figure.data if trace.type == "scatter"]
    assert (list(crosses.x), list(crosses.y)) == (["2"], ["0"])
    whole = heat_map(preferences, "male", [2, 0], [3, 2], WEIGHTS, neutral=0.5)
    assert not [trace for trace in whole.data if trace.type == "scatter"]


def test_a_group_whose_name_is_markup_stays_text(preferences: Preferences) -> None:
    figure = heat_map(
        replace(preferences, groups=("%{x}<b>", "female")), "%{x}<b>", [0], [0], WEIGHTS, neutral=0.5
    )
    cells = next(trace for trace in figure.data if trace.type == "heatmap")
    assert "P(&#37;{x}&lt;b&gt;) %{z:.3g}" in cells.hovertemplate


def test_a_click_finds_the_occupation_and_the_template_of_a_cell(preferences: Preferences) -> None:
    figure = heat_map(preferences, "male", [2, 0], [3, 1], WEIGHTS, neutral=0.5, clicks=True)
    targets, cells = figure.data[2], figure.data[1]
    assert [tuple(cell[:2]) for cell in targets.customdata] == [(2, 3), (2, 1), (0, 3), (0, 1)]
    assert list(zip(targets.y, targets.x, strict=True)) == [("2", "3"), ("2", "1"), ("0", "3"), ("0", "1")]
    np.testing.assert_allclose([cell[2] for cell in targets.customdata], np.ravel(cells.z))
    assert "coverage %{customdata[3]:.3g}" in targets.hovertemplate
    assert cells.hoverinfo == "skip"
    assert figure.layout.hoverdistance == -1, "a click between two marks finds the nearer one"
    assert figure.layout.xaxis.range == (-0.5, 1.5)


def test_of_too_many_cells_a_click_finds_none_and_few_have_their_values_in_them() -> None:
    values = np.full((60, 50, 2), 0.5)
    many = Preferences(
        ("male", "female"),
        tuple(f"job {place}" for place in range(60)),
        tuple(f"The [X] {place} [Y]" for place in range(50)),
        values,
    )
    whole = heat_map(many, "male", range(60), range(50), [1] * 50, neutral=0.5, clicks=True)
    assert not [trace for trace in whole.data if trace.type == "scatter"]
    assert next(trace for trace in whole.data if trace.type == "heatmap").texttemplate is None
    papers = heat_map(many, "male", range(6), range(10), [1] * 50, neutral=0.5, clicks=True)
    assert next(trace for trace in papers.data if trace.type == "heatmap").texttemplate == "%{z:.2f}"


@pytest.mark.parametrize(("count", "height"), [(10, 550), (20, 640), (40, 840), (120, 840)])
def test_a_picture_of_forty_rows_has_room_for_every_name(
    preferences: Preferences, count: int, height: int
) -> None:
    many = replace(preferences, occupations=tuple(f"job {n}" for n in range(count)), coverage=None)
    many = replace(many, values=np.full((count, 4, 2), 0.5))
    figure = heat_map(many, "male", range(count), range(4), WEIGHTS, neutral=0.5)
    assert figure.layout.height == height
    assert figure.layout.yaxis2.tickfont.size == 10
