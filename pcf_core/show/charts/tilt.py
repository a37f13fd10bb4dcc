"""Box plots of the tilt: the mean stereotype of a group over occupations (BVF Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import MeanTilt, Over, RiskReport
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import called

LABELLED = 3
LINE = 12  # pixels between two labels
BOX = 0.15  # half a box's height, in rows
OVER: dict[Over, str] = {
    "templates": "sentences",
    "occupations": "occupations",
    "both": "sentences and occupations",
}
MEAN = 0.25  # how far under a box's middle its mean stands, in rows
Tilts = Mapping[str, Mapping[str, MeanTilt]]


@dataclass(frozen=True)
class _Row:
    """One box: ``values`` [occupation] with their names, at ``place`` on the y axis of subplot ``panel``.

    ``tilt``: the mean over occupations and how sure it and each point are, where that is known.
    """

    label: str
    names: Sequence[str]
    values: FloatArray
    style: theme.ModelStyle
    place: int
    panel: int = 1
    tilt: MeanTilt | None = None

    @property
    def heights(self) -> FloatArray:
        """[occupation] where each point lies: neighbours in value are spread by the golden ratio."""
        spread = np.empty(len(self.values))
        spread[np.argsort(self.values, kind="stable")] = np.arange(len(self.values)) * 0.6180339887 % 1 - 0.5
        return np.asarray(self.place + 1.6 * BOX * spread)


def tilt_box(
    reports: Mapping[str, RiskReport],
    group_high: str,
    group_low: str,
    *,
    labour: Mapping[str, float] | None,
    text: Mapping[str, float] | None = None,
    tilts: Tilts | None = None,
    over: Over = "templates",
    chosen: str = "",
) -> go.Figure:
    """Draw one horizontal box per model over the occupations' mean stereotype of ``group_high``.

    Every occupation is a point; the three furthest to each side are named (fewer where many models share the
    height), those to the right above the box, those to the left below it.  A hollow mark under the box is the
    mean over occupations with its interval.

    Parameters
    ----------
    reports
        Per model; only ``occupations[i].stereotype[group_high]`` is read.
    group_high, group_low
        The groups at the right and at the left end of the axis.
    labour
        Per occupation the share of ``group_low`` (women, for gender) among the people employed, in [0, 1];
        drawn as a muted row of their tilt on the same axis, 1 − 2 · share.
    text
        Per occupation the lean of the training text on the same axis; drawn as a muted row too.
    tilts, over
        Per model and group, how sure the mean and each occupation are, and which interval of the mean is
        drawn; the points' are always over templates.
    chosen
        An occupation to be ringed, with its interval.
    """
    styles = theme.model_styles(list(reports))
    rows = [
        _Row(
            model,
            *_tilt(report, group_high),
            style=styles[model],
            place=index,
            tilt=tilts[model][group_high] if tilts else None,
        )
        for index, (model, report) in enumerate(reports.items())
    ]
    if labour:
        muted = theme.ModelStyle(theme.MUTED, "circle-open", "")
        values = 1 - 2 * np.array(list(labour.values()), dtype=np.float64)
        rows.append(_Row("labour force", list(labour), values, muted, len(rows)))
    if text:
        muted = theme.ModelStyle(theme.MUTED, "diamond-open", "")
        leans = np.array(list(text.values()), dtype=np.float64)
        rows.append(_Row("training text", list(text), leans, muted, len(rows)))
    height = min(theme.MAX_HEIGHT, 90 + 120 * len(rows))
    labelled = min(LABELLED, max(1, int(((height - 90) / len(rows) / 2 - 22) // LINE)))
    figure = go.Figure()
    labels = []
    for row in rows:
        _draw(figure, row, over, chosen)
        labels += _labels(row, labelled, step=LINE * len(rows) / (height - 90))
    low, high = (theme.group(group) for group in (group_low, group_high))
    figure.update_xaxes(
        title_text=f"← {low} · even · {high} →",
        range=_range(rows),
        **theme.SIGNED,
    )
    _finish_rows(figure, [row.label for row in rows])
    view = f"{low} {high} {' '.join(reports)}"
    return theme.base_layout(figure, height, view=view, legend=False, annotations=labels)


def tilt_panels(
    reports: Mapping[str, RiskReport],
    tilts: Tilts | None = None,
    over: Over = "templates",
    chosen: str = "",
    drawn: Sequence[str] = (),
) -> go.Figure:
    """Draw for more than two groups: one panel per group, in each a box per model, all on one axis.

    To the right of 0 the group is put before its neutral share; names are on hover.  ``tilts``, ``over`` and
    ``chosen`` as of :func:`tilt_box`; ``drawn``: the groups that have a panel, all where none is named.
    """
    styles = theme.model_styles(list(reports))
    every = list(dict.fromkeys(group for report in reports.values() for group in report.groups))
    groups = [group for group in every if group in drawn] if drawn else every
    titles = [f"← less · {theme.group(group)} · more →" for group in groups]
    figure = make_subplots(
        rows=len(groups), cols=1, shared_xaxes=True, subplot_titles=titles, vertical_spacing=0.3 / len(groups)
    )
    rows = [
        _Row(
            model,
            *_tilt(report, group),
            style=styles[model],
            place=index,
            panel=panel,
            tilt=tilts[model][group] if tilts else None,
        )
        for panel, group in enumerate(groups, start=1)
        for index, (model, report) in enumerate(reports.items())
    ]
    for row in rows:
        _draw(figure, row, over, chosen)
    figure.update_annotations(font_size=12)
    figure.update_xaxes(range=_range(rows, lowest=-1 / (len(every) - 1)), **theme.SIGNED)
    figure.update_xaxes(title_text="← less often · even · the group more often →", row=len(groups))
    _finish_rows(figure, list(reports))
    height = 80 + len(groups) * (40 + 44 * len(reports))
    view = f"{groups} {list(reports)}"
    return theme.base_layout(figure, height, view=view, legend=False, top=theme.BELOW_PANEL_NAMES)


def _tilt(report: RiskReport, group: str) -> tuple[list[str], FloatArray]:
    names = [occupation.occupation for occupation in report.occupations]
    return names, np.array([occupation.stereotype[group] for occupation in report.occupations])


def _finish_rows(figure: go.Figure, labels: Sequence[str]) -> None:
    """Name the rows, and draw the line of an even split."""
    marks.number_rows(figure, [theme.lines(label, 14) for label in labels])
    marks.rule(figure, x=0, dash="solid", width=1.5)


def _range(rows: Sequence[_Row], lowest: float = -1.0) -> list[float]:
    """Return ``lowest`` to 1; wider where another scale or reference takes a stereotype beyond."""
    values = np.concatenate([row.values for row in rows])
    return [min(lowest, float(values.min())) - 0.05, max(1.0, float(values.max())) + 0.05]


def _draw(figure: go.Figure, row: _Row, over: Over, chosen: str) -> None:
    """Add a row's box and its points, its mean with an interval, and the chosen occupation with its own."""
    panel = "" if row.panel == 1 else row.panel
    color, marker, name = row.style.color, row.style.marker, theme.text(row.label)
    shared: dict[str, Any] = {"name": name, "extra": "name"}
    hover = [_value(row, index) for index in range(len(row.names))]
    traces = [
        marks.box(row.values, row.place, 2 * BOX, name, color),
        marks.dots(
            row.values,
            row.heights,
            color=color,
            symbol=marker,
            size=6,
            marker={"opacity": 0.7},
            hover=hover,
            **shared,
        ),
    ]
    if row.tilt:  # the mean over occupations, hollow, under the box
        mean, interval = row.tilt.mean, row.tilt.intervals[over]
        text = f"mean {mean:+.3g} ({interval.low:+.3g} to {interval.high:+.3g}, over {OVER[over]})"
        look: dict[str, Any] = {"symbol": f"{marker}-open", "rim": 2, "hover": [text], "whisker": color}
        traces.append(
            marks.dots([mean], [row.place + MEAN], color=color, across=[interval], **look, **shared)
        )
    if chosen in row.names:  # a ring around the chosen occupation, with its interval over templates
        at = list(row.names).index(chosen)
        ring: dict[str, Any] = {
            "symbol": "circle-open",
            "size": 16,
            "color": theme.MUTED,
            "rim": 2.5,
            "hover": [hover[at]],
        }
        x, y = [float(row.values[at])], [row.heights[at]]
        traces.append(marks.dots(x, y, across=[_interval(row, at)], **ring, **shared))
    for trace in traces:
        figure.add_trace(trace.update(xaxis=f"x{panel}", yaxis=f"y{panel}"))


def _interval(row: _Row, index: int) -> marks.Span | None:
    low, high = row.tilt.occupations[row.names[index]] if row.tilt else (None, None)
    return None if low is None or high is None else marks.Span(low, high)


def _value(row: _Row, index: int) -> str:
    interval = marks.within(_interval(row, index), "+.3g")
    return f"{theme.text(called(row.names[index]))}: {float(row.values[index]):+.3g}{interval}"


def _labels(row: _Row, labelled: int, step: float) -> list[dict[str, object]]:
    """Name the row's extremes, right ones above the box and left ones below, ``step`` rows apart."""
    order = np.argsort(row.values, kind="stable")
    labels = []
    for line in range(min(labelled, len(order) // 2)):
        away = BOX + step * (line + 0.75)
        labels.append(_label(row, int(order[line]), row.place + away))
        labels.append(_label(row, int(order[-1 - line]), row.place - away))
    return labels


def _label(row: _Row, index: int, height: float) -> dict[str, object]:
    value = float(row.values[index])
    return {
        "text": theme.text(called(row.names[index]), 24),
        "x": value,
        "y": float(row.heights[index]),
        "axref": "x",
        "ayref": "y",
        "ax": value,
        "ay": height,
        "xanchor": "left" if value < 0 else "right",
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": theme.GRID,
        "font": {"size": 11},
    }
