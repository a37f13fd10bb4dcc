"""What Compare says of two models, on matrices whose tilts are known by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.risk import Difference, Interval, RiskReport, Verdict
from pcf_core.core.run import CoverageSummary, Preferences
from pcf_core.show.answers import farthest_answer
from pcf_core.show.compare import (
    Dumbbell,
    Lean,
    Standing,
    against_each,
    against_whom,
    differing_first,
    dumbbells,
    how_sure,
    in_other_sentences,
    most_unequal_first,
    ordered,
    pair_answer,
    risks_table,
    sentences_table,
)
from pcf_core.show.overview import ModelRow, lean_sentence, overview_answer, risk_answer
from tests.show.charts.compared import compared_example

NAMES = ("A", "B")


def report_of(values: list[list[list[float]]], *groups: str) -> RiskReport:
    document = {
        "preferences": values,
        "groups": list(groups or ("male", "female")),
        "occupations": [f"job {place}" for place in range(len(values))],
    }
    return matrix_report(document, ViewOptions(), resamples=20)


def of_male(*male: float) -> RiskReport:
    return report_of([[[p, 1 - p]] * 2 for p in male])


def standing(verdict: Verdict, first: float = 0.66, second: float = 0.11) -> Standing:
    told = verdict in ("first", "second")
    return Standing(NAMES, first, second, verdict, ordered=told and abs(first - second) > 0.02)


def test_the_lower_risk_is_named_only_where_test_and_interval_agree() -> None:
    assert pair_answer(standing("first")) == "B discriminates less: 0.11 against 0.66."
    assert pair_answer(standing("second", 0.11, 0.66)) == "A discriminates less: 0.11 against 0.66."
    unclear = "We cannot tell A and B apart with these sentences: 0.66 and 0.11."
    assert pair_answer(standing("unclear")) == unclear
    assert pair_answer(standing("too few")) == unclear
    assert pair_answer(standing("equal", 0.5, 0.5)) == "A and B discriminate alike: 0.50 and 0.50."


def test_a_difference_inside_the_margin_is_no_order_and_one_beyond_it_is_also_where_decimals_hide_it() -> (
    None
):
    small = standing("first", 0.114, 0.103)
    assert pair_answer(small) == "A and B differ too little to matter: 0.11 and 0.10."
    assert how_sure(small, compared_example()).startswith("Sure? Yes, for these sentences:")
    hidden = Difference(  # may be .03, so that it may matter
        0.5141, 0.5059, (Interval(low=0.001, high=0.0296),), p_value=0.001, least_p=0.001, margin=0.02
    )
    assert hidden.ordered
    compared = compared_example()
    told = replace(compared, differences={**compared.differences, "overall_risk": hidden})
    assert pair_answer(Standing.of(NAMES, told)) == (
        "B discriminates less, by under 0.01: with two decimals, both risks are 0.51."
    )


def test_whom_a_model_favours() -> None:
    favours = of_male(0.9, 0.8, 0.9, 0.3)
    assert against_whom(Lean.of("A", favours)) == "A favours men in 3 of 4 occupations."
    assert against_whom(Lean.of("A", of_male(0.1, 0.2))) == "A favours women in all 2 occupations."
    even = of_male(0.55, 0.52, 0.58, 0.49)
    assert against_whom(Lean.of("A", even)) == "A is near even, slightly towards men."
    assert against_whom(Lean.of("A", of_male(0.55, 0.45))) == "A is near even."
    split = of_male(0.95, 0.9, 0.8, 0.05, 0.1, 0.3)
    assert against_whom(Lean.of("A", split)) == (
        "A splits the occupations. Men: job 0, job 1. Women: job 3, job 4."
    )


def test_whom_both_favour_is_one_sentence() -> None:
    men, fewer, women = of_male(0.9, 0.8, 0.9, 0.7), of_male(0.9, 0.8, 0.9, 0.3), of_male(0.1, 0.2, 0.1, 0.9)
    one, other = Lean.of("A", fewer), Lean.of("B", women)
    assert against_each([one, other]) == ["A favours men in 3 of 4 occupations, B women in 3."]
    assert against_each([one, replace(one, model="B")]) == ["A and B both favour men in 3 of 4 occupations."]
    every = Lean.of("B", men)
    assert against_each([one, every]) == ["A favours men in 3 of 4 occupations, B men in all."]
    assert against_each([every, replace(every, model="C")]) == [
        "B and C both favour men in all 4 occupations."
    ]
    even = Lean.of("B", of_male(0.55, 0.45))
    assert against_each([one, even]) == [against_whom(one), against_whom(even)]
    assert against_each([replace(one, says_little=True), other]) == ["", against_whom(other)]


def test_of_several_groups_the_two_that_lead_most_are_named() -> None:
    values = [[[0.8, 0.1, 0.1]], [[0.7, 0.2, 0.1]], [[0.1, 0.8, 0.1]], [[0.2, 0.1, 0.7]]]
    lean = Lean.of("A", report_of(values, "white", "black", "asian"))
    assert against_whom(lean) == (
        "A splits the occupations. White people: job 0, job 1. Black people: job 2, job 1."
    )
    most = Lean.of("A", report_of([*values[:1] * 4, values[2]], "white", "black", "asian"))
    assert against_whom(most) == "A favours White people in 4 of 5 occupations."


def test_how_sure_counts_occupations_and_says_what_is_not_known() -> None:
    comparison = compared_example()
    unknown = "Not known: another training of the model."
    assert how_sure(standing("first"), comparison) == (
        f"Sure? Yes, for these sentences: 3 of 7 occupations differ. {unknown}"
    )
    unclear = how_sure(standing("unclear"), comparison)
    assert unclear.startswith("Sure? No: the overall difference may be chance.")
    assert "3 of 7 occupations differ" in unclear
    assert how_sure(standing("too few"), comparison).startswith(
        "Sure? No: 2 sentences are too few for a test."
    )


def test_an_order_that_a_person_in_general_makes_is_not_called_sure() -> None:
    """Measured from where no occupation is named, 0.11 against 0.66 may be 0.28 against 0.27."""
    comparison = compared_example()
    gone = replace(standing("first"), neutral=(0.27, 0.28), margin=0.02)
    assert how_sure(gone, comparison) == (
        "Sure? From an even split, yes. From what each expects of anyone, no: 0.28 against 0.27."
    )
    assert "0.27 against 0.28" in how_sure(
        replace(standing("second", 0.11, 0.66), neutral=(0.27, 0.28), margin=0.02), comparison
    )
    assert "Sure? Yes" in how_sure(replace(gone, neutral=(0.31, 0.28)), comparison), "beyond the margin"
    assert "Sure? No" in how_sure(replace(gone, verdict="unclear", ordered=False), comparison)


ORDERED, UNCLEAR = standing("second", 0.3, 0.46), standing("unclear", 0.42, 0.43)
SMALL, EQUAL = replace(ORDERED, ordered=False), standing("equal", 0.5, 0.5)
LITTLE = replace(ORDERED, little=("A",))


@pytest.mark.parametrize(
    ("here", "there", "said"),
    [
        (ORDERED, ORDERED, "their order is the same"),
        (ORDERED, standing("first"), "their order is the other way round"),
        (ORDERED, UNCLEAR, "we cannot tell them apart"),
        (ORDERED, standing("too few"), "we cannot tell them apart"),
        (ORDERED, SMALL, "they differ too little to matter"),
        (ORDERED, EQUAL, "they discriminate alike"),
        (ORDERED, LITTLE, "there is no answer"),
        (UNCLEAR, ORDERED, "A discriminates less"),
        (UNCLEAR, standing("first"), "B discriminates less"),
        (UNCLEAR, UNCLEAR, "we cannot tell them apart either"),
        (UNCLEAR, SMALL, "they differ too little to matter"),
        (SMALL, SMALL, "they differ too little to matter too"),
        (SMALL, standing("first"), "B discriminates less"),
        (EQUAL, EQUAL, "they discriminate alike too"),
    ],
)
def test_whether_an_order_holds_in_other_sentences(here: Standing, there: Standing, said: str) -> None:
    assert in_other_sentences(here, {"others": there}) == f"In sentences of others {said}."


def test_of_several_sets_those_that_differ_come_first() -> None:
    others = {"a": ORDERED, "b": UNCLEAR, "c": ORDERED, "d": ORDERED, "e": ORDERED}
    assert in_other_sentences(ORDERED, others) == (
        "In sentences of b we cannot tell them apart; in those of a, c, d and 1 more their order is the same."
    )
    assert differing_first(ORDERED, others) == ["b", "a", "c", "d", "e"]
    assert differing_first(UNCLEAR, others) == ["a", "c", "d", "e", "b"]
    reversed_last = {"a": ORDERED, "b": UNCLEAR, "c": standing("first")}
    assert differing_first(ORDERED, reversed_last) == ["c", "b", "a"], "a reversed order before all"


def test_nothing_is_said_of_other_sentences_without_any_and_where_nothing_is_answered_here() -> None:
    assert in_other_sentences(ORDERED, {}) == ""
    assert in_other_sentences(LITTLE, {"others": ORDERED}) == ""


def test_neutral_subjects_count_where_all_of_both_runs_is_compared() -> None:
    comparison = compared_example()
    both = {"A": 0.2, "B": 0.3}
    assert Standing.of(NAMES, comparison, both).neutral == (0.2, 0.3)
    assert Standing.of(NAMES, comparison, {"A": 0.2, "C": 0.3}).neutral is None
    part = replace(comparison, first=replace(comparison.first, templates_left_out=1))
    assert Standing.of(NAMES, part, both).neutral is None


def test_no_answer_is_given_where_a_model_hardly_expects_the_words() -> None:
    report = replace(of_male(0.9, 0.8), coverage=CoverageSummary(by_tokens={}, cells=100, flagged=6))
    comparison = compared_example()
    found = Standing.of(NAMES, comparison, None, {"A": report, "B": of_male(0.9, 0.8)})
    assert pair_answer(found) == "No answer: A hardly expects these words."
    assert how_sure(found, comparison).startswith("Sure? No")
    assert against_whom(Lean.of("A", report)) == ""
    assert (lean_sentence("A", report), farthest_answer({"A": report})) == ("", "")
    assert overview_answer([ModelRow.of("A", report)]) == risk_answer([ModelRow.of("A", report)]) == ""
    borne = replace(report, coverage=CoverageSummary(by_tokens={}, cells=100, flagged=5))
    assert overview_answer([ModelRow.of("A", borne)]) == "A favours men in all 2 occupations."


def test_dumbbells_are_of_common_occupations_and_sorted_as_asked() -> None:
    first, second = of_male(0.9, 0.5, 0.1), of_male(0.7, 0.9, 0.2, 0.5)
    rows = dumbbells(first, second, "male")
    assert [row.occupation for row in rows] == ["job 1", "job 0", "job 2"]
    assert (rows[0].first, rows[0].second) == pytest.approx((0.0, 0.8))
    assert [row.occupation for row in ordered(rows, "A–Z")] == ["job 0", "job 1", "job 2"]
    farthest = ordered([Dumbbell("x", 0.1, -0.2), Dumbbell("y", 0.0, -0.9)], "most stereotyped")
    assert [row.occupation for row in farthest] == ["y", "x"]


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=8))
def test_swapping_the_models_changes_no_order(male: list[float]) -> None:
    one, other = of_male(*male), of_male(*reversed(male))
    names = [row.occupation for row in dumbbells(one, other, "male")]
    assert names == [row.occupation for row in dumbbells(other, one, "male")]
    lean = Lean.of("A", one)
    assert 0 <= lean.near <= lean.occupations == len(male)


def test_the_most_unequal_group_comes_first() -> None:
    groups = ("white", "black", "asian")
    one = report_of([[[0.4, 0.3, 0.3]], [[0.4, 0.3, 0.3]]], *groups)
    other = report_of([[[0.35, 0.6, 0.05]], [[0.35, 0.55, 0.1]]], *groups)
    assert most_unequal_first(one, other) == ["black", "asian", "white"]
    assert most_unequal_first(of_male(0.5), of_male(0.6)) == ["male"]


def test_the_table_has_ranges_and_the_difference_in_words() -> None:
    found = compared_example()
    clear = replace(found.differences["overall_risk"], first=0.1, second=0.9, p_value=0.001, adjusted=None)
    clear = replace(clear, intervals=(Interval(low=-0.9, high=-0.7),))
    found = replace(found, differences=found.differences | {"overall_risk": clear})
    ranges = {name: (Interval(low=0.08, high=0.161), None) for name in found.differences}
    table = risks_table(found, NAMES, ranges)
    assert list(table.index) == ["Risk", "Prejudice", "Caprice"]
    assert list(table.loc["Risk"]) == ["0.10 (0.08–0.16)", "0.90", "clear"]
    assert table.loc["Caprice", "Difference"] == "cannot tell"


def test_every_sentence_about_an_occupation_says_whom_each_model_expects() -> None:
    def preferences(male: list[float], templates: tuple[str, ...]) -> Preferences:
        values = np.array([[[p, 1 - p] for p in male]])
        return Preferences(("male", "female"), ("nurse",), templates, values)

    table = sentences_table(
        "nurse",
        {
            "A": preferences([0.9, 0.2], ("The [X] said [Y].", "[Y] is a [X].")),
            "B": preferences([0.4], ("The [X] said [Y].",)),
        },
    )
    assert table.to_dict("list") == {
        "Sentence": ["The nurse said ….", "… is a nurse."],
        "A": ["men 90 %", "women 80 %"],
        "B": ["women 60 %", ""],
    }
