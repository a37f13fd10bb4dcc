"""Small multiples along an axis: R, prejudice and caprice, a panel each, a mark a model (BVF Fig. 6–8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.risk import AxisPoint
from pcf_core.show.charts import marks, theme

PANELS = theme.RISKS
PRINTED = theme.ModelStyle(theme.MUTED, "diamond-open", "")  # a row of a paper has no style of a model
SPREAD = 0.16  # how far the marks of one place stand apart, of the distance between two places
ABOVE = 0.16  # room over the largest difference or its whisker, of the height up to there
APART = 1.015  # by which factor the joined marks of one size stand apart on a logarithmic axis
NOWHERE = 1e-12  # what the arithmetic leaves of a risk that is 0


def axis_panels(
    points: Sequence[AxisPoint], title: str, order: Sequence[str] = (), *, joined: bool = False
) -> go.Figure:
    """Draw one panel each for R, R^p and R^c, below each other, with intervals.

    Places that are numbers stand on a logarithmic axis, names in the order in which they come first.  Nothing
    joins the points, as topics, template sets and checkpoints have no order, unless they are ``joined``: the
    sizes of one series.  Printed rows are hollow diamonds without intervals.  ``title``: what the axis is,
    with its direction; ``order``: all models' names, by which every chart gives colours.
    """
    numbers = all(isinstance(point.place, float) for point in points)
    places = list(dict.fromkeys(point.place for point in points))
    lines = list(dict.fromkeys((point.line, point.published) for point in points))
    styles = theme.model_styles([*order, *(line for line, published in lines if not published)])
    alone = len({(point.line, point.published, point.place) for point in points}) == len(places)
    figure = make_subplots(rows=len(PANELS), shared_xaxes=True, vertical_spacing=0.05)
    for index, (line, published) in enumerate(lines):
        chosen = [point for point in points if (point.line, point.published) == (line, published)]
        shift = 0.0 if alone or len(lines) == 1 else SPREAD * (2 * index / (len(lines) - 1) - 1) / 2
        aside = APART ** (2 * index - len(lines) + 1) if joined else 1.0
        x = [float(p.place) * aside if numbers else places.index(p.place) + shift for p in chosen]
        style = PRINTED if published else styles[line]
        name = theme.text(f"{line} ({published})" if published else line, 60)
        mode = "lines+markers" if joined else "markers"
        _add_line(figure, chosen, x, style, name, _details, mode=mode, legendgroup=str(index))
    for row, (quantity, panel) in enumerate(PANELS.items(), start=1):
        figure.update_yaxes(title_text=panel, nticks=5, **_range(points, quantity), row=row, col=1)
    if numbers:
        figure.update_xaxes(type="log")
    else:
        labels = [theme.lines(index, 16, most=3) for index in places]
        ends = [-0.5, len(places) - 0.5]
        figure.update_xaxes(tickvals=list(range(len(places))), ticktext=labels, range=ends)
    return _finish(figure, points, title, 640, legend=len(lines) > 1)


def change_panels(points: Sequence[AxisPoint], title: str, order: Sequence[str] = ()) -> go.Figure:
    """Draw what alignment changes at each size: R, R^p and R^c of the aligned checkpoint less the base one.

    One panel each, with intervals and the line of no change; the sizes of a line are joined.  ``title`` and
    ``order``: as of :func:`axis_panels`.
    """
    lines = list(dict.fromkeys(point.line for point in points))
    styles = theme.model_styles([*order, *lines])
    figure = make_subplots(rows=len(PANELS), shared_xaxes=True, vertical_spacing=0.05)
    for index, line in enumerate(lines):
        chosen = [point for point in points if point.line == line]
        x = [float(point.place) for point in chosen]
        name, shared = theme.text(line, 60), {"mode": "lines+markers", "legendgroup": str(index)}
        _add_line(figure, chosen, x, styles[line], name, _change_details, **shared)
    for row, (quantity, panel) in enumerate(PANELS.items(), start=1):
        marks.rule(figure, y=0, row=row, col=1)
        title_text = f"{panel.split(' →')[0]}: aligned − base"
        ends = _both_ways(points, quantity)
        figure.update_yaxes(title_text=title_text, range=ends, nticks=5, row=row, col=1)
    figure.update_xaxes(type="log")
    return _finish(figure, points, title, 560, legend=len(lines) > 1, kind="change ")


def _add_line(
    figure: go.Figure,
    points: Sequence[AxisPoint],
    x: Sequence[float],
    style: theme.ModelStyle,
    name: str,
    details: Callable[[AxisPoint, str], str],
    **more: Any,
) -> None:
    """Draw the points of one line, one panel a risk; a printed row has no intervals."""
    for row, quantity in enumerate(PANELS, start=1):
        y = [point.values[quantity] for point in points]
        ends = marks.reaching(y, [point.intervals.get(quantity) for point in points])
        figure.add_trace(
            marks.dots(
                x,
                y,
                name,
                color=style.color,
                symbol=style.marker,
                size=9,
                line={"color": style.color, "width": 1.5},
                upwards=None if style is PRINTED else ends,
                whisker=style.color,
                hover=[details(point, quantity) for point in points],
                cliponaxis=False,
                showlegend=row == 1,
                **more,
            ),
            row=row,
            col=1,
        )


def _finish(
    figure: go.Figure, points: Sequence[AxisPoint], title: str, height: float, *, legend: bool, kind: str = ""
) -> go.Figure:
    figure.update_xaxes(title_text=title, row=len(PANELS), col=1)
    view = " ".join(f"{point.line} {point.place}" for point in points)
    return theme.base_layout(figure, height, view=f"{kind}{view}", legend=legend)


def _both_ways(points: Sequence[AxisPoint], quantity: str) -> list[float]:
    """Return a range with 0 in its middle that holds every difference and its whiskers, with a margin."""
    ends = [abs(point.values[quantity]) for point in points]
    intervals = [point.intervals.get(quantity) for point in points]
    ends += [abs(end) for one in intervals if one for end in (one.low, one.high)]
    top = max(ends) if max(ends) > NOWHERE else 1.0
    return [-(1 + ABOVE) * top, (1 + ABOVE) * top]


def _range(points: Sequence[AxisPoint], quantity: str) -> dict[str, Any]:
    intervals = [point.intervals.get(quantity) for point in points]
    ends = [end for one in intervals if one for end in (one.low, one.high)]
    return theme.risk_axis([*(point.values[quantity] for point in points), *ends])


def _change_details(point: AxisPoint, quantity: str) -> str:
    """Write a difference, which has a sign, with its interval."""
    bounds = marks.within(point.intervals.get(quantity), "+.3g")
    return marks.told(point.line, _place(point), f"{point.values[quantity]:+.3g}{bounds}")


def _place(point: AxisPoint) -> str:
    return f"{point.place:,.0f}" if isinstance(point.place, float) else theme.text(point.place)


def _details(point: AxisPoint, quantity: str) -> str:
    value, interval = point.values[quantity], point.intervals.get(quantity)
    bounds = marks.within(interval, "#.3g", "–")
    if quantity == "caprice_risk" and interval is not None and max(value, interval.high) < NOWHERE:
        bounds = ", in no sentence here"
    return marks.told(point.line, _place(point), f"{value:#.3g}{bounds}", theme.text(point.published, 80))
