"""Decisions about people: worked examples, properties, a second opinion, and coverage of the intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.errors import CriterionError
from pcf_core.measure.decisions import (
    People,
    RateCriterion,
    decisions_of,
    rates_of_comparisons,
    shares_of_guises,
)
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.resampling import TemplateUnit

EMILY_AND_LAKISHA = {"rates": [[[0.6, 0.4], [0.6, 0.8]]], "groups": ["Emily", "Lakisha"]}
RANGE = RateCriterion()
rates = st.integers(2, 4).flatmap(
    lambda groups: arrays(float, (2, 3, groups), elements=st.floats(0, 1, allow_subnormal=False))
)


def risks_of(values: Any) -> np.ndarray:
    parts = total(decompose(values, [1, 2, 3], RANGE), [3, 1])
    return np.array([parts.overall_risk, parts.prejudice_risk, parts.caprice_risk])


def test_worked_example_of_decisions() -> None:
    report = matrix_report(EMILY_AND_LAKISHA, ViewOptions())
    decisions = report.decisions
    assert decisions is not None
    assert decisions.order_bias is None
    assert [report.overall_risk, report.prejudice_risk, report.caprice_risk] == pytest.approx([0.2, 0, 0.2])
    assert decisions.mean == pytest.approx({"Emily": 0.6, "Lakisha": 0.6})
    assert decisions.selection_rate == {"Emily": 1, "Lakisha": 0.5}
    assert decisions.impact_ratio == pytest.approx(1)
    assert decisions.selection_impact_ratio == 0.5
    assert decisions.worst_pair == ("Emily", "Lakisha")
    interval = decisions.interval("impact_ratio")
    assert interval is not None
    assert interval.high == 1


def test_worked_example_of_the_guise() -> None:
    guises = [[[0.02, 0.01], [0.03, 0.01], [0.01, 0.02]]]
    assert shares_of_guises(np.array(guises))[0, :, 0] == pytest.approx([2 / 3, 3 / 4, 1 / 3])
    report = matrix_report({"guises": guises}, ViewOptions())
    assert report.decisions is None
    assert [report.overall_risk, report.prejudice_risk, report.caprice_risk] == pytest.approx(
        [7 / 18, 1 / 6, 2 / 9]
    )
    rarer = (np.array(guises) / 1000).tolist()  # a word's frequency cancels
    assert matrix_report({"guises": rarer}, ViewOptions()).overall_risk == pytest.approx(7 / 18)


def test_worked_example_of_decisions_between_two_people() -> None:
    """Named first, A wins 80 and 60 of 100 times, B 60 and 80: alike, and the first has 40 more."""
    wins = [[[[0, 0.8], [0.6, 0]], [[0, 0.6], [0.8, 0]]]]
    report = matrix_report({"comparisons": wins, "groups": ["A", "B"]}, ViewOptions())
    assert report.decisions is not None
    assert report.decisions.mean == pytest.approx({"A": 0.5, "B": 0.5})
    assert report.decisions.order_bias == pytest.approx(0.4)
    assert [report.overall_risk, report.prejudice_risk, report.caprice_risk] == pytest.approx([0.2, 0, 0.2])


@given(arrays(np.float64, (2, 3, 4, 4), elements=st.floats(0, 1)))
def test_the_order_of_two_people_cancels_and_their_scores_sum_to_half(wins: np.ndarray) -> None:
    rates, bias = rates_of_comparisons(wins)
    assert rates.mean(axis=-1) == pytest.approx(0.5)
    turned, opposite = rates_of_comparisons(1 - np.swapaxes(wins, -1, -2))  # the other order of each pair
    assert turned == pytest.approx(rates)
    assert opposite == pytest.approx(-bias)


@given(rates)
def test_exchanging_favourable_and_unfavourable_changes_no_risk(values: np.ndarray) -> None:
    risk, prejudice, caprice = risks_of(values)
    assert risks_of(1 - values) == pytest.approx([risk, prejudice, caprice], abs=1e-12)
    assert risk == prejudice + caprice
    assert prejudice >= 0
    assert 0 <= caprice <= 1


@given(rates, st.floats(0, 1))
def test_the_range_is_convex_and_within_its_box(values: np.ndarray, share: float) -> None:
    one, other = RANGE.stereotypes(values)
    mixed = RANGE.of_stereotypes(share * one + (1 - share) * other)
    ends = RANGE.of_stereotypes(one), RANGE.of_stereotypes(other)
    assert (mixed <= share * ends[0] + (1 - share) * ends[1] + 1e-12).all()
    low, high = RANGE.of_box(np.minimum(one, other), np.maximum(one, other))
    assert (low <= mixed + 1e-12).all()
    assert (mixed <= high + 1e-12).all()
    slope = RANGE.gradient(one)
    assert (slope * one).sum(axis=-1) == pytest.approx(ends[0], abs=1e-12)
    assert (ends[1] >= ends[0] + (slope * (other - one)).sum(axis=-1) - 1e-12).all()  # above its tangent


@given(arrays(float, (2, 3, 5), elements=st.floats(0.01, 1)))
def test_a_second_calculation_agrees(values: np.ndarray) -> None:
    occupations, templates, group = np.array([3.0, 1.0]), np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1, 1, 1])
    people = People(values, group)
    decisions, _ = decisions_of(people, "ab", TemplateUnit.templates(templates), occupations, resamples=0)
    weights = np.outer(occupations / 4, templates / 6)
    for index, name in enumerate("ab"):
        mine = values[:, :, group == index]
        assert decisions.mean[name] == pytest.approx(
            sum((weights * one).sum() for one in np.moveaxis(mine, 2, 0)) / mine.shape[2]
        )
        assert decisions.selection_rate[name] == pytest.approx(
            (weights[..., None] * (mine >= 0.5)).sum() / mine.shape[2]
        )
    assert decisions.impact_ratio == pytest.approx(
        min(decisions.mean.values()) / max(decisions.mean.values())
    )


def test_ratios_of_nothing_are_missing_and_of_tiny_numbers_flagged() -> None:
    none = matrix_report({"rates": [[[0, 0], [0, 0]]]}, ViewOptions(), 50)
    assert none.decisions is not None
    assert none.decisions.impact_ratio is none.decisions.selection_impact_ratio is None
    tiny = matrix_report({"rates": [[[0.01, 0.019]]]}, ViewOptions(), 50)
    enough = matrix_report({"rates": [[[0.01, 0.02]]]}, ViewOptions(), 50)
    assert any("tiny" in warning for warning in tiny.warnings)
    assert not any("tiny" in warning for warning in enough.warnings)


@pytest.mark.parametrize(
    ("document", "options", "sentence"),
    [
        ({"rates": [[[0.5, 1.1]]]}, {}, r"rates\[0\]\[0\] holds a rate outside 0 to 1 \(got 0.5, 1.1\)"),
        ({"rates": [[[0.5, float("nan")]]]}, {}, "finite numbers"),
        ({"rates": [[[0.5, 0.1], [0.5]]]}, {}, "rectangular list of numbers with 3 axes"),
        ({"rates": [[[0.5], [0.4]]]}, {}, "two groups"),
        ({"rates": [[[0.5, 0.1]]], "groups": ["a", "a"]}, {}, "2 distinct, printable names"),
        (
            {"rates": [[[0.5, 0.1]]], "preferences": [[[0.5, 0.5]]]},
            {},
            "`preferences`, `rates`, `guises` or `counts`",
        ),
        ({"rates": [[[0.5, 0.1]]], "people": []}, {}, "at most"),
        ({"rates": [[[0.5, 0.1]]]}, {"criterion": "l2"}, "by their range"),
        ({"comparisons": [[[[0, 0.5]]]]}, {}, "a row and a column for each"),
        ({"guises": [[[0, 0]]]}, {}, "above 0 for at least one group"),
    ],
)
def test_refusals(document: object, options: dict[str, str], sentence: str) -> None:
    with pytest.raises(CriterionError, match=sentence):
        matrix_report(document, ViewOptions(**options))


def test_intervals_over_people_hold_the_truth() -> None:
    """Draw people of two groups with one mean, or of which one gets 80 %: ratios are covered in 9 of 10."""
    generator, covered = np.random.default_rng(7), np.zeros(2)
    for _ in range(60):
        for case, ratio in enumerate((1.0, 0.8)):
            of_people = np.concatenate([generator.normal(0.5, 0.1, 8), generator.normal(0.5 * ratio, 0.1, 8)])
            of_templates = generator.normal(0, 0.1, 12)[:, np.newaxis] * np.ones(16)
            values = (of_people + of_templates + generator.normal(0, 0.05, (12, 16))).clip(0.01, 0.99)
            people = People(values[np.newaxis], np.repeat([0, 1], 8))
            unit = TemplateUnit.templates(np.ones(12))
            decisions, risks = decisions_of(people, "ab", unit, [1], resamples=200)
            interval = decisions.interval("impact_ratio", "all")
            assert interval is not None
            assert {one.over for one in risks["overall_risk"]} == {"people", "all"}
            covered[case] += interval.low <= ratio <= interval.high
    assert (covered >= 0.88 * 60).all(), covered
