"""Runs with a sampling plan: draws of templates, and estimates for the whole set."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from pcf_core.audit.writing import Matrix, risk_report, written_report
from pcf_core.core.errors import RunError, TemplateError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import CorrectedRisk, Look, RiskReport
from pcf_core.core.run import RunSpec, SamplingPlan
from pcf_core.material.templates import template_weights
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.resampling import rough
from pcf_core.measure.sampling import LEVEL, DrawnRisk, draw_templates, drawn_risk, looks
from pcf_core.store.store import Store


def planned(run: RunSpec, within: float, seed: int = 0) -> RunSpec:
    """Return the run with a plan and its first draws; raise CriterionError for an impossible half-width."""
    plan = SamplingPlan(
        within=float(f"{within:.6g}"), seed=seed, times=()
    )  # 0.1 + 0.2 is the same goal as 0.3
    return with_draws(run.model_copy(update={"plan": plan}), looks(within).sizes[0])


def with_draws(run: RunSpec, draws: int) -> RunSpec:
    """Return the run with this number of draws; more draws begin with the same ones."""
    plan = plan_of(run)
    times = tuple(draw_templates(run.templates.counts, draws, plan.seed).tolist())
    return run.model_copy(update={"plan": plan.model_copy(update={"times": times})})


def furthest(store: Store, run: RunSpec) -> RunSpec:
    """Return the stored run with the draws made so far, or the run itself if it is not stored."""
    for info in store.runs():
        same = info.run.key == run.key and info.run.scoring.imported == run.scoring.imported
        if same:
            return info.run
    return run


def plan_of(run: RunSpec) -> SamplingPlan:
    """Return the run's plan; raises RunError if it has none."""
    if run.plan is None:
        raise RunError(
            f"The run {run.key} scored every template and has no sampling plan; a plan is made with --within."
        )
    return run.plan


def weights_of(run: RunSpec, how: Literal["counts", "equal"]) -> FloatArray:
    """Return [drawn template] weights of the templates that are scored; they sum to 1."""
    weights, chances = template_weights(run.templates, how), template_weights(run.templates, "counts")
    if run.plan is None:
        return weights
    never = int(((chances == 0) & (weights > 0)).sum())
    if never:
        raise TemplateError(
            f"{never:,} templates of {run.templates.name} have the count 0 and were never drawn, so the run "
            f"{run.key} cannot be read with {how} template weights: use counts, or score every template."
        )
    drawn = np.asarray(run.plan.times) > 0
    # The expected number, as the draws say nothing about templates that were never drawn.
    effective = run.plan.draws / float((weights[chances > 0] ** 2 / chances[chances > 0]).sum())
    if rough(effective) and (chances[~drawn] > 0).any():
        raise TemplateError(
            f"The run {run.key} drew {run.plan.draws:,} templates by their counts. With {how} template "
            f"weights they are worth only {effective:.2g} draws, too few for an estimate: use counts, or "
            "score every template."
        )
    return np.asarray(weights[drawn] / weights[drawn].sum())


def plan_report(matrix: Matrix, run: RunSpec, resamples: int) -> RiskReport:
    """Report a run with a plan, with template weights from :func:`weights_of`.

    Once every template with a count was drawn, it is the report of a run without a plan.  Until then R, R^p
    and R^c are estimates for the whole set (:mod:`pcf_core.measure.sampling`).
    """
    plan = plan_of(run)
    available = int((run.templates.counts > 0).sum())
    if len(matrix.templates) == available:
        return _whole_report(matrix, plan, resamples)
    times = np.array([count for count in plan.times if count])
    counts = run.templates.counts[np.asarray(plan.times) > 0]
    importance = matrix.template_weights / (counts / counts.max())
    estimate = drawn_risk(matrix.values, times, importance, matrix.occupation_weights, matrix.criterion)
    look = _look_of(estimate, plan, len(times), available)
    drawn = replace(matrix, template_weights=times * (importance / importance.max()))
    intervals = estimate.intervals(looks(plan.within).quantile, LEVEL)
    written = written_report(drawn, estimate.totals, intervals, sentences(look))
    corrected = CorrectedRisk(
        prejudice_risk=estimate.totals.prejudice_risk,
        caprice_risk=estimate.totals.caprice_risk,
        plug_in_prejudice_risk=estimate.plug_in.prejudice_risk,
        plug_in_caprice_risk=estimate.plug_in.caprice_risk,
        headline=True,
        sampling_prejudice=estimate.sampling_prejudice,
    )
    return replace(written, corrected=corrected, sampling=look)


def _whole_report(matrix: Matrix, plan: SamplingPlan, resamples: int) -> RiskReport:
    """Report a plan that has drawn every template with a count, without estimation."""
    risks = risk_report(matrix, resamples)
    look = Look(
        within=plan.within,
        draws=plan.draws,
        effective_draws=plan.draws,
        templates=len(matrix.templates),
        available=len(matrix.templates),
        half_width=0.0,
        estimates={name: getattr(risks, name) for name in RISKS},
        intervals={name: risks.intervals[name][0] for name in RISKS},
    )
    return replace(risks, warnings=risks.warnings + sentences(look), sampling=look)


def _look_of(estimate: DrawnRisk, plan: SamplingPlan, templates: int, available: int) -> Look:
    schedule = looks(plan.within)
    intervals = estimate.intervals(schedule.quantile, LEVEL).intervals
    return Look(
        within=plan.within,
        draws=plan.draws,
        effective_draws=estimate.effective_draws,
        templates=templates,
        available=available,
        half_width=estimate.half_width(schedule.quantile),
        estimates={name: getattr(estimate.totals, name) for name in RISKS},
        intervals={name: intervals[name][0] for name in RISKS},
    )


def sentences(look: Look) -> tuple[str, ...]:
    """Return the sentences that belong beside every number of a run with a plan."""
    if look.whole:
        return (
            f"All {look.available:,} sentences with a count were drawn, so nothing is estimated from a "
            "sample.",
        )
    written = [
        f"{look.templates:,} of {look.available:,} sentences were drawn, in {look.draws:,} draws by count. "
        f"Drawing continues until the ranges are within ± {look.within:g}; they are now within ± "
        f"{look.half_width:.2g}. Prejudice and caprice are corrected for the bias of a sample."
    ]
    if look.half_width > look.within:
        written.append(
            "The ranges are wider than planned, because the plan holds only for a finished run in which "
            "common sentences count more, all occupations count the same, an even split counts as even, and "
            "criterion and scale are the first paper's."
        )
    if rough(look.effective_draws):
        written.append(
            f"With these weights of sentences the draws are worth only {look.effective_draws:.1f}, so "
            "estimates are rough: weight sentences by how common they are instead."
        )
    return tuple(written)
