"""J over the preferences of three groups, and where the contexts of an example lie on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pcf_core.core.records import FloatArray
from pcf_core.measure.toy import SimplexRisk
from pcf_core.show.charts import theme
from pcf_core.show.charts.toy import REACH, line, mark, pairs


def simplex(risk: SimplexRisk, criterion: str) -> go.Figure:
    """Draw J over all preferences of three groups: a triangle, coloured by J, with an example's contexts.

    The corners are certain preferences for one group, the middle is neutral.

    Parameters
    ----------
    risk
        The grid and the example.
    criterion
        Its name, for the colours' title.
    """
    toy = risk.example
    first, second, third = (theme.text(group, 20) for group in toy.groups)
    figure = go.Figure()
    figure.add_trace(
        go.Heatmap(
            x=risk.across,
            y=risk.up,
            z=risk.risks,
            coloraxis="coloraxis",
            hoverongaps=False,
            hovertemplate=f"p({second}) − p({first}) %{{x:+.3g}}<br>p({third}) %{{y:.3g}}<br>J %{{z:.3g}}"
            "<extra></extra>",
            name="J",
        )
    )
    mean = _in_plane(toy.mean_preference[np.newaxis])[0]
    ends = [((float(x), float(y)), (float(mean[0]), float(mean[1]))) for x, y in _in_plane(toy.preferences)]
    figure.add_trace(line(*pairs(ends), "to the mean", "dash", 2))
    for place, (end, _) in enumerate(ends):
        text = f"J {toy.risks[place]:.3g}"
        figure.add_trace(_point(end, text, toy.contexts[place], {**mark(toy, place), "size": 13}))
    text = f"r = E J {toy.overall_risk:.3g}<br>prejudice J(E s) {toy.prejudice_risk:.3g}"
    figure.add_trace(
        _point(
            mean, text, "mean of the contexts", {"symbol": "star", "size": 17, "color": theme.OKABE_ITO[5]}
        )
    )
    figure.update_xaxes(
        title_text=f"← {first} · p({second}) − p({first}) · {second} →", range=[-REACH, REACH]
    )
    figure.update_yaxes(title_text=f"p({third}) → {third}", range=[-0.06, REACH])
    margin = {"l": 8, "r": 12, "t": 64, "b": 8}
    colors = _risk_axis(criterion, float(np.nanmax(risk.risks)))
    return theme.base_layout(figure, 560, view=str(toy.groups), legend=True, margin=margin, coloraxis=colors)


def _in_plane(preferences: FloatArray) -> FloatArray:
    """Project [point, group] of three groups on [point, 2]: first left, second right, third on top."""
    return np.stack([preferences[:, 1] - preferences[:, 0], preferences[:, 2]], axis=-1)


def _point(place: Sequence[float], hover: str, name: str, marker: dict[str, Any]) -> go.Scatter:
    return go.Scatter(
        x=[place[0]],
        y=[place[1]],
        mode="markers",
        marker={**marker, "line": {"width": 1.5, "color": theme.DIVERGING[5]}},
        hovertemplate=f"{theme.text(name)}<br>{hover}<extra></extra>",
        name=theme.text(name),
    )


def _risk_axis(criterion: str, highest: float) -> dict[str, Any]:
    """Return the colour axis of J, from neutral to dark."""
    bar = {"orientation": "h", "thickness": 10, "len": 0.8, "x": 0, "xanchor": "left", "xpad": 0, "y": 1}
    title = {"text": f"{criterion} → more risk", "side": "top", "font": {"size": 12}}
    shades = theme.DIVERGING[5:]
    scale = [[place / (len(shades) - 1), shade] for place, shade in enumerate(shades)]
    return {
        "colorscale": scale,
        "cmin": 0,
        "cmax": highest,
        "colorbar": {**bar, "yanchor": "bottom", "ypad": 6, "title": title, "nticks": 5},
    }
