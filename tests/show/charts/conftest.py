"""Records for the charts, with numbers that can be checked by eye."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from pcf_core.core.risk import Interval, OccupationRisk, RiskReport
from pcf_core.core.run import Preferences

NAMES = ("nurse", "stylist", "clerk", "baker", "pilot", "captain", "engineer")
TILTS = (-0.9, -0.5, -0.1, 0.0, 0.3, 0.8, 0.95)
CAPRICES = (0.0, 0.0, 0.2, 0.4, 0.05, 0.0, 0.0)


def occupation(
    name: str, stereotype: Mapping[str, float], prejudice: float, caprice: float, interval: bool = True
) -> OccupationRisk:
    overall = prejudice + caprice
    bounds = (Interval(low=overall - 0.01, high=overall + 0.02),)
    return OccupationRisk(
        occupation=name,
        weight=1 / len(NAMES),
        overall_risk=overall,
        prejudice_risk=prejudice,
        caprice_risk=caprice,
        stereotype_sd=0.1,
        stereotype=stereotype,
        preferences={group: 0.5 + value / 2 for group, value in stereotype.items()},
        intervals={"overall_risk": bounds} if interval else {},
    )


def report_of(occupations: Sequence[OccupationRisk], groups: tuple[str, ...]) -> RiskReport:
    prejudice = float(np.mean([row.prejudice_risk for row in occupations]))
    caprice = float(np.mean([row.caprice_risk for row in occupations]))
    return RiskReport(
        overall_risk=prejudice + caprice,
        prejudice_risk=prejudice,
        caprice_risk=caprice,
        effective_templates=2.0,
        groups=groups,
        templates=("a", "b"),
        template_weights=np.array([0.5, 0.5]),
        occupations=tuple(occupations),
    )


@pytest.fixture
def report() -> RiskReport:
    """Seven occupations from −0.9 (nurse) to 0.95 (engineer); four have no caprice."""
    rows = [
        occupation(name, {"male": tilt, "female": -tilt}, abs(tilt), caprice)
        for name, tilt, caprice in zip(NAMES, TILTS, CAPRICES, strict=True)
    ]
    return report_of(rows, ("male", "female"))


@pytest.fixture
def report_of_three() -> RiskReport:
    """Three groups; the stereotypes of each occupation sum to 0."""
    rows = [
        occupation(name, {"a": tilt / 2, "b": -tilt / 4, "c": -tilt / 4}, abs(tilt) / 2, 0.0)
        for name, tilt in zip(NAMES, TILTS, strict=True)
    ]
    return report_of(rows, ("a", "b", "c"))


@pytest.fixture
def preferences() -> Preferences:
    """P(male) of three occupations × four templates."""
    male = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.9, 0.8, 0.7, 0.6]])
    return Preferences(
        groups=("male", "female"),
        occupations=("nurse", "<b>clerk</b>", "captain"),
        templates=tuple(f"The [X] {verb} that [Y]." for verb in ("said", "told", "found", "wrote")),
        values=np.stack([male, 1 - male], axis=-1),
        coverage=male / 10,
    )
