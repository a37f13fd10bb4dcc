"""Sentences about the made-up examples."""

from __future__ import annotations

import pytest

from pcf_core.measure.toy import ToyRisk, older_bias, older_deviation, simplex_risk, toy_risk, two_models
from pcf_core.show.findings.toy import (
    flow_finding,
    reference_finding,
    simplex_finding,
    toy_finding,
    two_models_finding,
)


def nurse(first: float, second: float) -> ToyRisk:
    return toy_risk("nurse", ("male", "female"), ("context 1", "context 2"), [first, second])


@pytest.mark.parametrize(
    ("shares", "end"),
    [
        (
            (0.9, 0.35),
            "The risk is 0.55: 45 % is prejudice (0.25), 55 % caprice (0.30). "
            "There is caprice because the contexts disagree about the group that comes first.",
        ),
        (
            (0.9, 0.6),
            "The risk is 0.50: 100 % is prejudice (0.50), 0 % caprice (0). There is no caprice, because "
            "every context leans the same way. Still the stereotype moves, with a standard deviation of "
            "0.30.",
        ),
        (
            (0.9, 0.9),
            "The risk is 0.80: 100 % is prejudice (0.80), 0 % caprice (0). "
            "There is no caprice, because all contexts agree.",
        ),
        ((0.5, 0.5), "Every context is neutral: there is no risk."),
    ],
)
def test_one_occupation(shares: tuple[float, float], end: str) -> None:
    first, second = (round(100 * share) for share in shares)
    start = f"For the nurse, the model favours men {first} of 100 times in context 1"
    assert toy_finding(nurse(*shares)) == f"{start} and {second} of 100 times in context 2. {end}"


def test_the_two_models() -> None:
    models = two_models()
    said = two_models_finding(models, list(map(older_bias, models)), list(map(older_deviation, models)))
    assert "The mean preference is off neutral by 0.10 for M1 and 0 for M2." in said
    assert "20 % for M1 and 20 % for M2" in said
    assert (
        "M1 has a risk of 0.20: 0.20 prejudice and 0 caprice. M2 has a risk of 0.20: 0 "
        "prejudice and 0.20 caprice."
    ) in said


def test_a_reference_model() -> None:
    said = reference_finding("randomly initialised", 10, 0.175, 0.0)
    assert said.startswith("Seen in 10 contexts, the randomly initialised model has a prejudice of 0.17.")
    assert "it would be 0." in said


def test_a_matrix() -> None:
    toys = [nurse(0.9, 0.35), toy_risk("pilot", ("male", "female"), ("context 1", "context 2"), [1, 1])]
    assert flow_finding(toys, 0.625, 0.15) == (
        "4 preferences become 2 risks; the largest is that of the pilot, 1.00. At last they "
        "become one number: R = 0.78, of which 0.62 is prejudice and 0.15 caprice."
    )


def test_three_groups() -> None:
    toy = toy_risk("x", ("A", "B", "C"), ("context 1", "context 2"), [[0.8, 0.1, 0.1], [1 / 3, 1 / 3, 1 / 3]])
    said = simplex_finding(simplex_risk(toy))
    assert said.startswith(
        "Context 1 leans to A and context 2 is neutral. The risk is 0.35: 100 % is prejudice"
    )
    other = toy_risk("x", ("A", "B", "C"), ("context 1", "context 2"), [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])
    assert simplex_finding(simplex_risk(other)).endswith("because the contexts do not lean alike.")
