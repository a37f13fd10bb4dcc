"""The heat map of P(group) over occupations × templates (BVF Figure 11), with its margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from pcf_core.core.records import FloatArray
from pcf_core.core.run import Preferences
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import called, words_of

ROW, AROUND = 16, 200  # pixels of a row with a name that is read, and of all that stands around the rows
TALLEST = AROUND + 40 * ROW  # so many rows have a name each; of more, plotly names some
NAME = 10  # letters, in pixels: plotly names every row that is 1.2 times as high
MOST_OPENED = 2_000  # cells that a click finds: of more the marks over them take seconds to draw
MOST_WRITTEN = 100  # cells that have their value written in them
FLAGGED = "flagged: these words are almost never used"
PALE = "rgba(127, 127, 127, 0.15)"  # a cell without a colour of its own
CORNER = {"angle": 225, "standoff": 9}  # degrees and pixels from the middle of a cell to its upper right


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

    A flagged cell has no colour: it is pale, with a dot beside its number, which is grey.  The margins speak
    of all templates, not only the columns shown: on the right the weighted mean of each occupation, on top
    each shown template's share of the weight.

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
    name = theme.probability_of(group)
    flagged = preferences.flagged[np.ix_(rows, columns)]
    coverage = None if preferences.coverage is None else preferences.coverage[np.ix_(rows, columns)]
    opened = clicks and len(rows) * len(columns) <= MOST_OPENED

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
    figure.add_trace(
        go.Bar(
            x=keys_x,
            y=weights[columns],
            marker_color=theme.MUTED,
            name="weight of the sentence",
            **marks.hovering("%{x}<br>weight %{y:.3p}"),
        ),
        row=1,
        col=1,
    )
    for trace in _cells(values[:, columns], flagged, coverage, rows, columns, name, opened):
        figure.add_trace(trace, row=2, col=1)
    figure.add_trace(_means(values @ weights, keys_y, name, neutral), row=2, col=2)

    contexts = {key: theme.text(theme.short_template(preferences.templates[int(key)]), 28) for key in keys_x}
    names = {key: theme.text(called(preferences.occupations[int(key)]), 22) for key in keys_y}
    figure.update_xaxes({**theme.name_axis(contexts), "range": [-0.5, len(columns) - 0.5]}, col=1)
    figure.update_yaxes({**theme.name_axis(names), "range": [len(rows) - 0.5, -0.5]}, row=2)
    figure.update_xaxes(title={"text": "sentence, with … for the occupation", "standoff": 12}, row=2, col=1)
    figure.update_yaxes(title_text="occupation", row=2, col=1)
    above = {"ticklabelposition": "outside top"}  # 0 % would lie on the name of the first row
    figure.update_yaxes(
        title_text="weight", tickformat=".2~p", nticks=2, rangemode="tozero", **above, row=1, col=1
    )
    figure.update_xaxes(
        title_text="mean", range=[0, 1], tickvals=theme.apart(neutral, 0.3), tickformat=".2~g", row=2, col=2
    )
    marks.rule(figure, x=neutral, dash="solid", row=2, col=2)
    theme.base_layout(
        figure,
        max(min(theme.MAX_HEIGHT, 230 + 32 * len(rows)), AROUND + ROW * len(rows)),
        tallest=TALLEST,
        view=f"{group} {keys_y} {keys_x}",
        legend=False,
        bargap=0.15,
        hoverdistance=-1 if opened else 20,
        coloraxis=theme.probability_axis(theme.text(words_of(group)), neutral, y=1, yanchor="bottom", ypad=6),
        top=64,
    )
    if opened:  # Streamlit lets a chart that takes clicks be dragged, unless its axes are fixed
        figure.update_xaxes(fixedrange=True)
        figure.update_yaxes(fixedrange=True)
    return figure.update_yaxes(tickfont_size=NAME, row=2)


def _cells(
    values: FloatArray,
    flagged: np.ndarray,
    coverage: FloatArray | None,
    rows: list[int],
    columns: list[int],
    name: str,
    opened: bool,
) -> list[Any]:
    """Draw the cells, flagged ones apart, and over each, where a click opens it, a mark that is not seen."""
    keys_y, keys_x = [str(row) for row in rows], [str(column) for column in columns]

    def hover(value: str, covered: str) -> str:
        tail = "" if coverage is None else f"<br>coverage %{{{covered}:.3g}}"
        return f"%{{y}}<br>%{{x}}<br>{name} %{{{value}:.3g}}{tail}"

    is_written = values.size <= MOST_WRITTEN
    shared: dict[str, Any] = {
        "hover": None if opened else hover("z", "customdata"),
        "x": keys_x,
        "y": keys_y,
        "customdata": coverage,
        "hoverongaps": False,
        **({"texttemplate": "%{z:.2f}"} if is_written else {}),
    }
    drawn: list[Any] = [marks.cells(np.where(flagged, np.nan, values), name, **shared)]
    if flagged.any():
        pale = marks.cells(
            np.where(flagged, values, np.nan), FLAGGED, colors=theme.shades([PALE] * 2), **shared
        )
        drawn += [pale.update(textfont={"color": theme.MUTED}), _dots(flagged, keys_x, keys_y, is_written)]
    if not opened:
        return drawn
    data = [
        [row, column, values[down, right], 0.0 if coverage is None else coverage[down, right]]
        for down, row in enumerate(rows)
        for right, column in enumerate(columns)
    ]
    over = marks.unseen(
        keys_x * len(rows),
        [key for key in keys_y for _ in keys_x],
        data,
        14,
        "a click opens the cell",
        marker={"symbol": "square"},
        **marks.hovering(hover("customdata[2]", "customdata[3]")),
    )
    return [*drawn, over]


def _dots(flagged: np.ndarray, keys_x: list[str], keys_y: list[str], is_written: bool) -> go.Scatter:
    """Draw a dot in each flagged cell: in the corner where the middle has a number."""
    places = np.argwhere(flagged)
    return go.Scatter(
        x=[keys_x[column] for _, column in places],
        y=[keys_y[row] for row, _ in places],
        mode="markers",
        marker={"symbol": "circle", "size": 4, "color": theme.MUTED, **(CORNER if is_written else {})},
        name=FLAGGED,
        **marks.hovering(None),
    )


def _means(means: FloatArray, keys: list[str], name: str, neutral: float) -> go.Bar:
    return go.Bar(
        orientation="h",
        y=keys,
        x=means - neutral,
        base=neutral,
        customdata=means,
        marker={"color": means, "coloraxis": "coloraxis", "line": {"width": 0.5, "color": theme.MUTED}},
        name=f"mean {name}",
        **marks.hovering(f"%{{y}}<br>weighted mean of {name} %{{customdata:.3g}}"),
    )
