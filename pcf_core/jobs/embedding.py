"""The embedding score over several models whose hobbies are written: asked for, kept, computed.

    texts of hobbies of all models --one embedding--> d of each model, and how far every two lie apart

A report of hobbies has the score of one model's own texts, whose axis is another one for every model; only
what is learned from the texts of all can be compared between them.  No torch, and no text is written here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pydantic import ValidationError

import pcf_core
from pcf_core.criteria.embedding import SEEDS, embedding_report
from pcf_core.errors import CriteriaError, StoreError
from pcf_core.jobs.criteria import load_asked_experiment
from pcf_core.jobs.criteria_answers import missing, read_texts
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.records import Record
from pcf_core.records.criteria_run import CriteriaAsked
from pcf_core.records.embedding_run import (
    EMBEDDING_ASKED,
    EMBEDDING_RESULT,
    EmbeddingAsked,
    EmbeddingResult,
)
from pcf_core.records.hobbies import HobbiesMaterial
from pcf_core.store import Store

EMBEDDING = "embedding"  # the kind of job


class EmbeddingRequest(Record):
    """The payload of a job, small: ``asked`` is the hash under which the store keeps what is asked for."""

    models: tuple[str, ...]
    asked: str


def embedding_asked(several: Sequence[CriteriaAsked]) -> EmbeddingAsked:
    """A request for the models of these requests, in any order.

    Raises:
        CriteriaError: texts that cannot be pooled, see :class:`EmbeddingAsked`.
    """
    return EmbeddingAsked(several=tuple(sorted(several, key=lambda asked: asked.model)))


def submit_embedding(store: Store, queue: Queue, asked: EmbeddingAsked) -> Job:
    """Queue a request, or join the job that is at it; ``done`` and ``total`` count embeddings learned.

    Raises:
        StoreError: texts are missing yet, or the cache folder is read-only or full.
    """
    _must_be_written(store, asked)
    store.save_document(asked.hash, EMBEDDING_ASKED, asked.model_dump(mode="json"))
    request = EmbeddingRequest(models=asked.models, asked=asked.hash)
    return queue.submit(EMBEDDING, asked.hash, request.model_dump(mode="json"), total=len(SEEDS))


def load_embedding(store: Store, key: str) -> EmbeddingResult | None:
    """The result of a request by its hash; ``None``: there is none, or it is damaged or of an older form."""
    found = store.load_document(key, EMBEDDING_RESULT)
    try:
        return None if found is None else EmbeddingResult.model_validate(found)
    except (ValidationError, CriteriaError):  # of older rules
        return None


def load_embedding_asked(store: Store, key: str) -> EmbeddingAsked:
    """A request by its hash.

    Raises:
        StoreError: it is gone or damaged.
    """
    found = store.load_document(key, EMBEDDING_ASKED)
    try:
        if found is not None:
            return EmbeddingAsked.model_validate(found)
    except (ValidationError, CriteriaError):  # of older rules
        pass
    raise StoreError(f"What was asked for in this embedding score ({key}) cannot be read: ask again.")


def run_embedding(
    asked: EmbeddingAsked, store: Store, on_seed: Callable[[int, int], None] = lambda done, total: None
) -> EmbeddingResult:
    """Answer a request, or give the answer that is kept: for the foreground and for the worker.

    Args:
        asked: whose texts.
        store: where they are, and where the result goes.
        on_seed: called before each embedding is learned, with those learned and those in all; what it
            raises ends the work.

    Raises:
        StoreError: texts or the material are missing, or the store is full or read-only.
        CriteriaError: no text of a gender.
    """
    done = load_embedding(store, asked.hash)
    if done is not None:
        return done
    _must_be_written(store, asked)
    began = time.perf_counter()
    experiment = load_asked_experiment(store, asked.several[0])
    material = experiment.material
    assert isinstance(material, HobbiesMaterial)  # of hobbies, validated
    texts = {
        one.model: {cell: found.texts for cell, found in read_texts(store, one, experiment).items()}
        for one in asked.several
    }
    result = EmbeddingResult(
        asked=asked,
        report=embedding_report(texts, material, on_seed=on_seed),
        provenance={
            "pcf_core": pcf_core.__version__,
            "seconds": round(time.perf_counter() - began, 3),
        },
    )
    store.save_document(asked.hash, EMBEDDING_RESULT, result.model_dump(mode="json"))
    return result


def _must_be_written(store: Store, asked: EmbeddingAsked) -> None:
    for one in asked.several:
        lacking = missing(store, one, load_asked_experiment(store, one))
        if lacking:
            raise StoreError(
                f"The embedding score over several models needs all their hobbies, and {lacking:,} texts of "
                f"{one.model} are not written yet: ask for its hobbies first."
            )
