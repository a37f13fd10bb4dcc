"""How often each group gets a favourable decision, with the line of the four-fifths rule."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from pcf_core.core.risk import RiskReport
from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.numbers import people, percent, percent_with_interval

FOUR_FIFTHS = 0.8  # 29 CFR 1607.4 D
SELECTION = theme.ModelStyle(theme.MUTED, marks.symbol("diamond", False), "")


def rate_dots(reports: Mapping[str, RiskReport]) -> go.Figure:
    """Draw mean probability and selection rate of each group, and four fifths of the highest mean."""
    styles, of_row = theme.model_styles(list(reports)), dict[float, theme.ModelStyle]()
    labels: list[str] = []
    means, selections, fifths = [], [], []
    for model, report in reports.items():
        decisions = report.decisions
        for group in decisions.mean if decisions else ():
            assert decisions is not None
            row, name = len(labels), people(group)
            labels.append(f"{theme.lines(name, 22)}<br>{theme.lines(model, 22)}")
            mean, selection = decisions.mean[group], decisions.selection_rate[group]
            interval = next(iter(decisions.intervals_of("mean", group)), None)
            ends = marks.Span(interval.low, interval.high) if interval else None
            hover = f"{theme.text(name)}<br>{theme.text(model)}<br>"
            mean_text = f"{hover}favourable {percent_with_interval(mean, interval)}"
            means.append(rows.Mark(row - 0.12, mean, mean_text, ends))
            of_row[row - 0.12] = styles[model]
            selections.append(rows.Mark(row + 0.18, selection, f"{hover}selected {percent(selection)}"))
            limit = FOUR_FIFTHS * max(decisions.mean.values())
            fifths.append(rows.Mark(row, limit, f"{hover}four fifths of the highest rate {percent(limit)}"))
    figure = go.Figure(
        [
            rows.dots(means, "mean probability", of_row),
            rows.dots(selections, "share of sentences with at least 50 %", SELECTION, rim=2),
            rows.dots(fifths, "four fifths of the highest mean (US guideline)", rows.TICK, size=26, rim=2.5),
        ]
    )
    axis = {"range": [-0.02, 1.02], "tickformat": ".0%"}
    return rows.finish(
        figure,
        labels,
        "favourable answers → more",
        view=" ".join(reports),
        pixels=(150, 46),
        axis=axis,
    )
