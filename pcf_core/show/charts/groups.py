"""The mean share of each group, one mark per model, beside the even share."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.numbers import Ends, percent

SPREAD = 0.9  # of a row, which its models share
AXIS = {"rangemode": "tozero", "tickformat": ".0%", "nticks": 7}


def group_shares(shares: Mapping[str, Mapping[str, tuple[float, Ends | None]]]) -> go.Figure:
    """Draw each model's mean shares of the groups with ranges, and the even share."""
    styles, groups = theme.model_styles(list(shares)), list(next(iter(shares.values())))
    figure, written = go.Figure(), list[rows.Written]()
    for index, (model, of_groups) in enumerate(shares.items()):
        drawn = [
            rows.Mark(
                place + rows.shift(index, len(shares), SPREAD),
                of_groups[group][0],
                marks.told(model, theme.group(group), percent(of_groups[group][0])),
                of_groups[group][1],
            )
            for place, group in enumerate(groups)
        ]
        figure.add_trace(
            rows.dots(drawn, theme.text(model), styles[model], size=9, whisker=styles[model].color)
        )
        written += rows.value_texts(drawn, percent)
    marks.rule(figure, x=1 / len(groups), dash="solid", width=1.5)
    return rows.finish(
        figure,
        [theme.group(group) for group in groups],
        f"← less often · even ({percent(1 / len(groups))}) · more often →",
        view=" ".join(shares),
        pixels=(70, 12 + 14 * len(shares)),
        axis=AXIS,
        legend=len(shares) > 1,
        written=written,
    )
