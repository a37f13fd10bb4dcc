"""FairPair: F, B and V by model, convergence, F by temperature, and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import plotly.graph_objects as go

from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.numbers import beside_one
from pcf_core.texts.fairpair.records import (
    Convergence,
    FairPairReport,
    PromptDifference,
    Side,
    Variation,
    WordDifference,
    WordReport,
)

RATIO = "ratio of differences (1 = chance alone)<br>→ the two sides differ more"
SHOWN, NOT_SHOWN = "differ by more than chance", "no difference shown"
Quantity = Literal["between", "within_original", "within_prompt", "ratio"]
QUANTITY_WORDS: Mapping[Quantity, str] = {
    "between": "mean difference between the sides<br>(0 = the same, 1 = nothing in common)",
    "within_original": "mean difference within the first side<br>(0 = the same, 1 = nothing in common)",
    "within_prompt": "mean difference within the second side<br>(0 = the same, 1 = nothing in common)",
    "ratio": "ratio of differences (1 = chance alone)",
}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MOST_PROMPTS = 15
MOST_PHRASES = 12  # a side
SIDES: tuple[Side, Side] = ("original", "prompt")
FOLD_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
MARKED = 12  # markers per line
ROOM = 0.08  # of an axis, at either end


def ratio_dots(reports: Mapping[str, FairPairReport], order: Sequence[str] = ()) -> go.Figure:
    """Draw F of each model with its interval over statements; dotted: the value of chance alone."""
    styles = theme.model_styles(order or list(reports))
    keyed = rows.keyed(list(reports))
    ratios = [
        rows.Mark(
            key,
            report.means.ratio,
            _details(name, report),
            report.intervals.get("ratio_of_means"),
            report.differs,
        )
        for key, name in keyed
        for report in [reports[name]]
    ]
    figure = go.Figure()
    by_row = {key: styles[name] for key, name in keyed}
    figure.add_traces(rows.by_verdict(ratios, (SHOWN, NOT_SHOWN), by_row, size=12))
    labels = {key: theme.lines(name) for key, name in keyed}
    ends = [end for one in ratios if one.ends for end in (one.ends.low, one.ends.high)]
    return _finish_ratios(figure, ratios, ends, labels, RATIO, view=" ".join(reports), pixels=(134, 40))


def prompt_dots(report: FairPairReport) -> go.Figure:
    """Draw F of the prompts with the largest E; a tick is the mean F of random labels."""
    keyed = rows.keyed(sorted(report.prompts, key=lambda row: -row.energy)[:MOST_PROMPTS])
    ratios = [rows.Mark(key, row.ratio, _prompt_details(row), differs=row.differs) for key, row in keyed]
    chance = [rows.Mark(key, row.chance_ratio) for key, row in keyed]
    figure = go.Figure()
    figure.add_traces(rows.by_verdict(ratios, (SHOWN, NOT_SHOWN)))
    look: dict[str, Any] = {"size": 12, "rim": 2, "hover": "random labels %{x:.3g}"}
    figure.add_trace(rows.dots(chance, "random labels", rows.TICK, **look))
    title = "ratio of differences (1 = chance alone)<br>→ the two sides differ more"
    labels = {key: theme.lines(row.prompt, 24) for key, row in keyed}
    ends = [one.value for one in chance if one.value is not None]
    around: dict[str, Any] = {"pixels": (144, 30), "least": 3, "grid": True}
    return _finish_ratios(figure, ratios, ends, labels, title, view=report.model, **around)


def variation_bars(reports: Mapping[str, FairPairReport]) -> go.Figure:
    """Draw B and both V of each model: means over prompts, intervals over statements."""
    first = next(iter(reports.values()))
    sides = theme.group_styles([first.original, first.counterpart])
    original, prompt = (theme.text(name, 20) for name in (first.original, first.counterpart))
    labels = {key: theme.lines(name) for key, name in rows.keyed(list(reports))}
    figure = go.Figure()
    for quantity, label, style in (
        ("between", "between the two sides", rows.ACCENT),
        ("within_original", f"among texts for {original}", sides[first.original]),
        ("within_prompt", f"among texts for {prompt}", sides[first.counterpart]),
    ):
        values = [float(getattr(report.means, quantity)) for report in reports.values()]
        hover = [
            f"{label} {value:.3g}<br>{_details(name, report)}"
            for value, (name, report) in zip(values, reports.items(), strict=True)
        ]
        across = [report.intervals.get(quantity) for report in reports.values()]
        figure.add_trace(marks.bars(values, list(labels), label, style, across=across, hover=hover))
    title, view = "mean difference<br>(0 = the same) → more different", " ".join(reports)
    return _grouped(figure, labels, title, view=view, pixels=(144, 70), least=1)


def convergence_lines(
    models: Mapping[str, Convergence],
    over: Literal["samples", "folds"],
    quantity: Quantity = "between",
    order: Sequence[str] = (),
) -> go.Figure:
    """Draw how a quantity settles, a line per model: with more texts per side, or more and smaller folds."""
    styles = theme.model_styles(order or list(models))
    figure = go.Figure()
    for name, convergence in models.items():
        course = convergence.samples if over == "samples" else convergence.folds
        values: Sequence[float | None] = getattr(course, quantity)
        size = "%{x} texts a side" if over == "samples" else f"%{{x}} folds of {convergence.count:,} texts"
        hover = f"{theme.text(name)}<br>{size}: %{{y:.3g}}"
        course_line = _course(list(course.places), values, name, styles, hover=hover, size=7)
        figure.add_trace(course_line.update(marker_maxdisplayed=MARKED))
    if quantity == "ratio":
        marks.rule(figure, y=1)
    title = (
        "texts a side, all pairs among the first n → more"
        if over == "samples"
        else "folds that the texts are dealt into (log) → smaller folds"
    )
    figure.update_xaxes(title_text=title, nticks=7)
    if over == "folds":
        figure.update_xaxes(type="log", tickvals=FOLD_TICKS)
    figure.update_yaxes(title_text=QUANTITY_WORDS[quantity])
    return _settled(figure, f"{over} {quantity}", list(models), log=over == "folds")


def temperature_lines(
    models: Mapping[str, Mapping[float, FairPairReport]], order: Sequence[str] = ()
) -> go.Figure:
    """Draw each model's F by temperature with its interval over statements, without undefined ones."""
    styles = theme.model_styles(order or list(models))
    figure = go.Figure()
    for name, by_temperature in models.items():
        points = {
            temperature: report
            for temperature, report in sorted(by_temperature.items())
            if report.means.ratio is not None
        }
        ratios = [report.means.ratio for report in points.values()]
        hover = [
            f"temperature {temperature:.3g}<br>{_details(name, report)}"
            for temperature, report in points.items()
        ]
        ends = [report.intervals.get("ratio_of_means") for report in points.values()]
        more = {"hover": hover, "size": 10, "upwards": ends, "whisker": styles[name].color}
        figure.add_trace(_course(list(points), ratios, name, styles, **more))
    marks.rule(figure, y=1)
    figure.update_xaxes(title_text="temperature → more random texts", rangemode="tozero")
    figure.update_yaxes(title_text=QUANTITY_WORDS["ratio"])
    return _settled(figure, " ".join(models), list(models))


def phrase_dots(report: WordReport, most: int = MOST_PHRASES) -> go.Figure:
    """Draw the strongest phrases of either side by |z|, at their log-odds."""
    styles = theme.group_styles([report.original, report.counterpart])
    chosen = [row for side in SIDES for row in _strongest(report, side, most)]
    keyed = rows.keyed(sorted(chosen, key=lambda row: -row.log_odds))
    figure = go.Figure()
    for side in reversed(SIDES):
        name = _name(report, side)
        drawn = [
            rows.Mark(key, row.log_odds, _word_details(row, report), differs=row.differs)
            for key, row in keyed
            if row.more_in == side
        ]
        if drawn:
            label = f"more in texts for {theme.text(name, 20)}"
            figure.add_trace(rows.dots(drawn, label, styles[name], verdicts=True, rim=2))
    if not keyed:
        marks.note(figure, "no phrase to compare", x=0.5, y=0.5, xref="paper", yref="paper")
    labels = {key: theme.text(row.words, 24) for key, row in keyed}
    first, second = (theme.text(name, 14) for name in (report.original, report.counterpart))
    title = f"log-odds (0 = as often), more in texts for<br>← {second} · {first} →"
    view = " ".join(row.words for _, row in keyed)
    look: dict[str, Any] = {"least": 4, "zero": 0, "grid": True}
    look["axis"] = {"nticks": 7, "autorange": "reversed"}  # the first side is on the right
    return rows.finish(figure, labels, title, view=view, pixels=(144, 20), **look)


def category_bars(report: WordReport) -> go.Figure:
    """Draw the share of either side's texts with a word of each category; a star marks a difference."""
    styles = theme.group_styles([report.original, report.counterpart])
    keyed = rows.keyed(report.categories)
    labels = {key: theme.text(row.title, 22) + (" *" if row.differs else "") for key, row in keyed}
    figure = go.Figure()
    for side, texts in zip(SIDES, (report.original_texts, report.prompt_texts), strict=True):
        name = _name(report, side)
        counts = [int(getattr(row, side)) for _, row in keyed]
        shares = [100 * count / max(1, texts) for count in counts]
        look: dict[str, Any] = {"hover": "%{x:.3g} %<br>%{customdata}", "extra": "name"}
        look["customdata"] = [f"{count:,} of {texts:,} texts" for count in counts]
        label = f"texts for {theme.text(name, 20)}"
        figure.add_trace(marks.bars(shares, list(labels), label, styles[name], **look))
    title = "texts with a word of the category, % → more"
    view = " ".join(row.name for _, row in keyed)
    return _grouped(figure, labels, title, view=view, pixels=(124, 44))


def _course(
    x: Sequence[float],
    y: Sequence[float | None],
    name: str,
    styles: Mapping[str, theme.ModelStyle],
    **more: Any,
) -> go.Scatter:
    """Draw a model's marks joined by a line, dashed by its index among all."""
    style, dash = styles[name], DASHES[list(styles).index(name) % len(DASHES)]
    joined: dict[str, Any] = {
        "mode": "lines+markers",
        "line": {"color": style.color, "dash": dash, "width": 2},
    }
    return marks.dots(x, y, theme.text(name), color=style.color, symbol=style.marker, **joined, **more)


def _settled(figure: go.Figure, view: str, models: Sequence[str], *, log: bool = False) -> go.Figure:
    """Name two lines at their ends, more in a legend."""
    ends: list[tuple[str, float, float]] = []
    for model, line in zip(models, figure.data, strict=True):
        points = [(model, x, y) for x, y in zip(line.x, line.y, strict=True) if y is not None]
        ends += points[-1:]
    direct = len(ends) == len(models) == 2
    if direct:
        marks.name_lines(figure, ends, log=log)
    legend = len(models) > 1 and not direct
    return theme.base_layout(figure, 366, view=view, legend=legend)


def _finish_ratios(
    figure: go.Figure,
    ratios: Sequence[rows.Mark],
    others: Sequence[float],
    labels: Mapping[str, str],
    title: str,
    **look: Any,
) -> go.Figure:
    """Draw the line at 1 and an axis around all values, and mark rows without F."""
    values = [one.value for one in ratios if one.value is not None]
    low, high = min([1.0, *values, *others]), max([1.0, *values, *others])
    room = ROOM * max(high - low, 0.1)
    right = 1 - low <= high - 1
    for one in ratios:
        if one.value is None:
            side = {"xanchor": "left" if right else "right", "xshift": 8 if right else -8}
            marks.note(figure, "undefined", x=1, y=one.row, **side)
    axis = {"range": [low - room, high + room], "nticks": 7}
    written = rows.value_texts(ratios, beside_one)
    layout: dict[str, Any] = {"axis": axis, "written": written}
    return rows.finish(figure, labels, title, zero=1, **layout, **look)


def _grouped(figure: go.Figure, labels: Mapping[str, str], title: str, **look: Any) -> go.Figure:
    layout: dict[str, Any] = {"barmode": "group", "bargap": 0.3}
    return rows.finish(figure, labels, title, axis={"rangemode": "tozero"}, **layout, **look)


def _prompt_details(row: PromptDifference) -> str:
    tested = "not tested"
    if row.p_value is not None:
        tested = f"p {row.p_value:.3g}, controlled {row.controlled_p:.3g}"
    return marks.told(
        row.prompt,
        "ratio undefined" if row.ratio is None else f"ratio {row.ratio:.5g}",
        _differences(row),
        f"energy distance {row.energy:.3g}, {tested}",
        length=60,
    )


def _differences(variation: Variation) -> str:
    within = f"{variation.within_original:.3g} and {variation.within_prompt:.3g}"
    return f"between the sides {variation.between:.3g}, within {within}"


def _details(name: str, report: FairPairReport) -> str:
    means = report.means
    ratio = "ratio undefined" if means.ratio is None else f"ratio {means.ratio:.5g}"
    tested = "not tested" if report.controlled_p is None else f"p {report.controlled_p:.3g}"
    return marks.told(
        name,
        ratio + marks.within(report.intervals.get("ratio_of_means"), ".5g", "–"),
        _differences(means),
        f"energy distance {means.energy:.3g}, {tested}",
    )


def _strongest(report: WordReport, side: Side, most: int) -> Sequence[WordDifference]:
    phrases = [row for row in report.words if row.more_in == side]
    return sorted(phrases, key=lambda row: -abs(row.z_score))[:most]


def _name(report: WordReport, side: Side) -> str:
    return report.original if side == "original" else report.counterpart


def _word_details(row: WordDifference, report: WordReport) -> str:
    tested = "not tested" if row.adjusted is None else f"controlled p {row.adjusted:.3g}"
    return marks.told(
        row.words,
        f"{theme.text(report.counterpart)} {row.prompt:,} of {report.prompt_texts:,} texts",
        f"{theme.text(report.original)} {row.original:,} of {report.original_texts:,} texts",
        f"log-odds {row.log_odds:+.3g}, z {row.z_score:+.3g}, {tested}",
    )
