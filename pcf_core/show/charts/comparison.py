"""Two runs on the same templates: differences, scatter, dumbbells; and risks along an axis (BVF Fig. 6–8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.risk import AxisPoint, Comparison, OccupationDifference
from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.compare import Dumbbell
from pcf_core.show.findings.numbers import RISK_NAMES, called

MOST_TRIED, MOST_LABELS = 12, 5  # names of points far from the identity line
ROOM = (0.3, 0.08)  # of a name on a narrow page: shares of width and height
ROW = 20  # pixels per dumbbell
AXIS = 50  # pixels of an axis above the plot, with its title
LABEL_ROWS = 2  # above the first row, for the names of the models
TARGETS = 1_600  # invisible marks for clicks anywhere in a row; more make a browser slow


def difference_plot(
    comparison: Comparison, quantity: str = "overall_risk", most: int = 120, order: Sequence[str] = ()
) -> go.Figure:
    """Draw the ``most`` occupations with the largest differences, with intervals over templates."""
    drawn = sorted(comparison.occupations, key=lambda row: -abs(row.differences[quantity].value))[:most]
    drawn.sort(key=lambda row: -row.differences[quantity].value)
    figure = go.Figure()
    _add_sides(figure, comparison, drawn, quantity, order, sorted_rows=True)
    first = theme.text(comparison.first.name, 28)  # both names do not fit on a telephone
    title = f"difference in {RISK_NAMES[quantity]}<br>→ {first} has more"
    labels = {row.occupation: theme.text(called(row.occupation), 24) for row in drawn}
    view = f"{comparison.first.run} {comparison.second.run} {quantity} {len(drawn)}"
    look: dict[str, Any] = {"pixels": (150, 16), "least": 4, "zero": 0, "axis": {"nticks": 6}}
    return rows.finish(figure, labels, title, view=view, **look)


def risk_scatter(
    comparison: Comparison, quantity: str = "overall_risk", order: Sequence[str] = ()
) -> go.Figure:
    """Draw each occupation's risk under one model against the other, with the line of equal risk."""
    figure = go.Figure()
    differences = [row.differences[quantity] for row in comparison.occupations]
    low, end = theme.risk_axis(value for one in differences for value in (one.first, one.second))["range"]
    figure.add_trace(marks.line([0, end], [0, end], "the same", dash="dot"))
    _add_sides(figure, comparison, comparison.occupations, quantity, order, sorted_rows=False)
    points = [
        marks.Point(called(row.occupation), one.second, one.first, one.value)
        for row in comparison.surviving(quantity)
        for one in [row.differences[quantity]]
    ]
    room = (ROOM[0] * end, ROOM[1] * end)
    marks.name_points(figure, points, room, tried=MOST_TRIED, most=MOST_LABELS, shift=10)
    for axes, side in ((figure.update_xaxes, comparison.second), (figure.update_yaxes, comparison.first)):
        axes(title_text=f"{RISK_NAMES[quantity]} of {theme.text(side.name)} → more", range=[low, end])
    view = f"{comparison.first.run} {comparison.second.run} {quantity}"
    return theme.base_layout(figure, 560, view=view, legend=True)


def _add_sides(
    figure: go.Figure,
    comparison: Comparison,
    drawn: Sequence[OccupationDifference],
    quantity: str,
    order: Sequence[str],
    *,
    sorted_rows: bool,
) -> None:
    """Add the occupations that differ, by model with more, and the others."""
    pair = (comparison.first, comparison.second)
    styles = theme.model_styles([*order, *(side.name for side in pair)])
    looks = [
        (f"{theme.text(side.name)} has more", verdict, styles[side.name].color, styles[side.name].marker)
        for side, verdict in zip(pair, ("first", "second"), strict=True)
    ]
    for name, verdict, color, symbol in (*looks, ("cannot tell apart", "", theme.MUTED, "circle-open")):
        chosen = [
            (row, difference)
            for row in drawn
            for difference in [row.differences[quantity]]
            if (difference.verdict == verdict if verdict else not difference.differs)
        ]
        if not chosen:
            continue
        figure.add_trace(
            marks.dots(
                [difference.value if sorted_rows else difference.second for _, difference in chosen],
                [row.occupation if sorted_rows else difference.first for row, difference in chosen],
                name,
                color=color,
                symbol=symbol,
                size=7 if verdict else 6,
                rim=None if verdict else 1.5,
                across=[difference.interval() for _, difference in chosen] if sorted_rows else None,
                whisker=color,
                look=marks.THIN,
                hover=[_details(comparison, row, quantity) for row, _ in chosen],
            )
        )


def _details(comparison: Comparison, row: OccupationDifference, quantity: str) -> str:
    difference = row.differences[quantity]
    return marks.told(
        called(row.occupation),
        f"{theme.text(comparison.first.name)} {difference.first:.3g}",
        f"{theme.text(comparison.second.name)} {difference.second:.3g}",
        f"difference {difference.value:+.3g}{marks.within(difference.interval(), '+.3g')}",
        ""
        if difference.adjusted is None
        else f"p {difference.p_value:.3g}, controlled {difference.adjusted:.3g}",
    )


def dumbbell_plot(
    rows: Sequence[Dumbbell],
    names: tuple[str, str],
    ends: tuple[str, str],
    *,
    order: Sequence[str] = (),
    chosen: str = "",
    lowest: float = -1.0,
    above: bool = False,
) -> go.Figure:
    """Draw one row per occupation with a mark for either model's tilt, and a line between them.

    A click anywhere in a row finds a mark whose ``customdata`` is the occupation.

    Parameters
    ----------
    rows
        From the top; ``first`` and ``second`` in [``lowest``, 1], 0 is even.
    names
        Of the first and the second model, written above the first row.
    ends
        Labels of the left and the right end of the axis: whom a model prefers there.
    order
        Names of all models, which decides colours and shapes.
    chosen
        An occupation to be marked.
    lowest
        The left end of the axis: −1, or the minimum for one of several groups.
    above
        Whether to repeat the axis above the plot.
    """
    figure = go.Figure()
    occupations = [row.occupation for row in rows]
    styles = theme.model_styles([*order, *names])
    hover = [
        f"{theme.text(called(row.occupation))}<br>{theme.text(names[0])} {row.first:+.2f}"
        f"<br>{theme.text(names[1])} {row.second:+.2f}"
        for row in rows
    ]
    x, y = marks.pieces(((row.first, row.occupation), (row.second, row.occupation)) for row in rows)
    figure.add_trace(marks.line(x, y, width=2, showlegend=False))
    for name, values in zip(names, ([row.first for row in rows], [row.second for row in rows]), strict=True):
        style = styles[name]
        mark: dict[str, Any] = {
            "color": style.color,
            "symbol": style.marker,
            "size": 11,
            "text": hover,
            "customdata": occupations,
        }
        still: dict[str, Any] = {"unselected": {"marker": {"opacity": 1}}}  # a click reads the customdata
        figure.add_trace(marks.dots(values, occupations, theme.text(name), hover="%{text}", **mark, **still))
    places = np.linspace(lowest, 1, max(5, min(33, TARGETS // max(1, len(rows)))))
    named = [occupation for occupation in occupations for _ in places]
    figure.add_trace(
        marks.unseen(
            np.tile(places, len(rows)),
            named,
            named,
            ROW,
            "a click opens the occupation",
            text=[words for words in hover for _ in places],
            showlegend=False,
            **marks.hovering("%{text}"),
        )
    )
    labels = {name: theme.text(called(name), 24) for name in occupations}
    if chosen in labels:
        labels[chosen] = f"<b>▸ {labels[chosen]}</b>"
    axis: dict[str, Any] = {
        "title_text": f"← {theme.text(ends[0])} · even · {theme.text(ends[1])} →",
        "range": [lowest * 1.04, 1.04],
        "tickvals": [*([-1, -0.5] if lowest == -1 else [lowest]), 0, 0.5, 1],
        "fixedrange": True,
        **theme.SIGNED,
    }
    figure.update_xaxes(axis)
    room = AXIS if above else 0
    if above:
        # Plotly draws no axis without data: this line has one end and is invisible.
        figure.add_trace(marks.line([0], occupations[:1], showlegend=False, xaxis="x2"))
        figure.update_layout(xaxis2={**axis, "overlaying": "x", "side": "top", "showgrid": False})
    highest = -0.6 - LABEL_ROWS
    figure.update_yaxes({**theme.name_axis(labels), "range": [len(rows) - 0.4, highest], "fixedrange": True})
    marks.rule(figure, x=0, dash="solid", width=1.5)
    if rows:
        ends_of = zip(names, (rows[0].first, rows[0].second), strict=True)
        marks.name_models(figure, [(name, value, styles[name].color) for name, value in ends_of])
    plot = ROW * max(4, len(rows) + LABEL_ROWS)
    height = 66 + plot + room
    view = f"{' '.join(names)} {' '.join(ends)} {len(rows)}"
    look: dict[str, Any] = {"hoverdistance": -1, "top": theme.ABOVE_PLOT + room}
    # All occupations are for scrolling.
    return theme.base_layout(figure, height, view=view, legend=False, tallest=height, **look)


PANELS = theme.RISKS
PRINTED = theme.ModelStyle(theme.MUTED, "diamond-open", "")  # of a paper's row
SPREAD = 0.16  # of the marks at one position, as a share of the distance between two
ABOVE = 0.16  # room above the largest difference or whisker, as a share of it
APART = 1.015  # factor between joined marks of one size on a logarithmic axis
MOST_LEVEL = 4  # names of places that fit beside each other on a phone
MOST_IN_ROWS = 7  # of three rows each, upright
NOWHERE = 1e-12  # rounding error of a risk that is 0


def axis_panels(
    points: Sequence[AxisPoint], title: str, order: Sequence[str] = (), *, joined: bool = False
) -> go.Figure:
    """Draw one panel each for R, R^p and R^c with intervals; ``title``: of the axis.

    Numbers are on a logarithmic axis, names in order of appearance.  Points are ``joined`` only for sizes of
    one series.  Printed rows are hollow diamonds.
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
        _add_line(figure, chosen, x, style, name, _point_details, mode=mode, legendgroup=str(index))
    for row, (quantity, panel) in enumerate(PANELS.items(), start=1):
        figure.update_yaxes(title_text=panel, nticks=5, **_range(points, quantity), row=row, col=1)
    if numbers:
        figure.update_xaxes(type="log")
    else:
        upright = len(places) > MOST_LEVEL
        rows = 3 if len(places) <= MOST_IN_ROWS else 2
        labels = [theme.lines(index, 22 if upright else 16, rows) for index in places]
        ends = [-0.5, len(places) - 0.5]
        angle = {"tickangle": -90} if upright else {}
        figure.update_xaxes(tickvals=list(range(len(places))), ticktext=labels, range=ends, **angle)
    return _finish(figure, points, title, 640, legend=len(lines) > 1)


def change_panels(points: Sequence[AxisPoint], title: str, order: Sequence[str] = ()) -> go.Figure:
    """Draw R, R^p and R^c of aligned minus base checkpoints at each size, one panel each, with intervals."""
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
    """Return a range around 0 that holds every difference and whisker, with a margin."""
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
    bounds = marks.within(point.intervals.get(quantity), "+.3g")
    return marks.told(point.line, _place(point), f"{point.values[quantity]:+.3g}{bounds}")


def _place(point: AxisPoint) -> str:
    return f"{point.place:,.0f}" if isinstance(point.place, float) else theme.text(point.place)


def _point_details(point: AxisPoint, quantity: str) -> str:
    value, interval = point.values[quantity], point.intervals.get(quantity)
    bounds = marks.within(interval, "#.3g", "–")
    if quantity == "caprice_risk" and interval is not None and max(value, interval.high) < NOWHERE:
        bounds = ", in no sentence here"
    return marks.told(point.line, _place(point), f"{value:#.3g}{bounds}", theme.text(point.published, 80))
