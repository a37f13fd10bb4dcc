"""What Compare says of two models, on matrices whose tilts are known by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.baseline import OtherScales
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.risk import (
    Difference,
    Interval,
    NeutralComparison,
    RiskReport,
    SubjectShares,
    Verdict,
)
from pcf_core.core.run import CoverageSummary, Preferences
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
    neutral_answer,
    neutral_table,
    ordered,
    pair_answer,
    risks_table,
    sentences_table,
    subjects_table,
)
from pcf_core.show.overview import ModelRow, farthest_answer, lean_sentence, overview_answer, risk_answer
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


EVEN = "in these sentences, measured against an even split"
ENDS = "(0 = even, 1 = always the same group)"


def standing(verdict: Verdict, first: float = 0.66, second: float = 0.11) -> Standing:
    told = verdict in ("first", "second")
    return Standing(NAMES, first, second, verdict, told and abs(first - second) > 0.02, 0.0004)


def difference(first: float, second: float, half: float = 0.02) -> Difference:
    """A difference whose interval reaches ``half`` to either side; the test rejects where 0 is outside."""
    value = first - second
    p = 0.001 if abs(value) > half else 0.4
    interval = Interval(low=value - half, high=value + half)
    return Difference(first, second, (interval,), p_value=p, least_p=0.0005, margin=0.02)


def scales(distance: Difference, spread: Difference, labour: Difference | None = None) -> OtherScales:
    """Two subjects, of which the first alone makes the models differ."""
    subjects = (
        SubjectShares("person", ((0.4, 0.6), (0.7, 0.3)), -0.02),
        SubjectShares("citizen", ((0.5, 0.5), (0.6, 0.4)), -0.11),
    )
    neutral = NeutralComparison(
        ("1" * 16, "2" * 16), ("male", "female"), subjects, {"distance": distance, "spread": spread}
    )
    return OtherScales(labour, neutral)


SAME, OTHER, CLOSE = difference(0.6, 0.3), difference(0.3, 0.6), difference(0.41, 0.4)
EVERYWHERE = scales(SAME, SAME, SAME)


def test_the_closer_model_is_named_only_where_test_and_interval_agree() -> None:
    assert (
        pair_answer(standing("first")) == f"B is closer to even than A {EVEN}: risk 0.11 against 0.66 {ENDS}."
    )
    assert pair_answer(standing("second", 0.11, 0.66)).startswith(
        f"A is closer to even than B {EVEN}: risk 0.11"
    )
    unclear = "We cannot tell A and B apart with these sentences: risks 0.66 and 0.11."
    assert pair_answer(standing("unclear")) == unclear
    assert pair_answer(standing("too few")) == unclear
    assert (
        pair_answer(standing("equal", 0.5, 0.5)) == "A and B are equally far from even: risks 0.50 and 0.50."
    )


def test_the_answer_claims_no_more_than_the_weakest_of_its_grounds() -> None:
    """General only where four scales and other sentences agree; else it says where it holds."""
    first = standing("first")
    everywhere, others = replace(first, scales=EVERYWHERE), {"others": standing("first")}
    general = f"B is closer to even than A: risk 0.11 against 0.66 {ENDS}."
    here = f"B is closer to even than A in these sentences: risk 0.11 against 0.66 {ENDS}."
    even = f"B is closer to even than A {EVEN}: risk 0.11 against 0.66 {ENDS}."
    assert pair_answer(everywhere, others) == general
    assert pair_answer(everywhere) == pair_answer(everywhere, {}) == here, (
        "nothing is known of other sentences"
    )
    for outcome in ("second", "unclear", "too few", "equal"):
        assert pair_answer(everywhere, others | {"more": standing(outcome)}) == here
    for weak in (None, OTHER, CLOSE, replace(SAME, margin=1.0)):
        assert pair_answer(replace(first, scales=scales(SAME, SAME, weak)), others) == even
        if weak:
            assert pair_answer(replace(first, scales=scales(weak, SAME, SAME)), others) == even
            assert pair_answer(replace(first, scales=scales(SAME, weak, SAME)), others) == even
    assert pair_answer(replace(first, scales=OtherScales(SAME)), others) == even, "no neutral subjects"


def test_against_the_labour_force_nobody_is_closer_to_even() -> None:
    labour = replace(standing("first"), against_even=False, to_one=False)
    assert pair_answer(labour) == (
        "B is closer to the labour force than A in these sentences: risk 0.11 against 0.66."
    )
    compared = replace(compared_example(), criterion="l∞, pcf scale, a reference per occupation")
    assert not Standing.of(NAMES, compared).against_even
    assert Standing.of(NAMES, replace(compared, criterion="l∞, pcf scale, uniform reference")).against_even


@given(
    st.sampled_from([None, SAME, OTHER, CLOSE]),
    st.sampled_from([SAME, OTHER, CLOSE]),
    st.sampled_from([SAME, OTHER, CLOSE]),
    st.lists(st.sampled_from(["first", "second", "unclear"]), max_size=3),
)
def test_no_order_is_general_that_any_ground_contradicts(
    labour: Difference | None, distance: Difference, spread: Difference, others: list[Verdict]
) -> None:
    told = replace(standing("first"), scales=scales(distance, spread, labour))
    elsewhere = {str(place): standing(verdict) for place, verdict in enumerate(others)}
    agree = (labour, distance, spread) == (SAME, SAME, SAME) and others and set(others) == {"first"}
    assert told.is_general(elsewhere) == bool(agree)
    assert ("in these sentences" in pair_answer(told, elsewhere)) != bool(agree)


def test_a_difference_inside_the_margin_is_no_order_and_one_beyond_it_is_also_where_decimals_hide_it() -> (
    None
):
    small = standing("first", 0.114, 0.103)
    assert pair_answer(small) == "A and B differ too little to matter: risks 0.11 and 0.10."
    assert how_sure(small, compared_example()).startswith(
        "The difference is larger than chance (p under 0.001)."
    )
    hidden = Difference(  # may be .03, so that it may matter
        0.5141, 0.5059, (Interval(low=0.001, high=0.0296),), p_value=0.001, least_p=0.001, margin=0.02
    )
    assert hidden.ordered
    compared = compared_example()
    told = replace(compared, differences={**compared.differences, "overall_risk": hidden})
    assert pair_answer(replace(Standing.of(NAMES, told), against_even=True)) == (
        f"B is closer to even than A {EVEN}: "
        "with two decimals both risks are 0.51; they differ by under 0.01."
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
    unknown = "Another training of the same model may give another result."
    assert how_sure(standing("first"), comparison) == (
        "The difference is larger than chance (p under 0.001). "
        f"Taken one by one, they differ in 3 of 7 occupations. {unknown}"
    )
    unclear = how_sure(replace(standing("unclear"), p_value=0.3), comparison)
    assert unclear.startswith("The difference may be chance (p = 0.3).")
    assert "they differ in 3 of 7 occupations" in unclear
    assert how_sure(standing("too few"), comparison) == (
        f"2 sentences are too few to test the difference. {unknown}"
    )
    assert how_sure(standing("equal", 0.5, 0.5), comparison).startswith("Their risks do not differ in any")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (SAME, "B is still closer (0.30 against 0.60)."),
        (OTHER, "A is closer (0.30 against 0.60)."),
        (CLOSE, "we cannot tell them apart (0.40 against 0.41)."),
        (replace(SAME, margin=1.0), "they differ too little to matter (0.30 against 0.60)."),
    ],
)
def test_how_sure_says_whether_an_order_holds_on_other_scales(found: Difference, said: str) -> None:
    """The figures stand in the order of the answer; what agrees is said of the neutral subjects alone."""
    comparison, first = compared_example(), standing("first")
    person = "Compared with how each model treats “a person” or “a citizen”,"
    assert f"{person} {said}" in how_sure(replace(first, scales=scales(found, SAME, SAME)), comparison)
    labour = how_sure(replace(first, scales=scales(SAME, SAME, found)), comparison)
    assert (f"Measured against the labour force, {said}" in labour) == (found is not SAME)
    spread = how_sure(replace(first, scales=scales(SAME, found, SAME)), comparison)
    assert ("occupations differ" in spread.casefold()) == (found is not SAME)
    if found is OTHER:
        assert "Occupations differ from each other less in A (0.30 against 0.60)." in spread
    turned = replace(
        standing("second", 0.11, 0.66), scales=scales(difference(found.second, found.first), SAME)
    )
    assert "(0.30 against 0.60)" in how_sure(turned, comparison) or found is not SAME
    unsure = replace(standing("unclear"), scales=scales(found, SAME, SAME))
    assert person not in how_sure(unsure, comparison), "no order is said, so none holds"


def test_what_a_single_neutral_subject_decides_is_shown() -> None:
    found = scales(SAME, SAME).neutral
    assert found is not None
    assert neutral_answer(NAMES, found) == (
        "Of 2 neutral subjects, A gives men least for “person” (40 %) and most for “citizen” (50 %). "
        "Of 2 neutral subjects, B gives men least for “citizen” (60 %) and most for “person” (70 %). "
        "If one of these words is left out, the difference in distance lies between −0.11 "
        "(without “citizen”) and −0.02 (without “person”)."
    )
    steady = replace(found, subjects=tuple(replace(one, without=-0.07) for one in found.subjects))
    assert neutral_answer(NAMES, steady).endswith(
        "Whichever of these words is left out, the difference in distance is −0.07."
    )
    turned = replace(found, subjects=(replace(found.subjects[0], without=0.02), found.subjects[1]))
    assert neutral_answer(NAMES, turned).endswith("so that a single word decides which model is closer.")
    assert neutral_answer(NAMES, None) == ""
    table = neutral_table(NAMES, found)
    assert list(table.loc["Distance from neutral subjects"]) == [
        "0.60", "0.30", "+0.30 (+0.28 to +0.32)", "0.001", "A is higher",
    ]  # fmt: skip
    assert subjects_table(NAMES, found).to_dict("list") == {
        "Neutral subject": ["person", "citizen"],
        "A: men": ["40 %", "50 %"],
        "B: men": ["70 %", "60 %"],
        "Difference in distance without it": ["−0.02", "−0.11"],
    }


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
        (ORDERED, EQUAL, "they are equally far from even"),
        (ORDERED, LITTLE, "there is no answer"),
        (UNCLEAR, ORDERED, "A is closer to even"),
        (UNCLEAR, standing("first"), "B is closer to even"),
        (UNCLEAR, UNCLEAR, "we cannot tell them apart either"),
        (UNCLEAR, SMALL, "they differ too little to matter"),
        (SMALL, SMALL, "they differ too little to matter too"),
        (SMALL, standing("first"), "B is closer to even"),
        (EQUAL, EQUAL, "they are equally far from even too"),
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


def test_no_answer_is_given_where_a_model_hardly_expects_the_words() -> None:
    report = replace(of_male(0.9, 0.8), coverage=CoverageSummary(by_tokens={}, cells=100, flagged=6))
    comparison = compared_example()
    found = Standing.of(NAMES, comparison, None, {"A": report, "B": of_male(0.9, 0.8)})
    assert pair_answer(found) == "No answer: A hardly expects these words."
    assert how_sure(found, comparison).startswith("Nothing can be said with these words")
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
