"""Caprice and prejudice over occupations: histograms (BVF Figure 10), survival, Hill and QQ plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import RiskReport
from pcf_core.core.tails import Distribution, NormalShape, TailShape
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import called
from pcf_core.show.names import worded

BINS = 25
SMALLEST_RANGE = 0.01
ABOVE_BARS = 1.3  # of the tallest bar, for a panel's name
LINES: Mapping[Distribution, tuple[str, str]] = {
    "generalised Pareto": (theme.MODEL_COLORS[2], "solid"),
    "lognormal": (theme.MODEL_COLORS[3], "dash"),
    "exponential": (theme.MUTED, "dot"),
}
UPPER = "generalised Pareto of the upper tail"
PLAIN = ",~r"
DECADE_TICKS = 1.5  # a shorter log axis is too dense with plotly's ticks
FEWEST_STEPS = 30  # the axis of shares spans so many values at least
STEADY = 10  # values from which on Hill's band is narrow enough to set the axis


def caprice_histogram(reports: Mapping[str, RiskReport], *, log_count: bool) -> go.Figure:
    """Draw occupations by caprice, a panel per model, with a rug; exact zeros have a bar left of 0."""
    values = {
        model: np.array([x.caprice_risk for x in report.occupations]) for model, report in reports.items()
    }
    edges = _edges(list(values.values()))
    figure = _rug_panels(reports, worded("caprice of an occupation → more"), values)
    for row, (model, caprice) in enumerate(values.items()):
        counts, _ = np.histogram(caprice[caprice > 0], edges)
        if counts.any():
            bars = _bars(counts, edges, reports, model, "%{y} occupations")
            figure.add_trace(bars, row=2 * row + 1, col=1)
        zeros = int(np.sum(caprice == 0))
        if zeros:
            exact = go.Bar(
                x=[-edges[1]],
                y=[zeros],
                width=[edges[1]],
                marker={"color": theme.MUTED},
                name=f"{theme.text(model)}: exactly 0",
                **marks.hovering("exactly 0<br>%{y} occupations"),
            )
            figure.add_trace(exact, row=2 * row + 1, col=1)
            title = figure.layout.annotations[row]
            title.text += f"<br>grey bar: exactly 0 in {zeros:,} of {caprice.size:,}"
        axis: dict[str, Any] = {"title_text": "occupations", "tickformat": ",d", "showgrid": False}
        axis["range"] = [0, ABOVE_BARS * max(1, zeros, counts.max())]
        if log_count:
            ends = [np.log10(0.5), np.log10(5 * max(1, len(caprice)))]
            axis |= {"type": "log", "range": ends, "dtick": 1}
        figure.update_yaxes(axis, row=2 * row + 1)
    figure.update_xaxes(range=[-2.4 * edges[1], edges[-1] + edges[1] / 2])
    if not any(caprice.any() for caprice in values.values()):
        figure.update_xaxes(tickvals=[0])
    return _finish(figure, reports, f"caprice {log_count}", 90, legend=False, bargap=0)


def prejudice_histogram(
    reports: Mapping[str, RiskReport], fits: Mapping[str, tuple[float, float]]
) -> go.Figure:
    """Draw the density of prejudice, a panel per model, with a normal curve; ``fits``: mean and s.d."""
    values = {
        model: np.array([x.prejudice_risk for x in report.occupations]) for model, report in reports.items()
    }
    edges = _edges(list(values.values()))
    figure = _rug_panels(reports, worded("prejudice of an occupation → more"), values)
    for row, (model, prejudice) in enumerate(values.items()):
        counts, _ = np.histogram(prejudice, edges)
        density = counts / max(1, counts.sum()) / np.diff(edges)
        bars = _bars(density, edges, reports, model, "density %{y:.3g}")
        figure.add_trace(bars, row=2 * row + 1, col=1)
        tallest = density.max()
        mean, deviation = fits.get(model, (0.0, 0.0))
        if deviation > 0:
            x = np.linspace(edges[0], edges[-1], 200)
            curve = np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
            tallest = max(tallest, curve.max())
            name, hover = (
                f"normal, mean {mean:#.3g}, s.d. {deviation:#.3g}",
                "normal curve at %{x:.3g}: %{y:.3g}",
            )
            figure.add_trace(
                marks.line(x, curve, name, width=2, dash="dash", hover=hover), row=2 * row + 1, col=1
            )
        figure.update_yaxes(title_text="density", range=[0, ABOVE_BARS * tallest], row=2 * row + 1)
    figure.update_xaxes(range=[0 - edges[1] / 2, edges[-1] + edges[1] / 2])
    return _finish(figure, reports, "prejudice", 90, legend=False, bargap=0)


def survival_plot(reports: Mapping[str, RiskReport], shapes: Mapping[str, TailShape]) -> go.Figure:
    """Draw the share of positive values at or above each one, both axes logarithmic, with the fits.

    The fit of the upper tail begins at its threshold; occupations without caprice are only counted in a note.
    """
    notes = [
        f"{shapes[model].positive.size:,} of {len(report.occupations):,} above 0 · {shapes[model].verdict}"
        for model, report in reports.items()
    ]
    figure = _panels(reports, notes, 0.01, top=False)
    shown: set[str] = set()
    for row, (model, report) in enumerate(reports.items(), start=1):
        shape = shapes[model]
        figure.add_trace(_survivors(report, shape.positive, model, reports), row=row, col=1)
        for fit in shape.fits:
            color, dash = LINES[fit.distribution]
            look: dict[str, Any] = {"color": color, "dash": dash, "width": 2}
            look["showlegend"] = fit.distribution not in shown
            figure.add_trace(_survival(shape.grid, fit.survival, fit.distribution, **look), row=row, col=1)
            shown.add(fit.distribution)
        if shape.tail is not None:  # the fit that the verdict rests on
            color = LINES["generalised Pareto"][0]
            look = {"color": color, "width": 7, "opacity": 0.35, "showlegend": UPPER not in shown}
            figure.add_trace(_survival(shape.tail.grid, shape.tail.survival, UPPER, **look), row=row, col=1)
            shown.add(UPPER)
        lowest = 0.6 / max(FEWEST_STEPS, shape.positive.size)
        figure.update_yaxes(_log_axis(lowest, 1.5), title_text="share at or above", row=row)
    values = np.concatenate([shape.positive for shape in shapes.values()] or [np.zeros(0)])
    ends = (float(values.min()) / 1.5, float(values.max()) * 1.5) if values.size else (0.001, 1.0)
    figure.update_xaxes(_log_axis(*ends))
    figure.update_xaxes(title_text=worded("caprice of an occupation (log) → more"), row=len(reports))
    return _finish(figure, reports, "survival", 110, legend=bool(shown))


def hill_plot(shapes: Mapping[str, TailShape]) -> go.Figure:
    """Draw Hill's tail index with its band, and the shape of the upper tail, of models with enough values."""
    fitted = [(model, shape.hill, shape.tail) for model, shape in shapes.items() if shape.hill is not None]
    models = {model: shapes[model] for model, _, _ in fitted}
    figure = _panels(models, [""] * len(models), 0.25, top=True)
    drawn = False
    for row, (model, hill, tail) in enumerate(fitted, start=1):
        for trace in _band(hill.order, hill.low, hill.high, "95 % band", first=row == 1):
            figure.add_trace(trace, row=row, col=1)
        index = marks.line(
            hill.order,
            hill.index,
            theme.text(model),
            color=theme.model_styles(list(shapes))[model].color,
            width=2,
            hover="the %{x} largest: %{y:.3g} (%{customdata[0]:.3g} to %{customdata[1]:.3g})",
            customdata=np.column_stack([hill.low, hill.high]),
            showlegend=False,
        )
        figure.add_trace(index, row=row, col=1)
        shape = 0.0 if tail is None else tail.shape
        if tail is not None:
            look: dict[str, Any] = {
                "width": 2,
                "dash": "dash",
                "hover": "generalised Pareto: %{y:.3g}",
                "showlegend": not drawn,
            }
            name = "shape of the upper tail's fit"
            figure.add_trace(marks.line(hill.order[[0, -1]], [shape] * 2, name, **look), row=row, col=1)
            drawn = True
        narrow = hill.high[min(STEADY, len(hill.order) - 1) :].max()
        ends = [min(0.0, shape) - 0.1, 1.1 * max(narrow, shape)]
        figure.update_yaxes(title_text="tail index ξ → heavier", range=ends, row=row)
    figure.update_xaxes(title_text="how many of the largest values → more", row=max(1, len(models)))
    return _finish(figure, models, "hill", 110, legend=bool(models))


def qq_plot(reports: Mapping[str, RiskReport], shapes: Mapping[str, NormalShape]) -> go.Figure:
    """Draw the occupations' prejudice against their normal fit, with the normal band."""
    notes = [_normal_note(shapes[model]) for model in reports]
    figure = _panels(reports, notes, 0.01, top=True)
    styles = theme.model_styles(list(reports))
    banded = False
    for row, (model, report) in enumerate(reports.items(), start=1):
        shape = shapes[model]
        if shape.low is not None and shape.high is not None:
            name = "95 % of normal samples lie in here"
            for trace in _band(shape.expected, shape.low, shape.high, name, first=not banded):
                figure.add_trace(trace, row=row, col=1)
            banded = True
        ranked = sorted(report.occupations, key=lambda found: found.prejudice_risk)
        ends = shape.expected[[0, -1]]
        normal = marks.line(ends, ends, "as normal", dash="dash", showlegend=row == 1)
        points = marks.dots(
            shape.expected,
            shape.ordered,
            theme.text(model),
            color=styles[model].color,
            symbol=styles[model].marker,
            size=5,
            hover="%{customdata}: %{y:.3g}, normal %{x:.3g}",
            customdata=[theme.text(called(found.occupation)) for found in ranked],
            showlegend=False,
        )
        for trace in (normal, points):
            figure.add_trace(trace, row=row, col=1)
        figure.update_yaxes(title_text="prejudice → more", showgrid=False, row=row)
    figure.update_xaxes(title_text="prejudice that a normal distribution expects → more", row=len(reports))
    return _finish(figure, reports, "qq", 110, legend=True)


def _edges(values: Sequence[FloatArray]) -> FloatArray:
    largest = max((float(risks.max(initial=0.0)) for risks in values), default=0.0)
    return np.linspace(0.0, max(largest, SMALLEST_RANGE), BINS + 1)


def _rug_panels(reports: Mapping[str, RiskReport], title: str, values: Mapping[str, FloatArray]) -> go.Figure:
    """Make a histogram panel per model, each above a thin one with the rug, on one x axis."""
    count = max(1, len(reports))
    figure = make_subplots(
        rows=2 * count,
        cols=1,
        shared_xaxes=True,
        row_heights=[0.88, 0.12] * count,
        vertical_spacing=0.06 / count,
    )
    styles = theme.model_styles(list(reports))
    for row, (model, report) in enumerate(reports.items()):
        rug = marks.dots(
            values[model],
            np.zeros(len(values[model])),
            f"{theme.text(model)}: occupations",
            color=styles[model].color,
            symbol="line-ns-open",
            marker={"opacity": 0.7},
            hover="%{customdata}: %{x:.3g}",
            customdata=[theme.text(called(x.occupation)) for x in report.occupations],
        )
        figure.add_trace(rug, row=2 * row + 2, col=1)
        figure.update_yaxes(visible=False, range=[-1, 1], fixedrange=True, row=2 * row + 2)
        _say_in_panel(
            figure, 2 * row + 1, theme.text(model), x=1, y=1, xref="paper", xanchor="right", align="right"
        )
    figure.update_xaxes(title_text=title, row=2 * count)
    return figure


def _bars(
    heights: FloatArray, edges: FloatArray, reports: Mapping[str, RiskReport], model: str, hover: str
) -> go.Bar:
    style = theme.model_styles(list(reports))[model]
    ends = np.column_stack([edges[:-1], edges[1:]])
    text = f"%{{customdata[0]:.3g}} to %{{customdata[1]:.3g}}<br>{hover}"
    return marks.histogram(heights, ends, theme.text(model), theme.bar_marker(style), hover=text)


def _survivors(
    report: RiskReport, positive: FloatArray, model: str, reports: Mapping[str, RiskReport]
) -> go.Scatter:
    """Draw one mark per occupation: the share of positive values at or above its own."""
    positive_rows = [row for row in report.occupations if row.caprice_risk > 0]
    style = theme.model_styles(list(reports))[model]
    return marks.dots(
        positive,
        np.arange(positive.size, 0, -1) / positive.size,
        theme.text(model),
        color=style.color,
        symbol=f"{style.marker}-open",
        size=5,
        hover="%{customdata}: %{x:.3g}<br>%{y:.3g} at or above",
        customdata=[
            theme.text(called(row.occupation))
            for row in sorted(positive_rows, key=lambda row: row.caprice_risk)
        ],
        showlegend=False,
    )


def _survival(x: FloatArray | None, y: FloatArray, name: str, **look: Any) -> go.Scatter:
    hover = f"{name}: %{{y:.3g}} at or above %{{x:.3g}}"
    return marks.line([] if x is None else x, y, name, hover=hover, legendgroup=name, **look)


def _band(x: FloatArray, low: FloatArray, high: FloatArray, name: str, *, first: bool) -> list[go.Scatter]:
    """Draw an area between two invisible lines; only the figure's ``first`` is in the legend."""
    filled: dict[str, Any] = {"fill": "tonexty", "fillcolor": theme.GRID, "showlegend": first}
    return [
        marks.line(x, low, f"{name}, lower end", width=0, showlegend=False),
        marks.line(x, high, name, width=0, **filled),
    ]


def _normal_note(shape: NormalShape) -> str:
    if shape.low is None:
        return "no spread, or too few values"
    outside = f"{shape.outside:,} of {shape.fit.n:,} outside"
    return outside if shape.statistic is None else f"W {shape.statistic:.3g} · {outside}"


def _log_axis(low: float, high: float) -> dict[str, Any]:
    ends = [np.log10(low), np.log10(high)]
    ticks = {"dtick": 1} if ends[1] - ends[0] > DECADE_TICKS else {"nticks": 4}
    return {"type": "log", "range": ends, "tickformat": PLAIN, **ticks}


def _panels(models: Mapping[str, Any], notes: Sequence[str], x: float, *, top: bool) -> go.Figure:
    count = max(1, len(models))
    figure = make_subplots(rows=count, cols=1, shared_xaxes=True, vertical_spacing=0.08 / count)
    for row, (model, note) in enumerate(zip(models, notes, strict=True), start=1):
        text = theme.text(model, 28) + (f"<br>{theme.lines(note, 36)}" if note else "")
        index = {"x": x, "y": 0.98 if top else 0.02, "yanchor": "top" if top else "bottom"}
        _say_in_panel(figure, row, text, xanchor="left", align="left", **index)
    return figure


def _say_in_panel(figure: go.Figure, row: int, text: str, **where: Any) -> None:
    axis = "" if row == 1 else row
    domain = {"xref": f"x{axis} domain", "yref": f"y{axis} domain", "yanchor": "top"}
    marks.note(figure, text, **{**domain, **where})


def _finish(
    figure: go.Figure, models: Mapping[str, Any], view: str, around: float, *, legend: bool, **layout: Any
) -> go.Figure:
    height = around + 230 * max(1, len(models))
    return theme.base_layout(figure, height, view=f"{view} {list(models)}", legend=legend, **layout)
