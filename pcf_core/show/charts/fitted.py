"""A fitted line over its band, as every scatter with a fit draws it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from pcf_core.core.records import FloatArray

BAND = 0.16  # of the band's opacity
Ends = Sequence[float] | FloatArray


def draw_fit(
    figure: go.Figure,
    x: Ends,
    mean: Ends,
    band: tuple[Ends, Ends],
    color: str,
    *,
    name: str = "fit",
    value: str = "%{y:.3g}",
    dash: str = "solid",
    rank: int = 1000,
) -> None:
    """Add the line through ``mean`` at ``x`` and the ``band`` between its low and high ends.

    Parameters
    ----------
    figure
        What the two traces are added to; they share a place in the legend.
    x
        [point] where the line is known.
    mean
        [point] its height.
    band
        Low and high ends, [point] each, already within the axis.
    color
        ``#rrggbb``.
    name
        In the legend and the hover.
    value
        How the hover writes the height.
    dash
        Of the line.
    rank
        Place in the legend, the lowest first; plotly's own is 1000.
    """
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    low, high = (np.asarray(ends) for ends in band)
    figure.add_trace(
        go.Scatter(
            x=np.concatenate([x, np.asarray(x)[::-1]]),
            y=np.concatenate([low, high[::-1]]),
            fill="toself",
            fillcolor=f"rgba({red}, {green}, {blue}, {BAND})",
            mode="lines",
            line={"width": 0},
            hoverinfo="skip",
            legendgroup=name,
            showlegend=False,
            name=f"{name}: band",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=np.asarray(x),
            y=np.asarray(mean),
            mode="lines",
            line={"color": color, "width": 2.5, "dash": dash},
            hovertemplate=f"{value}<extra>{name}</extra>",
            legendgroup=name,
            legendrank=rank,
            name=name,
        )
    )
