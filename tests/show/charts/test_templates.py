"""The charts of template sets: marks stand where the numbers say, and nothing is lost silently."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.core.risk import Interval, RiskReport
from pcf_core.show.charts.templates import (
    MOST_POINTS,
    RiskMove,
    TemplateShare,
    risk_moves,
    share_scatter,
    zipf_plot,
)
from pcf_core.show.charts.theme import RISKS

TEXTS = ["The [X] said that [Y]", "The [X] <b>found</b> that [Y]", "The [X] wrote that [Y]", "gone"]


def test_count_and_mass_by_rank() -> None:
    counted, mass = zipf_plot(TEXTS, [6, 3, 1, 0]).data
    assert list(counted.x) == [1, 2, 3]
    assert list(counted.y) == [6, 3, 1]
    assert list(mass.y) == pytest.approx([0.6, 0.9, 1.0])
    assert counted.customdata[0] == "<b>The [X] said that [Y]</b><br>rank 1<br>6 times"
    assert "&lt;b&gt;found" in counted.customdata[1]


def test_the_cut_is_marked_in_both_panels_and_named_once() -> None:
    figure = zipf_plot(TEXTS, [6, 3, 1, 0], kept=2)
    cuts = [trace for trace in figure.data if "cut" in trace.name]
    assert [list(cut.x) for cut in cuts] == [[2, 2], [2, 2]]
    assert [cut.showlegend for cut in cuts] == [True, False]
    assert cuts[0].name == "cut: the 2 heaviest of 3 keep 90 %"
    assert len(zipf_plot(TEXTS, [6, 3, 1, 0], kept=3).data) == 2


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
    both, first, second = figure.data[1:]
    assert (list(both.x), list(both.y)) == ([0.5], [0.2])
    assert list(first.x) == [0.5]
    assert list(second.y) == [0.8]
    assert 0 < first.y[0] < 0.2
    assert first.y[0] == second.x[0]
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.xaxis.range[0] < np.log10(first.y[0])
    assert [trace.name for trace in figure.data] == [
        "the same share",
        "in both sets",
        "only in one",
        "only in two",
    ]


def test_only_the_heaviest_of_many_are_drawn() -> None:
    shares = [TemplateShare(str(i), (i + 1) / 1000, (i + 1) / 2000) for i in range(100)]
    both = share_scatter(shares, "one", "two", most=7).data[1]
    assert sorted(both.x) == pytest.approx([i / 1000 for i in range(94, 101)])


def test_each_quantity_has_its_panel_with_both_choices(report: RiskReport) -> None:
    intervals = {
        risk: (Interval(low=getattr(report, risk) - 0.1, high=getattr(report, risk) + 0.2),) for risk in RISKS
    }
    before = replace(report, intervals=intervals)
    after = replace(before, overall_risk=0.3)
    figure = risk_moves(
        [RiskMove("m", before, after), RiskMove("<i>n</i>", after, before)], "all", "100 chosen"
    )
    assert len(figure.data) == 2 * len(RISKS)
    assert list(figure.data[0].x) == [before.overall_risk, 0.3]
    assert list(figure.data[1].x) == [0.3, before.overall_risk]
    assert list(figure.data[0].error_x.array) == pytest.approx([0.2, 0.2 + before.overall_risk - 0.3])
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False, False, False]
    assert "&lt;i&gt;n" in figure.layout.yaxis.ticktext[1]
    assert {trace.marker.symbol for trace in figure.data} == {"circle-open", "diamond"}
