"""What is reported of a run: risks, their intervals and what corrects them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pcf_core.records.base import FloatArray, LeftOut, Record
from pcf_core.records.scores import CoverageSummary, SelfAudit

Scale = Literal["pcf", "bvf"]
Aggregation = Literal["sum", "mean"]
Over = Literal["templates", "occupations", "both"]
Unit = Literal["usual", "template", "mention"]


class Interval(Record):
    """A two-sided interval; ``unit`` is what was resampled: ``template``, ``document``, ``mention``, ``draw``
    or ``occupation``; over ``both`` the first of them, as occupations are drawn as such.
    """

    over: Over = "templates"
    level: float = 0.95
    low: float
    high: float
    unit: str = "template"


class Look(Record):
    """What a sampling plan has found after so many draws.

    ``draws``: of ``templates`` distinct ones out of ``available``, those with a count above 0.
    ``effective_draws``: (Σ w)² / Σ w² of the draws' importance weights, ``draws`` where the weights are the
    counts.  ``estimates`` and ``intervals``: of R, R^p and R^c, by quantity; prejudice and caprice are
    corrected for the bias of a sample.  ``half_width``: the widest of the three.  Once every template with a
    count was drawn, the values are those of the whole set and ``half_width`` is 0.
    """

    within: float
    draws: int
    effective_draws: float
    templates: int
    available: int
    half_width: float
    estimates: dict[str, float]
    intervals: dict[str, Interval]

    @property
    def whole(self) -> bool:
        """Whether every template with a count was drawn."""
        return self.templates == self.available


class CorrectedRisk(Record):
    """R^p and R^c corrected for the bias of few templates, beside the plug-in figures; R has none.

    ``sampling_prejudice``: the R^p that these templates would show on average if the true mean stereotype of
    every occupation were neutral, from their sampling alone; ``None`` where it was not computed.
    ``headline``: whether the report's own prejudice and caprice, also of each occupation, are the corrected
    ones; so it is where templates were drawn by a sampling plan.
    """

    prejudice_risk: float
    caprice_risk: float
    plug_in_prejudice_risk: float
    plug_in_caprice_risk: float
    headline: bool
    sampling_prejudice: float | None = None


@dataclass(frozen=True)
class OccupationRisk:
    """Risk of one occupation: r_x = r_x^p + r_x^c, the s.d. of its stereotype, mean preferences by group.

    ``corrected_prejudice_risk``: r_x^p less the bias of few templates, between 0 and r_x.
    """

    occupation: str
    weight: float
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    stereotype_sd: float
    stereotype: Mapping[str, float]
    preferences: Mapping[str, float]
    intervals: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    corrected_prejudice_risk: float | None = None


@dataclass(frozen=True)
class RiskReport:
    """R = R^p + R^c (PCF Eq. 7–9) with everything needed to read it.

    ``intervals``: by quantity, over templates (first), over occupations and over both, where they are known.
    """

    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    effective_templates: float
    groups: tuple[str, ...]
    templates: tuple[str, ...]
    template_weights: FloatArray
    occupations: tuple[OccupationRisk, ...]
    intervals: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    criterion: str = ""
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    coverage: CoverageSummary | None = None
    self_audit: SelfAudit | None = None
    corrected: CorrectedRisk | None = None
    sampling: Look | None = None

    @property
    def stereotype_sd(self) -> float:
        """The s.d. of the stereotype over templates, averaged over occupations by weight: read beside R^c."""
        return float(sum(row.weight * row.stereotype_sd for row in self.occupations))

    def interval(self, quantity: str, over: Over = "templates") -> Interval | None:
        """The interval of R, R^p or R^c over templates, occupations or both; ``None`` where there is none."""
        return next((found for found in self.intervals.get(quantity, ()) if found.over == over), None)
