"""Panels as lines for a terminal: every block that a panel has, tables that fit, nothing that steers."""

from __future__ import annotations

import os

import pandas as pd
import pytest

from pcf_core.report.panels import Panel
from pcf_core.report.records import KeyFigure
from pcf_core.report.text import MOST_ROWS, table_lines, text_lines


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
