"""The heat map of P(group) over occupations × templates (BVF Figure 11), one cell, and one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.subplots import make_subplots

from pcf_core.core.probe import ProbeAnswer
from pcf_core.core.records import FloatArray
from pcf_core.core.run import Preferences
from pcf_core.measure.distribution import known_means
from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.notes import coverage_given_left
from pcf_core.show.findings.numbers import called, chance, odds, people, percent, words_of

ROW, AROUND = 16, 200  # pixels of a row with a legible name, and around the rows
TALLEST = AROUND + 40 * ROW  # 40 rows are named; of more, plotly names some
NAME = 10  # font size in pixels: plotly names rows that are 1.2 times as high
MOST_OPENED = 2_000  # clickable cells; marks over more take seconds to draw
MOST_WRITTEN = 100  # cells with their value
FLAGGED = "these words are almost never used here"
FORBIDDEN = "no preference: a word has no probability here"
PALE = "rgba(127, 127, 127, 0.15)"  # a cell without a colour of its own
CORNER = {"angle": 225, "standoff": 9}  # degrees and pixels from the middle of a cell to its upper right


def heat_map(
    preferences: Preferences,
    group: str,
    occupations: Sequence[int],
    templates: Sequence[int],
    template_weights: ArrayLike,
    *,
    neutral: float,
    clicks: bool = False,
) -> go.Figure:
    """Draw P(group) for the chosen occupations (rows) and templates (columns), in the order given.

    A flagged cell is pale, with a dot and a grey number; one without a preference has a cross.  The margins
    are of all templates, not only those shown: on the right each occupation's weighted mean, on top each
    shown template's share of the weight.

    Parameters
    ----------
    preferences
        [occupation, template, group].
    group
        One of its groups.
    occupations
        Indices of the rows, from top to bottom.
    templates
        Indices of the columns; keep rows × columns under 100,000.
    template_weights
        [template] of all templates, any positive sum.
    neutral
        p*, the middle of the colour scale, in (0, 1).
    clicks
        Whether an invisible mark over each cell (2,000 at most) takes clicks; its ``customdata`` begins with
        occupation and template.
    """
    rows, columns = list(occupations), list(templates)
    values = preferences.values[:, :, preferences.groups.index(group)][rows]
    weights = np.asarray(template_weights, dtype=np.float64)
    weights = weights / weights.sum()
    keys_y, keys_x = [str(row) for row in rows], [str(column) for column in columns]
    name = theme.probability_of(group)
    flagged = preferences.flagged[np.ix_(rows, columns)]
    coverage = _coverage_shown(preferences, rows, columns)
    opened = clicks and len(rows) * len(columns) <= MOST_OPENED

    figure = make_subplots(
        rows=2,
        cols=2,
        column_widths=[0.8, 0.2],
        row_heights=[0.14, 0.86],
        horizontal_spacing=0.02,
        vertical_spacing=0.02,
        shared_xaxes="columns",
        shared_yaxes="rows",
        specs=[[{}, None], [{}, {}]],
    )
    figure.add_trace(
        go.Bar(
            x=keys_x,
            y=weights[columns],
            marker_color=theme.MUTED,
            name="weight of the sentence",
            **marks.hovering("%{x}<br>weight %{y:.3p}"),
        ),
        row=1,
        col=1,
    )
    for trace in _cells(values[:, columns], flagged, coverage, rows, columns, name, opened):
        figure.add_trace(trace, row=2, col=1)
    figure.add_trace(_means(known_means(values, weights), keys_y, name, neutral), row=2, col=2)

    contexts = {key: theme.text(theme.short_template(preferences.templates[int(key)]), 28) for key in keys_x}
    names = {key: theme.text(called(preferences.occupations[int(key)]), 22) for key in keys_y}
    figure.update_xaxes({**theme.name_axis(contexts), "range": [-0.5, len(columns) - 0.5]}, col=1)
    figure.update_yaxes({**theme.name_axis(names), "range": [len(rows) - 0.5, -0.5]}, row=2)
    figure.update_xaxes(title={"text": "sentence, with … for the occupation", "standoff": 12}, row=2, col=1)
    figure.update_yaxes(title_text="occupation", row=2, col=1)
    above = {"ticklabelposition": "outside top"}  # 0 % would cover the name of the first row
    figure.update_yaxes(
        title_text="weight", tickformat=".2~p", nticks=2, rangemode="tozero", **above, row=1, col=1
    )
    means = {"range": [0, 1], "tickvals": theme.apart(neutral, 0.3), "tickformat": ".2~g"}
    # Above, because slanted names of sentences reach below it on a telephone.
    figure.update_xaxes(means, title_text="mean", side="top", row=2, col=2)
    marks.rule(figure, x=neutral, dash="solid", row=2, col=2)
    theme.base_layout(
        figure,
        max(min(theme.MAX_HEIGHT, 230 + 32 * len(rows)), AROUND + ROW * len(rows)),
        tallest=TALLEST,
        view=f"{group} {keys_y} {keys_x}",
        legend=False,
        bargap=0.15,
        hoverdistance=-1 if opened else 20,
        coloraxis=theme.probability_axis(theme.text(words_of(group)), neutral, y=1, yanchor="bottom", ypad=6),
        top=70,
    )
    if opened:  # else Streamlit lets a chart that takes clicks be dragged
        figure.update_xaxes(fixedrange=True)
        figure.update_yaxes(fixedrange=True)
    return figure.update_yaxes(tickfont_size=NAME, row=2)


def _coverage_shown(
    preferences: Preferences, rows: list[int], columns: list[int]
) -> NDArray[np.object_] | FloatArray | None:
    """Return [row, column] the coverage in hover texts: numbers, or texts if given the left part."""
    if preferences.coverage is None:
        return None
    coverage = preferences.coverage[np.ix_(rows, columns)]
    if not preferences.left_only:
        return coverage
    return np.array([[coverage_given_left(share) for share in line] for line in coverage.tolist()], object)


def _cells(
    values: FloatArray,
    flagged: np.ndarray,
    coverage: NDArray[np.object_] | FloatArray | None,
    rows: list[int],
    columns: list[int],
    name: str,
    opened: bool,
) -> list[Any]:
    """Draw the cells, flagged ones apart, and invisible marks over clickable ones."""
    keys_y, keys_x = [str(row) for row in rows], [str(column) for column in columns]

    def hover(value: str, covered: str) -> str:
        shown = "" if coverage is None or coverage.dtype == object else ":.3g"
        tail = "" if coverage is None else f"<br>coverage %{{{covered}{shown}}}"
        return f"%{{y}}<br>%{{x}}<br>{name} %{{{value}:.3g}}{tail}"

    is_written = values.size <= MOST_WRITTEN
    shared: dict[str, Any] = {
        "hover": None if opened else hover("z", "customdata"),
        "x": keys_x,
        "y": keys_y,
        "customdata": coverage,
        "hoverongaps": False,
        **({"texttemplate": "%{z:.2f}"} if is_written else {}),
    }
    drawn: list[Any] = [marks.cells(np.where(flagged, np.nan, values), name, **shared)]
    without = np.isnan(values)
    if without.any():
        cross = {"symbol": "x-thin", "size": 7, "line": {"width": 1, "color": theme.MUTED}}
        drawn.append(_in_cells(without, keys_x, keys_y, cross, FORBIDDEN))
        flagged = flagged & ~without
    if flagged.any():
        pale = marks.cells(
            np.where(flagged, values, np.nan), FLAGGED, colors=theme.shades([PALE] * 2), **shared
        )
        dot = {"symbol": "circle", "size": 4, "color": theme.MUTED, **(CORNER if is_written else {})}
        drawn += [
            pale.update(textfont={"color": theme.MUTED}),
            _in_cells(flagged, keys_x, keys_y, dot, FLAGGED),
        ]
    if not opened:
        return drawn
    data = [
        [row, column, values[down, right], 0.0 if coverage is None else coverage[down, right]]
        for down, row in enumerate(rows)
        for right, column in enumerate(columns)
    ]
    over = marks.unseen(
        keys_x * len(rows),
        [key for key in keys_y for _ in keys_x],
        data,
        14,
        "a click opens the sentence",
        marker={"symbol": "square"},
        **marks.hovering(hover("customdata[2]", "customdata[3]")),
    )
    return [*drawn, over]


def _in_cells(
    marked: np.ndarray, keys_x: list[str], keys_y: list[str], marker: dict[str, Any], name: str
) -> go.Scatter:
    """Draw a mark in some cells; a dot is in the corner if the middle has a number."""
    places = np.argwhere(marked)
    return go.Scatter(
        x=[keys_x[column] for _, column in places],
        y=[keys_y[row] for row, _ in places],
        mode="markers",
        marker=marker,
        name=name,
        **marks.hovering(None),
    )


def _means(means: FloatArray, keys: list[str], name: str, neutral: float) -> go.Bar:
    return go.Bar(
        orientation="h",
        y=keys,
        x=means - neutral,
        base=neutral,
        customdata=means,
        marker={"color": means, "coloraxis": "coloraxis", "line": {"width": 0.5, "color": theme.MUTED}},
        name=f"mean {name}",
        **marks.hovering(f"%{{y}}<br>weighted mean of {name} %{{customdata:.3g}}"),
    )


WORD_ROW, PANEL, REST = 20, 30, 90  # pixels
MOST_ROWS = 24
FEWEST_WORDS, MOST_WORDS = 2, 8  # a group


@dataclass(frozen=True)
class WordProbability:
    """Probability of a word at ``[Y]`` in one prompt, over the model's whole vocabulary."""

    word: str
    group: str
    probability: float


def cell_bars(
    preferences_by_model: Mapping[str, Mapping[str, float]], *, neutral: float | None = None
) -> go.Figure:
    """Draw bars of P(group) for each model, summing to 1; ``neutral``: p*, if equal for all groups."""
    figure = go.Figure()
    groups = list(dict.fromkeys(group for values in preferences_by_model.values() for group in values))
    styles = theme.model_styles(list(preferences_by_model))
    for model, values in preferences_by_model.items():
        bars = marks.bars(
            list(values.values()),
            [str(groups.index(group)) for group in values],
            theme.text(model),
            styles[model],
            hover="%{y}: %{text}",
            extra="name",
            text=[chance(value) for value in values.values()],
            textposition="outside",
            cliponaxis=False,
        )
        figure.add_trace(bars)
    ticks = [0, 0.25, 0.5, 0.75, 1]
    axis = {"range": [0, 1.12], "tickvals": ticks, "ticktext": [percent(tick) for tick in ticks]}
    labels = {key: theme.lines(people(group)) for key, group in rows.keyed(groups)}
    models = len(preferences_by_model)
    pixels = (120, 26 * max(1, models))
    look: dict[str, Any] = {"axis": axis, "legend": models > 1, "barmode": "group", "bargap": 0.25}
    title = "probability of the group → more"
    return rows.finish(
        figure, labels, title, view=" ".join(groups), pixels=pixels, least=1, zero=neutral, **look
    )


def word_bars(words: Sequence[WordProbability], top: int = 15) -> go.Figure:
    """Draw the ``top`` words by probability, styled by group."""
    ranked = sorted(words, key=lambda word: -word.probability)[:top]
    styles = theme.group_styles(list(dict.fromkeys(word.group for word in words)))
    figure = go.Figure()
    for group, style in styles.items():
        chosen = [(str(index), word) for index, word in enumerate(ranked) if word.group == group]
        if chosen:
            bars = marks.bars(
                [word.probability for _, word in chosen],
                [key for key, _ in chosen],
                theme.group(group),
                style,
                hover="%{y}: %{customdata}",
                extra="name",
                customdata=[chance(word.probability) for _, word in chosen],
            )
            figure.add_trace(bars)
    ticks = _ticks(max((word.probability for word in ranked), default=0.0))
    axis = {"rangemode": "tozero", "tickvals": list(ticks), "ticktext": list(ticks.values())}
    labels = {key: theme.text(word.word, 22) for key, word in rows.keyed(ranked)}
    look: dict[str, Any] = {"axis": axis, "barmode": "overlay", "bargap": 0.25}
    title, view = "probability of the word → more", " ".join(styles)
    return rows.finish(figure, labels, title, view=view, pixels=(120, 22), **look)


def _ticks(largest: float) -> dict[float, str]:
    """Return at most five round values up to the largest with labels: per cent, or odds if small."""
    if not largest > 0:
        return {0.0: "0"}
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(part * power for part in (0.5, 1, 2, 5) if largest <= 4 * part * power)
    last = int(largest / step + 1e-9)  # 0.3 / 0.1 is a little under 3
    values = [index * step for index in range(1, last + 1)]
    return {0.0: "0"} | {value: percent(value) if step >= 0.01 else odds(value) for value in values}


def probe_words(answers: Mapping[str, ProbeAnswer]) -> go.Figure:
    """Draw the words to which any model gives most, a panel per group, a mark per model, on a log axis."""
    panels = _panels(answers)
    sizes = [len(words) for words in panels.values()]
    plot = WORD_ROW * sum(sizes) + PANEL * len(sizes)
    figure = make_subplots(
        rows=max(1, len(sizes)),
        shared_xaxes=True,
        row_heights=sizes or None,
        vertical_spacing=PANEL / plot if len(sizes) > 1 else None,
        subplot_titles=[theme.group(group) for group in panels] or None,
    )
    figure.update_annotations(x=0, xanchor="left", font_size=13)
    styles = theme.model_styles(list(answers))
    for model, answer in answers.items():
        by_word = {word.word: word for word in answer.words if word.probability > 0}
        for panel, words in enumerate(panels.values(), start=1):
            places = [(str(index), by_word[word]) for index, word in enumerate(words) if word in by_word]
            trace = marks.dots(
                [word.probability for _, word in places],
                [index for index, _ in places],
                theme.text(model),
                color=styles[model].color,
                symbol=styles[model].marker,
                size=9,
                hover=[f"{theme.text(word.word)}: {chance(word.probability)}" for _, word in places],
                extra="name",
                legendgroup=theme.text(model),
                showlegend=panel == 1,
            )
            figure.add_trace(trace, row=panel, col=1)
    for panel, words in enumerate(panels.values(), start=1):
        labels = {str(index): theme.text(word, 22) for index, word in enumerate(words)}
        axis = {**theme.name_axis(labels), "range": [len(words) - 0.5, -0.5], "showgrid": True}
        figure.update_yaxes(axis, row=panel, col=1)
    figure.update_xaxes(type="log", nticks=6, exponentformat="power")
    figure.update_xaxes(title_text="probability of the word (log) → more", row=max(1, len(sizes)), col=1)
    return theme.base_layout(figure, REST + plot, view=" ".join(panels), legend=len(answers) > 1, top=PANEL)


def _panels(answers: Mapping[str, ProbeAnswer]) -> dict[str, list[str]]:
    """Map each group to its most probable words, fewer if there are many groups."""
    best: dict[str, dict[str, float]] = {}
    for answer in answers.values():
        for word in answer.words:
            if word.probability > 0:
                group = best.setdefault(word.group, {})
                group[word.word] = max(word.probability, group.get(word.word, 0.0))
    most = min(MOST_WORDS, max(FEWEST_WORDS, MOST_ROWS // max(1, len(best))))
    return {group: sorted(words, key=lambda word: -words[word])[:most] for group, words in best.items()}
