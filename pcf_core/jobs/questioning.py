"""A criteria run from end to end: the one function for the foreground and for the worker.

1. the texts that the store lacks are written, or the words scored      kept block by block
2. the experiment reads them                                            kept once it is complete
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import pcf_core
from pcf_core.criteria.experiment import ScoredAsk
from pcf_core.criteria.questions import Questions
from pcf_core.generation.opening import open_generator as open_real_generator
from pcf_core.jobs.asked_prompts import open_asked, score_blocks
from pcf_core.jobs.blocks import environment, noting
from pcf_core.jobs.criteria import load_asked_experiment, load_criteria
from pcf_core.jobs.criteria_answers import (
    missing_scores,
    missing_texts,
    read_scores,
    read_texts,
    texts_asked,
)
from pcf_core.jobs.generating import OpenGenerator, TextsAsked, generate_missing
from pcf_core.jobs.scoring import OpenScorer, Stopped, keep_words
from pcf_core.records import LeftOut, ScoringKey
from pcf_core.records.criteria_run import RESULT, CriteriaAsked, CriteriaResult, Report
from pcf_core.records.generation import End
from pcf_core.scoring.opening import open_scorer as open_real_scorer
from pcf_core.store import Store

Stage = Literal["writing", "scoring", "reading"]
Progress = Callable[[int, int, float], None]


def run_criteria(
    asked: CriteriaAsked,
    store: Store,
    open_generator: OpenGenerator = open_real_generator,
    open_scorer: OpenScorer = open_real_scorer,
    on_progress: Progress = lambda done, total, rate: None,
    on_stage: Callable[[Stage], None] = lambda stage: None,
    should_stop: Callable[[], bool] = lambda: False,
    between_parts: Callable[[], None] = lambda: None,
) -> tuple[CriteriaResult, int]:
    """Answer a request that :func:`pcf_core.jobs.criteria.keep_asked` kept, or give the answer that is kept.

    Args:
        asked: what is asked of which model.
        store: where everything is and goes.
        open_generator: from a model and how it draws to its generator; called only if a text is missing.
        open_scorer: from a model and a protocol to its scorer; called only if a score is missing.
        on_progress: called with texts written (prompts scored), those in all, those a second.
        on_stage: called when a stage begins.
        should_stop: asked between two tokens or two batches, and before the texts are read.
        between_parts: called there as well.

    Returns:
        The result, and how many texts were written, or prompts scored, for it now.

    Raises:
        Stopped: ``should_stop`` said so; the same request goes on from there.
        StoreError: the store is full or read-only, or what is asked for is gone.
        AuditError: see :func:`pcf_core.jobs.generating.generate_missing` and :func:`score_missing`.
    """
    done = load_criteria(store, asked.hash)
    if done is not None:
        return done, 0

    def pause() -> None:
        between_parts()
        if should_stop():
            raise Stopped

    experiment, began = load_asked_experiment(store, asked), time.perf_counter()
    ends: Counter[End] = Counter()
    left_out: tuple[LeftOut, ...] = ()
    made_by: dict[str, Any] = {}
    if asked.scoring is None:
        on_stage("writing")
        wanted = texts_asked(asked, experiment)
        made = write_missing(
            wanted, store, noting(open_generator, made_by), on_progress, should_stop, between_parts
        )
    else:
        on_stage("scoring")
        asks = experiment.scored_asks()
        made = score_missing(asks, asked.scoring, store, noting(open_scorer, made_by), on_progress, pause)
    answered = time.perf_counter()
    pause()
    on_stage("reading")
    report: Report
    if asked.scoring is None:
        texts = read_texts(store, asked, experiment)
        ends.update(end for found in texts.values() for end in found.ends)
        report = experiment.report({cell: found.texts for cell, found in texts.items()})
    else:
        nats, left_out = read_scores(store, asked.scoring, asks)
        report = experiment.scored_report(nats)
    seconds = {"answering": answered - began, "reading": time.perf_counter() - answered}
    result = CriteriaResult(
        asked=asked,
        report=report,
        ends={end: ends[end] for end in get_args(End) if ends},
        left_out=left_out,
        entries_left_out=experiment.material.questions.left_out if isinstance(experiment, Questions) else (),
        provenance={
            "pcf_core": pcf_core.__version__,
            **made_by,
            "seconds": {name: round(value, 3) for name, value in seconds.items()},
        },
    )
    store.save_document(asked.hash, RESULT, result.model_dump(mode="json"))
    return result, made


def write_missing(
    wanted: Sequence[TextsAsked],
    store: Store,
    open_generator: OpenGenerator,
    on_progress: Progress,
    should_stop: Callable[[], bool],
    between_parts: Callable[[], None],
) -> int:
    """Write what is missing of several requests with one model; progress counts them together."""
    lacking = [missing_texts(store, part) for part in wanted]
    written, before = 0, 0

    def report(done: int, total: int, rate: float) -> None:
        on_progress(before + done, max(sum(lacking), before + total), rate)

    for part, texts in zip(wanted, lacking, strict=True):
        written += generate_missing(part, store, open_generator, report, should_stop, between_parts)
        before += texts
    return written


def score_missing(
    asks: Sequence[ScoredAsk],
    key: ScoringKey,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: Progress,
    pause: Callable[[], None],
) -> int:
    """Score the cells that the store lacks, block by block; the model is opened only if one is missing.

    Returns:
        The number of prompts that lacked a word and were scored.

    Raises:
        ModelError: the model is unknown, or has changed.
        TemplateError: a prompt is longer than the model's context.
        ScoringError: the model failed.
        StoreError: the store is full or read-only.
    """
    if not missing_scores(store, key, asks):
        return 0
    _, scorer = open_asked(key, store, open_scorer)
    words = tuple(dict.fromkeys(word for ask in asks for word in ask.words))
    table = scorer.check(words)
    keep_words(store, key, words, table, environment(scorer))
    return score_blocks(missing_scores(store, key, asks), scorer, table, store, on_progress, pause)
