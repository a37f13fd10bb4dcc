"""Run a known benchmark, in the foreground or in the worker; every block is stored, so it can be resumed."""

from __future__ import annotations

import re
import time
from dataclasses import asdict
from functools import partial
from typing import Any

import pcf_core
from pcf_core.core.files import noted
from pcf_core.core.records import LeftOut
from pcf_core.models.scoring.base import Scorer, SentenceOpening
from pcf_core.models.scoring.base import open_scorer as open_real_scorer
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.records import BenchmarkAsked, BenchmarkResult
from pcf_core.texts.benchmarks.registry import Material, read_scores, score_items
from pcf_core.work.benchmarks import (
    BENCHMARK,
    BENCHMARK_AUDIT,
    MATERIAL,
    OPENINGS,
    BenchmarkRequest,
    BlockScores,
    block_name,
    blocks_of,
    missing_blocks,
    stored_block,
)
from pcf_core.work.blocks import in_memory, noting, open_asked
from pcf_core.work.jobs import JobContext, OnProgress, OpenScorer, Pace, Pause, job, no_pause


def run_benchmark(
    request: BenchmarkAsked,
    store: Store,
    open_scorer: OpenScorer = open_real_scorer,
    on_progress: OnProgress = lambda done, total, rate: None,
    pause: Pause = no_pause,
) -> tuple[BenchmarkResult, int]:
    """Answer a stored request, or return its stored answer, with the number of items scored now.

    ``open_scorer`` is called only if a score is missing.  ``on_progress`` gets items scored, their total, and
    items per second.  ``pause`` is called between blocks; after an exception of it the request can be
    resumed.

    Raises BenchmarkError if no item could be scored, ModelError if the model is unknown or has changed since
    the request, ScoringError if it fails, and StoreError if the store is full or read-only or the request is
    gone.
    """
    stored = BENCHMARK_AUDIT.load(store, request.hash)
    if stored is not None:
        return stored, 0
    material = BENCHMARK_AUDIT.load_part(store, request.material, MATERIAL, Material)
    made_by: dict[str, Any] = {}
    lacking, began = missing_blocks(store, request, material), time.perf_counter()
    if lacking or request.needs_opening:
        _, scorer = open_asked(request.scoring, store, noting(open_scorer, made_by))
        if request.needs_opening:
            opening = scorer.sentence_opening
            made_by["opening"] = None if opening is None else asdict(opening)
            request = _behind(opening, request, store)
            lacking = missing_blocks(store, request, material)
        _score(request, material, lacking, scorer, store, on_progress, pause)
    scores = [one for block in blocks_of(material) for one in stored_block(store, request, block) or ()]
    refused = [
        LeftOut(name=item.name, reason=one.reason)
        for item, one in zip(material.items, scores, strict=True)
        if one.reason
    ]
    result = BenchmarkResult(
        asked=request,
        report=read_scores(material, scores),
        left_out=(*material.left_out, *refused),
        provenance={
            "pcf_core": pcf_core.__version__,
            "sources": material.sources,
            **made_by,
            "seconds": round(time.perf_counter() - began, 3),
        },
    )
    BENCHMARK_AUDIT.save(store, result)
    if request.opening:
        noted(OPENINGS, request.scoring.hash, re.escape(request.opening), lambda: request.opening)
    return result, sum(map(len, lacking))


def _behind(opening: SentenceOpening | None, request: BenchmarkAsked, store: Store) -> BenchmarkAsked:
    """Return the request with the token that precedes its sentences, stored under its own hash."""
    other = "" if opening is None or opening.token == opening.usual else opening.token
    if other != request.opening:
        request = request.model_copy(update={"opening": other})
        BENCHMARK_AUDIT.save_asked(store, request)
    return request


def _score(
    request: BenchmarkAsked,
    material: Material,
    lacking: list[range],
    scorer: Scorer,
    store: Store,
    on_progress: OnProgress,
    pause: Pause,
) -> None:
    items, total, done, pace = material.items, sum(map(len, lacking)), 0, Pace()
    for block in lacking:
        pause()
        scores = in_memory(scorer, partial(score_items, [items[index] for index in block], scorer))
        body = BlockScores(items=tuple(scores)).model_dump(mode="json")
        store.save_document(request.hash, block_name(block), body)
        done += len(block)
        on_progress(done, total, pace.rate(done))


@job(BENCHMARK, BenchmarkRequest)
def answer_benchmark(context: JobContext, request: BenchmarkRequest) -> dict[str, Any]:
    """Answer the stored request."""
    result, made = run_benchmark(
        BENCHMARK_AUDIT.load_asked(context.store, request.asked),
        context.store,
        context.open_scorer,
        context.progress,
        context.pause,
    )
    return {"asked": result.asked.hash, "made": made}
