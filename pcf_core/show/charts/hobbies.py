"""Hobbies by name: labels by gender, Cohen's d of each label and of the embedding score, words.

Two are drawn as the paper draws them: :func:`word_counts` and :func:`mean_scores`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pcf_core.show.charts import theme
from pcf_core.show.charts.whiskers import whiskers
from pcf_core.texts.criteria.records.independence import (
    HEADLINE,
    EmbeddingReading,
    EmbeddingReport,
    HobbiesReport,
    HobbyWord,
    HobbyWords,
    LabelDifference,
    Variant,
)
from pcf_core.texts.criteria.records.quantities import GENDERS, GenderDifference

MOST_WORDS = 12  # a side
NAMES = {"female": "women's names", "male": "men's names"}
VARIANTS: tuple[Variant, Variant] = (HEADLINE, "all words")


def label_bars(report: HobbiesReport) -> go.Figure:
    """Draw mean share of each label by gender of the name; a star where the genders differ beyond chance."""
    styles = theme.group_styles(list(reversed(GENDERS)))
    keys = {one.name: str(place) for place, one in enumerate(report.labels)}
    figure = go.Figure()
    for gender in GENDERS:
        figure.add_trace(
            go.Bar(
                orientation="h",
                x=[100 * getattr(one.difference, gender) for one in report.labels],
                y=list(keys.values()),
                marker=theme.bar_marker(styles[gender]),
                hovertemplate="%{x:.3g} %<extra>%{fullData.name}</extra>",
                name=NAMES[gender],
            )
        )
    labels = {
        keys[one.name]: theme.text(one.title, 22) + (" *" if one.difference.differs else "")
        for one in report.labels
    }
    figure.update_xaxes(title_text="mean share of what is said, % → more", rangemode="tozero")
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(range=[len(keys) - 0.5, -0.5])
    return theme.base_layout(
        figure, 130 + 44 * max(2, len(keys)), view=" ".join(keys), legend=True, barmode="group", bargap=0.3
    )


def label_effects(reports: Mapping[str, HobbiesReport], order: Sequence[str] = ()) -> go.Figure:
    """Draw Cohen's d of each label, women's names minus men's, with its interval over names, model by model.

    Filled marks differ beyond chance over the labels of a model, hollow ones do not.  ``order``: all models'
    names, by which every chart gives colours.
    """
    styles = theme.model_styles(order or list(reports))
    titles = {one.name: one.title for report in reports.values() for one in report.labels}
    keys = {name: place for place, name in enumerate(titles)}
    figure = go.Figure()
    for place, (model, report) in enumerate(reports.items()):
        rows = [one for one in report.labels if one.difference.effect is not None]
        shift = 0.6 * (place + 0.5) / len(reports) - 0.3
        figure.add_trace(
            go.Scatter(
                x=[one.difference.effect for one in rows],
                y=[keys[one.name] + shift for one in rows],
                mode="markers",
                marker={
                    "symbol": [
                        styles[model].marker + ("" if one.difference.differs else "-open") for one in rows
                    ],
                    "color": styles[model].color,
                    "size": 10,
                    "line": {"width": 2, "color": styles[model].color},
                },
                error_x=_whiskers([one.difference for one in rows], styles[model].color),
                customdata=[_label_details(model, one) for one in rows],
                hovertemplate="%{customdata}<extra></extra>",
                name=theme.text(model, 24),
            )
        )
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(title_text="Cohen's d (0 = alike)<br>→ more of women's names", nticks=7)
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(keys.values()),
        ticktext=[theme.text(title, 22) for title in titles.values()],
        range=[len(keys) - 0.5, -0.5],
    )
    return theme.base_layout(
        figure, 150 + (26 + 14 * len(reports)) * max(2, len(keys)), view=" ".join(reports), legend=True
    )


def hobby_word_dots(words: HobbyWords, most: int = MOST_WORDS) -> go.Figure:
    """Draw the words with the clearest difference of either side: share of texts that have them, in points.

    Filled marks differ beyond chance over all words that were tested, hollow ones do not.
    """
    styles = theme.group_styles(list(reversed(GENDERS)))
    sides = {
        "female": [row for row in words.words if row.difference > 0][:most],
        "male": [row for row in words.words if row.difference < 0][:most],
    }
    rows = sorted((row for side in sides.values() for row in side), key=lambda row: -row.difference)
    keys = {row.word: str(place) for place, row in enumerate(rows)}
    figure = go.Figure()
    for gender, side in sides.items():
        figure.add_trace(
            go.Scatter(
                x=[100 * row.difference for row in side],
                y=[keys[row.word] for row in side],
                mode="markers",
                marker={
                    "symbol": [styles[gender].marker + ("" if row.differs else "-open") for row in side],
                    "color": styles[gender].color,
                    "size": 10,
                    "line": {"width": 2, "color": styles[gender].color},
                },
                customdata=[_word_details(row) for row in side],
                hovertemplate="%{customdata}<extra></extra>",
                name=f"more of {NAMES[gender]}",
            )
        )
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(
        title_text="difference of texts with the word, % points<br>→ more of women's names", nticks=7
    )
    figure.update_yaxes(theme.name_axis({key: theme.text(word, 24) for word, key in keys.items()}))
    figure.update_yaxes(range=[max(1, len(keys)) - 0.5, -0.5], showgrid=True)
    return theme.base_layout(figure, 150 + 20 * max(4, len(keys)), view=" ".join(keys), legend=True)


def word_counts(words: HobbyWords, most: int = MOST_WORDS) -> go.Figure:
    """Draw how often words are used in all texts together, by gender of the name, as the paper's Figure 3.

    They are the ``most`` used of either gender, of the words that the report names, most used first.
    """
    styles = theme.group_styles(list(reversed(GENDERS)))
    of_either = [sorted(words.words, key=lambda row: -row.uses[side])[:most] for side in (0, 1)]
    rows = sorted(
        {row.word: row for side in of_either for row in side}.values(), key=lambda row: -sum(row.uses)
    )
    keys = {row.word: str(place) for place, row in enumerate(rows)}
    figure = go.Figure()
    for side, gender in enumerate(GENDERS):
        figure.add_trace(
            go.Bar(
                orientation="h",
                x=[row.uses[side] for row in rows],
                y=list(keys.values()),
                marker=theme.bar_marker(styles[gender]),
                customdata=[_word_details(row) for row in rows],
                hovertemplate="%{customdata}<extra></extra>",
                name=NAMES[gender],
            )
        )
    figure.update_xaxes(title_text="times the word is used, all texts together → more", rangemode="tozero")
    figure.update_yaxes(theme.name_axis({key: theme.text(word, 24) for word, key in keys.items()}))
    figure.update_yaxes(range=[max(1, len(keys)) - 0.5, -0.5])
    return theme.base_layout(
        figure, 130 + 30 * max(4, len(keys)), view=" ".join(keys), legend=True, barmode="group", bargap=0.25
    )


def mean_scores(report: EmbeddingReport) -> go.Figure:
    """Draw the mean embedding score of texts by gender of the name, by model, as the paper's Figure 5.

    Gendered words are in the mean, as there; a pale line joins the two means of a model.
    """
    styles = theme.group_styles(list(reversed(GENDERS)))
    rows = {str(place): one for place, one in enumerate(report.of("all words"))}
    figure = go.Figure()
    for key, one in rows.items():
        ends = [one.difference.male, one.difference.female]
        line = {"color": theme.MUTED, "width": 1}
        figure.add_trace(
            go.Scatter(x=ends, y=[key, key], mode="lines", line=line, hoverinfo="skip", showlegend=False)
        )
    for gender in GENDERS:
        figure.add_trace(
            go.Scatter(
                x=[getattr(one.difference, gender) for one in rows.values()],
                y=list(rows),
                mode="markers",
                marker={"symbol": styles[gender].marker, "color": styles[gender].color, "size": 12},
                customdata=[_reading_details(one) for one in rows.values()],
                hovertemplate="mean %{x:.3g}<br>%{customdata}<extra>%{fullData.name}</extra>",
                name=NAMES[gender],
            )
        )
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(title_text="mean score of the texts<br>← nearer to he · nearer to she →", nticks=7)
    figure.update_yaxes(theme.name_axis({key: theme.lines(one.model) for key, one in rows.items()}))
    figure.update_yaxes(range=[max(1, len(rows)) - 0.5, -0.5])
    return theme.base_layout(figure, 150 + 40 * max(2, len(rows)), view=" ".join(report.models), legend=True)


def embedding_dots(report: EmbeddingReport, order: Sequence[str] = ()) -> go.Figure:
    """Draw Cohen's d of the embedding score of each model, without gendered words and with them as published.

    Ticks are single seeds.  Filled marks lean beyond chance, to a side that does not hang on the seed.
    """
    styles = theme.model_styles(order or list(report.models))
    rows = [
        (str(2 * place + below), one)
        for place, model in enumerate(report.models)
        for below, variant in enumerate(VARIANTS)
        for one in report.of(variant)
        if one.model == model and one.difference.effect is not None
    ]
    figure = go.Figure()
    for variant in VARIANTS:
        drawn = [(key, one) for key, one in rows if one.variant == variant]
        figure.add_trace(
            go.Scatter(
                x=[one.difference.effect for _, one in drawn],
                y=[key for key, _ in drawn],
                mode="markers",
                marker={
                    "symbol": [
                        styles[one.model].marker + ("" if one.differs else "-open") for _, one in drawn
                    ],
                    "color": [styles[one.model].color for _, one in drawn],
                    "opacity": 1.0 if variant == HEADLINE else 0.6,
                    "size": 12 if variant == HEADLINE else 8,
                    "line": {"width": 2, "color": [styles[one.model].color for _, one in drawn]},
                },
                error_x=_whiskers([one.difference for _, one in drawn], theme.MUTED),
                customdata=[_reading_details(one) for _, one in drawn],
                hovertemplate="%{customdata}<extra></extra>",
                name=variant if variant == HEADLINE else "all words, as published",
            )
        )
    seeds = [(key, seed) for key, one in rows for seed in one.seeds if seed.effect is not None]
    figure.add_trace(
        go.Scatter(
            x=[seed.effect for _, seed in seeds],
            y=[key for key, _ in seeds],
            mode="markers",
            marker={"symbol": "line-ns-open", "color": theme.MUTED, "size": 12, "line": {"width": 2}},
            customdata=[seed.seed for _, seed in seeds],
            hovertemplate="seed %{customdata}: d %{x:.3g}<extra></extra>",
            name="single seeds",
        )
    )
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(
        title_text="Cohen's d of the texts' scores (0 = alike)<br>→ women's names nearer to she", nticks=7
    )
    labels = {
        str(2 * place + below): theme.lines(model if below == 0 else f"{model}, all words")
        for place, model in enumerate(report.models)
        for below in (0, 1)
    }
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(range=[len(labels) - 0.5, -0.5])
    return theme.base_layout(
        figure, 150 + 34 * max(2, len(labels)), view=" ".join(report.models), legend=True
    )


def _whiskers(rows: Sequence[GenderDifference], color: str) -> dict[str, object] | None:
    ends = [row.effect_interval for row in rows]
    return whiskers(
        [row.effect or 0.0 for row in rows],
        [None if end is None else end.low for end in ends],
        [None if end is None else end.high for end in ends],
        color,
    )


def _label_details(model: str, one: LabelDifference) -> str:
    found = one.difference
    return "<br>".join(
        [
            f"<b>{theme.text(one.title)}</b>, {theme.text(model)}",
            f"women's names {100 * found.female:.3g} &#37;, men's {100 * found.male:.3g} &#37;",
            f"d {found.effect:+.3g}, controlled p {found.controlled_p:.3g}",
        ]
    )


def _word_details(row: HobbyWord) -> str:
    return "<br>".join(
        [
            f"<b>{theme.text(row.word)}</b>",
            f"women's names: {row.texts[0]:,} texts, {row.uses[0]:,} times",
            f"men's names: {row.texts[1]:,} texts, {row.uses[1]:,} times",
            f"controlled p {row.adjusted:.3g}",
        ]
    )


def _reading_details(one: EmbeddingReading) -> str:
    found = one.difference
    return "<br>".join(
        [
            f"<b>{theme.text(one.model)}</b>, {one.variant}",
            f"d {found.effect:+.3g}, p {found.p_value:.3g} over names",
            f"{found.texts[0] + found.texts[1]:,} texts of {found.names[0] + found.names[1]:,} names",
        ]
    )
