"""How far numbers hold: models with planted risks, other training seeds, what each number supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from pcf_core.core.risk import Difference
from pcf_core.core.sensitivity import Calibration, SeedSpread
from pcf_core.show.wording import sentences

if TYPE_CHECKING:
    from pcf_core.material.numbers import Check, Numbers, Supported

# Of P(group).  Planted within 1e-5 on one processor; on another, float32 gave 1.2e-5.
CELL_LIMIT = 5e-5
RISK_LIMIT = 1e-4  # of R, R^p and R^c
SELDOM_CHANGES = "differences of caprice where hardly any sentence changes sides"  # of assets/numbers.toml
FEW_HELD = 90  # of 100 ranges at 95 %: fewer are called few
OF_ONE_OCCUPATION = "the same differences, of a single occupation"

say = sentences("reliability")


def calibration_finding(calibrations: Sequence[Calibration]) -> str:
    """Say whether stored results match the planted risks, with the largest differences and their origin."""
    if not calibrations:
        return ""
    risk = max(abs(difference) for one in calibrations for difference in one.differences.values())
    worst = max(calibrations, key=lambda one: one.largest)
    verdict = say(
        "calibration",
        recovers=risk <= RISK_LIMIT and worst.largest <= CELL_LIMIT,
        models=[one.planted.model for one in calibrations],
        risk_limit=RISK_LIMIT,
        cell_limit=CELL_LIMIT,
        risk=risk,
        cells=sum(one.planted.cells for one in calibrations),
        worst=worst,
    )
    return f"{verdict} {_scored(calibrations)}"


def _scored(calibrations: Sequence[Calibration]) -> str:
    made: dict[tuple[str, date], list[str]] = {}
    for one in calibrations:
        made.setdefault((one.version, one.written.date()), []).append(one.planted.model)
    return " ".join(
        say("scored", version=version, models=models, written=written)
        for (version, written), models in made.items()
    )


def uncalibrated_note(model: str, reason: str) -> str:
    """Say why a calibration model has no result, and what to do."""
    return say("uncalibrated", model=model, reason=reason)


def afresh_note() -> str:
    """Say why to score the calibration again, above the commands that do."""
    return say("afresh")


def seeds_note(spreads: Mapping[str, SeedSpread]) -> str:
    """State the spread over seeds of a training, which intervals do not allow for, by quantity."""
    return say("seeds", total=spreads["overall_risk"], ranges=_ranges(spreads))


def seeds_spread(spreads: Mapping[str, SeedSpread], *, here: bool) -> str:
    """Say what another training seed changes; ``here``: on the same material, so that it can be compared."""
    total, ranges = spreads["overall_risk"], _ranges(spreads)
    if here:
        return say("seeds_here", total=total, ranges=ranges)
    return say("seeds_elsewhere", total=total, ranges=ranges)


def seeds_finding(
    spreads: Mapping[str, SeedSpread], other: str, differences: Mapping[str, Difference]
) -> str:
    """Compare differences of two models with the spread over seeds of one, not of the ``other``."""
    first = spreads["overall_risk"]
    sizes = {name: abs(differences[name].value) for name in spreads}
    within = [name for name in spreads if sizes[name] <= spreads[name].range]
    between = [name for name in spreads if name not in within and sizes[name] <= spreads[name].bound]
    beyond = [name for name in spreads if name not in (*within, *between)]
    return say(
        "beside_seeds",
        model=first.model,
        other=other,
        level=first.level,
        within=_sized(within, sizes),
        between=_sized(between, sizes),
        between_bounds=[spreads[name].bound for name in between],
        beyond=_sized(beyond, sizes),
        beyond_bounds=[spreads[name].bound for name in beyond],
    )


def _ranges(spreads: Mapping[str, SeedSpread]) -> list[str]:
    return [say("range_in", range=spread.range, quantity=name) for name, spread in spreads.items()]


def _sized(names: Sequence[str], sizes: Mapping[str, float]) -> list[str]:
    return [say("difference_in", quantity=name, size=sizes[name]) for name in names]


COLUMNS = (
    "number",
    "what it supports",
    "what it does not",
    "in simulations whose true value is known",
)


def supported_rows(numbers: Numbers) -> list[tuple[str, ...]]:
    """Return a row of :data:`COLUMNS` for each number."""
    return [(one.name, one.supports, one.cannot, checks_text(one)) for one in numbers.number]


def checks_text(one: Supported) -> str:
    """Say how often its intervals or verdicts were right in simulations."""
    return say("checks", checks=[check_text(check) for check in one.checks])


def seldom_caprice_note(numbers: Numbers, difference: Difference) -> str:
    """Say that a difference of caprice is less sure than its range if few sentences change sides.

    No rule can tell from the sentences when that is so, so it is said whenever there is caprice.
    """
    if difference.first == difference.second == 0:
        return ""
    checks = {check.of: check for one in numbers.number for check in one.checks}
    return say("seldom_caprice", all=checks[SELDOM_CHANGES].held, single=checks[OF_ONE_OCCUPATION].held)


def check_text(check: Check) -> str:
    """Write a simulation's outcome: "92 to 94 of 100 ranges included the true value: few sentences"."""
    few = len(check.held) > 1 and check.held[-1] < FEW_HELD
    return say("check", found=check.held or check.wrong, wrong=bool(check.wrong), few=few, of=check.of)
