"""What holds for every chart, of titles, digits, colours, hover texts and names; and how each is drawn."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import combinations
from typing import Any

import plotly.graph_objects as go
import pytest

from pcf_core.show import charts
from pcf_core.show.charts import (
    comparison,
    criteria,
    fairpair,
    heat_map,
    independence,
    marks,
    risk,
    theme,
    why,
)
from pcf_core.show.names import with_titles
from pcf_core.texts.criteria.records.runs import CriterionReading
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.criteria.tasks import Tasks
from tests.goldens.recorded import assert_recorded
from tests.show.charts import examples, records, texts
from tests.show.charts.compared import axis_point, compared_example
from tests.show.charts.reads import read_example
from tests.show.charts.test_theme import contrast

EVERY = {**examples.figures(), **examples.variants()}
HIGHER = {"heat_map", "dumbbell_plot", "dumbbells"}  # than a page: one scrolls through their rows
UNTITLED = {"jensen_curve", "a nurse", "simplex", "three in a triangle", "tilt_box", "tilt_panels"}
# Of contexts, of sizes, or of what is 0 where all is even, which need no arrow.
NO_DIRECTION = {"heat_map", "cells to click", "cells without coverage", "flagged cells", "unit_errors"}
NO_DIRECTION |= {"confusion_tiles", "reference_tiles", "change_panels", "changes", "no change"}
NO_DIRECTION |= {"lean_bars", "squares", "shared occupations"}


@cache
def figure_of(name: str) -> go.Figure:
    return EVERY[name]()


def document_of(figure: go.Figure) -> dict[str, Any]:
    document: dict[str, Any] = figure.to_plotly_json()
    document["layout"].pop("template")
    return document


def drawn(figure: go.Figure) -> dict[str, Any]:
    """What of a figure decides what is seen, in brief."""
    layout = figure.layout
    return {
        "traces": [
            {
                key: value
                for key, value in {
                    "name": trace.name,
                    "x": trace.x,
                    "y": trace.y,
                    "z": getattr(trace, "z", None),
                    "mark": trace.marker.symbol if trace.type == "scatter" else trace.type,
                    "color": trace.marker.color if trace.type == "scatter" else None,
                    "up to": trace.error_x.array if trace.type == "scatter" else None,
                    "down to": trace.error_x.arrayminus if trace.type == "scatter" else None,
                    "high": trace.error_y.array if trace.type == "scatter" else None,
                    "hover": trace.customdata if trace.customdata is not None else trace.hovertemplate,
                }.items()
                if value is not None
            }
            for trace in figure.data
        ],
        "axes": [
            [each.title.text, each.range, each.ticktext or each.labelalias]
            for each in (*figure.select_xaxes(), *figure.select_yaxes())
        ],
        "notes": [[note.text, note.x, note.y] for note in layout.annotations],
        "lines": [[shape.x0, shape.x1, shape.y0, shape.y1] for shape in layout.shapes],
        "height": layout.height,
    }


def read_by_people(figure: go.Figure) -> Iterator[str]:
    """Yield every text of a figure that plotly would take as markup."""
    for trace in figure.data:
        hover = trace.hovertemplate or ""
        yield from (trace.name or "", hover)
        if "customdata}" in hover:
            yield from map(str, trace.customdata)
        if "%{text}" in hover or getattr(trace, "textposition", None):
            yield from ([trace.text] if isinstance(trace.text, str) else map(str, trace.text or ()))
    for each in (*figure.select_xaxes(), *figure.select_yaxes()):
        yield from (each.title.text or "", *(each.ticktext or ()), *(each.labelalias or {}).values())
    yield from (note.text for note in figure.layout.annotations)


def test_every_public_chart_is_among_the_examples() -> None:
    drawing = set()
    for module in pkgutil.iter_modules(charts.__path__, f"{charts.__name__}."):
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction):
            own = function.__module__ == module.name and not name.startswith("_")
            if own and inspect.signature(function).return_annotation in ("Figure", "go.Figure"):
                drawing.add(name)
    drawing -= {"base_layout", "titled", "finish"}  # what the others begin and end with, and what a page adds
    assert set(examples.figures()) == drawing


@pytest.mark.parametrize("name", examples.figures())
def test_every_chart_is_drawn_as_recorded(name: str) -> None:
    assert_recorded(f"charts/{name}", document_of(figure_of(name)))


def test_charts_of_special_records_are_drawn_as_recorded() -> None:
    assert_recorded("chart_variants", {name: drawn(figure_of(name)) for name in examples.variants()})


@pytest.mark.parametrize("name", EVERY)
def test_a_chart_fits_the_page_and_takes_its_theme(name: str) -> None:
    figure = figure_of(name)
    document = json.dumps(document_of(figure), default=str)
    assert figure.layout.height <= theme.MAX_HEIGHT or name in HIGHER
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0, 0, 0, 0)"
    colors = re.findall(r'"\w*font": \{[^}]*"color": "([^"]*)"', document)
    assert set(colors) <= {theme.MUTED}, "a text colour is the page's; grey is what says little"
    assert figure.layout.uirevision, "zoom is kept from one drawing to the next"
    assert "plotly" in figure.to_html(include_plotlyjs=False, full_html=False)


@pytest.mark.parametrize("name", EVERY)
def test_a_drag_zooms_no_chart_and_the_buttons_are_pale(name: str) -> None:
    layout = figure_of(name).layout
    assert layout.dragmode is False
    assert layout.modebar.bgcolor == "rgba(0, 0, 0, 0)"
    assert layout.modebar.color == theme.GRID


# Distributions of occupations, logarithms and differences: their axes show a shape, not the size of a risk.
SHAPES = {
    *("caprice_histogram", "prejudice_histogram", "survival_plot", "hill_plot", "qq_plot", "change_panels"),
    *("counts on a log axis", "caprice nowhere", "caprice everywhere", "no spread", "survival of two"),
    *("too few to fit", "nothing to fit", "an index beside none", "no index", "one prejudice", "changes"),
    *("no change", "difference_plot", "three differences", "none told apart"),
}
RISK = re.compile(r"^(?:part of the )?(?:risk|prejudice|caprice)\b(?!.*of the two)", re.IGNORECASE)


@pytest.mark.parametrize("name", sorted(set(EVERY) - SHAPES))
def test_an_axis_of_risks_runs_from_0_to_1(name: str) -> None:
    figure = figure_of(name)
    for each in (*figure.select_xaxes(), *figure.select_yaxes()):
        if RISK.match(each.title.text or ""):
            unit = 1000 if "1,000" in each.title.text else 1
            low, high = each.range
            assert low <= 0 < unit <= high, each.title.text


@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_printed_over_a_number(name: str) -> None:
    """In a picture of tiles with numbers, marks that are seen stand away from the middles of the tiles."""
    figure = figure_of(name)
    if any(trace.type == "heatmap" and trace.texttemplate for trace in figure.data):
        for trace in figure.data:
            seen = trace.type == "scatter" and trace.marker.opacity != 0 and trace.xaxis in (None, "x", "x3")
            if seen and "flagged" in (trace.name or ""):
                assert trace.marker.standoff >= 2 * trace.marker.size


@pytest.mark.parametrize("name", EVERY)
def test_at_most_twelve_values_stand_beside_marks_with_room_for_them(name: str) -> None:
    figure = figure_of(name)
    for trace in figure.data:
        if trace.type == "scatter" and trace.mode == "text":
            assert 0 < len(trace.text) <= marks.MOST_VALUES
            assert trace.cliponaxis is False
            assert figure.layout.margin.r >= marks.VALUE_ROOM or name in ("risk_flow", "a matrix")


def test_the_first_group_is_purple_and_on_the_right_the_second_orange_and_on_the_left() -> None:
    for groups in (["male", "female"], ["christian", "muslim", "hindu"]):
        first, second, *_ = theme.group_styles(groups).values()
        assert (first.color, second.color) == theme.GROUP_COLORS[:2]
    assert figure_of("tilt_box").layout.xaxis.title.text == "← women · even · men →"
    assert figure_of("dumbbell_plot").layout.xaxis.title.text == "← women · even · men →"
    assert figure_of("heat_map").layout.coloraxis.colorscale[-1][1] == theme.DIVERGING[-1]
    assert "← more of women's · more of men's →" in figure_of("label_effects").layout.xaxis.title.text
    left, right = figure_of("label_effects").layout.xaxis.range
    assert left > 0 > right
    assert not any(text.startswith(("-", "−")) for text in figure_of("label_effects").layout.xaxis.ticktext)


def test_two_models_are_named_beside_their_marks_and_more_in_a_legend() -> None:
    settled = texts.different().convergence["jaccard"]
    several = {
        name: fairpair.convergence_lines(dict.fromkeys(name, settled), "samples") for name in ("ab", "abc")
    }
    assert [note.text for note in several["ab"].layout.annotations] == ["<b>a</b>", "<b>b</b>"]
    assert several["ab"].layout.annotations[0].yshift > 0 > several["ab"].layout.annotations[1].yshift
    assert (several["ab"].layout.showlegend, several["abc"].layout.showlegend) == (False, True)
    assert not several["abc"].layout.annotations
    pair = figure_of("dumbbell_plot").layout
    assert [note.text for note in pair.annotations] == ["<b>one</b>", "<b>two</b>"]
    assert len({note.ay for note in pair.annotations}) == 2, "each has a line of text of its own"
    assert pair.showlegend is False


def test_every_kind_of_mark_on_factors_and_sensitivity_stands_in_the_legend() -> None:
    """Readers asked what hollow marks, sizes and thick lines mean."""

    def legend(figure: go.Figure) -> set[str]:
        return {trace.name for trace in figure.data if trace.showlegend is not False}

    assert legend(figure_of("factor_plot")) >= {"occupation (area: people employed)", "95 % range of a line"}
    no_lines = legend(figure_of("no lines"))
    assert "95 % range of a line" not in no_lines
    assert "occupation (area: weight)" in legend(figure_of("own figures"))
    chosen = "as chosen (dotted)"
    every = {chosen, "another choice", "lowest to highest of many choices", "not a choice: sample or script"}
    assert legend(figure_of("sensitivity_dots")) >= every
    assert legend(figure_of("one dimension")) == {"one", "&lt;b&gt;two&lt;/b&gt;", chosen, "another choice"}


def test_groups_of_people_are_men_and_women_in_every_chart() -> None:
    for name in EVERY:
        for text in read_by_people(figure_of(name)):
            assert not re.search(r"(?<!;)\b(?:fe)?male\b", text), (name, text)


@pytest.mark.parametrize("name", EVERY)
def test_no_pink_and_blue_and_no_red_against_green(name: str) -> None:
    parts = {theme.PREJUDICE, theme.SHARED, theme.CAPRICE}
    allowed = {*theme.MODEL_COLORS, *theme.DIVERGING, *theme.GROUP_COLORS, *parts, marks.RIM, marks.INK}
    used = re.findall(r"#[0-9a-fA-F]{6}\b", json.dumps(document_of(figure_of(name)), default=str))
    assert set(used) <= allowed


@pytest.mark.parametrize("name", EVERY)
def test_numbers_have_an_axis_with_a_title_and_three_digits_on_hover(name: str) -> None:
    figure = figure_of(name)
    titles = [each.title.text for each in figure.select_xaxes() if each.title.text]
    assert titles
    directed = any(arrow in title for title in titles for arrow in "→←")
    assert (
        directed
        or name in NO_DIRECTION | UNTITLED
        or any("→" in (each.title.text or "") for each in figure.select_yaxes())
    )
    for trace in figure.data:
        template = trace.hovertemplate or ""
        formats = re.findall(r"%\{(?:x|y|z|customdata(?:\[\d\])?):([^}]*)\}", template)
        assert all(re.fullmatch(r"\+?\.3[gp]", one) for one in formats), template
        assert template or trace.hoverinfo == "skip"


@pytest.mark.parametrize("name", EVERY)
def test_a_pointer_finds_a_text_for_every_mark_and_whiskers_reach_outwards(name: str) -> None:
    for trace in figure_of(name).data:
        if trace.type != "heatmap" and (trace.hovertemplate or "").startswith("%{customdata}"):
            assert len(trace.customdata) == len(trace.x)
        for error in (getattr(trace, "error_x", None), getattr(trace, "error_y", None)):
            for length in (*((error and error.array) or ()), *((error and error.arrayminus) or ())):
                assert length is None or length >= -1e-9


@pytest.mark.parametrize("name", EVERY)
def test_no_name_is_ever_markup(name: str) -> None:
    """The examples are full of names such as <b>baker</b>, of which plotly would make bold type."""
    ours = re.compile(r"</?(?:b|br|extra|span)[^<>]*>")
    for text in read_by_people(figure_of(name)):
        left = ours.sub("", text)
        assert not re.search(r"<[a-z/]|\$", left), text
        assert "<b>nurse</b>" not in text or "<b>nurse</b><br>" in text, "bold is the first line alone"


def test_marks_that_stand_for_different_things_differ_by_more_than_colour() -> None:
    """By shape, pattern, line or size, or bars by lightness, which is seen in grey too."""
    for name in EVERY:
        legend: dict[str, dict[str, Any]] = {}
        figure = figure_of(name)
        for trace in figure.data if figure.layout.showlegend is not False else ():
            if trace.type in ("scatter", "bar") and trace.showlegend is not False and trace.name:
                symbol = trace.marker.symbol if trace.type == "scatter" else trace.marker.pattern.shape
                look = (trace.type, str(symbol), trace.mode if trace.type == "scatter" else "")
                look += ((trace.line.dash, trace.line.width) if trace.type == "scatter" else ()) + (
                    str(trace.marker.size if trace.type == "scatter" else trace.marker.opacity),
                )
                legend.setdefault(str(look), {})[trace.name] = trace.marker.color
        for colors in legend.values():
            assert all(contrast(*pair) >= 2 for pair in combinations(colors.values(), 2)), (name, legend)


def coloured() -> dict[str, Callable[[list[str]], go.Figure]]:
    """Charts of several models, drawn with names in an order, of which some are shown."""
    report, hobbies = records.report_of_gender(), texts.hobbies_example()
    pairs = texts.different()
    readings: list[CriterionReading] = list(readings_of([texts.anecdotes_example()]))
    named = compared_example()
    return {
        "axis_panels": lambda names: comparison.axis_panels(
            [axis_point(name, size, 0.2) for name in names for size in (1e6, 1e8)], "x"
        ),
        "cell_bars": lambda names: heat_map.cell_bars({key: {"male": 0.7, "female": 0.3} for key in names}),
        "difference_plot": lambda names: comparison.difference_plot(named, order=names),
        "risk_scatter": lambda names: comparison.risk_scatter(named, order=names),
        "dumbbell_plot": lambda names: comparison.dumbbell_plot(
            examples.DUMBBELLS, (names[0], names[1]), examples.ENDS
        ),
        "criteria_dots": lambda names: criteria.criteria_dots(dict.fromkeys(names, readings)),
        "label_effects": lambda names: independence.label_effects(dict.fromkeys(names, hobbies)),
        "convergence_lines": lambda names: fairpair.convergence_lines(
            dict.fromkeys(names, pairs.convergence["jaccard"]), "samples"
        ),
        "temperature_lines": lambda names: fairpair.temperature_lines(
            {key: {1.0: pairs.reports["jaccard"]} for key in names}
        ),
        "sensitivity_dots": lambda names: why.sensitivity_dots(
            records.sensitivities_of(names), dict.fromkeys(names)
        ),
        "probe_words": lambda names: heat_map.probe_words(
            dict.fromkeys(names, records.answer({"male": {"he": 0.4}, "female": {"she": 0.1}}))
        ),
        "tilt_box": lambda names: examples.tilt.tilt_box(
            dict.fromkeys(names, report), "male", "female", labour=None
        ),
        "caprice_histogram": lambda names: examples.tails.caprice_histogram(
            dict.fromkeys(names, report), log_count=False
        ),
    }


@pytest.mark.parametrize("chart", coloured())
def test_a_model_keeps_its_colour_whatever_the_order_and_differs_by_more_than_colour(chart: str) -> None:
    """Models are two of the app's, of which no two have one colour and mark."""
    names = ["mini-gpt", "mini-bert"]

    def looks(order: list[str]) -> dict[str, set[tuple[str, str]]]:
        found: dict[str, set[tuple[str, str]]] = {}
        for trace in coloured()[chart](order).data:
            for name in names:
                if trace.type in ("scatter", "bar") and (trace.name or "").startswith(with_titles(name)):
                    color = trace.marker.color or (trace.type == "scatter" and trace.line.color)
                    shape = trace.marker.symbol if trace.type == "scatter" else trace.marker.pattern.shape
                    found.setdefault(name, set()).add((str(color), str(shape)))
        return found

    first, second = looks(names), looks(names[::-1])
    assert first == second
    assert set(first) >= {"mini-gpt"}
    if len(first) == 2:
        gpt, bert = first["mini-gpt"], first["mini-bert"]
        assert not {color for color, _ in gpt} & {color for color, _ in bert} - {theme.MUTED}
        assert {shape for _, shape in gpt} != {shape for _, shape in bert}


@pytest.mark.parametrize("draw", [why.factor_plot, why.read_scatter, independence.share_against_world])
def test_a_model_alone_has_its_colour_among_all_that_are_chosen(draw: Callable[..., go.Figure]) -> None:
    record = {
        why.factor_plot: records.panel_example,
        why.read_scatter: read_example,
        independence.share_against_world: texts.anecdotes_example,
    }[draw]()
    for name, style in theme.model_styles(["one", "two"]).items():
        colors = {
            trace.marker.color for trace in draw(record, name, ["one", "two"]).data if trace.mode == "markers"
        }
        assert style.color in colors


def test_pictures_of_nothing() -> None:
    empty = Tasks.load().report({})
    charts_of_answers = (
        criteria.confusion_tiles,
        criteria.rate_dots,
        criteria.gap_dots,
        criteria.unit_errors,
    )
    draws = [partial(chart, empty) for chart in charts_of_answers]
    for draw in (*draws, partial(risk.risk_bars, []), partial(heat_map.word_bars, [])):
        assert draw().layout.height > 0
