"""One sentence: the words of each group by their probability, all models beside one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.probe import ProbeAnswer, ProbeWord
from pcf_core.show.charts import theme
from pcf_core.show.findings.numbers import chance

ROW, PANEL, REST = 20, 30, 90  # pixels: a word, a panel's title, axis and legend
MOST_ROWS = 24
FEWEST_WORDS, MOST_WORDS = 2, 8  # a group


def probe_words(answers: Mapping[str, ProbeAnswer]) -> go.Figure:
    """Draw the most probable words at ``[Y]``, a panel a group, on one logarithmic axis; a mark a model.

    A group shows the words to which any model gives most; a word without probability has no mark.
    """
    panels = _panels(answers)
    rows = [len(words) for words in panels.values()]
    plot = ROW * sum(rows) + PANEL * len(rows)
    figure = make_subplots(
        rows=max(1, len(rows)),
        shared_xaxes=True,
        row_heights=rows or None,
        vertical_spacing=PANEL / plot if len(rows) > 1 else None,
        subplot_titles=[theme.text(group) for group in panels] or None,
    )
    figure.update_annotations(x=0, xanchor="left", font_size=13)
    styles = theme.model_styles(list(answers))
    for model, answer in answers.items():
        found = {word.word: word for word in answer.words if word.probability > 0}
        for panel, words in enumerate(panels.values(), start=1):
            places = [(str(place), found[word]) for place, word in enumerate(words) if word in found]
            trace = _marks(model, styles[model], places)
            figure.add_trace(trace.update(showlegend=panel == 1), row=panel, col=1)
    for panel, words in enumerate(panels.values(), start=1):
        labels = {str(place): theme.text(word, 22) for place, word in enumerate(words)}
        figure.update_yaxes(theme.name_axis(labels), row=panel, col=1)
        figure.update_yaxes(range=[len(words) - 0.5, -0.5], showgrid=True, row=panel, col=1)
    figure.update_xaxes(type="log", nticks=6, exponentformat="power")
    figure.update_xaxes(title_text="probability of the word (log) → more", row=max(1, len(rows)), col=1)
    return theme.base_layout(
        figure,
        REST + plot,
        view=" ".join(panels),
        legend=len(answers) > 1,
        margin={"l": 8, "r": 12, "t": PANEL, "b": 8},
    )


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


def _marks(model: str, style: theme.ModelStyle, places: Sequence[tuple[str, ProbeWord]]) -> go.Scatter:
    name = theme.text(model)
    return go.Scatter(
        x=[word.probability for _, word in places],
        y=[place for place, _ in places],
        mode="markers",
        marker={"symbol": style.marker, "color": style.color, "size": 9},
        customdata=[f"{theme.text(word.word)}: {chance(word.probability)}" for _, word in places],
        hovertemplate="%{customdata}<extra>%{fullData.name}</extra>",
        name=name,
        legendgroup=name,
    )
