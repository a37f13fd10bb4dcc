"""The pictures of the made-up examples, by their data."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from pcf_core.measure.reference_models import ToyRisk, criterion_curve, simplex_risk, toy_risk, two_models
from pcf_core.show.charts.toy import jensen_curve, reference_tiles, risk_flow, simplex

NURSE = toy_risk("nurse", ("male", "<i>female</i>"), ("context 1", "context 2"), [0.9, 0.35], [3, 1])


def named(figure: go.Figure, name: str) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.name == name]


def test_the_gap_stands_between_the_curve_and_the_mean() -> None:
    figure = jensen_curve([NURSE], criterion_curve())
    (prejudice,) = named(figure, "prejudice J(E s)")
    (caprice,) = named(figure, "caprice, the Jensen gap")
    (star,) = named(figure, "overall risk r = E J(s)")
    tilt = NURSE.mean_stereotype[0]
    assert prejudice.x == caprice.x == pytest.approx((tilt, tilt))
    assert prejudice.y == pytest.approx((0, NURSE.prejudice_risk))
    assert caprice.y == pytest.approx((NURSE.prejudice_risk, NURSE.overall_risk))
    assert (star.x[0], star.y[0]) == pytest.approx((tilt, NURSE.overall_risk))
    curve = criterion_curve()
    assert np.interp(tilt, curve[:, 0], curve[:, 1]) == pytest.approx(prejudice.y[1])


def test_contexts_stand_on_the_curve_under_their_preference() -> None:
    figure = jensen_curve([NURSE], criterion_curve())
    marks = [named(figure, context)[0] for context in NURSE.contexts]
    assert [mark.x[0] for mark in marks] == pytest.approx([0.8, -0.3])
    assert [mark.y[0] for mark in marks] == pytest.approx([0.8, 0.3])
    assert marks[0].marker.size > marks[1].marker.size
    assert len({mark.marker.symbol for mark in marks}) == 2
    (above,) = named(figure, "preference p")
    top, bottom = figure.layout.xaxis2, figure.layout.xaxis
    assert above.xaxis == "x2"
    for p, s in zip(above.x, NURSE.stereotypes[:, 0], strict=True):
        places = [
            (x - axis.range[0]) / (axis.range[1] - axis.range[0]) for x, axis in ((p, top), (s, bottom))
        ]
        assert places[0] == pytest.approx(places[1])


def test_each_model_has_a_panel_and_one_legend() -> None:
    figure = jensen_curve(two_models(), criterion_curve())
    assert [note.text for note in figure.layout.annotations] == ["M1", "M2"]
    stars = named(figure, "overall risk r = E J(s)")
    assert [star.yaxis for star in stars] == ["y", "y2"]
    assert [star.y[0] for star in stars] == pytest.approx([0.2, 0.2])
    assert [star.showlegend for star in stars] == [True, False]


def test_names_are_never_markup() -> None:
    assert "<i>" not in jensen_curve([NURSE], criterion_curve()).to_json()


def test_every_reference_model_has_its_tile() -> None:
    draws = {"one": np.full((3, 4), 0.5), "two": np.eye(4)[:3], "three": np.zeros((3, 4))}
    figure = reference_tiles(draws, "male")
    assert [note.text for note in figure.layout.annotations] == list(draws)
    for trace, values in zip(figure.data, draws.values(), strict=True):
        assert np.array_equal(trace.z, values)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)


def test_a_matrix_ends_in_one_bar() -> None:
    toys = [NURSE, toy_risk("pilot", NURSE.groups, NURSE.contexts, [0.5, 0.7])]
    figure = risk_flow(toys, 0.4, 0.1)
    preferences, risks, prejudice, caprice = figure.data
    assert np.array_equal(preferences.z, [[0.9, 0.35], [0.5, 0.7]])
    assert np.array_equal(risks.z, [toy.risks for toy in toys])
    assert list(prejudice.y) == ["nurse", "pilot", "R, the mean"]
    assert list(prejudice.x) == [*(toy.prejudice_risk for toy in toys), 0.4]
    assert list(caprice.x) == [*(toy.caprice_risk for toy in toys), 0.1]


@pytest.fixture
def three() -> ToyRisk:
    return toy_risk("x", ("A", "B", "C"), ("1", "2"), [[0.8, 0.1, 0.1], [0.1, 0.2, 0.7]])


def test_contexts_lie_in_the_triangle_where_their_preferences_are(three: ToyRisk) -> None:
    figure = simplex(simplex_risk(three), "J (max)")
    first, second = (named(figure, context)[0] for context in ("1", "2"))
    (mean,) = named(figure, "mean of the contexts")
    assert (first.x[0], first.y[0]) == pytest.approx((-0.7, 0.1))
    assert (second.x[0], second.y[0]) == pytest.approx((0.1, 0.7))
    assert (mean.x[0], mean.y[0]) == pytest.approx((-0.3, 0.4))
    assert "J (max)" in figure.layout.coloraxis.colorbar.title.text
