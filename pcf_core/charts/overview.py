"""Every run's overall risk as a dot with its interval, against the reference lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pcf_core.charts import theme
from pcf_core.charts.risk import AXIS, RiskBar, overall_trace

MOST_WRAPPED = 16  # rows; with more, labels of two lines would run into each other


def risk_dots(rows: Sequence[RiskBar], references: Mapping[str, float]) -> go.Figure:
    """Dots from top to bottom in the order given; published values are hollow diamonds.

    Args:
        rows: runs and published values; rows of kind ``reference`` are drawn as muted dots.
        references: labels of the vertical lines and where they stand on the axis of R.
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
            yanchor="bottom",
            xanchor="right" if place > 0.8 * furthest else "center",
            text=theme.text(label).replace(" ", "<br>", 1),  # side by side they meet on a telephone
            showarrow=False,
            font_size=11,
        )
    figure.update_xaxes(title_text=AXIS, range=[-0.04, furthest + 0.06])
    written = theme.lines if len(rows) <= MOST_WRAPPED else theme.text
    figure.update_yaxes(theme.name_axis({key: written(row.label) for key, row in keyed}))
    figure.update_yaxes(autorange="reversed", showgrid=True)
    return theme.base_layout(
        figure,
        142 + 34 * max(2, len(rows)),
        view=" ".join(row.label for row in rows),
        legend=len({row.kind for row in rows}) > 1,
        margin={"l": 8, "r": 24, "t": 40, "b": 8},
    )
