"""How far choices move R: a row for each choice, a mark for each model, its present value as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import BASE_KEY, Quantity, Sensitivities, Variant
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.sensitivity import shown_row

NO_CHOICE = ("sample", "script")  # samples of the templates, and the authors' scripts: other measures
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
        color, marker = styles[model].color, styles[model].marker
        offset = SPREAD * ((place + 0.5) / len(chosen) - 0.5)
        base = getattr(found.models[model].base, quantity)
        marks.rule(figure, x=base, color=color)
        x, y = _ranges(variants, rows, offset, quantity)
        figure.add_trace(marks.line(x, y, color=color, width=3, showlegend=False))
        ends = marks.reaching([base], [intervals.get(model)])
        figure.add_trace(
            marks.dots(
                [getattr(variant, quantity) for variant in variants],
                [rows.index((variant.dimension, variant.name)) + offset for variant in variants],
                theme.text(model),
                color=color,
                symbol=[marks.symbol(marker, v.kind not in NO_CHOICE) for v in variants],
                size=9,
                rim=1.5,
                across=[*ends, *[None] * (len(variants) - 1)],
                whisker=color,
                hover=[_details(model, variant, quantity, base) for variant in variants],
            )
        )
    figure.update_xaxes(title_text=theme.RISKS[quantity], rangemode="normal", nticks=7)
    marks.number_rows(figure, [_label(row) for row in rows])
    figure.update_yaxes(range=[len(rows) - 0.4, -0.6])
    height = 100 + ROW_PIXELS * max(4, len(rows))
    return theme.base_layout(figure, height, view=" ".join([quantity, *chosen, *dimensions]), legend=True)


def _among(variant: Variant, dimensions: Sequence[str]) -> bool:
    return not dimensions or variant.dimension in dimensions


def _label(row: Row) -> str:
    """Return the label of the choice on the axis."""
    if row == BASE_KEY[:2]:
        return f"<b>{theme.text(row[1])}</b>"
    return theme.lines(shown_row(*row), 24)


def _ranges(
    variants: Sequence[Variant], rows: Sequence[Row], offset: float, quantity: Quantity
) -> tuple[list[float | None], list[float | None]]:
    """Return lines between the extremes of a choice that has them; extremes are those of R."""
    ends: dict[Row, list[float]] = {}
    for variant in variants:
        if variant.end:
            ends.setdefault((variant.dimension, variant.name), []).append(getattr(variant, quantity))
    heights = {row: rows.index(row) + offset for row in ends}
    return marks.pieces(
        ((min(values), heights[row]), (max(values), heights[row])) for row, values in ends.items()
    )


def _details(model: str, variant: Variant, quantity: Quantity, base: float) -> str:
    """Write hover text: the risks with the s.d. beside caprice, the change, and what has to be known."""
    sd = "" if variant.stereotype_sd is None else f", stereotype s.d. {variant.stereotype_sd:.3g}"
    return marks.told(
        model,
        f"{theme.text(variant.dimension)}: {theme.text(variant.label, 60)}",
        f"overall risk {variant.overall_risk:.3g}",
        f"prejudice {variant.prejudice_risk:.3g}, caprice {variant.caprice_risk:.3g}{sd}",
        "" if variant.kind == "base" else f"change {getattr(variant, quantity) - base:+.3g}",
        theme.text(variant.note, 90),
    )
