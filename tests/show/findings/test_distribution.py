"""Sentences about the contexts of one occupation and about corrected parts, read word by word."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.core.risk import CorrectedRisk, Interval, StereotypeDistribution
from pcf_core.core.run import Preferences
from pcf_core.show.findings.models import corrected_finding
from pcf_core.show.findings.occupations import (
    distribution_finding,
    leaders_finding,
    opening_finding,
    striking_occupation,
)
from tests.show.findings.test_occupations import preferences_of, report_of

ONE = StereotypeDistribution(
    occupation="nurse",
    group="male",
    values=np.array([-0.6, -0.2, 0.4]),
    weights=np.array([0.63, 0.3, 0.07]),
    templates=("a", "b", "c"),
    mean=-0.41,
    sd=0.27,
    overall_risk=0.466,
    prejudice_risk=0.41,
    leads=False,
    mean_interval=Interval(low=-0.5, high=-0.3),
    effective=40.0,
)


def example() -> Preferences:
    return preferences_of([[0.1, 0.3], [0.9, 0.95], [0.25, 0.75]])


def wide(model: str, share: float) -> Interval:
    """A tenth to each side."""
    return Interval(low=max(0.0, share - 0.1), high=min(1.0, share + 0.1))


def test_the_opening_names_whom_each_model_prefers() -> None:
    one, other = example(), preferences_of([[0.9, 0.3], [0.9, 0.95], [0.25, 0.75]])
    preferences = {"m": one, "n": one, "o": other}
    reports = {"m": report_of(one, [93, 7]), "n": report_of(one), "o": report_of(other, [93, 7])}
    assert opening_finding(reports, preferences, "clerk", wide) == (
        "m expects women in 93 % (83–100 %) of the sentences about “clerk”. n expects men in "
        "50 % (40–60 %) of them. o expects women in 93 % (83–100 %) of them."
    )
    assert opening_finding(reports, preferences, "nurse", wide) == (
        "m expects women in 100 % (90–100 %) of the sentences about “nurse”. n expects women "
        "in 100 % (90–100 %) of them. o expects men in 93 % (83–100 %) of them."
    )


def test_the_opening_knows_ties_and_what_is_not_known() -> None:
    even = preferences_of([[0.5, 0.5]], ("clerk",))
    assert opening_finding({"m": report_of(even)}, {"m": even}, "clerk", wide) == (
        "m expects no group in 100 % (90–100 %) of the sentences about “clerk”."
    )
    unknown = replace(even, values=np.full_like(even.values, np.nan))
    assert opening_finding({"m": report_of(even)}, {"m": unknown}, "clerk", wide) == (
        "No sentence about “clerk” is known yet."
    )


def test_the_most_striking_occupation_has_the_highest_mean_risk() -> None:
    one = report_of(preferences_of([[0.9], [0.7], [0.5]]))  # 0.8, 0.4, 0
    other = report_of(preferences_of([[0.5], [0.99], [0.5]]))  # 0, 0.98, 0
    assert striking_occupation({"m": one}) == "nurse"
    assert striking_occupation({"m": one, "n": other}) == "captain"


def test_a_distribution_in_one_sentence() -> None:
    assert distribution_finding(
        "m", ONE, 0.5, Interval(low=0.014, high=0.204), Interval(low=0.0, high=0.088)
    ) == (
        "Over 3 sentences about “nurse”, the stereotype of m towards men has a mean of −0.41 "
        "(−0.50 to −0.30). Its standard deviation is 0.27. It is above 0 in 7 % (1–20 %) of "
        "the sentences and above 0.5 in 0 % (0–9 %). The risk of this occupation is 0.47, "
        "0.06 of it caprice."
    )


def test_shares_are_whole_and_a_threshold_of_0_is_said_once() -> None:
    even = replace(ONE, overall_risk=0.41)
    narrow = Interval(low=0.0641, high=0.0768)
    assert distribution_finding("m", even, 0.0, narrow, narrow).endswith(
        "It is above 0 in 7 % (6–8 %) of the sentences. The risk of this occupation is 0.41, without any "
        "caprice."
    )


def test_leaders_of_several_groups_are_counted() -> None:
    groups = ("a", "b", "c")
    values = np.array([[[0.2, 0.3, 0.5]], [[0.6, 0.2, 0.2]], [[0.2, 0.2, 0.6]], [[0.4, 0.4, 0.2]]])
    preferences = Preferences(groups, ("v", "x", "y", "z"), ("The [X] is [Y].",), values)
    assert leaders_finding("m", report_of(preferences)) == (
        "On average m favours c in 2 of 4 occupations, a in 1 and none in 1. It never favours b."
    )


def test_of_many_groups_some_are_named_and_the_others_counted() -> None:
    """Thirty groups; the first is ahead for two occupations, the next eleven for one each."""
    groups = tuple(f"g{place:02}" for place in range(30))
    leaders = [0, *range(12)]
    values = np.full((len(leaders), 1, len(groups)), 1 / 60)
    for row, leader in enumerate(leaders):
        values[row, 0, leader] += 0.5
    names = tuple(f"x{row}" for row in range(len(leaders)))
    preferences = Preferences(groups, names, ("The [X] is [Y].",), values)
    said = leaders_finding("m", report_of(preferences))
    assert said.startswith(
        "On average m favours g00 in 2 of 13 occupations, g01 in 1, g02 in 1, g03 in 1, g04 "
        "in 1, g05 in 1, g06 in 1, g07 in 1 and 4 other groups in 4."
    )
    assert said.endswith("It never favours the other 18 groups.")
    assert "g08" not in said


def test_leaders_of_a_neutral_model_are_none() -> None:
    assert leaders_finding("m", report_of(preferences_of([[0.5]], ("clerk",)))) == (
        "m favours no group in any of 1 occupation."
    )


@pytest.mark.parametrize(
    ("plug_in", "caprice", "said"),
    [
        (
            0.45,
            0.15,
            (
                "Corrected for few templates, the prejudice of m is 0.40 instead of 0.45. Corrected "
                "for few templates, the caprice of m is 0.20 instead of 0.15."
            ),
        ),
        (
            0.4,
            0.2,
            (
                "Corrected for few templates, the prejudice of m is 0.40, as without the correction. "
                "Corrected for few templates, the caprice of m is 0.20, as without the correction."
            ),
        ),
    ],
)
def test_corrected_parts_stand_beside_the_plug_in_ones(plug_in: float, caprice: float, said: str) -> None:
    found = CorrectedRisk(
        prejudice_risk=0.4,
        caprice_risk=0.2,
        plug_in_prejudice_risk=plug_in,
        plug_in_caprice_risk=caprice,
        headline=False,
    )
    report = replace(report_of(example()), corrected=found)
    assert corrected_finding("m", report) == said
    sampled = replace(report, corrected=found.model_copy(update={"sampling_prejudice": 0.05}))
    told = corrected_finding("m", sampled)
    assert told.startswith(said)
    assert "neutral on average" in told
    assert told.endswith("would show a prejudice of 0.05.")
    assert corrected_finding("m", replace(report, corrected=None)) == ""
