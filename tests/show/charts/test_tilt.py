"""Boxes by their quartiles, every occupation as a point, the extremes by name."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.core.risk import Interval, MeanTilt, RiskReport
from pcf_core.show.charts.theme import MUTED
from pcf_core.show.charts.tilt import tilt_box, tilt_panels

from .conftest import NAMES, TILTS


def test_every_occupation_is_a_point_with_its_name(report: RiskReport) -> None:
    figure = tilt_box({"mini-bert": report}, "male", "female", labour=None)
    _, points = figure.data
    assert tuple(points.x) == TILTS
    assert [text.partition(":")[0] for text in points.customdata] == list(NAMES)
    assert np.all(np.abs(np.asarray(points.y)) < 0.15)


def test_the_box_holds_quartiles_and_fences(report: RiskReport) -> None:
    box = tilt_box({"mini-bert": report}, "male", "female", labour=None).data[0]
    ordered = sorted(TILTS)
    assert box.median[0] == ordered[3]
    assert box.q1[0] == pytest.approx((ordered[1] + ordered[2]) / 2)
    assert box.q3[0] == pytest.approx((ordered[4] + ordered[5]) / 2)
    assert (box.lowerfence[0], box.upperfence[0]) == (ordered[0], ordered[-1])


def test_an_outlier_lies_beyond_the_fence(report: RiskReport) -> None:
    values = dict(zip("abcdefgh", (0.5, 0.49, 0.5, 0.51, 0.5, 0.48, 0.52, 0.99), strict=True))
    box = tilt_box({}, "male", "female", labour=values).data[0]
    assert box.lowerfence[0] == pytest.approx(-0.04)


def test_three_extremes_on_each_side_are_labelled(report: RiskReport) -> None:
    figure = tilt_box({"mini-bert": report}, "male", "female", labour=None)
    labels = {note.text: note for note in figure.layout.annotations}
    assert set(labels) == {"nurse", "stylist", "clerk", "engineer", "captain", "pilot"}
    assert labels["nurse"].ay > 0.15
    assert labels["engineer"].ay < -0.15
    assert labels["nurse"].xanchor == "left"
    assert labels["engineer"].xanchor == "right"
    assert len({(note.ax, note.ay) for note in labels.values()}) == 6


def test_ends_are_named_and_neutral_is_drawn(report: RiskReport) -> None:
    figure = tilt_box({"mini-bert": report}, "male", "<i>female", labour=None)
    assert figure.layout.xaxis.title.text == "← &lt;i&gt;female · even · men →"
    assert list(figure.layout.xaxis.range) == [-1.05, 1.05]
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (0, 0)


def test_the_labour_force_is_a_muted_row_of_its_tilt(report: RiskReport) -> None:
    figure = tilt_box({"mini-bert": report}, "male", "female", labour={"nurse": 0.87, "pilot": 0.05})
    points = figure.data[-1]
    np.testing.assert_allclose(points.x, [-0.74, 0.9])
    assert points.marker.color == MUTED
    assert list(figure.layout.yaxis.ticktext) == ["mini-bert", "labour force"]


def test_what_was_read_is_a_muted_row_below_the_labour_force(report: RiskReport) -> None:
    figure = tilt_box(
        {"mini-bert": report}, "male", "female", labour={"nurse": 0.87}, text={"nurse": -0.62, "pilot": 0.6}
    )
    points = figure.data[-1]
    assert list(points.x) == [-0.62, 0.6]
    assert (points.marker.color, points.marker.symbol) == (MUTED, "diamond-open")
    assert list(figure.layout.yaxis.ticktext) == ["mini-bert", "labour force", "what it read"]
    assert (
        figure.layout.height > tilt_box({"m": report}, "male", "female", labour={"nurse": 0.8}).layout.height
    )


def test_four_rows_are_lower_than_the_largest_picture_and_keep_their_names(report: RiskReport) -> None:
    figure = tilt_box(
        {"one": report, "two": report}, "male", "female", labour={"nurse": 0.87}, text={"nurse": -0.62}
    )
    assert figure.layout.height < 600
    assert len(figure.layout.annotations) == 2 * 6


def test_many_models_stay_within_the_height_and_one_occupation_has_no_extremes(report: RiskReport) -> None:
    many = tilt_box({f"model {i}": report for i in range(9)}, "male", "female", labour=None)
    assert many.layout.height == 640
    assert len(many.layout.annotations) == 9 * 2
    assert not tilt_box({}, "male", "female", labour={"nurse": 0.8}).layout.annotations


def test_models_differ_by_marker_too(report: RiskReport) -> None:
    figure = tilt_box({"one": report, "two": report}, "male", "female", labour=None)
    points = [trace for trace in figure.data if trace.type == "scatter"]
    assert points[0].marker.symbol != points[1].marker.symbol
    assert points[0].marker.color != points[1].marker.color


def test_more_groups_have_a_panel_each(report_of_three: RiskReport) -> None:
    figure = tilt_panels({"one": report_of_three, "two": report_of_three})
    titles = [note.text for note in figure.layout.annotations]
    assert titles == [f"← less · {group} · more →" for group in "abc"]
    points = [trace for trace in figure.data if trace.type == "scatter"]
    assert [trace.yaxis for trace in points] == ["y", "y", "y2", "y2", "y3", "y3"]
    np.testing.assert_allclose(points[2].x, -np.array(TILTS) / 4)
    assert list(figure.layout.xaxis.range) == [-0.55, 1.05]


def tilts(report: RiskReport, models: tuple[str, ...] = ("one",)) -> dict[str, dict[str, MeanTilt]]:
    """The mean of every group with an interval over templates and a wider one over both."""
    return {
        model: {
            group: MeanTilt(
                group=group,
                mean=0.2,
                intervals={
                    "templates": Interval(low=0.1, high=0.4),
                    "both": Interval(over="both", low=-0.1, high=0.5),
                },
                occupations={
                    row.occupation: (row.stereotype[group] - 0.05, row.stereotype[group] + 0.1)
                    for row in report.occupations
                },
            )
            for group in report.groups
        }
        for model in models
    }


def test_the_mean_stands_under_its_box_with_the_asked_interval(report: RiskReport) -> None:
    for over, low, high in (("templates", 0.1, 0.2), ("both", 0.3, 0.3)):
        figure = tilt_box({"one": report}, "male", "female", labour=None, tilts=tilts(report), over=over)
        mean = figure.data[2]
        assert (mean.x[0], mean.y[0] > 0.15) == (0.2, True)
        np.testing.assert_allclose([mean.error_x.arrayminus[0], mean.error_x.array[0]], [low, high])
        assert f"over {over}" in mean.customdata[0]


def test_points_tell_their_interval_on_hover(report: RiskReport) -> None:
    with_intervals = tilt_box({"one": report}, "male", "female", labour=None, tilts=tilts(report))
    assert with_intervals.data[1].customdata[0] == "nurse: -0.9 (-0.95 to -0.8)"
    without = tilt_box({"one": report}, "male", "female", labour=None)
    assert without.data[1].customdata[0] == "nurse: -0.9"


def test_the_chosen_occupation_is_ringed_with_its_interval(report: RiskReport) -> None:
    figure = tilt_box(
        {"one": report}, "male", "female", labour={"nurse": 0.9}, tilts=tilts(report), chosen="nurse"
    )
    rings = [
        trace for trace in figure.data if trace.marker.symbol == "circle-open" and trace.marker.size == 16
    ]
    np.testing.assert_allclose([ring.x[0] for ring in rings], [-0.9, -0.8])
    np.testing.assert_allclose(rings[0].error_x.array, [0.1])
    assert rings[1].error_x.array is None
    assert len(tilt_box({"one": report}, "male", "female", labour=None, chosen="nobody").data) == 2


def test_panels_take_means_and_rings_too(report_of_three: RiskReport) -> None:
    figure = tilt_panels({"one": report_of_three}, tilts(report_of_three), "both", "nurse")
    assert [trace.yaxis for trace in figure.data if trace.type == "scatter"] == [
        *["y"] * 3,
        *["y2"] * 3,
        *["y3"] * 3,
    ]
