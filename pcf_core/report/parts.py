"""Charts and tables as plain records: every array a list, every number as it was computed."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from pcf_core.report.documents import finite
from pcf_core.report.loaded import PROGRAM
from pcf_core.report.records import Cell, ReportFigure, ReportTable
from pcf_core.show.charts.theme import heading, titled
from pcf_core.show.findings.numbers import digits

if TYPE_CHECKING:  # a third of a command's start, and most write no table
    import pandas as pd

USUAL_HEIGHT = 450


def figure_of(figure: go.Figure, name: str, alt: str, source: str = PROGRAM, title: str = "") -> ReportFigure:
    """Make a figure of a chart and its sentence, without plotly's template: who draws it brings a theme.

    ``title`` and ``source`` stand in it; without a title what ``alt`` says first.
    """
    titled(figure, title or heading(alt), source)
    drawn = written_out(json.loads(figure.to_json()))
    drawn["layout"].pop("template", None)
    height = drawn["layout"].pop("height", USUAL_HEIGHT)
    return ReportFigure(
        name=name, alt=alt, plotly={"data": drawn["data"], "layout": drawn["layout"]}, height=height
    )


def written_out(value: Any) -> Any:
    """Write plotly's packed arrays (``dtype``, ``bdata``, ``shape``) as lists of numbers."""
    if isinstance(value, dict):
        if "bdata" in value and "dtype" in value:
            array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=np.dtype(value["dtype"]))
            shape = [int(size) for size in str(value.get("shape", array.size)).split(",")]
            return finite(array.reshape(shape).tolist())
        return {key: written_out(item) for key, item in value.items()}
    if isinstance(value, list):
        return [written_out(item) for item in value]
    return value


def table_of(frame: pd.DataFrame, name: str, title: str, *, folded: bool = True) -> ReportTable:
    """Make a table with its numbers as they are; what is missing is ``None``."""
    columns = [[cell(value) for value in frame[column].tolist()] for column in frame.columns]
    return ReportTable(
        name=name,
        title=title,
        columns=tuple(map(str, frame.columns)),
        rows=tuple(zip(*columns, strict=True)) if columns else (),
        folded=folded,
    )


def facts_table(name: str, title: str, facts: Mapping[str, str]) -> ReportTable:
    """Make a table of facts, a name and a sentence each."""
    return ReportTable(
        name=name, title=title, columns=("what", "value"), rows=tuple(facts.items()), folded=False
    )


def cell(value: object) -> Cell:
    """Return a value of a table as JSON has it."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.bool_):
        return bool(value)
    return str(value)


def shown(value: Cell) -> str:
    """Write a cell as people read it: three significant digits; the JSON has them all."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    return digits(value) if isinstance(value, float) else value


def said(sentences: Iterable[str]) -> tuple[str, ...]:
    """Keep the sentences that are not empty, each once, in their order."""
    return tuple(dict.fromkeys(sentence for sentence in sentences if sentence))
