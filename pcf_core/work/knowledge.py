"""Score the missing prompts of a knowledge set, block by block, with the keys, shards and scorers of runs."""

from __future__ import annotations

import time
from typing import Any

from pcf_core.audit.knowledge import (
    answer_slots,
    audit_begun,
    keep_knowledge_audit,
    knowledge_key,
    missing_answers,
)
from pcf_core.audit.slots import check_slots, starts_counted, written_words
from pcf_core.core.errors import TopicError
from pcf_core.core.knowledge import KnowledgeSet
from pcf_core.core.run import Progress, ScoringKey
from pcf_core.material.knowledge import load_knowledge
from pcf_core.models.scoring.base import open_scorer as open_real_scorer
from pcf_core.store.store import Store
from pcf_core.work.blocks import environment, keep_words, open_asked, score_blocks
from pcf_core.work.jobs import JobContext, OnProgress, OpenScorer, Pause, PauseClock, job, no_pause
from pcf_core.work.requests import KnowledgeRequest
from pcf_core.work.self_audit import OnCheck, audit_sample, sample_of_answers


def asked_for(request: KnowledgeRequest, key: str) -> KnowledgeSet:
    """Load the set that a request names; raise TopicError if it is gone or has changed."""
    knowledge = load_knowledge(request.name)
    if knowledge_key(knowledge, request.scoring) != key:
        raise TopicError(
            f"The knowledge set {request.name} has changed since it was requested: start the job again."
        )
    return knowledge


def score_knowledge(
    knowledge: KnowledgeSet,
    key: ScoringKey,
    store: Store,
    open_scorer: OpenScorer = open_real_scorer,
    on_progress: OnProgress = lambda done, total, rate: None,
    pause: Pause = no_pause,
    on_check: OnCheck = lambda done, total, seconds_left: None,
) -> int:
    """Score the missing prompts of a knowledge set and return their number.

    The model is opened only if a prompt is missing or scores were not checked.  ``on_progress`` gets prompts
    done, their total, and prompts per second; ``on_check`` is called while some stored scores are recomputed.

    Raises ModelError if the model is unknown, has changed, or can express no answer, TemplateError if a
    prompt is longer than its context, and ScoringError if it fails.
    """
    slots = answer_slots(knowledge)
    done = not missing_answers(store, key, knowledge) and not audit_begun(store, key, knowledge)
    if done and starts_counted(store.known_words(key), knowledge.words, slots):
        return 0
    spec, scorer = open_asked(key, store, open_scorer)
    table = check_slots(scorer, knowledge.words, slots)
    keep_words(store, key, written_words(knowledge.words, slots), table, environment(scorer))
    if done:  # only tokens of answers were missing
        return 0
    keep_knowledge_audit(store, key, knowledge, None)
    timed_pause, began = PauseClock(pause), time.perf_counter()
    total = score_blocks(
        missing_answers(store, key, knowledge), scorer, table, store, on_progress, timed_pause
    )
    seconds = time.perf_counter() - began - timed_pause.seconds
    sample = sample_of_answers(knowledge, key, scorer)
    audit = audit_sample(sample, store, scorer, spec, open_scorer, pause, seconds, on_check)
    keep_knowledge_audit(store, key, knowledge, audit)
    return total


@job("knowledge", KnowledgeRequest)
def answer_knowledge(context: JobContext, request: KnowledgeRequest) -> dict[str, Any]:
    """Score a set, if it has not changed since the request."""

    def on_check(done: int, total: int, seconds_left: float | None) -> None:
        context.note(
            Progress(stage="checking", done=done, total=total, seconds_left=seconds_left).model_dump()
        )

    scored = score_knowledge(
        asked_for(request, context.job.key),
        request.scoring,
        context.store,
        context.open_scorer,
        context.progress,
        context.pause,
        on_check,
    )
    return {"set": request.name, "scored": scored}
