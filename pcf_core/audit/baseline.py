"""The neutral-subject baseline: how a model treats nobody in particular, in the same sentences.

Half of a risk against an even split may come from the frequency of words alone: a model that has read *he*
more often than *she* favours men for every occupation, and for *person* too.  So the same contexts are filled
with words for anybody (``assets/evidence/neutral-subjects-20.toml``), scored like any occupation, and the
occupations are compared with the outcome, besides the even split.

Two models can also be compared by how close each is to its own baseline: see :func:`order_on_other_scales`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from pcf_core.audit.comparing import common_part, picked, risk_difference
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import load_result
from pcf_core.audit.writing import Matrix, risk_report
from pcf_core.core.errors import EvidenceError, TopicError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Aggregation, Difference, Interval, NeutralComparison, Over, SubjectShares
from pcf_core.core.run import Protocol, RunSpec
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
NEUTRAL_LISTS = (NEUTRAL, "neutral-subjects")  # the second is the list of before, which some runs are of
Read = Callable[[Store, RunSpec, Protocol, Aggregation], Result]


@dataclass(frozen=True)
class Baseline:
    """What a model expects of neutral subjects, and how far its occupations are from that.

    ``run``: the key of the run of the subjects.  ``preferences``: by group, the mean over subjects and
    contexts; they sum to 1.  ``lean``: J of the mean stereotype of the subjects against an even split, with
    its interval over templates.  ``overall_risk``: R of the occupations with ``preferences`` as p*, which is
    on another scale in each model and is compared with nothing.  ``spread``: by group, the weighted s.d.
    over occupations of the mean stereotype against an even split; ``distance``: the root of its mean squared
    distance from that of the subjects.  ``intervals``: of ``overall_risk``, and by group of ``spread`` and
    ``distance``, over templates first, then over occupations and over both; the neutral point is drawn again
    with its templates (:mod:`pcf_core.measure.neutral`).
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
        """Return the interval of a quantity, of a group where it has one, over what was drawn again."""
        several = self.intervals.get((quantity, group), ())
        return next((interval for interval in several if interval.over == over), None)


def baseline_run(run: RunSpec) -> RunSpec | None:
    """Return the run of the neutral subjects that belongs to a run.

    ``None`` for the subjects themselves, for topics in another language, for a list and groups that changed
    sides, and if an operator's assets have no neutral subjects.
    """
    try:
        neutral = load_evidence(NEUTRAL)
    except EvidenceError:
        return None
    turned = run.topic.name.endswith(AS_GROUPS)
    english = run.topic.language.partition("-")[0].lower() == "en"
    if turned or not english or run.evidence.hash == neutral.hash:
        return None
    return run.model_copy(update={"evidence": neutral, "plan": None})


def has_baseline(store: Store, run: RunSpec) -> bool:
    """Tell whether the neutral subjects of a run are scored."""
    subjects = baseline_run(run)
    return subjects is not None and store.is_finished(subjects)


def baseline_of(
    store: Store,
    run: RunSpec,
    result: Result,
    options: ViewOptions,
) -> Baseline | None:
    """Compare a run with its neutral subjects, which weigh alike; ``None`` if these are not scored.

    ``result``: the run's preferences.  Raises RunError if the scores of the subjects cannot be read under the
    protocol, and AuditError for options that the run cannot be read with.
    """
    both = _matrices(store, run, result, options)
    if both is None:
        return None
    subjects_run, subjects, matrix, neutral = both
    neutral_figures = around_neutral(
        matrix.values,
        neutral,
        matrix.unit or TemplateUnit.templates(matrix.template_weights),
        matrix.occupation_weights / matrix.occupation_weights.sum(),
        matrix.criterion,
    )
    lean = risk_report(subjects).lean
    assert lean is not None  # a whole report of a run without a plan has it
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
    """Return how far occupations are from the neutral subjects, without an interval; ``None`` if none.

    One figure for all groups, on the scale on which an even split and one group for certain are 1 apart; see
    :mod:`pcf_core.measure.neutral`.  Parameters and errors are those of :func:`baseline_of`.
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
    """Return the subjects' run, both matrices, and the subjects' values in the run's templates."""
    subjects_run = baseline_run(run)
    if subjects_run is None or not has_baseline(store, run):
        return None
    even = options.model_copy(update={"reference": "uniform"})
    alike = even.model_copy(update={"occupation_weights": "uniform"})
    subjects = RunView(
        subjects_run, load_result(store, subjects_run, options.protocol, options.aggregation), alike
    ).matrix
    matrix = RunView(run, result, even).matrix
    index_of = {text: index for index, text in enumerate(subjects.templates)}
    neutral = subjects.values[:, [index_of[text] for text in matrix.templates]]  # a plan has drawn fewer
    return subjects_run, subjects, matrix, neutral


# Two models: whether one is closer to even also where it is another thing than an even split that counts.


@dataclass(frozen=True)
class OtherScales:
    """How two models compare on other scales than R against an even split.

    ``labour``: the difference of R against the labour force's shares, ``None`` if these are not known.
    ``neutral``: each against its own neutral subjects, ``None`` if those of either are not scored.
    """

    labour: Difference | None = None
    neutral: NeutralComparison | None = None

    @property
    def differences(self) -> tuple[Difference | None, ...]:
        """The differences that agree where an order is general: labour force, distance and spread."""
        measures = self.neutral.differences if self.neutral else {}
        return self.labour, measures.get("distance"), measures.get("spread")


def order_on_other_scales(
    store: Store, first: RunView, second: RunView, options: ViewOptions, read: Read = load_result
) -> OtherScales:
    """Compare two runs against the labour force and their neutral subjects, as far as these are known.

    If the options already ask for another neutral point than an even split, nothing is compared.  Raises
    AuditError if the two cannot be compared, or the scores of the subjects cannot be read.
    """
    if options.reference != "uniform":
        return OtherScales()
    labour = None
    with suppress(EvidenceError, TopicError):  # no shares of these groups or occupations are known
        labour = risk_difference(first, second, options.model_copy(update={"reference": "labour"}))
    return OtherScales(labour, neutral_comparison(store, first, second, options, read))


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
    """Compare two runs, each with its own neutral subjects, in the sentences and occupations that both have.

    ``None`` if the subjects of either are not scored, or hardly ever get any of the topic's words.  The
    subjects weigh alike.
    """
    subject_runs = [baseline_run(reading.run) for reading in (first, second)]
    runs = [run for run in subject_runs if run is not None and store.is_finished(run)]
    if len(runs) < 2:
        return None
    common = common_part(first, second, options.model_copy(update={"reference": "uniform"}))
    texts, groups, subjects = common.run.templates.texts, common.run.topic.group_names, runs[0].evidence.terms
    neutral = []
    for reading, run in zip((first, second), runs, strict=True):
        result = read(store, run, reading.options.protocol, reading.options.aggregation)
        if result.says_little:
            return None
        neutral.append(picked(RunView(run, result, reading.options), subjects, texts, groups))
    weights = template_weights(common.run.templates, options.template_weighting)
    sides = NeutralSides.of(common.values, np.stack(neutral), common.occupation_weights)
    unit = TemplateUnit.templates(weights)
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
        # A margin is in the unit of R, which shares have and log-odds do not.
        differences={
            name: total if name.startswith("log_odds") else replace(total, margin=margin)
            for name, total in totals.items()
        },
    )
