"""What is said, and drawn, of a lean that all occupations share."""

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


RANGE = Interval(over="templates", level=0.95, low=0.1, high=0.3)


def test_the_three_parts_are_named_with_the_shared_one_first() -> None:
    assert lean_finding("M", FOUND) == (
        "The risk of M is 0.35. All occupations share 0.10 of it, 0.20 differs between them, "
        "and 0.05 changes with the sentence."
    )
    assert (
        "All occupations share 0.10 of it. In all, 86 % is prejudice (0.30) and 14 % is caprice (0.05)."
    ) in risk_finding("M", FOUND)


def test_what_is_shared_stands_before_prejudice_wherever_prejudice_is_said() -> None:
    """Most of a lean may be that of a word that is common everywhere: a reader is to meet that first."""
    row = ModelRow.of("M", FOUND)
    (figure,) = risk_figures({"M": FOUND})
    for said, shared in (
        (risk_finding("M", FOUND), "All occupations share 0.10"),
        (risk_answer([row]), "all occupations share 0.10"),
        (risk_answer([row, row]).split(". ")[1], "shared 0.10"),
        (figure.detail, "29 % shared"),
    ):
        assert 0 < said.index(shared) < said.index("prejudice")
    alone = matrix_report({"preferences": [[[0.8, 0.2]]], "groups": ["male", "female"]}, ViewOptions())
    for said in (risk_finding("M", alone), risk_answer([ModelRow.of("M", alone)])):
        assert "share" not in said, "one occupation shares nothing with others"


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
        "25 %. Its occupations are 0.30 away from that, and under 0.005 from their own mean."
    )


def test_risks_from_each_models_own_neutral_point_stand_in_no_sentence_beside_each_other() -> None:
    assert neutral_distances_finding({"M": 0.24, "N": 0.32}) == (
        "Compared with how each model treats “a person” or “a citizen”, its occupations are 0.24 away in M "
        "and 0.32 away in N."
    )
    assert neutral_distances_finding({"M": 0.24}) == ""


def test_bars_sum_to_the_risk_and_the_diamond_stands_where_it_is_known() -> None:
    figure = lean_bars([LeanBar("a", 0.1, 0.2, 0.05), LeanBar("<b>", 0.3, 0.0, 0.1, 0.25, RANGE)])
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [sum(trace.x[place] for trace in bars) for place in (0, 1)] == pytest.approx([0.35, 0.4])
    rim, diamond = (trace for trace in figure.data if trace.type == "scatter")
    assert (rim.x, rim.showlegend) == (diamond.x, False)
    assert (diamond.x, diamond.y) == ((0.25,), ("1",))
    assert (diamond.error_x.array, diamond.error_x.arrayminus) == (
        (pytest.approx(0.05),),
        (pytest.approx(0.15),),
    )
    assert "<b>" not in diamond.customdata[0][0]
    assert len(lean_bars([LeanBar("a", 0.1, 0.2, 0.05)]).data) == 3
    large = lean_bars([LeanBar("a", 0.1, 0.2, 0.05, neutral=0.25)], thousand=True)
    assert [trace.x[0] for trace in large.data] == pytest.approx([100, 200, 50, 250, 250])
