"""The charts of the page *Why?*: factors (PCF Figure 6, BVF Figure 9), training text, choices, facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pcf_core.core.factors import Amplification, FactorPanel, FactorPoint, OccupationRead
from pcf_core.core.knowledge import FactKnowledge
from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import BASE_KEY, Quantity, Sensitivities, Variant
from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.factors import ALIKE, by_weight
from pcf_core.show.findings.numbers import called, percent
from pcf_core.show.findings.why import shown_row

SMALLEST, LARGEST, LARGEST_READ = 5.0, 24.0, 20.0  # diameters of points, in pixels
FACTOR_HEIGHT, READ_HEIGHT = 400, 520
MOST_WORDS = 6  # in a hover text
MOST_FACTS = 20
ROOM = (0.45, 0.12)  # of a name on a narrow page, in leans
NO_CHOICE = ("sample", "script")  # not choices: samples of the templates, and the authors' scripts
SPREAD = 0.5  # of a row, shared by the models
CHOICE_WIDTH = 24  # columns of each of the two lines of a label
KNOWN = "score of p(right) (0 = never, 1 = always) → better known"


def factor_plot(
    panel: FactorPanel, model: str, models: Sequence[str], span: tuple[float, float] | None = None
) -> go.Figure:
    """Draw one factor of the occupations against their risk: a point each, its area the people employed.

    Solid: every point counts alike; dashed: by people employed; both with the line's band.  Points without a
    weight are hollow.  ``span``: of the axis of risk, see :func:`risk_span`.
    """
    style = theme.model_styles(list(models))[model]
    figure = go.Figure()
    lines = (
        (panel.wls, by_weight(panel.scale), theme.MUTED, "dash", 2),
        (panel.ols, ALIKE, style.color, "solid", 1),
    )
    for fit, name, color, dash, rank in lines:
        if fit is not None:
            x = 10**fit.x if panel.scale.log else fit.x
            look: dict[str, Any] = {"name": name, "dash": dash, "rank": rank}
            figure.add_traces(marks.fit(x, fit.mean, (fit.low, fit.high), color, **look))
    weighted = any(point.weight is not None for point in panel.points)
    for has_weight in (True, False):
        points = [point for point in panel.points if (point.weight is not None) is has_weight]
        if points:
            symbol = marks.symbol(style.marker, has_weight or not weighted)
            figure.add_trace(_factor_points(panel, points, symbol, style.color))
            figure.add_trace(
                marks.explained(_meaning(panel, weighted, has_weight), symbol, color=style.color)
            )
    if panel.ols or panel.wls:
        figure.add_trace(marks.explained("95 % range of a line", "square", color=theme.GRID, size=14))
    between = " " if theme.columns(panel.scale.title) <= theme.LABEL_LENGTH else "<br>"
    figure.update_xaxes(
        title_text=f"{theme.text(panel.scale.title, 60)}{between}→ {theme.text(panel.scale.more)}"
    )
    if panel.scale.log:
        figure.update_xaxes(type="log", dtick=1, tickformat=",~r")
    figure.update_yaxes(title_text=theme.RISKS[panel.quantity])
    figure.update_yaxes(range=list(span or risk_span([panel])))
    view = f"{panel.scale.name} {panel.quantity} {model}"
    return theme.base_layout(figure, FACTOR_HEIGHT, view=view, legend=True)


def _meaning(panel: FactorPanel, weighted: bool, has_weight: bool) -> str:
    if not weighted:
        return "an occupation"
    weight = "weight" if panel.scale.name == "own" else "people employed"
    return f"occupation (area: {weight})" if has_weight else f"occupation ({weight} unknown)"


def risk_span(panels: Sequence[FactorPanel]) -> tuple[float, float]:
    """Return an axis of risks for every point of the panels, at least 0 to 1."""
    low, high = theme.risk_axis(point.risk for panel in panels for point in panel.points)["range"]
    return low, high


def _factor_points(panel: FactorPanel, points: Sequence[FactorPoint], symbol: str, color: str) -> go.Scatter:
    weights = np.array([point.weight or 0.0 for point in points])
    largest = max((point.weight or 0.0 for point in panel.points), default=0.0)
    shares = np.sqrt(weights / largest) if largest > 0 else np.zeros(len(points))
    return marks.dots(
        [point.value for point in points],
        [point.risk for point in points],
        "occupations",
        color=color,
        symbol=symbol,
        size=SMALLEST + (LARGEST - SMALLEST) * shares,
        rim=1,
        marker={"opacity": 0.6},
        hover=[_point_details(panel, point) for point in points],
        showlegend=False,
    )


def _point_details(panel: FactorPanel, point: FactorPoint) -> str:
    words = [theme.text(called(word), 24) for word in point.words[:MOST_WORDS]]
    more = [f"{len(point.words) - MOST_WORDS:,} more"] if len(point.words) > MOST_WORDS else []
    at_least = "at least " if point.at_least else ""
    unit = "weight" if panel.scale.name == "own" else "thousand employed"
    return marks.told(
        called(point.label),
        ", ".join([*words, *more]) if point.words != (point.label,) else "",
        f"{theme.text(panel.scale.title, 60)}: {at_least}{point.value:,.4g}",
        f"risk {point.risk:#.3g}",
        "" if point.weight is None else f"{unit}: {point.weight:,.4g}",
    )


def read_scatter(amplification: Amplification, model: str, models: Sequence[str]) -> go.Figure:
    """Draw a point per occupation: across the lean of its documents, upwards the model's mean stereotype.

    Dotted: a copy of the text; solid: the corrected fit with its band.  Area: number of documents.
    """
    style = theme.model_styles(list(models))[model]
    figure = go.Figure()
    figure.add_trace(marks.line([-1, 1], [-1, 1], "a copy", width=1.5, dash="dot"))
    if amplification.line is not None:
        fitted = amplification.line
        band = np.clip(fitted.low, -1, 1), np.clip(fitted.high, -1, 1)
        figure.add_traces(marks.fit(fitted.x, fitted.mean, band, style.color, value="%{y:+.3g}"))
    most = max((row.count.documents for row in amplification.occupations), default=1)
    for differs, name in ((False, "no clear difference from its text"), (True, "differs from its text")):
        points = [row for row in amplification.occupations if row.differs is differs]
        if points:
            look = style if differs else theme.ModelStyle(theme.MUTED, "circle-open", "")
            figure.add_trace(_read_points(points, most, look, name))
    named = [
        marks.Point(called(row.count.occupation), row.count.lean, row.tilt, row.difference)
        for row in amplification.occupations
        if row.differs
    ]
    marks.name_points(figure, named, ROOM, middle=0)
    figure.update_xaxes(title_text="← women · its training text (−1 to 1) · men →")
    figure.update_yaxes(title_text="← women · the model (−1 to 1) · men →")
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(range=[-1.05, 1.05], nticks=6, **theme.SIGNED)
    return theme.base_layout(figure, READ_HEIGHT, view=f"read {model}", legend=True)


def _read_points(
    points: Sequence[OccupationRead], most: int, style: theme.ModelStyle, name: str
) -> go.Scatter:
    shares = np.sqrt([row.count.documents / most for row in points])
    return marks.dots(
        [row.count.lean for row in points],
        [row.tilt for row in points],
        name,
        color=style.color,
        symbol=style.marker,
        size=SMALLEST + (LARGEST_READ - SMALLEST) * shares,
        rim=1.5,
        marker={"opacity": 0.6},
        hover=[_read_details(row) for row in points],
    )


def _read_details(row: OccupationRead) -> str:
    text = f"text {row.count.lean:+.3g}{marks.within(row.lean_interval, '+.3g')}"
    return marks.told(
        called(row.count.occupation),
        f"{text}, {row.count.documents:,} documents",
        f"model {row.tilt:+.3g}{marks.within(row.tilt_interval, '+.3g')}",
        f"difference {row.difference:+.3g}{marks.within(row.interval, '+.3g')}",
        f"p {row.p_value:.3g}, controlled {row.adjusted:.3g}: {row.verdict}",
    )


def sensitivity_dots(
    sensitivities: Sensitivities,
    intervals: Mapping[str, Interval | None],
    quantity: Quantity = "overall_risk",
    dimensions: Sequence[str] = (),
) -> go.Figure:
    """Draw a row per choice of these ``dimensions``, the present one first with its interval."""
    chosen = {
        model: [one.base, *(v for v in one.variants if v.kind != "each" and _among(v, dimensions))]
        for model, one in sensitivities.models.items()
    }
    places = list(dict.fromkeys((v.dimension, v.name) for variants in chosen.values() for v in variants))
    styles = theme.model_styles(list(chosen))
    figure = go.Figure()
    for index, (model, variants) in enumerate(chosen.items()):
        style, offset = styles[model], rows.shift(index, len(chosen), SPREAD)
        base = getattr(sensitivities.models[model].base, quantity)
        marks.rule(figure, x=base, color=style.color)
        heights = {row: number + offset for number, row in enumerate(places)}
        x, y = _ranges(variants, heights, quantity)
        figure.add_trace(marks.line(x, y, color=style.color, width=3, showlegend=False))
        (reach,) = marks.reaching([base], [intervals.get(model)])
        drawn = [
            rows.Mark(
                heights[variant.dimension, variant.name],
                getattr(variant, quantity),
                _choice_details(model, variant, quantity, base),
                None if number else reach,
                variant.kind not in NO_CHOICE,
            )
            for number, variant in enumerate(variants)
        ]
        look: dict[str, Any] = {"size": 9, "rim": 1.5, "whisker": style.color}
        # Apart, as an empty whisker among others would be drawn as a tick.
        for part in filter(None, (drawn[:1], drawn[1:])):
            look["showlegend"] = part == drawn[:1]
            name = theme.text(model)
            figure.add_trace(rows.dots(part, name, style, verdicts=True, legendgroup=name, **look))
    shown = [variant for variants in chosen.values() for variant in variants]
    figure.add_traces(_explained_choices(shown, [one for one in intervals.values() if one]))
    view = " ".join([quantity, *chosen, *dimensions])
    labels = [_choice_label(row) for row in places]
    ends = [getattr(variant, quantity) for variant in shown]
    ends += [end for one in intervals.values() if one for end in (one.low, one.high)]
    axis = theme.risk_axis(ends) | {"nticks": 7}
    pixels = (210, 42)  # a telephone's legend; two lines of a label and a gap
    rows.finish(figure, labels, theme.RISKS[quantity], view=view, pixels=pixels, least=4, axis=axis)
    return figure.update_yaxes(range=[len(places) - 0.4, -0.6])


def _explained_choices(shown: Sequence[Variant], intervals: Sequence[Interval]) -> list[go.Scatter]:
    """Return the entries of the legend for the kinds of marks that are drawn."""
    with_range = f" with {percent(intervals[0].level)} range" if intervals else ""
    chosen = marks.explained(f"as chosen (dotted){with_range}", "circle", ranged=True)
    kinds = [chosen.update(line_dash="dot")]
    if any(variant.kind == "choice" for variant in shown):
        kinds.append(marks.explained("another choice", "circle"))
    if any(variant.end for variant in shown):
        kinds.append(marks.line([None], [None], "lowest to highest of many choices", width=3))
    if any(variant.kind in NO_CHOICE for variant in shown):
        kinds.append(marks.explained("not a choice: sample or script", "circle-open"))
    return kinds


def _among(variant: Variant, dimensions: Sequence[str]) -> bool:
    return not dimensions or variant.dimension in dimensions


def _choice_label(row: tuple[str, str]) -> str:
    if row == BASE_KEY[:2]:
        return f"<b>{theme.text(row[1])}</b>"
    return theme.lines(shown_row(*row), CHOICE_WIDTH)


def _ranges(
    variants: Sequence[Variant], heights: Mapping[tuple[str, str], float], quantity: Quantity
) -> tuple[list[float | None], list[float | None]]:
    """Return lines between the extremes (of R) of each choice that has some."""
    ends: dict[tuple[str, str], list[float]] = {}
    for variant in variants:
        if variant.end:
            ends.setdefault((variant.dimension, variant.name), []).append(getattr(variant, quantity))
    return marks.pieces(
        ((min(values), heights[row]), (max(values), heights[row])) for row, values in ends.items()
    )


def _choice_details(model: str, variant: Variant, quantity: Quantity, base: float) -> str:
    sd = "" if variant.stereotype_sd is None else f", stereotype s.d. {variant.stereotype_sd:.3g}"
    return marks.told(
        model,
        f"{theme.text(variant.dimension)}: {theme.text(variant.label, 60)}",
        f"risk {variant.overall_risk:.3g}",
        f"prejudice {variant.prejudice_risk:.3g}, caprice {variant.caprice_risk:.3g}{sd}",
        "" if variant.kind == "base" else f"change {getattr(variant, quantity) - base:+.3g}",
        theme.text(variant.note, 90),
    )


def knowledge_bars(facts: Sequence[FactKnowledge]) -> go.Figure:
    """Draw the first ``MOST_FACTS`` facts: E_t J(p), and lighter the confidence gap up to J(E_t p).

    Circle: guessing; diamond: the same answers with other subjects.
    """
    shown = rows.keyed(facts[:MOST_FACTS])
    keys = [key for key, _ in shown]
    details = [_fact_details(fact) for _, fact in shown]
    figure = go.Figure()
    for name, part, opacity, pattern in (
        ("mean score over sentences", "mean_score", 1.0, ""),
        ("confidence gap", "confidence_gap", 0.7, "/"),
    ):
        values = [getattr(fact, part) for _, fact in shown]
        style = theme.ModelStyle(theme.ACCENT, "", pattern)
        figure.add_trace(marks.bars(values, keys, name, style, opacity=opacity, hover=details))
    for name, part, symbol, color, edge in (
        ("guessing", "chance", "circle", "white", theme.MUTED),
        ("with other subjects", "elsewhere", "diamond", theme.CONTRAST, "white"),
    ):
        values = [getattr(fact, part) for _, fact in shown]
        rim: dict[str, Any] = {"line": {"width": 1.5, "color": edge}}  # visible on a bar and beside it
        look: dict[str, Any] = {"color": color, "symbol": symbol, "marker": rim, "hover": details}
        figure.add_trace(marks.dots(values, keys, name, **look))
    labels = {key: theme.text(fact.subject) for key, fact in shown}
    view = " ".join(fact.subject for _, fact in shown)
    layout: dict[str, Any] = {"axis": {"range": [0, 1.02]}, "barmode": "stack", "bargap": 0.35}
    return rows.finish(figure, labels, KNOWN, view=view, pixels=(150, 24), least=0, **layout)


def _fact_details(fact: FactKnowledge) -> str:
    return (
        f"<b>{theme.text(fact.subject)}</b>: {theme.text(', '.join(fact.right))}"
        f"<br>knowledge {fact.knowledge:.3g}{marks.within(fact.interval, between='–')}"
        f"<br>mean score {fact.mean_score:.3g}, confidence gap {fact.confidence_gap:.3g}"
        f"<br>guessing {fact.chance:.3g}"
        + ("" if fact.elsewhere is None else f"<br>with other subjects {fact.elsewhere:.3g}")
    )
