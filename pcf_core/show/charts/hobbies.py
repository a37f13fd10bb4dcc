"""Hobbies by name: labels by gender, Cohen's d of each label and of the embedding score, words.

Two are drawn as the paper draws them: :func:`word_counts` and :func:`mean_scores`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from pcf_core.show.charts import marks, theme
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
from pcf_core.texts.criteria.records.quantities import GENDERS

MOST_WORDS = 12  # a side
NAMES = {"female": "women's names", "male": "men's names"}
STYLES = theme.group_styles(list(reversed(GENDERS)))
VARIANTS: tuple[Variant, Variant] = (HEADLINE, "all words")


def label_bars(report: HobbiesReport) -> go.Figure:
    """Draw mean share of each label by gender of the name; a star where the genders differ beyond chance."""
    keys = {one.name: str(place) for place, one in enumerate(report.labels)}
    labels = {
        keys[one.name]: theme.text(one.title, 22) + (" *" if one.difference.differs else "")
        for one in report.labels
    }
    shares = {gender: [100 * getattr(one.difference, gender) for one in report.labels] for gender in GENDERS}
    title, height = "mean share of what is said, % → more", 130 + 44 * max(2, len(keys))
    return _by_gender(shares, labels, title, height, hover="%{x:.3g} %", extra="name", bargap=0.3)


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
            marks.dots(
                [one.difference.effect for one in rows],
                [keys[one.name] + shift for one in rows],
                theme.text(model, 24),
                color=styles[model].color,
                symbol=[marks.symbol(styles[model].marker, one.difference.differs) for one in rows],
                rim=2,
                across=[one.difference.effect_interval for one in rows],
                whisker=styles[model].color,
                hover=[_label_details(model, one) for one in rows],
            )
        )
    marks.rule(figure, x=0)
    figure.update_xaxes(title_text="Cohen's d (0 = alike)<br>→ more of women's names", nticks=7)
    marks.number_rows(figure, [theme.text(title, 22) for title in titles.values()], grid=True)
    height = 150 + (26 + 14 * len(reports)) * max(2, len(keys))
    return theme.base_layout(figure, height, view=" ".join(reports), legend=True)


def hobby_word_dots(words: HobbyWords, most: int = MOST_WORDS) -> go.Figure:
    """Draw the words with the clearest difference of either side: share of texts that have them, in points.

    Filled marks differ beyond chance over all words that were tested, hollow ones do not.
    """
    sides = {
        "female": [row for row in words.words if row.difference > 0][:most],
        "male": [row for row in words.words if row.difference < 0][:most],
    }
    rows = sorted((row for side in sides.values() for row in side), key=lambda row: -row.difference)
    keys = {row.word: str(place) for place, row in enumerate(rows)}
    figure = go.Figure()
    for gender, side in sides.items():
        figure.add_trace(
            marks.dots(
                [100 * row.difference for row in side],
                [keys[row.word] for row in side],
                f"more of {NAMES[gender]}",
                color=STYLES[gender].color,
                symbol=[marks.symbol(STYLES[gender].marker, row.differs) for row in side],
                rim=2,
                hover=[_word_details(row) for row in side],
            )
        )
    marks.rule(figure, x=0)
    figure.update_xaxes(
        title_text="difference of texts with the word, % points<br>→ more of women's names", nticks=7
    )
    marks.name_rows(figure, {key: theme.text(word, 24) for word, key in keys.items()}, grid=True)
    return theme.base_layout(figure, 150 + 20 * max(4, len(keys)), view=" ".join(keys), legend=True)


def word_counts(words: HobbyWords, most: int = MOST_WORDS) -> go.Figure:
    """Draw how often words are used in all texts together, by gender of the name, as the paper's Figure 3.

    They are the ``most`` used of either gender, of the words that the report names, most used first.
    """
    of_either = [sorted(words.words, key=lambda row: -row.uses[side])[:most] for side in (0, 1)]
    rows = sorted(
        {row.word: row for side in of_either for row in side}.values(), key=lambda row: -sum(row.uses)
    )
    labels = {str(place): theme.text(row.word, 24) for place, row in enumerate(rows)}
    uses = {gender: [row.uses[side] for row in rows] for side, gender in enumerate(GENDERS)}
    hover = [_word_details(row) for row in rows]
    title, height = "times the word is used, all texts together → more", 130 + 30 * max(4, len(rows))
    return _by_gender(uses, labels, title, height, hover=hover, bargap=0.25)


def mean_scores(report: EmbeddingReport) -> go.Figure:
    """Draw the mean embedding score of texts by gender of the name, by model, as the paper's Figure 5.

    Gendered words are in the mean, as there; a pale line joins the two means of a model.
    """
    rows = {str(place): one for place, one in enumerate(report.of("all words"))}
    figure = go.Figure()
    for key, one in rows.items():
        ends = [one.difference.male, one.difference.female]
        figure.add_trace(marks.line(ends, [key, key], showlegend=False))
    for gender in GENDERS:
        means = [getattr(one.difference, gender) for one in rows.values()]
        hover = [
            f"mean {mean:.3g}<br>{_reading_details(one)}"
            for mean, one in zip(means, rows.values(), strict=True)
        ]
        look: dict[str, Any] = {"color": STYLES[gender].color, "symbol": STYLES[gender].marker, "size": 12}
        figure.add_trace(marks.dots(means, list(rows), NAMES[gender], hover=hover, extra="name", **look))
    marks.rule(figure, x=0)
    figure.update_xaxes(title_text="mean score of the texts<br>← nearer to he · nearer to she →", nticks=7)
    marks.name_rows(figure, {key: theme.lines(one.model) for key, one in rows.items()})
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
        main = variant == HEADLINE
        figure.add_trace(
            marks.dots(
                [one.difference.effect for _, one in drawn],
                [key for key, _ in drawn],
                variant if main else "all words, as published",
                color=[styles[one.model].color for _, one in drawn],
                symbol=[marks.symbol(styles[one.model].marker, one.differs) for _, one in drawn],
                size=12 if main else 8,
                rim=2,
                marker={"opacity": 1.0 if main else 0.6},
                across=[one.difference.effect_interval for _, one in drawn],
                hover=[_reading_details(one) for _, one in drawn],
            )
        )
    seeds = [(key, seed) for key, one in rows for seed in one.seeds if seed.effect is not None]
    figure.add_trace(
        marks.dots(
            [seed.effect for _, seed in seeds],
            [key for key, _ in seeds],
            "single seeds",
            color=theme.MUTED,
            symbol="line-ns-open",
            size=12,
            rim=2,
            hover=[f"seed {seed.seed}: d {seed.effect:.3g}" for _, seed in seeds],
        )
    )
    marks.rule(figure, x=0)
    figure.update_xaxes(
        title_text="Cohen's d of the texts' scores (0 = alike)<br>→ women's names nearer to she", nticks=7
    )
    labels = {
        str(2 * place + below): theme.lines(model if below == 0 else f"{model}, all words")
        for place, model in enumerate(report.models)
        for below in (0, 1)
    }
    marks.name_rows(figure, labels)
    height = 150 + 34 * max(2, len(labels))
    return theme.base_layout(figure, height, view=" ".join(report.models), legend=True)


def _by_gender(
    values: Mapping[Any, Sequence[float]],
    labels: Mapping[str, str],
    title: str,
    height: float,
    *,
    hover: marks.Hover,
    extra: str = "",
    bargap: float,
) -> go.Figure:
    """Draw a bar for women's and one for men's names in every row."""
    figure = go.Figure()
    for gender, row in values.items():
        figure.add_trace(
            marks.bars(row, list(labels), NAMES[gender], STYLES[gender], hover=hover, extra=extra)
        )
    figure.update_xaxes(title_text=title, rangemode="tozero")
    marks.name_rows(figure, labels)
    view = " ".join(labels.values())
    return theme.base_layout(figure, height, view=view, legend=True, barmode="group", bargap=bargap)


def _label_details(model: str, one: LabelDifference) -> str:
    found = one.difference
    return (
        f"<b>{theme.text(one.title)}</b>, {theme.text(model)}"
        f"<br>women's names {100 * found.female:.3g} &#37;, men's {100 * found.male:.3g} &#37;"
        f"<br>d {found.effect:+.3g}, controlled p {found.controlled_p:.3g}"
    )


def _word_details(row: HobbyWord) -> str:
    return marks.told(
        row.word,
        f"women's names: {row.texts[0]:,} texts, {row.uses[0]:,} times",
        f"men's names: {row.texts[1]:,} texts, {row.uses[1]:,} times",
        f"controlled p {row.adjusted:.3g}",
    )


def _reading_details(one: EmbeddingReading) -> str:
    found = one.difference
    return (
        f"<b>{theme.text(one.model)}</b>, {one.variant}"
        f"<br>d {found.effect:+.3g}, p {found.p_value:.3g} over names"
        f"<br>{sum(found.texts):,} texts of {sum(found.names):,} names"
    )
