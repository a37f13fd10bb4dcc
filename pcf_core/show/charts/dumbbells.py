"""Two models' tilts in each occupation, joined by a line: who is favoured, and how far the two are apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from pcf_core.show.charts import theme
from pcf_core.show.compare import Dumbbell

ROW = 20  # pixels
TARGETS = 1_600  # invisible marks that a click anywhere in a row finds: more make a browser slow


def dumbbell_plot(
    rows: Sequence[Dumbbell],
    names: tuple[str, str],
    ends: tuple[str, str],
    *,
    order: Sequence[str] = (),
    chosen: str = "",
    lowest: float = -1.0,
) -> go.Figure:
    """Draw a row an occupation, from the top: a mark for either model at its tilt, and a line between them.

    A click anywhere in a row finds a mark whose ``customdata`` is the occupation; its hover
    text has both tilts.

    Parameters
    ----------
    rows
        In the order from the top; ``first`` and ``second`` in [``lowest``, 1], 0 is even.
    names
        Of the first and the second model.
    ends
        What stands at the left and at the right end of the axis: whom a model favours there.
    order
        Names of all models as every chart has them, which decides colours and shapes.
    chosen
        An occupation whose name is marked.
    lowest
        The left end of the axis: −1, or what is possible of one of several groups.
    """
    figure = go.Figure()
    occupations = [row.occupation for row in rows]
    styles = theme.model_styles([*order, *names])
    told = [
        f"{theme.text(row.occupation)}<br>{theme.text(names[0])} {row.first:+.2f}"
        f"<br>{theme.text(names[1])} {row.second:+.2f}"
        for row in rows
    ]
    joined = [[(row.first, row.occupation), (row.second, row.occupation), (None, None)] for row in rows]
    figure.add_trace(
        go.Scatter(
            x=[x for row in joined for x, _ in row],
            y=[y for row in joined for _, y in row],
            mode="lines",
            line={"color": theme.MUTED, "width": 2},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    both = [row.first for row in rows], [row.second for row in rows]
    for name, values in zip(names, both, strict=True):
        style = styles[name]
        figure.add_trace(
            go.Scatter(
                x=values,
                y=occupations,
                mode="markers",
                marker={"color": style.color, "symbol": style.marker, "size": 11},
                customdata=occupations,
                text=told,
                hovertemplate="%{text}<extra></extra>",
                unselected={"marker": {"opacity": 1}},
                name=theme.text(name),
            )
        )
    figure.add_trace(_targets(occupations, told, lowest))
    labels = {name: theme.text(name, 24) for name in occupations}
    if chosen in labels:
        labels[chosen] = f"<b>▸ {labels[chosen]}</b>"
    figure.update_xaxes(
        title_text=f"← {theme.text(ends[0])} · even · {theme.text(ends[1])} →",
        range=[lowest * 1.04, 1.04],
        tickvals=[lowest, lowest / 2, 0, 0.5, 1],
        tickformat="+.2~g",
        labelalias={"+0": "0"},
        fixedrange=True,
    )
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(range=[len(rows) - 0.4, -0.6], fixedrange=True)
    figure.add_vline(x=0, line={"width": 1.5, "color": theme.MUTED})
    height = 120 + ROW * max(4, len(rows))
    view = f"{' '.join(names)} {' '.join(ends)} {len(rows)}"
    theme.base_layout(figure, height, view=view, legend=True, hoverdistance=-1, margin=theme.BELOW_BUTTONS)
    figure.update_layout(legend={"yref": "paper", "y": 1.0})  # above: what the marks are is read first
    return figure.update_layout(height=height)  # who asks for every occupation scrolls through them


def _targets(occupations: Sequence[str], told: Sequence[str], lowest: float) -> go.Scatter:
    """Draw marks that are not seen, over the whole width of every row."""
    steps = max(5, min(33, TARGETS // max(1, len(occupations))))
    places = np.linspace(lowest, 1, steps)
    named = [occupation for occupation in occupations for _ in places]
    return go.Scatter(
        x=np.tile(places, len(occupations)),
        y=named,
        mode="markers",
        marker={"opacity": 0, "size": ROW},
        unselected={"marker": {"opacity": 0}},
        selected={"marker": {"opacity": 0}},
        customdata=named,
        text=[words for words in told for _ in places],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
        name="a click opens the occupation",
    )
