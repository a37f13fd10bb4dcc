"""Box plots of the tilt over occupations (BVF Figure 5), and one occupation's stereotype over sentences.

In the latter, a panel per group shows the mean E s (filled) and, for the leading group, the risk r (hollow):
the line between r^p = J(E s) and r is the Jensen gap.  Two groups share a panel, as s of one is −s of the
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import MeanTilt, Over, RiskReport, StereotypeDistribution
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import called, people, percent
from pcf_core.show.names import worded

LABELLED = 3
LINE = 12  # pixels between two labels
AROUND = 130  # pixels around the rows, with a legend of three lines on a telephone
STRIP = 28  # pixels per model in a shared row
LEGEND_LINE = 19  # pixels per name in a legend on a telephone
BOX = "square-open"  # in a legend
RING = 16  # pixels around the chosen occupation
ROW = 56  # pixels of a row, without room for names
FOOT = 0.15  # rows below the last one, for its names
STILL: Mapping[str, Any] = {"legend_itemclick": False, "legend_itemdoubleclick": False}
LEADER = "rgba(127, 127, 127, 0.6)"  # from a name to its point
OVER: dict[Over, str] = {
    "templates": "sentences",
    "occupations": "occupations",
    "both": "sentences and occupations",
}
Tilts = Mapping[str, Mapping[str, MeanTilt]]


@dataclass(frozen=True)
class _Row:
    """One box of ``values`` [occupation], centred at ``place`` on the axis of rows.

    ``half``: half its height; ``below``: distance of its mean under it, in rows.  ``tilt``: mean and
    intervals, if known.  ``size``: of a point, in pixels.
    """

    label: str
    names: Sequence[str]
    values: FloatArray
    style: theme.ModelStyle
    place: float
    tilt: MeanTilt | None = None
    half: float = 0.15
    below: float = 0.25
    size: float = 6

    @property
    def heights(self) -> FloatArray:
        """[occupation] position of each point: neighbours in value are spread by the golden ratio."""
        spread = np.empty(len(self.values))
        spread[np.argsort(self.values, kind="stable")] = np.arange(len(self.values)) * 0.6180339887 % 1 - 0.5
        return np.asarray(self.place + 1.6 * self.half * spread)


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
    named: int = LABELLED,
) -> go.Figure:
    """Draw one horizontal box per model over the occupations' mean stereotype of ``group_high``.

    Every occupation is a point; the farthest on each side are named, ``named`` at most, and no line from a
    name to its point crosses another name.  A hollow mark under the box is the mean over occupations with its
    interval.

    Parameters
    ----------
    reports
        By model; only ``occupations[i].stereotype[group_high]`` is read.
    group_high, group_low
        The groups at the right and at the left end of the axis.
    labour
        By occupation the share of ``group_low`` (women, for gender) among the employed, in [0, 1]; drawn as a
        muted row of 1 − 2 · share.
    text
        By occupation the lean of the training text; drawn as a muted row.
    tilts, over
        By model and group the uncertainty of mean and occupations, and the kind of the mean's interval; the
        occupations' are always over templates.
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
    height = min(theme.MAX_HEIGHT, AROUND + round((ROW + 2 * LINE * named) * (len(rows) + FOOT)))
    room = (height - AROUND) / (len(rows) + FOOT)  # of a row, in pixels
    labelled = min(named, max(1, int((room - 48) // (2 * LINE))))
    figure = go.Figure()
    labels = []
    for row in rows:
        _draw(figure, row, over, chosen)
        labels += _labels(row, labelled, LINE / room)
    _explain(figure, rows, over, chosen)
    low, high = (theme.group(group) for group in (group_low, group_high))
    figure.update_xaxes(
        title_text=f"← {low} · even · {high} →",
        range=_range(rows),
        **theme.SIGNED,
    )
    marks.number_rows(figure, [theme.lines(row.label, 14, most=3) for row in rows])
    figure.update_yaxes(range=[len(rows) - 0.5 + FOOT, -0.5])
    marks.rule(figure, x=0, dash="solid", width=1.5)
    view = f"{low} {high} {' '.join(reports)}"
    return theme.base_layout(figure, height, view=view, legend=True, annotations=labels, **STILL)


def tilt_panels(
    reports: Mapping[str, RiskReport],
    tilts: Tilts | None = None,
    over: Over = "templates",
    chosen: str = "",
    drawn: Sequence[str] = (),
) -> go.Figure:
    """Draw more than two groups: a row per group in ``drawn`` (empty for all), a box per model.

    Right of 0 a group gets more than its neutral share.  The rest is as of :func:`tilt_box`.
    """
    styles = theme.model_styles(list(reports))
    every = list(dict.fromkeys(group for report in reports.values() for group in report.groups))
    groups = [group for group in every if group in drawn] if drawn else every
    share = 0.9 / max(1, len(reports))  # of a row, with a gap to the next one
    rows = [
        _Row(
            model,
            *_tilt(report, group),
            style=styles[model],
            place=place - 0.45 + share * (index + 0.4),
            tilt=tilts[model][group] if tilts else None,
            half=0.22 * share,
            below=0.42 * share,
            size=4,
        )
        for place, group in enumerate(groups)
        for index, (model, report) in enumerate(reports.items())
    ]
    figure = go.Figure()
    for row in rows:
        _draw(figure, row, over, chosen)
    for model, style in styles.items():
        if len(styles) > 1:
            figure.add_trace(marks.explained(theme.text(model, 28), style.marker, color=style.color))
    _explain(figure, rows, over, chosen)
    for place in range(1, len(groups)):
        marks.rule(figure, y=place - 0.5, dash="solid", color=theme.GRID)
    figure.update_xaxes(range=_range(rows, lowest=-1 / (len(every) - 1)), **theme.SIGNED)
    figure.update_xaxes(title_text="← less often · even · more often →")
    marks.number_rows(figure, [theme.lines(people(group), 14) for group in groups])
    marks.rule(figure, x=0, dash="solid", width=1.5)
    names = len(reports) if len(reports) > 1 else 0
    height = AROUND + LEGEND_LINE * names + len(groups) * max(44, STRIP * len(reports))
    view = f"{groups} {list(reports)}"
    return theme.base_layout(figure, height, view=view, legend=True, **STILL)


def _explain(figure: go.Figure, rows: Sequence[_Row], over: Over, chosen: str) -> None:
    """Explain the kinds of marks in the legend."""
    kinds = [
        marks.explained(worded("an occupation"), "circle"),
        marks.explained("their middle half and median", BOX),
    ]
    if means := [row.tilt.intervals[over] for row in rows if row.tilt]:
        mean = f"their mean with its {percent(means[0].level)} range"
        kinds.append(marks.explained(mean, "circle-open", ranged=True))
    if any(chosen in row.names for row in rows):
        ring = marks.explained(theme.text(called(chosen)), "circle-open", ranged=bool(means), size=RING)
        kinds.append(ring)
    figure.add_traces(kinds)


def _tilt(report: RiskReport, group: str) -> tuple[list[str], FloatArray]:
    names = [occupation.occupation for occupation in report.occupations]
    return names, np.array([occupation.stereotype[group] for occupation in report.occupations])


def _range(rows: Sequence[_Row], lowest: float = -1.0) -> list[float]:
    """Return ``lowest`` to 1, wider if a stereotype lies beyond."""
    values = np.concatenate([row.values for row in rows])
    return [min(lowest, float(values.min())) - 0.05, max(1.0, float(values.max())) + 0.05]


def _draw(figure: go.Figure, row: _Row, over: Over, chosen: str) -> None:
    color, marker, name = row.style.color, row.style.marker, theme.text(row.label)
    shared: dict[str, Any] = {"name": name, "extra": "name"}
    hover = [_value(row, index) for index in range(len(row.names))]
    traces = [
        marks.box(row.values, row.place, 2 * row.half, name, color),
        marks.dots(
            row.values,
            row.heights,
            color=color,
            symbol=marker,
            size=row.size,
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
            marks.dots([mean], [row.place + row.below], color=color, across=[interval], **look, **shared)
        )
    if chosen in row.names:  # a ring around the chosen occupation, with its interval over templates
        at = list(row.names).index(chosen)
        ring: dict[str, Any] = {
            "symbol": "circle-open",
            "size": RING,
            "color": theme.MUTED,
            "rim": 2.5,
            "hover": [hover[at]],
        }
        x, y = [float(row.values[at])], [row.heights[at]]
        traces.append(marks.dots(x, y, across=[_interval(row, at)], **ring, **shared))
    figure.add_traces([trace.update(showlegend=False) for trace in traces])


def _interval(row: _Row, index: int) -> marks.Span | None:
    low, high = row.tilt.occupations[row.names[index]] if row.tilt else (None, None)
    return None if low is None or high is None else marks.Span(low, high)


def _value(row: _Row, index: int) -> str:
    interval = marks.within(_interval(row, index), "+.3g")
    return f"{theme.text(called(row.names[index]))}: {float(row.values[index]):+.3g}{interval}"


def _labels(row: _Row, labelled: int, step: float) -> list[dict[str, object]]:
    """Name the row's extremes, right ones above the box and left ones below its mean, ``step`` rows apart."""
    order = [int(index) for index in np.argsort(row.values, kind="stable")]
    most = min(labelled, len(order) // 2)
    lowest, highest = _on_one_side(row, order[:most]), _on_one_side(row, order[::-1][:most])
    below, above = row.place + row.below, row.place - row.half
    return [
        *(_label(row, index, below + step * (line + 1)) for line, index in enumerate(lowest)),
        *(_label(row, index, above - step * (line + 0.75)) for line, index in enumerate(highest)),
    ]


def _on_one_side(row: _Row, extremes: Sequence[int]) -> list[int]:
    """Return the extremes on the same side of 0 as the first, in the order of their names."""
    names = [index for index in extremes if (row.values[index] < 0) == (row.values[extremes[0]] < 0)]
    return [names[place] for place in marks.stacked([float(row.values[index]) for index in names])]


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
        "arrowcolor": LEADER,
        "font": {"size": 11},
    }


BIN = 0.05
MOST_STEPS = 400  # steps of a cumulative line
Several = Mapping[str, Sequence[StereotypeDistribution]]


def stereotype_histogram(distributions: Several, *, other: str = "", threshold: float) -> go.Figure:
    """Draw weighted histograms over sentences, the models overlaid.

    ``distributions``: by model, one per panel, on the scale that ends at 1.  ``other``: of two groups the
    left one; "" for a panel per group.  ``threshold``: τ, a dotted line.
    """
    figure, groups = _panels(distributions, other)
    edges = _edges(distributions)
    styles = theme.model_styles(list(distributions))
    for panel in range(len(groups)):
        shown = {model: several[panel] for model, several in distributions.items()}
        tallest = 0.0
        for model, one in shown.items():
            bars = _bars(model, one, edges, styles[model], legend=panel == 0)
            tallest = max(tallest, max(bars.y))
            figure.add_trace(bars, row=panel + 1, col=1)
        step = tallest * (0.09 if len(groups) == 1 else 0.22)
        for index, (model, one) in enumerate(shown.items()):
            height = tallest + step * (index + 0.8)
            for trace in _marks(model, one, height, styles[model], alone=len(groups) == 1):
                figure.add_trace(trace, row=panel + 1, col=1)
        ticks = _ticks(tallest, most=5 if len(groups) == 1 else 2)
        figure.update_yaxes(
            range=[0, tallest + step * (len(shown) + 0.8)], tickvals=ticks, row=panel + 1, col=1
        )
    title = "share of sentences" if len(groups) == 1 else ""
    figure.update_yaxes(tickformat=".0%", title_text=title)
    layout = {"barmode": "overlay", "bargap": 0}
    return _finished(figure, distributions, groups, other, threshold, "histogram", **layout)


def stereotype_steps(distributions: Several, *, other: str = "", threshold: float) -> go.Figure:
    """Draw cumulative shares P(s <= x) with a mark at E s; arguments of :func:`stereotype_histogram`."""
    figure, groups = _panels(distributions, other)
    styles = theme.model_styles(list(distributions))
    for panel in range(len(groups)):
        for model, several in distributions.items():
            for trace in _steps(model, several[panel], styles[model], legend=panel == 0):
                figure.add_trace(trace, row=panel + 1, col=1)
    title = "share of sentences up to here" if len(groups) == 1 else ""
    figure.update_yaxes(range=[-0.02, 1.02], tickformat=".0%", nticks=5, title_text=title)
    return _finished(figure, distributions, groups, other, threshold, "steps")


def _panels(distributions: Several, other: str) -> tuple[go.Figure, list[str]]:
    groups = [one.group for one in next(iter(distributions.values()))]
    titles = [] if other else [theme.group(group) for group in groups]
    figure = make_subplots(
        rows=len(groups),
        cols=1,
        shared_xaxes=True,
        subplot_titles=titles,
        vertical_spacing=0.25 / len(groups),
    )
    return figure, groups


def _lowest(distributions: Several) -> float:
    """Return the left end of the axis: −1 for a shared panel of two groups, else the minimum."""
    several = [one for model in distributions.values() for one in model]
    if all(len(model) == 1 for model in distributions.values()):
        return -1.0
    return min(float(one.values[0]) for one in several)


def _edges(distributions: Several) -> np.ndarray:
    """Return bin edges: multiples of ``BIN`` with 0 among them, up to 1 or further."""
    highest = max(1.0, *(float(one.values[-1]) for model in distributions.values() for one in model))
    first, last = np.floor(_lowest(distributions) / BIN + 1e-9), np.ceil(highest / BIN - 1e-9)
    return np.asarray(np.arange(first, last + 1) * BIN)


def _ticks(tallest: float, most: int) -> np.ndarray:
    """Return round shares from 0 up to the tallest bar."""
    step = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25) if tallest / step <= most), 0.5)
    return np.asarray(np.arange(0, tallest + 1e-9, step))


def _bars(
    model: str, one: StereotypeDistribution, edges: np.ndarray, style: theme.ModelStyle, *, legend: bool
) -> go.Bar:
    """Draw the weight in each bin (low, high], without empty bins."""
    shares = np.diff(one.cumulative(edges + 1e-12), prepend=0.0)[1:]
    shares[0] += one.cumulative([edges[0] + 1e-12])[0]
    filled = np.flatnonzero(shares > 0)
    return marks.histogram(
        shares[filled],
        np.stack([edges[filled], edges[filled + 1]], axis=-1),
        theme.text(model),
        {**theme.bar_marker(style), "opacity": 0.6},
        hover="s from %{customdata[0]:+.3g} to %{customdata[1]:+.3g}<br>%{y:.3p} of the sentences",
        extra="name",
        legendgroup=model,
        showlegend=legend,
    )


def _marks(
    model: str, one: StereotypeDistribution, height: float, style: theme.ModelStyle, *, alone: bool
) -> list[go.Scatter]:
    """Draw the mean with its interval and, if the group leads or is alone, the Jensen gap up to r."""
    shared: dict[str, Any] = {
        "name": theme.text(model),
        "color": style.color,
        "extra": "name",
        "legendgroup": model,
        "showlegend": False,
    }
    traces = []
    if one.leads or alone:
        side = 1 if one.leads else -1
        traces.append(
            marks.dots(
                [side * one.prejudice_risk, side * one.overall_risk],
                [height, height],
                symbol=f"{style.marker}-open",
                size=[1, 11],
                mode="lines+markers",
                line={"color": style.color, "width": 4},
                hover=[_gap(one)] * 2,
                **shared,
            )
        )
    interval = one.mean_interval
    hover = f"mean {one.mean:+.3g}{marks.within(interval, '+.3g')}<br>s.d. {one.sd:.3g}"
    look: dict[str, Any] = {"symbol": style.marker, "size": 9, "across": [interval], "whisker": style.color}
    return [*traces, marks.dots([one.mean], [height], hover=[hover], **look, **shared)]


def _gap(one: StereotypeDistribution) -> str:
    return (
        f"risk r {one.overall_risk:.3g}<br>prejudice {one.prejudice_risk:.3g}"
        f"<br>Jensen gap, caprice {one.jensen_gap:.3g}"
    )


def _steps(
    model: str, one: StereotypeDistribution, style: theme.ModelStyle, *, legend: bool
) -> list[go.Scatter]:
    """Draw the cumulative line, at ``MOST_STEPS`` sentences at most, and its mean."""
    values = np.unique(one.values)
    if len(values) > MOST_STEPS:
        values = values[np.linspace(0, len(values) - 1, MOST_STEPS).round().astype(np.intp)]
    low, high = min(-1.0, float(values[0])), max(1.0, float(values[-1]))
    x = np.concatenate([[low], values, [high]])
    y = np.concatenate([[0.0], one.cumulative(values), [1.0]])
    shared: dict[str, Any] = {"name": theme.text(model), "color": style.color, "legendgroup": model}
    hover = "s up to %{x:+.3g}: %{y:.3p} of the sentences"
    line = marks.line(x, y, width=2, shape="hv", hover=hover, extra="name", showlegend=False, **shared)
    mean = marks.dots(
        [one.mean],
        one.cumulative([one.mean]),
        symbol=style.marker,
        size=9,
        hover="mean %{x:+.3g}",
        extra="name",
        showlegend=legend,
        **shared,
    )
    return [line, mean]


def _finished(
    figure: go.Figure,
    distributions: Several,
    groups: list[str],
    other: str,
    threshold: float,
    kind: str,
    **layout: Any,
) -> go.Figure:
    low, high = _lowest(distributions) - 0.05, float(_edges(distributions)[-1]) + 0.05
    figure.update_xaxes(range=[low, high], **theme.SIGNED)
    title = "stereotype in one sentence (0 = neutral) → more"
    if other:
        title = f"← {theme.group(other)} · stereotype in one sentence · {theme.group(groups[0])} →"
    figure.update_xaxes(title_text=title, row=len(groups))
    figure.update_annotations(font_size=12)
    marks.rule(figure, x=0, dash="solid", width=1.5)
    marks.rule(figure, x=threshold, width=1.5)
    names = list(distributions)
    return theme.base_layout(
        figure,
        360 if len(groups) == 1 else 90 + 115 * len(groups),
        view=f"{kind} {groups} {names}",
        legend=len(names) > 1,
        top=12 if other else theme.BELOW_PANEL_NAMES,
        **layout,
    )
