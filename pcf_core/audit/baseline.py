"""The neutral-subject baseline: how a model treats a person of no occupation, in the same sentences.

Half of a risk against an even split may come from word frequency alone: a model trained on more *he* than
*she* favours men for every occupation, and for *person* too.  So the same contexts are filled with words for
anybody (``assets/evidence/neutral-subjects-20.toml``), with which the occupations are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from pcf_core.audit.comparing import common_part, picked, risk_difference
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import Read, load_result
from pcf_core.audit.writing import Matrix, risk_report
from pcf_core.core.errors import EvidenceError, TopicError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Difference, Interval, NeutralComparison, Over, SubjectShares
from pcf_core.core.run import RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.suiting import AS_GROUPS
from pcf_core.material.templates import template_weights
from pcf_core.measure.neutral import (
    NeutralSides,
    around_neutral,
    differences,
    lengths,
    neutral_differences,
    without_each_subject,
)
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.store.store import Store

NEUTRAL = "neutral-subjects-20"
NEUTRAL_LISTS = (NEUTRAL, "neutral-subjects")  # the second is an earlier list, which some runs have


@dataclass(frozen=True)
class Baseline:
    """A model's preferences for neutral subjects, and the distance of its occupations from them.

    ``preferences``: by group, mean over subjects and contexts, sum 1.  ``lean``: J of the subjects' mean
    stereotype against an even split.  ``overall_risk``: R of the occupations with ``preferences`` as p*, not
    comparable between models. ``spread``, ``distance``: by group, see :mod:`pcf_core.measure.neutral`.
    ``intervals``: over templates, occupations and both, with the neutral point resampled too.
    """

    run: str
    subjects: tuple[str, ...]
    preferences: Mapping[str, float]
    lean: float
    lean_interval: Interval | None
    overall_risk: float
    spread: Mapping[str, float]
    distance: Mapping[str, float]
    intervals: Mapping[tuple[str, str], tuple[Interval, ...]]

    def interval(self, quantity: str, over: Over = "templates", group: str = "") -> Interval | None:
        """Return the interval of a quantity, and of a group if it has groups."""
        several = self.intervals.get((quantity, group), ())
        return next((interval for interval in several if interval.over == over), None)


def baseline_run(run: RunSpec) -> RunSpec | None:
    """Return the run of the neutral subjects that belongs to a run.

    ``None`` for the subjects themselves, swapped list and groups, decisions, and languages or assets without
    neutral subjects.
    """
    try:
        neutral = load_evidence(NEUTRAL)
    except EvidenceError:
        return None
    turned = run.topic.name.endswith(AS_GROUPS)
    english = run.topic.language.partition("-")[0].lower() == "en"
    if turned or run.topic.decides or not english or run.evidence.hash == neutral.hash:
        return None
    return run.model_copy(update={"evidence": neutral, "plan": None})


def has_baseline(store: Store, run: RunSpec) -> bool:
    """Return whether the neutral subjects of a run are scored."""
    subjects = baseline_run(run)
    return subjects is not None and store.is_finished(subjects)


def baseline_of(
    store: Store,
    run: RunSpec,
    result: Result,
    options: ViewOptions,
) -> Baseline | None:
    """Compare a run with its neutral subjects, equally weighted; ``None`` if these cannot be read.

    ``result``: the run's preferences.  Raises RunError if the subjects' scores cannot be read under the
    protocol, and AuditError for options that the run cannot be read with.
    """
    both = _matrices(store, run, result, options)
    if both is None:
        return None
    subjects_run, subjects, matrix, neutral = both
    neutral_figures = around_neutral(
        matrix.values,
        neutral,
        matrix.unit or matrix.whole,
        matrix.occupation_weights / matrix.occupation_weights.sum(),
        matrix.criterion,
    )
    lean = risk_report(subjects).lean
    assert lean is not None  # always set without a plan
    groups = matrix.groups

    def by_group(values: FloatArray) -> dict[str, float]:
        return dict(zip(groups, values.tolist(), strict=True))

    return Baseline(
        run=subjects_run.key,
        subjects=subjects_run.evidence.terms,
        preferences=by_group(neutral_figures.point),
        lean=lean.common,
        lean_interval=lean.interval("common_lean"),
        overall_risk=neutral_figures.overall,
        spread=by_group(neutral_figures.spread),
        distance=by_group(neutral_figures.distance),
        intervals={
            (name, "" if name == "overall_risk" else groups[of]): several
            for (name, of), several in neutral_figures.intervals.items()
        },
    )


def distance_from_neutral(store: Store, run: RunSpec, result: Result, options: ViewOptions) -> float | None:
    """Return one distance for all groups, as :func:`baseline_of` but without intervals.

    It is 1 between an even split and one group for certain (:mod:`pcf_core.measure.neutral`).
    """
    both = _matrices(store, run, result, options)
    if both is None:
        return None
    _, _, matrix, neutral = both
    shares = matrix.occupation_weights / matrix.occupation_weights.sum()
    means = np.einsum("t,xtg->xg", matrix.template_weights, matrix.values)
    point = np.einsum("t,jtg->jg", matrix.template_weights, neutral).mean(axis=0)
    return float(lengths(differences("distance", means, point, shares), shares))


def _matrices(
    store: Store, run: RunSpec, result: Result, options: ViewOptions
) -> tuple[RunSpec, Matrix, Matrix, FloatArray] | None:
    """Return the subjects' run, both matrices, and the subjects' values in the run's templates.

    ``None`` if the subjects are not scored, or either run has too many forbidden words.
    """
    subjects_run = baseline_run(run)
    if subjects_run is None or not has_baseline(store, run):
        return None
    of_subjects = load_result(store, subjects_run, options.protocol, options.aggregation)
    if any(one.forbidden and one.forbidden.too_many for one in (result, of_subjects)):
        return None
    even = options.model_copy(update={"reference": "uniform"})
    alike = even.model_copy(update={"occupation_weights": "uniform"})
    subjects_view = RunView(subjects_run, of_subjects, alike)
    subjects, matrix = subjects_view.matrix, RunView(run, result, even).matrix
    index_of = {text: index for index, text in enumerate(subjects.templates)}
    neutral = subjects.values[:, [index_of[text] for text in matrix.templates]]  # a plan draws fewer
    if subjects_view.templates_left_out:
        matrix = matrix.without(subjects_view.templates_left_out)
    return subjects_run, subjects, matrix, neutral


# Whether the order of two models also holds against other neutral points than an even split.


@dataclass(frozen=True)
class OtherScales:
    """Differences of two models' R, where known, by other measures than against an even split.

    Against the labour force and their neutral subjects, and with occupations weighted by ``employment``.
    """

    labour: Difference | None = None
    neutral: NeutralComparison | None = None
    employment: Difference | None = None

    @property
    def differences(self) -> dict[str, Difference | None]:
        """By measure, the differences that must agree for a general order, in the order of a table."""
        measures = self.neutral.differences if self.neutral else {}
        return {
            "labour": self.labour,
            "neutral": measures.get("distance"),
            "spread": measures.get("spread"),
            "employment": self.employment,
        }


def order_on_other_scales(
    store: Store, first: RunView, second: RunView, options: ViewOptions, read: Read = load_result
) -> OtherScales:
    """Compare two runs by other measures, as far as these are known.

    None of them is if the options ask for another neutral point than an even split.  Raises AuditError.
    """
    if options.reference != "uniform":
        return OtherScales()

    def difference(**changed: str) -> Difference | None:
        with suppress(EvidenceError, TopicError):  # no such statistics are known
            return risk_difference(first, second, options.model_copy(update=changed))
        return None

    return OtherScales(
        difference(reference="labour"),
        neutral_comparison(store, first, second, options, read),
        difference(occupation_weights="employment") if options.occupation_weights == "uniform" else None,
    )


def neutral_comparison(
    store: Store,
    first: RunView,
    second: RunView,
    options: ViewOptions,
    read: Read = load_result,
    *,
    resamples: int = 2000,
    permutations: int = 2000,
) -> NeutralComparison | None:
    """Compare two runs in common sentences and occupations, each with its own neutral subjects.

    ``None`` if the subjects of either are not scored, or have too low coverage.
    """
    subject_runs = [baseline_run(reading.run) for reading in (first, second)]
    runs = [run for run in subject_runs if run is not None and store.is_finished(run)]
    if len(runs) < 2:
        return None
    common = common_part(first, second, options.model_copy(update={"reference": "uniform"}))
    texts, groups = common.run.templates.texts, common.run.topic.group_names
    subject_views = []
    for reading, run in zip((first, second), runs, strict=True):
        result = read(store, run, reading.options.protocol, reading.options.aggregation)
        if result.says_little:
            return None
        subject_views.append(RunView(run, result, reading.options))
    left_out = {
        name for one in subject_views for name in (*one.occupations_left_out, *one.templates_left_out)
    }
    subjects = [name for name in runs[0].evidence.terms if name not in left_out]
    neutral = [picked(one, subjects, texts, groups) for one in subject_views]
    weights = template_weights(common.run.templates, options.template_weighting)
    weights = np.where(np.isin(texts, list(left_out)), 0.0, weights)
    sides = NeutralSides.of(common.values, np.stack(neutral), common.occupation_weights)
    unit = TemplateUnit.templates(weights, common.run.templates.families, common.run.templates.slots)
    totals = neutral_differences(sides, unit, resamples=resamples, permutations=permutations)
    margin = float(options.margin)
    of_subjects = np.einsum("t,mjtg->jmg", unit.weights, sides.neutral)
    return NeutralComparison(
        runs=(runs[0].key, runs[1].key),
        groups=groups,
        subjects=tuple(
            SubjectShares(name, tuple(map(tuple, shares.tolist())), float(without))
            for name, shares, without in zip(
                subjects, of_subjects, without_each_subject(sides, unit.weights), strict=True
            )
        ),
        # A margin is in the unit of R, which log-odds do not have.
        differences={
            name: total if name.startswith("log_odds") else replace(total, margin=margin)
            for name, total in totals.items()
        },
    )
