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
        "Of the sentences about “clerk”, by weight and with 95 % intervals, m expects women in "
        "93 % (83–100 %), n expects men in 50 % (40–60 %) and o expects women in 93 % "
        "(83–100 %)."
    )
    assert opening_finding(reports, preferences, "nurse", wide) == (
        "Of the sentences about “nurse”, by weight and with 95 % intervals, m expects women in "
        "100 % (90–100 %), n in 100 % (90–100 %) and o expects men in 93 % (83–100 %)."
    )


def test_the_opening_knows_ties_and_what_is_not_known() -> None:
    even = preferences_of([[0.5, 0.5]], ("clerk",))
    assert opening_finding({"m": report_of(even)}, {"m": even}, "clerk", wide) == (
        "Of the sentences about “clerk”, by weight and with 95 % intervals, m expects no group "
        "in 100 % (90–100 %)."
    )
    unknown = replace(even, values=np.full_like(even.values, np.nan))
    assert opening_finding({"m": report_of(even)}, {"m": unknown}, "clerk", wide) == (
        "No context about “clerk” is known yet."
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
        "m: over 3 sentences about “nurse” the stereotype towards men has the mean −0.41 (−0.50 to "
        "−0.30) and the standard deviation 0.27; it is above 0 in 7 % (1–20 %) and above 0.5 in under 1 % "
        "(0–9 %) of them. The risk of this occupation is 0.47, 0.06 of it caprice."
    )


def test_narrow_shares_take_a_decimal_and_a_threshold_of_0_is_said_once() -> None:
    even = replace(ONE, overall_risk=0.41)
    narrow = Interval(low=0.0641, high=0.0768)
    assert distribution_finding("m", even, 0.0, narrow, narrow).endswith(
        "it is above 0 in 7.0 % (6.4–7.7 %) of them. The risk of this occupation is 0.41, without any "
        "caprice."
    )


def test_leaders_of_several_groups_are_counted() -> None:
    groups = ("a", "b", "c")
    values = np.array([[[0.2, 0.3, 0.5]], [[0.6, 0.2, 0.2]], [[0.2, 0.2, 0.6]], [[0.4, 0.4, 0.2]]])
    preferences = Preferences(groups, ("v", "x", "y", "z"), ("The [X] is [Y].",), values)
    assert leaders_finding("m", report_of(preferences)) == (
        "On average m puts words of “c” first for 2 of 4 occupations, words of “a” for 1 and none for 1; "
        "never words of “b”."
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
        "On average m puts words of “g00” first for 2 of 13 occupations, words of “g01” for 1"
    )
    assert said.endswith(
        "words of “g07” for 1 and those of 4 other groups for 4; never those of the other 18 groups."
    )
    assert "g08" not in said


def test_leaders_of_a_neutral_model_are_none() -> None:
    assert leaders_finding("m", report_of(preferences_of([[0.5]], ("clerk",)))) == (
        "m puts no group's words first for any of 1 occupation."
    )


@pytest.mark.parametrize(
    ("plug_in", "caprice", "said"),
    [
        (
            0.45,
            0.15,
            "m: prejudice is 0.45 in these templates and 0.40 corrected for how few they are; caprice is "
            "0.15 in these templates and 0.20 corrected for how few they are.",
        ),
        (
            0.4,
            0.2,
            "m: prejudice is 0.40 with and without the correction for few templates; caprice is 0.20 with "
            "and without the correction for few templates.",
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
    assert corrected_finding("m", sampled) == (
        f"{said} A model that is neutral on average for every occupation would, with so few templates, "
        "show a prejudice of 0.05."
    )
    assert corrected_finding("m", replace(report, corrected=None)) == ""
