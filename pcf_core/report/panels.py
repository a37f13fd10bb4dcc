"""Panels: what a question is answered with, composed once; pages draw it and reports write it.

    runs (core.risk, report.loaded) --sections.*_panel--> Panel --app.page.draw_panel--> a page
                                                                --part_of------------> a part of a report

A page keeps its controls and its layout, a section of a report the choice of panels and of their settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from pcf_core.report.parts import figure_of, said, table_of
from pcf_core.report.records import KeyFigure, ReportPart

if TYPE_CHECKING:  # a third of a command's start, and most write no table
    import pandas as pd


@dataclass(frozen=True)
class Picture:
    """A chart, drawn when it is asked for.

    ``key``: what it is called on a page; ``name``: in a report; ``alt``: its sentence for who cannot see it.
    ``state``: all that it depends on besides the runs and how they are read.
    """

    key: str
    name: str
    alt: str
    make: Callable[[], go.Figure]
    state: Sequence[object] = ()


@dataclass(frozen=True)
class Table:
    """A table, made when it is asked for; ``name`` and ``title`` as in a report."""

    name: str
    title: str
    make: Callable[[], pd.DataFrame]


@dataclass(frozen=True)
class Panel:
    """One picture with what it says and its data, as :class:`ReportPart`, of which nothing is drawn yet.

    Empty findings and notes are left out.
    """

    title: str = ""
    findings: Sequence[str] = ()
    numbers: Sequence[KeyFigure] = ()
    picture: Picture | None = None
    how: str = ""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()


def part_of(panel: Panel) -> ReportPart:
    """Write a panel as a part of a report."""
    drawn = panel.picture
    return ReportPart(
        title=panel.title,
        findings=said(panel.findings),
        numbers=tuple(panel.numbers),
        figure=drawn and figure_of(drawn.make(), drawn.name, drawn.alt),
        how=panel.how,
        tables=tuple(table_of(table.make(), table.name, table.title) for table in panel.tables),
        notes=said(panel.notes),
    )
