"""Verdicts of the gate on stored runs, for pages and reports, which score nothing.

An uploaded policy may name any file of this machine, so topics, templates, lists and weights are only found
by name, and no file is opened.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from pcf_core.audit.gate import GateReport, ReadRun, check_context, check_groups
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.policy import PACK, RUN_KEY, Context, Policy
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import Read, load_result
from pcf_core.core.errors import ForbiddenWordsError, PolicyError, RunError
from pcf_core.core.options import declared
from pcf_core.core.run import RunSpec, ScoringKey, scored_as
from pcf_core.material import evidence, templates, topics
from pcf_core.measure.limits import resamples_for
from pcf_core.store.store import Store

MOST_CELLS = 20_000_000  # resamples × occupations × groups: 160 MB an array


@dataclass(frozen=True)
class StoredVerdicts:
    """The ``report`` on a model from stored runs, or ``None`` if a run of the policy is ``missing``.

    ``refused``: why a run that is there has no figures.
    """

    report: GateReport | None
    missing: tuple[RunSpec, ...] = ()
    refused: str = ""


class _NotScoredError(Exception):
    """The run of a look is not scored."""


def planned_runs(policy: Policy, scoring: ScoringKey) -> tuple[RunSpec, ...]:
    """Return the full run of each context.

    Raises InputError for an unknown name or group, a file, or too many resamples.
    """
    planned = tuple(_planned(context, scoring) for context in policy.contexts)
    for run in planned:
        _check_size(policy, run)
    return planned


def _planned(context: Context, scoring: ScoringKey) -> RunSpec:
    if context.weights not in (names := declared(ViewOptions)["occupation_weights"].offered):
        raise PolicyError(
            f"The policy weights occupations by the file {context.weights[:60]!r}, and pages and reports do "
            f"not open files named by a policy: use {' or '.join(names)}, or the command check."
        )
    topic = topics.load_topic(topics.SHELF.require(context.topic))
    check_groups(context, topic)
    return RunSpec(
        scoring=scoring.model_copy(update={"protocol": scored_as(context.protocol)}),
        topic=topic,
        evidence=evidence.load_evidence(evidence.SHELF.require(context.evidence or topic.evidence)),
        templates=templates.load_templates(templates.SHELF.require(context.templates or topic.templates)),
    )


def stored_verdicts(
    store: Store, policy: Policy, scoring: ScoringKey, read: Read = load_result
) -> StoredVerdicts:
    """Judge a model by the runs of the store, in the looks of the command ``check``.

    Raises InputError as :func:`planned_runs` and for an unnamed baseline, and RunError if the baseline is not
    the key of a run, or cannot be compared.
    """
    planned = planned_runs(policy, scoring)
    reports, missing = [], []
    for context, run in zip(policy.contexts, planned, strict=True):
        try:
            reports.append(
                check_context(
                    context,
                    run,
                    policy.error_each,
                    _reader(store, context, read),
                    policy=policy,
                    early=policy.stop_early,
                    read_baseline=_baseline_reader(store, context, read),
                )
            )
        except _NotScoredError:
            missing.append(run)
        except ForbiddenWordsError as error:
            return StoredVerdicts(None, refused=str(error))
    if missing:
        return StoredVerdicts(None, tuple(missing))
    return StoredVerdicts(
        GateReport(
            model=scoring.label,
            title=policy.title,
            error=policy.error,
            stop_early=policy.stop_early,
            contexts=tuple(reports),
        )
    )


def _check_size(policy: Policy, run: RunSpec) -> None:
    cells = resamples_for(policy.error_each) * len(run.evidence.terms) * len(run.topic.groups)
    if cells > MOST_CELLS:
        raise PolicyError(
            f"Checking the limits on {run.topic.name!r} takes {cells:,} numbers, and a page or report may "
            f"use {MOST_CELLS:,}: set fewer limits, allow a larger error, or use the command check."
        )


def _reader(store: Store, context: Context, read: Read) -> ReadRun:
    def reading(run: RunSpec) -> RunView:
        try:
            return _reading(store, context, read, run)
        except RunError as error:
            raise _NotScoredError from error

    return reading


def _reading(store: Store, context: Context, read: Read, run: RunSpec) -> RunView:
    options = context.options
    return RunView(run, read(store, run, options.protocol, options.aggregation), options)


def _baseline_reader(store: Store, context: Context, read: Read) -> ReadRun | None:
    """Return a function for the baseline of a look: a run by its key, or the run of a model."""
    name = context.baseline
    if not (name and context.compares):
        return None
    if name.endswith(PACK):
        raise PolicyError(
            f"The policy compares with the file {name[:60]!r}, and pages and reports do not open files named "
            "by a policy: import the pack and write the key of its run, or use the command check."
        )
    if RUN_KEY.fullmatch(name):
        baseline = store.load_run(name)
        return lambda run: _reading(store, context, read, baseline)

    def of_model(run: RunSpec) -> RunView:
        keys = dict.fromkeys(info.run.scoring for info in store.runs())
        for key in keys:
            if name in (key.name, key.label) and key.protocol == run.scoring.protocol:
                with suppress(RunError):
                    return _reading(store, context, read, run.model_copy(update={"scoring": key}))
        raise RunError(
            f"The policy compares with {name[:60]!r}, which has no run on {run.topic.name} with these "
            "templates and occupations: score it first."
        )

    return of_model
