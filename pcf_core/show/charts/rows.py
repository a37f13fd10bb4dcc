"""Charts of rows: names on the left, and one or more marks with whiskers in each row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import Ends, two_decimals

Written = tuple[float, Any, str]  # right end of a mark, row, text
Looks = theme.ModelStyle | Mapping[Any, theme.ModelStyle]  # of all marks, or by row
ACCENT = theme.ModelStyle(theme.ACCENT, "circle", "")
TICK = theme.ModelStyle(theme.MUTED, "line-ns-open", "")  # of comparison values such as chance


class Mark(NamedTuple):
    """A mark; ``differs``: whether it differs from nothing beyond chance."""

    row: Any
    value: float | None
    hover: str = ""
    ends: Ends | None = None
    differs: bool | None = True


def keyed(rows: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return rows with unique keys for an axis of names."""
    return [(str(index), row) for index, row in enumerate(rows)]


def shift(index: int, models: int, room: float) -> float:
    """Return the offset of one of several models that share ``room`` of a row."""
    return room * ((index + 0.5) / models - 0.5)


def dots(
    drawn: Sequence[Mark], name: str, style: Looks, *, verdicts: bool = False, **look: Any
) -> go.Scatter:
    """Return the marks of a trace with whiskers; ``verdicts``: hollow unless they differ."""
    color: Any
    if isinstance(style, Mapping):
        styles = [style[one.row] for one in drawn]
        color, markers = [each.color for each in styles], [each.marker for each in styles]
    else:
        color, markers = style.color, [style.marker] * len(drawn)
    symbol: Any = style.marker if isinstance(style, theme.ModelStyle) else markers
    if verdicts:
        symbol = [marks.symbol(each, bool(one.differs)) for each, one in zip(markers, drawn, strict=True)]
    return marks.dots(
        **{
            "x": [one.value for one in drawn],
            "y": [one.row for one in drawn],
            "name": name,
            "color": color,
            "symbol": symbol,
            "across": [one.ends for one in drawn],
            "hover": [one.hover for one in drawn],
            **look,
        }
    )


def by_verdict(
    found: Sequence[Mark], names: tuple[str, str], style: Looks = ACCENT, **look: Any
) -> list[go.Scatter]:
    """Return a trace of the marks that differ, filled, and one of the others, hollow, without empty ones."""
    traces = []
    for differs, name in zip((True, False), names, strict=True):
        drawn = [one for one in found if one.value is not None and bool(one.differs) is differs]
        if drawn:
            if isinstance(style, theme.ModelStyle):
                look["symbol"] = marks.symbol(style.marker, differs)
            traces.append(dots(drawn, name, style, verdicts=True, rim=2, **look))
    return traces


def value_texts(drawn: Sequence[Mark], write: Callable[[float], str] = two_decimals) -> list[Written]:
    """Return the values beside marks for :func:`marks.values`."""
    return [
        (max(one.value, one.ends.high if one.ends else one.value), one.row, write(one.value))
        for one in drawn
        if one.value is not None
    ]


def finish(
    figure: go.Figure,
    labels: Mapping[str, str] | Sequence[str],
    title: str,
    *,
    view: str,
    pixels: tuple[int, int],
    least: int = 2,
    zero: float | None = None,
    grid: bool = False,
    axis: Mapping[str, Any] | None = None,
    legend: bool = True,
    written: Sequence[Written] = (),
    **layout: Any,
) -> go.Figure:
    """Name rows and axis, draw the line of no difference, and set the height.

    ``labels``: plotly text from the top, by key or in order.  ``pixels``: around the rows, and per row
    (``least`` rows).  ``zero``: position of the line.  ``title``, ``axis``: of the axis of values.  ``view``,
    ``legend``, ``layout``: see :func:`theme.base_layout`.
    """
    if zero is not None:
        marks.rule(figure, x=zero)
    figure.update_xaxes(title_text=title, **(axis or {}))
    if isinstance(labels, Mapping):
        marks.name_rows(figure, labels, grid=grid)
    else:
        marks.number_rows(figure, labels, grid=grid)
    around, row = pixels
    height = around + row * max(least, len(labels))
    theme.base_layout(figure, height, view=view, legend=legend, **layout)
    marks.values(figure, written)
    return figure
