"""Sentences about what all occupations share of a risk, and what a model expects of nobody in particular."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.core.risk import RiskReport
from pcf_core.show.findings.numbers import listed, people, percent, two_decimals


def lean_finding(model: str, report: RiskReport) -> str:
    """Say how a risk splits into three parts, the shared one first; empty where that is not known."""
    if report.lean is None:
        return ""
    return (
        f"The risk of {model} is {two_decimals(report.overall_risk)}: all occupations share "
        f"{two_decimals(report.lean.common)} of it, {two_decimals(report.lean.specific)} differs between "
        f"them, and {two_decimals(report.caprice_risk)} changes with the sentence."
    )


def baseline_finding(model: str, expected: Mapping[str, float], overall_risk: float) -> str:
    """Say what a model expects of neutral subjects, and the risk against that as the neutral point.

    ``expected``: by group, they sum to 1.
    """
    ranked = sorted(expected, key=lambda group: -expected[group])[:2]
    parts = [f"{people(group)} {percent(expected[group])}" for group in ranked]
    return (
        f"Where no occupation is named (a person, a citizen), {model} gives {listed(parts)}. "
        f"Measured from there, its risk is {two_decimals(overall_risk)}."
    )
