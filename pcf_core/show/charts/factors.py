"""Risk of the occupations against one of their figures, with fitted lines (PCF Figure 6, BVF Figure 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pcf_core.core.factors import FactorPanel, FactorPoint
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.factors import ALIKE, by_weight
from pcf_core.show.findings.numbers import called

SMALLEST, LARGEST = 5.0, 24.0  # diameters of points, in pixels
HEIGHT = 360
MOST_WORDS = 6


def factor_plot(
    panel: FactorPanel, model: str, models: Sequence[str], span: tuple[float, float] | None = None
) -> go.Figure:
    """Draw one panel: a point per line of the statistics or word, its area the people employed.

    Solid: every point counts alike; dashed: by the people employed; the legend says so.  The bands are those
    of the lines, not of the points.  Points without a weight are hollow.

    Parameters
    ----------
    panel
        Points and lines.
    model
        Whose risk it is.
    models
        All that are chosen; the model's place among them gives its colour.
    span
        Ends of the axis of risk, so that panels can be compared (see :func:`risk_span`).
    """
    style = theme.model_styles(list(models))[model]
    figure = go.Figure()
    lines = (
        (panel.wls, by_weight(panel.scale), theme.MUTED, "dash", 2),
        (panel.ols, ALIKE, style.color, "solid", 1),
    )
    for fit, name, color, dash, rank in lines:
        if fit is not None:
            x = 10**fit.x if panel.scale.log else fit.x
            look: dict[str, Any] = {"name": name, "dash": dash, "rank": rank}
            figure.add_traces(marks.fit(x, fit.mean, (fit.low, fit.high), color, **look))
    weighed = any(point.weight is not None for point in panel.points)
    for known in (True, False):
        points = [point for point in panel.points if (point.weight is not None) is known]
        if points:
            hollow = weighed and not known
            figure.add_trace(
                _points(panel, points, f"{style.marker}{'-open' if hollow else ''}", style.color)
            )
    between = " " if theme.columns(panel.scale.title) <= theme.LABEL_LENGTH else "<br>"
    figure.update_xaxes(
        title_text=f"{theme.text(panel.scale.title, 60)}{between}→ {theme.text(panel.scale.more)}"
    )
    if panel.scale.log:
        figure.update_xaxes(type="log", dtick=1, tickformat=",~r")
    figure.update_yaxes(title_text=theme.RISKS[panel.quantity])
    if span is not None:
        figure.update_yaxes(range=list(span))
    view = f"{panel.scale.name} {panel.quantity} {model}"
    return theme.base_layout(figure, HEIGHT, view=view, legend=True)


def risk_span(panels: Sequence[FactorPanel]) -> tuple[float, float]:
    """Return the ends of an axis that holds every point of the panels."""
    risks = [point.risk for panel in panels for point in panel.points]
    low, high = min(risks, default=0.0), max(risks, default=1.0)
    pad = 0.08 * (high - low) or 0.05
    return low - pad, high + pad


def _points(panel: FactorPanel, points: Sequence[FactorPoint], symbol: str, color: str) -> go.Scatter:
    weights = np.array([point.weight or 0.0 for point in points])
    largest = max((point.weight or 0.0 for point in panel.points), default=0.0)
    shares = np.sqrt(weights / largest) if largest > 0 else np.zeros(len(points))
    return marks.dots(
        [point.value for point in points],
        [point.risk for point in points],
        "occupations",
        color=color,
        symbol=symbol,
        size=SMALLEST + (LARGEST - SMALLEST) * shares,
        rim=1,
        marker={"opacity": 0.6},
        hover=[_details(panel, point) for point in points],
        showlegend=False,
    )


def _details(panel: FactorPanel, point: FactorPoint) -> str:
    """Write hover text: what is behind a point."""
    words = [theme.text(called(word), 24) for word in point.words[:MOST_WORDS]]
    more = [f"{len(point.words) - MOST_WORDS:,} more"] if len(point.words) > MOST_WORDS else []
    at_least = "at least " if point.at_least else ""
    unit = "weight" if panel.scale.name == "own" else "thousand employed"
    return marks.told(
        called(point.label),
        ", ".join([*words, *more]) if point.words != (point.label,) else "",
        f"{theme.text(panel.scale.title, 60)}: {at_least}{point.value:,.4g}",
        f"risk {point.risk:#.3g}",
        "" if point.weight is None else f"{unit}: {point.weight:,.4g}",
    )
