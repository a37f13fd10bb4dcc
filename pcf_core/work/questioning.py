"""Run criteria, in the foreground or in the worker, and learn the embedding score over several models.

write the missing texts, or score the words      stored block by block
the experiment reads them                        stored when complete
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import pcf_core
from pcf_core.core.errors import StoreError
from pcf_core.core.generation import End, Generated
from pcf_core.core.records import LeftOut
from pcf_core.core.run import ScoringKey
from pcf_core.models.generation.base import open_generator as open_real_generator
from pcf_core.models.scoring.base import open_scorer as open_real_scorer
from pcf_core.store.store import Store
from pcf_core.texts.criteria.embedding import embedding_report
from pcf_core.texts.criteria.experiment import Experiment, ScoredAsk
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.records.independence import HobbiesMaterial
from pcf_core.texts.criteria.records.runs import (
    CriteriaAsked,
    CriteriaResult,
    EmbeddingAsked,
    EmbeddingResult,
    Report,
)
from pcf_core.work.blocks import environment, keep_words, noting, open_asked, score_blocks
from pcf_core.work.criteria import (
    CRITERIA,
    CRITERIA_AUDIT,
    EMBEDDING,
    EMBEDDINGS,
    CriteriaRequest,
    EmbeddingRequest,
    asks_of,
    by_words,
    load_asked_experiment,
    missing_scores,
    require_written,
    texts_asked,
)
from pcf_core.work.jobs import JobContext, OnProgress, OpenGenerator, OpenScorer, Pause, job, no_pause
from pcf_core.work.text_audits import TextsAsked, generate_missing, missing_texts

Stage = Literal["writing", "scoring", "reading"]


def run_criteria(
    request: CriteriaAsked,
    store: Store,
    open_generator: OpenGenerator = open_real_generator,
    open_scorer: OpenScorer = open_real_scorer,
    on_progress: OnProgress = lambda done, total, rate: None,
    on_stage: Callable[[Stage], None] = lambda stage: None,
    pause: Pause = no_pause,
) -> tuple[CriteriaResult, int]:
    """Answer a stored request, or return its stored answer, with the number of texts or prompts done now.

    ``open_generator`` and ``open_scorer`` are called only if a text or a score is missing.  ``on_progress``
    gets texts written or prompts scored, their total, and the rate per second; ``on_stage`` is called when a
    stage begins.  After an exception of ``pause`` the request can be resumed.

    Raises StoreError if the store is full or read-only or the request is gone, and as
    :func:`pcf_core.work.text_audits.generate_missing` and :func:`score_missing`.
    """
    done = CRITERIA_AUDIT.load(store, request.hash)
    if done is not None:
        return done, 0

    experiment, began = load_asked_experiment(store, request), time.perf_counter()
    ends: Counter[End] = Counter()
    left_out: tuple[LeftOut, ...] = ()
    made_by: dict[str, Any] = {}
    if request.scoring is None:
        on_stage("writing")
        wanted = texts_asked(request, experiment)
        made = write_missing(wanted, store, noting(open_generator, made_by), on_progress, pause)
    else:
        on_stage("scoring")
        asks = experiment.scored_asks()
        made = score_missing(asks, request.scoring, store, noting(open_scorer, made_by), on_progress, pause)
    answered = time.perf_counter()
    pause()
    on_stage("reading")
    report: Report
    if request.scoring is None:
        texts = read_texts(store, request, experiment)
        ends.update(end for generated in texts.values() for end in generated.ends)
        report = experiment.report({cell: generated.texts for cell, generated in texts.items()})
    else:
        nats, left_out = read_scores(store, request.scoring, asks)
        report = experiment.scored_report(nats)
    seconds = {"answering": answered - began, "reading": time.perf_counter() - answered}
    result = CriteriaResult(
        asked=request,
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
    CRITERIA_AUDIT.save(store, result)
    return result, made


def write_missing(
    wanted: Sequence[TextsAsked],
    store: Store,
    open_generator: OpenGenerator,
    on_progress: OnProgress,
    pause: Pause,
) -> int:
    """Write the missing texts of several requests to one model, with common progress."""
    lacking = [missing_texts(store, part) for part in wanted]
    written, before = 0, 0

    def report(done: int, total: int, rate: float) -> None:
        on_progress(before + done, max(sum(lacking), before + total), rate)

    for part, texts in zip(wanted, lacking, strict=True):
        written += generate_missing(part, store, open_generator, report, pause)
        before += texts
    return written


def score_missing(
    asks: Sequence[ScoredAsk],
    key: ScoringKey,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: OnProgress,
    pause: Pause,
) -> int:
    """Score the missing cells block by block, opening the model only if needed; return the number of prompts.

    Raises ModelError if the model is unknown or has changed, and TemplateError if a prompt exceeds its
    context.
    """
    if not missing_scores(store, key, asks):
        return 0
    _, scorer = open_asked(key, store, open_scorer)
    words = tuple(dict.fromkeys(word for ask in asks for word in ask.words))
    table = scorer.check(words)
    keep_words(store, key, words, table, environment(scorer))
    return score_blocks(missing_scores(store, key, asks), scorer, table, store, on_progress, pause)


def read_texts(store: Store, request: CriteriaAsked, experiment: Experiment) -> dict[str, Generated]:
    """Return the texts of each cell, [repeat], with how they ended; raise StoreError if some are missing."""
    texts = {}
    for ask, key in asks_of(request, experiment):
        generated = store.texts(key, ask.prompt, request.repeats)
        if generated is None:
            raise StoreError(f"Some texts for {ask.cell!r} are missing: run the audit again.")
        texts[ask.cell] = generated
    return texts


def read_scores(
    store: Store, key: ScoringKey, asks: Sequence[ScoredAsk]
) -> tuple[dict[str, tuple[float, ...]], tuple[LeftOut, ...]]:
    """Return [word] nats of each cell, NaN for words that the model cannot express, which are listed."""
    nats: dict[str, tuple[float, ...]] = {}
    for words, alike in by_words(asks).items():
        values = store.gather(key, [ask.text for ask in alike], words)
        nats |= {ask.cell: tuple(row) for ask, row in zip(alike, values.tolist(), strict=True)}
    refused = store.known_words(key).refused
    candidates = dict.fromkeys(word for ask in asks for word in ask.words)
    return nats, tuple(LeftOut(name=word, reason=refused[word]) for word in candidates if word in refused)


def run_embedding(
    request: EmbeddingAsked, store: Store, on_seed: Callable[[int, int], None] = lambda done, total: None
) -> EmbeddingResult:
    """Answer a stored request, or return its stored answer.

    ``on_seed`` gets the embeddings learned and their total.  Raises StoreError if texts or the material are
    missing, or the store is full or read-only, and CriteriaError if there is no text of a gender.
    """
    done = EMBEDDINGS.load(store, request.hash)
    if done is not None:
        return done
    require_written(store, request)
    began = time.perf_counter()
    experiment = load_asked_experiment(store, request.several[0])
    material = experiment.material
    assert isinstance(material, HobbiesMaterial)  # validated by EmbeddingAsked
    texts = {
        one.name: {cell: generated.texts for cell, generated in read_texts(store, one, experiment).items()}
        for one in request.several
    }
    result = EmbeddingResult(
        asked=request,
        report=embedding_report(texts, material, on_seed=on_seed),
        provenance={"pcf_core": pcf_core.__version__, "seconds": round(time.perf_counter() - began, 3)},
    )
    EMBEDDINGS.save(store, result)
    return result


@job(CRITERIA, CriteriaRequest)
def answer_criteria(context: JobContext, request: CriteriaRequest) -> dict[str, Any]:
    """Answer the stored request; the job shows the stage."""
    result, made = run_criteria(
        CRITERIA_AUDIT.load_asked(context.store, request.asked),
        context.store,
        context.open_generator,
        context.open_scorer,
        context.progress,
        lambda stage: context.note({"stage": stage}),
        context.pause,
    )
    return {"asked": request.asked, "made": made, "ends": result.ends}


@job(EMBEDDING, EmbeddingRequest)
def answer_embedding(context: JobContext, request: EmbeddingRequest) -> dict[str, Any]:
    """Learn the embeddings of several models' texts."""
    asked = EMBEDDINGS.load_asked(context.store, request.asked)

    def on_seed(done: int, total: int) -> None:
        context.pause()
        context.progress(done, total)

    run_embedding(asked, context.store, on_seed)
    context.progress(context.job.total, context.job.total)
    return {"asked": asked.hash}
