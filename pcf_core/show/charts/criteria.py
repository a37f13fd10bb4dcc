"""How far models are from each criterion, and the answers behind separation and sufficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.numbers import begun
from pcf_core.texts.criteria.records.quantities import RATES, Rate, short_title
from pcf_core.texts.criteria.records.runs import CRITERIA, CriterionReading
from pcf_core.texts.criteria.records.separation import (
    GAP_LINE,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
    RateDifference,
    UnitAnswers,
)

SHADES = theme.shades((theme.DIVERGING[5], theme.SHARED))  # no group's colour; numbers can be read on all
SHOWN, NOT_SHOWN = "differ by more than chance", "no difference shown"
NO_PRONOUN = "no pronoun"
BETWEEN = "difference of the two rates (dotted: ±20 %)<br>→ higher for the first"
AGAINST = "change from no pronoun (dotted: ±20 %)<br>→ higher with the pronoun"
MOST_UNITS = 20
SIZE = "link or gap (0 = holds)<br>→ farther from the criterion<br>filled: more than chance"
SPREAD = 0.5  # of a row, shared by several models
MARGIN = 0.06  # of the axis of sizes, after its last mark
LONGEST = 28  # columns of a line of a name, so that no quantity is cut


def criteria_dots(models: Mapping[str, Sequence[CriterionReading]], order: Sequence[str] = ()) -> go.Figure:
    """Draw a row for each quantity, a mark with interval per model, and the 20 % line for gaps."""
    styles = theme.model_styles(order or list(models))
    places = _places([row for readings in models.values() for row in readings])
    figure = go.Figure()
    ends = [0.0, 1.0]
    written: list[rows.Written] = []
    drawn: set[_Key] = set()
    for index, (name, readings) in enumerate(models.items()):
        shift = 0.0 if len(models) == 1 else SPREAD * (index / (len(models) - 1) - 0.5)
        sized = [row for row in readings if row.size is not None]
        drawn.update(map(_key, sized))
        ends += [end for row in sized if row.interval for end in (row.interval.low, row.interval.high)]
        several = [
            rows.Mark(
                places[_key(row)] + shift, row.size, _reading_details(name, row), row.interval, row.differs
            )
            for row in sized
        ]
        written += rows.value_texts(several)
        # Plotly draws a whisker of no width where a trace has others, so marks without one are another trace.
        for ranged in (True, False):
            look: dict[str, Any] = {"size": 11, "rim": 2, "legendgroup": name, "cliponaxis": False}
            if some := [one for one in several if (one.ends is not None) is ranged]:
                look["showlegend"] = ranged or all(one.ends is None for one in several)
                figure.add_trace(rows.dots(some, theme.text(name), styles[name], verdicts=True, **look))
    for key, index in places.items():
        if key not in drawn:
            marks.note(figure, "undefined", x=0.5, y=index)
    if gaps := [index for (_, _, gap), index in places.items() if gap]:
        _draw_line(figure, GAP_LINE, min(gaps) - 1, max(gaps) + 1, "dash", width=1.5)
    titles = [f"{criterion}: {short_title(quantity)}" for criterion, quantity, _ in places]
    labels = [theme.lines(title, LONGEST) for title in titles]
    right = max(ends) + MARGIN
    axis = {"range": [min(ends) - MARGIN, right], "nticks": 6}
    layout: dict[str, Any] = {"pixels": (130, 44), "zero": 0, "axis": axis, "legend": len(models) > 1}
    # In a column on the right, clear of the dashed line.
    layout["written"] = [(right, row, text) for _, row, text in written]
    return rows.finish(figure, labels, SIZE, view=" ".join(models), **layout)


_Key = tuple[str, str, bool]


def _key(row: CriterionReading) -> _Key:
    return row.criterion, row.quantity, row.gap


def _places(readings: Sequence[CriterionReading]) -> dict[_Key, int]:
    """Return the row of each quantity, by order of the criteria."""
    criteria = [str(one) for one in CRITERIA]
    ranked = sorted(dict.fromkeys(map(_key, readings)), key=lambda key: criteria.index(key[0]))
    return {key: index for index, key in enumerate(ranked)}


def _reading_details(name: str, row: CriterionReading) -> str:
    without = f"without a pronoun the rate is {row.baseline or 0:.3g}; the gap between pronouns:"
    than = f" than for {row.lower}" if row.lower else ""
    return marks.told(
        name,
        theme.text(f"{row.criterion}, {short_title(row.quantity)}", 80),
        "" if row.baseline is None else without,
        f"{row.size:.3g}{marks.within(row.interval)}",
        theme.text(f"higher for {row.higher}{than}") if row.higher else "",
        row.reason or "not tested" if row.p_value is None else f"p {row.p_value:.3g}, controlled",
    )


def confusion_tiles(report: AnswersReport) -> go.Figure:
    """Draw a matrix per pronoun, shaded by share of a row: who was right, and whom the model named."""
    shown = report.every
    down = (len(shown) + 1) // 2
    titles = [_pronoun(each.pronoun) for each in shown]
    figure = make_subplots(rows=down, cols=2, subplot_titles=titles, vertical_spacing=0.44 / down)
    roles = role_names(report)
    female, male = (theme.lines(name, 16) for name in roles)
    # Two tiles side by side on a telephone: names of two words have two lines.
    across = [theme.lines(name, max(8, *map(theme.columns, name.split()), 0)) for name in roles]
    for index, each in enumerate(shown):
        matrix = each.confusion
        counts = [[matrix.fp, matrix.tn], [matrix.tp, matrix.fn]]
        shares = [[value / sum(row) if sum(row) else None for value in row] for row in counts]
        hover = (
            f"{titles[index]}<br>right: %{{y}}<br>named: %{{x}}<br>answers %{{text}}"
            "<br>share of the row %{z:.3g}"
        )
        tiles = marks.cells(
            shares,
            titles[index],
            hover=hover,
            colors=SHADES,
            x=across,
            y=[male, female],
            text=[[_answers(value) for value in row] for row in counts],
            texttemplate="%{text}",
        )
        figure.add_trace(tiles, row=index // 2 + 1, col=index % 2 + 1)
    figure.update_annotations(font_size=12)
    figure.update_xaxes(showgrid=False, tickangle=0)
    figure.update_yaxes(showgrid=False)
    figure.update_yaxes(showticklabels=False, col=2)
    figure.update_yaxes(title_text="right", col=1)
    figure.update_xaxes(title_text="the model named", row=down)
    top, height = theme.BELOW_PANEL_NAMES, 100 + 230 * down
    return theme.base_layout(figure, height, view=report.material, legend=False, top=top)


def rate_dots(report: AnswersReport) -> go.Figure:
    """Draw the four rates of each pronoun with intervals, scored ones from that without a pronoun."""
    shown = report.every
    styles = {
        **theme.group_styles([each.pronoun for each in report.pronouns]),
        WITHOUT: theme.ModelStyle(theme.MUTED, "diamond-open", ""),
    }
    labels = {f"{name} {each.pronoun}": (name, _pronoun(each.pronoun)) for name in RATES for each in shown}
    figure = go.Figure()
    for each in shown:
        rates = {f"{rate.name} {each.pronoun}": rate for rate in each.rates}
        drawn = [
            rows.Mark(key, rate.value, _rate_details(each, rate), rate.interval)
            for key, rate in rates.items()
            if rate.value is not None
        ]
        figure.add_trace(rows.dots(drawn, _pronoun(each.pronoun), styles[each.pronoun]))
        _say_undefined(figure, [key for key, rate in rates.items() if rate.value is None])
    if report.from_baseline and report.baseline is not None:
        for index, value in enumerate(rate.value for rate in report.baseline.rates):
            if value is not None:
                step = len(shown) + 1  # a rate's heading and its rows
                _draw_line(figure, value, index * step, (index + 1) * step, "dash")
    title = "rate (0 = never, 1 = always)<br>→ more often"
    axis = {"range": [-0.04, 1.04], "nticks": 6}
    return rows.finish(
        figure, _headed(figure, labels), title, view=report.material, pixels=(130, 24), least=0, axis=axis
    )


def gap_dots(report: AnswersReport) -> go.Figure:
    """Draw differences of rates between pronouns, or from none for scored answers; dotted: ±20 %."""
    shown = report.from_baseline or report.differences
    gaps = {f"{row.name} {row.first} {row.second}": row for row in shown}
    figure = go.Figure()
    drawn = [
        rows.Mark(key, row.value, _gap_details(row), row.interval, row.differs)
        for key, row in gaps.items()
        if row.value is not None
    ]
    figure.add_traces(rows.by_verdict(drawn, (SHOWN, NOT_SHOWN)))
    _say_undefined(figure, [key for key, row in gaps.items() if row.value is None])
    end = 0
    for _, some in groupby(gaps.values(), key=lambda row: row.name):
        start, end = end, end + 1 + len(list(some))
        for x, dash in ((0.0, "solid"), (-GAP_LINE, "dot"), (GAP_LINE, "dot")):
            _draw_line(figure, x, start, end, dash)
    labels = {key: (row.name, f"{row.first} − {_pronoun(row.second)}") for key, row in gaps.items()}
    title = AGAINST if report.from_baseline else BETWEEN
    axis = {"range": [-1.06, 1.06], "nticks": 7}
    return rows.finish(
        figure, _headed(figure, labels), title, view=report.material, pixels=(140, 26), least=3, axis=axis
    )


def unit_errors(report: AnswersReport) -> go.Figure:
    """Draw the share of wrong answers by task, truth and pronoun (Table 6), the 20 most varied ones."""
    pronouns = [each.pronoun for each in report.every]
    lines: dict[tuple[str, str], dict[str, UnitAnswers]] = {}
    for row in report.by_unit:
        lines.setdefault((row.unit, row.role), {})[row.pronoun] = row
    chosen = sorted(lines.items(), key=lambda item: -_spread(list(item[1].values())))[:MOST_UNITS]
    keyed = dict(rows.keyed(chosen))
    names = {
        key: theme.lines(f"{_unit_title(unit)} ({role})", 24) for key, ((unit, role), _) in keyed.items()
    }
    errors = [
        [line[pronoun].error if pronoun in line else None for pronoun in pronouns]
        for _, line in keyed.values()
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
    title, axis = "pronoun<br>(share of wrong answers;<br>empty: no valid answer)", {"showgrid": False}
    look: dict[str, Any] = {"pixels": (110, 30), "least": 3, "axis": axis, "legend": False}
    return rows.finish(go.Figure(cells), names, title, view=report.material, **look)


def role_names(report: AnswersReport) -> tuple[str, str]:
    """Return the women's job and the other one; for several pairs their job stereotypes."""
    roles: dict[str, set[str]] = {"female": set(), "male": set()}
    for row in report.by_unit:
        roles[row.truth].add(row.role)
    names = [
        next(iter(several)) if len(several) == 1 else {"female": "women's job", "male": "men's job"}[truth]
        for truth, several in roles.items()
    ]
    return names[0], names[1]


def _headed(figure: go.Figure, keys: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Write a heading for each rate; return the labels of the rows, headings included."""
    labels: dict[str, str] = {}
    for key, (rate, label) in keys.items():
        if rate not in labels:
            labels[rate] = " "  # Plotly writes the key where a label is empty
            marks.note(
                figure, f"<b>{begun(short_title(rate))}</b>", x=0, xref="paper", y=rate, xanchor="left"
            )
        labels[key] = label
    return labels


def _draw_line(figure: go.Figure, x: float, start: int, end: int, dash: str, width: float = 1) -> None:
    look = {"width": width, "dash": dash, "color": theme.MUTED}
    figure.add_shape(type="line", x0=x, x1=x, y0=start + 0.5, y1=end - 0.5, line=look)


def _unit_title(unit: str) -> str:
    """Name a question or task: "Unit of resistance" for "unit-of-resistance"."""
    return begun(unit.replace("-", " "))


def _pronoun(pronoun: str) -> str:
    return NO_PRONOUN if pronoun == WITHOUT else pronoun


def _answers(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _say_undefined(figure: go.Figure, keys: Sequence[str]) -> None:
    for key in keys:
        marks.note(figure, "undefined", x=0, xref="paper", y=key, xanchor="left", xshift=8)


def _spread(answers: Sequence[UnitAnswers]) -> float:
    """Return how far errors differ between pronouns; 0 with fewer than two defined errors."""
    errors = [row.error for row in answers if row.error is not None and row.pronoun != WITHOUT]
    return max(errors) - min(errors) if len(errors) > 1 else 0.0


def _rate_details(each: PronounAnswers, rate: Rate) -> str:
    over = marks.within(rate.interval, between="–")
    return (
        f"{begun(short_title(rate.name))}<br>{_pronoun(each.pronoun)}: {rate.value:.3g}{over}<br>"
        f"of {_answers(rate.n)} answers, {rate.units} of the questions or tasks"
    )


def _gap_details(row: RateDifference) -> str:
    adjusted = "" if row.adjusted is None else f"<br>p = {row.adjusted:.3g}, controlled for several tests"
    return (
        f"{begun(short_title(row.name))}<br>{row.first} − {_pronoun(row.second)}: "
        f"{row.value:.3g}{marks.within(row.interval)}{adjusted}"
    )
