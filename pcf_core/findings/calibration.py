"""What the app finds of models whose truth is known, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.findings.numbers import count, listed, number
from pcf_core.records.calibration import Calibration

CELL_LIMIT = 1e-5  # of P(group): what was promised when the models were planted
RISK_LIMIT = 1e-4  # of R, R^p and R^c


def calibration_finding(found: Sequence[Calibration]) -> str:
    """Whether the planted risks come out again, and the largest differences; empty without a measurement."""
    if not found:
        return ""
    names = listed([one.planted.model for one in found])
    cells = sum(one.planted.cells for one in found)
    risk = max(abs(difference) for one in found for difference in one.differences.values())
    worst = max(found, key=lambda one: one.largest)
    recovers = risk <= RISK_LIMIT and worst.largest <= CELL_LIMIT
    verdict = (
        f"This app finds the risks that were planted in {names}"
        if recovers
        else f"This app does not find the risks that were planted in {names} as closely as it should "
        f"(risks within {number(RISK_LIMIT)}, probabilities within {number(CELL_LIMIT)})"
    )
    return (
        f"{verdict}: measured and planted R, prejudice and caprice differ by at most {number(risk)}, and the "
        f"probability of a group in one of {count(cells, 'cell')} by at most {number(worst.largest)} "
        f"({worst.planted.model}, “{worst.occupation}” in “{worst.context}”)."
    )


def uncalibrated_note(model: str, reason: str) -> str:
    """Why nothing is said of a calibration model, and what to do."""
    return f"{model} is not held against its truth yet. {reason}"
