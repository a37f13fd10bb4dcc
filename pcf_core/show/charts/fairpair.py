"""FairPair: F of each model against 1, B beside both V, how they settle, and F by temperature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import plotly.graph_objects as go

from pcf_core.show.charts import theme
from pcf_core.show.charts.whiskers import whiskers
from pcf_core.texts.fairpair.records import Convergence, FairPairReport, PromptDifference

RATIO = "F, ratio of means (1 = sampling alone)<br>→ the two sides differ more"
SHOWN, NOT_SHOWN = "differ beyond sampling", "cannot be shown"
Quantity = Literal["between", "within_original", "within_prompt", "ratio"]
QUANTITY_WORDS: Mapping[Quantity, str] = {
    "between": "B, mean Φ between the sides (0 = alike, 1 = nothing shared)",
    "within_original": "V of p(g(x)), mean Φ within (0 = alike, 1 = nothing shared)",
    "within_prompt": "V of g(p(x)), mean Φ within (0 = alike, 1 = nothing shared)",
    "ratio": "F, ratio of means (1 = sampling alone)",
}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MOST_PROMPTS = 15
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
        rows = [
            (name, report, report.means.ratio)
            for name, report in reports.items()
            if report.differs == (verdict == SHOWN)
        ]
        drawn = [(name, report, ratio) for name, report, ratio in rows if ratio is not None]
        if not drawn:
            continue
        ends = [report.intervals.get("ratio_of_means") for _, report, _ in drawn]
        figure.add_trace(
            go.Scatter(
                x=[ratio for _, _, ratio in drawn],
                y=[keys[name] for name, _, _ in drawn],
                mode="markers",
                marker={
                    "symbol": [
                        styles[name].marker + ("" if verdict == SHOWN else "-open") for name, _, _ in drawn
                    ],
                    "color": [styles[name].color for name, _, _ in drawn],
                    "size": 12,
                    "line": {"width": 2, "color": [styles[name].color for name, _, _ in drawn]},
                },
                error_x=whiskers(
                    [ratio for _, _, ratio in drawn],
                    [None if end is None else end.low for end in ends],
                    [None if end is None else end.high for end in ends],
                    theme.MUTED,
                ),
                customdata=[_details(name, report) for name, report, _ in drawn],
                hovertemplate="%{customdata}<extra></extra>",
                name=verdict,
            )
        )
    span = _around_one(_places(list(reports.values())))
    for name, report in reports.items():
        if report.means.ratio is None:
            _say_undefined(figure, keys[name], span)
    figure.add_vline(x=1, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(title_text=RATIO, range=span, nticks=7)
    figure.update_yaxes(theme.name_axis({key: theme.lines(name) for name, key in keys.items()}))
    figure.update_yaxes(range=[len(keys) - 0.5, -0.5])
    return theme.base_layout(
        figure, 168 + 40 * max(2, len(keys)), view=" ".join(keys), legend=True, margin=theme.BELOW_BUTTONS
    )


def prompt_dots(report: FairPairReport) -> go.Figure:
    """Draw F of the prompts with the largest E, the largest first; a tick is the mean F of random labels.

    Filled marks: the prompt by itself differs, controlled over all prompts.  A prompt whose F is undefined
    keeps its line and says so.
    """
    rows = sorted(report.prompts, key=lambda row: -row.energy)[:MOST_PROMPTS]
    keyed = [(str(place), row) for place, row in enumerate(rows)]
    figure = go.Figure()
    for verdict in (SHOWN, NOT_SHOWN):
        drawn = [
            (key, row) for key, row in keyed if row.differs == (verdict == SHOWN) and row.ratio is not None
        ]
        if drawn:
            figure.add_trace(
                go.Scatter(
                    x=[row.ratio for _, row in drawn],
                    y=[key for key, _ in drawn],
                    mode="markers",
                    marker={
                        "symbol": "circle" if verdict == SHOWN else "circle-open",
                        "color": theme.ACCENT,
                        "size": 10,
                        "line": {"width": 2, "color": theme.ACCENT},
                    },
                    customdata=[_prompt_details(row) for _, row in drawn],
                    hovertemplate="%{customdata}<extra></extra>",
                    name=verdict,
                )
            )
    figure.add_trace(
        go.Scatter(
            x=[row.chance_ratio for _, row in keyed],
            y=[key for key, _ in keyed],
            mode="markers",
            marker={
                "symbol": "line-ns-open",
                "color": theme.MUTED,
                "size": 12,
                "line": {"width": 2},
            },
            hovertemplate="random labels %{x:.3g}<extra></extra>",
            name="random labels",
        )
    )
    values = [value for row in rows for value in (row.ratio, row.chance_ratio) if value is not None]
    ends = _around_one(values)
    for key, row in keyed:
        if row.ratio is None:
            _say_undefined(figure, key, ends)
    figure.add_vline(x=1, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(
        title_text="F of the prompt (1 = sampling alone)<br>→ the two sides differ more", range=ends, nticks=7
    )
    figure.update_yaxes(theme.name_axis({key: theme.lines(row.prompt, 24) for key, row in keyed}))
    figure.update_yaxes(range=[len(keyed) - 0.5, -0.5], showgrid=True)
    return theme.base_layout(
        figure, 178 + 30 * max(3, len(keyed)), view=report.model, legend=True, margin=theme.BELOW_BUTTONS
    )


def variation_bars(reports: Mapping[str, FairPairReport]) -> go.Figure:
    """Draw B, V of p(g(x)) and V of g(p(x)) of each model: means over prompts, intervals over statements."""
    first = next(iter(reports.values()))
    sides = theme.group_styles([first.original, first.counterpart])
    original, prompt = (theme.text(name, 20) for name in (first.original, first.counterpart))
    keys = {name: str(place) for place, name in enumerate(reports)}
    figure = go.Figure()
    for quantity, label, style in (
        ("between", "B, between the sides", theme.ModelStyle(theme.ACCENT, "circle", "")),
        ("within_original", f"V of p(g(x)), within {original}", sides[first.original]),
        ("within_prompt", f"V of g(p(x)), within {prompt}", sides[first.counterpart]),
    ):
        values = [float(getattr(report.means, quantity)) for report in reports.values()]
        ends = [report.intervals.get(quantity) for report in reports.values()]
        figure.add_trace(
            go.Bar(
                orientation="h",
                x=values,
                y=list(keys.values()),
                marker=theme.bar_marker(style),
                error_x=whiskers(
                    values,
                    [None if end is None else end.low for end in ends],
                    [None if end is None else end.high for end in ends],
                    theme.MUTED,
                ),
                customdata=[_details(name, report) for name, report in reports.items()],
                hovertemplate=f"{label} %{{x:.3g}}<br>%{{customdata}}<extra></extra>",
                name=label,
            )
        )
    figure.update_xaxes(title_text="mean dissimilarity Φ (0 = alike) → less alike", rangemode="tozero")
    figure.update_yaxes(theme.name_axis({key: theme.lines(name) for name, key in keys.items()}))
    figure.update_yaxes(range=[len(keys) - 0.5, -0.5])
    return theme.base_layout(
        figure,
        178 + 70 * len(keys),
        view=" ".join(reports),
        legend=True,
        barmode="group",
        bargap=0.3,
        margin=theme.BELOW_BUTTONS,
    )


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
        label, style = theme.text(name), styles[name]
        size = "%{x} texts a side" if over == "samples" else f"%{{x}} folds of {convergence.count:,} texts"
        figure.add_trace(
            go.Scatter(
                x=list(course.places),
                y=list(values),
                mode="lines+markers",
                line={"color": style.color, "dash": DASHES[names.index(name) % len(DASHES)], "width": 2},
                marker={
                    "symbol": style.marker,
                    "size": 7,
                    "color": style.color,
                    "maxdisplayed": MARKED,
                },
                hovertemplate=f"{label}<br>{size}: %{{y:.3g}}<extra></extra>",
                name=label,
            )
        )
    if quantity == "ratio":
        figure.add_hline(y=1, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    title = (
        "texts a side, all pairs among the first n → more"
        if over == "samples"
        else "folds that the texts are dealt into (log) → smaller folds"
    )
    figure.update_xaxes(title_text=title, nticks=7)
    if over == "folds":
        figure.update_xaxes(type="log", tickvals=FOLD_TICKS)
    figure.update_yaxes(title_text=QUANTITY_WORDS[quantity])
    return theme.base_layout(
        figure, 400, view=f"{over} {quantity}", legend=len(found) > 1, margin=theme.BELOW_BUTTONS
    )


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
        points = [
            (temperature, report, report.means.ratio)
            for temperature, report in sorted(by_temperature.items())
            if report.means.ratio is not None
        ]
        ends = [report.intervals.get("ratio_of_means") for _, report, _ in points]
        ratios = [ratio for _, _, ratio in points if ratio is not None]
        figure.add_trace(
            go.Scatter(
                x=[temperature for temperature, _, _ in points],
                y=ratios,
                mode="lines+markers",
                line={
                    "color": styles[name].color,
                    "dash": DASHES[names.index(name) % len(DASHES)],
                    "width": 2,
                },
                marker={"symbol": styles[name].marker, "size": 10, "color": styles[name].color},
                error_y=whiskers(
                    ratios,
                    [None if end is None else end.low for end in ends],
                    [None if end is None else end.high for end in ends],
                    styles[name].color,
                ),
                customdata=[_details(name, report) for _, report, _ in points],
                hovertemplate="temperature %{x:.3g}<br>%{customdata}<extra></extra>",
                name=theme.text(name),
            )
        )
    figure.add_hline(y=1, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(title_text="temperature → more random texts", rangemode="tozero")
    figure.update_yaxes(title_text=QUANTITY_WORDS["ratio"])
    return theme.base_layout(
        figure, 400, view=" ".join(found), legend=len(found) > 1, margin=theme.BELOW_BUTTONS
    )


def _around_one(places: Sequence[float]) -> list[float]:
    """Return the ends of an axis with 1 and these places on it."""
    low, high = min([1.0, *places]), max([1.0, *places])
    room = ROOM * max(high - low, 0.1)
    return [low - room, high + room]


def _places(reports: Sequence[FairPairReport]) -> list[float]:
    """Return every F, and the ends of its interval."""
    places: list[float] = []
    for report in reports:
        if report.means.ratio is not None:
            end = report.intervals.get("ratio_of_means")
            places += [report.means.ratio, *(() if end is None else (end.low, end.high))]
    return places


def _say_undefined(figure: go.Figure, key: str, ends: Sequence[float]) -> None:
    """Say on a line that it has no F, on the side of the dotted line where there is more room."""
    right = 1 - ends[0] <= ends[1] - 1
    figure.add_annotation(
        x=1,
        y=key,
        text="F is undefined",
        showarrow=False,
        xanchor="left" if right else "right",
        xshift=8 if right else -8,
    )


def _prompt_details(row: PromptDifference) -> str:
    return "<br>".join(
        [
            f"<b>{theme.text(row.prompt, 60)}</b>",
            "F undefined" if row.ratio is None else f"F {row.ratio:.5g}",
            f"B {row.between:.3g}, V {row.within_original:.3g} and {row.within_prompt:.3g}",
            f"E {row.energy:.3g}, "
            + (
                "not tested"
                if row.p_value is None
                else f"p {row.p_value:.3g}, controlled {row.controlled_p:.3g}"
            ),
        ]
    )


def _details(name: str, report: FairPairReport) -> str:
    """Write hover text: F with its interval, B, both V, E and the test."""
    means, end = report.means, report.intervals.get("ratio_of_means")
    ratio = "F undefined" if means.ratio is None else f"F {means.ratio:.5g}"
    if end is not None:
        ratio += f" ({end.low:.5g}–{end.high:.5g})"
    return "<br>".join(
        [
            f"<b>{theme.text(name)}</b>",
            ratio,
            f"B {means.between:.3g}, V {means.within_original:.3g} and {means.within_prompt:.3g}",
            f"E {means.energy:.3g}, "
            + ("not tested" if report.controlled_p is None else f"p {report.controlled_p:.3g}"),
        ]
    )
