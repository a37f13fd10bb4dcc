"""The stereotype of one occupation over contexts: histogram and cumulative share (BVF section 3.3, step 2).

A panel per group.  Above the bars stand, one row a model, the mean E s (filled, with its interval) and, in
the panel of the group that leads, the risk r (hollow): the line between r^p = J(E s) and r is the Jensen gap.
With two groups one panel tells all, as s of the one is −s of the other; there it may lead to the left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.risk import StereotypeDistribution
from pcf_core.show.charts import marks, theme

BIN = 0.05
MOST_STEPS = 400  # steps of a cumulative line that are drawn one by one
Several = Mapping[str, Sequence[StereotypeDistribution]]


def stereotype_histogram(distributions: Several, *, other: str = "", threshold: float) -> go.Figure:
    """Draw weighted histograms over contexts, the models overlaid.

    ``distributions``: by model, one a panel, the same groups for all; on the scale that ends at 1.
    ``other``: with two groups, the one at the left end; empty for a panel per group.  ``threshold``: τ, a
    dotted line.
    """
    figure, groups = _panels(distributions, other)
    edges = _edges(distributions)
    styles = theme.model_styles(list(distributions))
    for panel in range(len(groups)):
        shown = {model: several[panel] for model, several in distributions.items()}
        tallest = 0.0
        for model, one in shown.items():
            bars = _bars(model, one, edges, styles[model], legend=panel == 0)
            tallest = max(tallest, max(bars.y))
            figure.add_trace(bars, row=panel + 1, col=1)
        step = tallest * (0.09 if len(groups) == 1 else 0.22)
        for index, (model, one) in enumerate(shown.items()):
            height = tallest + step * (index + 0.8)
            for trace in _marks(model, one, height, styles[model], alone=len(groups) == 1):
                figure.add_trace(trace, row=panel + 1, col=1)
        ticks = _ticks(tallest, most=5 if len(groups) == 1 else 2)
        figure.update_yaxes(
            range=[0, tallest + step * (len(shown) + 0.8)], tickvals=ticks, row=panel + 1, col=1
        )
    title = "share of sentences" if len(groups) == 1 else ""
    figure.update_yaxes(tickformat=".0%", title_text=title)
    layout = {"barmode": "overlay", "bargap": 0}
    return _finished(figure, distributions, groups, other, threshold, "histogram", **layout)


def stereotype_steps(distributions: Several, *, other: str = "", threshold: float) -> go.Figure:
    """Draw cumulative shares of the contexts, P(s <= x), by weight.

    Arguments as of :func:`stereotype_histogram`.

    The mark on each line is its mean E s.
    """
    figure, groups = _panels(distributions, other)
    styles = theme.model_styles(list(distributions))
    for panel in range(len(groups)):
        for model, several in distributions.items():
            for trace in _steps(model, several[panel], styles[model], legend=panel == 0):
                figure.add_trace(trace, row=panel + 1, col=1)
    title = "share of sentences up to here" if len(groups) == 1 else ""
    figure.update_yaxes(range=[-0.02, 1.02], tickformat=".0%", nticks=5, title_text=title)
    return _finished(figure, distributions, groups, other, threshold, "steps")


def _panels(distributions: Several, other: str) -> tuple[go.Figure, list[str]]:
    """Make a panel per group, of which all models show the same."""
    groups = [one.group for one in next(iter(distributions.values()))]
    titles = [] if other else [f"← less · {theme.group(group)} · more →" for group in groups]
    figure = make_subplots(
        rows=len(groups),
        cols=1,
        shared_xaxes=True,
        subplot_titles=titles,
        vertical_spacing=0.25 / len(groups),
    )
    return figure, groups


def _lowest(distributions: Several) -> float:
    """Return the left end of the axis: the minimum.

    It is −1 with two groups, where one panel stands for both.
    """
    several = [one for model in distributions.values() for one in model]
    if all(len(model) == 1 for model in distributions.values()):
        return -1.0
    return min(float(one.values[0]) for one in several)


def _edges(distributions: Several) -> np.ndarray:
    """Return the edges of the bins: multiples of ``BIN``, 0 among them, up to 1 or further."""
    highest = max(1.0, *(float(one.values[-1]) for model in distributions.values() for one in model))
    first, last = np.floor(_lowest(distributions) / BIN + 1e-9), np.ceil(highest / BIN - 1e-9)
    return np.asarray(np.arange(first, last + 1) * BIN)


def _ticks(tallest: float, most: int) -> np.ndarray:
    """Round shares from 0 up to the tallest bar, none among the marks above it."""
    step = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25) if tallest / step <= most), 0.5)
    return np.asarray(np.arange(0, tallest + 1e-9, step))


def _bars(
    model: str, one: StereotypeDistribution, edges: np.ndarray, style: theme.ModelStyle, *, legend: bool
) -> go.Bar:
    """Draw the weight in each bin (low, high]; bins without contexts are left out."""
    shares = np.diff(one.cumulative(edges + 1e-12), prepend=0.0)[1:]
    shares[0] += one.cumulative([edges[0] + 1e-12])[0]
    filled = np.flatnonzero(shares > 0)
    return marks.histogram(
        shares[filled],
        np.stack([edges[filled], edges[filled + 1]], axis=-1),
        theme.text(model),
        {**theme.bar_marker(style), "opacity": 0.6},
        hover="s from %{customdata[0]:+.3g} to %{customdata[1]:+.3g}<br>%{y:.3p} of the sentences",
        extra="name",
        legendgroup=model,
        showlegend=legend,
    )


def _marks(
    model: str, one: StereotypeDistribution, height: float, style: theme.ModelStyle, *, alone: bool
) -> list[go.Scatter]:
    """Draw the mean with its interval and, if the group leads or is alone, the Jensen gap up to r."""
    shared: dict[str, Any] = {
        "name": theme.text(model),
        "color": style.color,
        "extra": "name",
        "legendgroup": model,
        "showlegend": False,
    }
    traces = []
    if one.leads or alone:
        side = 1 if one.leads else -1
        traces.append(
            marks.dots(
                [side * one.prejudice_risk, side * one.overall_risk],
                [height, height],
                symbol=f"{style.marker}-open",
                size=[1, 11],
                mode="lines+markers",
                line={"color": style.color, "width": 4},
                hover=[_gap(one)] * 2,
                **shared,
            )
        )
    interval = one.mean_interval
    hover = f"mean {one.mean:+.3g}{marks.within(interval, '+.3g')}<br>s.d. {one.sd:.3g}"
    look: dict[str, Any] = {"symbol": style.marker, "size": 9, "across": [interval], "whisker": style.color}
    return [*traces, marks.dots([one.mean], [height], hover=[hover], **look, **shared)]


def _gap(one: StereotypeDistribution) -> str:
    return (
        f"risk r {one.overall_risk:.3g}<br>prejudice {one.prejudice_risk:.3g}"
        f"<br>Jensen gap, caprice {one.jensen_gap:.3g}"
    )


def _steps(
    model: str, one: StereotypeDistribution, style: theme.ModelStyle, *, legend: bool
) -> list[go.Scatter]:
    """Draw the cumulative line, of many contexts at ``MOST_STEPS`` of them, and its mean."""
    values = np.unique(one.values)
    if len(values) > MOST_STEPS:
        values = values[np.linspace(0, len(values) - 1, MOST_STEPS).round().astype(np.intp)]
    low, high = min(-1.0, float(values[0])), max(1.0, float(values[-1]))
    x = np.concatenate([[low], values, [high]])
    y = np.concatenate([[0.0], one.cumulative(values), [1.0]])
    shared: dict[str, Any] = {"name": theme.text(model), "color": style.color, "legendgroup": model}
    hover = "s up to %{x:+.3g}: %{y:.3p} of the sentences"
    line = marks.line(x, y, width=2, shape="hv", hover=hover, extra="name", showlegend=False, **shared)
    mean = marks.dots(
        [one.mean],
        one.cumulative([one.mean]),
        symbol=style.marker,
        size=9,
        hover="mean %{x:+.3g}",
        extra="name",
        showlegend=legend,
        **shared,
    )
    return [line, mean]


def _finished(
    figure: go.Figure,
    distributions: Several,
    groups: list[str],
    other: str,
    threshold: float,
    kind: str,
    **layout: Any,
) -> go.Figure:
    """Add axes, the lines at 0 and at τ, and the shared layout."""
    low, high = _lowest(distributions) - 0.05, float(_edges(distributions)[-1]) + 0.05
    figure.update_xaxes(range=[low, high], **theme.SIGNED)
    title = "stereotype in one sentence (0 = neutral) → more"
    if other:
        title = f"← {theme.group(other)} · stereotype in one sentence · {theme.group(groups[0])} →"
    figure.update_xaxes(title_text=title, row=len(groups))
    figure.update_annotations(font_size=12)
    marks.rule(figure, x=0, dash="solid", width=1.5)
    marks.rule(figure, x=threshold, width=1.5)
    names = list(distributions)
    return theme.base_layout(
        figure,
        360 if len(groups) == 1 else 90 + 115 * len(groups),
        view=f"{kind} {groups} {names}",
        legend=len(names) > 1,
        top=12 if other else theme.BELOW_PANEL_NAMES,
        **layout,
    )
