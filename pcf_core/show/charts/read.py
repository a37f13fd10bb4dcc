"""What a model says of each occupation against what it read, with the line of a copy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from pcf_core.core.factors import Amplification, OccupationRead
from pcf_core.show.charts import theme
from pcf_core.show.charts.fitted import draw_fit

SMALLEST, LARGEST = 5.0, 20.0  # diameters of points, in pixels
HEIGHT = 520
MOST_TRIED, MOST_LABELS = 14, 6  # of the points farthest from the line of a copy
ROOM = (0.45, 0.12)  # that a name takes on a narrow page, in leans


def read_scatter(found: Amplification, model: str, models: Sequence[str]) -> go.Figure:
    """Draw a point an occupation: across the lean of its documents, upwards the model's mean stereotype.

    The dotted line is a copy of the text, the solid one the corrected fit with its band.  A point's area is
    its number of documents; filled ones differ from the text, false discoveries controlled, hollow grey ones
    do not.

    Parameters
    ----------
    found
        The comparison.
    model
        Whose it is.
    models
        All that are chosen; the model's place among them gives its colour.
    """
    style = theme.model_styles(list(models))[model]
    figure = go.Figure()
    _add_copy(figure)
    if found.line is not None:
        line = found.line
        band = np.clip(line.low, -1, 1), np.clip(line.high, -1, 1)
        draw_fit(figure, line.x, line.mean, band, style.color, value="%{y:+.3g}")
    most = max((row.count.documents for row in found.occupations), default=1)
    for told, name in ((False, "not told from its text"), (True, "differs from its text")):
        rows = [row for row in found.occupations if row.differs is told]
        if rows:
            figure.add_trace(_points(rows, most, style if told else None, name))
    for row in _labelled(found):
        figure.add_annotation(
            x=row.count.lean,
            y=row.tilt,
            text=theme.text(row.count.occupation, 24),
            showarrow=False,
            yshift=12 if row.difference > 0 else -12,
            xanchor="left" if row.count.lean < 0 else "right",
            font_size=11,
        )
    figure.update_xaxes(title_text="← she · lean of its text (−1 to 1) · he →")
    figure.update_yaxes(title_text="← female · what it says (−1 to 1) · male →")
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(range=[-1.05, 1.05], tickformat="+.2~g", labelalias={"+0": "0"}, nticks=6)
    return theme.base_layout(figure, HEIGHT, view=f"read {model}", legend=True)


def _add_copy(figure: go.Figure) -> None:
    figure.add_trace(
        go.Scatter(
            x=[-1, 1],
            y=[-1, 1],
            mode="lines",
            line={"color": theme.MUTED, "width": 1.5, "dash": "dot"},
            hoverinfo="skip",
            name="a copy",
        )
    )


def _points(
    rows: Sequence[OccupationRead], most: int, style: theme.ModelStyle | None, name: str
) -> go.Scatter:
    """Draw points with their area by documents; hollow and grey without a style."""
    shares = np.sqrt([row.count.documents / most for row in rows])
    color = style.color if style else theme.MUTED
    return go.Scatter(
        x=[row.count.lean for row in rows],
        y=[row.tilt for row in rows],
        mode="markers",
        marker={
            "symbol": style.marker if style else "circle-open",
            "size": SMALLEST + (LARGEST - SMALLEST) * shares,
            "color": color,
            "opacity": 0.6,
            "line": {"width": 1.5, "color": color},
        },
        customdata=[_details(row) for row in rows],
        hovertemplate="%{customdata}<extra></extra>",
        name=name,
    )


def _labelled(found: Amplification) -> list[OccupationRead]:
    """Choose the occupations to name: the farthest from a copy, of those that differ, that fit."""
    told = [row for row in found.occupations if row.differs]
    labelled: list[OccupationRead] = []
    for row in sorted(told, key=lambda row: -abs(row.difference))[:MOST_TRIED]:
        near = [
            other
            for other in labelled
            if abs(other.count.lean - row.count.lean) < ROOM[0] and abs(other.tilt - row.tilt) < ROOM[1]
        ]
        if not near and len(labelled) < MOST_LABELS:
            labelled.append(row)
    return labelled


def _details(row: OccupationRead) -> str:
    """Write hover text: both leans with their intervals, the difference, the controlled p value."""
    count, lean, tilt, both = row.count, row.lean_interval, row.tilt_interval, row.interval
    return "<br>".join(
        [
            f"<b>{theme.text(count.occupation)}</b>",
            f"text {count.lean:+.3g} ({lean.low:+.3g} to {lean.high:+.3g}), {count.documents:,} documents",
            f"model {row.tilt:+.3g} ({tilt.low:+.3g} to {tilt.high:+.3g})",
            f"difference {row.difference:+.3g} ({both.low:+.3g} to {both.high:+.3g})",
            f"p {row.p_value:.3g}, controlled {row.adjusted:.3g}: {row.verdict}",
        ]
    )
