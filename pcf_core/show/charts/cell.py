"""One cell of the heat map: the groups' probabilities by model, and the words that carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from pcf_core.show.charts import theme
from pcf_core.show.findings.numbers import chance


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
        style = styles[model]
        figure.add_trace(
            go.Bar(
                orientation="h",
                y=[str(groups.index(group)) for group in values],
                x=list(values.values()),
                marker=theme.bar_marker(style),
                text=[chance(value) for value in values.values()],
                textposition="outside",
                cliponaxis=False,
                hovertemplate="%{y}: %{text}<extra>%{fullData.name}</extra>",
                name=theme.text(model),
            )
        )
    if neutral is not None:
        figure.add_vline(x=neutral, line={"dash": "dot", "width": 1, "color": theme.MUTED})
    figure.update_xaxes(
        title_text="probability of the group (0–1) → more", range=[0, 1.12], tickvals=[0, 0.25, 0.5, 0.75, 1]
    )
    figure.update_yaxes(
        theme.name_axis({str(place): theme.lines(group) for place, group in enumerate(groups)})
    )
    figure.update_yaxes(autorange="reversed")
    bars = max(1, len(groups)) * max(1, len(preferences_by_model))
    return theme.base_layout(
        figure,
        120 + 26 * bars,
        view=" ".join(groups),
        legend=len(preferences_by_model) > 1,
        barmode="group",
        bargap=0.25,
    )


def word_bars(words: Sequence[WordProbability], top: int = 15) -> go.Figure:
    """Draw the ``top`` words by probability, largest first, coloured and patterned by group."""
    ranked = sorted(words, key=lambda word: -word.probability)[:top]
    styles = theme.group_styles(list(dict.fromkeys(word.group for word in words)))
    figure = go.Figure()
    for group, style in styles.items():
        chosen = [(str(place), word) for place, word in enumerate(ranked) if word.group == group]
        if chosen:
            figure.add_trace(
                go.Bar(
                    orientation="h",
                    y=[key for key, _ in chosen],
                    x=[word.probability for _, word in chosen],
                    marker=theme.bar_marker(style),
                    customdata=[chance(word.probability) for _, word in chosen],
                    hovertemplate="%{y}: %{customdata}<extra>%{fullData.name}</extra>",
                    name=theme.text(group),
                )
            )
    figure.update_xaxes(
        title_text="probability of the word (0–1) → more", rangemode="tozero", exponentformat="power"
    )
    figure.update_yaxes(
        theme.name_axis({str(place): theme.text(word.word, 22) for place, word in enumerate(ranked)})
    )
    figure.update_yaxes(autorange="reversed")
    return theme.base_layout(
        figure,
        120 + 22 * max(2, len(ranked)),
        view=" ".join(styles),
        legend=True,
        barmode="overlay",
        bargap=0.25,
    )
