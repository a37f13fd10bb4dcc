"""Every run's overall risk as a dot with its interval, against the reference lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pcf_core.show.charts import theme
from pcf_core.show.charts.risk import AXIS, RiskBar, overall_trace

ROW, AROUND = 34, 142  # pixels of a row with room, and of all that stands around the rows
TWO_LINES = 2.6  # of plotly's text, in sizes of its letters
SMALLEST, USUAL = 9, 11  # letters, in pixels


def risk_dots(rows: Sequence[RiskBar], references: Mapping[str, float]) -> go.Figure:
    """Draw dots from top to bottom in the order given; published values are hollow diamonds.

    Parameters
    ----------
    rows
        Runs and published values; rows of kind ``reference`` are drawn as muted dots.
    references
        Labels of the vertical lines and where they stand on the axis of R.
    """
    figure = go.Figure()
    keyed = [(str(place), row) for place, row in enumerate(rows)]
    styles = {
        "run": ("overall risk with its interval", "circle", theme.ACCENT),
        "reference": ("reference model", "line-ns-open", theme.MUTED),
        "published": ("published", "diamond-open", theme.MUTED),
    }
    for kind, (name, symbol, color) in styles.items():
        chosen = [(key, row) for key, row in keyed if row.kind == kind]
        if chosen:
            figure.add_trace(overall_trace(chosen, name=name, symbol=symbol, size=11, color=color))
    furthest = max([1.0, *references.values(), *(row.high or row.overall for row in rows)])
    for label, place in references.items():
        figure.add_vline(x=place, line={"dash": "dot", "width": 1, "color": theme.MUTED})
        figure.add_annotation(
            x=place,
            y=1,
            yref="paper",
            xanchor="center",  # to one side it would near its neighbour
            yanchor="bottom",
            text=theme.text(label).replace(" ", "<br>", 1),  # side by side they meet on a telephone
            showarrow=False,
            font_size=11,
        )
    figure.update_xaxes(title_text=AXIS, range=[-0.04, furthest + 0.06])
    fitting = int((theme.MAX_HEIGHT - AROUND) / max(1, len(rows)) / TWO_LINES)  # of two lines in a row
    written = theme.lines if fitting >= SMALLEST else theme.text
    figure.update_yaxes(theme.name_axis({key: written(row.label) for key, row in keyed}))
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], showgrid=True)
    theme.base_layout(
        figure,
        AROUND + ROW * max(2, len(rows)),
        view=" ".join(row.label for row in rows),
        legend=len({row.kind for row in rows}) > 1,
        margin={"l": 8, "r": 28, "t": 40, "b": 8},
    )
    return figure.update_yaxes(tickfont_size=min(USUAL, max(SMALLEST, fitting)))
