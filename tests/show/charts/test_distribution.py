"""The bars hold the weight of the contexts, the marks stand at E s and r, the steps rise to 1."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.show.charts.distribution import MOST_STEPS, stereotype_histogram, stereotype_steps

from .spread import distribution


def test_bars_hold_the_weight_of_their_bin() -> None:
    """The bin before 0 holds neutral contexts, the one after 0 the first that lean."""
    bars = stereotype_histogram({"one": [distribution()]}, other="female", threshold=0.5).data[0]
    np.testing.assert_allclose(bars.x, [-0.625, -0.025, 0.025, 0.325])
    np.testing.assert_allclose(bars.y, [0.2, 0.3, 0.1, 0.4])
    np.testing.assert_allclose(bars.customdata[1], [-0.05, 0.0], atol=1e-12)
    assert sum(bars.y) == pytest.approx(1)


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
    assert f"Jensen gap, caprice {one.jensen_gap:.3g}" in gap.customdata[0]
    assert list(mean.x) == [one.mean]
    np.testing.assert_allclose([mean.error_x.arrayminus[0], mean.error_x.array[0]], [0.1, 0.2])
    assert mean.y[0] > 0.4


def test_models_lie_over_each_other_and_differ_by_pattern_and_mark() -> None:
    figure = stereotype_histogram(
        {"one": [distribution()], "<i>two": [distribution()]}, other="<b>", threshold=0.5
    )
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert figure.layout.barmode == "overlay"
    assert bars[0].marker.pattern.shape != bars[1].marker.pattern.shape
    assert bars[1].name == "&lt;i&gt;two"
    heights = {trace.y[0] for trace in figure.data if trace.type == "scatter"}
    assert len(heights) == 2
    assert "&lt;b&gt;" in figure.layout.xaxis.title.text


def test_several_groups_have_a_panel_each_and_the_gap_stands_with_the_leader() -> None:
    several = [distribution(group=name, leads=name == "b") for name in "abc"]
    figure = stereotype_histogram({"one": several}, threshold=0.25)
    assert [note.text for note in figure.layout.annotations] == [
        f"← less · {name} · more →" for name in "abc"
    ]
    gaps = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "lines+markers"]
    assert [trace.yaxis for trace in gaps] == ["y2"]
    assert figure.layout.xaxis.range[0] == pytest.approx(-0.67)
    assert figure.layout.height <= 640


def test_neutral_and_the_threshold_are_drawn() -> None:
    for draw in (stereotype_histogram, stereotype_steps):
        lines = draw({"one": [distribution()]}, other="female", threshold=0.35).layout.shapes
        assert [line.x0 for line in lines] == [0, 0.35]
        assert lines[0].line.dash != lines[1].line.dash


def test_steps_rise_to_1_by_the_weight_of_the_contexts() -> None:
    line, mean = stereotype_steps({"one": [distribution()]}, other="female", threshold=0.5).data
    np.testing.assert_allclose(line.x, [-1, -0.62, 0, 0.03, 0.31, 1])
    np.testing.assert_allclose(line.y, [0, 0.2, 0.5, 0.6, 1, 1])
    assert line.line.shape == "hv"
    assert mean.y[0] == pytest.approx(0.5)


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
