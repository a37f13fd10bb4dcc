"""The criterion made visible: p → s → J with the Jensen gap.

After PCF Figure 3, and Figures 2 and 4 of the note on the Prejudice-Volatility Framework.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.measure.toy import ToyRisk
from pcf_core.show.charts import theme

PANEL = 265
THICK = 7
REACH = 1.08  # of the axes beyond ±1, so that marks at the ends stay whole


def jensen_curve(toys: Sequence[ToyRisk], curve: FloatArray) -> go.Figure:
    """Draw the criterion over the stereotype of the first of two groups, a panel an example.

    The scale above each panel is the preference p, the one below the stereotype s that it becomes.  A context
    stands on the criterion's curve; the mean of the contexts stands above it, and the stretch between is the
    Jensen gap, caprice.

    Parameters
    ----------
    toys
        Examples with the same two groups on the PCF scale with an even split.
    curve
        [point, 2] stereotype of the first group and J there.
    """
    figure = make_subplots(rows=len(toys), cols=1, vertical_spacing=0.42 / len(toys))
    high, low = (theme.text(group) for group in toys[0].groups)
    for row, toy in enumerate(toys, start=1):
        for trace in _jensen_traces(toy, curve):
            figure.add_trace(trace.update(showlegend=row == 1, legendgroup=trace.name), row=row, col=1)
        figure.add_trace(_preferences(toy, len(toys) + row, row))
        figure.add_annotation(
            text=theme.text(toy.name),
            xref=f"x{row} domain" if row > 1 else "x domain",
            yref=f"y{row} domain" if row > 1 else "y domain",
            **{"x": 0.01, "y": 0.03, "xanchor": "left", "yanchor": "bottom", "showarrow": False},
        )
    figure.update_xaxes(range=[-REACH, REACH], tickformat="+.2~g", labelalias={"+0": "0"})
    figure.update_xaxes(title_text=f"← {low} · stereotype s (−1 to 1) · {high} →", row=len(toys))
    figure.update_yaxes(title_text="J(s) → more risk", range=[-0.04, REACH], nticks=6)
    figure.update_layout(
        {
            f"xaxis{len(toys) + row}": _top_axis(row, high if row == 1 else "")
            for row in range(1, len(toys) + 1)
        }
    )
    names = f"{high} {low} {[toy.name for toy in toys]}"
    margin = {"l": 8, "r": 12, "t": 48, "b": 8}
    return theme.base_layout(figure, 150 + PANEL * len(toys), view=names, legend=True, margin=margin)


def _top_axis(row: int, titled: str) -> dict[str, Any]:
    """Make the top axis: the first group's preference at the same places, s = 2p − 1.

    Its title has a group's name.
    """
    return {
        "overlaying": f"x{row}" if row > 1 else "x",
        "anchor": f"y{row}" if row > 1 else "y",
        "side": "top",
        "range": [0.5 - REACH / 2, 0.5 + REACH / 2],
        "title": {"text": f"preference p({titled}), 0 to 1 → {titled}" if titled else "", "standoff": 4},
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
        "showgrid": False,
    }


def _preferences(toy: ToyRisk, axis: int, row: int) -> go.Scatter:
    """Draw the contexts as ticks at the upper edge, on the axis of p."""
    return go.Scatter(
        x=toy.preferences[:, 0],
        y=[REACH] * len(toy.contexts),
        xaxis=f"x{axis}",
        yaxis=f"y{row}" if row > 1 else "y",
        mode="markers",
        marker={"symbol": "triangle-down", "size": 9, "color": theme.MUTED},
        customdata=[theme.text(context) for context in toy.contexts],
        hovertemplate="%{customdata}: p = %{x:.3g}<extra></extra>",
        name="preference p",
        showlegend=False,
        cliponaxis=False,
    )


def _jensen_traces(toy: ToyRisk, curve: FloatArray) -> list[go.Scatter]:
    tilt, mean = float(toy.mean_stereotype[0]), toy.overall_risk
    tilts = toy.stereotypes[:, 0].tolist()
    marks = list(zip(tilts, toy.risks.tolist(), strict=True))
    return [
        line(curve[:, 0], curve[:, 1], "J(s)", "solid", 2),
        line(*pairs([((s, REACH), (s, risk)) for s, risk in marks]), "p → s", "dot"),
        line(*pairs([((s, risk), (tilt, mean)) for s, risk in marks]), "to the mean", "dash"),
        _stretch(tilt, 0, toy.prejudice_risk, "prejudice J(E s)", theme.ACCENT, "solid"),
        _stretch(tilt, toy.prejudice_risk, mean, "caprice, the Jensen gap", theme.CAPRICE, "2px,2px"),
        *_contexts(toy),
        go.Scatter(
            x=[tilt],
            y=[mean],
            mode="markers",
            marker={"symbol": "star", "size": 13, "color": theme.MUTED},
            hovertemplate="mean over contexts: E s = %{x:+.3g}, r = E J(s) = %{y:.3g}<extra></extra>",
            name="overall risk r = E J(s)",
        ),
    ]


def pairs(ends: Sequence[tuple[tuple[float, float], tuple[float, float]]]) -> tuple[list[Any], list[Any]]:
    """Return the coordinates of separate lines in one trace."""
    return (
        [x for (first, _), (last, _) in ends for x in (first, last, None)],
        [y for (_, first), (_, last) in ends for y in (first, last, None)],
    )


def line(x: Any, y: Any, name: str, dash: str, width: float = 1) -> go.Scatter:
    """Draw a thin line without hover text."""
    line = {"color": theme.MUTED, "width": width, "dash": dash}
    return go.Scatter(x=x, y=y, mode="lines", hoverinfo="skip", line=line, name=name)


def _stretch(x: float, low: float, high: float, name: str, color: str, dash: str) -> go.Scatter:
    return go.Scatter(
        x=[x, x],
        y=[low, high],
        mode="lines",
        line={"color": color, "width": THICK, "dash": dash},
        customdata=[high - low] * 2,
        hovertemplate=f"{name}: %{{customdata:.3g}}<extra></extra>",
        name=name,
    )


def _contexts(toy: ToyRisk) -> list[go.Scatter]:
    """Draw one mark per context, its area by the weight."""
    return [
        go.Scatter(
            x=[stereotypes[0]],
            y=[risk],
            mode="markers",
            marker={**mark(toy, place), "size": 8 + 14 * float(toy.weights[place]) ** 0.5, "opacity": 0.8},
            customdata=[[toy.weights[place], toy.preferences[place, 0]]],
            hovertemplate="p = %{customdata[1]:.3g}, s = %{x:+.3g}, J(s) = %{y:.3g}<br>"
            "weight %{customdata[0]:.3p}<extra></extra>",
            name=theme.text(toy.contexts[place]),
        )
        for place, (stereotypes, risk) in enumerate(zip(toy.stereotypes, toy.risks, strict=True))
    ]


def mark(toy: ToyRisk, place: int) -> dict[str, str]:
    """Return a context's colour and shape; the first two colours belong to prejudice and caprice."""
    style = list(theme.model_styles(["prejudice", "caprice", *map(str, range(len(toy.contexts)))]).values())[
        2 + place
    ]
    return {"color": style.color, "symbol": style.marker}
