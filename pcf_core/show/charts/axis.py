"""Small multiples along an axis: R, prejudice and caprice, a panel each, a mark a model (BVF Fig. 6–8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.risk import AxisPoint
from pcf_core.show.charts import theme

PANELS: Mapping[str, str] = {
    "overall_risk": "R → more risk",
    "prejudice_risk": "prejudice → more",
    "caprice_risk": "caprice → more",
}
SPREAD = 0.16  # how far the marks of one place stand apart, of the distance between two places
BELOW, ABOVE = 0.06, 0.16  # room under 0 and over the highest mark or whisker, of the height up to there
APART = 1.015  # by which factor the joined marks of one size stand apart on a logarithmic axis
NOWHERE = 1e-12  # what the arithmetic leaves of a risk that is 0


def axis_panels(
    points: Sequence[AxisPoint], title: str, order: Sequence[str] = (), *, joined: bool = False
) -> go.Figure:
    """Draw one panel each for R, R^p and R^c, below each other, with intervals.

    Places that are numbers stand on a logarithmic axis, names in the order in which they come first.  Nothing
    joins the points, as topics, template sets and checkpoints have no order, unless they are ``joined``: the
    sizes of one series.  Printed rows are hollow diamonds without intervals.

    Parameters
    ----------
    points
        Runs and printed rows.
    title
        What the axis is, with its direction.
    order
        Names of the models as all charts have them, which decides colours and marks.
    joined
        Whether the points of a line, whose places are numbers, are joined in their order.
    """
    figure = make_subplots(rows=len(PANELS), shared_xaxes=True, vertical_spacing=0.05)
    numbers = all(isinstance(point.place, float) for point in points)
    places = list(dict.fromkeys(point.place for point in points))
    lines = list(dict.fromkeys((point.line, point.published) for point in points))
    styles = theme.model_styles([*order, *(line for line, published in lines if not published)])
    alone = len({(point.line, point.published, point.place) for point in points}) == len(places)
    for place, (line, published) in enumerate(lines):
        chosen = [point for point in points if (point.line, point.published) == (line, published)]
        shift = 0.0 if alone or len(lines) == 1 else SPREAD * (2 * place / (len(lines) - 1) - 1) / 2
        aside = APART ** (2 * place - len(lines) + 1) if joined else 1.0
        x = [float(p.place) * aside if numbers else places.index(p.place) + shift for p in chosen]
        for row, quantity in enumerate(PANELS, start=1):
            trace = _line(chosen, quantity, x, None if published else styles[line])
            trace.update(
                mode="lines+markers" if joined else "markers",
                name=theme.text(f"{line} ({published})" if published else line, 60),
                legendgroup=str(place),
                showlegend=row == 1,
            )
            figure.add_trace(trace, row=row, col=1)
    for row, (quantity, panel) in enumerate(PANELS.items(), start=1):
        figure.update_yaxes(title_text=panel, range=_range(points, quantity), nticks=5, row=row, col=1)
    if numbers:
        figure.update_xaxes(type="log")
    else:
        labels = [theme.lines(place, 16) for place in places]
        figure.update_xaxes(
            tickvals=list(range(len(places))), ticktext=labels, range=[-0.5, len(places) - 0.5]
        )
    figure.update_xaxes(title_text=title, row=len(PANELS), col=1)
    view = " ".join(f"{point.line} {point.place}" for point in points)
    return theme.base_layout(figure, 640, view=view, legend=len(lines) > 1)


def change_panels(points: Sequence[AxisPoint], title: str, order: Sequence[str] = ()) -> go.Figure:
    """Draw what alignment changes at each size: R, R^p and R^c of the aligned checkpoint less the base one.

    One panel each, with intervals and the line of no change; the sizes of a line are joined.

    Parameters
    ----------
    points
        The differences, at numbers of parameters.
    title
        What the axis is, with its direction.
    order
        Names of the lines, which decides colours and marks.
    """
    figure = make_subplots(rows=len(PANELS), shared_xaxes=True, vertical_spacing=0.05)
    lines = list(dict.fromkeys(point.line for point in points))
    styles = theme.model_styles([*order, *lines])
    for place, line in enumerate(lines):
        chosen = [point for point in points if point.line == line]
        x = [float(point.place) for point in chosen]
        for row, quantity in enumerate(PANELS, start=1):
            trace = _line(chosen, quantity, x, styles[line])
            trace.update(
                mode="lines+markers",
                customdata=[_change_details(point, quantity) for point in chosen],
                name=theme.text(line, 60),
                legendgroup=str(place),
                showlegend=row == 1,
            )
            figure.add_trace(trace, row=row, col=1)
    for row, (quantity, panel) in enumerate(PANELS.items(), start=1):
        word = panel.split(" →")[0]
        figure.add_hline(y=0, line={"width": 1, "dash": "dot", "color": theme.MUTED}, row=row, col=1)
        figure.update_yaxes(
            title_text=f"{word}: aligned − base", range=_both_ways(points, quantity), nticks=5, row=row, col=1
        )
    figure.update_xaxes(type="log")
    figure.update_xaxes(title_text=title, row=len(PANELS), col=1)
    view = " ".join(f"{point.line} {point.place}" for point in points)
    return theme.base_layout(figure, 560, view=f"change {view}", legend=len(lines) > 1)


def _both_ways(points: Sequence[AxisPoint], quantity: str) -> list[float]:
    """Return a range with 0 in its middle that holds every difference and its whiskers, with a margin."""
    ends = [abs(point.values[quantity]) for point in points]
    found = [point.intervals.get(quantity) for point in points]
    ends += [abs(end) for one in found if one for end in (one.low, one.high)]
    top = max(ends) if max(ends) > NOWHERE else 1.0
    return [-(1 + ABOVE) * top, (1 + ABOVE) * top]


def _range(points: Sequence[AxisPoint], quantity: str) -> list[float]:
    """Return the range from 0 to the highest mark or whisker, with a margin; to 1 where all is 0."""
    found = [point.intervals.get(quantity) for point in points]
    highest = max([point.values[quantity] for point in points] + [one.high for one in found if one])
    top = highest if highest > NOWHERE else 1.0
    return [-BELOW * top, (1 + ABOVE) * top]


def _line(
    points: Sequence[AxisPoint], quantity: str, x: Sequence[float], style: theme.ModelStyle | None
) -> go.Scatter:
    """Draw the points of one line in one panel; a printed row has no style of a model."""
    color = theme.MUTED if style is None else style.color
    return go.Scatter(
        x=list(x),
        y=[point.values[quantity] for point in points],
        line={"color": color, "width": 1.5},
        marker={"color": color, "symbol": "diamond-open" if style is None else style.marker, "size": 9},
        error_y=None if style is None else _whiskers(points, quantity, color),
        customdata=[_details(point, quantity) for point in points],
        hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
    )


def _whiskers(points: Sequence[AxisPoint], quantity: str, color: str) -> dict[str, Any]:
    ends = [(point.values[quantity], point.intervals.get(quantity)) for point in points]
    return {
        "type": "data",
        "symmetric": False,
        "array": [None if found is None else max(0.0, found.high - value) for value, found in ends],
        "arrayminus": [None if found is None else max(0.0, value - found.low) for value, found in ends],
        "color": color,
        "thickness": 1.5,
        "width": 4,
    }


def _change_details(point: AxisPoint, quantity: str) -> str:
    """Write a difference, which has a sign, with its interval."""
    value, interval = point.values[quantity], point.intervals.get(quantity)
    bounds = "" if interval is None else f" ({interval.low:+.3g} to {interval.high:+.3g})"
    return "<br>".join([f"<b>{theme.text(point.line)}</b>", _place(point), f"{value:+.3g}{bounds}"])


def _place(point: AxisPoint) -> str:
    return f"{point.place:,.0f}" if isinstance(point.place, float) else theme.text(point.place)


def _details(point: AxisPoint, quantity: str) -> str:
    value, interval = point.values[quantity], point.intervals.get(quantity)
    bounds = "" if interval is None else f" ({interval.low:#.3g}–{interval.high:#.3g})"
    if quantity == "caprice_risk" and interval is not None and max(value, interval.high) < NOWHERE:
        bounds = ", in no sentence here"
    lines = [f"<b>{theme.text(point.line)}</b>", _place(point), f"{value:#.3g}{bounds}"]
    return "<br>".join([*lines, theme.text(point.published, 80)] if point.published else lines)
