"""How far models are from each criterion: sizes that are 0 where it holds, and the 20 % line over gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pcf_core.show.charts import theme
from pcf_core.show.charts.whiskers import whiskers
from pcf_core.texts.criteria.records.runs import CRITERIA, CriterionReading
from pcf_core.texts.criteria.records.separation import GAP_LINE

SIZE = "NMI or gap (0 = criterion holds)<br>→ farther from it"
SPREAD = 0.5  # of a row, over which several models are spread
ROOM = 0.03  # of the axis, beyond its last mark

Found = Mapping[str, Sequence[CriterionReading]]


def criteria_dots(found: Found, order: Sequence[str] = ()) -> go.Figure:
    """Draw each quantity of each criterion as a row, a mark with its interval for every model.

    Filled marks: beyond chance; hollow ones: not shown to be, or not tested.  The dashed line is the 20 %
    line, and stands at gaps between rates alone.  ``order``: all names, by which every chart gives colours.
    """
    styles = theme.model_styles(order or list(found))
    rows = _rows(found)
    figure = go.Figure()
    ends = [0.0, 1.0]
    for place, (name, readings) in enumerate(found.items()):
        style = styles[name]
        drawn = [row for row in readings if row.size is not None]
        sizes = [row.size for row in drawn if row.size is not None]
        heights = [rows[_key(row)] + _shift(place, len(found)) for row in drawn]
        lows = [None if row.interval is None else row.interval.low for row in drawn]
        highs = [None if row.interval is None else row.interval.high for row in drawn]
        ends += [end for end in (*lows, *highs) if end is not None]
        figure.add_trace(
            go.Scatter(
                x=sizes,
                y=heights,
                mode="markers",
                marker={
                    "symbol": [style.marker + ("" if row.differs else "-open") for row in drawn],
                    "color": style.color,
                    "size": 11,
                    "line": {"width": 2, "color": style.color},
                },
                error_x=whiskers(sizes, lows, highs, theme.MUTED),
                customdata=[_details(name, row) for row in drawn],
                hovertemplate="%{customdata}<extra></extra>",
                name=theme.text(name),
            )
        )
    drawn_rows = {_key(row) for several in found.values() for row in several if row.size is not None}
    for key, place in rows.items():
        if key not in drawn_rows:
            figure.add_annotation(x=0.5, y=place, text="undefined", showarrow=False)
    gaps = [place for (_, _, gap), place in rows.items() if gap]
    if gaps:
        figure.add_shape(
            type="line",
            x0=GAP_LINE,
            x1=GAP_LINE,
            y0=min(gaps) - 0.5,
            y1=max(gaps) + 0.5,
            line={"width": 1.5, "dash": "dash", "color": theme.MUTED},
        )
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(title_text=SIZE, range=[min(ends) - ROOM, max(ends) + ROOM], nticks=6)
    figure.update_yaxes(
        tickvals=list(rows.values()),
        ticktext=[theme.lines(f"{criterion}: {quantity}", 22) for criterion, quantity, _ in rows],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
    )
    return theme.base_layout(
        figure, 130 + 44 * max(2, len(rows)), view=" ".join(found), legend=len(found) > 1
    )


def _key(row: CriterionReading) -> tuple[str, str, bool]:
    return row.criterion, row.quantity, row.gap


def _rows(found: Found) -> dict[tuple[str, str, bool], int]:
    """Return the height of each quantity: criteria in their order, quantities as they come."""
    keys = [_key(row) for readings in found.values() for row in readings]
    ranked = sorted(dict.fromkeys(keys), key=lambda key: [str(one) for one in CRITERIA].index(key[0]))
    return {key: place for place, key in enumerate(ranked)}


def _shift(place: int, models: int) -> float:
    return 0.0 if models == 1 else SPREAD * (place / (models - 1) - 0.5)


def _details(name: str, row: CriterionReading) -> str:
    size = f"{row.size:.3g}"
    if row.interval is not None:
        size += f" ({row.interval.low:.3g} to {row.interval.high:.3g})"
    lines = [f"<b>{theme.text(name)}</b>", theme.text(f"{row.criterion}, {row.quantity}", 80), size]
    if row.higher:
        than = f" than for {row.lower}" if row.lower else ""
        lines.append(theme.text(f"higher for {row.higher}{than}"))
    if row.baseline is not None:
        lines.insert(2, f"without a pronoun the rate is {row.baseline:.3g}; the gap between pronouns:")
    lines.append("not tested" if row.p_value is None else f"p {row.p_value:.3g}, controlled")
    return "<br>".join(lines)
