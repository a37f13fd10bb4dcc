"""Sentences on seeds: a difference beside what another seed of the training changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.findings import seeds_finding, seeds_note
from pcf_core.records.seeds import SeedSpread
from tests.charts.compared import difference

SPREAD = SeedSpread(
    "mini", "overall_risk", "gender", "some", "few", (0, 1, 2), (0.3, 0.32, 0.36), 0.186, 0.95
)
BEGUN = "Over 3 seeds of its training, R of mini is 0.3, 0.32 and 0.36, a range of 0.06: "


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (0.35, "the difference of 0.05 is no larger, and another seed of mini alone changes R by as much."),
        (0.25, "the difference of 0.05 is no larger, and another seed of mini alone changes R by as much."),
        (
            0.4,
            "the difference of 0.1 is larger, but not than the 0.186 by which, going by so few seeds, two "
            "trainings of mini may differ (95 %). What another seed of large changes is not in that.",
        ),
        (
            0.6,
            "the difference of 0.3 is larger, and larger than the 0.186 by which, going by so few seeds, "
            "two trainings of mini may differ (95 %). What another seed of large changes is not in that.",
        ),
    ],
)
def test_a_difference_beside_the_spread_of_seeds(first: float, told: str) -> None:
    assert seeds_finding(SPREAD, "large", difference(first, 0.3, clear=True), here=True) == BEGUN + told


def test_elsewhere_nothing_is_held_against_it() -> None:
    said = seeds_finding(SPREAD, "large", difference(0.6, 0.3, clear=True), here=False)
    assert said == (
        "What another seed of the training changes was measured for mini on gender, some and few with "
        "default options alone: a range of 0.06 in R over 3 seeds."
    )


def test_the_note_beside_an_interval() -> None:
    assert seeds_note(replace(SPREAD, seeds=(0, 1), risks=(0.3, 0.3))) == (
        "Trained with seed 0 or 1, mini has R 0.3 and 0.3: a range of 0. No interval here allows "
        "for another training."
    )
