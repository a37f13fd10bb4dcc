"""What models know of facts, and how surely; what a known benchmark says of them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from pcf_core.audit.knowledge import knowledge_protocol, knowledge_report, missing_answers
from pcf_core.core.errors import TopicError
from pcf_core.core.knowledge import FactKnowledge, KnowledgeReport, KnowledgeSet
from pcf_core.core.run import Protocol, ScoringKey
from pcf_core.material.knowledge import list_knowledge
from pcf_core.report import how_to_read
from pcf_core.report.documents import picked
from pcf_core.report.loaded import PROGRAM, Study
from pcf_core.report.panels import Panel, part_of
from pcf_core.report.records import ReportPart
from pcf_core.report.reproducing import dtype_option
from pcf_core.show.charts.why import knowledge_bars
from pcf_core.show.findings.benchmarks import (
    benchmark_finding,
    left_out_finding,
    opening_finding,
    value_text,
    worse_finding,
)
from pcf_core.show.findings.numbers import listed
from pcf_core.show.findings.why import confidence_finding, knowledge_finding
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.readings import worse_pairs
from pcf_core.texts.benchmarks.records import BenchmarkResult

BENCHMARK = """
Each row is a published quantity with its 95 % range. A share of 50 % and a gap or bias of 0 are *even*: the
model does not prefer the stereotype. A model is **worse** the farther it is from even, in either
direction. The ranges of several differences hold together: each is wider than one alone would be. A
range is over sentences of this kind and says nothing of another training of the model. Masked and causal
models are scored by different definitions: compare models of one kind. To disagree with prejudice or
caprice is no error, as they ask different things.
"""


def knowledge_parts(store: Store, names: Sequence[str], studies: Sequence[Study]) -> list[ReportPart]:
    """Write each set for each model that was scored with it."""
    parts = []
    for name in names:
        request, keys = _set_named(name), _keys_of(studies)
        scored = {model: key for model, (key, _) in keys.items() if not missing_answers(store, key, request)}
        reports = {
            model: knowledge_report(store, key, request, protocol=keys[model][1])
            for model, key in scored.items()
        }
        missing = [model for model in keys if model not in scored]
        note = f"Not scored with {listed(missing)}: {request.title}." if missing else ""
        if not reports:
            parts.append(ReportPart(title=request.title, notes=(note,)))
        for index, (model, report) in enumerate(reports.items()):
            panel = knowledge_panel(model, report)
            before = [note] if index == 0 else []
            parts.append(
                part_of(
                    replace(
                        panel,
                        title=f"{request.title}: {model}",
                        source=f"{PROGRAM} · {request.title}",
                        notes=[*before, *panel.notes],
                    )
                )
            )
    return parts


def knowledge_panel(model: str, report: KnowledgeReport, order: str = "best known") -> Panel:
    """Show what a model knows, and how surely; ``order``: which facts come first."""
    return Panel(
        findings=[knowledge_finding(model, report), confidence_finding(report)],
        key="knowledge_bars",
        name="knowledge",
        alt=f"What {model} knows of twenty facts, {order} first",
        chart=partial(knowledge_bars, ordered(report, order)),
        how=how_to_read.KNOWLEDGE,
        table=lambda: knowledge_table({model: report}),
        table_title=f"Facts, {model}",
        notes=report.warnings,
    )


def knowledge_commands(names: Sequence[str], studies: Sequence[Study]) -> list[str]:
    """Write the commands that reproduce these numbers."""
    return [
        f"python -m pcf_core knowledge --model {shlex.quote(key.model)} --set {shlex.quote(name)}"
        f" --protocol {protocol}{dtype_option(key)}"
        for name in names
        for key, protocol in _keys_of(studies).values()
    ]


def _keys_of(studies: Sequence[Study]) -> Mapping[str, tuple[ScoringKey, Protocol]]:
    """Return each model's key by label, and the protocol that suits facts."""
    return {
        item.run.scoring.label: (item.run.scoring, knowledge_protocol(study.options.protocol))
        for study in studies
        for item in study.runs.values()
    }


def _set_named(name: str) -> KnowledgeSet:
    """Load a set by name, never by path."""
    sets = {one.name: one for one in list_knowledge()}
    if name not in sets:
        raise TopicError(f"There is no knowledge set {name!r}; there are {', '.join(sets)}.")
    return sets[name]


def ordered(report: KnowledgeReport, order: str) -> list[FactKnowledge]:
    """Sort facts by knowledge, or the widest gap first."""
    if order == "widest gap":
        return sorted(report.facts, key=lambda fact: -fact.confidence_gap)
    return sorted(report.facts, key=lambda fact: fact.knowledge, reverse=order == "best known")


def knowledge_table(reports: Mapping[str, KnowledgeReport]) -> pd.DataFrame:
    """Make a table with one row per model and fact."""
    return pd.DataFrame(
        [
            {
                "model": model,
                "fact": fact.subject,
                "right": ", ".join(fact.right),
                "wrong": ", ".join(fact.wrong),
                "mean p(right)": fact.mean_probability,
                "knowledge": fact.knowledge,
                "low": fact.interval and fact.interval.low,
                "high": fact.interval and fact.interval.high,
                "mean score": fact.mean_score,
                "confidence gap": fact.confidence_gap,
                "guessing": fact.chance,
                "with other subjects": fact.elsewhere,
                "weight": fact.weight,
            }
            for model, report in reports.items()
            for fact in report.facts
        ]
    )


def benchmark_panel(results: Mapping[str, BenchmarkResult]) -> Panel:
    """Show each model's published quantities, and which items were left out."""
    return Panel(
        findings=[benchmark_finding(result) for result in results.values()],
        name="benchmark",
        how=BENCHMARK,
        table=lambda: benchmark_table(results),
        table_title="Every quantity",
        notes=[
            f"{model}: {note}"
            for model, result in results.items()
            for note in (opening_finding(result), left_out_finding(result))
            if note
        ],
    )


def pairs_panel(results: Mapping[str, BenchmarkResult]) -> Panel:
    """Show which of every two models on the same sentences is worse."""
    pairs = worse_pairs({model: result.report for model, result in results.items()})
    asked = next(iter(results.values())).asked
    findings = [worse_finding(asked.benchmark, one, asked.language) for one in pairs]
    return Panel(title="Which model is worse", findings=findings)


def benchmark_table(results: Mapping[str, BenchmarkResult]) -> pd.DataFrame:
    """Make a table with one row per model, quantity and kind of bias."""
    return pd.DataFrame(
        [
            {
                "model": model,
                **picked(one, "quantity", "part"),
                "shown": value_text(result.asked.benchmark, one),
                "value": one.value,
                "low": one.interval and one.interval.low,
                "high": one.interval and one.interval.high,
                "even": one.neutral,
                "on": f"{one.items:,} {one.unit}",
            }
            for model, result in results.items()
            for one in result.report.readings
        ]
    )
