"""The neutral-subject baseline: what a model expects of nobody in particular, in the same sentences.

Half of a risk against an even split may be a word's frequency alone: where *he* is commoner than *she* in
what a model has read, it favours men for every occupation, and for *person* too.  So the same contexts are
filled with words for anybody (``assets/evidence/neutral-subjects.toml``), scored like any occupation, and the
occupations are held against what comes out, beside the even split.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.audit.reading import Reading
from pcf_core.audit.results import load_result
from pcf_core.audit.writing import risk_report
from pcf_core.core.errors import EvidenceError, RunError
from pcf_core.core.risk import Aggregation, Interval
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.suiting import AS_GROUPS
from pcf_core.store.store import Store

NEUTRAL = "neutral-subjects"
Read = Callable[[Store, RunSpec, Protocol, Aggregation], Result]


@dataclass(frozen=True)
class Baseline:
    """What a model expects of neutral subjects, and how far its occupations are from that.

    ``run``: the key of the run of the subjects.  ``preferences``: by group, the mean over subjects and
    contexts; they sum to 1.  ``lean``: J of the mean stereotype of the subjects against an even split, with
    its interval over templates.  ``overall_risk``: R of the occupations with ``preferences`` as p*, which is
    taken as known, with its interval.  ``spread``: by group, the weighted s.d. over occupations of the mean
    stereotype, against an even split.
    """

    run: str
    subjects: tuple[str, ...]
    preferences: Mapping[str, float]
    lean: float
    lean_interval: Interval | None
    overall_risk: float
    overall_risk_interval: Interval | None
    spread: Mapping[str, float]


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
    try:
        return asked is not None and store.run_info(asked.key).complete
    except RunError:
        return False


def baseline_of(
    store: Store, run: RunSpec, result: Result, options: ViewOptions, read: Read = load_result
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

    Raises
    ------
    RunError
        The scores of the subjects cannot be read under the protocol.
    AuditError
        Options that the run cannot be read with.
    """
    asked = baseline_run(run)
    if asked is None or not has_baseline(store, run):
        return None
    even = options.model_copy(update={"reference": "uniform"})
    alike = even.model_copy(update={"occupation_weights": "uniform"})
    subjects = Reading(asked, read(store, asked, options.protocol, options.aggregation), alike)
    found = risk_report(subjects.matrix)
    rows = [row.preferences for row in found.occupations]
    expected = {group: float(np.mean([row[group] for row in rows])) for group in found.groups}
    reading = Reading(run, result, even)
    point = np.array([expected[group] for group in found.groups])
    matrix = reading.matrix
    against = risk_report(
        replace(matrix, criterion=replace(matrix.criterion, reference=point / point.sum())), brief=True
    )
    stereotypes = np.tensordot(
        matrix.criterion.stereotypes(matrix.values),
        matrix.template_weights / matrix.template_weights.sum(),
        axes=([1], [0]),
    )
    shares = matrix.occupation_weights / matrix.occupation_weights.sum()
    deviations = stereotypes - shares @ stereotypes
    assert found.lean is not None  # a whole report of a run without a plan has it
    return Baseline(
        run=asked.key,
        subjects=asked.evidence.terms,
        preferences=expected,
        lean=found.lean.common,
        lean_interval=found.lean.interval("common_lean"),
        overall_risk=against.overall_risk,
        overall_risk_interval=against.interval("overall_risk"),
        spread=dict(zip(found.groups, np.sqrt(shares @ deviations**2).tolist(), strict=True)),
    )
