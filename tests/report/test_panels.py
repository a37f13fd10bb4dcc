"""Panels: written as parts of a report, made of a page's choice as of a report's study."""

from __future__ import annotations

from functools import partial

import pandas as pd
import plotly.graph_objects as go

from pcf_core.app.addresses import Choice
from pcf_core.app.data import Loaded
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result
from pcf_core.core.settings import Settings
from pcf_core.report.loaded import Runs, Study, load
from pcf_core.report.panels import Panel, part_of
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
    runs = {"mini-gpt": load(store, run, options, load_result)}
    choice = Choice(("mini-gpt",), run.topic.name, run.templates.name, run.evidence.name, options)
    page, report = Loaded(choice, runs, {}, {}), Study(runs, options, choice.over)
    assert part_of(risk_panel(page)) == part_of(risk_panel(report))
    assert (page.most(0).runs, page.most(0).choice) == ({}, choice)


def listed(runs: Runs, number: int, *, other: bool = False) -> list[str]:
    return list(runs.runs)


def also_listed(runs: Runs, number: int) -> list[str]:
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
