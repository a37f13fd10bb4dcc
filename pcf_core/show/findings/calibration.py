"""What the app finds of models whose truth is known, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.sensitivity import Calibration
from pcf_core.show.findings.numbers import count, listed, number

# Of P(group).  Planted within 1e-5 on the processor that they were made on; on another float32 gave 1.2e-5.
CELL_LIMIT = 5e-5
RISK_LIMIT = 1e-4  # of R, R^p and R^c


def calibration_finding(found: Sequence[Calibration]) -> str:
    """Say whether the results in the store hold the planted risks, the largest differences, and their origin.

    Empty without a measurement.
    """
    if not found:
        return ""
    names = listed([one.planted.model for one in found])
    cells = sum(one.planted.cells for one in found)
    risk = max(abs(difference) for one in found for difference in one.differences.values())
    worst = max(found, key=lambda one: one.largest)
    recovers = risk <= RISK_LIMIT and worst.largest <= CELL_LIMIT
    verdict = (
        f"The stored results hold the risks that were planted in {names}"
        if recovers
        else f"The stored results do not hold the risks that were planted in {names} as closely as they "
        f"should (risks within {number(RISK_LIMIT)}, probabilities within {number(CELL_LIMIT)})"
    )
    return (
        f"{verdict}: measured and planted R, prejudice and caprice differ by at most {number(risk)}, and the "
        f"probability of a group in one of {count(cells, 'cell')} by at most {number(worst.largest)} "
        f"({worst.planted.model}, “{worst.occupation}” in “{worst.context}”). {_scored(found)}"
    )


def _scored(found: Sequence[Calibration]) -> str:
    """Say which version scored the models, and when the results were written, which may be later."""
    made: dict[str, list[str]] = {}
    for one in found:
        by = f" by version {one.version} of this app" if one.version else ""
        when = f"{one.written.day} {one.written:%B %Y}"
        made.setdefault(f"scored{by} (results written on {when})", []).append(one.planted.model)
    said = [f"{listed(names)} {'was' if len(names) == 1 else 'were'} {how}" for how, names in made.items()]
    return f"{listed(said)}."


def uncalibrated_note(model: str, reason: str) -> str:
    """Say why nothing is said of a calibration model, and what to do."""
    return f"{model} is not held against its truth yet. {reason}"


def afresh_note() -> str:
    """Say why to score the calibration again, above the commands that do."""
    return (
        "What stands here is read from the store, which may have come with the app. To see what the scorer "
        "of this installation finds, score afresh into a folder of its own and open this page on that:"
    )
