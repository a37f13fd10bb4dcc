"""A panel draws every point once, its lines as they were fitted, and sizes by the people employed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.factors import WAGE
from pcf_core.core.factors import FactorPanel, FactorPoint
from pcf_core.show.charts import theme
from pcf_core.show.charts.why import LARGEST, SMALLEST, factor_plot, risk_span
from pcf_core.show.findings.factors import ALIKE
from tests.show.charts.factored import panel_example

FREQUENCY = replace(WAGE, name="word_frequency", noun="word frequency", title="times (log)", log=True)


@pytest.fixture
def panel() -> FactorPanel:
    """Three points, one without a weight, one at the end of the statistics."""
    return panel_example()


def test_every_point_is_drawn_once_and_those_without_a_weight_are_hollow(panel: FactorPanel) -> None:
    weighed, hollow = [trace for trace in factor_plot(panel, "m", ["m"]).data if trace.mode == "markers"]
    assert (list(weighed.x), list(weighed.y)) == ([100, 30], [0.5, 0.2])
    assert (list(hollow.x), list(hollow.y)) == ([208], [0.8])
    assert hollow.marker.symbol == f"{weighed.marker.symbol}-open"
    assert "attorney, lawyer" in weighed.customdata[0]
    assert "thousand employed: 400" in weighed.customdata[0]
    assert "at least 208" in hollow.customdata[0]
    assert "<br>baker" in weighed.customdata[1]


def test_the_area_of_a_point_is_its_people(panel: FactorPanel) -> None:
    weighed, hollow = [trace for trace in factor_plot(panel, "m", ["m"]).data if trace.mode == "markers"]
    large, small = np.asarray(weighed.marker.size) - SMALLEST
    assert large == LARGEST - SMALLEST
    assert (small / large) ** 2 == pytest.approx(100 / 400)
    assert hollow.marker.size[0] == SMALLEST


def test_without_any_weights_no_point_is_hollow(panel: FactorPanel) -> None:
    bare = replace(panel, points=tuple(replace(point, weight=None) for point in panel.points))
    (points,) = [trace for trace in factor_plot(bare, "m", ["m"]).data if trace.mode == "markers"]
    assert len(points.x) == 3
    assert not points.marker.symbol.endswith("open")


def test_lines_are_solid_and_dashed_over_their_bands(panel: FactorPanel) -> None:
    lines = {trace.name: trace for trace in factor_plot(panel, "m", ["m"]).data if trace.mode == "lines"}
    ols, wls = lines[ALIKE], lines["larger ones count more"]
    assert (ols.line.dash, wls.line.dash) == ("solid", "dash")
    assert (ols.legendrank, wls.legendrank) == (1, 2)
    np.testing.assert_allclose(ols.y, 0.2 + 0.01 * np.asarray(ols.x))
    band = lines[f"{ALIKE}: band"]
    np.testing.assert_allclose(band.y[:5], ols.y - 0.05)
    np.testing.assert_allclose(band.y[5:], (ols.y + 0.05)[::-1])
    np.testing.assert_allclose(band.x[5:], np.asarray(ols.x)[::-1])


def test_a_missing_line_is_not_drawn(panel: FactorPanel) -> None:
    figure = factor_plot(replace(panel, ols=None, wls=None), "m", ["m"])
    assert not [trace for trace in figure.data if trace.mode == "lines"]


def test_a_logarithm_is_undone_for_a_logarithmic_axis(panel: FactorPanel) -> None:
    figure = factor_plot(replace(panel, scale=FREQUENCY), "m", ["m"])
    assert figure.layout.xaxis.type == "log"
    line_of = next(trace for trace in figure.data if trace.name == ALIKE)
    np.testing.assert_allclose(line_of.x, 10 ** np.linspace(1, 3, 5))


def test_a_model_keeps_its_colour_among_the_chosen(panel: FactorPanel) -> None:
    models = ["one", "two"]
    colors = {
        next(
            trace.marker.color for trace in factor_plot(panel, model, models).data if trace.mode == "markers"
        )
        for model in models
    }
    assert colors == {style.color for style in theme.model_styles(models).values()}


def test_axes_say_unit_and_direction_and_names_are_no_markup(panel: FactorPanel) -> None:
    figure = factor_plot(panel, "m", ["m"], (0.1, 0.9))
    assert figure.layout.xaxis.title.text == "median wage, thousand US&#36; a year → higher pay"
    assert figure.layout.yaxis.title.text == "overall risk R → more risk"
    assert figure.layout.yaxis.range == (0.1, 0.9)
    own = replace(panel, scale=replace(WAGE, name="own", title="<b>x</b>"))
    figure = factor_plot(own, "m", ["m"])
    assert figure.layout.xaxis.title.text.startswith("&lt;b&gt;x")
    assert any(trace.name == "your weights count" for trace in figure.data)


def test_panels_share_a_span_that_holds_every_point(panel: FactorPanel) -> None:
    low, high = risk_span([panel, replace(panel, points=(FactorPoint("x", ("x",), 1.0, 0.95),))])
    assert low < 0.2
    assert high > 0.95
    assert risk_span([]) == pytest.approx((-0.08, 1.08))
    assert risk_span([replace(panel, points=(FactorPoint("x", ("x",), 1.0, 0.0),))]) == (-0.05, 0.05)
