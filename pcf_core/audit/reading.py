"""From preferences to a risk report, under view options."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from pcf_core.audit.assembling import Result
from pcf_core.audit.occupations import counted_occupations
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import plan_report, weights_of
from pcf_core.audit.units import unit_of
from pcf_core.audit.writing import Reading, risk_report
from pcf_core.errors import RunError
from pcf_core.records import Look, Protocol, RiskReport, RunSpec
from pcf_core.risk import Criterion
from pcf_core.store import Store

FULL = 0.995  # of the mass: what is less is said


def report(
    result: Result, run: RunSpec, options: ViewOptions, resamples: int = 2000, *, brief: bool = False
) -> RiskReport:
    """Risk of a run under the given view options, with intervals over templates, occupations and both.

    A run with a sampling plan gives estimates of what all its templates would give, with their intervals.
    A ``brief`` report of another run has intervals of R alone, which take a fraction of the time.

    Raises:
        EvidenceError: weights that cannot be used.
        TemplateError: template weights that a sampling plan does not allow.
        CriterionError: a criterion, reference or unit that cannot be used.
    """
    counted = counted_occupations(run.evidence, run.topic, options)
    warnings = list(result.warnings)
    total, used = len(run.evidence.terms), len(counted.weights)
    if used < total:
        warnings.append(
            f"{total - used:,} of {total:,} occupations have no figure for the weights or the neutral point "
            f"and are left out; {100 * used / total:.0f} % of the list remains."
        )
    rows = [run.evidence.terms.index(term) for term in counted.weights]
    criterion = Criterion.parse(options.criterion, options.scale, counted.reference)
    templates = weights_of(run, options.template_weighting)
    unit = unit_of(run, templates, options)
    if unit.name == "document" and 0 < run.templates.kept < FULL:
        warnings.append(
            f"These templates carry {100 * run.templates.kept:.0f} % of the matches that they were cut from: "
            "intervals over documents speak of these kinds of contexts only; with templates drawn again "
            "they allow for others."
        )
    reading = Reading(
        values=result.preferences.values[rows],
        groups=result.preferences.groups,
        occupations=tuple(counted.weights),
        templates=result.preferences.templates,
        template_weights=templates,
        occupation_weights=np.array(list(counted.weights.values())),
        criterion=criterion,
        unit=unit,
        left_out=(*run.topic.left_out, *result.left_out, *counted.left_out),
        warnings=tuple(warnings),
    )
    if run.plan is None:
        found = risk_report(reading, resamples, brief=brief)
    else:
        found = plan_report(reading, run, resamples)
    return replace(found, coverage=result.coverage, self_audit=result.self_audit)


def look_at(store: Store, run: RunSpec) -> Look:
    """What a run with a sampling plan has found, under the options in which its goal is stated.

    Raises:
        RunError: its draws are not scored yet, or it has no plan.
    """
    options = ViewOptions(protocol=cast(Protocol, run.scoring.protocol))
    look = report(load_result(store, run, options.protocol), run, options).sampling
    if look is None:
        raise RunError(f"The run {run.key} scores every template: it has no sampling plan to look at.")
    return look
