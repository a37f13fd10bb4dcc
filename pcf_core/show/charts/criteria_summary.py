"""How far models are from each criterion: sizes that are 0 where it holds, and the 20 % line over gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pcf_core.show.charts import marks, theme
from pcf_core.texts.criteria.records.quantities import in_words
from pcf_core.texts.criteria.records.runs import CRITERIA, CriterionReading
from pcf_core.texts.criteria.records.separation import GAP_LINE

SIZE = "link (NMI) or gap (0 = holds)<br>→ farther from the criterion"
SPREAD = 0.5  # of a row, over which several models are spread
ROOM = 0.03  # of the axis, beyond its last mark
LONGEST = 28  # columns of a line of a name: no quantity of a criterion is cut

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
        spans = [row.interval for row in drawn]
        ends += [end for one in spans if one is not None for end in (one.low, one.high)]
        figure.add_trace(
            marks.dots(
                [row.size for row in drawn],
                [rows[_key(row)] + _shift(place, len(found)) for row in drawn],
                theme.text(name),
                color=style.color,
                symbol=[marks.symbol(style.marker, bool(row.differs)) for row in drawn],
                size=11,
                rim=2,
                across=spans,
                hover=[_details(name, row) for row in drawn],
            )
        )
    drawn_rows = {_key(row) for several in found.values() for row in several if row.size is not None}
    for key, place in rows.items():
        if key not in drawn_rows:
            marks.note(figure, "undefined", x=0.5, y=place)
    if gaps := [place for (_, _, gap), place in rows.items() if gap]:
        look = {"width": 1.5, "dash": "dash", "color": theme.MUTED}
        places = {"y0": min(gaps) - 0.5, "y1": max(gaps) + 0.5}
        figure.add_shape(type="line", x0=GAP_LINE, x1=GAP_LINE, line=look, **places)
    marks.rule(figure, x=0)
    figure.update_xaxes(title_text=SIZE, range=[min(ends) - ROOM, max(ends) + ROOM], nticks=6)
    said = [f"{criterion}: {in_words(quantity)}" for criterion, quantity, _ in rows]
    marks.number_rows(figure, [theme.lines(each, LONGEST) for each in said])
    height = 130 + 44 * max(2, len(rows))
    return theme.base_layout(figure, height, view=" ".join(found), legend=len(found) > 1)


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
    without = f"without a pronoun the rate is {row.baseline or 0:.3g}; the gap between pronouns:"
    than = f" than for {row.lower}" if row.lower else ""
    return marks.told(
        name,
        theme.text(f"{row.criterion}, {in_words(row.quantity)}", 80),
        "" if row.baseline is None else without,
        f"{row.size:.3g}{marks.within(row.interval)}",
        theme.text(f"higher for {row.higher}{than}") if row.higher else "",
        "not tested" if row.p_value is None else f"p {row.p_value:.3g}, controlled",
    )
