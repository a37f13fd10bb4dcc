"""Write a risk report from what is read of a run: preferences, names, weights, a criterion."""

from __future__ import annotations

from dataclasses import dataclass

from pcf_core.records import FloatArray, Interval, LeftOut, OccupationRisk, RiskReport
from pcf_core.risk import Criterion, Decomposition, RiskTotal, decompose, total
from pcf_core.stats import RiskIntervals, effective_number, rough, template_bootstrap

RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


@dataclass(frozen=True)
class Reading:
    """What a report is computed from.

    ``values``: [occupation, template, group] preferences, rows sum to 1 over groups.  ``template_weights``:
    [template], ``occupation_weights``: [occupation], both >= 0 with a positive sum.  ``left_out`` and
    ``warnings`` go into the report as they are.
    """

    values: FloatArray
    groups: tuple[str, ...]
    occupations: tuple[str, ...]
    templates: tuple[str, ...]
    template_weights: FloatArray
    occupation_weights: FloatArray
    criterion: Criterion
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()


def risk_report(reading: Reading, resamples: int = 2000) -> RiskReport:
    """Decompose preferences into a report (PCF Eq. 4–9), with template-bootstrap intervals."""
    parts = decompose(reading.values, reading.template_weights, reading.criterion)
    bootstrap = template_bootstrap(
        reading.values,
        reading.template_weights,
        reading.occupation_weights,
        reading.criterion,
        resamples=resamples,
    )
    effective = effective_number(reading.template_weights)
    warnings: tuple[str, ...] = ()
    if len(reading.templates) == 1:
        warnings = ("There is one template: an interval over templates says nothing.",)
    elif rough(effective):
        warnings = (
            f"{len(reading.templates):,} templates count as {effective:.1f}, by their weights: means and "
            "intervals are rough.",
        )
    return written_report(reading, parts, total(parts, reading.occupation_weights), bootstrap, warnings)


def written_report(
    reading: Reading,
    parts: Decomposition,
    totals: RiskTotal,
    intervals: RiskIntervals,
    warnings: tuple[str, ...] = (),
) -> RiskReport:
    """The report of given risks and intervals."""
    shares = reading.occupation_weights / reading.occupation_weights.sum()
    return RiskReport(
        overall_risk=totals.overall_risk,
        prejudice_risk=totals.prejudice_risk,
        caprice_risk=totals.caprice_risk,
        effective_templates=effective_number(reading.template_weights),
        groups=reading.groups,
        templates=reading.templates,
        template_weights=reading.template_weights / reading.template_weights.sum(),
        occupations=tuple(
            occupation_risk(index, name, shares, parts, reading.groups, intervals)
            for index, name in enumerate(reading.occupations)
        ),
        intervals={name: (intervals.intervals[name],) for name in RISKS},
        criterion=reading.criterion.name,
        left_out=reading.left_out,
        warnings=reading.warnings + warnings,
    )


def occupation_risk(
    index: int,
    name: str,
    weights: FloatArray,
    parts: Decomposition,
    groups: tuple[str, ...],
    found: RiskIntervals,
) -> OccupationRisk:
    """One row of the report."""
    unit = found.intervals["overall_risk"]
    intervals = {
        risk: (
            Interval(
                over=unit.over, level=unit.level, unit=unit.unit, low=float(bounds[0]), high=float(bounds[1])
            ),
        )
        for risk in RISKS
        for bounds in [found.occupations[risk][index]]
    }
    return OccupationRisk(
        occupation=name,
        weight=float(weights[index]),
        overall_risk=float(parts.overall[index]),
        prejudice_risk=float(parts.prejudice[index]),
        caprice_risk=float(parts.caprice[index]),
        stereotype_sd=float(parts.stereotype_sd[index]),
        stereotype=dict(zip(groups, parts.stereotype[index].tolist(), strict=True)),
        preferences=dict(zip(groups, parts.mean_preferences[index].tolist(), strict=True)),
        intervals=intervals,
    )
