"""FairPair's pictures: where marks stand, what is filled, and what is said where there is no F."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from pcf_core.show.charts import theme
from pcf_core.show.charts.fairpair import (
    NOT_SHOWN,
    SHOWN,
    category_bars,
    convergence_lines,
    phrase_dots,
    prompt_dots,
    ratio_dots,
    temperature_lines,
    variation_bars,
)
from tests.show.charts.paired import alike, constant, different
from tests.texts.fairpair.planted import identical
from tests.texts.fairpair.results import made_up

REPORTS = {
    "one": different().reports["jaccard"],
    "two": alike().reports["jaccard"],
    "none": constant().reports["jaccard"],
}


def by_name(figure: go.Figure) -> dict[str, go.Scatter]:
    return {trace.name: trace for trace in figure.data}


def test_f_stands_at_the_ratio_of_means_filled_where_sides_differ() -> None:
    figure = ratio_dots(REPORTS, ["none", "one", "two"])
    traces = by_name(figure)
    shown, hidden = traces[SHOWN], traces[NOT_SHOWN]
    assert list(shown.x) == [REPORTS["one"].means.ratio]
    assert list(hidden.x) == [REPORTS["two"].means.ratio]
    assert [symbol.endswith("-open") for symbol in (*shown.marker.symbol, *hidden.marker.symbol)] == [
        False,
        True,
    ]
    interval = REPORTS["one"].intervals["ratio_of_means"]
    assert shown.x[0] + shown.error_x.array[0] == pytest.approx(interval.high)
    assert shown.x[0] - shown.error_x.arrayminus[0] == pytest.approx(interval.low)
    assert shown.marker.color == (theme.model_styles(["one"])["one"].color,)
    (undefined,) = figure.layout.annotations
    assert (undefined.text, undefined.y) == ("F is undefined", "2")


def test_1_and_every_interval_are_on_the_axis() -> None:
    low, high = ratio_dots(REPORTS).layout.xaxis.range
    ends = [report.intervals["ratio_of_means"] for report in REPORTS.values() if report.means.ratio]
    assert low < min(1, *(end.low for end in ends))
    assert high > max(1, *(end.high for end in ends))
    (line,) = ratio_dots(REPORTS).layout.shapes
    assert line.x0 == line.x1 == 1


def test_bars_are_b_and_both_v() -> None:
    between, original, prompt = variation_bars(REPORTS).data
    for place, report in enumerate(REPORTS.values()):
        assert between.x[place] == report.means.between
        assert original.x[place] == report.means.within_original
        assert prompt.x[place] == report.means.within_prompt
    assert len({trace.marker.color for trace in (between, original, prompt)}) == 3
    assert "John" in original.name
    assert "Jane" in prompt.name


def test_prompts_by_e_beside_random_labels() -> None:
    report = different().reports["jaccard"]
    figure = prompt_dots(report)
    ranked = sorted(report.prompts, key=lambda row: -row.energy)
    assert list(figure.layout.yaxis.labelalias.values()) == [row.prompt for row in ranked]
    assert list(figure.data[-1].x) == [row.chance_ratio for row in ranked]
    drawn = sorted(x for trace in figure.data[:-1] for x in trace.x)
    assert drawn == sorted(row.ratio for row in ranked)
    (ticks,) = prompt_dots(constant().reports["jaccard"]).data
    assert ticks.name == "random labels"


def test_fifteen_prompts_are_drawn_of_many() -> None:
    report = made_up(identical(3, prompts=25)).reports["jaccard"]
    figure = prompt_dots(report)
    assert len(figure.data[-1].x) == 15
    assert figure.layout.height <= theme.MAX_HEIGHT


def test_lines_end_at_the_value_of_all_samples() -> None:
    found = {"one": different().convergence["jaccard"]}
    (line,) = convergence_lines(found, "samples").data
    assert line.x[-1] == 20
    assert line.y[-1] == pytest.approx(REPORTS["one"].means.between)
    folds = convergence_lines(found, "folds", "ratio")
    assert folds.layout.xaxis.type == "log"
    assert list(folds.data[0].y) == list(found["one"].folds.ratio)
    assert folds.layout.shapes[0].y0 == 1


def test_several_lines_differ_by_more_than_colour() -> None:
    found = {name: different().convergence["jaccard"] for name in ("one", "two")}
    first, second = convergence_lines(found, "samples").data
    assert first.line.dash != second.line.dash
    assert first.marker.symbol != second.marker.symbol


def test_temperatures_leave_out_what_is_undefined() -> None:
    (line,) = temperature_lines(
        {"one": {1.0: REPORTS["one"], 0.0: REPORTS["none"], 0.5: REPORTS["two"]}}
    ).data
    assert list(line.x) == [0.5, 1.0]
    assert list(line.y) == [REPORTS["two"].means.ratio, REPORTS["one"].means.ratio]
    assert list(temperature_lines({"one": {0.0: REPORTS["none"]}}).data[0].x) == []


def test_planted_phrases_stand_on_their_side_and_filled() -> None:
    report = different().words
    traces = by_name(phrase_dots(report))
    jane = traces["more in texts for Jane"]
    assert min(jane.x) > 0 > max(traces["more in texts for John"].x)
    found = {row.words: row for row in report.words}
    filled = dict(zip(jane.customdata, jane.marker.symbol, strict=True))
    for text, symbol in filled.items():
        words = text.partition("</b>")[0].removeprefix("<b>")
        assert symbol.endswith("-open") != found[words].differs
    assert any(row.differs for row in report.words)
    assert len(jane.x) <= 12


def test_no_phrase_is_an_empty_picture() -> None:
    silent = different().words.model_copy(update={"words": ()})
    assert len(phrase_dots(silent).data) == 0


def test_categories_are_shares_of_texts() -> None:
    report = different().words
    original, prompt = category_bars(report).data
    family = [row.name for row in report.categories].index("family")
    assert prompt.x[family] == pytest.approx(100 * report.categories[family].prompt / report.prompt_texts)
    assert np.all(np.array(original.x) <= 100)
    labels = list(category_bars(report).layout.yaxis.labelalias.values())
    assert labels[family].endswith(" *") == report.categories[family].differs


def test_texts_and_names_are_no_markup() -> None:
    report = different().words.model_copy(update={"original": "<b>J</b>", "counterpart": "$x$"})
    for figure in (phrase_dots(report), category_bars(report)):
        names = " ".join(trace.name for trace in figure.data)
        assert "<b>" not in names
        assert "$" not in names


def test_prompts_without_f_keep_their_line_and_say_so() -> None:
    report = REPORTS["none"]
    figure = prompt_dots(report)
    assert len(figure.layout.annotations) == len(report.prompts)
    assert {note.text for note in figure.layout.annotations} == {"F is undefined"}
    low, high = figure.layout.xaxis.range
    assert low < 1 < high


@pytest.mark.parametrize(("ratio", "anchor"), [(3.0, "left"), (0.2, "right")])
def test_an_undefined_f_is_said_beside_the_dotted_line(ratio: float, anchor: str) -> None:
    report = REPORTS["one"]
    between = (ratio * report.means.within_original * report.means.within_prompt) ** 0.5
    means = report.means.model_copy(update={"between": between})
    other = report.model_copy(update={"means": means, "intervals": {}})
    (note,) = ratio_dots({"other": other, "none": REPORTS["none"]}).layout.annotations
    assert (note.x, note.xanchor) == (1, anchor)
    assert (note.xshift > 0) == (anchor == "left")


def test_an_empty_picture_of_phrases_says_so() -> None:
    report = different().words.model_copy(update={"words": ()})
    (note,) = phrase_dots(report).layout.annotations
    assert note.text == "no phrase to compare"


def test_marks_stand_below_plotlys_buttons() -> None:
    figures = [
        ratio_dots(REPORTS),
        prompt_dots(REPORTS["one"]),
        variation_bars(REPORTS),
        phrase_dots(different().words),
        category_bars(different().words),
    ]
    assert {figure.layout.margin.t for figure in figures} == {40}
