"""Sentences about occupations: worked examples by hand, and what must never be read in one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.run import Preferences
from pcf_core.measure.tails import caprice_tail
from pcf_core.show.findings.models import overview_finding, risk_finding
from pcf_core.show.findings.occupations import (
    heat_map_finding,
    leading,
    occupation_finding,
    strongest_finding,
    tilt_finding,
)
from pcf_core.show.findings.tails import tails_finding

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


@pytest.fixture
def example() -> Preferences:
    """Nurse leans to female words, captain to male ones, clerk is moody and neutral in the mean."""
    return preferences_of([[0.1, 0.3], [0.9, 0.95], [0.25, 0.75]])


def test_tilt_counts_the_occupations_and_names_the_strongest(example: Preferences) -> None:
    assert tilt_finding("mini-bert", report_of(example), "male", "female") == (
        "mini-bert favours men in 1 of 3 occupations, women in 1 and none in 1."
    )
    assert strongest_finding("mini-bert", report_of(example), "male", "female") == (
        "mini-bert leans most to men for captain (0.85). It leans most to women for nurse (0.60)."
    )


def test_tilt_of_one_neutral_occupation_names_no_lean() -> None:
    report = report_of(preferences_of([[0.5, 0.5]], ("clerk",)))
    assert tilt_finding("m", report, "male", "female") == (
        "m favours men in 0 of 1 occupation, women in 0 and none in 1."
    )
    assert strongest_finding("m", report, "male", "female") == ""


def test_tilt_against_another_reference_says_so() -> None:
    """With p* = 0.9 for men, 0.8 is a lean to female words although male words come first."""
    report = matrix_report({"preferences": [[[0.8, 0.2]]], "groups": ["male", "female"]}, ViewOptions())
    row = report.occupations[0]
    stereotype = {"male": (0.8 - 0.9) / 0.1, "female": (0.2 - 0.1) / 0.9}
    relative = type(row)(**{**vars(row), "stereotype": stereotype})
    report = type(report)(**{**vars(report), "occupations": (relative,)})
    assert tilt_finding("m", report, "male", "female") == (
        "m favours men, compared with the reference, in 0 of 1 occupation and women in 1."
    )


def test_tilt_of_more_groups_counts_the_others() -> None:
    document = {"preferences": [[[0.2, 0.3, 0.5]], [[0.6, 0.2, 0.2]]], "groups": ["a", "b", "c"]}
    report = matrix_report(document, ViewOptions())
    assert tilt_finding("m", report, "a", "b") == (
        "m favours a in 1 of 2 occupations, b in 0 and another group in 1."
    )
    assert strongest_finding("m", report, "a", "b") == "m leans most to a for occupation 2 (0.40)."


def test_heat_map_quotes_its_extreme_prompts_and_counts_who_changes(example: Preferences) -> None:
    assert heat_map_finding("mini-gpt", example, "male", [1, 1]) == (
        "mini-gpt gives male words the least probability, 10 %, in “The nurse said that …”. "
        "It gives them the most, 95 %, in “The captain asked if …”. In 1 of 3 occupations the "
        "sentence decides which group it expects."
    )
    without = heat_map_finding("mini-gpt", example, "male", [1, 0])
    assert "It gives them the most, 90 %, in “The captain said that …”." in without
    assert "In 0 of 3 occupations" in without


def test_heat_map_of_a_partial_result_speaks_of_what_is_known(example: Preferences) -> None:
    values = example.values.copy()
    values[1] = np.nan
    partial = Preferences(GENDER, OCCUPATIONS, TEMPLATES, values)
    assert ("It gives them the most, 75 %, in “The clerk asked if …”.") in heat_map_finding(
        "m", partial, "male"
    )
    nothing = Preferences(GENDER, OCCUPATIONS, TEMPLATES, np.full_like(values, np.nan))
    assert heat_map_finding("m", nothing, "male") == "No probability of m is known yet."


def test_an_occupation_is_counted_by_weight(example: Preferences) -> None:
    report = report_of(example, [93, 7])
    assert occupation_finding(report, "clerk", example, wide) == (
        "Of the sentences about “clerk”, 93 % lean to women and 7 % to men. With other sentences of this "
        "kind it would be 83 to 100 % and 0 to 17 %."
    )
    assert "100 % lean to men. With" in occupation_finding(report, "captain", example, wide)
    rare = report_of(example, [999.9, 0.1])
    said = occupation_finding(rare, "clerk", example, wide)
    assert "over 99 % lean to women and under 1 % to men." in said
    assert said.endswith("it would be 90 to 100 % and 0 to 10 %.")


def test_ties_and_unknown_cells_prefer_no_group(example: Preferences) -> None:
    values = example.values.copy()
    values[0, 0] = 0.5
    values[1, 0] = np.nan
    values[2] = np.nan
    partial = Preferences(GENDER, OCCUPATIONS, TEMPLATES, values)
    report = report_of(example, [25, 75])
    assert "75 % lean to women and 25 % to none." in occupation_finding(report, "nurse", partial, wide)
    assert "100 % lean to men. With" in occupation_finding(report, "captain", partial, wide)
    assert occupation_finding(report, "clerk", partial, wide) == "No sentence about “clerk” is known yet."


def test_leading_is_the_clear_maximum() -> None:
    values = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.2, np.nan, 0.8], [1 / 3, 1 / 3 + 1e-16, 1 / 3]])
    assert leading(values).tolist() == [1, -1, -1, -1]
    assert leading(np.array([[1.0]])).tolist() == [0]


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


@settings(max_examples=60, deadline=None)
@given(preferences())
def test_no_sentence_reads_nan_none_or_an_unformatted_number(values: FloatArray) -> None:
    groups = [f"group {letter}" for letter in "abcd"[: values.shape[2]]]
    report = matrix_report({"preferences": values.tolist(), "groups": groups}, ViewOptions(), resamples=5)
    names = tuple(row.occupation for row in report.occupations)
    given_to = Preferences(tuple(groups), names, report.templates, values)
    tail = caprice_tail([row.caprice_risk for row in report.occupations])
    sentences = [
        risk_finding("m", report),
        tilt_finding("m", report, groups[0], groups[1]),
        heat_map_finding("m", given_to, groups[0], report.template_weights),
        tails_finding("m", report, tail.zero_share, tail.excess_kurtosis),
        occupation_finding(report, names[0], given_to, wide),
        overview_finding({"m": report}),
    ]
    strongest = strongest_finding("m", report, groups[0], groups[1])
    for sentence in [*sentences, strongest] if strongest else sentences:
        assert sentence.endswith(".")
        words = sentence.replace("(", " ").replace(")", " ").split()
        assert not {"nan", "None", "inf", "unknown", "-0", "−0"} & set(words)
        digits = [word.strip(".,;") for word in words if word[0].isdigit()]
        assert all(len(word.replace(".", "").replace("–", "")) <= 24 and "e-" not in word for word in digits)
