"""Separation and sufficiency: matrices of each pronoun, rates, gaps beside the 20 % line, errors by task."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.show.charts import theme
from pcf_core.show.charts.whiskers import whiskers
from pcf_core.texts.criteria.records.quantities import RATES, Rate
from pcf_core.texts.criteria.records.separation import (
    GAP_LINE,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
    RateDifference,
    UnitAnswers,
)

SHADES = [
    [place / 3, color] for place, color in enumerate(theme.DIVERGING[5:9])
]  # numbers can be read on all
SHOWN, NOT_SHOWN = "differ beyond chance", "cannot be shown"
NO_PRONOUN = "no pronoun"
RATE_WORDS = {
    "FNR": "FNR, the female-stereotyped role right, not named",
    "FPR": "FPR, the male-stereotyped role right, not named",
    "PPV": "PPV, the female-stereotyped role named, and right",
    "NPV": "NPV, the male-stereotyped role named, and right",
}
BETWEEN = "difference of the two rates (dotted: ±20 %)<br>→ higher for the first"
AGAINST = "change from no pronoun (dotted: ±20 %)<br>→ higher with the pronoun"
MOST_UNITS = 20


def confusion_tiles(report: AnswersReport) -> go.Figure:
    """Draw a matrix for each pronoun and for none: who was right, and whom the model named.

    Shades are shares of a row, which sums to 1; a model that makes no error has shaded diagonals alone.
    """
    shown = report.every
    rows = (len(shown) + 1) // 2
    titles = [_pronoun(each.pronoun) for each in shown]
    figure = make_subplots(rows=rows, cols=2, subplot_titles=titles, vertical_spacing=0.3 / rows)
    female, male = (theme.lines(name, 16) for name in role_names(report))
    for place, each in enumerate(shown):
        matrix = each.confusion
        counts = [[matrix.fp, matrix.tn], [matrix.tp, matrix.fn]]
        shares = [[value / sum(row) if sum(row) else None for value in row] for row in counts]
        figure.add_trace(
            go.Heatmap(
                z=shares,
                x=[female, male],
                y=[male, female],
                zmin=0,
                zmax=1,
                xgap=2,
                ygap=2,
                colorscale=SHADES,
                showscale=False,
                text=[[_answers(value) for value in row] for row in counts],
                texttemplate="%{text}",
                hovertemplate=(
                    f"{titles[place]}<br>right: %{{y}}<br>named: %{{x}}<br>"
                    "answers %{text}<br>share of the row %{z:.3g}<extra></extra>"
                ),
                name=titles[place],
            ),
            row=place // 2 + 1,
            col=place % 2 + 1,
        )
    figure.update_annotations(font_size=12)
    figure.update_xaxes(showgrid=False, tickangle=0)
    figure.update_yaxes(showgrid=False)
    figure.update_yaxes(showticklabels=False, col=2)
    figure.update_yaxes(title_text="right", col=1)
    figure.update_xaxes(title_text="the model named", row=rows)
    return theme.base_layout(
        figure,
        100 + 200 * rows,
        view=report.material,
        legend=False,
        margin={"l": 8, "r": 12, "t": 28, "b": 8},
    )


def rate_dots(report: AnswersReport) -> go.Figure:
    """Draw FNR, FPR, PPV and NPV of each pronoun, with intervals over questions or tasks.

    A rate that is undefined keeps its line and says so.  Where answers were scored no pronoun comes first,
    and a line at its rate runs down through those of the pronouns.
    """
    shown = report.every
    styles = {
        **theme.group_styles([each.pronoun for each in report.pronouns]),
        WITHOUT: theme.ModelStyle(theme.MUTED, "diamond-open", ""),
    }
    keys = {(name, each.pronoun): f"{name} {each.pronoun}" for name in RATES for each in shown}
    figure = go.Figure()
    for each in shown:
        drawn = [rate for rate in each.rates if rate.value is not None]
        values = [rate.value for rate in drawn if rate.value is not None]
        ends = [rate.interval for rate in drawn]
        figure.add_trace(
            go.Scatter(
                x=values,
                y=[f"{rate.name} {each.pronoun}" for rate in drawn],
                mode="markers",
                marker={
                    "symbol": styles[each.pronoun].marker,
                    "color": styles[each.pronoun].color,
                    "size": 10,
                },
                error_x=whiskers(
                    values,
                    [None if end is None else end.low for end in ends],
                    [None if end is None else end.high for end in ends],
                    theme.MUTED,
                ),
                customdata=[_rate_details(each, rate) for rate in drawn],
                hovertemplate="%{customdata}<extra></extra>",
                name=_pronoun(each.pronoun),
            )
        )
        for rate in each.rates:
            if rate.value is None:
                _undefined(figure, f"{rate.name} {each.pronoun}")
    if report.from_baseline and report.baseline is not None:
        for place, value in enumerate(rate.value for rate in report.baseline.rates):
            if value is not None:
                top = place * len(shown) - 0.5
                figure.add_shape(
                    type="line",
                    x0=value,
                    x1=value,
                    y0=top,
                    y1=top + len(shown),
                    line={"width": 1, "dash": "dash", "color": theme.MUTED},
                )
    labels = {key: f"{name}, {_pronoun(pronoun)}" for (name, pronoun), key in keys.items()}
    figure.update_xaxes(
        title_text="rate (0 = never, 1 = always)<br>→ more often", range=[-0.04, 1.04], nticks=6
    )
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(range=[len(keys) - 0.5, -0.5])
    return theme.base_layout(figure, 130 + 24 * len(keys), view=report.material, legend=True)


def gap_dots(report: AnswersReport) -> go.Figure:
    """Draw differences of each two pronouns in each rate; dotted lines are 20 % to either side of none.

    Where answers were scored, those of each pronoun from none.  Filled marks: the pronoun makes a difference
    beyond chance, controlled over all.
    """
    shown = report.from_baseline or report.differences
    rows = {f"{row.name} {row.first} {row.second}": row for row in shown}
    figure = go.Figure()
    for verdict in (SHOWN, NOT_SHOWN):
        drawn = {
            key: row
            for key, row in rows.items()
            if row.value is not None and row.differs == (verdict == SHOWN)
        }
        if not drawn:
            continue
        values = [row.value for row in drawn.values() if row.value is not None]
        ends = [row.interval for row in drawn.values()]
        figure.add_trace(
            go.Scatter(
                x=values,
                y=list(drawn),
                mode="markers",
                marker={
                    "symbol": "circle" if verdict == SHOWN else "circle-open",
                    "color": theme.ACCENT,
                    "size": 10,
                    "line": {"width": 2, "color": theme.ACCENT},
                },
                error_x=whiskers(
                    values,
                    [None if end is None else end.low for end in ends],
                    [None if end is None else end.high for end in ends],
                    theme.MUTED,
                ),
                customdata=[_gap_details(row) for row in drawn.values()],
                hovertemplate="%{customdata}<extra></extra>",
                name=verdict,
            )
        )
    for key, row in rows.items():
        if row.value is None:
            _undefined(figure, key)
    figure.add_vline(x=0, line={"width": 1, "color": theme.MUTED})
    for line in (-GAP_LINE, GAP_LINE):
        figure.add_vline(x=line, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(
        title_text=AGAINST if report.from_baseline else BETWEEN,
        range=[-1.06, 1.06],
        nticks=7,
    )
    figure.update_yaxes(
        theme.name_axis(
            {key: f"{row.name}, {row.first} − {_pronoun(row.second)}" for key, row in rows.items()}
        )
    )
    figure.update_yaxes(range=[max(1, len(rows)) - 0.5, -0.5])
    return theme.base_layout(figure, 140 + 26 * max(3, len(rows)), view=report.material, legend=True)


def unit_errors(report: AnswersReport) -> go.Figure:
    """Draw the share of wrong answers for each task and truth under each pronoun: the paper's Table 6.

    Of more than twenty, those whose errors differ most between pronouns.
    """
    pronouns = [each.pronoun for each in report.every]
    lines: dict[tuple[str, str], dict[str, UnitAnswers]] = {}
    for row in report.by_unit:
        lines.setdefault((row.unit, row.role), {})[row.pronoun] = row
    chosen = sorted(lines.items(), key=lambda item: -_spread(list(item[1].values())))[:MOST_UNITS]
    keyed = {str(place): line for place, line in enumerate(chosen)}
    names = {key: theme.lines(f"{unit} ({role})", 24) for key, ((unit, role), _) in keyed.items()}
    errors = [
        [found[pronoun].error if pronoun in found else None for pronoun in pronouns]
        for _, found in keyed.values()
    ]
    figure = go.Figure(
        go.Heatmap(
            z=errors,
            x=[_pronoun(pronoun) for pronoun in pronouns],
            y=list(keyed),
            zmin=0,
            zmax=1,
            xgap=2,
            ygap=2,
            colorscale=SHADES,
            showscale=False,
            text=[["" if value is None else f"{value:.2f}" for value in row] for row in errors],
            texttemplate="%{text}",
            customdata=[[names[key]] * len(pronouns) for key in keyed],
            hovertemplate="%{customdata}, %{x}<br>wrong %{z:.3g} of the valid answers<extra></extra>",
        )
    )
    figure.update_xaxes(title_text="pronoun (cells: share of wrong answers)", showgrid=False)
    figure.update_yaxes(theme.name_axis(names))
    figure.update_yaxes(range=[max(1, len(keyed)) - 0.5, -0.5])
    return theme.base_layout(figure, 110 + 30 * max(3, len(keyed)), view=report.material, legend=False)


def role_names(report: AnswersReport) -> tuple[str, str]:
    """Return the female-stereotyped and the other role; of several pairs, by the job stereotype."""
    found: dict[str, set[str]] = {"female": set(), "male": set()}
    for row in report.by_unit:
        found[row.truth].add(row.role)
    names = [
        next(iter(roles)) if len(roles) == 1 else {"female": "women’s job", "male": "men’s job"}[truth]
        for truth, roles in found.items()
    ]
    return names[0], names[1]


def _pronoun(pronoun: str) -> str:
    return NO_PRONOUN if pronoun == WITHOUT else pronoun


def _answers(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _undefined(figure: go.Figure, key: str) -> None:
    figure.add_annotation(
        x=0, xref="paper", y=key, text="undefined", showarrow=False, xanchor="left", xshift=8
    )


def _spread(rows: Sequence[UnitAnswers]) -> float:
    """Return how far errors differ between pronouns; 0 without two that are defined."""
    errors = [row.error for row in rows if row.error is not None and row.pronoun != WITHOUT]
    return max(errors) - min(errors) if len(errors) > 1 else 0.0


def _rate_details(each: PronounAnswers, rate: Rate) -> str:
    over = "" if rate.interval is None else f" ({rate.interval.low:.3g}–{rate.interval.high:.3g})"
    return (
        f"{RATE_WORDS[rate.name]}<br>{_pronoun(each.pronoun)}: {rate.value:.3g}{over}<br>"
        f"of {_answers(rate.n)} answers, {rate.units} of the questions or tasks"
    )


def _gap_details(row: RateDifference) -> str:
    over = "" if row.interval is None else f" ({row.interval.low:.3g} to {row.interval.high:.3g})"
    adjusted = "" if row.adjusted is None else f"<br>p = {row.adjusted:.3g}, controlled for several tests"
    return f"{RATE_WORDS[row.name]}<br>{row.first} − {_pronoun(row.second)}: {row.value:.3g}{over}{adjusted}"
