"""Fitted distributions against the values: survival and Hill plots of caprice, QQ plots of prejudice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import RiskReport
from pcf_core.core.tails import Distribution, HillPlot, NormalShape, TailShape, UpperTail
from pcf_core.show.charts import theme

LINES: Mapping[Distribution, tuple[str, str]] = {
    "generalised Pareto": (theme.OKABE_ITO[2], "solid"),
    "lognormal": (theme.OKABE_ITO[3], "dash"),
    "exponential": (theme.MUTED, "dot"),
}
UPPER = "generalised Pareto of the upper tail"
PLAIN = ",~r"
DECADE_TICKS = 1.5  # on a shorter log axis plotly's own ticks leave no gap
FEWEST_STEPS = 30  # so many values span the axis of shares, even where fewer are drawn
STEADY = 10  # from so many values on, Hill's band is narrow enough to set the axis


def survival_plot(reports: Mapping[str, RiskReport], shapes: Mapping[str, TailShape]) -> go.Figure:
    """Draw the share of positive values at or above each one, both axes logarithmic, with the fits.

    The fit of the upper tail, on which the verdict rests, is drawn from its threshold on.

    One panel per model; the occupations without caprice have no place on a logarithmic axis and are counted
    in the panel's note.
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
            figure.add_trace(
                go.Scatter(
                    x=shape.grid,
                    y=fit.survival,
                    mode="lines",
                    line={"color": color, "dash": dash, "width": 2},
                    hovertemplate=f"{fit.distribution}: %{{y:.3g}} at or above %{{x:.3g}}<extra></extra>",
                    name=fit.distribution,
                    legendgroup=fit.distribution,
                    showlegend=fit.distribution not in shown,
                ),
                row=row,
                col=1,
            )
            shown.add(fit.distribution)
        if shape.tail is not None:
            tail = _upper_tail(shape.tail, first=UPPER not in shown)
            figure.add_trace(tail, row=row, col=1)
            shown.add(UPPER)
        lowest = 0.6 / max(FEWEST_STEPS, shape.positive.size)
        figure.update_yaxes(_log_axis(lowest, 1.5), title_text="share at or above", row=row)
    values = np.concatenate([shape.positive for shape in shapes.values()] or [np.zeros(0)])
    ends = (float(values.min()) / 1.5, float(values.max()) * 1.5) if values.size else (0.001, 1.0)
    figure.update_xaxes(_log_axis(*ends))
    figure.update_xaxes(title_text="caprice of an occupation (log) → more", row=len(reports))
    return _finish(figure, reports, "survival", legend=bool(shown))


def hill_plot(shapes: Mapping[str, TailShape]) -> go.Figure:
    """Draw Hill's tail index from the largest values, with its band; a line at the shape of the upper tail.

    Models whose values are too few to fit have no panel; the page names them.
    """
    fitted = [(model, shape.hill, shape.tail) for model, shape in shapes.items() if shape.hill is not None]
    models = {model: shapes[model] for model, _, _ in fitted}
    figure = _panels(models, [""] * len(models), 0.25, top=True)
    drawn = False
    for row, (model, hill, tail) in enumerate(fitted, start=1):
        for trace in _band(hill.order, hill.low, hill.high, "95 % band", first=row == 1):
            figure.add_trace(trace, row=row, col=1)
        figure.add_trace(_index_line(hill, model, shapes), row=row, col=1)
        shape = 0.0 if tail is None else tail.shape
        if tail is not None:
            figure.add_trace(
                go.Scatter(
                    x=hill.order[[0, -1]],
                    y=[shape] * 2,
                    mode="lines",
                    line={"color": theme.MUTED, "dash": "dash", "width": 2},
                    hovertemplate="generalised Pareto: %{y:.3g}<extra></extra>",
                    name="shape of the upper tail's fit",
                    showlegend=not drawn,
                ),
                row=row,
                col=1,
            )
            drawn = True
        steady = hill.high[min(STEADY, len(hill.order) - 1) :].max()
        ends = [min(0.0, shape) - 0.1, 1.1 * max(steady, shape)]
        figure.update_yaxes(title_text="tail index ξ → heavier", range=ends, row=row)
    figure.update_xaxes(title_text="how many of the largest values → more", row=max(1, len(models)))
    return _finish(figure, models, "hill", legend=bool(models))


def qq_plot(reports: Mapping[str, RiskReport], shapes: Mapping[str, NormalShape]) -> go.Figure:
    """Draw prejudice of the occupations against what their normal fit expects, with the normal band."""
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
        figure.add_trace(
            go.Scatter(
                x=ends,
                y=ends,
                mode="lines",
                line={"color": theme.MUTED, "dash": "dash", "width": 1},
                hoverinfo="skip",
                name="as normal",
                showlegend=row == 1,
            ),
            row=row,
            col=1,
        )
        figure.add_trace(
            go.Scatter(
                x=shape.expected,
                y=shape.ordered,
                mode="markers",
                marker={"color": styles[model].color, "symbol": styles[model].marker, "size": 5},
                customdata=[theme.text(found.occupation) for found in ranked],
                hovertemplate="%{customdata}: %{y:.3g}, normal %{x:.3g}<extra></extra>",
                name=theme.text(model),
                showlegend=False,
            ),
            row=row,
            col=1,
        )
        figure.update_yaxes(title_text="prejudice → more", showgrid=False, row=row)
    figure.update_xaxes(title_text="prejudice that a normal distribution expects → more", row=len(reports))
    return _finish(figure, reports, "qq", legend=True)


def _survivors(
    report: RiskReport, positive: FloatArray, model: str, reports: Mapping[str, RiskReport]
) -> go.Scatter:
    """Draw one mark per occupation: the share of the positive values at or above its own."""
    ranked = sorted(
        (found for found in report.occupations if found.caprice_risk > 0), key=lambda row: row.caprice_risk
    )
    style = theme.model_styles(list(reports))[model]
    return go.Scatter(
        x=positive,
        y=np.arange(positive.size, 0, -1) / positive.size,
        mode="markers",
        marker={"color": style.color, "symbol": f"{style.marker}-open", "size": 5},
        customdata=[theme.text(found.occupation) for found in ranked],
        hovertemplate="%{customdata}: %{x:.3g}<br>%{y:.3g} at or above<extra></extra>",
        name=theme.text(model),
        showlegend=False,
    )


def _upper_tail(tail: UpperTail, *, first: bool) -> go.Scatter:
    """Draw the survival of the fit that the verdict rests on; only a figure's first is in the legend."""
    return go.Scatter(
        x=tail.grid,
        y=tail.survival,
        mode="lines",
        line={"color": LINES["generalised Pareto"][0], "width": 7},
        opacity=0.35,
        hovertemplate=f"{UPPER}: %{{y:.3g}} at or above %{{x:.3g}}<extra></extra>",
        name=UPPER,
        legendgroup=UPPER,
        showlegend=first,
    )


def _index_line(hill: HillPlot, model: str, models: Mapping[str, TailShape]) -> go.Scatter:
    return go.Scatter(
        x=hill.order,
        y=hill.index,
        mode="lines",
        line={"color": theme.model_styles(list(models))[model].color, "width": 2},
        customdata=np.column_stack([hill.low, hill.high]),
        hovertemplate="the %{x} largest: %{y:.3g} (%{customdata[0]:.3g} to %{customdata[1]:.3g})"
        "<extra></extra>",
        name=theme.text(model),
        showlegend=False,
    )


def _band(x: FloatArray, low: FloatArray, high: FloatArray, name: str, *, first: bool) -> list[go.Scatter]:
    """Draw an area between two invisible lines; only a figure's first band is in the legend."""
    shared: dict[str, Any] = {"x": x, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    return [
        go.Scatter(**shared, y=low, showlegend=False, name=f"{name}, lower end"),
        go.Scatter(**shared, y=high, fill="tonexty", fillcolor=theme.GRID, showlegend=first, name=name),
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
    """Make a panel per model with its name and a note at a place that the marks leave free."""
    count = max(1, len(models))
    figure = make_subplots(rows=count, cols=1, shared_xaxes=True, vertical_spacing=0.08 / count)
    for row, (model, note) in enumerate(zip(models, notes, strict=True), start=1):
        axis = "" if row == 1 else str(row)
        figure.add_annotation(
            x=x,
            y=0.98 if top else 0.02,
            xref=f"x{axis} domain",
            yref=f"y{axis} domain",
            xanchor="left",
            yanchor="top" if top else "bottom",
            align="left",
            text=theme.text(model, 28) + (f"<br>{theme.lines(note, 36)}" if note else ""),
            showarrow=False,
        )
    return figure


def _finish(figure: go.Figure, models: Mapping[str, Any], view: str, *, legend: bool) -> go.Figure:
    height = 110 + 230 * max(1, len(models))
    return theme.base_layout(figure, height, view=f"{view} {list(models)}", legend=legend)
