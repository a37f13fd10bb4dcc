"""Sentences of ready comparisons: up, down, nothing to tell; what a paper shows; who is told apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Comparison, Difference, Interval, RiskReport
from pcf_core.core.sensitivity import SeedSpread
from pcf_core.models.presets import Claim, PresetPair
from pcf_core.show.findings.several import (
    change_finding,
    claim_finding,
    common_note,
    control_note,
    sides_finding,
)
from tests.show.charts.compared import compared_example, difference

PAIR = PresetPair(first="large", second="small", change="from small to large")
CLAIM = Claim(paper="BVF", figure=7, change="with size", prejudice="up", caprice="down")
UP = replace(difference(0.6, 0.2, clear=True), adjusted=None)
DOWN = replace(difference(0.2, 0.6, clear=True), adjusted=None)
UNCLEAR = replace(difference(0.5, 0.48, clear=False), adjusted=None)
EQUAL = replace(UNCLEAR, first=0.48, p_value=1.0, intervals=(Interval(low=0, high=0),))


def example(
    risk: Difference,
    prejudice: Difference = UNCLEAR,
    caprice: Difference = UNCLEAR,
    first: str = "large",
    second: str = "small",
) -> Comparison:
    found = compared_example()
    return replace(
        found,
        first=replace(found.first, name=first, model=first),
        second=replace(found.second, name=second, model=second),
        differences={"overall_risk": risk, "prejudice_risk": prejudice, "caprice_risk": caprice},
    )


def test_a_rise_with_its_parts() -> None:
    assert change_finding(PAIR, example(UP, UP, DOWN)) == (
        "The risk rises from small to large. It is 0.20 for small and 0.60 for large. The "
        "difference is +0.40 (+0.30 to +0.50) over templates, p = 0.001. Prejudice rises: "
        "+0.40 (+0.30 to +0.50), p = 0.001. Caprice falls: −0.40 (−0.50 to −0.30), p = 0.001."
    )


def leaning(*firsts: float) -> RiskReport:
    """Occupations a, b, … with these mean probabilities of male words."""
    matrix = {
        "preferences": [[[male, 1 - male]] for male in firsts],
        "groups": ["male", "female"],
        "occupations": [chr(97 + place) for place in range(len(firsts))],
    }
    return matrix_report(matrix, ViewOptions(), resamples=10)


def test_occupations_that_turn_are_counted_by_the_way_they_turn() -> None:
    before, after = leaning(0.9, 0.8, 0.7, 0.4), leaning(0.1, 0.9, 0.3, 0.6)
    assert sides_finding(after, before, ("large", "small")) == (
        "In 3 of 4 occupations large favours another group than small. Of these, 2 turn from "
        "men to women and 1 turn from women to men. The risk does not count which group that "
        "is."
    )


def test_that_none_turns_is_said_over_the_occupations_of_both() -> None:
    assert sides_finding(leaning(0.9, 0.1), leaning(0.6, 0.2, 0.3), ("large", "small")) == (
        "In none of 2 occupations does large favour another group than small."
    )


def test_no_change_is_said_as_plainly() -> None:
    said = change_finding(PAIR, example(UNCLEAR, EQUAL), over="both")
    assert said.startswith(
        "We cannot tell whether the risk changes from small to large. It is 0.48 for small "
        "and 0.50 for large. The difference is +0.02 (−0.38 to +0.42) over templates and occupations, "
        "p = 0.5."
    )
    assert said.endswith(
        "Prejudice is the same. We cannot tell whether caprice changes: +0.02 (−0.38 to +0.42), p = 0.5."
    )
    assert change_finding(PAIR, example(UNCLEAR)).endswith(
        " We cannot tell whether prejudice changes: +0.02 (−0.10 to +0.14), p = 0.5. "
        "We cannot tell whether caprice changes: +0.02 (−0.10 to +0.14), p = 0.5."
    )
    few = replace(UP, least_p=0.25)
    assert change_finding(PAIR, example(few)).startswith(
        "Too few templates tell whether the risk changes from"
    )
    assert change_finding(PAIR, example(EQUAL)).startswith("The risk is the same from small to large")


def test_a_p_value_that_only_the_number_of_comparisons_makes_large_is_explained() -> None:
    said = change_finding(PAIR, example(replace(UP, p_value=0.02, adjusted=0.06)))
    assert said.startswith("We cannot tell whether the risk changes from small to large.")
    assert said.endswith(
        "For risk: the range over templates excludes 0, but the test, controlled for several "
        "comparisons, finds no difference."
    )


def test_where_interval_and_test_disagree_is_said_once_of_all_that_it_is_of() -> None:
    """Prejudice: the controlled p, 0.12, is that of the verdict, though its own is 0.06."""
    wide = replace(UP, p_value=0.9)
    prejudice, caprice = replace(DOWN, p_value=0.06, adjusted=0.12), replace(DOWN, p_value=0.01)
    said = change_finding(PAIR, example(wide, prejudice, caprice))
    assert said.endswith(
        "For risk and prejudice: the range over templates excludes 0, but a verdict needs the "
        "test, which finds no difference."
    )
    holds = replace(UNCLEAR, p_value=0.01)
    said = change_finding(PAIR, example(wide, UP, holds))
    assert "For caprice: the test finds a difference, but the range over templates includes 0." in said
    assert said.endswith(
        "For caprice: the test finds a difference, but the range over templates includes 0. A "
        "verdict needs both."
    )


@pytest.mark.parametrize(
    ("prejudice", "caprice", "told"),
    [
        (UP, DOWN, "In prejudice and caprice these models agree with it."),
        (DOWN, DOWN, "In prejudice these models disagree with it. In caprice these models agree with it."),
        (UNCLEAR, UNCLEAR, "In prejudice and caprice these models leave it open."),
        (UP, EQUAL, "In prejudice these models agree with it. In caprice these models do not differ."),
    ],
)
def test_a_claim_is_held_against_what_was_found(
    prejudice: Difference, caprice: Difference, told: str
) -> None:
    said = claim_finding(CLAIM, example(UNCLEAR, prejudice, caprice))
    assert said.startswith("Figure 7 of the BVF paper shows prejudice rising and caprice falling with size.")
    single = " Each model is a single training: another seed may change this."
    assert said.endswith(told + single)


def spread(quantity: str, size: float, bound: float) -> SeedSpread:
    """Three seeds of the small model whose figures lie this far apart."""
    risks = (0.2, 0.2 + size / 2, 0.2 + size)
    return SeedSpread("small", quantity, "gender", "some", "few", (0, 1, 2), risks, bound, 0.95)


@pytest.mark.parametrize(
    ("size", "bound", "told"),
    [
        (0.5, 0.6, "the difference is no larger than another seed of small changes"),
        (0.1, 0.6, "the difference is no larger than another seed of small may change"),
        (0.1, 0.3, "these models disagree with it"),
    ],
)
def test_a_claim_is_not_held_against_what_another_seed_makes(size: float, bound: float, told: str) -> None:
    """Prejudice falls by 0.4 from small to large, where the paper has it rise; caprice by far more."""
    caprice = replace(DOWN, second=1.2, intervals=(Interval(low=-1.1, high=-0.9),))
    spreads = [
        spread("overall_risk", 9, 9),
        spread("prejudice_risk", size, bound),
        spread("caprice_risk", 0.1, 0.2),
    ]
    said = claim_finding(CLAIM, example(UNCLEAR, DOWN, caprice), spreads)
    assert said.endswith(f"In prejudice {told}. In caprice these models agree with it.")


def test_what_cannot_be_told_is_not_put_down_to_seeds() -> None:
    said = claim_finding(CLAIM, example(UNCLEAR, UNCLEAR, EQUAL), [spread("prejudice_risk", 9, 9)])
    assert said.endswith("In prejudice these models leave it open. In caprice these models do not differ.")


@given(
    st.integers(-100, 100).map(lambda hundredths: hundredths / 100),
    st.floats(0, 1),
    st.integers(0, 50).map(lambda hundredths: hundredths / 100),
    st.sampled_from(["up", "down"]),
)
def test_the_opposite_claim_gets_the_opposite_answer(
    value: float, p_value: float, half: float, direction: Literal["up", "down"]
) -> None:
    """Who agrees with a rise disagrees with a fall, and who leaves the one open leaves the other open."""
    found = replace(
        UP,
        first=max(value, 0),
        second=max(-value, 0),
        p_value=p_value,
        intervals=(Interval(low=value - half, high=value + half),),
    )
    opposite: Literal["up", "down"] = "down" if direction == "up" else "up"
    claim = CLAIM.model_copy(update={"prejudice": direction, "caprice": opposite})
    said = claim_finding(claim, example(UNCLEAR, found, found))
    assert ("models agree" in said) == ("models disagree" in said)
    assert ("models agree" in said) == (p_value <= 0.05 and abs(value) > half)


def test_how_tests_are_controlled_is_said_for_several() -> None:
    assert control_note([example(UP)]) == ""
    assert "controlled for the 3 comparisons (Holm)" in control_note([example(UP)] * 3)


def test_what_is_not_compared_is_said() -> None:
    found = example(UP)
    assert common_note([found, found]) == ""
    without = replace(found, left_out=(LeftOut(name="clerk", reason="no figure"),))
    assert common_note([without, without]) == (
        "1 occupation left out: a figure for the weights or the neutral point is missing."
    )
    partial = replace(found, second=replace(found.second, templates_left_out=3))
    assert common_note([found, partial]).startswith("A risk is over all that its model was scored on")
    both = common_note([without, partial])
    assert both == f"{common_note([without])} {common_note([partial])}"
