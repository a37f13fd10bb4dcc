"""Stereotype distributions and corrected reports for chart tests, with numbers to be checked by eye."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pcf_core.core.risk import CorrectedRisk, Interval, RiskReport, StereotypeDistribution

MALE = ((-0.62, 0.2), (0.0, 0.3), (0.03, 0.1), (0.31, 0.4))  # stereotype and weight of four contexts


def distribution(
    pairs: tuple[tuple[float, float], ...] = MALE,
    group: str = "male",
    leads: bool = True,
    risk: float = 0.251,
) -> StereotypeDistribution:
    values, weights = np.array(sorted(pairs)).T
    mean = float(values @ weights)
    return StereotypeDistribution(
        occupation="nurse",
        group=group,
        values=values,
        weights=weights,
        templates=tuple(f"t{place}" for place in range(len(values))),
        mean=mean,
        sd=float(np.sqrt(weights @ (values - mean) ** 2)),
        overall_risk=risk,
        prejudice_risk=abs(mean),
        leads=leads,
        mean_interval=Interval(low=mean - 0.1, high=mean + 0.2),
        effective=4.0,
    )


def corrected_report(report: RiskReport) -> RiskReport:
    """The report with prejudice 0.5 and caprice 0.1, corrected to 0.4 and 0.2."""
    found = CorrectedRisk(
        prejudice_risk=0.4,
        caprice_risk=0.2,
        plug_in_prejudice_risk=0.5,
        plug_in_caprice_risk=0.1,
        headline=False,
        sampling_prejudice=0.05,
    )
    intervals = {
        "prejudice_risk": (Interval(low=0.3, high=0.6), Interval(over="both", low=0.2, high=0.7)),
        "caprice_risk": (Interval(low=0.0, high=0.3),),
    }
    return replace(report, corrected=found, intervals=intervals)
