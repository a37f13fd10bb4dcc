"""Open results for pages, cached by run and view options; decide which models a visitor may look up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import streamlit as st

from pcf_core.app.addresses import Choice
from pcf_core.app.caching import kept, key_of, once, open_queue, open_store
from pcf_core.app.lists import all_topics, named_or_kept, present_families, set_names, stamp_of
from pcf_core.app.request_cache import once_a_run
from pcf_core.app.roles import may_audit
from pcf_core.app.widgets import plain
from pcf_core.audit.baseline import NEUTRAL_LISTS
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result, build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import (
    NotScored,
    Refused,
    Report,
    Results,
    Waiting,
    drawn_run,
    is_kept,
    kept_name,
    load_result,
    self_audit_of,
)
from pcf_core.core.errors import AuditError, RunError, StoreError
from pcf_core.core.frame import Frame, framed_name, is_framed
from pcf_core.core.records import digest
from pcf_core.core.risk import COUNTS_ONLY, Aggregation, Comparison, Interval, RiskReport
from pcf_core.core.run import IMPORTED, SELECTIONS, ModelSpec, Protocol, RunSpec, model_label, scored_as
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.models.names import AUTO, precisions_of
from pcf_core.models.registry import list_models, resolve
from pcf_core.report.loaded import Study, compare_runs
from pcf_core.show.findings.numbers import count

if TYPE_CHECKING:
    from pcf_core.texts.text_audit import AuditAsked, AuditResult
    from pcf_core.work.queue import Job
    from pcf_core.work.requests import Calculation
    from pcf_core.work.text_audits import TextAudit

P = ParamSpec("P")
T = TypeVar("T")
AuditRequest = TypeVar("AuditRequest", bound="AuditAsked")
AuditAnswer = TypeVar("AuditAnswer", bound="AuditResult")
Material = TypeVar("Material")

# The largest runs, in cells, that a page reads itself; larger ones would keep the reader waiting.
MOST_CELLS: Mapping[Calculation, int] = {"preferences": 500_000, "sensitivity": 100_000}
MOST_REPORTS = 30  # side by side
LONGEST_NAME = 100  # characters of a name that a sentence repeats


@dataclass(frozen=True)
class Loaded(Study):
    """The results of a choice by model and precision, and the outcome of its other runs."""

    choice: Choice = field(kw_only=True)
    others: Mapping[str, Waiting | NotScored | Refused] = field(kw_only=True)

    @classmethod
    def of(
        cls,
        choice: Choice,
        runs: Mapping[str, Report],
        others: Mapping[str, Waiting | NotScored | Refused] | None = None,
    ) -> Loaded:
        """Return the runs of a choice, read under its options."""
        return cls(runs, choice.options, choice.over, choice=choice, others=others or {})

    @property
    def missing(self) -> dict[str, RunSpec]:
        """The runs that are not scored yet."""
        return {label: one.run for label, one in self.others.items() if isinstance(one, NotScored)}

    @property
    def unread(self) -> dict[str, RunSpec]:
        """The large runs that the worker must read first, see :func:`must_wait`."""
        return {label: one.run for label, one in self.others.items() if isinstance(one, Waiting)}

    @property
    def refused(self) -> dict[str, str]:
        """Why the remaining runs cannot be read."""
        return {label: one.reason for label, one in self.others.items() if isinstance(one, Refused)}

    @property
    def source(self) -> str:
        """The source line of its pictures, with the day of the newest result."""
        made = made_on(tuple(item.key for item in self.runs.values()))
        return f"{super().source} · results of {made}" if made else super().source

    def remember(self, function: Callable[Concatenate[Loaded, P], T], *given: P.args, **named: P.kwargs) -> T:
        """Call a function with these runs; the answer is cached for all visitors."""
        return once(function)(self, *given, **named)

    def read_as(self, item: Report, options: ViewOptions) -> RiskReport:
        """Return a run's report under other options, cached."""
        return results().report(item.run, options).report

    def compare(self, first: Report, second: Report) -> Comparison:
        """Compare two of the runs template by template, cached; errors as in :class:`Study`."""
        with st.spinner("Comparing template by template …"):
            return once(compare_runs)(first, second, self.options)


def scored_models(topic: Topic | None = None) -> tuple[str, ...]:
    """List the models with a finished run; with a topic, only those on it and its default templates."""
    runs = [info.run for info in open_store().runs() if info.complete]
    if topic is not None:
        runs = [run for run in runs if run.topic.hash == topic.hash and run.templates.name == topic.templates]
    return tuple(dict.fromkeys(run.scoring.name for run in runs))


@once_a_run
def models_by_topic() -> dict[str, int]:
    """Count models with a finished result by name of the topic, not counting runs of neutral subjects."""
    models: dict[str, set[str]] = {}
    for info in open_store().runs():
        if info.complete and info.run.evidence.name not in NEUTRAL_LISTS:
            scoring = info.run.scoring
            plain_key = scoring.frame is None and scoring.sampled is None
            bare = scoring if plain_key else scoring.model_copy(update={"frame": None, "sampled": None})
            models.setdefault(info.run.topic.hash, set()).add(bare.name)
    return {name: len(models.get(topic.hash, ())) for name, topic in all_topics().items()}


def results_mark(models: int) -> str:
    """Say in a menu how many models have results: "2 models", "not run yet"."""
    return count(models, "model") if models else "not run yet"


@kept(slots=16)
def cached_result(run: RunSpec, protocol: Protocol, aggregation: Aggregation, stored: str) -> Result:
    """Load a finished run's preferences, shared between sessions; ``stored``: :func:`stored_state`."""
    return load_result(open_store(), run, protocol, aggregation)


@kept(slots=64, spinner="Calculating risks and ranges …")
def _cached_report(run: RunSpec, options: ViewOptions, stored: str, brief: bool) -> RiskReport:
    result = cached_result(run, options.protocol, options.aggregation, stored)
    return report(result, run, options, brief=brief)


def stored_state(run: RunSpec, protocol: Protocol) -> str:
    """Hash what decides a report besides the run: self-audit, stored preferences, statistics."""
    store = open_store()
    self_audit = self_audit_of(store, run)  # made when a run is finished
    return digest(
        [kept_name(store, run, protocol), self_audit and self_audit.model_dump(), stamp_of("factors")]
    )


class KeptResults(Results):
    """The finished runs of the store, with every report cached for all visitors."""

    def report(self, run: RunSpec, options: ViewOptions, *, brief: bool = False) -> Report:
        """Report a run; the cache key covers counts, families and statistics, which the run key lacks."""
        run = present_families(run)
        stored = stored_state(run, options.protocol)
        view_key = key_of(run, options, stored, brief)
        cached = _cached_report(run, options, stored, brief)
        read_by = options.protocol, options.aggregation
        return Report(run, view_key, cached, lambda: cached_result(run, *read_by, stored))

    def must_wait(self, run: RunSpec, options: ViewOptions) -> bool:
        """Return whether the worker must read the run first."""
        return must_wait(run, "preferences", options)


def results() -> KeptResults:
    """Return the results that pages open."""
    return KeptResults(open_store())


def must_wait(run: RunSpec, what: Calculation, options: ViewOptions) -> bool:
    """Return whether a finished run is so large that the worker has to read it, once.

    False if the result is stored already, if nothing can be stored, or if the worker has tried and failed.
    """
    if run.cells <= MOST_CELLS[what]:
        return False
    store = open_store()
    if what == "preferences" and is_kept(store, run, options.protocol):
        return False
    if what == "sensitivity":
        from pcf_core.audit.sensitivity import sensitivity_kept

        if sensitivity_kept(store, run, options):
            return False
    try:
        store.must_be_writable()
        if not store.is_finished(run):
            return False
    except StoreError:
        return False
    job = newest_reading(run, what, options)
    return job is None or job.state != "done"


def newest_reading(run: RunSpec, what: Calculation, options: ViewOptions) -> Job | None:
    """Return the newest job that reads a run for this calculation, in any state."""
    from pcf_core.work.requests import reading_key  # only for large runs

    return open_queue().newest("read", reading_key(open_store(), run, what, options))


def load(choice: Choice, *, brief: bool = False) -> Loaded:
    """Open every run of a choice; ``brief`` as in :func:`~pcf_core.audit.reading.report`."""
    runs: dict[str, Report] = {}
    others: dict[str, Waiting | NotScored | Refused] = {}
    for model, precision in choice.asked:
        label = model_label(model, precision)
        try:
            run = asked_run(choice, model, precision)
        except AuditError as error:
            others[label] = Refused(str(error))
            continue
        label = model_label(run.scoring.name if run.scoring.frame else model, run.scoring.dtype)
        opened = results().open(run, choice.options, brief=brief)
        if isinstance(opened, Report):
            runs[label] = opened
        else:
            others[label] = opened
    return Loaded.of(choice, runs, others)


def asked_run(choice: Choice, model: str, precision: str) -> RunSpec:
    """Return the run of a model; for ``auto`` the first scored precision, else the one to be scored.

    On a topic about people, the result in the model's chat is shown where there is no other.
    """
    lists = named_or_kept(choice.topic, choice.evidence, choice.templates)
    if model.startswith(IMPORTED) or is_framed(model):
        return stored_run(model, precision, lists, choice.options.protocol)
    runs = (
        build_run(spec, *lists, choice.options.protocol) for spec in precisions_of(resolve(model), precision)
    )
    first = next(runs)
    scored = (run for run in chain([first], runs) if finished(run) or drawn_run(open_store(), run))
    if (run := next(scored, None)) is not None:
        return run
    if lists[0].decides:
        in_chat = framed_name(resolve(model).name, Frame(kind="chat"))
        with suppress(AuditError):
            return stored_run(in_chat, precision, lists, choice.options.protocol)
    return first


def stored_run(
    model: str, precision: str, lists: tuple[Topic, Evidence, TemplateSet], protocol: Protocol
) -> RunSpec:
    """Return the run on these lists of a model that was imported, or that stands in a chat."""
    hashes = [item.hash for item in lists]
    for info in open_store().runs():
        run, key = info.run, info.run.scoring
        same = [item.hash for item in (run.topic, run.evidence, run.templates)] == hashes
        if (
            key.name == model
            and same
            and key.protocol == scored_as(protocol)
            and precision in (AUTO, key.dtype)
        ):
            return run
    raise RunError(
        f"No stored result of {model[:LONGEST_NAME]} is on this topic with these templates and occupations: "
        "choose those that it has, or import or score these."
    )


@once_a_run
def made_on(keys: tuple[str, ...]) -> str:
    """Return the day on which the newest of these runs was finished; empty if none is in the store."""
    days = []
    for key in keys:
        with suppress(AuditError):
            days.append(open_store().run_info(key).created.date().isoformat())
    return max(days, default="")


@once_a_run
def listed_models() -> tuple[ModelSpec, ...]:
    """List shipped and operator-provided models, once per script run."""
    return list_models()


def finished(run: RunSpec) -> bool:
    """Return whether a run is completely scored."""
    return open_store().is_finished(run)


def all_reports(loaded: Loaded) -> tuple[dict[str, RiskReport], int]:
    """Return reports of the loaded and other finished runs on the topic, and how many cannot be read.

    The others have only the interval of R.  Runs of neutral subjects, which are no risk, are left out.
    """
    first, options = loaded.first.run, loaded.options
    reports = dict(loaded.reports)
    seen = {item.key for item in loaded.runs.values()}
    unread = 0
    for run in finished_runs(first):
        if run.topic.hash != first.topic.hash or run.key in seen or len(reports) == MOST_REPORTS:
            continue
        if run.evidence.name in NEUTRAL_LISTS:
            continue
        parts = [run.scoring.label]
        parts += [run.templates.name] if run.templates.hash != first.templates.hash else []
        parts += [run.evidence.name] if run.evidence.hash != first.evidence.hash else []
        parts += [run.scoring.protocol] if run.scoring.protocol != first.scoring.protocol else []
        parts += [f"± {run.plan.within:g}"] if run.plan else []
        label = " · ".join(parts)
        if label in reports:
            label = f"{label} · {run.key[:6]}"
        protocol = options.protocol if options.protocol in SELECTIONS else run.scoring.protocol
        run_options = options.model_copy(update={"protocol": protocol})
        opened = results().open(run, run_options, brief=True)
        if isinstance(opened, Report):
            reports[label] = opened.report
        else:  # large runs are read on request only
            unread += 1
    return reports, unread


def finished_runs(shown: RunSpec) -> list[RunSpec]:
    """List finished runs: those on the shown templates first, then the topic's default ones, then others."""
    runs = [info.run for info in open_store().runs() if info.complete]
    sets = [shown.templates.name, shown.topic.templates, *set_names(), *(run.templates.name for run in runs)]
    models = [*(spec.name for spec in listed_models()), *(run.scoring.name for run in runs)]
    return sorted(runs, key=lambda run: (sets.index(run.templates.name), models.index(run.scoring.name)))


def whole_template_intervals(loaded: Loaded) -> dict[str, Interval]:
    """Return R's interval over whole templates for each model whose shown interval is over counts only."""
    whole, over = loaded.options.model_copy(update={"unit": "template"}), loaded.over
    intervals: dict[str, Interval] = {}
    for name, item in loaded.runs.items():
        shown = item.report.interval("overall_risk", over)
        if shown and shown.unit in COUNTS_ONLY:
            interval = loaded.read_as(item, whole).interval("overall_risk", over)
            intervals |= {name: interval} if interval else {}
    return intervals


@once_a_run
@kept(slots=8, state=lambda audit: [*map(open_store().document_states, (audit.kind, audit.asked_name))])
def answered(audit: TextAudit[AuditRequest, Material, AuditAnswer]) -> tuple[AuditRequest, ...]:
    """List the answered requests of a text audit, newest first, cached until one of them changes."""
    return audit.kept(open_store())


@kept(slots=64, state=lambda audit, key: open_store().document_state(key, audit.asked_name))
def asked_as(audit: TextAudit[AuditRequest, Material, AuditAnswer], key: str) -> AuditRequest:
    """Load a request of a text audit by its hash, cached until it changes."""
    return audit.load_asked(open_store(), key)


def lookable(names: Sequence[str]) -> list[str]:
    """Return the names that this visitor may look up: for viewers, models that are shipped or have results.

    A look-up reads a folder of the server, or queries the hub or an endpoint that may cost money.
    """
    if may_audit() or not names:
        return list(names)
    allowed = {*(spec.name for spec in listed_models() if spec.family != "endpoint"), *scored_models()}
    if allowed.issuperset(names):  # without a look at every result for text audits
        return list(names)
    from pcf_core.work.criteria import CRITERIA_AUDIT
    from pcf_core.work.fairpair import FAIRPAIR_AUDIT

    audited = answered(FAIRPAIR_AUDIT)
    allowed |= {
        *(name for request in audited for name in (request.key.model, request.key.name)),
        *(encoder.model for request in audited if not request.imported for encoder in request.encoders),
        *(name for request in answered(CRITERIA_AUDIT) for name in (request.model, request.name)),
    }
    return [name for name in names if name in allowed]


def draw_lookable(names: Sequence[str]) -> list[str]:
    """Return the :func:`lookable` names, and show an error for each of the others."""
    allowed = lookable(names)
    for name in names:
        if name not in allowed:
            st.error(
                f"There are no results of {plain(name)} here, and only an auditor may have other models "
                "looked for.",
                icon=":material/error:",
            )
    return allowed


def made_by(item: Report) -> Mapping[str, Any]:
    """Return the provenance of an imported run; empty for a run that was scored here."""
    return open_store().run_info(item.key).provenance if item.run.scoring.imported else {}
