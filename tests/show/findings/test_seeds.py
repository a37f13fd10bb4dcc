"""Sentences on seeds: differences beside what another seed of the training changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.sensitivity import SeedSpread
from pcf_core.show.findings.reliability import seeds_finding, seeds_note, seeds_spread
from tests.show.charts.compared import difference


def spread(quantity: str, risks: tuple[float, ...], bound: float) -> SeedSpread:
    seeds = tuple(range(len(risks)))
    return SeedSpread("mini", quantity, "gender", "some", "few", seeds, risks, bound, 0.95)


SPREADS = {
    "overall_risk": spread("overall_risk", (0.3, 0.32, 0.36), 0.186),
    "prejudice_risk": spread("prejudice_risk", (0.29, 0.3, 0.34), 0.16),
    "caprice_risk": spread("caprice_risk", (0.01, 0.02, 0.02), 0.035),
}
FEW = "by which two trainings may differ (95 %, from so few seeds)."
OTHER = "What another seed of large changes is not known."


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            (0.05, -0.04, 0.009),
            (
                "The differences in risk (0.05), prejudice (0.04) and caprice (0.01) are no larger "
                "than between seeds of mini."
            ),
        ),
        (
            (0.05, 0.03, -0.02),
            (
                "The differences in risk (0.05) and prejudice (0.03) are no larger than between seeds"
                " of mini. The difference in caprice (0.02) is larger, but within 0.04. Two trainings"
                " may differ by that much (95 %, from so few seeds). What another seed of large "
                "changes is not known."
            ),
        ),
        (
            (-0.1, 0.1, 0.05),
            (
                "The differences in risk (0.10) and prejudice (0.10) are larger than between seeds of"
                " mini, but within 0.19 and 0.16. Two trainings may differ by that much (95 %, from "
                "so few seeds). The difference in caprice (0.05) is larger, and beyond 0.04. What "
                "another seed of large changes is not known."
            ),
        ),
        (
            (0.3, 0.2, 0.1),
            (
                "The differences in risk (0.30), prejudice (0.20) and caprice (0.10) are larger than "
                "between seeds of mini, and beyond 0.19, 0.16 and 0.04. Two trainings may differ by "
                "that much (95 %, from so few seeds). What another seed of large changes is not "
                "known."
            ),
        ),
    ],
)
def test_differences_beside_the_spread_of_seeds(changes: tuple[float, float, float], told: str) -> None:
    found = {
        name: difference(0.5 + change, 0.5, clear=True) for name, change in zip(SPREADS, changes, strict=True)
    }
    assert seeds_finding(SPREADS, "large", found) == told


@given(st.lists(st.integers(-400, 400), min_size=3, max_size=3))
def test_every_difference_is_told_once_and_as_large_as_it_is(thousandths: list[int]) -> None:
    """Whichever way it goes; the last sentence stands where one is larger than between the seeds."""
    found = {
        name: difference(0.5 + change / 1000, 0.5, clear=True)
        for name, change in zip(SPREADS, thousandths, strict=True)
    }
    said = seeds_finding(SPREADS, "large", found)
    turned = {name: difference(change.second, change.first, clear=True) for name, change in found.items()}
    assert seeds_finding(SPREADS, "large", turned) == said
    for word, (name, known) in zip(("risk", "prejudice", "caprice"), SPREADS.items(), strict=True):
        (sentence,) = [part for part in said.split(". ") if f"{word} (" in part]
        size = abs(found[name].value)
        assert ("no larger" in sentence) == (size <= known.range)
        assert ("but within" in sentence) == (known.range < size <= known.bound)
    assert said.endswith(OTHER) == any(abs(found[name].value) > SPREADS[name].range for name in SPREADS)
    assert said.count("so few") <= 1


def test_the_spread_is_told_and_where_it_is_of_something_else() -> None:
    ranges = "The seeds differ by 0.06 in risk, 0.05 in prejudice and 0.01 in caprice."
    assert seeds_spread(SPREADS, here=True) == (
        f"Over 3 seeds of its training, mini has a risk of 0.30, 0.32 and 0.36. {ranges}"
    )
    elsewhere = seeds_spread(SPREADS, here=False)
    assert elsewhere.startswith("Other seeds of mini were measured on gender, some and few with default")
    assert elsewhere.endswith(ranges)


def test_the_note_beside_an_interval() -> None:
    spreads = {name: spread(name, (0.3, 0.3), 0.0) for name in SPREADS}
    assert seeds_note(spreads) == (
        "Trained with seed 0 or 1, mini has a risk of 0.30 and 0.30. The seeds differ by 0 in "
        "risk, 0 in prejudice and 0 in caprice. No range shown here allows for another "
        "training."
    )
