"""What was planted in a calibration model, and what the app measured of it."""

from __future__ import annotations

from dataclasses import dataclass

from pcf_core.records.basic import Record

QUANTITIES = ("overall_risk", "prejudice_risk", "caprice_risk")


class Planted(Record):
    """The truth of a calibration model.

    ``topic``, ``evidence``, ``templates``: names of the shipped lists that it speaks of.  ``values``:
    [occupation][context][group] P(group), rows sum to 1.  R = R^p + R^c, uniform occupations, contexts by
    count, on the scale *pcf* against an even split.
    """

    model: str
    topic: str
    evidence: str
    templates: str
    groups: tuple[str, ...]
    occupations: tuple[str, ...]
    contexts: tuple[str, ...]
    values: tuple[tuple[tuple[float, ...], ...], ...]
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float

    @property
    def cells(self) -> int:
        return len(self.occupations) * len(self.contexts)


@dataclass(frozen=True)
class Calibration:
    """A calibration model as it was measured, beside what was planted.

    ``measured``: by the names of :data:`QUANTITIES`.  ``largest``: the largest |P(group) measured − planted|
    over all cells, found at ``occupation`` in ``context``.
    """

    planted: Planted
    measured: dict[str, float]
    largest: float
    occupation: str
    context: str

    @property
    def differences(self) -> dict[str, float]:
        """Measured less planted, by quantity."""
        return {name: self.measured[name] - getattr(self.planted, name) for name in QUANTITIES}
