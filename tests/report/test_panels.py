"""Panels: parts of a report, made of a page's choice as of a study; lines that steer no terminal."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import pytest

from pcf_core.app.addresses import Choice
from pcf_core.app.data import Loaded
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Results
from pcf_core.core.settings import Settings
from pcf_core.report.loaded import Study
from pcf_core.report.panels import MOST_ROWS, Panel, part_of, table_lines, text_lines
from pcf_core.report.records import KeyFigure
from pcf_core.report.sections.risk import risk_panel
from pcf_core.store.store import Store
from tests.conftest import fill


def test_a_part_has_what_the_panel_says_and_then_what_the_report_adds() -> None:
    made: list[str] = []

    def chart() -> go.Figure:
        made.append("chart")
        return go.Figure(go.Bar(x=[1.0]))

    def table() -> pd.DataFrame:
        made.append("table")
        return pd.DataFrame({"risk": [1.0]})

    panel = Panel(
        findings=["It is high.", ""],
        key="risk_bars",
        name="risk",
        alt="Bars",
        chart=partial(chart),
        table=table,
        table_title="All risks",
        notes=["It is sure."],
    )
    assert made == []
    part = part_of(panel, findings=["It is higher.", "It is high."], notes=["It is known."])
    assert made == ["chart", "table"]
    assert part.findings == ("It is high.", "It is higher.")
    assert part.notes == ("It is sure.", "It is known.")
    assert part.figure is not None
    assert (part.figure.name, part.figure.alt) == ("risk", "Bars")
    assert [(one.name, one.title, one.rows) for one in part.tables] == [("risk", "All risks", ((1.0,),))]


def test_without_picture_and_table_there_is_none_in_the_part() -> None:
    part = part_of(Panel(findings=["It is high."]))
    assert (part.figure, part.tables) == (None, ())


def test_a_page_and_a_report_have_the_same_panel(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run, options = fill(store, "mini-gpt"), ViewOptions()
    runs = {"mini-gpt": Results(store).report(run, options)}
    choice = Choice(("mini-gpt",), run.topic.name, run.templates.name, run.evidence.name, options)
    page, report = Loaded.of(choice, runs), Study(runs, options, choice.over)
    assert part_of(replace(risk_panel(page), source=report.source)) == part_of(risk_panel(report))
    assert (page.most(0).runs, page.most(0).choice) == ({}, choice)


def listed(runs: Study, number: int, *, other: bool = False) -> list[str]:
    return list(runs.runs)


def also_listed(runs: Study, number: int) -> list[str]:
    return list(runs.runs)


def test_a_study_works_things_out_once_by_all_that_a_function_takes() -> None:
    study = Study({}, ViewOptions(), "templates")
    found = [
        study.remember(listed, 1),
        study.remember(listed, 2),
        study.remember(listed, 1, other=True),
        study.remember(also_listed, 1),
    ]
    assert study.remember(listed, 1) is found[0]
    assert len({id(one) for one in found}) == 4
    assert study.most(1).remember(listed, 1) is not found[0]


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A narrow one: 40 characters."""
    monkeypatch.setattr("shutil.get_terminal_size", lambda **_: os.terminal_size((40, 10)))


def test_a_panel_says_its_answer_figures_table_and_notes_in_this_order() -> None:
    panel = Panel(
        title="Risk",
        findings=["It is high.", "", "It is sure."],
        numbers=[KeyFigure("R · a", "0.59", "0 is fair", "0.53–0.64"), KeyFigure("R · bb", "1", "")],
        table=lambda: pd.DataFrame({"model": ["a", "bb"], "risk": [0.58912, None], "same": [True, False]}),
        table_title="All risks",
        notes=["The words are unequal."],
    )
    assert text_lines([panel, Panel(title="Picture alone"), Panel(title="Next", notes=["It is new."])]) == [
        "Risk",
        "It is high.",
        "It is sure.",
        "",
        "R · a   0.59  0.53–0.64",
        "R · bb  1",
        "",
        "All risks",
        "model  risk   same",
        "a      0.589  yes",
        "bb     –      no",
        "",
        "- The words are unequal.",
        "",
        "Next",
        "- It is new.",
    ]


def test_without_a_title_the_heading_of_the_picture_stands_above() -> None:
    assert text_lines([Panel(heading="Risks", findings=["It is high."])]) == ["Risks", "It is high."]


def test_a_single_row_is_a_list_of_its_cells() -> None:
    table = pd.DataFrame([{"model": "a", "overall_risk": 0.5, "low": None}])
    assert [line.rstrip() for line in table_lines(table)] == [
        "model         a",
        "overall_risk  0.5",
        "low           –",
    ]


def test_of_an_empty_table_not_even_the_title_is_written() -> None:
    assert text_lines([Panel(findings=["None."], table=pd.DataFrame, table_title="All")]) == ["None."]


def test_of_a_long_table_the_first_rows_stand_there_and_how_many_do_not() -> None:
    lines = table_lines(pd.DataFrame({"occupation": list(map(str, range(1_300))), "risk": 0.5}))
    assert len(lines) == 1 + MOST_ROWS + 1
    assert lines[-1] == "… and 1,290 more; --json gives all"


def test_columns_without_room_stand_below_with_the_rows_named_again() -> None:
    table = pd.DataFrame(
        {
            "model": ["mini-gpt", "mini-bert"],
            "words of women": ["she, her"] * 2,
            "words of men": ["he, his, him, himself"] * 2,
        }
    )
    lines = text_lines([Panel(table=lambda: table)])
    assert all(len(line) <= 40 for line in lines)
    assert [line.split()[0] for line in lines if line] == ["model", "mini-gpt", "mini-bert"] * 2


def test_texts_of_models_steer_no_terminal() -> None:
    table = pd.DataFrame({"phrase": ["red\x1b[31m", "b"]})
    lines = text_lines([Panel(title="a\x07b", findings=["\x1b[2J"], table=lambda: table)])
    assert not any(ord(character) < 32 for line in lines for character in line)
    assert "red?[31m" in "\n".join(lines)


def test_no_name_forges_or_turns_a_line() -> None:
    """Line ends, carriage returns, C1's CSI and marks of direction; joiners of scripts stay."""
    table = pd.DataFrame([["x\ny", 1], ["z", 2]], columns=["same", "same"])
    said = ["a\rb", "c\nd", "e\x9b31m", "\u202efg", "h\u200di"]
    lines = text_lines([Panel(findings=said, table=lambda: table)])
    assert lines[:5] == ["a?b", "c?d", "e?31m", "?fg", "h\u200di"]
    assert lines[6:] == ["same  same", "x?y   1", "z     2"]
