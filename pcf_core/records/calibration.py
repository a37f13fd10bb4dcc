"""What was planted in a calibration model, and what the app measured of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from pydantic import Field, model_validator

from pcf_core.records.base import Record

QUANTITIES = ("overall_risk", "prejudice_risk", "caprice_risk")
ROUNDING = 1e-9  # that sums of the stated numbers may be off by


class Planted(Record):
    """The truth of a calibration model.

    ``topic``, ``evidence``, ``templates``: names of the shipped lists that it speaks of.  ``values``:
    [occupation][context][group] P(group), rows sum to 1.  R = R^p + R^c, uniform occupations, contexts by
    count, on the scale *pcf* against an even split.

    Raises:
        ValueError: values of another shape, that are no probabilities, or risks that do not add up.
    """

    model: str
    topic: str
    evidence: str
    templates: str
    groups: tuple[str, ...] = Field(min_length=1)
    occupations: tuple[str, ...] = Field(min_length=1)
    contexts: tuple[str, ...] = Field(min_length=1)
    values: tuple[tuple[tuple[float, ...], ...], ...]
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        shape = len(self.occupations), len(self.contexts), len(self.groups)
        whole = len(self.values) == shape[0] and all(
            len(row) == shape[1] and all(len(cell) == shape[2] for cell in row) for row in self.values
        )
        if not whole:
            raise ValueError(f"values must have {shape[0]} × {shape[1]} × {shape[2]} numbers")
        if not all(_is_distribution(cell) for row in self.values for cell in row):
            raise ValueError("the values of a cell must be 0 or more and sum to 1")
        if not abs(self.overall_risk - self.prejudice_risk - self.caprice_risk) <= ROUNDING:
            raise ValueError("overall_risk must be prejudice_risk + caprice_risk")
        return self

    @property
    def cells(self) -> int:
        return len(self.occupations) * len(self.contexts)


@dataclass(frozen=True)
class Calibration:
    """A calibration model as it was measured, beside what was planted.

    ``measured``: by the names of :data:`QUANTITIES`.  ``largest``: the largest |P(group) measured − planted|
    over all cells, found at ``occupation`` in ``context``.  ``written``: when the results were, shipped
    ones when they were last carried over; ``version``: of this app that scored them, empty if not kept.
    """

    planted: Planted
    measured: dict[str, float]
    largest: float
    occupation: str
    context: str
    written: datetime
    version: str

    @property
    def differences(self) -> dict[str, float]:
        """Measured less planted, by quantity."""
        return {name: self.measured[name] - getattr(self.planted, name) for name in QUANTITIES}


def _is_distribution(cell: Sequence[float]) -> bool:
    return min(cell) >= 0 and abs(sum(cell) - 1) <= ROUNDING  # which no NaN is
