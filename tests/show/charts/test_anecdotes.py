"""Stories by profession: points, the line of the world, intervals, names, the rows of information."""

from __future__ import annotations

import pytest

from pcf_core.show.charts import theme
from pcf_core.show.charts.independence import information_dots, share_against_world
from tests.show.charts.anecdotal import anecdotes_example, information_example


def test_points_lie_at_both_shares_filled_where_they_differ() -> None:
    *_, hollow, filled = share_against_world(anecdotes_example(), "one", ["one"]).data
    assert (list(filled.x), list(filled.y)) == ([0.88, 0.09], [1.0, 0.8])
    assert (list(hollow.x), hollow.marker.symbol, hollow.marker.color) == ([0.84], "circle-open", theme.MUTED)
    assert list(filled.error_y.array) == pytest.approx([0, 0.1])
    assert list(filled.error_y.arrayminus) == pytest.approx([0.1, 0.1])


def test_the_world_and_the_fit_stay_on_the_scale() -> None:
    world, band, fit, *_ = share_against_world(anecdotes_example(), "one", ["one"]).data
    assert list(world.x) == list(world.y) == [0, 1]
    assert list(fit.y) == [0, 1]
    assert list(band.y) == [0, 1, 1, 0]
    assert len(share_against_world(anecdotes_example(line=False), "one", ["one"]).data) == 3


def test_names_are_no_markup_and_details_tell_both_shares() -> None:
    figure = share_against_world(anecdotes_example(), "one", ["one"])
    assert {note.text for note in figure.layout.annotations} == {"nurse", "&lt;b&gt;pilot"}
    details = figure.data[-1].customdata[1]
    assert details.startswith("<b>&lt;b&gt;pilot</b><br>world 9.0% women<br>model 80.0% (70.0% to 90.0%)")
    assert "24 of women, 6 of men, 0 unclear" in details


def test_scores_have_no_whiskers_and_are_all_filled() -> None:
    figure = share_against_world(anecdotes_example(scored=True), "two", ["one", "two"])
    points = figure.data[-1]
    assert (len(points.x), points.name, points.error_y.array) == (3, "weight of its words", None)
    assert points.marker.color == theme.model_styles(["one", "two"])["two"].color
    assert "scores" in figure.layout.yaxis.title.text


def test_information_stands_beside_chance_and_the_most() -> None:
    chance, most, counted, corrected = information_dots(information_example()).data
    assert list(chance.x) == [0.03] * 4
    assert (list(most.x), most.name) == ([0.5] * 4, "most possible")
    assert list(counted.x) == [0.22] * 4
    assert list(corrected.x) == [0.2] * 4
    assert list(corrected.error_x.array) == pytest.approx([0.05] * 4)


def test_information_of_scores_has_no_chance() -> None:
    most, weighed = information_dots(information_example(scored=True)).data
    assert (most.name, weighed.name) == ("no more than", "weighed, not drawn")
    assert list(weighed.x) == [0.22] * 4
