"""Presenting: large enough for the last row, one picture a screen, and a way to the view beside."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from pcf_core.app.addresses import Choice
from pcf_core.app.present import (
    HEIGHT,
    TEXT,
    VIEWS,
    WITH_FIELDS,
    enlarged,
    fitting_rows,
    in_full,
    slides,
)
from pcf_core.app.shell import SECTIONS
from pcf_core.audit.options import ViewOptions
from pcf_core.show.charts import theme
from pcf_core.show.charts.risk import RiskBar, risk_bars
from pcf_core.show.charts.theme import titled


def test_every_text_of_a_picture_is_large_and_the_shared_one_stays_as_it_was() -> None:
    shared = risk_bars([RiskBar("m", "run", 0.2, 0.1, 0.3, 0.2, 0.4)])
    shared.add_annotation(text="here", x=0, y=0)
    before = shared.to_json()
    shown = enlarged(shared)
    assert shared.to_json() == before
    assert shown.layout.height == HEIGHT
    sizes = [
        shown.layout.font.size,
        shown.layout.legend.font.size,
        shown.layout.xaxis.tickfont.size,
        shown.layout.xaxis.title.font.size,
        shown.layout.yaxis.tickfont.size,
        shown.layout.annotations[0].font.size,
    ]
    assert min(sizes) >= TEXT == 20


@pytest.mark.parametrize("short", ["1", ["1"], ["0", "1"]])
def test_an_address_that_leads_on_says_in_full_that_it_presents(short: str | list[str]) -> None:
    assert in_full({"present": short, "topic": ["age"]}) == {"present": "true", "topic": ["age"]}
    for parameters in ({"topic": ["age"]}, {"present": ["true"]}, {"present": ["1", "0"]}, {"present": "21"}):
        assert in_full(parameters) == parameters


def test_a_slide_has_its_source_in_a_line_below_and_not_in_the_title() -> None:
    """In the figure it took three lines of a projector, as wide as a telephone's."""
    source = "PCF Audit · Gender · 100 sentence beginnings from Wikipedia · whole words"
    figure = titled(go.Figure(), "Risk of each model", source, "A is higher", width=160)
    shown = enlarged(figure)
    claim, drawn = shown.layout.title.text.split("<br>")
    assert claim == "A is higher"
    assert f"font-size: {TEXT}px" in drawn
    bare = titled(go.Figure(), "Risk of each model", "", "A is higher")
    assert enlarged(bare).layout.margin.t == shown.layout.margin.t


def test_the_title_of_the_axis_of_risks_fits_a_telephone() -> None:
    shown = enlarged(risk_bars([RiskBar("m", "run", 0.2, 0.1, 0.3, 0.2, 0.4)]))
    assert len(shown.layout.xaxis.title.text) <= 24
    assert shown.layout.xaxis.title.text.endswith("→ more")


def test_a_bar_of_colours_has_large_numbers_and_no_title_that_repeats_the_subtitle() -> None:
    figure = go.Figure(go.Heatmap(z=[[0, 1]], coloraxis="coloraxis"))
    bar = theme.probability_axis("male words", 0.5, y=1, yanchor="bottom", ypad=6)
    figure = titled(theme.base_layout(figure, 500, coloraxis=bar, top=64), "Probability", "PCF Audit")
    shown = enlarged(figure)
    before, after = figure.layout.coloraxis.colorbar, shown.layout.coloraxis.colorbar
    assert before.title.text
    assert (after.tickfont.size, after.title.text) == (TEXT, "")
    grown = shown.layout.margin.t - figure.layout.margin.t
    down = (1 - after.y) * HEIGHT - (1 - before.y) * figure.layout.height
    assert down == pytest.approx(grown), "as far down as the title has grown"


@pytest.mark.parametrize(
    ("rows", "most", "left"), [(40, 10, [0, 4, 36]), (11, 10, [0, 2, 10]), (6, 10, [0, 1, 5])]
)
def test_rows_are_thinned_evenly_while_presenting(
    monkeypatch: pytest.MonkeyPatch, rows: int, most: int, left: list[int]
) -> None:
    assert fitting_rows(range(rows), most) == list(range(rows))
    monkeypatch.setattr("pcf_core.app.present.is_presented", lambda: True)
    shown = fitting_rows(range(rows), most)
    assert [shown[0], shown[1], shown[-1]] == left
    assert len(shown) <= most
    assert fitting_rows([], most) == []


def test_it_is_drawn_of_any_picture() -> None:
    assert enlarged(go.Figure()).layout.height == HEIGHT


def test_a_slide_that_would_be_empty_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two models in one precision or one in two can be compared; weights are needed for a new sentence."""
    choice = Choice(("mini-gpt", "mini-bert"), "gender", "set", "list", ViewOptions())
    monkeypatch.setattr("pcf_core.app.present.may_audit", lambda: True)
    assert slides(choice) == list(VIEWS)
    one = replace(choice, models=("mini-gpt",))
    assert slides(one) == [view for view in VIEWS if view != "compare"]
    assert slides(replace(one, precisions=("float32", "bfloat16"))) == list(VIEWS)
    monkeypatch.setattr("pcf_core.app.present.absent_among", list)
    assert slides(choice) == list(VIEWS[:-1])
    monkeypatch.setattr("pcf_core.app.present.absent_among", lambda names: list(names)[:1])
    assert slides(choice) == list(VIEWS)
    monkeypatch.setattr("pcf_core.app.present.may_audit", lambda: False)
    assert slides(choice) == list(VIEWS[:-1])


def test_the_slides_are_pages_and_none_comes_twice() -> None:
    pages = {name for section in SECTIONS.values() for name, _, _ in section}
    assert {*VIEWS, *WITH_FIELDS} <= pages
    assert len(set(VIEWS)) == len(VIEWS) == 6
