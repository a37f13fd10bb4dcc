"""What commands show on a terminal: the panels of pages and reports, as lines.

A command imports this file when a terminal is to be written to: JSON needs no charts and not their library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

from pcf_core.audit.baseline import Baseline, OtherScales, baseline_run
from pcf_core.audit.comparing import OtherSentences
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import Report
from pcf_core.core.knowledge import KnowledgeReport
from pcf_core.core.risk import Comparison, RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.models.registry import list_models
from pcf_core.report.answer import (
    alone_in,
    answer_from,
    answer_of,
    caveats_of,
    keys_elsewhere,
    name_beside,
    reworded_in,
)
from pcf_core.report.loaded import Reports, Study, interval_notes, warnings_of
from pcf_core.report.panels import Panel, text_lines
from pcf_core.report.provenance import run_facts
from pcf_core.report.reproducing import score_command
from pcf_core.report.sections.criteria import criteria_panels
from pcf_core.report.sections.decisions import decisions_panel
from pcf_core.report.sections.fairpair import fairpair_panels, labels, ratio_panel, read_together
from pcf_core.report.sections.knowledge import benchmark_panel, knowledge_panel, pairs_panel
from pcf_core.report.sections.risk import (
    corrected_panel,
    lean_panel,
    neutral_panel,
    reports_panel,
    whole_pair_panel,
)
from pcf_core.show.answer import Answer
from pcf_core.show.compare import Standing
from pcf_core.show.findings.benchmarks import criticism_finding
from pcf_core.show.findings.criteria import criteria_findings
from pcf_core.show.findings.independence import embedding_findings
from pcf_core.show.findings.notes import left_out_note
from pcf_core.show.names import speaking_of
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.records import BenchmarkResult
from pcf_core.texts.criteria.records.runs import CriteriaResult, EmbeddingResult
from pcf_core.texts.fairpair.records import FairPairResult


def matrix_lines(name: str, report: RiskReport) -> list[str]:
    """Show the report of a matrix of probabilities, which has no run behind it."""
    shown = Reports({name: report})
    notes = [*warnings_of(shown.reports), *interval_notes(shown.reports, shown.over)]
    return text_lines(_risk_panels(shown, {}, notes))


def run_lines(store: Store, item: Report, options: ViewOptions, held: Baseline | None) -> list[str]:
    """Show the answer on a run, its report where its figures say enough, and where it comes from.

    Behind the report stands what its neutral subjects say, or how to score them.
    """
    with speaking_of(item.run):
        label, request = item.run.scoring.label, baseline_run(item.run)
        study = Study({label: item}, options, "templates")
        answer = answer_of(study, store, keys_elsewhere(study, _finished(store)))
        missing = (
            f"The neutral subjects are not scored: {score_command(request)}" if request and not held else ""
        )
        facts = [f"{what}: {text}" for what, text in run_facts(item, options).items()]
        shown = _answer_panel(answer)
        if study.reliable.runs:
            notes = [*answer.caveats, missing]
            panels = [replace(shown, notes=[]), *_risk_panels(study, {label: held} if held else {}, notes)]
        else:
            panels = [shown]
        return text_lines([*panels, Panel(title="Method and provenance", notes=facts)])


def _finished(store: Store) -> list[RunSpec]:
    return [info.run for info in store.runs() if info.complete]


def _answer_panel(answer: Answer) -> Panel:
    return Panel(findings=answer.labelled, notes=answer.caveats)


def _risk_panels(
    shown: Study | Reports, baselines: Mapping[str, Baseline], notes: Sequence[str]
) -> list[Panel]:
    """Show R, its corrected parts and how much occupations differ, as far as the report has them."""
    risks, (report,) = reports_panel(shown), shown.reports.values()
    return [
        replace(risks, notes=[*risks.notes, *notes, left_out_note(report.left_out)]),
        *([decisions_panel(shown)] if report.decisions else []),
        *([corrected_panel(shown)] if report.corrected else []),
        *([lean_panel(shown, baselines)] if report.lean else []),
    ]


def compared_lines(
    store: Store,
    readings: Sequence[RunView],
    options: ViewOptions,
    comparison: Comparison,
    others: Sequence[OtherSentences],
    scales: OtherScales,
) -> list[str]:
    """Show the answer on two runs, and where they differ if the figures of both say enough.

    ``others``: the same two models in other sentences; ``scales``: against other than an even split.
    """
    runs = {
        side.name: Report(
            one.run,
            side.run,
            report(one.result, one.run, one.options),
            partial(attrgetter("result"), one),
        )
        for side, one in zip((comparison.first, comparison.second), readings, strict=True)
    }
    with speaking_of(*(one.run for one in runs.values())):
        study = Study(runs, options, "templates")
        names = comparison.first.name, comparison.second.name
        elsewhere: dict[str, Standing] = {}
        for other in others:
            called = name_beside(other.runs[0].templates, elsewhere)
            elsewhere[called] = Standing.of_risk(names, other.risk, other.little)
        caveats = caveats_of(study, store, list_models())
        finished = _finished(store)
        alone, reworded = alone_in(study, store, finished), reworded_in(study, store, finished)
        panels = [_answer_panel(answer_from(study, caveats, scales, elsewhere, alone, reworded))]
        if len(study.reliable.runs) == len(names):
            panels.append(whole_pair_panel(study, comparison))
            if scales.neutral:
                panels.append(neutral_panel(names, scales.neutral))
        return text_lines(panels)


def fairpair_lines(results: Sequence[FairPairResult]) -> list[str]:
    """Show FairPair results of models with equal settings: F under each Φ, then the words of each model."""
    named = dict(zip(labels(results), results, strict=True))
    answer, *others = fairpair_panels(results)
    more = [ratio_panel(read_together(named, measure), [*named]) for measure in [*results[0].reports][1:]]
    return text_lines([answer, *more, *others])


def criteria_lines(results: Sequence[CriteriaResult], pooled: EmbeddingResult | None = None) -> list[str]:
    """Show which criteria fail, the answers of each model, and the results over all models."""
    answers = [
        Panel(title=f"{one.asked.name}, {one.asked.experiment}", findings=criteria_findings(one))
        for one in results
    ]
    of_all = [] if pooled is None else [Panel(title="All models", findings=embedding_findings(pooled))]
    return text_lines([*criteria_panels(results), *answers, *of_all])


def knowledge_lines(reports: Sequence[tuple[str, KnowledgeReport]]) -> list[str]:
    """Show each model's knowledge, and the facts left out."""
    panels = [(model, one, knowledge_panel(model, one)) for model, one in reports]
    return text_lines(
        replace(panel, title=model, notes=[*panel.notes, left_out_note(one.left_out)])
        for model, one, panel in panels
    )


def benchmark_lines(results: Mapping[str, BenchmarkResult]) -> list[str]:
    """Show the results of a benchmark for each model, the criticism of it, and which model is worse."""
    panel, request = benchmark_panel(results), next(iter(results.values())).asked
    notes = [criticism_finding(request.benchmark, request.language), *panel.notes]
    return text_lines([replace(panel, title=request.title, notes=notes), pairs_panel(results)])
