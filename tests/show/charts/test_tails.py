"""Histograms count every occupation once; zeros have a bar of their own; curves are the fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pcf_core.core.risk import RiskReport
from pcf_core.show.charts.tails import caprice_histogram, prejudice_histogram

from .conftest import CAPRICES, NAMES


def test_every_occupation_is_counted_once_and_zeros_apart(report: RiskReport) -> None:
    rug, bars, zeros = caprice_histogram({"m": report}, log_count=False).data
    assert sum(bars.y) == 3
    assert list(zeros.y) == [4]
    assert zeros.x[0] + zeros.width[0] / 2 < 0
    assert tuple(rug.x) == CAPRICES
    assert tuple(rug.customdata) == NAMES


@pytest.mark.parametrize("caprices", [CAPRICES, (0.0,) * 7, (0.1, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3)])
def test_the_name_of_a_panel_stands_above_its_bars(report: RiskReport, caprices: tuple[float, ...]) -> None:
    rows = zip(report.occupations, caprices, strict=True)
    shown = replace(report, occupations=tuple(replace(row, caprice_risk=risk) for row, risk in rows))
    figure = caprice_histogram({"m": shown}, log_count=False)
    tallest = max(max(trace.y) for trace in figure.data if trace.type == "bar")
    assert figure.layout.yaxis.range[0] == 0
    assert figure.layout.yaxis.range[1] > 1.15 * tallest
    density = prejudice_histogram({"m": shown}, {"m": (0.5, 0.02)})
    highest = max(max(trace.y) for trace in density.data[1:])
    assert density.layout.yaxis.range[1] > 1.15 * highest


def test_bins_are_the_same_for_all_models(report: RiskReport) -> None:
    other = replace(report, occupations=report.occupations[:3])
    figure = caprice_histogram({"one": report, "two": other}, log_count=False)
    first, second = (trace for trace in figure.data if trace.name in ("one", "two"))
    np.testing.assert_allclose(first.x, second.x)
    assert first.marker.pattern.shape != second.marker.pattern.shape
    assert [note.text for note in figure.layout.annotations] == [
        "one<br>bar left of 0: 4 of 7 exactly 0",
        "two<br>bar left of 0: 2 of 3 exactly 0",
    ]


def test_no_caprice_at_all_is_a_spike_at_zero(report: RiskReport) -> None:
    flat = replace(report, occupations=tuple(replace(row, caprice_risk=0.0) for row in report.occupations))
    for log_count in (False, True):
        figure = caprice_histogram({"m": flat}, log_count=log_count)
        _, zeros = figure.data
        assert list(figure.layout.xaxis.tickvals) == [0]
        assert list(zeros.y) == [7]
        assert np.isfinite(zeros.x[0])


def test_caprice_everywhere_has_no_bar_for_zeros(report: RiskReport) -> None:
    all_of_it = replace(
        report, occupations=tuple(replace(row, caprice_risk=0.3) for row in report.occupations)
    )
    _, bars = caprice_histogram({"m": all_of_it}, log_count=False).data
    assert sum(bars.y) == 7


def test_the_log_switch_changes_the_axis_of_counts_alone(report: RiskReport) -> None:
    figure = caprice_histogram({"m": report}, log_count=True)
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.range[0] < 0 < figure.layout.yaxis.range[1]
    assert figure.layout.yaxis2.type != "log"


def test_prejudice_is_a_density_with_its_normal_curve(report: RiskReport) -> None:
    figure = prejudice_histogram({"m": report}, {"m": (0.5, 0.2)})
    _, bars, curve = figure.data
    assert float(np.dot(bars.y, bars.width)) == pytest.approx(1)
    np.testing.assert_allclose(curve.y, stats.norm(0.5, 0.2).pdf(curve.x))
    assert curve.name == "normal, mean 0.500, s.d. 0.200"


@pytest.mark.parametrize("fits", [{}, {"m": (0.5, 0.0)}])
def test_without_a_spread_there_is_no_curve(report: RiskReport, fits: dict[str, tuple[float, float]]) -> None:
    assert [trace.type for trace in prejudice_histogram({"m": report}, fits).data] == ["scatter", "bar"]
