"""Choices as dots: one row a choice, ranges between extremes, the present value as a line, scripts hollow."""

from __future__ import annotations

import pytest

from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import BASE, SAMPLE, Sensitivities, Sensitivity
from pcf_core.show.charts import theme
from pcf_core.show.charts.why import sensitivity_dots
from tests.show.charts.chosen import sensitivities_example, way

FOUND = sensitivities_example()


def test_rows_marks_and_ranges() -> None:
    figure = sensitivity_dots(FOUND, {"one": Interval(low=0.45, high=0.52)})
    marks = [trace for trace in figure.data if trace.mode == "markers"]
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert [trace.name for trace in marks] == ["one", "&lt;b&gt;two&lt;/b&gt;"]
    assert list(figure.layout.yaxis.ticktext) == [
        "<b>as chosen</b>",
        "he and she only",
        "one pair left out",
        "criterion: l1",
        "the authors' script for<br>gender",
    ]
    assert marks[0].x == pytest.approx((0.5, 0.6, 0.3, 0.7, 0.55, 0.45))
    assert [round(place) for place in marks[0].y] == [0, 1, 2, 2, 3, 4]
    assert lines[0].x[:2] == pytest.approx((0.3, 0.7))
    assert marks[0].marker.symbol[-1] == f"{theme.model_styles(['one'])['one'].marker}-open"
    assert marks[0].error_x.array[0] == pytest.approx(0.02)
    assert marks[0].error_x.arrayminus[0] == pytest.approx(0.05)
    assert marks[1].error_x.array is None
    assert [shape.x0 for shape in figure.layout.shapes] == pytest.approx([0.5, 0.6])
    assert marks[0].y[0] != marks[1].y[0]


def test_samples_are_hollow_as_they_are_no_choices() -> None:
    found = Sensitivities(
        {
            "one": Sensitivity(
                run="abc",
                base=way(BASE, BASE, 0.5, "base"),
                variants=(
                    way(SAMPLE, "a random half", 0.4, "sample", end="lowest"),
                    way(SAMPLE, "a random half", 0.6, "sample", end="highest"),
                    way("criterion", "l1", 0.6),
                ),
            )
        }
    )
    figure = sensitivity_dots(found, {})
    marks = next(trace for trace in figure.data if trace.mode == "markers")
    assert [symbol.endswith("-open") for symbol in marks.marker.symbol] == [False, True, True, False]
    assert figure.layout.yaxis.ticktext[1] == "sample: a random half"


def test_the_other_risks_and_some_dimensions() -> None:
    figure = sensitivity_dots(FOUND, {}, "prejudice_risk", ["criterion"])
    marks = next(trace for trace in figure.data if trace.mode == "markers")
    assert marks.x == pytest.approx((0.4, 0.45))
    assert figure.layout.xaxis.title.text == "prejudice → more"


def test_hover_says_all_three_the_change_and_the_note_as_text() -> None:
    marks = next(trace for trace in sensitivity_dots(FOUND, {}).data if trace.mode == "markers")
    assert marks.customdata[1] == (
        "<b>one</b><br>words: he and she only<br>overall risk 0.6<br>prejudice 0.5, caprice 0.1, "
        "stereotype s.d. 0.2<br>change +0.1<br>&lt;i&gt;60 &#37;&lt;/i&gt;"
    )
    assert "change" not in marks.customdata[0]
