"""A sentence about prejudice and caprice corrected for the bias of few templates."""

from __future__ import annotations

from pcf_core.core.risk import RiskReport
from pcf_core.show.findings.numbers import two_decimals


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
        f"{sentence} A model that is neutral on average for every occupation would, with so few templates, "
        f"show a prejudice of {two_decimals(found.sampling_prejudice)}."
    )


def _part(name: str, plug_in: float, corrected: float) -> str:
    if two_decimals(plug_in) == two_decimals(corrected):
        return f"{name} is {two_decimals(plug_in)} with and without the correction for few templates"
    plain = f"{name} is {two_decimals(plug_in)} in these templates"
    return f"{plain} and {two_decimals(corrected)} corrected for how few they are"
