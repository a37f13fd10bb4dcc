"""The heat map of P(group) over occupations × templates (BVF Figure 11), with its margins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from pcf_core.core.run import Preferences
from pcf_core.show.charts import theme

MOST_OPENED = 2_000  # cells that a click finds: of more the marks over them take seconds to draw
MOST_WRITTEN = 100  # cells that have their value written in them


def heat_map(
    preferences: Preferences,
    group: str,
    occupations: Sequence[int],
    templates: Sequence[int],
    template_weights: ArrayLike,
    *,
    neutral: float,
    clicks: bool = False,
) -> go.Figure:
    """Draw P(group) for the chosen occupations (rows) and templates (columns), both in the order given.

    A cross marks a flagged cell.  The margins speak of all templates, not only the columns shown: on the
    right the weighted mean of each occupation, on top each shown template's share of the weight.

    Parameters
    ----------
    preferences
        [occupation, template, group].
    group
        One of its groups.
    occupations
        Indices of the rows, from top to bottom.
    templates
        Indices of the columns; keep rows × columns under 100,000.
    template_weights
        [template] of all templates, any positive sum.
    neutral
        p*, where the colour scale has its middle, in (0, 1).
    clicks
        Whether a click finds a cell, where there are 2,000 at most.  A heat map receives none, so that a mark
        that is not seen lies over each cell; its ``customdata`` begins with occupation and template.
    """
    rows, columns = list(occupations), list(templates)
    values = preferences.values[:, :, preferences.groups.index(group)][rows]
    weights = np.asarray(template_weights, dtype=np.float64)
    weights = weights / weights.sum()
    keys_y, keys_x = [str(row) for row in rows], [str(column) for column in columns]
    name = theme.text(group)

    figure = make_subplots(
        rows=2,
        cols=2,
        column_widths=[0.8, 0.2],
        row_heights=[0.14, 0.86],
        horizontal_spacing=0.02,
        vertical_spacing=0.02,
        shared_xaxes="columns",
        shared_yaxes="rows",
        specs=[[{}, None], [{}, {}]],
    )
    figure.add_trace(_weights(weights[columns], keys_x), row=1, col=1)
    coverage = _coverage(preferences, rows, columns)
    opened = clicks and len(rows) * len(columns) <= MOST_OPENED
    cells = _cells(values[:, columns], keys_x, keys_y, name, coverage)
    over = [_targets(cells, rows, columns, name, coverage)] if opened else []
    for trace in (cells.update(hovertemplate=None, hoverinfo="skip") if opened else cells, *over):
        figure.add_trace(trace, 2, 1)
    flagged = preferences.flagged[np.ix_(rows, columns)]
    if flagged.any():
        figure.add_trace(_flags(flagged, keys_x, keys_y), row=2, col=1)
    figure.add_trace(_means(values @ weights, keys_y, name, neutral), row=2, col=2)

    contexts = {key: theme.text(theme.short_template(preferences.templates[int(key)]), 28) for key in keys_x}
    names = {key: theme.text(preferences.occupations[int(key)], 22) for key in keys_y}
    figure.update_xaxes(theme.name_axis(contexts), col=1)
    figure.update_yaxes(theme.name_axis(names), row=2)
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], row=2)
    figure.update_xaxes(range=[-0.5, len(columns) - 0.5], col=1)
    figure.update_xaxes(title={"text": "context, with … for the occupation", "standoff": 12}, row=2, col=1)
    figure.update_yaxes(title_text="occupation", row=2, col=1)
    figure.update_yaxes(title_text="weight", tickformat=".2~p", nticks=3, rangemode="tozero", row=1, col=1)
    figure.update_xaxes(
        title_text="mean", range=[0, 1], tickvals=[0, neutral, 1], tickformat=".2~g", row=2, col=2
    )
    figure.add_vline(x=neutral, line_width=1, line_color=theme.MUTED, row=2, col=2)
    return theme.base_layout(
        figure,
        230 + 32 * len(rows),
        view=f"{group} {keys_y} {keys_x}",
        legend=False,
        bargap=0.15,
        hoverdistance=-1 if opened else 20,
        coloraxis=_color_axis(name, neutral),
        margin={"l": 8, "r": 12, "t": 64, "b": 8},
    )


def _targets(
    cells: go.Heatmap, rows: list[int], columns: list[int], name: str, coverage: np.ndarray | None
) -> go.Scatter:
    """Draw a mark that is not seen over every cell, which says and opens what is under it."""
    found = [
        [row, column, cells.z[down][right], 0.0 if coverage is None else coverage[down][right]]
        for down, row in enumerate(rows)
        for right, column in enumerate(columns)
    ]
    hover = f"%{{y}}<br>%{{x}}<br>P({name}) %{{customdata[2]:.3g}}"
    if coverage is not None:
        hover += "<br>coverage %{customdata[3]:.3g}"
    return go.Scatter(
        x=[str(column) for _, column, *_ in found],
        y=[str(row) for row, *_ in found],
        mode="markers",
        marker={"opacity": 0, "size": 14, "symbol": "square"},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        customdata=found,
        hovertemplate=f"{hover}<extra></extra>",
        name="a click opens the cell",
    )


def _coverage(preferences: Preferences, rows: list[int], columns: list[int]) -> np.ndarray | None:
    return None if preferences.coverage is None else preferences.coverage[np.ix_(rows, columns)]


def _cells(
    values: np.ndarray, keys_x: list[str], keys_y: list[str], name: str, coverage: np.ndarray | None
) -> go.Heatmap:
    hover = f"%{{y}}<br>%{{x}}<br>P({name}) %{{z:.3g}}"
    if coverage is not None:
        hover += "<br>coverage %{customdata:.3g}"
    written = {"texttemplate": "%{z:.2f}"} if values.size <= MOST_WRITTEN else {}
    return go.Heatmap(
        **written,
        z=values,
        x=keys_x,
        y=keys_y,
        customdata=coverage,
        coloraxis="coloraxis",
        hoverongaps=False,
        hovertemplate=hover + "<extra></extra>",
        name=f"P({name})",
    )


def _flags(flagged: np.ndarray, keys_x: list[str], keys_y: list[str]) -> go.Scatter:
    """Draw a cross on each cell of which the preferences say little."""
    places = np.argwhere(flagged)
    return go.Scatter(
        x=[keys_x[column] for _, column in places],
        y=[keys_y[row] for row, _ in places],
        mode="markers",
        marker={"symbol": "x-thin", "size": 8, "line": {"width": 1.5, "color": theme.MUTED}},
        hoverinfo="skip",
        name="flagged: next to no coverage",
    )


def _weights(weights: np.ndarray, keys: list[str]) -> go.Bar:
    return go.Bar(
        x=keys,
        y=weights,
        marker_color=theme.MUTED,
        hovertemplate="%{x}<br>weight %{y:.3p}<extra></extra>",
        name="weight of the context",
    )


def _means(means: np.ndarray, keys: list[str], name: str, neutral: float) -> go.Bar:
    return go.Bar(
        orientation="h",
        y=keys,
        x=means - neutral,
        base=neutral,
        customdata=means,
        marker={"color": means, "coloraxis": "coloraxis", "line": {"width": 0.5, "color": theme.MUTED}},
        hovertemplate=f"%{{y}}<br>weighted mean of P({name}) %{{customdata:.3g}}<extra></extra>",
        name=f"mean P({name})",
    )


def _color_axis(name: str, neutral: float) -> dict[str, object]:
    """Make the colour axis of a probability: always 0 to 1, with neutral in the middle of the colours."""
    return {
        "colorscale": theme.diverging(neutral),
        "cmin": 0,
        "cmax": 1,
        "colorbar": {
            "orientation": "h",
            "title": {"text": f"P({name}) → {name}", "side": "top", "font": {"size": 12}},
            "tickvals": [0, neutral, 1],
            "ticktext": ["0", f"{neutral:.2g} neutral", "1"],
            "thickness": 10,
            "len": 0.8,
            "x": 0,
            "xanchor": "left",
            "xpad": 0,
            "y": 1,
            "yanchor": "bottom",
            "ypad": 6,
        },
    }
