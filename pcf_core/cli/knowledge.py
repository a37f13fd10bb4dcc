"""``knowledge``: score a knowledge set, read what a model knows, and give it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pcf_core.audit.knowledge import knowledge_report
from pcf_core.cli.console import (
    DtypeOption,
    JsonOption,
    ModelOption,
    ProtocolOption,
    give,
    one_or_all,
    open_store,
    progress_line,
    protocol_named,
    to_score,
)
from pcf_core.core.knowledge import KnowledgeReport, KnowledgeSet
from pcf_core.core.risk import Interval
from pcf_core.core.run import Protocol, ScoringKey
from pcf_core.material.knowledge import FIRST as FIRST_KNOWLEDGE
from pcf_core.material.knowledge import load_knowledge
from pcf_core.measure.knowledge import knowledge_score
from pcf_core.models.precision import AUTO
from pcf_core.report.documents import finite, picked
from pcf_core.store.store import Store

OVER = {"occupations": "facts"}  # the axis of the evidence, by the name of what it is here


def knowledge(
    model: ModelOption,
    facts: Annotated[
        str, typer.Option("--set", help="a knowledge set, shipped or your own, or a file")
    ] = FIRST_KNOWLEDGE,
    score: Annotated[str, typer.Option("--score", help="J of p(right): sqrt, log1p or quadratic")] = "sqrt",
    protocol: ProtocolOption = "exact",
    dtype: DtypeOption = AUTO,
    as_json: JsonOption = False,
) -> None:
    """Score a knowledge set, what of it is not in the store, and read what the model knows."""
    request = load_knowledge(facts)
    knowledge_score(score)
    kind = protocol_named(protocol)
    specs = to_score(model, dtype)
    store = open_store()
    answers = [_know_now(store, request, ScoringKey.of(spec, kind), kind, score) for spec in specs]

    def lines() -> list[str]:
        from pcf_core.cli.panels import knowledge_lines

        return knowledge_lines([(facts_of["model"], report) for facts_of, report in answers])

    give(one_or_all([facts_of | _knowledge_document(report) for facts_of, report in answers]), as_json, lines)


def _know_now(
    store: Store, request: KnowledgeSet, key: ScoringKey, protocol: Protocol, score: str
) -> tuple[dict[str, Any], KnowledgeReport]:
    from pcf_core.work.knowledge import score_knowledge

    with progress_line() as show:

        def progress(done: int, total: int, rate: float) -> None:
            show(f"{key.model}: {done:,} of {total:,} prompts, {rate:,.0f}/s")

        scored = score_knowledge(request, key, store, on_progress=progress)
    facts = {"model": key.model, "dtype": key.dtype, "protocol": protocol, "scored": scored}
    return facts, knowledge_report(store, key, request, score, protocol)


def _knowledge_document(report: KnowledgeReport) -> dict[str, Any]:
    document = {
        "set": report.name,
        **picked(report, "title", "score", "knowledge", "mean_score", "confidence_gap", "chance"),
        **picked(report, "elsewhere", "gain"),
        "intervals": {
            name: [_interval_document(interval) for interval in several]
            for name, several in report.intervals.items()
        },
        "templates": report.templates,
        "facts": [
            {
                **picked(fact, "subject", "right", "wrong", "weight", "mean_probability", "knowledge"),
                **picked(fact, "mean_score", "confidence_gap", "chance", "elsewhere"),
                "interval": fact.interval and _interval_document(fact.interval),
                "probabilities": fact.probabilities,
            }
            for fact in report.facts
        ],
        **picked(report, "left_out", "warnings"),
    }
    return finite(document)  # type: ignore[no-any-return]


def _interval_document(interval: Interval) -> dict[str, Any]:
    """Describe an interval, over ``templates``, ``facts`` or ``both``."""
    return interval.model_dump() | {"over": OVER.get(interval.over, interval.over)}
