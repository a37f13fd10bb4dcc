"""Survival, Hill and QQ plots show every occupation, each fit once in the legend, and what is not fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from pcf_core.core.risk import RiskReport
from pcf_core.measure.tails import tail_shape
from pcf_core.show.charts import theme
from pcf_core.show.charts.tails import UPPER, hill_plot, qq_plot, survival_plot
from tests.show.charts.tailed import many, normal_of, shape_of


def test_every_positive_value_is_a_mark_at_its_rank() -> None:
    report = many()
    marks = survival_plot({"m": report}, {"m": shape_of(report)}).data[0]
    assert len(marks.x) == 40
    assert list(marks.x) == sorted(marks.x)
    np.testing.assert_allclose(marks.y, [(40 - rank) / 40 for rank in range(40)])
    assert marks.customdata[-1] == "&lt;0&gt;"
    assert marks.x[-1] == 0.4


def test_fits_are_drawn_as_given_and_stand_once_in_the_legend() -> None:
    report = many()
    shape = shape_of(report)
    figure = survival_plot({"one": report, "two": report}, {"one": shape, "two": shape})
    upper = [trace for trace in figure.data if trace.name == UPPER]
    lines = [trace for trace in figure.data if trace.mode == "lines" and trace.name != UPPER]
    assert [line.showlegend for line in upper] == [True, False]
    assert shape.tail is not None
    for line in upper:
        np.testing.assert_array_equal(line.x, shape.tail.grid)
        np.testing.assert_array_equal(line.y, shape.tail.survival)
    assert [line.name for line in lines] == ["generalised Pareto", "lognormal", "exponential"] * 2
    assert [line.showlegend for line in lines] == [True] * 3 + [False] * 3
    assert len({line.line.dash for line in lines}) == 3
    for line, fit in zip(lines, shape.fits * 2, strict=True):
        np.testing.assert_array_equal(line.y, fit.survival)
        np.testing.assert_array_equal(line.x, shape.grid)


def test_notes_count_the_zeros_and_give_the_verdict(report: RiskReport) -> None:
    figure = survival_plot({"a<b": report}, {"a<b": shape_of(report)})
    (note,) = figure.layout.annotations
    assert note.text == "a&lt;b<br>3 of 7 above 0 · too few to fit"
    assert len(figure.data) == 1
    assert figure.layout.showlegend is False


def test_both_axes_of_survival_are_logarithmic_and_hold_all_marks() -> None:
    report = many()
    figure = survival_plot({"m": report}, {"m": shape_of(report)})
    for axis, values in ((figure.layout.xaxis, figure.data[0].x), (figure.layout.yaxis, figure.data[0].y)):
        assert axis.type == "log"
        assert axis.range[0] < np.log10(min(values)) < np.log10(max(values)) < axis.range[1]


def test_without_any_caprice_the_panels_say_so(report: RiskReport) -> None:
    flat = replace(report, occupations=tuple(replace(row, caprice_risk=0.0) for row in report.occupations))
    figure = survival_plot({"m": flat}, {"m": shape_of(flat)})
    assert sum(len([x for x in trace.x if x is not None]) for trace in figure.data) == 0
    assert "too few to fit" in figure.layout.annotations[0].text
    assert np.isfinite(figure.layout.xaxis.range).all()


def test_hill_draws_index_band_and_shape() -> None:
    shape = shape_of(many())
    figure = hill_plot({"none": tail_shape([0.0, 0.1]), "m": shape})
    low, high, index, line = figure.data
    assert shape.hill is not None
    np.testing.assert_array_equal(index.y, shape.hill.index)
    np.testing.assert_array_equal(low.y, shape.hill.low)
    np.testing.assert_array_equal(high.y, shape.hill.high)
    assert high.fill == "tonexty"
    assert shape.tail is not None
    assert set(line.y) == {shape.tail.shape}
    assert [note.text for note in figure.layout.annotations] == ["m"]  # no panel where nothing is fitted
    assert figure.layout.height == hill_plot({"m": shape}).layout.height
    assert index.line.color == theme.model_styles(["none", "m"])["m"].color
    assert not hill_plot({"none": tail_shape([0.0, 0.1])}).data


def test_qq_puts_ranks_against_what_a_normal_expects() -> None:
    report = many()
    shape = normal_of(report)
    low, high, line, marks = qq_plot({"m": report}, {"m": shape}).data
    np.testing.assert_array_equal(marks.x, shape.expected)
    np.testing.assert_array_equal(marks.y, sorted(row.prejudice_risk for row in report.occupations))
    assert marks.customdata[-1] == "&lt;39&gt;"
    assert list(line.x) == list(line.y)
    assert shape.low is not None
    assert (np.array(low.y) <= np.array(high.y)).all()


def test_qq_without_spread_has_no_band(report: RiskReport) -> None:
    flat = replace(report, occupations=tuple(replace(row, prejudice_risk=0.3) for row in report.occupations))
    figure = qq_plot({"m": flat}, {"m": normal_of(flat)})
    assert [trace.name for trace in figure.data] == ["as normal", "m"]
    assert "no spread" in figure.layout.annotations[0].text


@pytest.mark.parametrize("models", [1, 4])
def test_every_model_has_its_panel_name_and_mark(models: int) -> None:
    reports = {f"model {place}": many() for place in range(models)}
    shapes = {name: shape_of(report) for name, report in reports.items()}
    normals = {name: normal_of(report) for name, report in reports.items()}
    for figure in (survival_plot(reports, shapes), qq_plot(reports, normals)):
        names = [note.text.split("<br>")[0] for note in figure.layout.annotations]
        assert names == list(reports)
        symbols = {trace.marker.symbol for trace in figure.data if trace.mode == "markers"}
        assert len(symbols) == models
        assert isinstance(figure, go.Figure)
