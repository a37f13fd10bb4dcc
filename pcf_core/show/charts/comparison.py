"""Two runs on the same templates: each occupation's difference, and one run against the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from pcf_core.core.risk import Comparison, Difference, OccupationDifference
from pcf_core.show.charts import theme

WORDS = {"overall_risk": "risk", "prejudice_risk": "prejudice", "caprice_risk": "caprice"}
MOST_TRIED, MOST_LABELS = 12, 5  # of the points far from the identity line
ROOM = (0.3, 0.08)  # that a name takes on a narrow page: parts of the width and the height


def difference_plot(
    comparison: Comparison, quantity: str = "overall_risk", most: int = 120, order: Sequence[str] = ()
) -> go.Figure:
    """Draw occupations by their difference, the largest first, with intervals over templates.

    Filled marks survive the control of false discoveries, in the colour and shape of the model that has more;
    hollow grey ones do not.  Of many occupations the ``most`` with the largest differences are drawn.
    ``order``: keys of the runs as all charts have them, which decides colours and shapes.
    """
    rows = sorted(comparison.occupations, key=lambda row: -abs(row.differences[quantity].value))[:most]
    rows.sort(key=lambda row: -row.differences[quantity].value)
    figure = go.Figure()
    for name, style, chosen in _sides(comparison, rows, quantity, order):
        if chosen:
            found = [row.differences[quantity] for row in chosen]
            figure.add_trace(
                go.Scatter(
                    x=[difference.value for difference in found],
                    y=[row.occupation for row in chosen],
                    mode="markers",
                    marker=style,
                    error_x=_whiskers(found, style["color"]),
                    customdata=[_details(comparison, row, quantity) for row in chosen],
                    hovertemplate="%{customdata}<extra></extra>",
                    name=name,
                )
            )
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    first = theme.text(comparison.first.name, 28)  # both names do not fit on a telephone
    figure.update_xaxes(title_text=f"difference in {WORDS[quantity]}<br>→ {first} has more", nticks=6)
    figure.update_yaxes(theme.name_axis({row.occupation: theme.text(row.occupation, 24) for row in rows}))
    figure.update_yaxes(autorange="reversed")
    view = f"{comparison.first.run} {comparison.second.run} {quantity} {len(rows)}"
    return theme.base_layout(figure, 150 + 16 * max(4, len(rows)), view=view, legend=True)


def risk_scatter(
    comparison: Comparison, quantity: str = "overall_risk", order: Sequence[str] = ()
) -> go.Figure:
    """Draw each occupation's risk under one model against that under the other, with the line of equal risk.

    ``order``: as for :func:`difference_plot`.
    """
    figure = go.Figure()
    both = [
        (row.differences[quantity].first, row.differences[quantity].second) for row in comparison.occupations
    ]
    end = 1.05 * max([1e-6, *(max(pair) for pair in both)])
    figure.add_trace(
        go.Scatter(
            x=[0, end],
            y=[0, end],
            mode="lines",
            line={"color": theme.MUTED, "width": 1, "dash": "dot"},
            hoverinfo="skip",
            name="the same",
        )
    )
    for name, style, chosen in _sides(comparison, comparison.occupations, quantity, order):
        if chosen:
            figure.add_trace(
                go.Scatter(
                    x=[row.differences[quantity].second for row in chosen],
                    y=[row.differences[quantity].first for row in chosen],
                    mode="markers",
                    marker=style,
                    customdata=[_details(comparison, row, quantity) for row in chosen],
                    hovertemplate="%{customdata}<extra></extra>",
                    name=name,
                )
            )
    for row in _labelled(comparison, quantity, end):
        found = row.differences[quantity]
        figure.add_annotation(
            x=found.second,
            y=found.first,
            text=theme.text(row.occupation, 24),
            showarrow=False,
            yshift=10 if found.value > 0 else -10,
            font_size=11,
        )
    for axes, side in ((figure.update_xaxes, comparison.second), (figure.update_yaxes, comparison.first)):
        axes(title_text=f"{WORDS[quantity]} of {theme.text(side.name)} → more", range=[-0.03 * end, end])
    view = f"{comparison.first.run} {comparison.second.run} {quantity}"
    return theme.base_layout(figure, 560, view=view, legend=True)


def _sides(
    comparison: Comparison, rows: Sequence[OccupationDifference], quantity: str, order: Sequence[str]
) -> list[tuple[str, dict[str, Any], list[OccupationDifference]]]:
    """Split by legend: rows that are told apart, by who has more, and the others."""
    pair = (comparison.first, comparison.second)
    styles = theme.model_styles([*order, *(side.run for side in pair)])
    sides = []
    for side, verdict in zip(pair, ("first", "second"), strict=True):
        style = styles[side.run]
        marker = {"color": style.color, "symbol": style.marker, "size": 7}
        chosen = [row for row in rows if row.differences[quantity].verdict == verdict]
        sides.append((f"{theme.text(side.name)} has more", marker, chosen))
    hollow = {"color": theme.MUTED, "symbol": "circle-open", "size": 6, "line": {"width": 1.5}}
    others = [row for row in rows if not row.differences[quantity].differs]
    return [*sides, ("cannot tell apart", hollow, others)]


def _labelled(comparison: Comparison, quantity: str, end: float) -> list[OccupationDifference]:
    """Choose the occupations that are told apart to name: the farthest from equal risk that fit."""
    ranked = sorted(comparison.surviving(quantity), key=lambda row: -abs(row.differences[quantity].value))
    labelled: list[OccupationDifference] = []
    for row in ranked[:MOST_TRIED]:
        found = row.differences[quantity]
        near = [
            other
            for other in labelled
            for known in [other.differences[quantity]]
            if abs(known.first - found.first) < ROOM[1] * end
            and abs(known.second - found.second) < ROOM[0] * end
        ]
        if not near and len(labelled) < MOST_LABELS:
            labelled.append(row)
    return labelled


def _whiskers(found: Sequence[Difference], color: str) -> dict[str, Any]:
    """Return the lengths from differences to the ends of their intervals over templates."""
    ends = [difference.interval() for difference in found]
    values = [difference.value for difference in found]
    return {
        "type": "data",
        "symmetric": False,
        "array": [None if end is None else end.high - value for end, value in zip(ends, values, strict=True)],
        "arrayminus": [
            None if end is None else value - end.low for end, value in zip(ends, values, strict=True)
        ],
        "color": color,
        "thickness": 1,
        "width": 0,
    }


def _details(comparison: Comparison, row: OccupationDifference, quantity: str) -> str:
    """Write hover text: both figures, the difference with its interval, the controlled p-value."""
    found = row.differences[quantity]
    interval = found.interval()
    lines = [
        f"<b>{theme.text(row.occupation)}</b>",
        f"{theme.text(comparison.first.name)} {found.first:.3g}",
        f"{theme.text(comparison.second.name)} {found.second:.3g}",
        f"difference {found.value:+.3g}"
        + ("" if interval is None else f" ({interval.low:+.3g} to {interval.high:+.3g})"),
    ]
    if found.adjusted is not None:
        lines.append(f"p {found.p_value:.3g}, controlled {found.adjusted:.3g}")
    return "<br>".join(lines)
