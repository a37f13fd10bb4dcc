"""Finished runs for pages and reports: read under view options, in comparable groups, with caveats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, cast

from pydantic import ValidationError

from pcf_core.audit.comparing import compared, controlled, lettered
from pcf_core.audit.options import ViewOptions, counted_occupations, word_scoring
from pcf_core.audit.reading import report
from pcf_core.audit.results import Read, Report, Results, load_result
from pcf_core.core.errors import EvidenceError, InputError, RunError, TopicError
from pcf_core.core.records import first_problem
from pcf_core.core.risk import COUNTS_ONLY, Comparison, Interval, Over, RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.report.records import ReportRequest
from pcf_core.show.findings.comparison import order_finding
from pcf_core.show.findings.models import (
    interval_sentence,
    risk_with_interval,
    shown_interval,
    whole_templates_finding,
)
from pcf_core.show.findings.notes import (
    no_answer_note,
    noun_note,
    sentences_of,
    sizes_clause,
    tokens_clause,
    warning_text,
)
from pcf_core.show.findings.numbers import count, effective_count, equal_sentences, two_decimals
from pcf_core.show.names import sentence_with_titles, set_title
from pcf_core.show.overview import ModelRow
from pcf_core.store.store import Store

P = ParamSpec("P")
S = TypeVar("S", bound="Study")
T = TypeVar("T")
MOST_EACH = 4  # up to so many models every pair is compared, else the first with each other one


PROGRAM = "PCF Audit"


@dataclass(frozen=True)
class Reports:
    """Reports by label for one picture, without their runs."""

    reports: Mapping[str, RiskReport]
    over: Over = "templates"
    source: str = PROGRAM


@dataclass(frozen=True)
class Study:
    """Runs by label for one picture, read under the same options.

    In a report they share topic, list, template set and protocol.  ``over``: of the intervals shown.
    ``instead``: an even split replaces the requested neutral point, which does not apply to these runs.
    """

    runs: Mapping[str, Report]
    options: ViewOptions
    over: Over = "templates"
    instead: bool = False

    @cached_property
    def _answers(self) -> dict[Hashable, Any]:
        return {}

    def remember(self: S, function: Callable[Concatenate[S, P], T], *given: P.args, **named: P.kwargs) -> T:
        """Call a function with these runs, cached by its arguments."""
        key = (function, given, *named.items())
        if key not in self._answers:
            self._answers[key] = function(self, *given, **named)
        return cast(T, self._answers[key])

    def read_as(self, item: Report, options: ViewOptions) -> RiskReport:
        """Return a run's report under other options."""
        return report(item.result, item.run, options)

    @property
    def first(self) -> Report:
        """The first run."""
        return next(iter(self.runs.values()))

    @cached_property
    def reports(self) -> dict[str, RiskReport]:
        """The reports by label."""
        return {label: item.report for label, item in self.runs.items()}

    @cached_property
    def rows(self) -> list[ModelRow]:
        """The figures of every model, with the range shown."""
        return [ModelRow.of(name, report, over=self.over) for name, report in self.reports.items()]

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the topic."""
        return self.first.report.groups

    @property
    def source(self) -> str:
        """The source line of its pictures."""
        run = self.first.run
        parts = [PROGRAM, run.topic.title, set_title(run.templates), word_scoring(self.options.protocol)]
        return " · ".join(parts)

    @property
    def comparable(self) -> bool:
        """Whether the reference models' closed forms hold: an even split, and l∞ or two groups."""
        same_norm = self.options.criterion == "max" or len(self.groups) == 2
        return self.options.reference == "uniform" and same_norm

    @cached_property
    def even(self) -> dict[str, RiskReport]:
        """The reports against an even split on the scale that ends at 1, whatever the options."""
        options = self.options.model_copy(update={"reference": "uniform", "scale": "pcf"})
        if options == self.options:
            return self.reports
        return {label: self.read_as(item, options) for label, item in self.runs.items()}

    def compare(self, first: Report, second: Report) -> Comparison:
        """Compare two of the runs, paired; raise RunError if they cannot be compared."""
        return compare_runs(first, second, self.options)

    @cached_property
    def comparisons(self) -> tuple[tuple[Comparison, ...], tuple[str, ...]]:
        """Paired comparisons, p-values controlled over the pairs, and why others cannot be made."""
        made, refused = [], dict[str, None]()
        for first, second in pairs(self.runs):
            try:
                made.append(self.compare(first, second))
            except RunError as error:
                refused[str(error)] = None
        return controlled(made), tuple(refused)

    @cached_property
    def order(self) -> str:
        """Which of its models has the higher risk, if we can tell."""
        return order_finding(self.comparisons[0], said_risks(self.runs, self.over))

    @property
    def reliable(self: S) -> S:
        """The same study with only the reliable runs, maybe none."""
        runs = {label: item for label, item in self.runs.items() if not item.report.says_little}
        return self if len(runs) == len(self.runs) else replace(self, runs=runs)

    def most(self: S, number: int) -> S:
        """Return a study of the first ``number`` runs."""
        return replace(self, runs=dict(list(self.runs.items())[:number]))

    @property
    def title(self) -> str:
        """Topic, what fills [X], and the sentences."""
        run, report = self.first.run, self.first.report
        terms = count(len(report.occupations), run.evidence.noun)
        where = sentences_of(len(report.templates), set_title(run.templates), report.sampling)
        return f"{run.topic.title}: {terms} in {where}"

    @cached_property
    def whole_reports(self) -> dict[str, RiskReport]:
        """Reports with intervals over whole templates, of runs whose intervals are over counts only."""
        options = self.options.model_copy(update={"unit": "template"})
        shown = {label: item.report.interval("overall_risk") for label, item in self.runs.items()}
        return {
            label: self.read_as(item, options)
            for label, item in self.runs.items()
            if (interval := shown[label]) and interval.unit in COUNTS_ONLY
        }

    @property
    def whole_templates(self) -> dict[str, Interval]:
        """Intervals of R over whole templates, if intervals over templates are shown."""
        if self.over != "templates":
            return {}
        several = {label: one.interval("overall_risk") for label, one in self.reliable.whole_reports.items()}
        return {label: interval for label, interval in several.items() if interval}


def compare_runs(first: Report, second: Report, options: ViewOptions) -> Comparison:
    """Compare two runs; raises as :meth:`Study.compare`."""
    return compared(first.reading(options), second.reading(options), options)


def letter_runs(runs: Sequence[Report], options: ViewOptions) -> list[str]:
    """Return the letters of runs, or raise, as :func:`~pcf_core.audit.comparing.lettered` does."""
    return lettered([item.reading(options) for item in runs], options)


def pairs(runs: Mapping[str, Report]) -> list[tuple[Report, Report]]:
    """Choose the pairs to compare: all of up to four runs, else the first with each other one."""
    several = list(runs.values())
    if len(several) <= MOST_EACH:
        return list(combinations(several, 2))
    return [(several[0], run) for run in several[1:]]


def said_risks(runs: Mapping[str, Report], over: Over) -> dict[str, str]:
    """Write R of each run by its key, with its interval unless that is over counts only."""
    by_run = {}
    for item in runs.values():
        shown = shown_interval(item.report, "overall_risk", over)
        counts_only = shown is not None and shown.unit in COUNTS_ONLY
        alone = two_decimals(item.report.overall_risk)
        by_run[item.key] = alone if counts_only else risk_with_interval(item.report, over)
    return by_run


def load_studies(store: Store, request: ReportRequest, read: Read = load_result) -> tuple[Study, ...]:
    """Load the runs of a request in comparable groups, in the order chosen.

    Raises RunError if a run is unknown, not finished, or scored under another protocol, AuditError if it
    cannot be read under these options.
    """
    results = Results(store, read)
    alike_runs: dict[tuple[str, ...], list[tuple[RunSpec, ViewOptions]]] = {}
    runs: list[RunSpec] = []
    for key in request.runs:
        info = store.run_info(key)
        run = info.run
        if not info.complete:
            raise RunError(f"The run {run.key} is not finished: score it, or leave it out of the report.")
        runs.append(run)
        options = _fitting(_options_of(request.options, run), run)
        alike = (run.topic.hash, run.evidence.hash, run.templates.hash, options.protocol)
        alike_runs.setdefault(alike, []).append((run, options))
    keys = [run.key for run in runs]
    named = dict(zip(keys, unlike_names([run.scoring.label for run in runs], keys), strict=True))
    return tuple(
        Study(
            {named[run.key]: results.report(run, options) for run, options in several},
            several[0][1],
            request.over,
            several[0][1].reference != request.options.get("reference", "uniform"),
        )
        for several in alike_runs.values()
    )


def _options_of(options: Mapping[str, str], run: RunSpec) -> ViewOptions:
    """Return the view options of a request; without a protocol a run is read under its own."""
    protocol = options.get("protocol") or cast(Literal["exact"], run.scoring.protocol)
    try:
        return ViewOptions.model_validate({**options, "protocol": protocol})
    except ValidationError as error:
        problem = first_problem(error)
        raise InputError(
            f"The view option {problem.where!r} of this report {problem.fault}; the options are "
            f"{', '.join(ViewOptions.model_fields)}."
        ) from error


def _fitting(options: ViewOptions, run: RunSpec) -> ViewOptions:
    """Return the options, with an even split if the neutral point does not fit topic and list."""
    if options.reference == "uniform":
        return options
    try:
        counted_occupations(run.evidence, run.topic, options)
    except (EvidenceError, TopicError):
        return options.model_copy(update={"reference": "uniform"})
    return options


def unlike_names(names: Sequence[str], keys: Sequence[str]) -> list[str]:
    """Add the first digits of the key to names that are not unique."""
    times = Counter(names)
    return [
        name if times[name] == 1 else f"{name} · {key[:6]}" for name, key in zip(names, keys, strict=True)
    ]


def study_notes(study: Study) -> list[str]:
    """Return the caveats of a study, and what its intervals allow for; some may be empty."""
    return [
        noun_note(study.first.run),
        instead_note(study),
        no_answer_note(study.reports),
        *warnings_of(study.reports),
        *interval_notes(study.reports, study.over),
        whole_templates_finding(study.whole_templates),
    ]


def instead_note(study: Study) -> str:
    """Say that the requested neutral point does not apply to a study, else return ""."""
    if not study.instead:
        return ""
    return (
        "The labour force's shares of women and men, the neutral point asked for, do not apply to "
        f"{study.title}: its figures are held against an even split."
    )


def warnings_of(reports: Mapping[str, RiskReport]) -> list[str]:
    """Collect warnings of several reports, each once, with the models it is about unless all."""
    texts = {
        name: [warning_text(sentence, report.coverage) for sentence in report.warnings]
        for name, report in reports.items()
    }
    sentences = []
    for sentence in dict.fromkeys(sentence for several in texts.values() for sentence in several):
        whose = [name for name, several in texts.items() if sentence in several]
        named = sentence if len(whose) == len(reports) else f"{', '.join(whose)}: {sentence}"
        sentences.append(sentence_with_titles(named))
    return sentences


def unequal_words(study: Study) -> tuple[str, str]:
    """Return :func:`tokens_clause` and :func:`sizes_clause` of a study; "" if all words are equal."""
    item = study.first
    used = set(item.result.words)
    sizes = {group.name: sum(word in used for word in group.words) for group in item.run.topic.groups}
    return (
        tokens_clause({name: one.result.token_shares for name, one in study.runs.items()}),
        "" if study.options.aggregation == "mean" else sizes_clause(sizes),
    )


def interval_notes(reports: Mapping[str, RiskReport], over: Over, of: str = "") -> list[str]:
    """Return what the intervals of the risks allow for, each kind once; ``of``: the figures."""
    intervals = (shown_interval(report, "overall_risk", over) for report in reports.values())
    return list(dict.fromkeys(interval_sentence(interval, of) for interval in intervals if interval))


NOT_SURE = (
    "The ranges do not cover another training of the same model, other occupations, or other words for the "
    "groups.",
    "Word probabilities are not behaviour: a low risk does not make a model safe to use, and a high one does "
    "not prove harm.",
    "Do not certify a model with one number: give its range with it, and say with which sentences it was "
    "measured.",
)


def effective_text(report: RiskReport) -> str:
    """Write the effective number of templates, or of draws of an unfinished sampling plan."""
    look = report.sampling
    if look is None or look.whole:
        return effective_count(report.effective_templates)
    return f"{f'{look.effective_draws:,.1f}'.removesuffix('.0')} draws"


def precision_text(report: RiskReport) -> str:
    """Write the same in a sentence, rounded: "14 equally common sentences"."""
    look = report.sampling
    if look is None or look.whole:
        return equal_sentences(report.effective_templates)
    return f"{look.effective_draws:,.0f} draws"
