"""What was read against what is said: points, line, the line of a copy, names."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.show.charts import theme
from pcf_core.show.charts.why import LARGEST_READ, read_scatter
from tests.show.charts.reads import line_example, read_example


def test_points_lie_at_both_leans_filled_where_they_differ() -> None:
    *_, hollow, filled = read_scatter(read_example(), "one", ["one"]).data
    assert list(filled.x) == pytest.approx([-0.6, 0.4, 0.8])
    assert list(filled.y) == [0.5, 0.8, 0.4]
    assert list(hollow.x) == pytest.approx([0.86, 0.1])
    assert (hollow.marker.symbol, hollow.marker.color) == ("circle-open", theme.MUTED)
    sizes = [*filled.marker.size, *hollow.marker.size]
    assert max(sizes) == pytest.approx(LARGEST_READ)
    assert min(sizes) == hollow.marker.size[1]


def test_the_line_of_a_copy_and_the_fit_with_its_band() -> None:
    copy, band, fit, *_ = read_scatter(read_example(), "one", ["one"]).data
    assert list(copy.x) == list(copy.y) == [-1, 1]
    assert np.allclose(fit.y, line_example().mean)
    assert np.allclose(band.y, np.concatenate([fit.y - 0.1, (fit.y + 0.1)[::-1]]))


def test_a_band_stays_on_the_scale_and_without_a_line_there_is_none() -> None:
    steep = read_scatter(read_example(line_example(1.5)), "one", ["one"]).data[1]
    assert max(steep.y) <= 1
    assert len(read_scatter(read_example(no_line="few"), "one", ["one"]).data) == 3


def test_the_farthest_are_named_and_names_are_no_markup() -> None:
    figure = read_scatter(read_example(), "one", ["one"])
    assert {note.text for note in figure.layout.annotations} == {"nurse", "&lt;b&gt;artist", "police"}
    details = figure.data[-1].customdata[0]
    assert "text -0.6 (-0.7 to -0.5), 100 documents" in details
    assert details.endswith("p 0.0005, controlled 0.001: reverses")


def test_a_model_has_its_own_colour_and_mark() -> None:
    figure = read_scatter(read_example(), "two", ["one", "two"])
    style = theme.model_styles(["one", "two"])["two"]
    assert (figure.data[-1].marker.color, figure.data[-1].marker.symbol) == (style.color, style.marker)
