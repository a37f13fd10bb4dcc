"""One cell, or one sentence: the groups' probabilities by model, and the words that carry them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.probe import ProbeAnswer
from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.numbers import chance, odds, people, percent

ROW, PANEL, REST = 20, 30, 90  # pixels: a word, a panel's title, axis and legend
MOST_ROWS = 24
FEWEST_WORDS, MOST_WORDS = 2, 8  # a group


@dataclass(frozen=True)
class WordProbability:
    """Probability of one word at ``[Y]`` in one prompt, over the model's whole vocabulary."""

    word: str
    group: str
    probability: float


def cell_bars(
    preferences_by_model: Mapping[str, Mapping[str, float]], *, neutral: float | None = None
) -> go.Figure:
    """Draw bars of P(group), one beside the other for each model; groups sum to 1 per model.

    ``neutral`` draws p* as a line where it is the same for all groups.
    """
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
    """Draw the ``top`` words by probability, largest first, coloured and patterned by group."""
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
    """Return at most five round values from 0 to the largest, and how each is written.

    In per cent; where that needs decimals, as odds.
    """
    if not largest > 0:
        return {0.0: "0"}
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(part * power for part in (0.5, 1, 2, 5) if largest <= 4 * part * power)
    last = int(largest / step + 1e-9)  # 0.3 / 0.1 is a little under 3
    values = [index * step for index in range(1, last + 1)]
    return {0.0: "0"} | {value: percent(value) if step >= 0.01 else odds(value) for value in values}


def probe_words(answers: Mapping[str, ProbeAnswer]) -> go.Figure:
    """Draw the most probable words at ``[Y]``, a panel a group, on one logarithmic axis; a mark a model.

    A group shows the words to which any model gives most; a word without probability has no mark.
    """
    panels = _panels(answers)
    sizes = [len(words) for words in panels.values()]
    plot = ROW * sum(sizes) + PANEL * len(sizes)
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
    """Map each group to words, the most probable first; fewer each where there are many groups."""
    best: dict[str, dict[str, float]] = {}
    for answer in answers.values():
        for word in answer.words:
            if word.probability > 0:
                group = best.setdefault(word.group, {})
                group[word.word] = max(word.probability, group.get(word.word, 0.0))
    most = min(MOST_WORDS, max(FEWEST_WORDS, MOST_ROWS // max(1, len(best))))
    return {group: sorted(words, key=lambda word: -words[word])[:most] for group, words in best.items()}
