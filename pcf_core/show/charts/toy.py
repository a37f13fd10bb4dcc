"""Made-up examples after PCF Figure 3 and Figures 1, 2 and 4 of the note on PVF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.measure.reference_models import SimplexRisk, ToyRisk
from pcf_core.show.charts import marks, theme
from pcf_core.show.charts.risk import AXIS, RiskBar, risk_bars
from pcf_core.show.findings.numbers import words_of

PANEL = 265
BELOW = 64  # pixels from a plot to its colour bar, with the title of an axis between
THICK = 7
REACH = 1.08  # of the axes beyond ±1, so that marks at the ends are whole


def jensen_curve(toys: Sequence[ToyRisk], curve: FloatArray) -> go.Figure:
    """Draw the criterion over the stereotype of the first of two groups, a panel per example.

    The upper scale is the preference p, the lower one the stereotype s.  Contexts are on the curve; their
    mean is above it, and the distance is the Jensen gap, caprice.  ``toys``: on the PCF scale against an even
    split, with the same groups; ``curve``: [point, 2] stereotype of the first group and J.
    """
    figure = make_subplots(rows=len(toys), cols=1, vertical_spacing=0.42 / len(toys))
    high, low = (theme.group(group) for group in toys[0].groups)
    for row, toy in enumerate(toys, start=1):
        for trace in _jensen_traces(toy, curve):
            figure.add_trace(trace.update(showlegend=row == 1, legendgroup=trace.name), row=row, col=1)
        figure.add_trace(_preferences(toy, len(toys) + row, row))
        axes = {"xref": f"x{row if row > 1 else ''} domain", "yref": f"y{row if row > 1 else ''} domain"}
        marks.note(figure, theme.text(toy.name), x=0.01, y=0.03, xanchor="left", yanchor="bottom", **axes)
    figure.update_xaxes(range=[-REACH, REACH], **theme.SIGNED)
    figure.update_xaxes(title_text=f"← {low} · stereotype (−1 to 1) · {high} →", row=len(toys))
    figure.update_yaxes(title_text="criterion → more risk", range=[-0.04, REACH], nticks=6)
    figure.update_layout(
        {
            f"xaxis{len(toys) + row}": _top_axis(row, high if row == 1 else "")
            for row in range(1, len(toys) + 1)
        }
    )
    names = f"{high} {low} {[toy.name for toy in toys]}"
    return theme.base_layout(figure, 150 + PANEL * len(toys), view=names, legend=True, top=48)


def reference_tiles(draws: Mapping[str, FloatArray], group: str) -> go.Figure:
    """Draw reference models as heat maps of P(group); ``draws``: [occupation, context] by name."""
    rows = -(-len(draws) // 2)
    figure = make_subplots(
        rows=rows,
        cols=2,
        subplot_titles=[theme.text(name) for name in draws],
        horizontal_spacing=0.08,
        vertical_spacing=0.24 / rows,
    )
    hover = f"occupation %{{y}}, sentence %{{x}}<br>{theme.probability_of(group)} %{{z:.3g}}"
    for index, (name, values) in enumerate(draws.items()):
        cells = marks.cells(values, theme.text(name), hover=hover, x0=1, y0=1)
        figure.add_trace(cells, row=index // 2 + 1, col=index % 2 + 1)
    figure.update_annotations(font_size=12)
    figure.update_xaxes(showgrid=False, nticks=6, tickformat="d")
    figure.update_yaxes(showgrid=False, nticks=4, tickformat="d")
    for row in range(1, rows):  # tiles share axes: numbers only below the last and beside the first
        figure.update_xaxes(showticklabels=False, row=row)
    figure.update_yaxes(showticklabels=False, col=2)
    figure.update_xaxes(title_text="sentences", row=rows)
    figure.update_yaxes(title_text="occupations", col=1)
    under = {"yanchor": "top", "ypad": 0}
    return theme.base_layout(
        figure,
        140 + 170 * rows,
        view=group,
        legend=False,
        coloraxis=theme.probability_axis(theme.text(words_of(group)), 0.5, y=-BELOW / (170 * rows), **under),
        top=theme.BELOW_PANEL_NAMES,
    )


def risk_flow(toys: Sequence[ToyRisk], prejudice: float, caprice: float) -> go.Figure:
    """Draw how preferences become one number (the note's Figure 1); ``toys``: one per occupation."""
    first = theme.group(toys[0].groups[0])
    titles = [f"1 · preference P({first})", "2 · risk J in each sentence", "3 · risk r over sentences, and R"]
    figure = make_subplots(rows=3, cols=1, subplot_titles=titles, vertical_spacing=0.13)
    preferences = np.array([toy.preferences[:, 0] for toy in toys])
    light = theme.shades(theme.DIVERGING[3:-3])  # numbers are illegible on the ends
    figure.add_trace(_numbers(toys, preferences, f"P({first})", light), row=1, col=1)
    risks, shades = np.array([toy.risks for toy in toys]), theme.shades(theme.DIVERGING[5:8:2])
    figure.add_trace(_numbers(toys, risks, "J", shades), row=2, col=1)
    parts = [
        *((toy.name, toy.prejudice_risk, toy.caprice_risk) for toy in toys),
        ("R, the mean", prejudice, caprice),
    ]
    for trace in risk_bars(
        [RiskBar(name, "run", one, other, one + other) for name, one, other in parts]
    ).data:
        names = dict(enumerate(name for name, _, _ in parts))
        trace.y = [theme.text(names[int(key)]) for key in trace.y]
        figure.add_trace(trace, row=3, col=1)
    figure.update_annotations(font_size=12)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    figure.update_xaxes(showgrid=False, row=1)
    figure.update_xaxes(showgrid=False, row=2)
    ends = [one + other for _, one, other in parts]
    figure.update_xaxes(title_text=AXIS, **theme.risk_axis(ends), row=3)
    return theme.base_layout(
        figure,
        600,
        view=first,
        legend=True,
        barmode="stack",
        bargap=0.35,
        top=theme.BELOW_PANEL_NAMES,
    )


def simplex(risk: SimplexRisk, criterion: str) -> go.Figure:
    """Draw J over all preferences of three groups as a triangle (neutral in the middle), with contexts."""
    toy = risk.example
    first, second, third = (theme.group(group, 20) for group in toy.groups)
    figure = go.Figure()
    hover = f"p({first}) − p({second}) %{{x:+.3g}}<br>p({third}) %{{y:.3g}}<br>J %{{z:.3g}}"
    across = -np.asarray(risk.across)  # the grid runs from the first group to the second
    figure.add_trace(marks.cells(risk.risks, "J", hover=hover, x=across, y=risk.up, hoverongaps=False))
    mean = _in_plane(toy.mean_preference[np.newaxis])[0]
    ends = [((float(x), float(y)), (float(mean[0]), float(mean[1]))) for x, y in _in_plane(toy.preferences)]
    figure.add_trace(marks.line(*marks.pieces(ends), "to the mean", width=2, dash="dash"))
    for index, (end, _) in enumerate(ends):
        text = f"J {toy.risks[index]:.3g}"
        figure.add_trace(_point(end, text, toy.contexts[index], _style(toy, index), 13))
    text = f"r = E J {toy.overall_risk:.3g}<br>prejudice J(E s) {toy.prejudice_risk:.3g}"
    star = theme.ModelStyle(theme.MODEL_COLORS[5], "star", "")
    figure.add_trace(_point(mean, text, "mean of the sentences", star, 17))
    figure.update_xaxes(
        title_text=f"p({first}) − p({second})<br>← {second} · {first} →", range=[-REACH, REACH]
    )
    figure.update_yaxes(title_text=f"p({third}) → {third}", range=[-0.06, REACH])
    colors = {
        "colorscale": theme.shades(theme.DIVERGING[5:]),  # from neutral to dark
        "cmin": 0,
        "cmax": float(np.nanmax(risk.risks)),
        "colorbar": {
            **theme.color_bar(f"{criterion} → more risk"),
            **{"y": 1, "yanchor": "bottom", "ypad": 6, "nticks": 5},
        },
    }
    return theme.base_layout(figure, 560, view=str(toy.groups), legend=True, top=64, coloraxis=colors)


def _top_axis(row: int, titled: str) -> dict[str, Any]:
    """Make the top axis of the first group's preference, p = (s + 1) / 2."""
    return {
        "overlaying": f"x{row}" if row > 1 else "x",
        "anchor": f"y{row}" if row > 1 else "y",
        "side": "top",
        "range": [0.5 - REACH / 2, 0.5 + REACH / 2],
        "title": {"text": f"preference for {titled}, 0 to 1 → {titled}" if titled else "", "standoff": 4},
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
        "showgrid": False,
    }


def _preferences(toy: ToyRisk, axis: int, row: int) -> go.Scatter:
    """Draw the contexts as ticks at the upper edge, on the axis of p."""
    return marks.dots(
        toy.preferences[:, 0],
        [REACH] * len(toy.contexts),
        "preference p",
        color=theme.MUTED,
        symbol="triangle-down",
        size=9,
        hover="%{customdata}: p = %{x:.3g}",
        customdata=[theme.text(context) for context in toy.contexts],
        xaxis=f"x{axis}",
        yaxis=f"y{row}" if row > 1 else "y",
        showlegend=False,
        cliponaxis=False,
    )


def _jensen_traces(toy: ToyRisk, curve: FloatArray) -> list[go.Scatter]:
    tilt, mean = float(toy.mean_stereotype[0]), toy.overall_risk
    dots = list(zip(toy.stereotypes[:, 0].tolist(), toy.risks.tolist(), strict=True))
    down = marks.pieces(((s, REACH), (s, risk)) for s, risk in dots)
    over = marks.pieces(((s, risk), (tilt, mean)) for s, risk in dots)
    return [
        marks.line(curve[:, 0], curve[:, 1], "criterion: distance from 0", width=2),
        marks.line(*down, "preference as a stereotype", dash="dot"),
        marks.line(*over, "to the mean", dash="dash"),
        _stretch(tilt, 0, toy.prejudice_risk, "prejudice", theme.PREJUDICE, "solid"),
        _stretch(tilt, toy.prejudice_risk, mean, "caprice", theme.CAPRICE, "2px,2px"),
        *_contexts(toy),
        marks.dots(
            [tilt],
            [mean],
            "risk, the mean",
            color=theme.MUTED,
            symbol="star",
            size=13,
            hover="mean over sentences: E s = %{x:+.3g}, r = E J(s) = %{y:.3g}",
        ),
    ]


def _stretch(x: float, low: float, high: float, name: str, color: str, dash: str) -> go.Scatter:
    look: dict[str, Any] = {
        "color": color,
        "width": THICK,
        "dash": dash,
        "hover": [f"{name}: {round(high - low, 12):.3g}"] * 2,  # rounding's 4e-18 is 0
    }
    return marks.line([x, x], [low, high], name, **look)


def _contexts(toy: ToyRisk) -> list[go.Scatter]:
    return [
        marks.dots(
            [stereotypes[0]],
            [risk],
            theme.text(toy.contexts[index]),
            color=_style(toy, index).color,
            symbol=_style(toy, index).marker,
            size=8 + 14 * float(toy.weights[index]) ** 0.5,
            marker={"opacity": 0.8},
            hover="p = %{customdata[1]:.3g}, s = %{x:+.3g}, J(s) = %{y:.3g}<br>weight %{customdata[0]:.3p}",
            customdata=[[toy.weights[index], toy.preferences[index, 0]]],
        )
        for index, (stereotypes, risk) in enumerate(zip(toy.stereotypes, toy.risks, strict=True))
    ]


def _style(toy: ToyRisk, index: int) -> theme.ModelStyle:
    """Return a context's style; the first two belong to prejudice and caprice."""
    names = ["prejudice", "caprice", *map(str, range(len(toy.contexts)))]
    return list(theme.model_styles(names).values())[2 + index]


def _numbers(toys: Sequence[ToyRisk], values: FloatArray, name: str, colors: list[list[Any]]) -> go.Heatmap:
    return marks.cells(
        values,
        name,
        hover=f"%{{y}}, %{{x}}<br>{name} %{{z:.3g}}",
        colors=colors,
        x=[theme.text(context) for context in toys[0].contexts],
        y=[theme.text(toy.name) for toy in toys],
        texttemplate="%{z:.2f}",
    )


def _in_plane(preferences: FloatArray) -> FloatArray:
    """Project [point, group] of three groups on [point, 2]: first right, second left, third on top."""
    return np.stack([preferences[:, 0] - preferences[:, 1], preferences[:, 2]], axis=-1)


def _point(index: Sequence[float], text: str, name: str, style: theme.ModelStyle, size: float) -> go.Scatter:
    rim = {"line": {"width": 1.5, "color": theme.DIVERGING[5]}}
    look: dict[str, Any] = {"color": style.color, "symbol": style.marker, "size": size, "marker": rim}
    hover = f"{theme.text(name)}<br>{text}"
    return marks.dots([index[0]], [index[1]], theme.text(name), hover=hover, **look)
