"""What is drawn is what was measured: bars that add up, whiskers at their ends, points on their curves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pcf_core.core.knowledge import FactKnowledge
from pcf_core.measure.reference_models import criterion_curve, two_models
from pcf_core.show.charts import marks
from pcf_core.show.charts.comparison import difference_plot, risk_scatter
from pcf_core.show.charts.criteria import confusion_tiles, criteria_dots, role_names, unit_errors
from pcf_core.show.charts.fairpair import category_bars, phrase_dots, ratio_dots, variation_bars
from pcf_core.show.charts.risk import LeanBar, corrected_dots, lean_bars, risk_bars
from pcf_core.show.charts.tails import (
    caprice_histogram,
    hill_plot,
    prejudice_histogram,
    qq_plot,
    survival_plot,
)
from pcf_core.show.charts.templates import MOST_POINTS, TemplateShare, share_scatter, zipf_plot
from pcf_core.show.charts.tilt import MOST_STEPS, stereotype_histogram, stereotype_steps, tilt_box
from pcf_core.show.charts.toy import jensen_curve
from pcf_core.show.charts.why import LARGEST, MOST_FACTS, SMALLEST, factor_plot, knowledge_bars, risk_span
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.summary import readings_of
from tests.show.charts import records, texts
from tests.show.charts.compared import FIRST, NAMES, SECOND, compared_example
from tests.show.charts.examples import NURSE, REFERENCE, RUN, UNMEASURED, fairpair_reports
from tests.show.charts.records import CAPRICES, TILTS, distribution, fact, report_of_gender
from tests.texts.criteria.planted import written


def test_prejudice_and_caprice_stack_to_the_overall_risk() -> None:
    prejudice, caprice, _, whisker, _, values = risk_bars([RUN, UNMEASURED, REFERENCE]).data
    assert [text.strip() for text in values.text] == ["0.52", "0.40", "1.00"]
    np.testing.assert_allclose(values.x, [0.54, 0.4, 1.0], err_msg="a value stands behind its whisker")
    np.testing.assert_allclose(np.add(prejudice.x, caprice.x), [0.52, 0.4, 1.0])
    assert list(prejudice.y) == list(caprice.y) == ["0", "1", "2"]
    np.testing.assert_allclose([whisker.error_x.array[0], whisker.error_x.arrayminus[0]], [0.02, 0.02])
    assert prejudice.marker.opacity[2] < 0.5, "a reference model is muted"


def test_a_whisker_on_a_bar_has_a_pale_rim_and_stands_in_the_legend_once() -> None:
    """A grey line is lost on a grey bar, and no colour stands out from the bar and from both pages."""
    *_, rim, whisker, legend, _ = risk_bars([RUN, UNMEASURED]).data
    assert (rim.x, rim.y, rim.error_x.array) == (whisker.x, whisker.y, whisker.error_x.array)
    assert rim.error_x.thickness > whisker.error_x.thickness
    assert rim.marker.line.width > whisker.marker.line.width
    assert rim.error_x.color == rim.marker.color == marks.RIM != whisker.error_x.color
    assert (rim.showlegend, whisker.showlegend, rim.hoverinfo) == (False, False, "skip")
    assert (legend.mode, legend.x, legend.line.width) == ("lines+markers", (None,), whisker.error_x.thickness)
    assert legend.name == whisker.name == "risk with its range"
    *_, rim, diamond, _ = lean_bars([LeanBar("m", 0.1, 0.2, neutral=0.15)]).data
    assert rim.error_x.array is None
    assert rim.x == diamond.x == (0.15,)


def test_bars_of_squares_sum_to_the_mean_square() -> None:
    bars = list(lean_bars([LeanBar("a", 0.1, 0.2), LeanBar("b", 0.3, 0.0)]).data)[:2]
    assert [sum(trace.x[place] for trace in bars) for place in (0, 1)] == pytest.approx([0.3, 0.3])
    assert "0 % of the squared preference" in bars[1].customdata[1]


@pytest.mark.parametrize(("headline", "whose"), [(False, 0), (True, 1)])
def test_the_whisker_belongs_to_the_figure_that_comes_first(headline: bool, whose: int) -> None:
    report = records.corrected_report(report_of_gender())
    assert report.corrected is not None
    first = replace(report, corrected=report.corrected.model_copy(update={"headline": headline}))
    traces = corrected_dots({"one": first}).data[:2]
    assert traces[whose].error_x.array[0] == pytest.approx(0.6 - traces[whose].x[0])
    assert traces[1 - whose].error_x.array is None


def test_what_is_left_of_a_zero_has_no_digits() -> None:
    """They differ between processors, and a report's texts are compared to the letter."""
    least = (records.Interval(low=0.0, high=4.07e-17),)
    one = replace(records.corrected_report(report_of_gender()), intervals={"caprice_risk": least})
    hovers = [text for trace in corrected_dots({"one": one}).data[:4] for text in trace.customdata]
    assert any("(0.00–0.00)" in text for text in hovers)
    assert not any("e-" in text for text in hovers)


def test_the_area_of_a_point_is_its_people() -> None:
    drawn = factor_plot(records.panel_example(), "m", ["m"]).data
    weighted, hollow = [trace for trace in drawn if trace.mode == "markers" and trace.customdata]
    large, small = np.asarray(weighted.marker.size) - SMALLEST
    assert large == LARGEST - SMALLEST
    assert (small / large) ** 2 == pytest.approx(100 / 400)
    assert hollow.marker.size[0] == SMALLEST
    assert hollow.marker.symbol == f"{weighted.marker.symbol}-open"


def test_panels_share_a_span_that_holds_every_point() -> None:
    panel = records.panel_example()
    point = panel.points[0]
    low, high = risk_span([panel, replace(panel, points=(replace(point, risk=1.2),))])
    assert low < 0 < 1.2 < high
    assert risk_span([]) == pytest.approx((-0.03, 1.03))
    assert risk_span([replace(panel, points=(replace(point, risk=0.0),))]) == pytest.approx((-0.03, 1.03))


def test_a_bar_of_knowledge_ends_at_knowledge_and_is_no_caprice() -> None:
    facts: list[FactKnowledge] = [fact("Sun", 0.8, 0.1), fact("Mars", 0.6, 0.0, elsewhere=None)]
    score, gap, *_ = knowledge_bars(facts).data
    assert np.add(score.x, gap.x) == pytest.approx([0.8, 0.6])
    assert gap.marker.opacity < score.marker.opacity
    assert "caprice" not in knowledge_bars(facts).to_json()
    assert len(knowledge_bars([fact(str(n), 0.5, 0.1) for n in range(60)]).data[0].x) == MOST_FACTS


def test_tiles_show_counts_and_shares_of_a_row() -> None:
    he = next(trace for trace in confusion_tiles(texts.answered()).data if trace.name == "he")
    assert [list(row) for row in he.text] == [["0", "150"], ["50", "100"]]
    assert [list(row) for row in he.z] == [[0, 1], [50 / 150, 100 / 150]]


def test_errors_by_task_are_table_6_and_of_many_those_that_differ_most() -> None:
    (tiles,) = unit_errors(texts.answered()).data
    named = dict(zip([row[0] for row in tiles.customdata], [list(row) for row in tiles.z], strict=True))
    assert list(tiles.x) == ["he", "she", "no pronoun"]
    assert named["Operation (doctor)"] == [0, 1, 0]
    assert named["Heart rate (nurse)"] == [1, 0, 0]
    questions = Questions.load()
    report = questions.report(written(questions, lambda cell: cell.pronoun == "she" and cell.unit == 5, 1))
    (many,) = unit_errors(report).data
    assert len(many.z) == 20
    assert {row[0].split(" (")[0].replace("<br>", " ") for row in many.customdata[:2]} == {"Latitude zero"}
    assert role_names(report) == ("nurse", "doctor")


def test_no_name_of_a_quantity_is_cut() -> None:
    readings = readings_of([texts.anecdotes_example(), texts.hobbies_example(), texts.answered()])
    names = " ".join(criteria_dots({"one": readings}).layout.yaxis.ticktext).replace("<br>", " ")
    assert "link between profession and gender" in names
    assert "…" not in names


def test_f_stands_at_the_ratio_of_means_with_its_interval() -> None:
    reports = fairpair_reports()
    shown = ratio_dots(reports).data[0]
    interval = reports["one"].intervals["ratio_of_means"]
    assert list(shown.x) == [reports["one"].means.ratio]
    assert shown.x[0] + shown.error_x.array[0] == pytest.approx(interval.high)
    assert shown.x[0] - shown.error_x.arrayminus[0] == pytest.approx(interval.low)
    between, original, prompt = variation_bars(reports).data
    for place, means in enumerate(report.means for report in reports.values()):
        assert (between.x[place], original.x[place]) == (means.between, means.within_original)
        assert prompt.x[place] == means.within_prompt


def test_planted_phrases_stand_on_their_side_and_filled() -> None:
    words = texts.different().words
    by_name = {trace.name: trace for trace in phrase_dots(words).data}
    jane, john = by_name["more in texts for Jane"], by_name["more in texts for John"]
    assert min(jane.x) > 0 > max(john.x)
    assert len(jane.x) <= 12
    found = {row.words: row for row in words.words}
    for text, symbol in zip(jane.customdata, jane.marker.symbol, strict=True):
        phrase = text.partition("</b>")[0].removeprefix("<b>")
        assert symbol.endswith("-open") != found[phrase].differs
    original, prompt = category_bars(words).data
    for place, row in enumerate(words.categories):
        assert prompt.x[place] == pytest.approx(100 * row.prompt / words.prompt_texts)
        assert original.x[place] == pytest.approx(100 * row.original / words.original_texts)


def test_occupations_stand_at_their_difference_and_are_filled_where_they_survive() -> None:
    figure = difference_plot(compared_example())
    gaps = dict(zip(NAMES, np.subtract(FIRST, SECOND), strict=True))
    assert list(figure.layout.yaxis.categoryarray) == sorted(NAMES, key=lambda name: -gaps[name])
    drawn = {name: x for trace in figure.data for name, x in zip(trace.y, trace.x, strict=True)}
    assert drawn == pytest.approx(gaps)
    first, second, hollow = figure.data
    assert (set(first.y), set(second.y)) == ({"nurse", "stylist"}, {"engineer"})
    assert hollow.marker.symbol == "circle-open"
    _, upwards, *_ = risk_scatter(compared_example()).data
    assert sorted(zip(upwards.x, upwards.y, strict=True)) == [(0.2, 0.5), (0.3, 0.9)]


def test_every_occupation_is_counted_once_and_zeros_apart() -> None:
    report = report_of_gender()
    rug, bars, zeros = caprice_histogram({"m": report}, log_count=False).data
    assert (sum(bars.y), list(zeros.y), tuple(rug.x)) == (3, [4], CAPRICES)
    assert zeros.x[0] + zeros.width[0] / 2 < 0
    other = replace(report, occupations=report.occupations[:3])
    both = caprice_histogram({"one": report, "two": other}, log_count=False)
    first, second = (trace for trace in both.data if trace.name in ("one", "two"))
    np.testing.assert_allclose(first.x, second.x)


def test_prejudice_is_a_density_with_its_normal_curve() -> None:
    _, bars, curve = prejudice_histogram({"m": report_of_gender()}, {"m": (0.5, 0.2)}).data
    assert float(np.dot(bars.y, bars.width)) == pytest.approx(1)
    np.testing.assert_allclose(curve.y, stats.norm(0.5, 0.2).pdf(curve.x))


def test_fits_are_drawn_as_they_were_made() -> None:
    report = records.many()
    shape, normal = records.shape_of(report), records.normal_of(report)
    assert shape.tail is not None
    assert shape.hill is not None
    points, *lines, upper = survival_plot({"m": report}, {"m": shape}).data
    np.testing.assert_allclose(points.y, [(40 - rank) / 40 for rank in range(40)])
    for line, fit in zip(lines, shape.fits, strict=True):
        np.testing.assert_array_equal(line.y, fit.survival)
    np.testing.assert_array_equal(upper.y, shape.tail.survival)
    low, high, index, tail = hill_plot({"m": shape}).data
    np.testing.assert_array_equal(index.y, shape.hill.index)
    assert (np.array(low.y) <= np.array(high.y)).all()
    assert set(tail.y) == {shape.tail.shape}
    *_, ranked = qq_plot({"m": report}, {"m": normal}).data
    np.testing.assert_array_equal(ranked.x, normal.expected)
    np.testing.assert_array_equal(ranked.y, sorted(row.prejudice_risk for row in report.occupations))
    for axis, values in zip(
        (survival_plot({"m": report}, {"m": shape}).layout[name] for name in ("xaxis", "yaxis")),
        (points.x, points.y),
        strict=True,
    ):
        assert axis.range[0] < np.log10(min(values)) < np.log10(max(values)) < axis.range[1]


def test_a_box_holds_quartiles_and_every_point() -> None:
    box, points, *_ = tilt_box({"m": report_of_gender()}, "male", "female", labour=None).data
    ordered = sorted(TILTS)
    assert box.median[0] == ordered[3]
    assert box.q1[0] == pytest.approx((ordered[1] + ordered[2]) / 2)
    assert tuple(points.x) == TILTS
    assert np.all(np.abs(np.asarray(points.y)) < 0.15)
    muted = tilt_box({}, "male", "female", labour={"nurse": 0.87, "pilot": 0.05}).data[1]
    np.testing.assert_allclose(muted.x, [-0.74, 0.9])


def test_bars_hold_the_weight_of_their_bin() -> None:
    """The bin before 0 holds neutral contexts, the one after 0 the first that lean."""
    bars = stereotype_histogram({"one": [distribution()]}, other="female", threshold=0.5).data[0]
    np.testing.assert_allclose(bars.x, [-0.625, -0.025, 0.025, 0.325])
    np.testing.assert_allclose(bars.y, [0.2, 0.3, 0.1, 0.4])


@pytest.mark.parametrize("value", [-1.0, 1.0, 0.35, -0.25])
def test_no_context_falls_between_or_beyond_the_bins(value: float) -> None:
    one = distribution(((value, 0.75), (0.1, 0.25)))
    bars = stereotype_histogram({"one": [one]}, other="female", threshold=0.5).data[0]
    assert sum(bars.y) == pytest.approx(1)
    inside = (bars.customdata[:, 0] - 1e-9 <= value) & (value <= bars.customdata[:, 1] + 1e-9)
    assert bars.y[inside].max() == pytest.approx(0.75)


@pytest.mark.parametrize(("leads", "side"), [(True, 1), (False, -1)])
def test_the_gap_runs_from_prejudice_to_risk_on_the_side_of_the_leader(leads: bool, side: int) -> None:
    one = distribution(leads=leads)
    gap, mean = stereotype_histogram({"one": [one]}, other="female", threshold=0.5).data[1:]
    np.testing.assert_allclose(gap.x, [side * one.prejudice_risk, side * one.overall_risk])
    np.testing.assert_allclose([mean.error_x.arrayminus[0], mean.error_x.array[0]], [0.1, 0.2])


def test_many_contexts_are_drawn_at_some_of_them_where_they_truly_are() -> None:
    values = np.linspace(-0.9, 0.9, 2_000)
    one = distribution(tuple((float(value), 1 / 2_000) for value in values))
    line = stereotype_steps({"one": [one]}, other="female", threshold=0.5).data[0]
    assert len(line.x) == MOST_STEPS + 2
    inside = line.x[1:-1]
    np.testing.assert_allclose(line.y[1:-1], [(values <= place).mean() for place in inside])
    assert (inside[0], inside[-1]) == (values[0], values[-1])


@pytest.mark.parametrize("heaviest", [0.04, 0.3, 0.97])
def test_no_tick_stands_above_the_bars(heaviest: float) -> None:
    rest = (1 - heaviest) / 40
    pairs = ((0.62, heaviest), *((-0.99 + place / 21, rest) for place in range(40)))
    figure = stereotype_histogram({"one": [distribution(pairs)]}, other="female", threshold=0.5)
    ticks = figure.layout.yaxis.tickvals
    assert 2 <= len(ticks) <= 6
    assert max(ticks) <= max(figure.data[0].y) + 1e-9 < figure.layout.yaxis.range[1]


def test_a_long_set_is_thinned_and_keeps_its_ends() -> None:
    size = 20_000
    counted = zipf_plot([f"t{i}" for i in range(size)], list(range(size, 0, -1))).data[0]
    assert len(counted.x) <= MOST_POINTS
    assert list(counted.x[:20]) == list(range(1, 21))
    assert counted.x[-1] == size
    assert list(counted.y) == [size + 1 - rank for rank in counted.x]


def test_what_one_set_lacks_stands_on_the_edge_of_its_axis() -> None:
    shares = [TemplateShare("a", 0.5, 0.2), TemplateShare("b", 0.5, 0), TemplateShare("c", 0, 0.8)]
    figure = share_scatter(shares, "one", "two")
    _, both, first, second = figure.data
    assert (list(both.x), list(both.y)) == ([0.5], [0.2])
    assert 0 < first.y[0] == second.x[0] < 0.2
    assert figure.layout.xaxis.range[0] < np.log10(first.y[0])
    many = [TemplateShare(str(i), (i + 1) / 1000, (i + 1) / 2000) for i in range(100)]
    heaviest = share_scatter(many, "one", "two", most=7).data[1]
    assert sorted(heaviest.x) == pytest.approx([i / 1000 for i in range(94, 101)])


def test_the_jensen_gap_stands_between_the_curve_and_the_mean() -> None:
    curve = criterion_curve()
    figure = jensen_curve([NURSE], curve)
    by_name = {trace.name: trace for trace in figure.data}
    prejudice, caprice = by_name["prejudice"], by_name["caprice"]
    tilt = NURSE.mean_stereotype[0]
    assert prejudice.x == caprice.x == pytest.approx((tilt, tilt))
    assert prejudice.y == pytest.approx((0, NURSE.prejudice_risk))
    assert caprice.y == pytest.approx((NURSE.prejudice_risk, NURSE.overall_risk))
    assert np.interp(tilt, curve[:, 0], curve[:, 1]) == pytest.approx(prejudice.y[1])
    above, top, bottom = by_name["preference p"], figure.layout.xaxis2, figure.layout.xaxis
    for p, s in zip(above.x, NURSE.stereotypes[:, 0], strict=True):
        places = [
            (x - axis.range[0]) / (axis.range[1] - axis.range[0]) for x, axis in ((p, top), (s, bottom))
        ]
        assert places[0] == pytest.approx(places[1])
    stars = [trace for trace in jensen_curve(two_models(), curve).data if trace.name == "risk, the mean"]
    assert [star.showlegend for star in stars] == [True, False]
