"""Panels: answers with picture and table, composed once for pages, reports and terminals.

    Study (report.loaded)  --report.sections.*_panel-->  Panel  --app.page.draw_picture, draw_foot-->  a page
                                                           --part_of------------->  a part of a report
                                                           --text_lines---------->  lines of a terminal

Pages own controls and layout, sections of reports the choice of panels.  In a report charts and tables are
plain records with unrounded numbers.  Lines of a terminal have no control characters, as texts come from
outside.
"""

from __future__ import annotations

import base64
import json
import math
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from pcf_core.report.documents import finite
from pcf_core.report.loaded import PROGRAM
from pcf_core.report.records import Cell, KeyFigure, ReportFigure, ReportPart, ReportTable
from pcf_core.show.charts.theme import SOURCE_COLUMNS, heading, titled
from pcf_core.show.findings.numbers import digits
from pcf_core.show.names import worded

if TYPE_CHECKING:  # slow to import, and most commands write no table
    import pandas as pd
from collections import Counter

from pcf_core.audit.results import Report
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, MeanTilt, Over, RiskReport
from pcf_core.show.findings.models import shown_interval
from pcf_core.show.findings.numbers import (
    chance,
    ends,
    listed,
    people,
    percent,
    signed,
    two_decimals,
    words_of,
)

USUAL_HEIGHT = 450
PAPER_HEIGHT = 302  # pixels of 80 mm; also in assets/report/report.css
NINE_POINTS = 12  # in pixels
FONT_SIZE = re.compile(r"font-size: (\d+)px")
MOST_ROWS = 10  # of a table, so that the answer does not scroll away
GAP = "  "  # between columns
STEERING = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))  # categories of Unicode
JOINERS = "\u200c\u200d"  # of category Cf too: some scripts need them


@dataclass(frozen=True)
class Panel:
    """A picture with what it says and its data; picture and table are made on demand.

    ``claim``: what the picture shows, if certain, its title; ``heading``: what is drawn, else from ``alt``.
    ``key``: of the picture on a page, ``name`` in a report.  ``alt``: for a screen reader.  ``chart``: with
    all arguments, for caching.  ``table_name``: in a report, if not ``name``.  Empty sentences are left out.
    """

    title: str = ""
    heading: str = ""
    claim: str = ""
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
    """Write a panel as a part of a report, with further sentences after its own."""
    name = panel.table_name or panel.name
    return ReportPart(
        title=panel.title,
        findings=said([*panel.findings, *findings]),
        numbers=tuple(panel.numbers),
        figure=figure_in(panel, panel.name),
        how=worded(panel.how),
        tables=(table_of(panel.table(), name, panel.table_title),) if panel.table else (),
        notes=said([*panel.notes, *notes]),
    )


def figure_in(panel: Panel, name: str) -> ReportFigure | None:
    """Draw a panel's picture for a report."""
    if panel.chart is None:
        return None
    return figure_of(panel.chart(), name, panel.alt, panel.source, panel.heading, panel.claim)


def figure_of(
    figure: go.Figure,
    name: str,
    alt: str,
    source: str = PROGRAM,
    title: str = "",
    claim: str = "",
    *,
    width: int = SOURCE_COLUMNS,
) -> ReportFigure:
    """Make a report's figure of a chart, without plotly's template; its texts are as in :class:`Panel`.

    ``width``: columns of a line of the source.
    """
    titled(figure, title or heading(alt), source, claim, width=width)
    drawn = _written_out(json.loads(figure.to_json()))
    drawn["layout"].pop("template", None)
    height = drawn["layout"].pop("height", USUAL_HEIGHT)
    return ReportFigure(
        name=name, alt=alt, plotly={"data": drawn["data"], "layout": drawn["layout"]}, height=height
    )


def legible(part: ReportPart) -> ReportPart:
    """Return a part whose picture has labels of at least nine points on paper, however far it shrinks."""
    if part.figure is None:
        return part
    least = math.ceil(NINE_POINTS * max(1.0, part.figure.height / PAPER_HEIGHT))
    drawn = _enlarged(dict(part.figure.plotly), least)
    drawn["layout"].setdefault("font", {"size": least})
    return part.model_copy(update={"figure": part.figure.model_copy(update={"plotly": drawn})})


def _enlarged(value: Any, least: int, *, font: bool = False) -> Any:
    """Return a picture whose fonts have at least this size in pixels, also inside texts."""
    if isinstance(value, dict):
        return {
            key: max(item, least)
            if font and key == "size" and isinstance(item, int | float)
            else _enlarged(item, least, font=key.endswith("font"))
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_enlarged(item, least) for item in value]
    if isinstance(value, str):
        return FONT_SIZE.sub(lambda match: f"font-size: {max(int(match[1]), least)}px", value)
    return value


def _written_out(value: Any) -> Any:
    """Write plotly's packed arrays (``dtype``, ``bdata``, ``shape``) as lists."""
    if isinstance(value, dict):
        if "bdata" in value and "dtype" in value:
            array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=np.dtype(value["dtype"]))
            shape = [int(size) for size in str(value.get("shape", array.size)).split(",")]
            return finite(array.reshape(shape).tolist())
        return {key: _written_out(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_written_out(item) for item in value]
    return value


def table_of(frame: pd.DataFrame, name: str, title: str, *, folded: bool = True) -> ReportTable:
    """Make a report's table with unrounded numbers; missing values are ``None``."""
    columns = [[cell(value) for value in frame[column].tolist()] for column in frame.columns]
    return ReportTable(
        name=name,
        title=title,
        columns=tuple(map(str, frame.columns)),
        rows=tuple(zip(*columns, strict=True)) if columns else (),
        folded=folded,
    )


def facts_table(name: str, title: str, facts: Mapping[str, str]) -> ReportTable:
    """Make a report's table of facts: name and sentence."""
    return ReportTable(
        name=name, title=title, columns=("what", "value"), rows=tuple(facts.items()), folded=False
    )


def cell(value: object) -> Cell:
    """Return a table's value for JSON."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.bool_):
        return bool(value)
    return str(value)


def cell_text(value: Cell) -> str:
    """Write a cell for people, with three significant digits."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    return digits(value) if isinstance(value, float) else value


def said(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return the sentences that are not empty, each once."""
    return tuple(dict.fromkeys(sentence for sentence in sentences if sentence))


def text_lines(panels: Iterable[Panel]) -> list[str]:
    """Write panels below each other, without pictures, an empty line between blocks."""
    blocks = [block for panel in panels for block in _blocks_of(panel)]
    return [_printable(line).rstrip() for block in blocks for line in ("", *block)][1:]


def _printable(text: str) -> str:
    """Replace control characters by question marks."""
    return "".join(
        "?" if unicodedata.category(one) in STEERING and one not in JOINERS else one for one in text
    )


def _blocks_of(panel: Panel) -> Iterator[list[str]]:
    title = panel.title or panel.heading
    if findings := said(panel.findings):
        yield [*said([title]), *findings]
    if panel.numbers:
        yield _aligned([(one.label, one.value, one.detail) for one in panel.numbers])
    if panel.table and (rows := table_lines(panel.table())):
        yield [*said([panel.table_title]), *rows]
    if notes := said(panel.notes):
        yield [*([] if findings else said([title])), *(f"- {note}" for note in notes)]


def table_lines(table: pd.DataFrame) -> list[str]:
    """Write the first rows of a table with three digits; a single row as a list of cells."""
    if table.empty:
        return []
    columns = [
        (
            _printable(str(name)),
            *(_printable(cell_text(cell(value))) for value in table.iloc[:MOST_ROWS, index]),
        )
        for index, name in enumerate(table.columns)
    ]
    if len(table) == 1:
        return _aligned(columns)
    rest = len(table) - MOST_ROWS
    more = [f"… and {rest:,} more; --json gives all"] if rest > 0 else []
    return [*_aligned(list(zip(*columns, strict=True))), *more]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write texts in columns; columns for which there is no room come below, with the first one again."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room, blocks, used = shutil.get_terminal_size().columns, [[0]], widths[0]
    for index, width in enumerate(widths[1:], start=1):
        used += len(GAP) + width
        if used > room and len(blocks[-1]) > 1:
            blocks.append([0])
            used = widths[0] + len(GAP) + width
        blocks[-1].append(index)
    lines = [
        ["", *(GAP.join(row[index].ljust(widths[index]) for index in block) for row in rows)]
        for block in blocks
    ]
    return [line for block in lines for line in block][1:]


MOST = 4


def risk_figures(
    reports: Mapping[str, RiskReport], over: Over = "templates", *, thousand: bool = False
) -> list[KeyFigure]:
    """Make key figures: R of each model with interval, share of prejudice, deviation of the stereotype."""
    figures = []
    factor = 1000 if thousand else 1
    for name, report in reports.items():
        interval = shown_interval(report, "overall_risk", over)
        value = factor * report.overall_risk
        bounds = "no range"
        if interval:
            scaled = {"low": factor * interval.low, "high": factor * interval.high}
            bounds = ends(interval.model_copy(update=scaled), value)
        figures.append(
            KeyFigure(
                f"Risk R · {name}",
                f"{two_decimals(value)}{' (× 1,000)' if thousand else ''}",
                f"Discrimination risk{' × 1,000' if thousand else ''}: 0 is even, on the PCF scale "
                f"{'1,000' if thousand else '1'} is always the same group. {interval_words(interval)} "
                "s.d. is the standard deviation of the stereotype over sentences; where its sign never "
                "changes, caprice shows none of it.",
                beside(
                    bounds,
                    f"{share(report.prejudice_risk, report.overall_risk)} prejudice",
                    f"s.d. {two_decimals(report.stereotype_sd)}",
                ),
            )
        )
    return figures


def beside(*parts: str) -> str:
    """Join the non-empty texts under a figure."""
    return " · ".join(filter(None, parts))


def share(part: float, whole: float) -> str:
    """Write a part as per cent of a whole, a dash if that is 0."""
    return percent(part / whole) if whole > 0 else "–"


def tilt_figures(
    tilts: Mapping[str, Mapping[str, MeanTilt]], reports: Mapping[str, RiskReport], high: str, over: Over
) -> list[KeyFigure]:
    """Make key figures of each model's mean tilt towards one group, with interval."""
    figures = []
    for name, report in reports.items():
        tilt = tilts[name][high]
        towards = sum(row.stereotype[high] > 0 for row in report.occupations)
        figures.append(
            KeyFigure(
                f"Mean tilt · {name}",
                signed(tilt.mean),
                f"From −1 to +1: +1 means only {words_of(high)}, 0 is even. It is the mean over occupations. "
                f"{interval_words(tilt.intervals[over])}",
                beside(
                    ends(tilt.intervals[over], tilt.mean),
                    f"{towards:,} of {len(report.occupations):,} towards {people(high)}",
                ),
            )
        )
    return figures


def lead_figures(reports: Mapping[str, RiskReport]) -> list[KeyFigure]:
    """Make key figures of the group that each model prefers in most occupations."""
    figures = []
    for name, report in reports.items():
        leaders = Counter(max(row.stereotype, key=row.stereotype.__getitem__) for row in report.occupations)
        group, times = leaders.most_common(1)[0]
        figures.append(
            KeyFigure(
                f"Most often first · {name}",
                people(group),
                "The group that the model prefers in most occupations, on average over the sentences.",
                f"{times:,} of {len(report.occupations):,} occupations",
            )
        )
    return figures


def interval_words(interval: Interval | None) -> str:
    """Say for a help text what an interval is over."""
    if interval is None:
        return "There is no range."
    over = _in_words(str(interval.over))
    return f"The {percent(interval.level)} range is over {over}."


def interval_note(reports: Mapping[str, RiskReport], over: Over) -> str:
    """Say which models have no interval over ``over``, so that another is shown; "" if all have one."""
    lacking = [name for name, report in reports.items() if report.interval("overall_risk", over) is None]
    if not lacking:
        return ""
    return (
        f"There is no range over {_in_words(over)} for {listed(lacking)}, because a sampling plan drew the "
        "sentences. The range shown is over sentences."
    )


def _in_words(over: str) -> str:
    return {"templates": "sentences", "both": "sentences and occupations"}.get(over, over)


def heat_figures(runs: Mapping[str, Report], group: str) -> list[KeyFigure]:
    """Make key figures of the range of P(group) over all test sentences."""
    figures = []
    for name, item in runs.items():
        preferences = item.result.preferences
        every = preferences.values[..., preferences.groups.index(group)]
        cells = every[~np.isnan(every)]
        if not cells.size:
            continue
        figures.append(
            KeyFigure(
                f"Median P({group}) · {name}",
                chance(float(np.median(cells))),
                "The median probability over all test sentences, which count equally. Even is one divided "
                "by the number of groups.",
                f"{chance(float(cells.min()))} to {chance(float(cells.max()))} in {cells.size:,} sentences"
                + (f"; {every.size - cells.size:,} have none" if cells.size < every.size else ""),
            )
        )
    return figures


def parts_of(reports: Mapping[str, RiskReport], part: str) -> dict[str, FloatArray]:
    """Return one part of the risk by model, [occupation] each."""
    return {
        name: np.array([getattr(row, part) for row in report.occupations]) for name, report in reports.items()
    }
