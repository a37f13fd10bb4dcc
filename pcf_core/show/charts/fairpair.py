"""FairPair: F of each model against 1, B beside both V, how they settle, F by temperature, and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import plotly.graph_objects as go

from pcf_core.show.charts import marks, theme
from pcf_core.texts.fairpair.records import (
    Convergence,
    FairPairReport,
    PromptDifference,
    Side,
    WordDifference,
    WordReport,
)

RATIO = "F, ratio of means (1 = sampling alone)<br>→ the two sides differ more"
SHOWN, NOT_SHOWN = "differ beyond sampling", "cannot be shown"
Quantity = Literal["between", "within_original", "within_prompt", "ratio"]
QUANTITY_WORDS: Mapping[Quantity, str] = {
    "between": "B, mean Φ between the sides (0 = alike, 1 = nothing shared)",
    "within_original": "V, mean Φ within the first side (0 = alike, 1 = nothing shared)",
    "within_prompt": "V, mean Φ within the second side (0 = alike, 1 = nothing shared)",
    "ratio": "F, ratio of means (1 = sampling alone)",
}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MOST_PROMPTS = 15
MOST_PHRASES = 12  # a side
SIDES: tuple[Side, Side] = ("original", "prompt")
FOLD_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
MARKED = 12  # places of a line that have a marker
ROOM = 0.08  # of an axis, at either end


def ratio_dots(reports: Mapping[str, FairPairReport], order: Sequence[str] = ()) -> go.Figure:
    """Draw F of each model with its interval over statements; the dotted line is what sampling alone gives.

    Filled marks: the two sides differ beyond sampling; hollow ones: that cannot be shown.  A model whose F is
    undefined keeps its line and says so.  ``order``: all names, by which every chart gives colours.
    """
    styles = theme.model_styles(order or list(reports))
    keys = {name: str(place) for place, name in enumerate(reports)}
    figure = go.Figure()
    for verdict in (SHOWN, NOT_SHOWN):
        told = verdict == SHOWN
        drawn = {
            name: report
            for name, report in reports.items()
            if report.differs == told and report.means.ratio is not None
        }
        if drawn:
            figure.add_trace(
                marks.dots(
                    [report.means.ratio for report in drawn.values()],
                    [keys[name] for name in drawn],
                    verdict,
                    color=[styles[name].color for name in drawn],
                    symbol=[marks.symbol(styles[name].marker, told) for name in drawn],
                    size=12,
                    rim=2,
                    across=[report.intervals.get("ratio_of_means") for report in drawn.values()],
                    hover=[_details(name, report) for name, report in drawn.items()],
                )
            )
    undefined = [keys[name] for name, report in reports.items() if report.means.ratio is None]
    _finish_ratios(figure, _places(list(reports.values())), undefined, RATIO)
    marks.name_rows(figure, {key: theme.lines(name) for name, key in keys.items()})
    height = 168 + 40 * max(2, len(keys))
    return _finished(figure, height, " ".join(keys))


def prompt_dots(report: FairPairReport) -> go.Figure:
    """Draw F of the prompts with the largest E, the largest first; a tick is the mean F of random labels.

    Filled marks: the prompt by itself differs, controlled over all prompts.  A prompt whose F is undefined
    keeps its line and says so.
    """
    rows = sorted(report.prompts, key=lambda row: -row.energy)[:MOST_PROMPTS]
    keyed = [(str(place), row) for place, row in enumerate(rows)]
    figure = go.Figure()
    for verdict in (SHOWN, NOT_SHOWN):
        told = verdict == SHOWN
        drawn = [(key, row) for key, row in keyed if row.differs == told and row.ratio is not None]
        if drawn:
            figure.add_trace(
                marks.dots(
                    [row.ratio for _, row in drawn],
                    [key for key, _ in drawn],
                    verdict,
                    color=theme.ACCENT,
                    symbol=marks.symbol("circle", told),
                    rim=2,
                    hover=[_prompt_details(row) for _, row in drawn],
                )
            )
    figure.add_trace(
        marks.dots(
            [row.chance_ratio for _, row in keyed],
            [key for key, _ in keyed],
            "random labels",
            color=theme.MUTED,
            symbol="line-ns-open",
            size=12,
            rim=2,
            hover="random labels %{x:.3g}",
        )
    )
    values = [value for row in rows for value in (row.ratio, row.chance_ratio) if value is not None]
    title = "F of the prompt (1 = sampling alone)<br>→ the two sides differ more"
    _finish_ratios(figure, values, [key for key, row in keyed if row.ratio is None], title)
    marks.name_rows(figure, {key: theme.lines(row.prompt, 24) for key, row in keyed}, grid=True)
    return _finished(figure, 178 + 30 * max(3, len(keyed)), report.model)


def variation_bars(reports: Mapping[str, FairPairReport]) -> go.Figure:
    """Draw B and the V of either side of each model: means over prompts, intervals over statements."""
    first = next(iter(reports.values()))
    sides = theme.group_styles([first.original, first.counterpart])
    original, prompt = (theme.text(name, 20) for name in (first.original, first.counterpart))
    keys = {name: str(place) for place, name in enumerate(reports)}
    figure = go.Figure()
    for quantity, label, style in (
        ("between", "between the two sides (B)", theme.ModelStyle(theme.ACCENT, "circle", "")),
        ("within_original", f"among texts for {original} (V)", sides[first.original]),
        ("within_prompt", f"among texts for {prompt} (V)", sides[first.counterpart]),
    ):
        values = [float(getattr(report.means, quantity)) for report in reports.values()]
        figure.add_trace(
            marks.bars(
                values,
                list(keys.values()),
                label,
                style,
                across=[report.intervals.get(quantity) for report in reports.values()],
                hover=[
                    f"{label} {value:.3g}<br>{_details(name, report)}"
                    for value, (name, report) in zip(values, reports.items(), strict=True)
                ],
            )
        )
    figure.update_xaxes(title_text="mean dissimilarity Φ (0 = alike) → less alike", rangemode="tozero")
    marks.name_rows(figure, {key: theme.lines(name) for name, key in keys.items()})
    return _finished(figure, 178 + 70 * len(keys), " ".join(reports), barmode="group", bargap=0.3)


def convergence_lines(
    found: Mapping[str, Convergence],
    over: Literal["samples", "folds"],
    quantity: Quantity = "between",
    order: Sequence[str] = (),
) -> go.Figure:
    """Draw how a quantity settles, a line a model: with more texts a side, or in more and smaller folds.

    ``order``: as for :func:`ratio_dots`.
    """
    names = list(dict.fromkeys(order or found))
    styles = theme.model_styles(names)
    figure = go.Figure()
    for name, convergence in found.items():
        course = convergence.samples if over == "samples" else convergence.folds
        values: Sequence[float | None] = getattr(course, quantity)
        size = "%{x} texts a side" if over == "samples" else f"%{{x}} folds of {convergence.count:,} texts"
        hover = f"{theme.text(name)}<br>{size}: %{{y:.3g}}"
        course_line = _course(list(course.places), values, name, styles[name], names, hover=hover, size=7)
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
    return _finished(figure, 400, f"{over} {quantity}", legend=len(found) > 1)


def temperature_lines(
    found: Mapping[str, Mapping[float, FairPairReport]], order: Sequence[str] = ()
) -> go.Figure:
    """Draw F of each model at each temperature with its interval over statements.

    Undefined ones are left out.
    """
    names = list(dict.fromkeys(order or found))
    styles = theme.model_styles(names)
    figure = go.Figure()
    for name, by_temperature in found.items():
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
        figure.add_trace(_course(list(points), ratios, name, styles[name], names, **more))
    marks.rule(figure, y=1)
    figure.update_xaxes(title_text="temperature → more random texts", rangemode="tozero")
    figure.update_yaxes(title_text=QUANTITY_WORDS["ratio"])
    return _finished(figure, 400, " ".join(found), legend=len(found) > 1)


def phrase_dots(report: WordReport, most: int = MOST_PHRASES) -> go.Figure:
    """Draw the strongest phrases of either side by |z|, at their log-odds; 0 is as often on both.

    Filled marks differ beyond chance over all phrases that were tested, hollow ones do not.
    """
    styles = theme.group_styles([report.original, report.counterpart])
    chosen = [row for side in SIDES for row in _strongest(report, side, most)]
    rows = sorted(chosen, key=lambda row: -row.log_odds)
    keys = {row.words: str(place) for place, row in enumerate(rows)}
    figure = go.Figure()
    for side in reversed(SIDES):
        name = _name(report, side)
        style, shown = styles[name], [row for row in rows if row.more_in == side]
        if shown:
            figure.add_trace(
                marks.dots(
                    [row.log_odds for row in shown],
                    [keys[row.words] for row in shown],
                    f"more in texts for {theme.text(name, 20)}",
                    color=style.color,
                    symbol=[marks.symbol(style.marker, row.differs) for row in shown],
                    rim=2,
                    hover=[_word_details(row, report) for row in shown],
                )
            )
    marks.rule(figure, x=0)
    counterpart = theme.text(report.counterpart, 20)
    figure.update_xaxes(
        title_text=f"log-odds δ (0 = as often)<br>→ more in texts for {counterpart}", nticks=7
    )
    marks.name_rows(figure, {key: theme.text(words, 24) for words, key in keys.items()}, grid=True)
    if not rows:
        marks.note(figure, "no phrase to compare", x=0.5, y=0.5, xref="paper", yref="paper")
    return _finished(figure, 178 + 20 * max(4, len(keys)), " ".join(keys))


def category_bars(report: WordReport) -> go.Figure:
    """Draw shares of either side's texts with a word of each category; a star where they differ."""
    styles = theme.group_styles([report.original, report.counterpart])
    keys = {row.name: str(place) for place, row in enumerate(report.categories)}
    figure = go.Figure()
    for side, texts in zip(SIDES, (report.original_texts, report.prompt_texts), strict=True):
        name = _name(report, side)
        counts = [int(getattr(row, side)) for row in report.categories]
        figure.add_trace(
            marks.bars(
                [100 * count / max(1, texts) for count in counts],
                list(keys.values()),
                f"texts for {theme.text(name, 20)}",
                styles[name],
                hover="%{x:.3g} %<br>%{customdata}",
                extra="name",
                customdata=[f"{count:,} of {texts:,} texts" for count in counts],
            )
        )
    labels = {
        keys[row.name]: theme.text(row.title, 22) + (" *" if row.differs else "") for row in report.categories
    }
    figure.update_xaxes(title_text="texts with a word of the category, % → more", rangemode="tozero")
    marks.name_rows(figure, labels)
    height = 158 + 44 * max(2, len(keys))
    return _finished(figure, height, " ".join(keys), barmode="group", bargap=0.3)


def _course(
    x: Sequence[float],
    y: Sequence[float | None],
    name: str,
    style: theme.ModelStyle,
    names: Sequence[str],
    **more: Any,
) -> go.Scatter:
    """Draw a model's marks joined by a line, its dashes by the model's place among all."""
    dash = DASHES[names.index(name) % len(DASHES)]
    joined: dict[str, Any] = {
        "mode": "lines+markers",
        "line": {"color": style.color, "dash": dash, "width": 2},
    }
    return marks.dots(x, y, theme.text(name), color=style.color, symbol=style.marker, **joined, **more)


def _finish_ratios(figure: go.Figure, places: Sequence[float], undefined: Sequence[str], title: str) -> None:
    """Draw the line at 1 on an axis around it, and say which rows have no F where there is more room."""
    low, high = min([1.0, *places]), max([1.0, *places])
    room = ROOM * max(high - low, 0.1)
    right = 1 - low <= high - 1
    for key in undefined:
        side = {"xanchor": "left" if right else "right", "xshift": 8 if right else -8}
        marks.note(figure, "F is undefined", x=1, y=key, **side)
    marks.rule(figure, x=1)
    figure.update_xaxes(title_text=title, range=[low - room, high + room], nticks=7)


def _finished(
    figure: go.Figure, height: float, view: str, *, legend: bool = True, **layout: Any
) -> go.Figure:
    return theme.base_layout(figure, height, view=view, legend=legend, top=theme.BELOW_BUTTONS, **layout)


def _places(reports: Sequence[FairPairReport]) -> list[float]:
    """Return every F, and the ends of its interval."""
    places: list[float] = []
    for report in reports:
        if report.means.ratio is not None:
            end = report.intervals.get("ratio_of_means")
            places += [report.means.ratio, *(() if end is None else (end.low, end.high))]
    return places


def _prompt_details(row: PromptDifference) -> str:
    tested = (
        "not tested" if row.p_value is None else f"p {row.p_value:.3g}, controlled {row.controlled_p:.3g}"
    )
    return marks.told(
        row.prompt,
        "F undefined" if row.ratio is None else f"F {row.ratio:.5g}",
        f"B {row.between:.3g}, V {row.within_original:.3g} and {row.within_prompt:.3g}",
        f"E {row.energy:.3g}, {'not tested' if row.p_value is None else tested}",
        length=60,
    )


def _details(name: str, report: FairPairReport) -> str:
    """Write hover text: F with its interval, B, both V, E and the test."""
    means = report.means
    ratio = "F undefined" if means.ratio is None else f"F {means.ratio:.5g}"
    tested = "not tested" if report.controlled_p is None else f"p {report.controlled_p:.3g}"
    return marks.told(
        name,
        ratio + marks.within(report.intervals.get("ratio_of_means"), ".5g", "–"),
        f"B {means.between:.3g}, V {means.within_original:.3g} and {means.within_prompt:.3g}",
        f"E {means.energy:.3g}, {tested}",
    )


def _strongest(report: WordReport, side: Side, most: int) -> Sequence[WordDifference]:
    """Return the phrases of one side, the strongest first."""
    rows = [row for row in report.words if row.more_in == side]
    return sorted(rows, key=lambda row: -abs(row.z_score))[:most]


def _name(report: WordReport, side: Side) -> str:
    return report.original if side == "original" else report.counterpart


def _word_details(row: WordDifference, report: WordReport) -> str:
    """Write hover text: how many texts of either side, the log-odds, z and the controlled p-value."""
    tested = "not tested" if row.adjusted is None else f"controlled p {row.adjusted:.3g}"
    return marks.told(
        row.words,
        f"{theme.text(report.counterpart)} {row.prompt:,} of {report.prompt_texts:,} texts",
        f"{theme.text(report.original)} {row.original:,} of {report.original_texts:,} texts",
        f"log-odds {row.log_odds:+.3g}, z {row.z_score:+.3g}, {tested}",
    )
