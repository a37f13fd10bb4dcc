"""Stories by profession: the model's share of women against the world's, and I beside chance and the most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pcf_core.show.charts import marks, theme
from pcf_core.texts.criteria.records.independence import AnecdotesReport, ProfessionGender
from pcf_core.texts.criteria.records.quantities import FORMULAS, MutualInformation

HEIGHT = 540
DIFFERS, SAME, WEIGHED = "differs from the world", "not told from the world", "weight of its words"
INFORMATION = "normalised mutual information<br>0 = independent → gender tells more"
ROOM = (0.3, 0.06)  # that a name takes on a narrow page, in shares


def share_against_world(report: AnecdotesReport, model: str, models: Sequence[str]) -> go.Figure:
    """Draw a point per profession: across the world's share of women, upwards the model's, with interval.

    The dotted line is the world's own share, the solid one the fit with its band.  Filled points differ from
    the world, false discoveries controlled; hollow grey ones are not told from it.  Scores have no intervals
    and are all filled.

    Parameters
    ----------
    report
        The model's.
    model
        Its name.
    models
        All that are chosen; the model's place among them gives its colour.
    """
    style = theme.model_styles(list(models))[model]
    figure = go.Figure()
    figure.add_trace(marks.line([0, 1], [0, 1], "as in the world", width=1.5, dash="dot"))
    if report.line is not None:
        fitted = report.line
        band = np.clip(fitted.low, 0, 1), np.clip(fitted.high, 0, 1)
        mean = np.clip(fitted.mean, 0, 1)
        figure.add_traces(marks.fit(fitted.x, mean, band, style.color, value="%{y:.3p}"))
    rows = [row for row in report.professions if row.share is not None]
    scored = report.answering == "scored"
    for told, name in ((False, SAME), (True, DIFFERS)):
        if drawn := [row for row in rows if (scored or row.differs) is told]:
            look = style if told else theme.ModelStyle(theme.MUTED, "circle-open", "")
            figure.add_trace(_points(drawn, look, WEIGHED if scored else name))
    points = [
        marks.Point(row.profession, row.world, share, share - row.world)
        for row in rows
        for share in [row.share or 0.0]
        if scored or row.differs
    ]
    marks.name_points(figure, points, ROOM, middle=0.5)
    figure.update_xaxes(title_text="share of women in the world → more women")
    upwards = "share of women in its scores" if scored else "share of women in its stories"
    figure.update_yaxes(title_text=f"{upwards} → more women")
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(range=[-0.04, 1.04], tickformat=".0%", nticks=6)
    return theme.base_layout(figure, HEIGHT, view=f"anecdotes {model}", legend=True)


def information_dots(found: MutualInformation) -> go.Figure:
    """Draw a row per normaliser: the value corrected for bias, the counted one, chance, the most.

    The bar is what random deals give, from 0 to their 95 % point; the upright tick is the most that the
    margins allow, or a bound of it.
    """
    names = list(FORMULAS)
    keys = [str(place) for place in range(len(names))]
    figure = go.Figure()
    if found.null is not None:
        figure.add_trace(
            go.Bar(
                x=[found.null.highs[name] for name in names],
                y=keys,
                orientation="h",
                width=0.5,
                marker={"color": theme.GRID, "line": {"color": theme.MUTED, "width": 1}},
                name="chance (up to its 95 % point)",
                **marks.hovering("%{x:.3g}", "chance, 95 % point"),
            )
        )
    largest = [found.largest.normalised[name] for name in names]
    most = "most possible" if found.largest.exact else "no more than"
    figure.add_trace(_dots(largest, keys, most, "line-ns-open", color=theme.MUTED, size=22))
    counted = [found.normalised[name] for name in names]
    if found.null is None:
        intervals, main, label = found.category_intervals, counted, "weighed, not drawn"
    elif found.untold:
        intervals, main, label = found.intervals, counted, "as counted"
    else:
        intervals, label = found.intervals, "freed of bias"
        main = [max(0.0, found.corrected_normalised[name]) for name in names]
        figure.add_trace(_dots(counted, keys, "as counted", "circle-open"))
    ends = marks.reaching(main, [intervals.get(name) for name in names])
    figure.add_trace(_dots(main, keys, label, "diamond", across=ends))
    figure.update_xaxes(title_text=INFORMATION, nticks=6, range=[-0.03, 1.05])
    marks.name_rows(figure, {key: theme.text(FORMULAS[name]) for key, name in zip(keys, names, strict=True)})
    return theme.base_layout(figure, 320, view="information", legend=True)


def _dots(
    values: Sequence[float],
    keys: Sequence[str],
    name: str,
    symbol: str,
    *,
    color: str = theme.ACCENT,
    size: int = 11,
    across: Sequence[marks.Span | None] | None = None,
) -> go.Scatter:
    look: dict[str, Any] = {
        "color": color,
        "symbol": symbol,
        "size": size,
        "rim": 2,
        "whisker": color,
        "across": across,
    }
    return marks.dots(values, keys, name, hover="%{x:.3g}", extra=name, cliponaxis=False, **look)


def _points(rows: Sequence[ProfessionGender], style: theme.ModelStyle, name: str) -> go.Scatter:
    return marks.dots(
        [row.world for row in rows],
        [row.share or 0.0 for row in rows],
        name,
        color=style.color,
        symbol=style.marker,
        size=9,
        rim=1.5,
        marker={"opacity": 0.75},
        upwards=[row.interval for row in rows],
        whisker=style.color,
        look=marks.THIN,
        hover=[_details(row) for row in rows],
        cliponaxis=False,
    )


def _details(row: ProfessionGender) -> str:
    """Write hover text: both shares, how many stories, the controlled p value."""
    world, share = f"world {row.world:.1%} women", f"model {row.share or 0:.1%}"
    if row.interval is None or row.adjusted is None:
        return marks.told(row.profession, world, share)
    return marks.told(
        row.profession,
        world,
        share + marks.within(row.interval, ".1%"),
        f"{row.women:,.0f} of women, {row.men:,.0f} of men, {row.unclear:,} unclear",
        f"p, controlled {row.adjusted:.3g}",
    )
