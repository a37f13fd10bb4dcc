"""Sentences about occupations: examples by hand, and what must never be read in one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, RiskReport, StereotypeDistribution
from pcf_core.core.run import Preferences
from pcf_core.measure.tails import caprice_tail
from pcf_core.show.findings import occupations
from pcf_core.show.findings.models import overview_finding, risk_finding, tails_finding
from tests.quick import scaled

OCCUPATIONS = ("nurse", "captain", "clerk")
TEMPLATES = ("The [X] said that [Y].", "The [X] asked if [Y].")
GENDER = ("male", "female")


def preferences_of(male: list[list[float]], occupations: tuple[str, ...] = OCCUPATIONS) -> Preferences:
    share = np.array(male)
    templates = TEMPLATES[: share.shape[1]]
    return Preferences(GENDER, occupations, templates, np.stack([share, 1 - share], axis=-1))


def report_of(preferences: Preferences, weights: list[float] | None = None) -> RiskReport:
    document = {
        "preferences": preferences.values.tolist(),
        "groups": list(preferences.groups),
        "occupations": list(preferences.occupations),
        "templates": list(preferences.templates),
        **({"template_weights": weights} if weights else {}),
    }
    return matrix_report(document, ViewOptions(), resamples=20)


def wide(share: float) -> Interval:
    """A tenth to each side."""
    return Interval(low=max(0.0, share - 0.1), high=min(1.0, share + 0.1))


def of_model(_model: str, share: float) -> Interval:
    return wide(share)


# Nurse leans to female words, captain to male ones, clerk is moody and neutral in the mean.
EXAMPLE = preferences_of([[0.1, 0.3], [0.9, 0.95], [0.25, 0.75]])
OTHER = preferences_of([[0.9, 0.3], [0.9, 0.95], [0.25, 0.75]])
EVEN = preferences_of([[0.5, 0.5]], ("clerk",))
UNKNOWN = replace(EXAMPLE, values=np.full_like(EXAMPLE.values, np.nan))
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


def partial() -> Preferences:
    """A tie for the nurse, one unknown cell of the captain, nothing known of the clerk."""
    values = EXAMPLE.values.copy()
    values[0, 0] = 0.5
    values[1, 0] = np.nan
    values[2] = np.nan
    return replace(EXAMPLE, values=values)


def relative() -> RiskReport:
    """With p* = 0.9 for men, 0.8 is a lean to female words although male words come first."""
    report = matrix_report({"preferences": [[[0.8, 0.2]]], "groups": list(GENDER)}, ViewOptions())
    row = replace(report.occupations[0], stereotype={"male": (0.8 - 0.9) / 0.1, "female": (0.2 - 0.1) / 0.9})
    return replace(report, occupations=(row,))


def of_groups(values: list[list[list[float]]]) -> RiskReport:
    groups = ["a", "b", "c"]
    return matrix_report({"preferences": values, "groups": groups}, ViewOptions(), resamples=20)


def many_groups() -> RiskReport:
    """Thirty groups; the first is ahead for two occupations, the next eleven for one each."""
    groups = tuple(f"g{place:02}" for place in range(30))
    values = np.full((13, 1, 30), 1 / 60)
    for row, leader in enumerate([0, *range(12)]):
        values[row, 0, leader] += 0.5
    names = tuple(f"x{row}" for row in range(13))
    return report_of(Preferences(groups, names, ("The [X] is [Y].",), values))


def examples() -> dict[str, object]:
    three = of_groups([[[0.2, 0.3, 0.5]], [[0.6, 0.2, 0.2]]])
    four = of_groups([[[0.2, 0.3, 0.5]], [[0.6, 0.2, 0.2]], [[0.2, 0.2, 0.6]], [[0.4, 0.4, 0.2]]])
    reports = {"m": report_of(EXAMPLE, [93, 7]), "n": report_of(EXAMPLE), "o": report_of(OTHER, [93, 7])}
    preferences = {"m": EXAMPLE, "n": EXAMPLE, "o": OTHER}
    even = {"m": report_of(EVEN)}
    tilts = {
        "two groups": (report_of(EXAMPLE), *GENDER),
        "a tie": (report_of(EVEN), *GENDER),
        "another reference": (relative(), *GENDER),
        "three groups": (three, "a", "b"),
    }
    shares = Interval(low=0.014, high=0.204), Interval(low=0.0, high=0.088)
    narrow = Interval(low=0.0641, high=0.0768)
    return {
        "tilts": {name: occupations.tilt_finding("m", *given) for name, given in tilts.items()},
        "strongest": {name: occupations.strongest_finding("m", *given) for name, given in tilts.items()},
        "leaders": [occupations.leaders_finding("m", one) for one in (four, many_groups(), report_of(EVEN))],
        "heat maps": [
            occupations.heat_map_finding("m", found, "male", weights)
            for found, weights in ((EXAMPLE, [1, 1]), (EXAMPLE, [1, 0]), (partial(), None), (UNKNOWN, None))
        ],
        "an occupation": {
            name: occupations.occupation_finding("m", report_of(EXAMPLE, [93, 7]), name, EXAMPLE, wide)
            for name in OCCUPATIONS
        },
        "a rare sentence": occupations.occupation_finding(
            "m", report_of(EXAMPLE, [999.9, 0.1]), "clerk", EXAMPLE, wide
        ),
        "ties and unknown cells": {
            name: occupations.occupation_finding("m", report_of(EXAMPLE, [25, 75]), name, partial(), wide)
            for name in OCCUPATIONS
        },
        "groups beyond those named": occupations.occupation_finding(
            "m", many_groups(), "x0", _uneven(), wide
        ),
        "openings": {
            name: occupations.opening_finding(reports, preferences, name, of_model)
            for name in ("clerk", "nurse")
        },
        "an even opening": occupations.opening_finding(even, {"m": EVEN}, "clerk", of_model),
        "an unknown opening": occupations.opening_finding(even, {"m": UNKNOWN}, "clerk", of_model),
        "distributions": [
            occupations.distribution_finding("m", ONE, 0.5, *shares),
            occupations.distribution_finding("m", replace(ONE, overall_risk=0.41), 0.0, narrow, narrow),
        ],
    }


def _uneven() -> Preferences:
    """Twelve sentences about one occupation, each of another group."""
    groups = tuple(f"g{place:02}" for place in range(30))
    values = np.full((1, 12, 30), 1 / 60)
    for sentence in range(12):
        values[0, sentence, sentence] += 0.5
    return Preferences(groups, ("x0",), tuple(f"[X] {n} [Y]" for n in range(12)), values)


def test_whom_a_model_favours_is_counted_by_mean_preference() -> None:
    said = occupations.tilt_finding("m", report_of(EXAMPLE), *GENDER)
    assert said == "m prefers men in 1 of 3 occupations, women in 1 and none in 1."
    turned = occupations.tilt_finding("m", report_of(EXAMPLE), *GENDER[::-1])
    assert turned == "m prefers women in 1 of 3 occupations, men in 1 and none in 1."
    assert "compared with the reference" in occupations.tilt_finding("m", relative(), *GENDER)


def test_sentences_count_by_their_weight() -> None:
    said = occupations.occupation_finding("m", report_of(EXAMPLE, [93, 7]), "clerk", EXAMPLE, wide)
    assert "m prefers women in 93 % of the sentences about “clerk” and men in 7 %." in said
    turned = occupations.occupation_finding("m", report_of(EXAMPLE, [7, 93]), "clerk", EXAMPLE, wide)
    assert "m prefers men in 93 % of the sentences about “clerk” and women in 7 %." in turned
    shares, none = occupations.leading_shares(report_of(EXAMPLE, [25, 75]), "nurse", partial())
    assert (shares["female"], none) == (pytest.approx(0.75), pytest.approx(0.25))


def test_the_most_striking_occupation_has_the_highest_mean_risk() -> None:
    one = report_of(preferences_of([[0.9], [0.7], [0.5]]))  # 0.8, 0.4, 0
    other = report_of(preferences_of([[0.5], [0.99], [0.5]]))  # 0, 0.98, 0
    assert occupations.striking_occupation({"m": one}) == "nurse"
    assert occupations.striking_occupation({"m": one, "n": other}) == "captain"


def test_leading_is_the_clear_maximum() -> None:
    values = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.2, np.nan, 0.8], [1 / 3, 1 / 3 + 1e-16, 1 / 3]])
    assert occupations.leading(values).tolist() == [1, -1, -1, -1]
    assert occupations.leading(np.array([[1.0]])).tolist() == [0]


@st.composite
def preferences(draw: st.DrawFn) -> FloatArray:
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(2, 4)))
    parts = draw(
        st.lists(
            st.sampled_from([0.0, 1e-9, 0.5, 1.0, 3.0]),
            min_size=int(np.prod(shape)),
            max_size=int(np.prod(shape)),
        )
    )
    values = np.array(parts).reshape(shape) + 1e-12
    return np.asarray(values / values.sum(axis=-1, keepdims=True))


@settings(max_examples=scaled(60), deadline=None)
@given(preferences())
def test_no_sentence_reads_nan_none_or_an_unformatted_number(values: FloatArray) -> None:
    groups = [f"group {letter}" for letter in "abcd"[: values.shape[2]]]
    report = matrix_report({"preferences": values.tolist(), "groups": groups}, ViewOptions(), resamples=5)
    names = tuple(row.occupation for row in report.occupations)
    given_to = Preferences(tuple(groups), names, report.templates, values)
    tail = caprice_tail([row.caprice_risk for row in report.occupations])
    sentences = [
        risk_finding("m", report),
        occupations.tilt_finding("m", report, groups[0], groups[1]),
        occupations.heat_map_finding("m", given_to, groups[0], report.template_weights),
        tails_finding("m", report, tail.zero_share, tail.excess_kurtosis),
        occupations.occupation_finding("m", report, names[0], given_to, wide),
        overview_finding({"m": report}),
    ]
    strongest = occupations.strongest_finding("m", report, groups[0], groups[1])
    for sentence in [*sentences, strongest] if strongest else sentences:
        assert sentence.endswith(".")
        words = sentence.replace("(", " ").replace(")", " ").split()
        assert not {"nan", "None", "inf", "unknown", "-0", "−0"} & set(words)
        digits = [word.strip(".,;") for word in words if word[0].isdigit()]
        assert all(len(word.replace(".", "").replace("–", "")) <= 24 and "e-" not in word for word in digits)
