"""How far choices move R: a row for each choice, a mark for each model, its present value as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import BASE_KEY, Quantity, Sensitivities, Variant, row_name
from pcf_core.show.charts import theme

TITLES: Mapping[Quantity, str] = {
    "overall_risk": "overall risk R → more risk",
    "prejudice_risk": "prejudice → more",
    "caprice_risk": "caprice → more",
}
SPREAD = 0.5  # of a row's height, shared by the models' marks
ROW_PIXELS = 32  # two lines of a label and a gap
Row = tuple[str, str]


def sensitivity_dots(
    found: Sensitivities,
    intervals: Mapping[str, Interval | None],
    quantity: Quantity = "overall_risk",
    dimensions: Sequence[str] = (),
) -> go.Figure:
    """Draw a row per choice, the first the present one with its interval; a range between extremes.

    Parameters
    ----------
    found
        Models under the same choices.
    intervals
        Of the present value, by model.
    quantity
        What is drawn.
    dimensions
        Those whose choices are drawn; empty for all.
    """
    chosen = {
        model: [one.base, *(v for v in one.variants if v.kind != "each" and _among(v, dimensions))]
        for model, one in found.models.items()
    }
    rows = list(dict.fromkeys((v.dimension, v.name) for variants in chosen.values() for v in variants))
    styles = theme.model_styles(list(chosen))
    figure = go.Figure()
    for place, (model, variants) in enumerate(chosen.items()):
        offset = SPREAD * ((place + 0.5) / len(chosen) - 0.5)
        base = getattr(found.models[model].base, quantity)
        figure.add_vline(x=base, line={"dash": "dot", "width": 1, "color": styles[model].color})
        figure.add_trace(_ranges(variants, rows, offset, quantity, styles[model]))
        figure.add_trace(
            _marks(model, variants, rows, offset, quantity, styles[model], base, intervals.get(model))
        )
    figure.update_xaxes(title_text=TITLES[quantity], rangemode="normal", nticks=7)
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[_label(row) for row in rows],
        range=[len(rows) - 0.4, -0.6],
        showgrid=False,
    )
    height = 100 + ROW_PIXELS * max(4, len(rows))
    return theme.base_layout(figure, height, view=" ".join([quantity, *chosen, *dimensions]), legend=True)


def _among(variant: Variant, dimensions: Sequence[str]) -> bool:
    return not dimensions or variant.dimension in dimensions


def _label(row: Row) -> str:
    """Return the label of the choice on the axis."""
    if row == BASE_KEY[:2]:
        return f"<b>{theme.text(row[1])}</b>"
    return theme.lines(row_name(*row), 24)


def _ranges(
    variants: Sequence[Variant],
    rows: Sequence[Row],
    offset: float,
    quantity: Quantity,
    style: theme.ModelStyle,
) -> go.Scatter:
    """Draw a line between the extremes of a choice that has them; extremes are those of R."""
    x: list[float | None] = []
    y: list[float | None] = []
    ends: dict[Row, list[float]] = {}
    for variant in variants:
        if variant.end:
            ends.setdefault((variant.dimension, variant.name), []).append(getattr(variant, quantity))
    for row, values in ends.items():
        x += [min(values), max(values), None]
        y += [rows.index(row) + offset] * 2 + [None]
    return go.Scatter(
        x=x, y=y, mode="lines", line={"color": style.color, "width": 3}, hoverinfo="skip", showlegend=False
    )


def _marks(
    model: str,
    variants: Sequence[Variant],
    rows: Sequence[Row],
    offset: float,
    quantity: Quantity,
    style: theme.ModelStyle,
    base: float,
    interval: Interval | None,
) -> go.Scatter:
    """Draw the marks of the rows, hollow for what is no choice, and the present value's whisker.

    No choices are samples of the templates, and the authors' scripts, which are other measures.
    """
    whisker = [(0.0, 0.0)] * len(variants)
    if interval is not None:
        whisker[0] = (max(0.0, interval.high - base), max(0.0, base - interval.low))
    return go.Scatter(
        x=[getattr(variant, quantity) for variant in variants],
        y=[rows.index((variant.dimension, variant.name)) + offset for variant in variants],
        mode="markers",
        marker={
            "symbol": [style.marker + ("-open" if v.kind in ("sample", "script") else "") for v in variants],
            "size": 9,
            "color": style.color,
            "line": {"width": 1.5, "color": style.color},
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [up for up, _ in whisker],
            "arrayminus": [down for _, down in whisker],
            "color": style.color,
            "thickness": 1.5,
            "width": 4,
        },
        customdata=[_details(model, variant, quantity, base) for variant in variants],
        hovertemplate="%{customdata}<extra></extra>",
        name=theme.text(model),
    )


def _details(model: str, variant: Variant, quantity: Quantity, base: float) -> str:
    """Write hover text: the risks with the s.d. beside caprice, the change, and what has to be known."""
    change = getattr(variant, quantity) - base
    deviation = variant.stereotype_sd
    lines: list[Any] = [
        f"<b>{theme.text(model)}</b>",
        f"{theme.text(variant.dimension)}: {theme.text(variant.label, 60)}",
        f"overall risk {variant.overall_risk:.3g}",
        f"prejudice {variant.prejudice_risk:.3g}, caprice {variant.caprice_risk:.3g}"
        + ("" if deviation is None else f", stereotype s.d. {deviation:.3g}"),
        "" if variant.kind == "base" else f"change {change:+.3g}",
        theme.text(variant.note, 90),
    ]
    return "<br>".join(line for line in lines if line)
