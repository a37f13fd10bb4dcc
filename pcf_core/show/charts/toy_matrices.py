"""Matrices of preferences and the risks they become: reference models, and the hair-colour example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.measure.toy import ToyRisk
from pcf_core.show.charts import theme
from pcf_core.show.charts.risk import RiskBar, risk_bars


def reference_tiles(draws: Mapping[str, FloatArray], group: str) -> go.Figure:
    """Draw reference models as heat maps of P(group), occupations by contexts, two in a row.

    Parameters
    ----------
    draws
        By name of the model, [occupation, context] probabilities.
    group
        Whose they are, one of two.
    """
    rows = -(-len(draws) // 2)
    figure = make_subplots(
        rows=rows,
        cols=2,
        subplot_titles=[theme.text(name) for name in draws],
        horizontal_spacing=0.08,
        vertical_spacing=0.24 / rows,
    )
    hover = f"occupation %{{y}}, context %{{x}}<br>P({theme.text(group)}) %{{z:.3g}}<extra></extra>"
    for place, values in enumerate(draws.values()):
        counted = {"x0": 1, "y0": 1}
        cells = go.Heatmap(z=values, coloraxis="coloraxis", hovertemplate=hover, **counted)
        figure.add_trace(cells, row=place // 2 + 1, col=place % 2 + 1)
    figure.update_annotations(font_size=12)
    figure.update_xaxes(showgrid=False, nticks=6, tickformat="d")
    figure.update_yaxes(showgrid=False, nticks=4, tickformat="d")
    for row in range(1, rows):  # tiles share their axes: numbers stand under the last and beside the first
        figure.update_xaxes(showticklabels=False, row=row)
    figure.update_yaxes(showticklabels=False, col=2)
    figure.update_xaxes(title_text="contexts", row=rows)
    figure.update_yaxes(title_text="occupations", col=1)
    return theme.base_layout(
        figure,
        140 + 170 * rows,
        view=group,
        legend=False,
        coloraxis=_preference_axis(theme.text(group)),
        margin={"l": 8, "r": 12, "t": 28, "b": 8},
    )


def risk_flow(toys: Sequence[ToyRisk], prejudice: float, caprice: float) -> go.Figure:
    """Draw how a matrix of preferences becomes risks, a vector, and one number (the note's Figure 1).

    From top to bottom: P of the first group, J, and the prejudice and caprice of each occupation over the
    last bar, that of the model.

    Parameters
    ----------
    toys
        An occupation each, all with the same two groups and contexts.
    prejudice, caprice
        R^p and R^c, the means over the occupations.
    """
    first = theme.text(toys[0].groups[0])
    titles = [f"1 · preference P({first})", "2 · risk J in each context", "3 · risk r over contexts, and R"]
    figure = make_subplots(rows=3, cols=1, subplot_titles=titles, vertical_spacing=0.13)
    preferences = np.array([toy.preferences[:, 0] for toy in toys])
    shades = [[0, theme.DIVERGING[5]], [1, theme.DIVERGING[7]]]
    figure.add_trace(_numbers(toys, preferences, f"P({first})", _light(theme.diverging(0.5))), row=1, col=1)
    figure.add_trace(_numbers(toys, np.array([toy.risks for toy in toys]), "J", shades), row=2, col=1)
    bars = [_bar(toy.name, toy.prejudice_risk, toy.caprice_risk) for toy in toys]
    for trace in risk_bars([*bars, _bar("R, the mean", prejudice, caprice)]).data:
        names = dict(enumerate([*(toy.name for toy in toys), "R, the mean"]))
        trace.y = [theme.text(names[int(key)]) for key in trace.y]
        figure.add_trace(trace, row=3, col=1)
    figure.update_annotations(font_size=12)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    figure.update_xaxes(showgrid=False, row=1)
    figure.update_xaxes(showgrid=False, row=2)
    figure.update_xaxes(title_text="risk (0 = unbiased) → more risk", rangemode="tozero", row=3)
    return theme.base_layout(
        figure,
        600,
        view=first,
        legend=True,
        barmode="stack",
        bargap=0.35,
        margin={"l": 8, "r": 12, "t": 28, "b": 8},
    )


def _bar(label: str, prejudice: float, caprice: float) -> RiskBar:
    return RiskBar(label, "run", prejudice, caprice, prejudice + caprice)


def _numbers(toys: Sequence[ToyRisk], values: FloatArray, name: str, colors: list[list[Any]]) -> go.Heatmap:
    """Draw a matrix with its numbers written in it."""
    return go.Heatmap(
        z=values,
        x=[theme.text(context) for context in toys[0].contexts],
        y=[theme.text(toy.name) for toy in toys],
        zmin=0,
        zmax=1,
        xgap=2,
        ygap=2,
        colorscale=colors,
        showscale=False,
        texttemplate="%{z:.2f}",
        hovertemplate=f"%{{y}}, %{{x}}<br>{name} %{{z:.3g}}<extra></extra>",
        name=name,
    )


def _light(colors: list[list[Any]]) -> list[list[Any]]:
    """Return the middle of a diverging scale, on which numbers can be read: its ends are too dark."""
    middle = colors[3:-3]
    return [[place / (len(middle) - 1), color] for place, (_, color) in enumerate(middle)]


def _preference_axis(name: str) -> dict[str, Any]:
    """Return the colour axis of a preference, centred on an even split of two groups."""
    bar = {"orientation": "h", "thickness": 10, "len": 0.8, "x": 0, "xanchor": "left", "xpad": 0, "y": -0.2}
    title = {"text": f"P({name}) → {name}", "side": "top", "font": {"size": 12}}
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0", "0.5 neutral", "1"]}
    colors = {"colorscale": theme.diverging(0.5), "cmin": 0, "cmax": 1}
    return {**colors, "colorbar": {**bar, **ticks, "yanchor": "top", "ypad": 0, "title": title}}
