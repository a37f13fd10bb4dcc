"""Plug-in and corrected marks, whose whisker it is, and what sampling alone would give."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.core.risk import Interval, RiskReport
from pcf_core.show.charts.risk import corrected_dots

from .spread import corrected_report


@pytest.fixture
def corrected(report: RiskReport) -> RiskReport:
    return corrected_report(report)


def test_both_figures_of_both_parts_are_drawn(corrected: RiskReport) -> None:
    traces = corrected_dots({"one": corrected}).data
    assert [(trace.name, trace.x[0], trace.yaxis) for trace in traces[:4]] == [
        ("plug-in", 0.5, "y"),
        ("corrected", 0.4, "y"),
        ("plug-in", 0.1, "y2"),
        ("corrected", 0.2, "y2"),
    ]
    assert traces[0].marker.symbol != traces[1].marker.symbol
    assert (traces[4].name, traces[4].x[0]) == ("expected from sampling alone", 0.05)


def test_what_is_left_of_a_zero_has_no_digits(corrected: RiskReport) -> None:
    """They differ between processors, and a report's texts are compared to the letter."""
    one = replace(corrected, intervals={"caprice_risk": (Interval(low=0.0, high=4.07e-17),)})
    hovers = [text for trace in corrected_dots({"one": one}).data[:4] for text in trace.customdata]
    assert any("(0.00–0.00)" in text for text in hovers)
    assert not any("e-" in text for text in hovers)


@pytest.mark.parametrize(("headline", "whose"), [(False, 0), (True, 1)])
def test_the_whisker_belongs_to_the_headline(corrected: RiskReport, headline: bool, whose: int) -> None:
    found = corrected.corrected
    assert found is not None
    report = replace(corrected, corrected=found.model_copy(update={"headline": headline}))
    traces = corrected_dots({"one": report}).data[:2]
    assert traces[whose].error_x.array[0] == pytest.approx(0.6 - traces[whose].x[0])
    assert traces[1 - whose].error_x.array is None


def test_the_asked_interval_is_drawn_where_it_is_known(corrected: RiskReport) -> None:
    traces = corrected_dots({"one": corrected}, "both", thousand=True).data
    assert traces[0].error_x.array[0] == pytest.approx(200)
    assert traces[2].error_x.array[0] == pytest.approx(200)  # of caprice only that over templates is known
    assert "prejudice, plug-in 500 (200–700)" in traces[0].customdata[0]


def test_the_deviation_stands_beside_the_names(corrected: RiskReport) -> None:
    figure = corrected_dots({"<b>": corrected})
    assert figure.layout.yaxis2.ticktext[0] == f"&lt;b&gt;<br>s.d. {corrected.stereotype_sd:.2g}"


def test_what_was_not_corrected_or_computed_is_left_out(corrected: RiskReport, report: RiskReport) -> None:
    found = corrected.corrected
    assert found is not None
    unknown = replace(corrected, corrected=found.model_copy(update={"sampling_prejudice": None}))
    figure = corrected_dots({"one": unknown, "two": report})
    assert len(figure.data) == 4
    assert list(figure.layout.yaxis.ticktext) == ["one"]
