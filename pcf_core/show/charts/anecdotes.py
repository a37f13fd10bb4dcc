"""Stories by profession: the model's share of women against the world's, and I beside chance and the most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from pcf_core.show.charts import theme
from pcf_core.show.charts.fitted import draw_fit
from pcf_core.show.charts.whiskers import whiskers
from pcf_core.texts.criteria.records.independence import AnecdotesReport, ProfessionGender
from pcf_core.texts.criteria.records.quantities import FORMULAS, MutualInformation

HEIGHT = 540
DIFFERS, SAME, WEIGHED = "differs from the world", "not told from the world", "weight of its words"
INFORMATION = "normalised mutual information<br>0 = independent → gender tells more"
MOST_TRIED, MOST_LABELS = 14, 6
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
    figure.add_trace(
        go.Scatter(
            x=[0, 1],
            y=[0, 1],
            mode="lines",
            line={"color": theme.MUTED, "width": 1.5, "dash": "dot"},
            hoverinfo="skip",
            name="as in the world",
        )
    )
    if report.line is not None:
        line = report.line
        band = np.clip(line.low, 0, 1), np.clip(line.high, 0, 1)
        draw_fit(figure, line.x, np.clip(line.mean, 0, 1), band, style.color, value="%{y:.3p}")
    rows = [row for row in report.professions if row.share is not None]
    scored = report.answering == "scored"
    for told, name in ((False, SAME), (True, DIFFERS)):
        drawn = [row for row in rows if (scored or row.differs) is told]
        if drawn:
            figure.add_trace(_points(drawn, style if told else None, WEIGHED if scored else name))
    for row in _labelled(rows, scored):
        figure.add_annotation(
            x=row.world,
            y=row.share,
            text=theme.text(row.profession, 24),
            showarrow=False,
            yshift=12 if (row.share or 0) > row.world else -12,
            xanchor="left" if row.world < 0.5 else "right",
            font_size=11,
        )
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
                hovertemplate="%{x:.3g}<extra>chance, 95 % point</extra>",
                name="chance (up to its 95 % point)",
            )
        )
    figure.add_trace(
        _marks(
            [found.largest.normalised[name] for name in names],
            keys,
            "line-ns-open",
            theme.MUTED,
            "most possible" if found.largest.exact else "no more than",
            size=22,
        )
    )
    counted = [found.normalised[name] for name in names]
    if found.null is None:
        intervals, main, label = found.category_intervals, counted, "weighed, not drawn"
    elif found.untold:
        intervals, main, label = found.intervals, counted, "as counted"
    else:
        intervals, label = found.intervals, "freed of bias"
        main = [max(0.0, found.corrected_normalised[name]) for name in names]
        figure.add_trace(_marks(counted, keys, "circle-open", theme.ACCENT, "as counted", size=11))
    ends = [intervals.get(name) for name in names]
    trace = _marks(main, keys, "diamond", theme.ACCENT, label, size=11)
    lows = [None if end is None else min(end.low, value) for end, value in zip(ends, main, strict=True)]
    highs = [None if end is None else max(end.high, value) for end, value in zip(ends, main, strict=True)]
    trace.update(error_x=whiskers(main, lows, highs, theme.ACCENT))
    figure.add_trace(trace)
    figure.update_xaxes(title_text=INFORMATION, nticks=6)
    figure.update_xaxes(range=[-0.03, 1.05])
    labels = {key: theme.text(FORMULAS[name]) for key, name in zip(keys, names, strict=True)}
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(range=[len(keys) - 0.5, -0.5])
    return theme.base_layout(figure, 320, view="information", legend=True)


def _marks(
    values: Sequence[float], keys: Sequence[str], symbol: str, color: str, name: str, *, size: int
) -> go.Scatter:
    return go.Scatter(
        x=list(values),
        y=list(keys),
        mode="markers",
        marker={"symbol": symbol, "color": color, "size": size, "line": {"width": 2, "color": color}},
        hovertemplate=f"%{{x:.3g}}<extra>{name}</extra>",
        name=name,
        cliponaxis=False,
    )


def _points(rows: Sequence[ProfessionGender], style: theme.ModelStyle | None, name: str) -> go.Scatter:
    """Draw points with their intervals; hollow and grey without a style."""
    shares = [row.share or 0.0 for row in rows]
    color = style.color if style else theme.MUTED
    error = whiskers(
        shares,
        [None if row.interval is None else row.interval.low for row in rows],
        [None if row.interval is None else row.interval.high for row in rows],
        color,
    )
    if error is not None:
        error.update(thickness=1, width=0)
    return go.Scatter(
        x=[row.world for row in rows],
        y=shares,
        mode="markers",
        marker={
            "symbol": style.marker if style else "circle-open",
            "size": 9,
            "color": color,
            "opacity": 0.75,
            "line": {"width": 1.5, "color": color},
        },
        error_y=error,
        customdata=[_details(row) for row in rows],
        hovertemplate="%{customdata}<extra></extra>",
        name=name,
        cliponaxis=False,
    )


def _labelled(rows: Sequence[ProfessionGender], scored: bool) -> list[ProfessionGender]:
    """Choose the professions to name: the farthest from the world, of those that differ, that fit."""
    told = [row for row in rows if scored or row.differs]
    labelled: list[ProfessionGender] = []
    for row in sorted(told, key=lambda row: -abs(row.exaggeration or 0))[:MOST_TRIED]:
        near = [
            other
            for other in labelled
            if abs(other.world - row.world) < ROOM[0] and abs((other.share or 0) - (row.share or 0)) < ROOM[1]
        ]
        if not near and len(labelled) < MOST_LABELS:
            labelled.append(row)
    return labelled


def _details(row: ProfessionGender) -> str:
    """Write hover text: both shares, how many stories, the controlled p value."""
    lines = [f"<b>{theme.text(row.profession)}</b>", f"world {row.world:.1%} women"]
    if row.interval is None or row.adjusted is None:
        return "<br>".join([*lines, f"model {row.share or 0:.1%}"])
    shown = f"{row.share or 0:.1%} ({row.interval.low:.1%} to {row.interval.high:.1%})"
    stories = f"{row.women:,.0f} of women, {row.men:,.0f} of men, {row.unclear:,} unclear"
    return "<br>".join([*lines, f"model {shown}", stories, f"p, controlled {row.adjusted:.3g}"])
