"""The marks of all charts, their hover texts, and the axes of rows.

Each function returns one trace from plain sequences; colours, patterns and markers come from :mod:`theme`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from pcf_core.core.records import FloatArray
from pcf_core.show.charts import theme
from pcf_core.show.findings.numbers import Ends

BAND = 0.16  # opacity of the band of a fit
INK = "#3A3A3A"  # of a whisker on bars; pages replace it by their text colour
RIM, RIM_WIDTH = "#FFFFFF", 3  # under a mark on a bar, and how many pixels wider
THICK = {"thickness": 2.5, "width": 7}  # whiskers, in pixels, visible from afar
THIN = {"thickness": 1.5, "width": 3}  # of scatters with many points
LINE_NAME = 14  # pixels from a line to its name
MOST_VALUES, VALUE_ROOM = 12, 48  # marks with a value beside them, and its pixels at the right
GAP, LETTER = 10, 7  # pixels from a mark to its value, and those of a letter
# Shares of a narrow axis: the width of a model's name, and the room for one that runs to the left.
MODEL_NAME, ROOM_LEFT = 0.65, 0.42
Values = Sequence[Any] | FloatArray
Hover = Sequence[str] | str | None


class Span(NamedTuple):
    """The ends of a whisker."""

    low: float
    high: float


class Point(NamedTuple):
    """A point that may be named; ``away``: how notable it is, with the side of the name as its sign."""

    label: str
    x: float
    y: float
    away: float


def told(head: object, *lines: str, length: int = theme.LABEL_LENGTH) -> str:
    """Write hover text: a bold, escaped first line, and the lines that are not empty."""
    return "<br>".join([f"<b>{theme.text(head, length)}</b>", *(line for line in lines if line)])


def within(ends: Ends | None, digits: str | Callable[[float], str] = ".3g", between: str = " to ") -> str:
    """Write an interval in brackets; "" without one."""
    if ends is None:
        return ""
    write = (lambda value: f"{value:{digits}}") if isinstance(digits, str) else digits
    return f" ({write(ends.low)}{between}{write(ends.high)})"


def hovering(hover: Hover, extra: str = "") -> dict[str, Any]:
    """Return the hover text: one per mark, a plotly template, or none; ``extra``: a box beside it."""
    if hover is None:
        return {"hoverinfo": "skip"}
    extra = f"<extra>{'%{fullData.name}' if extra == 'name' else extra}</extra>"
    if isinstance(hover, str):
        return {"hovertemplate": hover + extra}
    return {"customdata": list(hover), "hovertemplate": "%{customdata}" + extra}


def whiskers(values: Values, ends: Sequence[Ends | None], color: str, **look: Any) -> dict[str, Any] | None:
    """Return plotly's error bars from values to their intervals' ends; ``None`` without any interval."""
    if all(one is None for one in ends):
        return None
    pairs = list(zip(values, ends, strict=True))
    return {
        "type": "data",
        "symmetric": False,
        "array": [None if one is None else one.high - value for value, one in pairs],
        "arrayminus": [None if one is None else value - one.low for value, one in pairs],
        "color": color,
        **THICK,
        **look,
    }


def reaching(values: Values, ends: Sequence[Ends | None]) -> list[Span | None]:
    """Return intervals widened to include their value, which a bootstrap's may not."""
    return [
        None if one is None else Span(min(one.low, value), max(one.high, value))
        for value, one in zip(values, ends, strict=True)
    ]


def symbol(marker: str, filled: bool) -> str:
    """Return a marker, hollow unless ``filled``."""
    return marker if filled else f"{marker}-open"


def dots(
    x: Values,
    y: Values,
    name: str = "",
    *,
    color: Any,
    symbol: Any = "circle",
    size: Any = 10,
    rim: float | None = None,
    hover: Hover,
    extra: str = "",
    across: Sequence[Ends | None] | None = None,
    upwards: Sequence[Ends | None] | None = None,
    whisker: str = theme.MUTED,
    look: Mapping[str, Any] | None = None,
    marker: Mapping[str, Any] | None = None,
    **more: Any,
) -> go.Scatter:
    """Return dots, with whiskers where intervals are given.

    ``color``, ``symbol``, ``size`` (pixels): one for all or one each.  ``rim``: width of the outline,
    ``None`` for plotly's.  ``across``, ``upwards``: intervals; ``whisker``, ``look``: colour and further
    properties of whiskers.
    """
    drawn = {"symbol": symbol, "color": color, "size": size, **(marker or {})}
    if rim is not None:
        drawn["line"] = {"width": rim, "color": color}
    if across is not None:
        more["error_x"] = whiskers(x, across, whisker, **(look or {}))
    if upwards is not None:
        more["error_y"] = whiskers(y, upwards, whisker, **(look or {}))
    return go.Scatter(
        **{"x": x, "y": y, "mode": "markers", "marker": drawn, "name": name, **hovering(hover, extra), **more}
    )


def rimmed(drawn: go.Scatter) -> list[go.Scatter]:
    """Return dots with a pale rim under them, visible on bars of any colour."""
    drawn.update(legendgroup=drawn.name)  # a click on the legend hides both
    rim = go.Scatter(drawn).update(showlegend=False, customdata=None, hovertemplate=None, hoverinfo="skip")
    rim.marker.update(color=RIM, line={"color": RIM, "width": (drawn.marker.line.width or 0) + RIM_WIDTH})
    if drawn.error_x.array is not None:
        rim.error_x.update(color=RIM, thickness=drawn.error_x.thickness + RIM_WIDTH)
    return [rim, drawn]


def explained(
    name: str, symbol: str, *, color: str = theme.MUTED, ranged: bool = False, size: int = 10
) -> go.Scatter:
    """Return an entry of the legend alone: a kind of mark, with a whisker if ``ranged``."""
    line = {"color": color, "width": THICK["thickness"]}
    return go.Scatter(
        x=[None],
        y=[None],
        mode="lines+markers" if ranged else "markers",
        marker={"symbol": symbol, "color": color, "size": size, "line": line},
        line=line,
        name=name,
        **hovering(None),
    )


def unseen(x: Values, y: Values, data: Sequence[Any], size: float, name: str, **more: Any) -> go.Scatter:
    """Return invisible marks for clicks, with ``data`` as ``customdata``."""
    clear = {"marker": {"opacity": 0}}
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"opacity": 0, "size": size, **more.pop("marker", {})},
        selected=clear,
        unselected=clear,
        customdata=data,
        name=name,
        **more,
    )


def bars(
    x: Values,
    y: Values,
    name: str,
    style: theme.ModelStyle,
    *,
    hover: Hover,
    extra: str = "",
    across: Sequence[Ends | None] | None = None,
    opacity: Any = None,
    **more: Any,
) -> go.Bar:
    """Return horizontal bars in a style's colour and pattern."""
    if across is not None:
        more["error_x"] = whiskers(x, across, theme.MUTED)
    marker = theme.bar_marker(style) | ({} if opacity is None else {"opacity": opacity})
    drawn = {"x": x, "y": y, "orientation": "h", "marker": marker, "name": name}
    return go.Bar(**{**drawn, **hovering(hover, extra), **more})


def histogram(
    heights: FloatArray, edges: FloatArray, name: str, marker: Mapping[str, Any], *, hover: str, **more: Any
) -> go.Bar:
    """Return a vertical bar per bin; ``hover`` has the bin's ends as ``customdata[0]`` and ``[1]``."""
    return go.Bar(
        x=(edges[:, 0] + edges[:, 1]) / 2,
        y=heights,
        width=edges[:, 1] - edges[:, 0],
        customdata=edges,
        marker=marker,
        name=name,
        **hovering(hover, more.pop("extra", "")),
        **more,
    )


def box(values: FloatArray, index: float, width: float, name: str, color: str) -> go.Box:
    """Return a horizontal box of quartiles without whiskers, since the values are drawn over it."""
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    return go.Box(
        orientation="h",
        q1=[q1],
        median=[median],
        q3=[q3],
        lowerfence=[q1],
        upperfence=[q3],
        whiskerwidth=0,
        y=[index],
        width=width,
        line={"color": color, "width": 1.5},
        fillcolor="rgba(127, 127, 127, 0.12)",
        name=name,
        **hovering(None),
    )


def cells(z: Any, name: str, *, hover: Hover, colors: Sequence[Any] | None = None, **more: Any) -> go.Heatmap:
    """Return a heat map: of shares on ``colors`` from 0 to 1 with gaps, else on the figure's colour axis."""
    scale: dict[str, Any] = {"coloraxis": "coloraxis"}
    if colors is not None:
        scale = {"zmin": 0, "zmax": 1, "xgap": 2, "ygap": 2, "colorscale": colors, "showscale": False}
    return go.Heatmap(z=z, name=name, **scale, **hovering(hover), **more)


def line(
    x: Values,
    y: Values,
    name: str = "",
    *,
    color: str = theme.MUTED,
    width: float = 1,
    dash: str = "solid",
    shape: str | None = None,
    hover: Hover = None,
    extra: str = "",
    **more: Any,
) -> go.Scatter:
    """Return a line; without hover text unless given."""
    look = {"color": color, "width": width, "dash": dash, "shape": shape}
    drawn = {"x": x, "y": y, "mode": "lines", "line": look, "name": name}
    return go.Scatter(**{**drawn, **hovering(hover, extra), **more})


def pieces(ends: Iterable[tuple[tuple[Any, Any], tuple[Any, Any]]]) -> tuple[list[Any], list[Any]]:
    """Return x and y of separate line segments in one trace."""
    points = [point for first, last in ends for point in (first, last, (None, None))]
    return [x for x, _ in points], [y for _, y in points]


def fit(
    x: Values,
    mean: Values,
    band: tuple[Values, Values],
    color: str,
    *,
    name: str = "fit",
    value: str = "%{y:.3g}",
    dash: str = "solid",
    rank: int = 1000,
) -> list[go.Scatter]:
    """Return the band of a fit and its line, as one entry of the legend.

    ``x``, ``mean``, ``band``: [point] each, within the axis.  ``color``: ``#rrggbb``.  ``value``: format on
    hover.  ``rank``: in the legend, lowest first; plotly's default is 1000.
    """
    places, low, high = (np.asarray(ends) for ends in (x, *band))
    red, green, blue = (int(color[index : index + 2], 16) for index in (1, 3, 5))
    area = line(
        np.concatenate([places, places[::-1]]),
        np.concatenate([low, high[::-1]]),
        f"{name}: band",
        width=0,
        fill="toself",
        fillcolor=f"rgba({red}, {green}, {blue}, {BAND})",
        legendgroup=name,
        showlegend=False,
    )
    through = line(places, np.asarray(mean), name, color=color, width=2.5, dash=dash, legendgroup=name)
    return [
        area,
        through.update(legendrank=rank, hoverinfo=None, hovertemplate=f"{value}<extra>{name}</extra>"),
    ]


def rule(
    figure: go.Figure,
    *,
    x: float | None = None,
    y: float | None = None,
    dash: str = "dot",
    width: float = 1,
    color: str = theme.MUTED,
    **where: Any,
) -> None:
    """Draw a line through all panels, or the given one: vertical at ``x``, horizontal at ``y``."""
    look = {"line": {"width": width, "dash": dash, "color": color}, **where}
    if x is not None:
        figure.add_vline(x=x, **look)
    if y is not None:
        figure.add_hline(y=y, **look)


def values(figure: go.Figure, written: Sequence[tuple[float, Any, str]]) -> None:
    """Write values beside at most ``MOST_VALUES`` marks; ``written``: right end with whisker, row, text."""
    if 0 < len(written) <= MOST_VALUES:
        ends, places, texts = zip(*written, strict=True)
        figure.add_trace(
            go.Scatter(
                x=ends,
                y=places,
                text=[theme.text(one) for one in texts],
                mode="markers+text",  # an unseen mark keeps the text off the one that is seen
                marker={"size": 16, "opacity": 0},
                textposition="middle right",
                name="values",
                cliponaxis=False,
                showlegend=False,
                **hovering(None),
            )
        )
        room = max(VALUE_ROOM, GAP + LETTER * max(map(len, texts)))
        figure.update_layout(margin={"r": max(room, figure.layout.margin.r or 0)})


def note(figure: go.Figure, text: str, **where: Any) -> None:
    """Write on the plot; ``where``: properties of plotly's annotation."""
    figure.add_annotation(text=text, showarrow=False, **where)


def stacked(values: Sequence[float]) -> list[int]:
    """Return the order of the names above their marks, the nearest to 0 first.

    Names run towards 0, and all ``values`` lie on one side of it.  In this order no line from a name to its
    mark crosses another name, however long it is.
    """
    return sorted(range(len(values)), key=lambda index: abs(values[index]))


def name_models(figure: go.Figure, named: Sequence[tuple[str, float, str]]) -> None:
    """Name two models above the first row, each with a line to its mark.

    ``named``: model, x (0 in the middle), colour.  Names run towards the middle, so that none is cut.  If the
    left one would reach the line of the other, it runs to the left, above the names of the rows.
    """
    low, high = figure.layout.xaxis.range
    left, right = min(x for _, x, _ in named), max(x for _, x, _ in named)
    is_close = left < 0 <= right and right - left < MODEL_NAME * (high - low)
    order = [0, 1] if named[0][1] == left else [1, 0]  # the nearest first
    if not left < 0 <= right:
        order = stacked([x for _, x, _ in named])
    for line, index in enumerate(order, 1):
        name, x, color = named[index]
        turned = is_close and x == left
        figure.add_annotation(
            text=f"<b>{theme.text(name, 28)}</b>",
            **{"x": x, "y": 0, "ax": max(x, low + ROOM_LEFT * (high - low)) if turned else x, "ay": -line},
            **{"axref": "x", "ayref": "y", "xanchor": "left" if x < 0 and not turned else "right"},
            **{"yanchor": "middle", "arrowhead": 0, "arrowwidth": 2, "arrowcolor": color},
            **{"standoff": 6, "font_size": 12},
        )


def name_lines(figure: go.Figure, named: Sequence[tuple[str, float, float]], *, log: bool = False) -> None:
    """Name two lines above and below their last points, which are ``named``; ``log``: of the x axis."""
    ranked = sorted(named, key=lambda one: -one[2])
    for (name, x, y), up in zip(ranked, (LINE_NAME, -LINE_NAME), strict=True):
        end = {"x": float(np.log10(x)) if log else x, "y": y}
        note(figure, f"<b>{theme.text(name, 28)}</b>", font_size=12, xanchor="right", yshift=up, **end)


def name_rows(figure: go.Figure, labels: Mapping[str, str], *, grid: bool = False) -> None:
    """Make the y axis one of names from top to bottom; ``labels``: plotly text by position."""
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(range=[max(1, len(labels)) - 0.5, -0.5], showgrid=grid)


def number_rows(figure: go.Figure, labels: Sequence[str], *, grid: bool = False) -> None:
    """Make the y axis one of rows from top to bottom, 0 the first; marks may lie between rows."""
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(labels))),
        ticktext=list(labels),
        range=[len(labels) - 0.5, -0.5],
        showgrid=grid,
    )


def name_points(
    figure: go.Figure,
    points: Iterable[Point],
    room: tuple[float, float],
    *,
    middle: float | None = None,
    tried: int = 14,
    most: int = 6,
    shift: float = 12,
) -> None:
    """Name the farthest points whose name has room, above if ``away`` > 0, else below.

    ``room``: of a name on a narrow page, in axis units.  ``middle``: of the axis, towards which names run;
    ``None`` centres them.  ``tried``, ``most``: points tried and named.  ``shift``: pixels from point to
    name.
    """
    named: list[Point] = []
    for point in sorted(points, key=lambda one: -abs(one.away))[:tried]:
        near = (abs(one.x - point.x) < room[0] and abs(one.y - point.y) < room[1] for one in named)
        if len(named) < most and not any(near):
            named.append(point)
    for one in named:
        side = {} if middle is None else {"xanchor": "left" if one.x < middle else "right"}
        up = shift if one.away > 0 else -shift
        note(figure, theme.text(one.label, 24), x=one.x, y=one.y, yshift=up, font_size=11, **side)
