"""Separation and sufficiency: matrices of each pronoun, rates, gaps beside the 20 % line, errors by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.show.charts import marks, theme
from pcf_core.texts.criteria.records.quantities import RATE_WORDS, RATES, Rate
from pcf_core.texts.criteria.records.separation import (
    GAP_LINE,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
    RateDifference,
    UnitAnswers,
)

SHADES = theme.shades(theme.DIVERGING[5:9])  # numbers can be read on all
SHOWN, NOT_SHOWN = "differ beyond chance", "cannot be shown"
NO_PRONOUN = "no pronoun"
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
        hover = (
            f"{titles[place]}<br>right: %{{y}}<br>named: %{{x}}<br>answers %{{text}}"
            "<br>share of the row %{z:.3g}"
        )
        tiles = marks.cells(
            shares,
            titles[place],
            hover=hover,
            colors=SHADES,
            x=[female, male],
            y=[male, female],
            text=[[_answers(value) for value in row] for row in counts],
            texttemplate="%{text}",
        )
        figure.add_trace(tiles, row=place // 2 + 1, col=place % 2 + 1)
    figure.update_annotations(font_size=12)
    figure.update_xaxes(showgrid=False, tickangle=0)
    figure.update_yaxes(showgrid=False)
    figure.update_yaxes(showticklabels=False, col=2)
    figure.update_yaxes(title_text="right", col=1)
    figure.update_xaxes(title_text="the model named", row=rows)
    top, height = theme.BELOW_PANEL_NAMES, 100 + 200 * rows
    return theme.base_layout(figure, height, view=report.material, legend=False, top=top)


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
    rows = {f"{name} {each.pronoun}": (name, each) for name in RATES for each in shown}
    figure = go.Figure()
    for each in shown:
        drawn = [rate for rate in each.rates if rate.value is not None]
        figure.add_trace(
            marks.dots(
                [rate.value for rate in drawn],
                [f"{rate.name} {each.pronoun}" for rate in drawn],
                _pronoun(each.pronoun),
                color=styles[each.pronoun].color,
                symbol=styles[each.pronoun].marker,
                across=[rate.interval for rate in drawn],
                hover=[_rate_details(each, rate) for rate in drawn],
            )
        )
        _say_undefined(figure, [f"{rate.name} {each.pronoun}" for rate in each.rates if rate.value is None])
    if report.from_baseline and report.baseline is not None:
        for place, value in enumerate(rate.value for rate in report.baseline.rates):
            if value is not None:
                step = len(shown) + 1  # a rate's heading and its rows
                _draw_line(figure, value, place * step, (place + 1) * step, "dash")
    figure.update_xaxes(
        title_text="rate (0 = never, 1 = always)<br>→ more often", range=[-0.04, 1.04], nticks=6
    )
    lines = _name_rows(figure, {key: (name, _pronoun(each.pronoun)) for key, (name, each) in rows.items()})
    return theme.base_layout(figure, 130 + 24 * lines, view=report.material, legend=True)


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
        if drawn:
            figure.add_trace(
                marks.dots(
                    [row.value for row in drawn.values()],
                    list(drawn),
                    verdict,
                    color=theme.ACCENT,
                    symbol=marks.symbol("circle", verdict == SHOWN),
                    rim=2,
                    across=[row.interval for row in drawn.values()],
                    hover=[_gap_details(row) for row in drawn.values()],
                )
            )
    _say_undefined(figure, [key for key, row in rows.items() if row.value is None])
    end = 0
    for _, some in groupby(rows.values(), key=lambda row: row.name):
        start, end = end, end + 1 + len(list(some))
        for x, dash in ((0.0, "solid"), (-GAP_LINE, "dot"), (GAP_LINE, "dot")):
            _draw_line(figure, x, start, end, dash)
    title = AGAINST if report.from_baseline else BETWEEN
    figure.update_xaxes(title_text=title, range=[-1.06, 1.06], nticks=7)
    lines = _name_rows(
        figure,
        {key: (row.name, f"{row.first} − {_pronoun(row.second)}") for key, row in rows.items()},
    )
    return theme.base_layout(figure, 140 + 26 * max(3, lines), view=report.material, legend=True)


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
    cells = marks.cells(
        errors,
        "",
        hover="%{customdata}, %{x}<br>wrong %{z:.3g} of the valid answers",
        colors=SHADES,
        x=[_pronoun(pronoun) for pronoun in pronouns],
        y=list(keyed),
        text=[["" if value is None else f"{value:.2f}" for value in row] for row in errors],
        texttemplate="%{text}",
        customdata=[[names[key]] * len(pronouns) for key in keyed],
    )
    figure = go.Figure(cells)
    figure.update_xaxes(title_text="pronoun (cells: share of wrong answers)", showgrid=False)
    marks.name_rows(figure, names)
    return theme.base_layout(figure, 110 + 30 * max(3, len(keyed)), view=report.material, legend=False)


def role_names(report: AnswersReport) -> tuple[str, str]:
    """Return the female-stereotyped and the other role; of several pairs, by the job stereotype."""
    found: dict[str, set[str]] = {"female": set(), "male": set()}
    for row in report.by_unit:
        found[row.truth].add(row.role)
    names = [
        next(iter(roles)) if len(roles) == 1 else {"female": "women's job", "male": "men's job"}[truth]
        for truth, roles in found.items()
    ]
    return names[0], names[1]


def _name_rows(figure: go.Figure, rows: Mapping[str, tuple[str, str]]) -> int:
    """Name each row under a heading that says its rate in words; return how many lines that makes."""
    labels: dict[str, str] = {}
    for key, (rate, label) in rows.items():
        if rate not in labels:
            labels[rate] = " "  # Plotly writes the key where a label is empty
            marks.note(figure, f"<b>{RATE_WORDS[rate]}</b>", x=0, xref="paper", y=rate, xanchor="left")
        labels[key] = label
    marks.name_rows(figure, labels)
    return len(labels)


def _draw_line(figure: go.Figure, x: float, start: int, end: int, dash: str) -> None:
    """Draw an upright line through the rows of a rate, from its heading, which stays free, to the next."""
    look = {"width": 1, "dash": dash, "color": theme.MUTED}
    figure.add_shape(type="line", x0=x, x1=x, y0=start + 0.5, y1=end - 0.5, line=look)


def _pronoun(pronoun: str) -> str:
    return NO_PRONOUN if pronoun == WITHOUT else pronoun


def _answers(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _say_undefined(figure: go.Figure, keys: Sequence[str]) -> None:
    for key in keys:
        marks.note(figure, "undefined", x=0, xref="paper", y=key, xanchor="left", xshift=8)


def _spread(rows: Sequence[UnitAnswers]) -> float:
    """Return how far errors differ between pronouns; 0 without two that are defined."""
    errors = [row.error for row in rows if row.error is not None and row.pronoun != WITHOUT]
    return max(errors) - min(errors) if len(errors) > 1 else 0.0


def _rate_details(each: PronounAnswers, rate: Rate) -> str:
    over = marks.within(rate.interval, between="–")
    return (
        f"{RATE_WORDS[rate.name]}<br>{_pronoun(each.pronoun)}: {rate.value:.3g}{over}<br>"
        f"of {_answers(rate.n)} answers, {rate.units} of the questions or tasks"
    )


def _gap_details(row: RateDifference) -> str:
    adjusted = "" if row.adjusted is None else f"<br>p = {row.adjusted:.3g}, controlled for several tests"
    return (
        f"{RATE_WORDS[row.name]}<br>{row.first} − {_pronoun(row.second)}: "
        f"{row.value:.3g}{marks.within(row.interval)}{adjusted}"
    )
