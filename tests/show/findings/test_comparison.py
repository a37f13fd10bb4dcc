"""Sentences about two runs: who has more, by how much, and what cannot be told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.core.risk import Interval
from pcf_core.show.findings.comparison import (
    difference_finding,
    difference_text,
    occupations_difference_finding,
    verdict_text,
)
from tests.show.charts.compared import compared_example, difference

CLEAR = difference(0.6, 0.2, clear=True)
FEW = difference(0.6, 0.2, clear=True, least_p=0.25)
UNCLEAR = difference(0.5, 0.48, clear=False)
SAME = replace(UNCLEAR, second=0.5, p_value=1.0, intervals=(Interval(low=0, high=0),))


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (CLEAR, "first", "A is higher"),
        (difference(0.2, 0.6, clear=True), "second", "B is higher"),
        (UNCLEAR, "unclear", "we cannot tell them apart with these sentences"),
        (FEW, "too few", "we cannot tell them apart with these sentences: too few for a test"),
        (replace(CLEAR, adjusted=0.2), "unclear", "we cannot tell them apart with these sentences"),
        (
            replace(CLEAR, adjusted=None, p_value=0.2),
            "unclear",
            "we cannot tell them apart with these sentences",
        ),
        (replace(CLEAR, adjusted=None), "first", "A is higher"),
        (
            replace(CLEAR, intervals=(Interval(low=-0.01, high=0.9),)),
            "unclear",
            "we cannot tell them apart with these sentences",
        ),
        (SAME, "equal", "the same"),
        (replace(UNCLEAR, second=0.5), "unclear", "we cannot tell them apart with these sentences"),
    ],
)
def test_a_verdict_needs_the_test_and_the_interval(found, verdict, words):
    assert found.verdict == verdict
    assert verdict_text(found, "A", "B") == words


def test_differences_carry_their_sign_and_the_interval_asked_for():
    assert difference_text(CLEAR) == "+0.40 (+0.30 to +0.50)"
    assert difference_text(CLEAR, "occupations") == "+0.40 (+0.10 to +0.70)"
    assert difference_text(difference(0.2, 0.6, clear=True), "both") == "−0.40 (−0.80 to 0.00)"
    assert difference_text(replace(CLEAR, intervals=())) == "+0.40"
    tiny = replace(
        CLEAR, first=3e-7, second=0.0, intervals=(Interval(over="templates", low=1e-7, high=5e-7),)
    )
    assert difference_text(tiny) == "0.00 (0.00 to 0.00)"
    uneven = replace(CLEAR, first=0.7, second=0.7064, intervals=(Interval(low=-0.0097, high=-0.00333),))
    assert difference_text(uneven) == "−0.01 (−0.01 to 0.00)"


def example_with(found, **changes):
    return replace(compared_example(), differences={"overall_risk": found, "caprice_risk": found}, **changes)


def test_who_has_more_is_said_with_both_figures():
    assert difference_finding(example_with(CLEAR)) == (
        "The risk of mini-<i>bert</i> is higher than that of mini-gpt: 0.60 against 0.20. The "
        "difference is +0.40 (+0.30 to +0.50) over templates, p = 0.001 (p = 0.007 "
        "controlled). Both are scored on the same 7 occupations and 2 templates."
    )
    assert "The caprice of mini-gpt is higher" in difference_finding(
        example_with(difference(0.2, 0.6, clear=True)), "caprice_risk"
    )


def test_what_cannot_be_told_is_said():
    assert difference_finding(example_with(UNCLEAR), over="both").startswith(
        "We cannot tell the risk of mini-<i>bert</i> (0.50) and that of mini-gpt (0.48) apart with these "
        "sentences. The difference is +0.02 (−0.38 to +0.42) over templates and occupations, p = 0.5"
    )
    assert "p = 0.25 is the smallest" in difference_finding(example_with(FEW))
    assert "have the same risk, 0.50" in difference_finding(example_with(SAME))


def test_an_interval_that_leaves_out_0_beside_a_test_that_does_not_reject_is_explained():
    documents = Interval(low=0.01, high=0.03, unit="document")
    whole = Interval(low=-0.2, high=0.3)
    found = replace(UNCLEAR, intervals=(documents, whole), adjusted=None)
    said = difference_finding(example_with(found, effective_templates=17.2))
    assert (
        "The difference is +0.02 (+0.01 to +0.03) over documents, p = 0.5."
    ) in said  # of one pair alone nothing is controlled
    assert "The range over documents excludes 0, but the test swaps whole templates." in said
    assert "count as 17.2" in said


def test_a_test_that_rejects_beside_an_interval_that_holds_0_is_explained() -> None:
    found = replace(CLEAR, intervals=(Interval(low=-0.01, high=0.9),), adjusted=None)
    said = difference_finding(example_with(found))
    assert said.endswith(
        "The test finds a difference, but the range over templates includes 0. A verdict needs both."
    )
    assert "A verdict needs both" not in difference_finding(example_with(UNCLEAR))


def test_what_is_explained_is_the_interval_that_is_shown() -> None:
    mentions = Interval(low=0.01, high=0.03, unit="mention")
    holds = Interval(over="occupations", low=-0.1, high=0.2, unit="occupation")
    found = replace(UNCLEAR, intervals=(mentions, holds, Interval(low=-0.2, high=0.3)), adjusted=None)
    assert "excludes 0" not in difference_finding(example_with(found), over="occupations")
    assert ("The range over mentions excludes 0, but the test swaps whole templates.") in difference_finding(
        example_with(found)
    )


def test_a_shown_interval_that_the_verdict_does_not_follow_is_explained() -> None:
    """The verdict rests on the interval over templates: another one may hold 0, or leave it out alone."""
    across = Interval(over="both", low=-0.1, high=0.9)
    said = difference_finding(
        example_with(replace(CLEAR, intervals=(*CLEAR.intervals[:2], across))), over="both"
    )
    assert (
        "The test and the range over templates say so for these occupations; the range over "
        "templates and occupations includes 0."
    ) in said
    basis, out = (
        Interval(low=-0.1, high=0.5),
        Interval(over="occupations", low=0.1, high=0.3, unit="occupation"),
    )
    found = replace(CLEAR, intervals=(basis, out), adjusted=None)
    said = difference_finding(example_with(found), over="occupations")
    assert said.endswith(
        "The range over occupations excludes 0, but the one over templates, −0.10 to +0.50, includes it."
    )


def test_two_caprices_of_0_have_no_interval_from_0_to_0() -> None:
    none = replace(SAME, first=0.0, second=0.0)
    assert difference_text(none) == "0: both are 0 in every sentence here"


def test_occupations_that_survive_are_counted_and_the_largest_named():
    assert occupations_difference_finding(compared_example()) == (
        "The risk differs beyond chance in 3 of 7 occupations (false discoveries controlled "
        "at 5 %). mini-<i>bert</i> has more in 2, most for “nurse” (0.60) and “stylist” "
        "(0.30). mini-gpt has more in 1, most for “engineer” (0.60). We cannot tell them "
        "apart in the other 4 with these sentences."
    )


def test_no_occupation_and_too_few_templates_are_other_sentences():
    none = tuple(
        replace(row, differences={"overall_risk": UNCLEAR}) for row in compared_example().occupations
    )
    said = occupations_difference_finding(replace(compared_example(), occupations=none))
    assert said == (
        "In none of 7 occupations is the difference in risk beyond chance (false discoveries "
        "controlled at 5 %)."
    )
    few = occupations_difference_finding(compared_example(least_p=0.5))
    assert few == (
        "No difference in risk can be shown for a single occupation. With 2 templates, p = "
        "0.5 is the smallest that the test can give."
    )


NARROW = replace(
    CLEAR, first=0.205, second=0.2, intervals=(Interval(low=0.002, high=0.008),), adjusted=None, margin=0.02
)


def test_a_clear_difference_inside_the_margin_is_too_small_to_matter() -> None:
    """The margin is no part of the verdict: what differs, differs; no order of the two is stated."""
    assert (NARROW.verdict, NARROW.negligible, NARROW.ordered) == ("first", True, False)
    assert verdict_text(NARROW, "a", "b") == "different, and too small to matter"
    said = difference_finding(example_with(NARROW))
    assert (
        "The risk of mini-<i>bert</i> (0.20) and that of mini-gpt (0.20) differ too little to "
        "matter, by less than 0.02."
    ) in said
    assert "higher" not in said
    assert verdict_text(replace(NARROW, margin=0.008), "a", "b") == "a is higher"
    assert verdict_text(replace(NARROW, margin=0.0), "a", "b") == "a is higher"
    low = replace(NARROW, intervals=(Interval(low=-0.02, high=-0.002),), first=0.195)
    assert not low.negligible, "the end of the interval is no longer inside"


def test_what_cannot_be_told_apart_and_lies_inside_the_margin_is_little_in_any_case() -> None:
    around = replace(NARROW, intervals=(Interval(low=-0.008, high=0.01),))
    assert (around.verdict, around.negligible, around.ordered) == ("unclear", True, False)
    assert "If they differ, then by less than 0.02." in difference_finding(example_with(around))


def test_a_small_difference_of_documents_alone_is_not_negligible() -> None:
    counts_only = Interval(low=0.002, high=0.008, unit="document")
    wide = replace(NARROW, intervals=(counts_only, Interval(low=0.001, high=0.3)))
    assert wide.ordered
