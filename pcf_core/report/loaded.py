"""Finished runs as pages and reports show them: read under view options, in groups that can be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol, cast

from pydantic import ValidationError

from pcf_core.audit import Result, ViewOptions, load_result, report
from pcf_core.audit.occupations import counted_occupations
from pcf_core.errors import EvidenceError, InputError, RunError, TopicError
from pcf_core.findings import contexts, count
from pcf_core.records import Aggregation, Interval, Over, RiskReport, RunSpec
from pcf_core.records import Protocol as ProtocolName
from pcf_core.records.report import ReportRequest
from pcf_core.store import Store


@dataclass(frozen=True)
class LoadedRun:
    """A finished run, read under the view options."""

    run: RunSpec
    key: str
    view_key: str
    result: Result
    report: RiskReport

    @property
    def even(self) -> float:
        """The probability of a group in an even split."""
        return 1 / len(self.report.groups)


class Read(Protocol):
    """What gives a run's preferences: :func:`pcf_core.audit.load_result`, or one that reads no aggregates."""

    def __call__(
        self, store: Store, run: RunSpec, protocol: ProtocolName, aggregation: Aggregation, /
    ) -> Result: ...


@dataclass(frozen=True)
class Study:
    """Runs by label that may stand in one picture: one topic, one list, one template set, one protocol.

    ``instead``: an even split stands for the neutral point that was asked for, which these runs do not have.
    """

    runs: Mapping[str, LoadedRun]
    options: ViewOptions
    over: Over
    instead: bool = False

    @property
    def first(self) -> LoadedRun:
        return next(iter(self.runs.values()))

    @cached_property
    def reports(self) -> dict[str, RiskReport]:
        return {label: item.report for label, item in self.runs.items()}

    @property
    def groups(self) -> tuple[str, ...]:
        return self.first.report.groups

    @property
    def comparable(self) -> bool:
        """Whether the closed forms of the reference models hold: an even split, and l∞ or two groups."""
        same_norm = self.options.criterion == "max" or len(self.groups) == 2
        return self.options.reference == "uniform" and same_norm

    @property
    def title(self) -> str:
        """Topic, what fills [X], and the contexts, for people."""
        run, report = self.first.run, self.first.report
        terms = count(len(report.occupations), run.evidence.noun)
        where = f"{contexts(len(report.templates), report.sampling)} of “{run.templates.title}”"
        return f"{run.topic.title}: {terms} in {where}"

    @cached_property
    def even(self) -> dict[str, RiskReport]:
        """The reports against an even split on the scale that ends at 1, whatever the view options say."""
        options = self.options.model_copy(update={"reference": "uniform", "scale": "pcf"})
        if options == self.options:
            return self.reports
        return {label: report(item.result, item.run, options) for label, item in self.runs.items()}

    @cached_property
    def whole_reports(self) -> dict[str, RiskReport]:
        """Of the runs whose intervals are over documents, the report with those over whole templates."""
        options = self.options.model_copy(update={"unit": "template"})
        shown = {label: item.report.interval("overall_risk", self.over) for label, item in self.runs.items()}
        return {
            label: report(item.result, item.run, options)
            for label, item in self.runs.items()
            if (interval := shown[label]) and interval.unit == "document"
        }

    @property
    def whole_templates(self) -> dict[str, Interval]:
        """Of these runs the interval of R over whole templates."""
        several = {
            label: one.interval("overall_risk", self.over) for label, one in self.whole_reports.items()
        }
        return {label: interval for label, interval in several.items() if interval}

    def most(self, number: int) -> Study:
        """The first runs alone, as many as have room in one picture."""
        return replace(self, runs=dict(list(self.runs.items())[:number]))


def load_studies(store: Store, request: ReportRequest, read: Read = load_result) -> tuple[Study, ...]:
    """The runs of a request in groups that can be compared, in the order in which they were chosen.

    A neutral point that a topic or list does not have is that of the others alone; see ``Study.instead``.

    Raises:
        RunError: a run is unknown, not finished, or was scored under another protocol.
        AuditError: it cannot be read under these options.
    """
    found: dict[tuple[str, ...], list[tuple[RunSpec, ViewOptions]]] = {}
    runs: list[RunSpec] = []
    for key in request.runs:
        info = store.run_info(key)
        if not info.complete:
            raise RunError(
                f"The run {info.run.key} is not finished: score it, or leave it out of the report."
            )
        runs.append(info.run)
        options = fitting(options_of(request.options, info.run), info.run)
        found.setdefault(alike(info.run, options), []).append((info.run, options))
    named = dict(zip((run.key for run in runs), labels(runs), strict=True))
    return tuple(
        Study(
            {named[run.key]: load(store, run, options, read) for run, options in several},
            several[0][1],
            request.over,
            several[0][1].reference != request.options.get("reference", "uniform"),
        )
        for several in found.values()
    )


def options_of(options: Mapping[str, str], run: RunSpec) -> ViewOptions:
    """View options of a request; without a protocol a run is read under its own.

    Raises:
        InputError: an option that there is not, or a value that it cannot have.
    """
    protocol = options.get("protocol") or cast(Literal["exact"], run.scoring.protocol)
    try:
        return ViewOptions.model_validate({**options, "protocol": protocol})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"The view option {where!r} of this report cannot be used ({first['msg']}); the options are "
            f"{', '.join(ViewOptions.model_fields)}."
        ) from error


def fitting(options: ViewOptions, run: RunSpec) -> ViewOptions:
    """The options, against an even split where the neutral point is none that this topic and list have."""
    if options.reference == "uniform":
        return options
    try:
        counted_occupations(run.evidence, run.topic, options)
    except (EvidenceError, TopicError):
        return options.model_copy(update={"reference": "uniform"})
    return options


def alike(run: RunSpec, options: ViewOptions) -> tuple[str, ...]:
    """What two runs have in common that may stand in one picture."""
    return (run.topic.hash, run.evidence.hash, run.templates.hash, options.protocol)


def labels(runs: Iterable[RunSpec]) -> list[str]:
    """A name for each: its model, and where that is not one run alone also the first digits of its key."""
    several = list(runs)
    times = Counter(run.scoring.model for run in several)
    return [
        run.scoring.model if times[run.scoring.model] == 1 else f"{run.scoring.model} · {run.key[:6]}"
        for run in several
    ]


def load(store: Store, run: RunSpec, options: ViewOptions, read: Read) -> LoadedRun:
    """One run under view options; its ``view_key`` is the run's, as nothing is remembered by it."""
    result = read(store, run, options.protocol, options.aggregation)
    return LoadedRun(run, run.key, run.key, result, report(result, run, options))
