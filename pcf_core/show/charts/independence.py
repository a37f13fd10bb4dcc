"""Independence: stories by profession against the world, and hobbies by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.independence import MOST_PICTURED, pictured_words
from pcf_core.texts.criteria.records.independence import (
    HEADLINE,
    AnecdotesReport,
    EmbeddingReading,
    EmbeddingReport,
    HobbiesReport,
    HobbyWord,
    HobbyWords,
    LabelDifference,
    ProfessionGender,
    Variant,
)
from pcf_core.texts.criteria.records.quantities import FORMULAS, GENDERS, MutualInformation, Normaliser

DIFFERS, SAME, WEIGHTED = (
    "differs from the real share",
    "no clear difference from the real share",
    "weight of its words",
)
INFORMATION = "link between gender and category<br>(0 = none) → stronger"
DIVIDED: Mapping[Normaliser, str] = {  # mutual information by what
    "arithmetic": "divided by the mean entropy",
    "joint": "divided by the joint entropy",
    "minimum": "divided by the smaller entropy",
    "geometric": "divided by the geometric mean",
}
ROOM = (0.3, 0.06)  # of a name on a narrow page, in shares
BESIDE = 0.015  # half of a point, in shares
NAMES = {"female": "women's names", "male": "men's names"}
STYLES = theme.group_styles(list(reversed(GENDERS)))
# Differences are women's minus men's; men, the first group of their topic, are on the right.
EDGE = 0.08  # of an axis, beyond its last mark
SIDES = "← more of women's · more of men's →"
STEPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
VARIANTS: tuple[Variant, Variant] = (HEADLINE, "all words")


def _to_men(drawn: Iterable[rows.Mark]) -> dict[str, Any]:
    """Return an axis with women's values on the left, which are positive, and sizes as its numbers."""
    ends = [0.0]
    for one in drawn:
        ends += [] if one.value is None else [one.value]
        ends += [] if one.ends is None else [one.ends.low, one.ends.high]
    low, high = min(ends), max(ends)
    room = EDGE * max(high - low, STEPS[0])
    step = next((one for one in STEPS if one * 3 >= max(high, -low)), STEPS[-1])
    ticks = [step * index for index in range(-3, 4) if low - room <= step * index <= high + room]
    return {
        "range": [high + room, low - room],
        "tickvals": ticks,
        "ticktext": [f"{abs(tick):.2g}" for tick in ticks],
    }


def share_against_world(report: AnecdotesReport, model: str, models: Sequence[str]) -> go.Figure:
    """Draw a point per profession: across the world's share of women, upwards the model's, with interval.

    Dotted: as in the world; solid: the fit with its band.  Scores have no intervals and are all filled.
    """
    style = theme.model_styles(list(models))[model]
    figure = go.Figure()
    figure.add_trace(marks.line([0, 1], [0, 1], "as in the world", width=1.5, dash="dot"))
    if report.line is not None:
        fitted = report.line
        band = np.clip(fitted.low, 0, 1), np.clip(fitted.high, 0, 1)
        mean = np.clip(fitted.mean, 0, 1)
        figure.add_traces(marks.fit(fitted.x, mean, band, style.color, value="%{y:.3p}"))
    professions = [row for row in report.professions if row.share is not None]
    scored = report.answering == "scored"
    for differs, name in ((False, SAME), (True, DIFFERS)):
        if drawn := [row for row in professions if (scored or row.differs) is differs]:
            look = style if differs else theme.ModelStyle(theme.MUTED, "circle-open", "")
            figure.add_trace(_professions(drawn, look, WEIGHTED if scored else name))
    points = [
        marks.Point(row.profession, row.world, share, share - row.world)
        for row in professions
        for share in [row.share or 0.0]
        if scored or row.differs
    ]
    marks.name_points(figure, _clear(points, professions), ROOM, middle=0.5)
    figure.update_xaxes(title_text="share of women in the world → more women")
    upwards = "share of women in its scores" if scored else "share of women in its stories"
    figure.update_yaxes(title_text=f"{upwards} → more women")
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(range=[-0.04, 1.04], tickformat=".0%", nticks=6)
    return theme.base_layout(figure, 540, view=f"anecdotes {model}", legend=True)


def _clear(points: Sequence[marks.Point], drawn: Sequence[ProfessionGender]) -> list[marks.Point]:
    """Return the points whose name would lie on no other point or whisker of a narrow page."""
    clear = []
    for point in points:
        left, right = sorted((point.x, point.x + (ROOM[0] if point.x < 0.5 else -ROOM[0])))
        low, high = sorted((point.y, point.y + (ROOM[1] if point.away > 0 else -ROOM[1])))
        across = (row for row in drawn if left - BESIDE < row.world < right + BESIDE)
        met = [row for row in across if _reach(row, -1) < high + BESIDE and _reach(row, 1) > low - BESIDE]
        if [row.profession for row in met] == [point.label]:
            clear.append(point)
    return clear


def _reach(row: ProfessionGender, side: int) -> float:
    """Return the lower or upper end of a point with its whisker."""
    share = row.share or 0.0
    return share if row.interval is None else row.interval.low if side < 0 else row.interval.high


def _professions(drawn: Sequence[ProfessionGender], style: theme.ModelStyle, name: str) -> go.Scatter:
    return marks.dots(
        [row.world for row in drawn],
        [row.share or 0.0 for row in drawn],
        name,
        color=style.color,
        symbol=style.marker,
        size=9,
        rim=1.5,
        marker={"opacity": 0.75},
        upwards=[row.interval for row in drawn],
        whisker=style.color,
        look=marks.THIN,
        hover=[_profession_details(row) for row in drawn],
        cliponaxis=False,
    )


def _profession_details(row: ProfessionGender) -> str:
    world, share = f"world {row.world:.1%} women", f"model {row.share or 0:.1%}"
    if row.interval is None or row.adjusted is None:
        return marks.told(row.profession, world, share)
    return marks.told(
        row.profession,
        world,
        share + marks.within(row.interval, ".1%"),
        f"{row.women:,.0f} of women, {row.men:,.0f} of men, {row.unclear:,} unclear",
        f"p, controlled {row.adjusted:.3g}",
    )


def information_dots(information: MutualInformation) -> go.Figure:
    """Draw a row per normaliser: corrected value, counted value, chance (a bar) and maximum (a tick)."""
    keyed = rows.keyed(list(FORMULAS))
    figure = go.Figure()
    if information.null is not None:
        figure.add_trace(
            go.Bar(
                x=[information.null.highs[name] for _, name in keyed],
                y=[key for key, _ in keyed],
                orientation="h",
                width=0.5,
                marker={"color": theme.GRID, "line": {"color": theme.MUTED, "width": 1}},
                name="chance (up to its 95 % point)",
                **marks.hovering("%{x:.3g}", "chance, 95 % point"),
            )
        )
    largest = [rows.Mark(key, information.largest.normalised[name]) for key, name in keyed]
    most = "largest possible" if information.largest.exact else "at most"
    figure.add_trace(_information(largest, most, rows.TICK, size=22))
    values = {name: information.normalised[name] for _, name in keyed}
    if information.null is None:
        intervals, label = information.category_intervals, "from probabilities"
    elif information.untold:
        intervals, label = information.intervals, "without correction"
    else:
        intervals, label = information.intervals, "corrected for chance"
        counted = [rows.Mark(key, values[name]) for key, name in keyed]
        figure.add_trace(
            _information(counted, "without correction", theme.ModelStyle(theme.ACCENT, "circle-open", ""))
        )
        values = {name: max(0.0, information.corrected_normalised[name]) for name in values}
    ends = marks.reaching(list(values.values()), [intervals.get(name) for name in values])
    main = [rows.Mark(key, values[name], "", end) for (key, name), end in zip(keyed, ends, strict=True)]
    figure.add_trace(_information(main, label, theme.ModelStyle(theme.ACCENT, "diamond", "")))
    labels = {key: theme.lines(DIVIDED[name]) for key, name in keyed}
    right = 1.05
    look: dict[str, Any] = {"axis": {"nticks": 6, "range": [-0.03, right]}, "pixels": (320, 0)}
    # In a column on the right, clear of the other marks.
    look["written"] = [(right, row, text) for _, row, text in rows.value_texts(main)]
    return rows.finish(figure, labels, INFORMATION, view="information", **look)


def _information(
    values: Sequence[rows.Mark], name: str, style: theme.ModelStyle, size: int = 11
) -> go.Scatter:
    look: dict[str, Any] = {"rim": 2, "whisker": style.color, "cliponaxis": False}
    return rows.dots(values, name, style, size=size, hover="%{x:.3g}", extra=name, **look)


def label_bars(report: HobbiesReport) -> go.Figure:
    """Draw the mean share of each label by gender of the name; a star marks a difference beyond chance."""
    labels = {
        key: theme.text(one.title, 22) + (" *" if one.difference.differs else "")
        for key, one in rows.keyed(report.labels)
    }
    shares = {gender: [100 * getattr(one.difference, gender) for one in report.labels] for gender in GENDERS}
    look: dict[str, Any] = {"hover": "%{x:.3g} %", "extra": "name", "pixels": (130, 44), "bargap": 0.3}
    return _by_gender(shares, labels, "mean share, % (*: more than chance) → more", **look)


def label_effects(reports: Mapping[str, HobbiesReport], order: Sequence[str] = ()) -> go.Figure:
    """Draw Cohen's d of each label by model, women's names minus men's, with its interval over names."""
    styles = theme.model_styles(order or list(reports))
    titles = {one.name: one.title for report in reports.values() for one in report.labels}
    heights = {name: index for index, name in enumerate(titles)}
    figure, every = go.Figure(), list[rows.Mark]()
    for index, (model, report) in enumerate(reports.items()):
        shift = rows.shift(index, len(reports), 0.6)
        drawn = [
            rows.Mark(
                heights[one.name] + shift,
                difference.effect,
                _label_details(model, one),
                difference.effect_interval,
                difference.differs,
            )
            for one in report.labels
            for difference in [one.difference]
            if difference.effect is not None
        ]
        every += drawn
        look: dict[str, Any] = {"rim": 2, "whisker": styles[model].color}
        figure.add_trace(rows.dots(drawn, theme.text(model, 24), styles[model], verdicts=True, **look))
    return rows.finish(
        figure,
        [theme.text(title, 22) for title in titles.values()],
        f"effect size (Cohen's d; 0 = no difference)<br>{SIDES}",
        view=" ".join(reports),
        pixels=(150, 26 + 14 * len(reports)),
        zero=0,
        grid=True,
        axis=_to_men(every),
    )


def _label_details(model: str, one: LabelDifference) -> str:
    difference = one.difference
    return (
        f"<b>{theme.text(one.title)}</b>, {theme.text(model)}"
        f"<br>women's names {100 * difference.female:.3g} &#37;, men's {100 * difference.male:.3g} &#37;"
        f"<br>d {difference.effect:+.3g}, controlled p {difference.controlled_p:.3g}"
    )


def hobby_word_dots(words: HobbyWords, most: int = MOST_PICTURED) -> go.Figure:
    """Draw the clearest words of either side, by difference of the share of texts in points."""
    sides = {
        "female": pictured_words(words, most, of_women=True),
        "male": pictured_words(words, most, of_women=False),
    }
    ranked = sorted((row for side in sides.values() for row in side), key=lambda row: -row.difference)
    keys = {row.word: key for key, row in rows.keyed(ranked)}
    figure, every = go.Figure(), list[rows.Mark]()
    for gender, side in sides.items():
        drawn = [
            rows.Mark(keys[row.word], 100 * row.difference, _word_details(row), differs=row.differs)
            for row in side
        ]
        every += drawn
        name = f"more of {NAMES[gender]}"
        figure.add_trace(rows.dots(drawn, name, STYLES[gender], verdicts=True, rim=2))
    return rows.finish(
        figure,
        {key: theme.text(word, 24) for word, key in keys.items()},
        f"difference in texts, percentage points<br>{SIDES}",
        view=" ".join(keys),
        pixels=(150, 20),
        least=4,
        zero=0,
        grid=True,
        axis=_to_men(every),
    )


def word_counts(words: HobbyWords, most: int = MOST_PICTURED) -> go.Figure:
    """Draw the uses of the ``most`` used words of either gender in all texts (the paper's Figure 3)."""
    of_either = [sorted(words.words, key=lambda row: -row.uses[side])[:most] for side in (0, 1)]
    ranked = sorted(
        {row.word: row for side in of_either for row in side}.values(), key=lambda row: -sum(row.uses)
    )
    labels = {key: theme.text(row.word, 24) for key, row in rows.keyed(ranked)}
    uses = {gender: [row.uses[side] for row in ranked] for side, gender in enumerate(GENDERS)}
    look: dict[str, Any] = {"pixels": (130, 30), "least": 4, "bargap": 0.25}
    hover = [_word_details(row) for row in ranked]
    return _by_gender(uses, labels, "times the word is used, all texts together → more", hover=hover, **look)


def _word_details(row: HobbyWord) -> str:
    return marks.told(
        row.word,
        f"women's names: {row.texts[0]:,} texts, {row.uses[0]:,} times",
        f"men's names: {row.texts[1]:,} texts, {row.uses[1]:,} times",
        f"controlled p {row.adjusted:.3g}",
    )


def _by_gender(
    values: Mapping[Any, Sequence[float]],
    labels: Mapping[str, str],
    title: str,
    *,
    hover: marks.Hover,
    extra: str = "",
    **look: Any,
) -> go.Figure:
    """Draw two bars per row, for women's and men's names."""
    figure = go.Figure()
    for gender, row in values.items():
        style: dict[str, Any] = {"style": STYLES[gender], "hover": hover, "extra": extra}
        figure.add_trace(marks.bars(row, list(labels), NAMES[gender], **style))
    axis, view = {"rangemode": "tozero"}, " ".join(labels.values())
    return rows.finish(figure, labels, title, view=view, axis=axis, barmode="group", **look)


def mean_scores(report: EmbeddingReport) -> go.Figure:
    """Draw each model's mean score by gender of the name, with gendered words (the paper's Figure 5)."""
    keyed = rows.keyed(report.of("all words"))
    figure, every = go.Figure(), list[rows.Mark]()
    for key, one in keyed:
        ends = [one.difference.male, one.difference.female]
        figure.add_trace(marks.line(ends, [key, key], showlegend=False))
    for gender in GENDERS:
        means = [(key, getattr(one.difference, gender), one) for key, one in keyed]
        drawn = [
            rows.Mark(key, mean, f"mean {mean:.3g}<br>{_reading_details(one)}") for key, mean, one in means
        ]
        every += drawn
        figure.add_trace(rows.dots(drawn, NAMES[gender], STYLES[gender], size=12, extra="name"))
    labels = {key: theme.lines(one.model) for key, one in keyed}
    title, view = "mean score of the texts<br>← nearer to she · nearer to he →", " ".join(report.models)
    return rows.finish(figure, labels, title, view=view, pixels=(150, 40), zero=0, axis=_to_men(every))


def embedding_dots(report: EmbeddingReport, order: Sequence[str] = ()) -> go.Figure:
    """Draw Cohen's d of each model's score, without gendered words and with them; ticks are single seeds.

    Filled: beyond chance, and on the same side for every seed.
    """
    styles = theme.model_styles(order or list(report.models))
    keys = {
        (model, variant): str(2 * index + below)
        for index, model in enumerate(report.models)
        for below, variant in enumerate(VARIANTS)
    }
    readings = [
        (key, one)
        for (model, variant), key in keys.items()
        for one in report.of(variant)
        if one.model == model and one.difference.effect is not None
    ]
    by_row = {key: styles[model] for (model, _), key in keys.items()}
    figure, every = go.Figure(), list[rows.Mark]()
    seeds = [
        rows.Mark(key, seed.effect, f"seed {seed.seed}: d {seed.effect:.3g}")
        for key, one in readings
        for seed in one.seeds
        if seed.effect is not None
    ]
    look: dict[str, Any] = {"size": 12, "rim": 1, "legendrank": 1001}  # under the marks
    figure.add_trace(rows.dots(seeds, "single seeds", rows.TICK, **look))
    for variant in VARIANTS:
        drawn = [
            rows.Mark(key, difference.effect, _reading_details(one), difference.effect_interval, one.differs)
            for key, one in readings
            for difference in [one.difference]
            if one.variant == variant
        ]
        every += drawn
        main = variant == HEADLINE
        name, size = variant if main else "all words, as published", 12 if main else 8
        look = {"rim": 2, "marker": {"opacity": 1.0 if main else 0.6}}
        figure.add_trace(rows.dots(drawn, name, by_row, verdicts=True, size=size, **look))
    labels = {
        key: theme.lines(model if variant == HEADLINE else f"{model}, all words")
        for (model, variant), key in keys.items()
    }
    title = "effect size (Cohen's d; 0 = no difference)<br>← women's names closer to she"
    view = " ".join(report.models)
    return rows.finish(
        figure, labels, title, view=view, pixels=(150, 34), zero=0, axis=_to_men([*every, *seeds])
    )


def _reading_details(one: EmbeddingReading) -> str:
    difference = one.difference
    return (
        f"<b>{theme.text(one.model)}</b>, {one.variant}"
        f"<br>d {difference.effect:+.3g}, p {difference.p_value:.3g} over names"
        f"<br>{sum(difference.texts):,} texts of {sum(difference.names):,} names"
    )
