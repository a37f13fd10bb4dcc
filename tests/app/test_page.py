"""What all pages are made of: key figures of any number of models, charts under a finger."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import plotly.graph_objects as go
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pcf_core.app.page import chart


def _many() -> None:
    from pcf_core.app.page import draw_figures
    from pcf_core.report.records import KeyFigure

    draw_figures([KeyFigure(f"R · model {number}", str(number), "Its risk.") for number in range(12)])


def test_every_key_figure_is_drawn_those_beyond_the_first_row_folded_away() -> None:
    app = AppTest.from_function(_many).run()
    assert not app.exception
    assert [metric.value for metric in app.metric] == [str(number) for number in range(12)]
    (folded,) = app.expander
    assert folded.label == "The same for 7 more models"
    assert [metric.value for metric in folded.metric] == [str(number) for number in range(5, 12)]


def _named() -> None:
    import pandas as pd

    from pcf_core.app.page import draw_table

    draw_table(pd.DataFrame({"occupation": ["ceo", "nurse"], "cio": [0.5, 0.25]}), "named")


def test_a_table_writes_occupations_as_people_do_and_its_files_as_scripts_know_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files: dict[str, Any] = {}

    def keep(label: str, data: Any, *given: object, **named: object) -> None:
        files[label] = data

    monkeypatch.setattr(st, "download_button", keep)
    app = AppTest.from_function(_named).run()
    assert not app.exception
    shown = app.dataframe[0].value
    assert list(shown.columns) == ["occupation", "CIO"]
    assert list(shown["occupation"]) == ["CEO", "nurse"]
    assert files["CSV"]().split()[:2] == ["occupation,cio", "ceo,0.5"]


@pytest.mark.parametrize(
    ("browser", "expected"),
    [("Mozilla/5.0 (Linux; Android 14) Chrome/140 Mobile Safari/537.36", False), ("Firefox/140", None)],
)
def test_a_telephone_moves_the_page_where_a_mouse_zooms(
    browser: str, expected: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[go.Figure] = []
    monkeypatch.setattr(st, "plotly_chart", lambda figure, **_: drawn.append(figure))
    monkeypatch.setattr(st, "context", SimpleNamespace(headers={"User-Agent": browser}))
    shared = go.Figure(go.Bar(x=[1], y=["a"]))
    chart(shared, "key", "A bar")
    assert drawn[0].layout.dragmode is expected
    assert shared.layout.dragmode is None  # another visitor's may be no telephone
