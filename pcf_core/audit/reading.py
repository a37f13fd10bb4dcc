"""From preferences to a risk report, under view options, with template-bootstrap intervals."""

from __future__ import annotations

import numpy as np

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Result
from pcf_core.errors import EvidenceError
from pcf_core.records import FloatArray, Interval, LeftOut, OccupationRisk, RiskReport, RunSpec
from pcf_core.risk import Criterion, Decomposition, decompose, total
from pcf_core.stats import BootstrapResult, effective_number, rough, template_bootstrap
from pcf_core.topics import labour_reference, occupation_weights, template_weights

RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


def report(result: Result, run: RunSpec, options: ViewOptions, resamples: int = 2000) -> RiskReport:
    """Risk of a run under the given view options, with template-bootstrap intervals.

    Raises:
        EvidenceError: weights that cannot be used.
        CriterionError: a criterion or reference that cannot be used.
    """
    weights = occupation_weights(run.evidence, options.occupation_weights)
    left_out = [*run.topic.left_out, *result.left_out, *weights.left_out]
    occupation = dict(zip(weights.terms, weights.values, strict=True))
    reference = None
    if options.reference == "labour":
        shares = labour_reference(run.evidence, run.topic)
        left_out += [
            LeftOut(name=term, reason="no published share of women and men, so no p*")
            for term in weights.terms
            if term not in shares
        ]
        occupation = {term: value for term, value in occupation.items() if term in shares}
        if not occupation:
            raise EvidenceError(
                f"None of the occupations of {run.evidence.name!r} has a share of the labour force; "
                "choose the uniform reference."
            )
        reference = np.array([shares[term] for term in occupation])
    warnings = list(result.warnings)
    total, used = len(run.evidence.terms), len(occupation)
    if used < total:
        warnings.append(
            f"{total - used:,} of {total:,} occupations have no figure for the weights or the neutral point "
            f"and are left out; {used / total:.0%} of the list remains."
        )
    rows = [run.evidence.terms.index(term) for term in occupation]
    criterion = Criterion.parse(options.criterion, options.scale, reference)
    return risk_report(
        result.preferences.values[rows],
        groups=result.preferences.groups,
        occupations=tuple(occupation),
        templates=result.preferences.templates,
        template_weights=template_weights(run.templates, options.template_weighting),
        occupation_weights=np.array(list(occupation.values())),
        criterion=criterion,
        resamples=resamples,
        left_out=tuple(left_out),
        warnings=tuple(warnings),
    )


def risk_report(
    values: FloatArray,
    *,
    groups: tuple[str, ...],
    occupations: tuple[str, ...],
    templates: tuple[str, ...],
    template_weights: FloatArray,
    occupation_weights: FloatArray,
    criterion: Criterion,
    resamples: int = 2000,
    left_out: tuple[LeftOut, ...] = (),
    warnings: tuple[str, ...] = (),
) -> RiskReport:
    """Decompose [occupation, template, group] preferences into a report (PCF Eq. 4–9)."""
    parts = decompose(values, template_weights, criterion)
    totals = total(parts, occupation_weights)
    bootstrap = template_bootstrap(
        values, template_weights, occupation_weights, criterion, resamples=resamples
    )
    shares = occupation_weights / occupation_weights.sum()
    normalised = template_weights / template_weights.sum()
    effective = effective_number(normalised)
    if len(templates) == 1:
        warnings += ("There is one template: an interval over templates says nothing.",)
    elif rough(effective):
        warnings += (
            f"{len(templates):,} templates count as {effective:.1f}, by their weights: means and intervals "
            "are rough.",
        )
    return RiskReport(
        overall_risk=totals.overall_risk,
        prejudice_risk=totals.prejudice_risk,
        caprice_risk=totals.caprice_risk,
        effective_templates=effective,
        groups=groups,
        templates=templates,
        template_weights=normalised,
        occupations=tuple(
            occupation_risk(index, name, shares, parts, groups, bootstrap)
            for index, name in enumerate(occupations)
        ),
        intervals={name: (bootstrap.intervals[name],) for name in RISKS},
        criterion=criterion.name,
        left_out=left_out,
        warnings=warnings,
    )


def occupation_risk(
    index: int,
    name: str,
    weights: FloatArray,
    parts: Decomposition,
    groups: tuple[str, ...],
    bootstrap: BootstrapResult,
) -> OccupationRisk:
    """One row of the report."""
    unit = bootstrap.intervals["overall_risk"]
    intervals = {
        risk: (
            Interval(
                over=unit.over, level=unit.level, unit=unit.unit, low=float(bounds[0]), high=float(bounds[1])
            ),
        )
        for risk in RISKS
        for bounds in [bootstrap.occupations[risk][index]]
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
