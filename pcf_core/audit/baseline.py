"""The neutral-subject baseline: what a model expects of nobody in particular, in the same sentences.

Half of a risk against an even split may be a word's frequency alone: where *he* is commoner than *she* in
what a model has read, it favours men for every occupation, and for *person* too.  So the same contexts are
filled with words for anybody (``assets/evidence/neutral-subjects.toml``), scored like any occupation, and the
occupations are held against what comes out, beside the even split.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.audit.reading import Reading
from pcf_core.audit.results import load_result
from pcf_core.audit.writing import Matrix, risk_report
from pcf_core.core.errors import EvidenceError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Aggregation, Interval, Over
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.suiting import AS_GROUPS
from pcf_core.measure.neutral import around_neutral, risk_around
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.store.store import Store

NEUTRAL = "neutral-subjects"
Read = Callable[[Store, RunSpec, Protocol, Aggregation], Result]


@dataclass(frozen=True)
class Baseline:
    """What a model expects of neutral subjects, and how far its occupations are from that.

    ``run``: the key of the run of the subjects.  ``preferences``: by group, the mean over subjects and
    contexts; they sum to 1.  ``lean``: J of the mean stereotype of the subjects against an even split, with
    its interval over templates.  ``overall_risk``: R of the occupations with ``preferences`` as p*.
    ``spread``: by group, the weighted s.d. over occupations of the mean stereotype against an even split;
    ``distance``: the root of its mean squared distance from that of the subjects.  ``intervals``: of
    ``overall_risk``, and by group of ``spread`` and ``distance``, over templates first, then over occupations
    and over both; the neutral point is drawn again with the templates it comes from
    (:mod:`pcf_core.measure.neutral`).
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
        return next((found for found in several if found.over == over), None)


def baseline_run(run: RunSpec) -> RunSpec | None:
    """Return the run of the neutral subjects that belongs to a run.

    ``None`` for these themselves, for topics in another language, for groups and list turned round, and
    where an operator's assets have no neutral subjects.
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
    asked = baseline_run(run)
    return asked is not None and store.is_finished(asked)


def baseline_of(
    store: Store,
    run: RunSpec,
    result: Result,
    options: ViewOptions,
    read: Read = load_result,
    resamples: int = 2000,
) -> Baseline | None:
    """Hold a run against its neutral subjects; ``None`` where these are not scored.

    Parameters
    ----------
    store
        Where the runs are.
    run
        Of occupations.
    result
        Its preferences.
    options
        How it is read.  The subjects weigh alike.
    read
        What gives a run's preferences.
    resamples
        How many times templates and occupations are drawn again.

    Raises
    ------
    RunError
        The scores of the subjects cannot be read under the protocol.
    AuditError
        Options that the run cannot be read with.
    """
    both = _matrices(store, run, result, options, read)
    if both is None:
        return None
    asked, subjects, matrix, neutral = both
    found = around_neutral(
        matrix.values,
        neutral,
        matrix.unit or TemplateUnit.templates(matrix.template_weights),
        matrix.occupation_weights / matrix.occupation_weights.sum(),
        matrix.criterion,
        resamples=resamples,
    )
    lean = risk_report(subjects, resamples).lean
    assert lean is not None  # a whole report of a run without a plan has it
    groups = matrix.groups

    def by_group(values: FloatArray) -> dict[str, float]:
        return dict(zip(groups, values.tolist(), strict=True))

    return Baseline(
        run=asked.key,
        subjects=asked.evidence.terms,
        preferences=by_group(found.point),
        lean=lean.common,
        lean_interval=lean.interval("common_lean"),
        overall_risk=found.overall,
        spread=by_group(found.spread),
        distance=by_group(found.distance),
        intervals={
            (name, "" if name == "overall_risk" else groups[of]): several
            for (name, of), several in found.intervals.items()
        },
    )


def risk_from_neutral(
    store: Store, run: RunSpec, result: Result, options: ViewOptions, read: Read = load_result
) -> float | None:
    """Return R with what the neutral subjects get as p*, without its interval; ``None`` where none is scored.

    It takes and raises what :func:`baseline_of` does, and is the same number in a hundredth of the time.
    """
    both = _matrices(store, run, result, options, read)
    if both is None:
        return None
    _, _, matrix, neutral = both
    shares = matrix.occupation_weights / matrix.occupation_weights.sum()
    return risk_around(matrix.values, neutral, matrix.template_weights, shares, matrix.criterion)


def _matrices(
    store: Store, run: RunSpec, result: Result, options: ViewOptions, read: Read
) -> tuple[RunSpec, Matrix, Matrix, FloatArray] | None:
    """Return the subjects' run, their matrix, that of the run, and the subjects' values in its templates."""
    asked = baseline_run(run)
    if asked is None or not has_baseline(store, run):
        return None
    even = options.model_copy(update={"reference": "uniform"})
    alike = even.model_copy(update={"occupation_weights": "uniform"})
    subjects = Reading(asked, read(store, asked, options.protocol, options.aggregation), alike).matrix
    matrix = Reading(run, result, even).matrix
    place = {text: index for index, text in enumerate(subjects.templates)}
    neutral = subjects.values[:, [place[text] for text in matrix.templates]]  # a plan has drawn fewer
    return asked, subjects, matrix, neutral
