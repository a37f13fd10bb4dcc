"""The style sheet selects what the installed front end has; chart text takes Streamlit's stronger grey.

What browsers make of the grey: tests/journeys/test_screens.py.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit
from plotly.subplots import make_subplots
from streamlit.elements.lib.streamlit_plotly_theme import BG_COLOR, GRAY_70, GRAY_90

from pcf_core.app.inside import DIVERGING
from pcf_core.app.styles import FRONT, STYLES, finished, front, readable, table_room
from pcf_core.core.settings import ROOT
from pcf_core.show.charts import marks, theme
from pcf_core.show.charts.marks import Span
from pcf_core.show.charts.risk import RiskBar, risk_bars

SCRIPTS = Path(streamlit.__file__).parent / "static" / "static" / "js"


def test_streamlit_has_all_that_is_selected() -> None:
    selectors = " ".join(re.findall(r"([^{}]+)\{", STYLES))
    named = set(re.findall(r'data-(?:testid|variant)="([^"]+)"|\.([a-zA-Z][\w-]*)', selectors))
    names = {testid or css_class for testid, css_class in named}
    assert {"stPageLink-NavLink", "stSliderThumbValue", "segmented_control", "modebar-btn"} < names
    of_ours = "data-results"  # set by front/tools.js
    assert {"data-tag", of_ours} == set(re.findall(r"\[(data-[\w-]+)\]", selectors))
    assert "dataset.results" in front("tools.js")
    names.add("data-tag")
    front_end = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS.glob("*.js"))
    for name in names:
        whole = rf"{name}(?<![\w-]{name})(?![\w-])"
        assert re.search(whole, front_end), f"{name} is in no script of Streamlit {streamlit.__version__}"


@pytest.mark.parametrize("sheet", sorted(path.name for path in FRONT.glob("*.css")))
def test_has_stands_behind_a_class_or_an_attribute(sheet: str) -> None:
    # Behind nothing, it is judged again for each mark of a chart: 20 seconds on Heat map.
    assert re.findall(r"(?:^|[\s>~+,])(?::not\()?:has\((?!>)[^{]*", front(sheet)) == []


def test_every_axis_and_note_is_drawn_in_the_stronger_grey() -> None:
    figure = go.Figure(go.Scatter(x=[1], y=[2], xaxis="x2", yaxis="y2"))
    figure.add_annotation(text="note")
    figure.update_layout(xaxis2={"anchor": "y2", "title": "x"}, yaxis2={"anchor": "x2"})
    figure.update_layout(xaxis={"title": "one"}, coloraxis={"colorbar": {"title": "colour"}})
    readable(figure)
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        assert axis.tickfont.color == axis.title.font.color == GRAY_90
    assert figure.layout.annotations[0].font.color == GRAY_90
    bar = figure.layout.coloraxis.colorbar
    assert bar.tickfont.color == bar.title.font.color == GRAY_90
    assert figure.layout.xaxis.title.text == "one"


def test_what_sets_a_mark_off_from_a_bar_has_the_colour_of_the_page() -> None:
    look: dict[str, Any] = {"symbol": "circle", "hover": None}
    drawn = marks.dots([0.5], [0], "one", color="#123456", across=[Span(0.4, 0.6)], **look)
    bar = go.Bar(x=[0.5], y=[0], marker_color=marks.RIM)
    plain_dot = marks.dots([0.5], [0], "two", color="#654321", **look)
    _, rim, dot, other = readable(go.Figure([bar, *marks.rimmed(drawn), plain_dot])).data
    assert rim.marker.color == rim.marker.line.color == rim.error_x.color == BG_COLOR
    assert dot.marker.color == "#123456"
    assert other.marker.color == "#654321"
    assert bar.marker.color == marks.RIM


def test_a_whisker_on_bars_and_values_beside_marks_have_the_colour_of_the_text() -> None:
    shown = readable(risk_bars([RiskBar("m", "run", 0.2, 0.1, 0.3, 0.2, 0.4)]))
    *_, whisker, legend, values = shown.data
    assert whisker.error_x.color == whisker.marker.line.color == GRAY_90
    assert legend.line.color == legend.marker.color == GRAY_90
    assert values.textfont.color == GRAY_90


def test_a_scale_of_probabilities_takes_the_colours_of_the_page() -> None:
    axis = theme.probability_axis("words for men", 0.25)
    stops = readable(go.Figure(layout={"coloraxis": axis})).layout.coloraxis.colorscale
    assert [at for at, _ in stops][::4] == [0, pytest.approx(0.25), 1]
    assert [color for _, color in stops] == [*DIVERGING[:5], *DIVERGING[6:]]
    other = readable(go.Figure(layout={"coloraxis": {"colorscale": theme.shades(["#111111", "#222222"])}}))
    assert [color for _, color in other.layout.coloraxis.colorscale] == ["#111111", "#222222"]


def test_neutral_is_white_on_a_light_page_and_mid_grey_on_a_dark_one() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf8"))["theme"]
    light, dark = (config[name]["chartDivergingColors"] for name in ("light", "dark"))
    assert len(light) == len(dark) == 10
    assert (*light[:5], *light[6:]) == (*theme.DIVERGING[:4], theme.DIVERGING[5], *theme.DIVERGING[7:])
    red, green, blue = (int(dark[4][at : at + 2], 16) for at in (1, 3, 5))
    assert 0x50 < min(red, green, blue) <= max(red, green, blue) < 0x90


def test_title_and_source_are_written_into_a_figure() -> None:
    figure = readable(go.Figure(go.Bar(x=[1], y=[1])), "Risk", "PCF Audit")
    assert "Risk" in figure.layout.title.text
    assert "PCF Audit" in figure.layout.title.text


def test_a_finished_figure_is_the_same_and_is_taken_apart_once() -> None:
    figure = readable(make_subplots(1, 2, subplot_titles=["one", "two"]), "Risk", "PCF Audit")
    figure.add_trace(go.Scatter(x=np.arange(3.0), y=[1, 2, 3], customdata=[["a"], ["b"], ["c"]]), 1, 2)
    before = figure.to_json()
    shared = finished(figure)
    assert json.loads(shared.to_json()) == json.loads(before)
    assert shared.to_dict() is shared.to_dict()
    larger = go.Figure(shared).update_layout(height=900)
    assert larger.layout.height == 900
    assert json.loads(shared.to_json()) == json.loads(before), "whoever changes a copy changes no other"


def test_the_placeholders_are_colours_that_streamlit_replaces() -> None:
    assert len({GRAY_70, GRAY_90, BG_COLOR}) == 3
    assert GRAY_90.startswith("#0000")
    assert BG_COLOR.startswith("#0000")


@pytest.mark.parametrize(("rows", "pixels"), [(2, 107), (10, 387), (30, 387)])
def test_the_place_of_a_table_is_kept_as_high_as_the_table_is(rows: int, pixels: int) -> None:
    style = table_room("models_table", rows)
    assert f"min-height: {pixels}px" in style
    assert "st-key-models_table" in style
