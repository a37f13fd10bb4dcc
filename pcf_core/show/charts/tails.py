"""Histograms over occupations: caprice with a rug, prejudice with its normal fit (BVF Figure 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import RiskReport
from pcf_core.show.charts import theme

BINS = 25
SMALLEST_RANGE = 0.01


def caprice_histogram(reports: Mapping[str, RiskReport], *, log_count: bool) -> go.Figure:
    """Draw occupations counted by caprice, one panel per model on one axis, with a rug of the single values.

    Exact zeros have a bar of their own, left of 0 and counted in the panel's title: they say that a
    stereotype never changes its sign, not that it is small.
    """
    values = {
        model: np.array([x.caprice_risk for x in report.occupations]) for model, report in reports.items()
    }
    edges = _edges(list(values.values()))
    figure = _panels(reports, "caprice of an occupation → more", values)
    for row, (model, caprice) in enumerate(values.items()):
        counts, _ = np.histogram(caprice[caprice > 0], edges)
        if counts.any():
            bars = _bars(counts, edges, reports, model, "%{y} occupations")
            figure.add_trace(bars, row=2 * row + 1, col=1)
        zeros = int(np.sum(caprice == 0))
        if zeros:
            figure.add_trace(_zero_bar(zeros, edges[1], model), row=2 * row + 1, col=1)
            figure.layout.annotations[
                row
            ].text += f" · bar left of 0: {zeros:,} of {caprice.size:,} exactly 0"
        axis: dict[str, Any] = {"title_text": "occupations", "tickformat": ",d"}
        if log_count:
            axis |= {
                "type": "log",
                "range": [np.log10(0.5), np.log10(2.5 * max(1, len(caprice)))],
                "dtick": 1,
            }
        figure.update_yaxes(axis, row=2 * row + 1)
    figure.update_xaxes(range=[-2.4 * edges[1], edges[-1] + edges[1] / 2])
    if not any(caprice.any() for caprice in values.values()):
        figure.update_xaxes(tickvals=[0])
    return _finish(figure, reports, f"caprice {log_count}")


def prejudice_histogram(
    reports: Mapping[str, RiskReport], fits: Mapping[str, tuple[float, float]]
) -> go.Figure:
    """Draw density of the occupations' prejudice, one panel per model, with the normal curve fitted to it.

    Parameters
    ----------
    reports
        Per model.
    fits
        Per model the mean and standard deviation of the normal distribution; without one, or with a standard
        deviation of 0, no curve is drawn.
    """
    values = {
        model: np.array([x.prejudice_risk for x in report.occupations]) for model, report in reports.items()
    }
    edges = _edges(list(values.values()))
    figure = _panels(reports, "prejudice of an occupation → more", values)
    for row, (model, prejudice) in enumerate(values.items()):
        counts, _ = np.histogram(prejudice, edges)
        density = counts / max(1, counts.sum()) / np.diff(edges)
        hover = "density %{y:.3g}"
        figure.add_trace(_bars(density, edges, reports, model, hover), row=2 * row + 1, col=1)
        mean, deviation = fits.get(model, (0.0, 0.0))
        if deviation > 0:
            figure.add_trace(_normal_curve(mean, deviation, edges), row=2 * row + 1, col=1)
        figure.update_yaxes(title_text="density", row=2 * row + 1)
    figure.update_xaxes(range=[0 - edges[1] / 2, edges[-1] + edges[1] / 2])
    return _finish(figure, reports, "prejudice")


def _edges(values: Sequence[FloatArray]) -> FloatArray:
    """Return bin edges from 0, the same for all models."""
    largest = max((float(risks.max(initial=0.0)) for risks in values), default=0.0)
    return np.linspace(0.0, max(largest, SMALLEST_RANGE), BINS + 1)


def _panels(reports: Mapping[str, RiskReport], title: str, values: Mapping[str, FloatArray]) -> go.Figure:
    """Make a histogram panel per model, each above a thin one with the rug; all share one x axis."""
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
        figure.add_trace(
            go.Scatter(
                x=values[model],
                y=np.zeros(len(values[model])),
                mode="markers",
                marker={"symbol": "line-ns-open", "size": 10, "color": styles[model].color, "opacity": 0.7},
                customdata=[theme.text(x.occupation) for x in report.occupations],
                hovertemplate="%{customdata}: %{x:.3g}<extra></extra>",
                name=f"{theme.text(model)}: occupations",
            ),
            row=2 * row + 2,
            col=1,
        )
        figure.update_yaxes(visible=False, range=[-1, 1], fixedrange=True, row=2 * row + 2)
        axis = 2 * row + 1
        figure.add_annotation(
            x=1,
            y=1,
            xref="paper",
            yref=f"y{axis} domain" if axis > 1 else "y domain",
            xanchor="right",
            yanchor="top",
            text=theme.text(model),
            showarrow=False,
        )
    figure.update_xaxes(title_text=title, row=2 * count)
    return figure


def _bars(
    heights: FloatArray, edges: FloatArray, reports: Mapping[str, RiskReport], model: str, hover: str
) -> go.Bar:
    style = theme.model_styles(list(reports))[model]
    return go.Bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=heights,
        width=np.diff(edges),
        marker=theme.bar_marker(style),
        customdata=np.column_stack([edges[:-1], edges[1:]]),
        hovertemplate=f"%{{customdata[0]:.3g}} to %{{customdata[1]:.3g}}<br>{hover}<extra></extra>",
        name=theme.text(model),
    )


def _zero_bar(zeros: int, width: float, model: str) -> go.Bar:
    return go.Bar(
        x=[-width],
        y=[zeros],
        width=[width],
        marker={"color": theme.MUTED},
        hovertemplate="exactly 0<br>%{y} occupations<extra></extra>",
        name=f"{theme.text(model)}: exactly 0",
    )


def _normal_curve(mean: float, deviation: float, edges: FloatArray) -> go.Scatter:
    x = np.linspace(edges[0], edges[-1], 200)
    density = np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
    return go.Scatter(
        x=x,
        y=density,
        mode="lines",
        line={"color": theme.MUTED, "dash": "dash", "width": 2},
        hovertemplate="normal curve at %{x:.3g}: %{y:.3g}<extra></extra>",
        name=f"normal, mean {mean:#.3g}, s.d. {deviation:#.3g}",
    )


def _finish(figure: go.Figure, reports: Mapping[str, RiskReport], view: str) -> go.Figure:
    return theme.base_layout(
        figure, 90 + 230 * max(1, len(reports)), view=f"{view} {list(reports)}", legend=False, bargap=0
    )
