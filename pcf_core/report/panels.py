"""Panels: what a question is answered with, composed once; pages draw it and reports write it.

    Runs (report.loaded)  --report.sections.*_panel-->  Panel  --app.page.draw_picture, draw_foot-->  a page
                                                               --part_of------------->  a part of a report

A page keeps its controls and its layout, a section of a report the choice of panels and of their settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from pcf_core.report.loaded import PROGRAM
from pcf_core.report.parts import figure_of, said, table_of
from pcf_core.report.records import KeyFigure, ReportFigure, ReportPart

if TYPE_CHECKING:  # a third of a command's start, and most write no table
    import pandas as pd


@dataclass(frozen=True)
class Panel:
    """One picture with what it says and its data; picture and table are made when they are asked for.

    ``heading`` and ``source`` stand in the picture; without a heading what ``alt`` says first.  ``key``: what
    the picture is called on a page, ``name`` in a report, ``alt`` its sentence for who cannot see it.
    ``chart`` is a function with all that it takes, by which a page keeps what it draws.  ``table_name``: in a
    report, where it is not that of the picture.  Sentences may be empty, and are left out then.
    """

    title: str = ""
    heading: str = ""
    source: str = PROGRAM
    findings: Sequence[str] = ()
    numbers: Sequence[KeyFigure] = ()
    key: str = ""
    name: str = ""
    alt: str = ""
    chart: partial[go.Figure] | None = None
    how: str = ""
    table: Callable[[], pd.DataFrame] | None = None
    table_title: str = ""
    table_name: str = ""
    notes: Sequence[str] = ()


def part_of(panel: Panel, *, findings: Sequence[str] = (), notes: Sequence[str] = ()) -> ReportPart:
    """Write a panel as a part of a report, with further sentences behind its own."""
    name = panel.table_name or panel.name
    return ReportPart(
        title=panel.title,
        findings=said([*panel.findings, *findings]),
        numbers=tuple(panel.numbers),
        figure=figure_in(panel, panel.name),
        how=panel.how,
        tables=(table_of(panel.table(), name, panel.table_title),) if panel.table else (),
        notes=said([*panel.notes, *notes]),
    )


def figure_in(panel: Panel, name: str) -> ReportFigure | None:
    """Draw the picture of a panel for a report, under a name."""
    if panel.chart is None:
        return None
    return figure_of(panel.chart(), name, panel.alt, panel.source, panel.heading)
