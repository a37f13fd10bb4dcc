"""Score what the store lacks of a knowledge set: the blocks of :mod:`pcf_core.jobs.blocks`, and no run.

Why it is no run, :mod:`pcf_core.audit.knowledge` says.  Keys, shards and scorers are those of all scores.
"""

from __future__ import annotations

from collections.abc import Callable

from pcf_core.audit.knowledge import audit_begun, keep_knowledge_audit, knowledge_key, missing_answers
from pcf_core.errors import TopicError
from pcf_core.jobs.asked_prompts import open_asked, score_blocks
from pcf_core.jobs.blocks import environment
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.jobs.scoring import OpenScorer, Stopped, keep_words
from pcf_core.jobs.self_audit import audit_answers
from pcf_core.records import Record, ScoringKey
from pcf_core.records.knowledge import KnowledgeSet
from pcf_core.scoring.opening import open_scorer as open_real_scorer
from pcf_core.store import Store
from pcf_core.topics.knowledge import load_knowledge


class KnowledgeRequest(Record):
    """Score what the store lacks of a set: its name and title, and the key of the model."""

    name: str
    title: str
    scoring: ScoringKey


def submit_knowledge(store: Store, queue: Queue, asked: KnowledgeSet, key: ScoringKey) -> Job:
    """Queue a set, or join the job that is at it; ``done`` and ``total`` count prompts.

    Raises:
        StoreError: the cache folder is read-only or full.
    """
    request = KnowledgeRequest(name=asked.name, title=asked.title, scoring=key)
    missing = sum(len(block.prompts) for block in missing_answers(store, key, asked))
    return queue.submit(
        "knowledge",
        knowledge_key(asked, key),
        request.model_dump(mode="json"),
        total=missing,
        models=[key.model],
        cells=missing,
    )


def asked_for(request: KnowledgeRequest, key: str) -> KnowledgeSet:
    """The set that a request names.

    Args:
        request: what a job holds.
        key: of the job, :func:`~pcf_core.audit.knowledge.knowledge_key` of what was asked for.

    Raises:
        TopicError: there is none of the name any more, or it has other texts, facts or answers now.
    """
    asked = load_knowledge(request.name)
    if knowledge_key(asked, request.scoring) != key:
        raise TopicError(
            f"The knowledge set {request.name} was changed after it was asked for: ask for it again."
        )
    return asked


def score_knowledge(
    asked: KnowledgeSet,
    key: ScoringKey,
    store: Store,
    open_scorer: OpenScorer = open_real_scorer,
    on_progress: Callable[[int, int, float], None] = lambda done, total, rate: None,
    should_stop: Callable[[], bool] = lambda: False,
    between_batches: Callable[[], None] = lambda: None,
) -> int:
    """Score a set's missing prompts; the model is opened only if something is missing, or not yet audited.

    Args:
        asked: the set.
        key: of the model, as it was resolved.
        store: where scores are and go; each block counts once it is written.
        open_scorer: from a model and a protocol to its scorer.
        on_progress: called after each batch with prompts done, prompts in all, prompts a second.
        should_stop: asked between two batches.
        between_batches: called there as well.

    Returns:
        The number of prompts that lacked an answer and were scored.

    Raises:
        Stopped: ``should_stop`` said so.
        ModelError: the model is unknown, has changed, or expresses no answer.
        TemplateError: a prompt is longer than the model's context.
        ScoringError: the model failed.
        StoreError: the store is full or read-only.
    """
    if not missing_answers(store, key, asked) and not audit_begun(store, key, asked):
        return 0
    spec, scorer = open_asked(key, store, open_scorer)
    table = scorer.check(asked.words)
    keep_words(store, key, asked.words, table, environment(scorer))
    keep_knowledge_audit(store, key, asked, None)

    def pause() -> None:
        between_batches()
        if should_stop():
            raise Stopped

    total = score_blocks(missing_answers(store, key, asked), scorer, table, store, on_progress, pause)
    audit = audit_answers(asked, key, store, scorer, spec, open_scorer, pause)
    keep_knowledge_audit(store, key, asked, audit)
    return total
