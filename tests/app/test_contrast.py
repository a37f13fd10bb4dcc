"""Chart text takes Streamlit's stronger grey; what browsers make of it: tests/journeys/test_screens.py."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots
from streamlit.elements.lib.streamlit_plotly_theme import GRAY_70, GRAY_90

from pcf_core.app.contrast import readable


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


def test_a_title_is_written_once_and_stays() -> None:
    figure = go.Figure(go.Bar(x=[1], y=[1]))
    readable(figure, "Risk", "PCF Audit")
    once = figure.to_json()
    assert "PCF Audit" in figure.layout.title.text
    assert readable(figure, "Risk", "PCF Audit").to_json() == once


def test_the_placeholders_are_two_colours_that_streamlit_replaces() -> None:
    assert len({GRAY_70, GRAY_90}) == 2
    assert GRAY_90.startswith("#0000")


def test_a_figure_may_come_again() -> None:
    figure = go.Figure(go.Bar(x=[1], y=[1]))
    once = readable(figure).to_json()
    assert readable(figure).to_json() == once


@pytest.mark.slow
def test_a_figure_that_visitors_share_is_changed_by_one_of_them() -> None:
    """Plotly gathers the changes of a figure in the figure itself: two at once trip over each other."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as visitors:
            for _ in range(20):
                figure = make_subplots(rows=3, cols=3)
                seen = list(visitors.map(readable, [figure] * 8))
                assert all(each is figure for each in seen)
                assert figure.layout.xaxis9.tickfont.color == GRAY_90
    finally:
        sys.setswitchinterval(interval)
