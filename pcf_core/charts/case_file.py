"""Occupations in two audits: whose words the model expects in a gap, against whom it tells stories of."""

from __future__ import annotations

import plotly.graph_objects as go

from pcf_core.charts import theme
from pcf_core.charts.whiskers import whiskers
from pcf_core.records.case_file import SharedOccupation, SharedOccupations

HEIGHT = 480
SAME, OTHER = "leans to the same side", "leans to the other side, or to none"
MOST_LABELS = 12
APART = 0.07, 0.05  # of the axes, that two named points are apart at least: the tilt's, the share's


def shared_scatter(found: SharedOccupations, group: str) -> go.Figure:
    """A point an occupation: across its tilt towards the words of ``group``, upwards the stories' share.

    Filled points lean to the same side in both; the dotted lines are an even split.
    """
    figure = go.Figure()
    for same, name in ((True, SAME), (False, OTHER)):
        rows = [row for row in found.rows if (row.same_side is True) is same]
        if rows:
            figure.add_trace(_points(rows, same, name))
    for row in _labelled(found.rows):
        figure.add_annotation(
            x=row.tilt,
            y=row.share,
            text=theme.text(row.occupation, 24),
            showarrow=False,
            yshift=13 if row.share < 0.93 else -13,
            xanchor="left" if row.tilt < -0.5 else "right" if row.tilt > 0.5 else "center",
            font_size=11,
        )
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.add_hline(y=0.5, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(
        title_text=f"mean stereotype in gaps (−1 to 1)<br>→ {theme.text(group)} words",
        range=[-1.06, 1.06],
        tickformat="+.2~g",
        labelalias={"+0": "0"},
        nticks=6,
    )
    figure.update_yaxes(
        title_text="women in its stories → more",
        range=[-0.06, 1.08],
        tickformat=".0%",
        tickvals=[0, 0.25, 0.5, 0.75, 1],
    )
    return theme.base_layout(figure, HEIGHT, view=f"shared {len(found.rows)}", legend=True)


def _points(rows: list[SharedOccupation], same: bool, name: str) -> go.Scatter:
    tilts, shares = [row.tilt for row in rows], [row.share for row in rows]
    across, upwards = [row.tilt_interval for row in rows], [row.interval for row in rows]
    return go.Scatter(
        x=tilts,
        y=shares,
        mode="markers",
        marker={
            "symbol": "circle" if same else "circle-open",
            "color": theme.ACCENT,
            "size": 10,
            "line": {"width": 2, "color": theme.ACCENT},
        },
        error_x=whiskers(
            tilts,
            [None if one is None else one.low for one in across],
            [None if one is None else one.high for one in across],
            theme.MUTED,
        ),
        error_y=whiskers(
            shares,
            [None if one is None else one.low for one in upwards],
            [None if one is None else one.high for one in upwards],
            theme.MUTED,
        ),
        customdata=[
            f"<b>{theme.text(row.occupation)}</b><br>tilt {row.tilt:+.3g}<br>{100 * row.share:.0f}&#37; women"
            for row in rows
        ],
        hovertemplate="%{customdata}<extra></extra>",
        name=name,
    )


def _labelled(rows: tuple[SharedOccupation, ...]) -> list[SharedOccupation]:
    """Those that are named: the most tilted first, as long as names do not meet."""
    chosen: list[SharedOccupation] = []
    for row in sorted(rows, key=lambda each: -abs(each.tilt)):
        apart = all(
            abs(row.tilt - other.tilt) > 2 * APART[0] * 3 or abs(row.share - other.share) > APART[1] * 1.5
            for other in chosen
        )
        if apart and len(chosen) < MOST_LABELS:
            chosen.append(row)
    return chosen
