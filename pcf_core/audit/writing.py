"""Write a risk report from what is read of a run: preferences, names, weights, a criterion."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pcf_core.records import CorrectedRisk, FloatArray, LeftOut, OccupationRisk, RiskReport
from pcf_core.risk import Criterion, Decomposition, RiskTotal, decompose, total
from pcf_core.stats import (
    RiskIntervals,
    TemplateUnit,
    effective_number,
    overall_intervals,
    risk_intervals,
    rough,
)

HEAVY = 0.1  # share of the weight from which on a single template is named


@dataclass(frozen=True)
class Reading:
    """What a report is computed from.

    ``values``: [occupation, template, group] preferences, rows sum to 1 over groups.  ``template_weights``:
    [template], ``occupation_weights``: [occupation], both >= 0 with a positive sum.  ``unit``: what intervals
    over templates draw again; ``None``: the templates.  ``left_out`` and ``warnings`` go into the report as
    they are.
    """

    values: FloatArray
    groups: tuple[str, ...]
    occupations: tuple[str, ...]
    templates: tuple[str, ...]
    template_weights: FloatArray
    occupation_weights: FloatArray
    criterion: Criterion
    unit: TemplateUnit | None = None
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()


def risk_report(reading: Reading, resamples: int = 2000, *, brief: bool = False) -> RiskReport:
    """Decompose preferences into a report (PCF Eq. 4–9), with intervals over templates, occupations, both.

    The figures are those of these templates; ``corrected`` says what is left without the bias of few.
    A ``brief`` report has the same figures, and of the intervals those of R alone.
    """
    parts = decompose(reading.values, reading.template_weights, reading.criterion)
    totals = total(parts, reading.occupation_weights)
    unit = reading.unit or TemplateUnit.templates(reading.template_weights)
    find = overall_intervals if brief else risk_intervals
    found = find(reading.values, unit, reading.occupation_weights, reading.criterion, resamples=resamples)
    written = written_report(reading, parts, totals, found, rough_means(reading))
    return replace(written, corrected=corrected_risk(reading, parts, totals, found))


def rough_means(reading: Reading) -> tuple[str, ...]:
    """What is said where there are few templates, or one of them weighs much."""
    effective = effective_number(reading.template_weights)
    if len(reading.templates) == 1:
        return ("There is one template: an interval over templates says nothing.",)
    if not rough(effective):
        return heavy_template(reading)
    return (
        f"{len(reading.templates):,} templates count as {effective:.1f}, by their weights: means and "
        "intervals are rough.",
    )


def heavy_template(reading: Reading) -> tuple[str, ...]:
    """What is said where templates are drawn, and one carries much of the weight."""
    share = float(reading.template_weights.max() / reading.template_weights.sum())
    if share <= HEAVY + 1e-9 or (reading.unit is not None and reading.unit.name != "template"):
        return ()
    return (
        f"One template carries {100 * share:.0f} % of the weight: intervals over templates are widened for "
        "it, and may yet hold less often than 95 %.",
    )


def corrected_risk(
    reading: Reading, parts: Decomposition, plug_in: RiskTotal, found: RiskIntervals
) -> CorrectedRisk | None:
    """R^p and R^c without the bias of few templates, beside the plug-in figures of the report."""
    if found.correction is None:
        return None
    shares = reading.occupation_weights / reading.occupation_weights.sum()
    taken = float(shares @ (parts.prejudice - found.correction.prejudice))
    return CorrectedRisk(
        prejudice_risk=max(0.0, plug_in.prejudice_risk - taken),
        caprice_risk=plug_in.caprice_risk + taken,
        plug_in_prejudice_risk=plug_in.prejudice_risk,
        plug_in_caprice_risk=plug_in.caprice_risk,
        headline=False,
        sampling_prejudice=float(shares @ found.correction.sampling),
    )


def written_report(
    reading: Reading,
    parts: Decomposition,
    totals: RiskTotal,
    intervals: RiskIntervals,
    warnings: tuple[str, ...] = (),
) -> RiskReport:
    """The report of given risks and intervals; without a correction of theirs, the risks are corrected."""
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
        intervals=dict(intervals.intervals),
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
    over_templates = found.intervals["overall_risk"][0]
    intervals = {
        risk: (over_templates.model_copy(update={"low": float(bounds[0]), "high": float(bounds[1])}),)
        for risk, rows in found.occupations.items()
        for bounds in [rows[index]]
    }
    corrected = parts.prejudice if found.correction is None else found.correction.prejudice
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
        corrected_prejudice_risk=float(corrected[index]),
    )
