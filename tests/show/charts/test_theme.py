"""Colours that can be told apart, and labels that are never markup."""

from __future__ import annotations

import html
import itertools
from collections import Counter

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.models.registry import list_models
from pcf_core.show.charts import theme
from tools.ship_results import BEST_KNOWN, PUBLIC

PAGES = ("#ffffff", "#0e1117")  # Streamlit's backgrounds, light and dark


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2."""
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "color",
    [
        *theme.MODEL_COLORS[:4],
        *theme.GROUP_COLORS[:5],
        theme.ACCENT,
        theme.CONTRAST,
        theme.PREJUDICE,
        theme.CAPRICE,
        theme.MUTED,
    ],
)
def test_the_colours_used_first_stand_out_on_both_pages(color: str, page: str) -> None:
    assert contrast(color, page) >= 3


def test_the_parts_of_a_risk_have_colours_of_their_own() -> None:
    """Three readers of Overview and Compare took the blue of prejudice for the blue of a model."""
    parts = {theme.PREJUDICE, theme.SHARED, theme.CAPRICE}
    assert len(parts) == 3
    assert not parts & {theme.ACCENT, *theme.MODEL_COLORS, *theme.GROUP_COLORS}


@given(st.lists(st.text(min_size=1), max_size=30, unique=True))
def test_a_model_has_one_colour_wherever_it_appears(names: list[str]) -> None:
    styles = theme.model_styles(names)
    assert {name: theme.model_styles([name])[name].color for name in names} == {
        name: style.color for name, style in styles.items()
    }
    for color, count in Counter(style.color for style in styles.values()).items():
        looks = [style for style in styles.values() if style.color == color]
        for part in ("marker", "pattern"):
            assert len({getattr(style, part) for style in looks}) == min(count, len(theme.MARKERS))


def test_the_models_of_the_app_have_looks_of_their_own() -> None:
    assert set(theme.SHIPPED) == {model.name for model in list_models()}
    styles = theme.model_styles(list(theme.SHIPPED))
    assert styles == {name: theme.model_styles([name])[name] for name in theme.SHIPPED}
    opened = [styles[name] for name in (*PUBLIC, *BEST_KNOWN)]
    for part in ("color", "marker", "pattern"):
        assert len({getattr(style, part) for style in opened}) == len(opened)


def test_another_precision_has_the_colour_of_its_model_and_another_mark() -> None:
    whole, half = theme.model_styles(["mini-gpt", "mini-gpt (bfloat16)"]).values()
    assert whole.color == half.color
    assert whole.marker != half.marker
    assert whole.pattern != half.pattern


def test_a_chat_has_the_colour_of_its_model_and_another_mark() -> None:
    """In a report on decisions, SmolLM2 in its chat had the green of Gemma."""
    bare, chat, other = theme.model_styles([PUBLIC[0], f"{PUBLIC[0]} (chat)", PUBLIC[1]]).values()
    assert bare.color == chat.color != other.color
    assert bare.marker != chat.marker
    assert bare.pattern != chat.pattern


# What light is without the red or the green cones (Machado, Oliveira & Fernandes 2009, severity 1).
CONES = {
    "all": np.eye(3),
    "no red": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
LIGHT = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)


def apart(one: str, other: str, cones: str) -> float:
    """Distance in CIELAB (1976) of two colours as somebody with these cones sees them."""

    def lab(color: str) -> npt.NDArray[np.float64]:
        channels = np.array([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)])
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        seen = LIGHT @ np.clip(CONES[cones] @ linear, 0, 1) / np.array([0.95047, 1, 1.08883])
        x, y, z = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16 / 116)
        return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])

    return float(np.linalg.norm(lab(one) - lab(other)))


@pytest.mark.parametrize("cones", CONES)
def test_five_groups_are_told_from_one_another_and_from_eight_models(cones: str) -> None:
    groups = [style.color for style in theme.group_styles(list("abcde")).values()]
    models = theme.MODEL_COLORS
    assert min(apart(one, other, cones) for one, other in itertools.combinations(groups, 2)) > 20
    assert min(apart(one, other, cones) for one in groups for other in models) > 13


@pytest.mark.parametrize("cones", CONES)
def test_two_groups_are_further_apart_and_look_like_the_ends_of_the_diverging_scale(cones: str) -> None:
    pair = [style.color for style in theme.group_styles(["male", "female"]).values()]
    models = theme.MODEL_COLORS
    purple, orange = theme.DIVERGING[-2], theme.DIVERGING[1]
    assert apart(*pair, cones) > 100
    assert min(apart(one, other, cones) for one in pair for other in models) > 20
    assert apart(pair[0], purple, cones) < apart(pair[0], orange, cones)
    assert apart(pair[1], orange, cones) < apart(pair[1], purple, cones)


def test_no_model_is_orange_or_purple_like_two_groups() -> None:
    """The vermilion of Gemma was taken for the orange of women."""
    ends = theme.DIVERGING[:4] + theme.DIVERGING[-4:]
    assert (
        min(apart(model, end, "all") for model in (*theme.MODEL_COLORS, theme.CONTRAST) for end in ends) > 20
    )


@pytest.mark.parametrize("count", range(1, 9))
def test_no_group_looks_like_a_model(count: int) -> None:
    groups = theme.group_styles([f"group {place}" for place in range(count)]).values()
    for part in ("color", "marker", "pattern"):
        assert len({getattr(style, part) for style in groups}) == count
    assert not {style.color for style in groups} & set(theme.MODEL_COLORS)
    assert not {style.marker for style in groups} & set(theme.MARKERS)
    assert not {style.pattern for style in list(groups)[:4]} & set(theme.PATTERNS[:4])


@given(st.text(max_size=60))
def test_a_label_is_never_markup_and_reads_as_it_was(label: str) -> None:
    shown = theme.text(label, 60)
    assert not set("<>$%") & set(shown)
    assert html.unescape(shown) == " ".join(label.split())


def test_worked_examples_of_labels() -> None:
    assert (
        theme.text('<a href="x">R&D</a> $x$ %{y}')
        == '&lt;a href="x"&gt;R&amp;D&lt;/a&gt; &#36;x&#36; &#37;{y}'
    )
    assert theme.text("a" * 50, 10) == "aaaaaaaaa…"
    assert theme.lines("OPT-IML (PCF Table 1, wikipedia)") == "OPT-IML (PCF Table<br>1, wikipedia)"
    assert theme.lines("tiny-gpt-balanced on text", 14) == "tiny-gpt-<br>balanced on t…"
    assert theme.lines("tiny-bert · my-own-sentences") == "tiny-bert ·<br>my-own-sentences"
    assert theme.lines("Tilt in 25 of 120: women left", 24) == "Tilt in 25 of 120:<br>women left"
    assert theme.lines("<br>") == "&lt;br&gt;"
    assert theme.lines("") == ""


def test_labels_without_spaces_take_the_room_that_they_need() -> None:
    """Twenty columns hold ten Chinese characters, or nine and the mark of what is missing."""
    label = "首席运营官和地球物理学家还有图书管理员"
    assert theme.columns(label) == 2 * len(label) == 38
    assert theme.text(label, 20) == "首席运营官和地球物…"
    assert theme.lines(label, 20) == "首席运营官和地球物理<br>学家还有图书管理员"
    assert theme.lines("bert：" + label, 20) == "bert：首席运营官和地<br>球物理学家还有图书…"
    assert theme.lines("首席运营官 地球物理学家", 20) == "首席运营官<br>地球物理学家"


@given(st.text(max_size=80), st.integers(4, 40))
def test_no_line_of_a_label_is_wider_than_it_may_be(label: str, width: int) -> None:
    for shown in (theme.text(label, width), *theme.lines(label, width).split("<br>")):
        assert theme.columns(html.unescape(shown)) <= width
    if theme.columns(" ".join(label.split())) <= width:
        assert theme.lines(label, width) == theme.text(label, width)


@pytest.mark.parametrize(
    ("template", "label"),
    [
        ("The [X] said that [Y].", "… said that"),
        ("The [X] asked if [Y]", "… asked if"),
        ("[Y] told the [X] a story.", "___ told the … a story."),
        ("A [X] is [Y]!", "A … is"),
        ("这位[X]写道，[Y]。", "这位…写道，"),
    ],
)
def test_templates_are_shortened_to_what_differs(template: str, label: str) -> None:
    assert theme.short_template(template) == label


@pytest.mark.parametrize("neutral", [0.5, 0.2, 1 / 3, 0.9])
def test_the_middle_colour_lies_on_neutral(neutral: float) -> None:
    scale = theme.diverging(neutral)
    positions = [position for position, _ in scale]
    assert positions[0] == 0
    assert positions[-1] == pytest.approx(1)
    assert all(low < high for low, high in itertools.pairwise(positions))
    assert {color: position for position, color in scale}["#f7f7f7"] == pytest.approx(neutral)


@pytest.mark.parametrize("groups", range(2, 41))
def test_the_colour_scale_of_so_many_groups_is_one_that_plotly_takes(groups: int) -> None:
    scale = theme.diverging(1 / groups)
    assert (scale[0][0], scale[-1][0]) == (0, 1)  # to the last digit: 1.0000000000000002 is refused
    assert len(go.layout.Coloraxis(colorscale=scale).colorscale) == len(theme.DIVERGING)


def test_the_layout_leaves_text_and_background_to_the_page() -> None:
    figure = theme.base_layout(go.Figure(go.Bar(x=[1], y=[1])), 2000, view="a", bargap=0.3)
    assert figure.layout.height == theme.MAX_HEIGHT
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0, 0, 0, 0)"
    assert figure.layout.font.color is None
    assert figure.layout.legend.orientation == "h"
    assert figure.layout.xaxis.automargin
    assert figure.layout.yaxis.automargin
    assert (figure.layout.uirevision, figure.layout.bargap) == ("a", 0.3)


def test_a_title_and_a_source_raise_a_figure_by_what_they_need() -> None:
    plain = theme.base_layout(go.Figure(), 300)
    (height, top) = plain.layout.height, plain.layout.margin.t
    figure = theme.titled(plain, "Risk of each model", "PCF Audit · <b>mine</b>")
    said, small = figure.layout.title.text.split("<br>")
    assert said == "Risk of each model"
    assert small.endswith(">PCF Audit · &lt;b&gt;mine&lt;/b&gt;</span>")
    assert figure.layout.height - height == figure.layout.margin.t - top > 0, "the plot is as it was"
    once = figure.to_json()
    assert theme.titled(figure, "Another", "").to_json() == once, "a figure may come again"


def test_what_a_chart_claims_is_its_title_and_what_is_drawn_stands_below() -> None:
    figure = theme.titled(
        theme.base_layout(go.Figure(), 300), "Risk of each model", "PCF Audit", "A is higher"
    )
    claim, drawn, source = figure.layout.title.text.split("<br>")
    assert claim == "A is higher"
    assert f"font-size: {theme.DRAWN_SIZE}px" in drawn
    assert ">Risk of each model<" in drawn
    assert f"font-size: {theme.SOURCE_SIZE}px" in source


def test_no_word_stands_alone_on_a_line_of_a_title_or_source() -> None:
    claim = "SmolLM2 135M Instruct prefers women, Gemma 3 270M prefers men"
    source = "PCF Audit · Gender · 100 sentence beginnings from Wikipedia · whole words"
    lines = theme.titled(go.Figure(), "", source, claim).layout.title.text.split("<br>")
    assert lines[:2] == ["SmolLM2 135M Instruct prefers women,", "Gemma 3 270M prefers men"]
    assert lines[2].endswith(">PCF Audit · Gender")
    assert lines[3].startswith("100 sentence beginnings")
    on_a_page = theme.titled(go.Figure(), "Short", source, width=160).layout.title.text
    assert on_a_page.count("<br>") == 1


def test_little_room_stands_empty_between_title_and_plot() -> None:
    figure = theme.titled(theme.base_layout(go.Figure(), 300), "Risk of each model", "PCF Audit", "Higher")
    written = theme.TITLE_LINE * 3
    assert figure.layout.margin.t - written < 20


def test_a_title_wider_than_a_telephone_takes_two_lines() -> None:
    long = "Share of texts with a word of each category, by side of it"
    two = theme.titled(theme.base_layout(go.Figure(), 300), long, "PCF Audit")
    one = theme.titled(theme.base_layout(go.Figure(), 300), "Short", "PCF Audit")
    assert two.layout.title.text.count("<br>") == 2
    assert two.layout.height == one.layout.height + theme.TITLE_LINE
    source = "PCF Audit · Race and ethnicity, in capital letters · race-wikipedia-10 · words of equal tokens"
    sourced = theme.titled(theme.base_layout(go.Figure(), 300), "Short", source)
    assert "words of equal tokens</span>" in sourced.layout.title.text, "nothing is cut off"
    assert sourced.layout.height == two.layout.height


def test_a_long_sentence_is_a_title_up_to_its_first_comma() -> None:
    assert theme.heading("A heat map") == "A heat map"
    assert theme.heading("Prejudice and caprice of each model, plug-in and corrected for few") == (
        "Prejudice and caprice of each model"
    )


def test_a_colour_bar_above_the_plot_leaves_the_title_its_place() -> None:
    axis = theme.probability_axis("male words", 0.5, y=1, yanchor="bottom", ypad=6)
    figure = theme.base_layout(go.Figure(), 300, top=64, coloraxis=axis)
    bar = theme.titled(figure, "Short", "PCF Audit").layout.coloraxis.colorbar
    assert (bar.yref, bar.yanchor) == ("container", "top")
    assert bar.title.text == "probability of male words<br> "
