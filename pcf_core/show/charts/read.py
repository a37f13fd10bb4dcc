"""What a model says of each occupation against what it read, with the line of a copy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from pcf_core.core.factors import Amplification, OccupationRead
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import called

SMALLEST, LARGEST = 5.0, 20.0  # diameters of points, in pixels
HEIGHT = 520
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
    figure.add_trace(marks.line([-1, 1], [-1, 1], "a copy", width=1.5, dash="dot"))
    if found.line is not None:
        fitted = found.line
        band = np.clip(fitted.low, -1, 1), np.clip(fitted.high, -1, 1)
        figure.add_traces(marks.fit(fitted.x, fitted.mean, band, style.color, value="%{y:+.3g}"))
    most = max((row.count.documents for row in found.occupations), default=1)
    for told, name in ((False, "not told from its text"), (True, "differs from its text")):
        rows = [row for row in found.occupations if row.differs is told]
        if rows:
            look = style if told else theme.ModelStyle(theme.MUTED, "circle-open", "")
            figure.add_trace(_points(rows, most, look, name))
    points = [
        marks.Point(called(row.count.occupation), row.count.lean, row.tilt, row.difference)
        for row in found.occupations
        if row.differs
    ]
    marks.name_points(figure, points, ROOM, middle=0)
    figure.update_xaxes(title_text="← women · lean of its text (−1 to 1) · men →")
    figure.update_yaxes(title_text="← women · what it says (−1 to 1) · men →")
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(range=[-1.05, 1.05], nticks=6, **theme.SIGNED)
    return theme.base_layout(figure, HEIGHT, view=f"read {model}", legend=True)


def _points(rows: Sequence[OccupationRead], most: int, style: theme.ModelStyle, name: str) -> go.Scatter:
    """Draw points with their area by documents."""
    return marks.dots(
        [row.count.lean for row in rows],
        [row.tilt for row in rows],
        name,
        color=style.color,
        symbol=style.marker,
        size=SMALLEST + (LARGEST - SMALLEST) * np.sqrt([row.count.documents / most for row in rows]),
        rim=1.5,
        marker={"opacity": 0.6},
        hover=[_details(row) for row in rows],
    )


def _details(row: OccupationRead) -> str:
    """Write hover text: both leans with their intervals, the difference, the controlled p value."""
    text = f"text {row.count.lean:+.3g}{marks.within(row.lean_interval, '+.3g')}"
    return marks.told(
        called(row.count.occupation),
        f"{text}, {row.count.documents:,} documents",
        f"model {row.tilt:+.3g}{marks.within(row.tilt_interval, '+.3g')}",
        f"difference {row.difference:+.3g}{marks.within(row.interval, '+.3g')}",
        f"p {row.p_value:.3g}, controlled {row.adjusted:.3g}: {row.verdict}",
    )
