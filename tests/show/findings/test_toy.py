"""Sentences about the made-up examples."""

from __future__ import annotations

import pytest

from pcf_core.measure.reference_models import ToyRisk, older_bias, older_deviation, toy_risk, two_models
from pcf_core.show.findings.toy import (
    caprice_finding,
    flow_finding,
    older_finding,
    parts_finding,
    reference_finding,
    two_models_finding,
)


def nurse(first: float, second: float) -> ToyRisk:
    return toy_risk("nurse", ("male", "female"), ("context 1", "context 2"), [first, second])


@pytest.mark.parametrize(
    ("shares", "parts", "why"),
    [
        (
            (0.9, 0.35),
            "The risk is 0.55: 0.25 is prejudice and 0.30 caprice.",
            "There is caprice because the contexts disagree about the group that comes first.",
        ),
        (
            (0.9, 0.6),
            "The risk is 0.50: 0.50 is prejudice and 0 caprice.",
            "There is no caprice, because every context leans the same way. Still the stereotype moves, with "
            "a standard deviation of 0.30.",
        ),
        (
            (0.9, 0.9),
            "The risk is 0.80: 0.80 is prejudice and 0 caprice.",
            "There is no caprice, because all contexts agree.",
        ),
        ((0.5, 0.5), "Every context is neutral: there is no risk.", ""),
    ],
)
def test_one_occupation(shares: tuple[float, float], parts: str, why: str) -> None:
    assert parts_finding(nurse(*shares)) == parts
    assert caprice_finding(nurse(*shares)) == why


def test_the_two_models() -> None:
    models = two_models()
    assert two_models_finding(models) == (
        "M1 has a risk of 0.20: 0.20 prejudice and 0 caprice. M2 has a risk of 0.20: 0 "
        "prejudice and 0.20 caprice."
    )
    older = older_finding(models, list(map(older_bias, models)), list(map(older_deviation, models)))
    assert older.startswith("The mean preference is off neutral by 0.10 for M1 and 0 for M2.")
    assert "20 % for M1 and 20 % for M2" in older


def test_a_reference_model() -> None:
    said = reference_finding("randomly initialised", 10, 0.175, 0.0)
    assert said.startswith("Seen in 10 contexts, the randomly initialised model has a prejudice of 0.17.")
    assert said.endswith("it would be 0.")


def test_a_matrix() -> None:
    toys = [nurse(0.9, 0.35), toy_risk("pilot", ("male", "female"), ("context 1", "context 2"), [1, 1])]
    assert flow_finding(toys) == ("4 preferences become 2 risks; the largest is that of the pilot, 1.00.")


def test_three_groups() -> None:
    toy = toy_risk("x", ("A", "B", "C"), ("context 1", "context 2"), [[0.8, 0.1, 0.1], [1 / 3, 1 / 3, 1 / 3]])
    assert parts_finding(toy) == "The risk is 0.35: 0.35 is prejudice and 0 caprice."
    other = toy_risk("x", ("A", "B", "C"), ("context 1", "context 2"), [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])
    assert caprice_finding(other).endswith("because the contexts do not lean alike.")
