"""What is said, and drawn, of how much occupations differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.audit.baseline import Baseline
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.risk import Interval
from pcf_core.report.key_figures import risk_figures
from pcf_core.show.charts.risk import LeanBar, lean_bars
from pcf_core.show.findings.models import (
    baseline_finding,
    lean_finding,
    neutral_distances_finding,
    risk_finding,
)
from pcf_core.show.overview import ModelRow, risk_answer

# Two occupations, one towards men by .6, one towards women by .2; the first in one of four contexts by −.2.
CELLS = [[0.8, 0.8, 0.8, 0.4], [0.4, 0.4, 0.4, 0.4]]
FOUND = matrix_report(
    {
        "preferences": [[[men, 1 - men] for men in row] for row in CELLS],
        "groups": ["male", "female"],
    },
    ViewOptions(),
    resamples=50,
)


def test_how_much_occupations_differ_is_said_with_the_two_farthest_by_name() -> None:
    """Mean tilts of .4 and −.2: their mean square is .1, of which .01 is common, so 90 % differs."""
    said = lean_finding("M", FOUND)
    assert said.startswith(
        "M gives men 55 % on average: from 40 % for occupation 2 to 70 % for occupation 1 "
        "(standard deviation 15 points). Counted in squares, 90 % "
    )
    assert said.endswith(
        " of the distance from the neutral point is a difference between occupations; the rest is common to "
        "all."
    )


def test_occupations_that_all_prefer_men_are_not_said_to_be_alike() -> None:
    """The split by J gave them 0: "all occupations share 0.50 of it, 0 differs between them"."""
    document = {"preferences": [[[0.55, 0.45]], [[0.95, 0.05]]], "groups": ["male", "female"]}
    found = matrix_report(document, ViewOptions(), resamples=50)
    assert found.lean is not None
    assert found.lean.specific == 0
    assert found.lean.differing == pytest.approx(0.16 / (0.25 + 0.16))
    assert "39 %" in lean_finding("M", found)
    assert "from 55 % for occupation 1 to 95 % for occupation 2" in lean_finding("M", found)


def test_of_more_groups_the_one_that_varies_most_is_named() -> None:
    rows = [[[0.5, 0.3, 0.2]], [[0.4, 0.1, 0.5]]]
    document = {"preferences": rows, "groups": ["white", "black", "asian"]}
    found = matrix_report(document, ViewOptions(), resamples=50)
    assert lean_finding("M", found).startswith("M gives Asian people 35 % on average: from 20 %")


def test_alike_occupations_and_a_single_one() -> None:
    alike = matrix_report({"preferences": [[[0.8, 0.2]]] * 2, "groups": ["male", "female"]}, ViewOptions())
    assert lean_finding("M", alike).startswith("M gives men 80 % for every occupation. Counted in squares, ")
    even = matrix_report({"preferences": [[[0.5, 0.5]]] * 2, "groups": ["male", "female"]}, ViewOptions())
    assert lean_finding("M", even) == "M gives men 50 % for every occupation."
    alone = matrix_report({"preferences": [[[0.8, 0.2]]], "groups": ["male", "female"]}, ViewOptions())
    assert lean_finding("M", alone) == ""


def test_nothing_is_said_to_be_shared_where_prejudice_is_said() -> None:
    row = ModelRow.of("M", FOUND)
    (figure,) = risk_figures({"M": FOUND})
    for said in (risk_finding("M", FOUND), risk_answer([row]), figure.detail):
        assert "share" not in said
    assert risk_answer([row]) == (
        "M's risk is 0.35: 0.30 is a fixed preference (prejudice), "
        "and 0.05 depends on the sentence (caprice)."
    )


def test_the_answer_of_two_models_has_25_words_also_where_figures_take_two() -> None:
    row = replace(ModelRow.of("M", FOUND), caprice=0.001)
    answer = risk_answer([row, row])
    assert answer.count("under 0.005") == 2
    assert len(answer.split()) <= 25


def test_what_it_expects_of_nobody_in_particular() -> None:
    half = Interval(over="templates", level=0.95, low=0.4, high=0.6, unit="template")
    found = Baseline(
        run="0" * 16,
        subjects=("person",),
        preferences={"female": 0.25, "male": 0.75},
        lean=0.5,
        lean_interval=half,
        overall_risk=0.5,
        spread={"female": 0.001, "male": 0.001},
        distance={"female": 0.3, "male": 0.3},
        intervals={("overall_risk", ""): (half,)},
    )
    assert baseline_finding("M", found) == (
        "For words that name no occupation, such as “a person” or “a citizen”, M gives men 75 % and women "
        "25 %. On average its occupations are 0.30 away from that, and under 0.005 from their own mean."
    )


def test_risks_from_each_models_own_neutral_point_stand_in_no_sentence_beside_each_other() -> None:
    assert neutral_distances_finding({"M": 0.24, "N": 0.32}) == (
        "The average distance of occupations from how the model treats “a person” or “a citizen” is 0.24 in "
        "M and 0.32 in N."
    )
    assert neutral_distances_finding({"M": 0.24}) == ""


def test_bars_sum_to_the_mean_square_and_the_diamond_stands_where_it_is_known() -> None:
    figure = lean_bars([LeanBar("a", 0.1, 0.2), LeanBar("<b>", 0.3, 0.0, 0.25)])
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [sum(trace.x[place] for trace in bars) for place in (0, 1)] == pytest.approx([0.3, 0.3])
    rim, diamond = (trace for trace in figure.data if trace.type == "scatter")
    assert (rim.x, rim.showlegend) == (diamond.x, False)
    assert (diamond.x, diamond.y) == ((0.25,), ("1",))
    assert "<b>" not in diamond.customdata[0][0]
    assert len(lean_bars([LeanBar("a", 0.1, 0.2)]).data) == 2
    assert "0 % of the squared tilt" in bars[1].customdata[1]
