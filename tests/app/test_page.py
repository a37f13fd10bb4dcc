"""What all pages are made of: key figures of any number of models, charts with their source, tables."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pcf_core.app.page import CHART, with_called


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


def _drawn() -> None:
    from functools import partial

    import pandas as pd

    from pcf_core.app.page import draw_picture
    from pcf_core.report.panels import Panel
    from pcf_core.show.charts.heat_map import cell_bars

    make = partial(cell_bars, {"one": {"male": 0.7, "female": 0.3}})
    table = pd.DataFrame({"group": ["male", "female"], "stereotype_male": [0.4, -0.4]})
    draw_picture(Panel(key="bars", alt="Bars", chart=make, source="PCF Audit · Gender", table=lambda: table))


def test_a_line_under_a_chart_says_its_source_and_gives_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Any] = {}
    monkeypatch.setattr(
        st, "download_button", lambda label, data, *given, **named: files.update({label: data})
    )
    app = AppTest.from_function(_drawn).run()
    assert not app.exception
    assert [caption.value for caption in app.caption] == ["Source: PCF Audit · Gender"]
    assert files["Download the data"]().split()[:2] == ["group,stereotype_male", "male,0.4"]


def test_a_chart_has_buttons_for_a_file_and_for_zooming_alone() -> None:
    (buttons,) = CHART["modeBarButtons"]  # type: ignore[misc]
    assert buttons == ["toImage", "zoomIn2d", "zoomOut2d", "resetScale2d"]


def test_a_table_names_models_and_groups_as_people_do() -> None:
    exact = "SmolLM2-135M-Instruct-Q4_1"
    table = pd.DataFrame({"model": [exact, None], "group": ["male", "own"], "stereotype_male": [0.1, 0.2]})
    shown = with_called(table)
    assert shown["model"][0] == "SmolLM2 135M Instruct"
    assert pd.isna(shown["model"][1])
    assert list(shown["group"]) == ["men", "own"]
    assert table["model"][0] == exact, "a file has the exact name"
