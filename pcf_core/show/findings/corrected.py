"""A sentence about prejudice and caprice corrected for the bias of few templates."""

from __future__ import annotations

from pcf_core.core.risk import RiskReport
from pcf_core.show.findings.numbers import number


def corrected_finding(model: str, report: RiskReport) -> str:
    """State plug-in and corrected parts, and what a neutral model would show; empty if not corrected."""
    found = report.corrected
    if found is None:
        return ""
    parts = [
        _part("prejudice", found.plug_in_prejudice_risk, found.prejudice_risk),
        _part("caprice", found.plug_in_caprice_risk, found.caprice_risk),
    ]
    sentence = f"{model}: {'; '.join(parts)}."
    if found.sampling_prejudice is None:
        return sentence
    return (
        f"{sentence} If it were neutral on average for every occupation, the sampling of templates alone "
        f"would show a prejudice of {number(found.sampling_prejudice)}."
    )


def _part(name: str, plug_in: float, corrected: float) -> str:
    if number(plug_in) == number(corrected):
        return f"{name} is {number(plug_in)} with and without the correction for few templates"
    plain = f"{name} is {number(plug_in)} in these templates"
    return f"{plain} and {number(corrected)} corrected for how few they are"
