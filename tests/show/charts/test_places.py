"""Where things stand: names that cover nothing, axes that hold every mark, rows with room for their names."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.risk import Interval, MeanTilt
from pcf_core.core.run import Preferences
from pcf_core.show.charts import theme
from pcf_core.show.charts.case_file import shared_scatter
from pcf_core.show.charts.comparison import TARGETS, axis_panels, dumbbell_plot
from pcf_core.show.charts.criteria import RATES, criteria_dots, gap_dots, rate_dots
from pcf_core.show.charts.fairpair import prompt_dots, ratio_dots
from pcf_core.show.charts.heat_map import FORBIDDEN, WordProbability, heat_map, probe_words, word_bars
from pcf_core.show.charts.independence import share_against_world
from pcf_core.show.charts.risk import risk_dots
from pcf_core.show.charts.tails import caprice_histogram, prejudice_histogram
from pcf_core.show.charts.tilt import tilt_box, tilt_panels
from pcf_core.show.compare import Dumbbell
from pcf_core.texts.case_file import SharedOccupations
from pcf_core.texts.criteria.summary import readings_of
from tests.show.charts import examples, records
from tests.show.charts.compared import axis_example
from tests.show.charts.examples import ENDS, RUN, caprices, shared
from tests.show.charts.records import CAPRICES, preferences_of, report_of_gender, report_of_three
from tests.show.charts.texts import anecdotes_example, answered


def test_names_that_would_meet_are_left_to_the_hover() -> None:
    rows = tuple(shared(f"job {place}", 0.5 + place / 1000, 0.8) for place in range(20))
    assert len(shared_scatter(SharedOccupations(rows=rows), "female", "male").layout.annotations) <= 4


def test_no_name_is_written_over_the_whisker_of_another_point() -> None:
    """Beside the nurse stand two points, whose upright whiskers run through all places for its name."""
    upright = Interval(low=0.0, high=1.0)
    beside = [
        shared("pilot", at, 0.9).model_copy(update={"interval": upright}) for at in (0.42, 0.45, 0.55, 0.58)
    ]
    alone = shared_scatter(SharedOccupations(rows=(shared("nurse", 0.5, 0.5),)), "female", "male")
    crowded = shared_scatter(SharedOccupations(rows=(shared("nurse", 0.5, 0.5), *beside)), "female", "male")
    assert [note.text for note in alone.layout.annotations] == ["nurse"]
    assert "nurse" not in [note.text for note in crowded.layout.annotations]


Box = tuple[float, float, float, float]  # pixels: left, right, low, high


@pytest.mark.parametrize("width", [262, 500, 733, 1580])
@pytest.mark.parametrize("height", [331, 384])
@pytest.mark.parametrize("seed", range(4))
def test_no_name_covers_a_point_or_a_name_at_any_width(width: int, height: int, seed: int) -> None:
    """Spread all over, in a heap, along a line, and in the corners."""
    draw = np.random.default_rng(seed)
    spread = [0.9, 0.05, 0.4, 0.95][seed]
    tilts = np.clip(draw.normal(0, spread, 30) - 0.6 * (seed == 1), -1, 1)
    shares = np.clip(0.5 + (tilts / 2 if seed == 2 else draw.normal(0, spread / 2, 30)), 0, 1)
    rows = tuple(
        shared("electrician and more"[: 4 + place % 17], float(tilt), float(share))
        for place, (tilt, share) in enumerate(zip(tilts, shares, strict=True))
    )
    figure = shared_scatter(SharedOccupations(rows=rows), "female", "male")
    across, upwards = figure.layout.xaxis.range, figure.layout.yaxis.range

    def place_of(x: float, y: float) -> tuple[float, float]:
        return (
            width * (x - across[0]) / (across[1] - across[0]),
            height * (y - upwards[0]) / (upwards[1] - upwards[0]),
        )

    points: list[Box] = []
    for row in rows:
        x, y = place_of(-row.tilt, row.share)  # women, the second group, are on the left
        points.append((x - 6, x + 6, y - 6, y + 6))
    names: list[Box] = []
    for one in figure.layout.annotations:
        x, y = place_of(one.x, one.y)
        x, y, long = x + one.xshift, y + one.yshift, 6.5 * len(one.text)
        names.append((x, x + long, y - 7, y + 7) if one.xanchor == "left" else (x - long, x, y - 7, y + 7))
    assert names

    def meet(one: Box, other: Box) -> bool:
        return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]

    assert not [pair for pair in itertools.product(names, points) if meet(*pair)]
    assert not [pair for pair in itertools.combinations(names, 2) if meet(*pair)]
    assert all(
        left >= 0 and right <= width and low >= 0 and high <= height for left, right, low, high in names
    )


@pytest.mark.parametrize("count", [1, 25, 120, 900])
def test_a_click_anywhere_in_a_row_finds_its_occupation(count: int) -> None:
    rows = [Dumbbell(f"job {place}", 0.5, -0.5) for place in range(count)]
    figure = dumbbell_plot(rows, ("one", "two"), ENDS)
    targets = figure.data[-1]
    assert list(targets.customdata) == list(targets.y)
    assert set(targets.y) == {row.occupation for row in rows}
    assert (min(targets.x), max(targets.x)) == (-1, 1)
    assert len(targets.x) <= max(TARGETS, 5 * count)
    assert figure.layout.hoverdistance == -1, "else a click between two marks finds neither"
    assert figure.layout.xaxis.fixedrange
    assert figure.layout.yaxis.fixedrange
    assert figure.layout.height >= 20 * count, "every name has its line"


def test_an_axis_above_the_plot_says_what_the_one_below_says() -> None:
    rows = [Dumbbell(f"job {place}", 0.5, -0.5) for place in range(25)]
    below, both = (dumbbell_plot(rows, ("one", "two"), ENDS, above=above) for above in (False, True))
    axis, above = both.layout.xaxis, both.layout.xaxis2
    for name in ("range", "tickvals", "tickformat", "fixedrange", "labelalias"):
        assert above[name] == axis[name]
    assert above.title.text == axis.title.text
    drawn = [trace for trace in both.data if trace.xaxis == "x2"]
    assert [len(trace.x) for trace in drawn] == [1], "Plotly draws no axis without a trace"
    assert drawn[0].hoverinfo == "skip", "a click finds the targets behind it"
    heights = [figure.layout.height - figure.layout.margin.t for figure in (below, both)]
    assert heights[0] == heights[1], "the plot is as high"
    assert "xaxis2" not in below.layout


def test_a_click_finds_the_occupation_and_the_template_of_a_cell() -> None:
    figure = heat_map(preferences_of(), "male", [2, 0], [3, 1], [4, 3, 2, 1], neutral=0.5, clicks=True)
    targets, cells = figure.data[2], figure.data[1]
    assert [tuple(cell[:2]) for cell in targets.customdata] == [(2, 3), (2, 1), (0, 3), (0, 1)]
    assert list(zip(targets.y, targets.x, strict=True)) == [("2", "3"), ("2", "1"), ("0", "3"), ("0", "1")]
    np.testing.assert_allclose([cell[2] for cell in targets.customdata], np.ravel(cells.z))
    assert cells.hoverinfo == "skip"
    assert figure.layout.hoverdistance == -1, "a click between two marks finds the nearer one"


@pytest.mark.parametrize(
    ("rows", "columns", "opened", "written"), [(60, 50, False, False), (6, 10, True, True)]
)
def test_of_too_many_cells_a_click_finds_none_and_few_have_their_values_in_them(
    rows: int, columns: int, opened: bool, written: bool
) -> None:
    figure = heat_map(
        examples.many_cells(), "male", range(rows), range(columns), [1] * 50, neutral=0.5, clicks=True
    )
    assert any(trace.type == "scatter" for trace in figure.data) is opened
    (cells,) = [trace for trace in figure.data if trace.type == "heatmap"]
    assert (cells.texttemplate == "%{z:.2f}") is written


@pytest.mark.parametrize(("group", "neutral"), [("male", 0.5), ("female", 0.25)])
def test_the_colours_of_a_heat_map_are_centred_on_neutral(group: str, neutral: float) -> None:
    axis = heat_map(preferences_of(), group, [0], [0], [4, 3, 2, 1], neutral=neutral).layout.coloraxis
    assert (axis.cmin, axis.cmax) == (0, 1)
    assert axis.colorscale[5] == (neutral, "#f7f7f7")


def test_the_margins_of_a_heat_map_speak_of_all_templates() -> None:
    figure = heat_map(preferences_of(), "male", [0, 2], [0], [4, 3, 2, 1], neutral=0.5)
    weights, means = (trace for trace in figure.data if trace.type == "bar")
    np.testing.assert_allclose(weights.y, [0.4])
    by_hand = [0.1 * 0.4 + 0.2 * 0.3 + 0.3 * 0.2 + 0.4 * 0.1, 0.9 * 0.4 + 0.8 * 0.3 + 0.7 * 0.2 + 0.6 * 0.1]
    np.testing.assert_allclose(means.customdata, by_hand)
    np.testing.assert_allclose(np.asarray(means.x) + means.base, by_hand)


@pytest.mark.parametrize(("count", "height"), [(10, 550), (20, 640), (40, 840), (120, 840)])
def test_a_heat_map_of_forty_rows_has_room_for_every_name(count: int, height: int) -> None:
    names = tuple(f"job {n}" for n in range(count))
    many: Preferences = replace(
        preferences_of(), occupations=names, coverage=None, values=np.full((count, 4, 2), 0.5)
    )
    figure = heat_map(many, "male", range(count), range(4), [4, 3, 2, 1], neutral=0.5)
    assert figure.layout.height == height
    assert figure.layout.yaxis2.tickfont.size == 10


@pytest.mark.parametrize(("count", "letters"), [(2, 11), (16, 11), (18, 10), (20, 9), (40, 9)])
def test_labels_of_two_lines_fit_into_their_rows_in_letters_that_can_be_read(
    count: int, letters: int
) -> None:
    figure = risk_dots([replace(RUN, label="mini-bert · gender-fiction-25")] * count, {})
    assert figure.layout.yaxis.tickfont.size == letters
    label = figure.layout.yaxis.labelalias["0"]
    assert label == "Mini BERT · 25 sentence<br>beginnings from fiction", (
        "many names differ only at their ends"
    )
    lines = 1 + label.count("<br>")
    assert lines * 1.3 * letters < (figure.layout.height - 110) / count  # pixels a row


def test_no_mark_or_whisker_ends_at_the_edge_of_its_panel() -> None:
    """Marks are 9 pixels wide, panels some 150 high: 3 % on either side holds half a mark."""
    for axis in axis_panels(axis_example(), "x").select_yaxes():
        low, high = axis.range
        assert low <= -0.028 * (high - low)
        assert high >= 1 + 0.028 * (high - low)
    starts = [trace.x[0] for trace in axis_panels(axis_example(), "x").data[::3]]
    assert len(set(starts)) == 3
    assert max(starts) - min(starts) < 0.5, "nearer than places"


def test_1_and_every_interval_are_on_the_axis_of_ratios() -> None:
    reports = examples.fairpair_reports()
    low, high = ratio_dots(reports).layout.xaxis.range
    ends = [report.intervals["ratio_of_means"] for report in reports.values() if report.means.ratio]
    assert low < min(1, *(end.low for end in ends))
    assert high > max(1, *(end.high for end in ends))


@pytest.mark.parametrize(("ratio", "anchor"), [(3.0, "left"), (0.2, "right")])
def test_an_undefined_f_is_said_where_there_is_more_room(ratio: float, anchor: str) -> None:
    reports = examples.fairpair_reports()
    means = reports["one"].means
    between = (ratio * means.within_original * means.within_prompt) ** 0.5
    other = reports["one"].model_copy(
        update={"means": means.model_copy(update={"between": between}), "intervals": {}}
    )
    (note,) = ratio_dots({"other": other, "none": reports["none"]}).layout.annotations
    assert (note.x, note.xanchor) == (1, anchor)
    assert (note.xshift > 0) == (anchor == "left")
    prompts = prompt_dots(reports["none"])
    assert len(prompts.layout.annotations) == len(reports["none"].prompts)
    assert prompts.layout.xaxis.range[0] < 1 < prompts.layout.xaxis.range[1]


def test_lines_of_a_rate_run_through_its_rows_and_through_no_heading() -> None:
    figure = gap_dots(answered())
    keys = list(figure.layout.yaxis.categoryarray)
    crossed = {
        keys[place]
        for line in figure.layout.shapes
        for place in range(len(keys))
        if line.y0 < place < line.y1
    }
    assert crossed == set(keys) - set(RATES)
    rows = rate_dots(answered()).layout.yaxis
    assert {rows.labelalias[rate].strip() for rate in RATES} == {""}


@pytest.mark.parametrize("values", [CAPRICES, (0.0,) * 7, (0.1, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3)])
def test_the_name_of_a_panel_stands_above_its_bars(values: tuple[float, ...]) -> None:
    shown = caprices(report_of_gender(), *values)
    figure = caprice_histogram({"m": shown}, log_count=False)
    tallest = max(max(trace.y) for trace in figure.data if trace.type == "bar")
    assert figure.layout.yaxis.range[0] == 0
    assert figure.layout.yaxis.range[1] > 1.15 * tallest
    density = prejudice_histogram({"m": shown}, {"m": (0.5, 0.02)})
    assert density.layout.yaxis.range[1] > 1.15 * max(max(trace.y) for trace in density.data[1:])


def test_more_than_two_groups_are_all_rows_of_one_picture() -> None:
    """Whom a model puts last is seen beside whom it prefers."""
    figure = tilt_panels(dict.fromkeys(("one", "two"), report_of_three()))
    groups = report_of_three().groups
    assert len(figure.layout.yaxis.ticktext) == len(groups) == 3
    points = [trace for trace in figure.data if trace.type == "scatter" and trace.x[0] is not None]
    rows = [round(float(np.mean(trace.y))) for trace in points]
    assert rows == [0, 0, 1, 1, 2, 2]
    assert len([each for each in figure.select_xaxes() if each.title.text]) == 1
    low = -1 / (len(groups) - 1)
    assert figure.layout.xaxis.range[0] <= low
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert legend == ["one", "two", "an occupation", "their middle half and median"]


def test_the_legend_of_a_tilt_says_what_every_mark_is() -> None:
    report = report_of_gender()
    ends = {row.occupation: (-1.0, 1.0) for row in report.occupations}
    tilt = MeanTilt("male", 0.1, {"templates": Interval(low=0.0, high=0.2)}, ends)
    look: dict[str, Any] = {"labour": None, "tilts": {"m": {"male": tilt}}, "chosen": "nurse"}
    figure = tilt_box({"m": report}, "male", "female", **look)
    legend = {trace.name: trace for trace in figure.data if trace.showlegend is not False}
    assert list(legend) == [
        "an occupation",
        "their middle half and median",
        "their mean with its 95 % range",
        "nurse",
    ]
    assert legend["their mean with its 95 % range"].mode == "lines+markers"
    assert figure.layout.legend.itemclick is False


def test_three_extremes_on_each_side_are_labelled_where_there_is_room() -> None:
    figure = tilt_box({"mini-bert": report_of_gender()}, "male", "female", labour=None)
    labels = {note.text: note for note in figure.layout.annotations}
    assert set(labels) == {"nurse", "stylist", "clerk", "engineer", "captain", "pilot"}
    assert labels["nurse"].ay > 0.15 > -0.15 > labels["engineer"].ay
    assert (labels["nurse"].xanchor, labels["engineer"].xanchor) == ("left", "right")
    assert len({(note.ax, note.ay) for note in labels.values()}) == 6
    many = tilt_box({f"model {i}": report_of_gender() for i in range(9)}, "male", "female", labour=None)
    assert many.layout.height == theme.MAX_HEIGHT
    assert len(many.layout.annotations) == 9 * 2
    assert not tilt_box({}, "male", "female", labour={"nurse": 0.8}).layout.annotations


def crossed(notes: Sequence[Any], width: float) -> list[tuple[str, str]]:
    """The names that lie in front of another name's line straight to its mark; ``width``: of a name."""
    return [
        (far.text, near.text)
        for far, near in itertools.permutations(notes, 2)
        if far.y < near.ay < far.ay or far.ay < near.ay < far.y
        if 0 < (far.ax - near.ax) * (1 if near.xanchor == "left" else -1) < width
    ]


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12))
def test_no_line_to_an_occupation_runs_through_the_name_of_another(tilts: list[float]) -> None:
    rows = [
        records.occupation(f"job {place}", {"male": value, "female": -value}, abs(value), 0)
        for place, value in enumerate(tilts)
    ]
    figure = tilt_box({"m": records.report_of(rows, ("male", "female"))}, "male", "female", labour=None)
    assert figure.layout.annotations
    assert crossed(figure.layout.annotations, 2) == []


@given(st.tuples(st.floats(-1, 1), st.floats(-1, 1)))
def test_no_line_to_a_mark_runs_through_the_name_of_the_other_model(ends: tuple[float, float]) -> None:
    """A name takes up to 65 % of a narrow axis."""
    figure = dumbbell_plot([Dumbbell("nurse", *ends)], ("one", "two"), ENDS)
    low, high = figure.layout.xaxis.range
    notes = figure.layout.annotations
    assert sorted(note.ay for note in notes) == [-2, -1]
    assert crossed(notes, 0.64 * (high - low)) == []
    least = low + 0.25 * (high - low)  # for a name that ends at its mark
    assert all(note.ax >= min(least, 0) or note.xanchor == "left" for note in notes)


@pytest.mark.parametrize(("groups", "shown"), [(2, 8), (3, 8), (7, 3), (20, 2)])
def test_many_groups_show_fewer_words_each(groups: int, shown: int) -> None:
    words = {f"group {g}": {f"word {g} {n}": 0.5 / (n + 1) for n in range(9)} for g in range(groups)}
    figure = probe_words({"one": records.answer(words)})
    assert [len(trace.x) for trace in figure.data] == [shown] * groups
    assert figure.layout.height <= theme.MAX_HEIGHT


@pytest.mark.parametrize(
    ("largest", "written"),
    [
        (0.41, ("0", "20 %", "40 %")),
        (1.0, ("0", "50 %", "100 %")),
        (0.013, ("0", "1 in 200", "1 in 100")),
        (0.09, ("0", "5 %")),
        (0.000033, ("0", "1 in 100,000", "1 in 50,000", "1 in 33,000")),
    ],
)
def test_the_axis_of_words_has_few_digits(largest: float, written: tuple[str, ...]) -> None:
    assert word_bars([WordProbability("man", "male", largest)]).layout.xaxis.ticktext == written


def test_a_cell_without_a_preference_has_a_cross_and_is_in_no_mean() -> None:
    preferences = preferences_of()
    values = preferences.values.copy()
    values[2, 1] = np.nan
    figure = heat_map(replace(preferences, values=values), "male", [0, 2], [0, 1], [4, 3, 2, 1], neutral=0.5)
    (cross,) = (trace for trace in figure.data if trace.name == FORBIDDEN)
    assert (cross.x, cross.y, cross.marker.symbol) == (("1",), ("2",), "x-thin")
    means = next(trace for trace in figure.data if trace.type == "bar" and trace.orientation == "h")
    assert means.customdata[1] == pytest.approx((0.9 * 4 + 0.7 * 2 + 0.6 * 1) / 7)
    assert not any(word in figure.to_json() for word in ("NaN", "Infinity"))


def test_no_name_of_a_profession_lies_on_another_point_or_its_whisker() -> None:
    """Four professions of few women with wide ranges, and one alone."""
    report = anecdotes_example()
    row = report.professions[0].model_copy(update={"p_value": 0.001, "adjusted": 0.001})
    crowd = [
        row.model_copy(
            update={
                "profession": f"crowded {place}",
                "world": place / 50,
                "women": 4.0,
                "men": 6.0,
                "interval": Interval(low=0.2, high=0.6),
            }
        )
        for place in range(4)
    ]
    alone = row.model_copy(
        update={
            "profession": "alone",
            "world": 0.6,
            "women": 1.0,
            "men": 9.0,
            "interval": Interval(low=0.05, high=0.2),
        }
    )
    drawn = share_against_world(report.model_copy(update={"professions": (*crowd, alone)}), "one", ["one"])
    named = {note.text for note in drawn.layout.annotations}
    assert named == {"alone", "crowded 3"}, "the last one has its name beside the others"


def test_values_of_criteria_stand_clear_of_the_line_of_twenty_per_cent() -> None:
    figure = criteria_dots({"one": readings_of([answered()])})
    values = next(trace for trace in figure.data if trace.name == "values")
    assert set(values.x) == {figure.layout.xaxis.range[1]}
