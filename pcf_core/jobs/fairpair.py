"""FairPair as it is asked for and read: without the parser and without the model, for pages and commands.

:mod:`pcf_core.jobs.pairing` does the work.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import ValidationError

from pcf_core.errors import FairPairError, StoreError
from pcf_core.fairpair.dissimilarity import dissimilarities
from pcf_core.fairpair.encoding import encoder_key
from pcf_core.fairpair.tables import check_sides
from pcf_core.generation.cost import RequestsEstimate, estimate_requests
from pcf_core.jobs.generating import TextsAsked, TextsEstimate, estimate_texts
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.records import Record, digest
from pcf_core.records.fairpair import PromptPairs
from pcf_core.records.fairpair_categories import CategorySet
from pcf_core.records.fairpair_prompts import PromptSet
from pcf_core.records.fairpair_run import (
    ASKED,
    EMBEDDING,
    RESULT,
    USUAL_DISSIMILARITIES,
    FairPairAsked,
    FairPairResult,
    PerturbationAsked,
    PromptsAsked,
)
from pcf_core.records.generation import GenerationKey
from pcf_core.records.perturbation import Mode, PerturbationErrors, PerturbationTable
from pcf_core.settings import settings
from pcf_core.store import Store

FAIRPAIR = "fairpair"  # the kind of job
PROMPTS, TABLE, COUNTERPARTS = "prompts", "table", "counterparts"
Kept = TypeVar("Kept", bound=Record)


class FairPairRequest(Record):
    """The payload of a job, small: ``asked`` is the hash under which the store keeps what is asked for.

    ``title``: of the prompts, as a person knows them; ``key`` tells how fast texts of this length came.
    """

    model: str
    title: str
    key: GenerationKey
    count: int
    asked: str


class PerturbedTexts(Record):
    """What the store keeps of a prompt: ``texts`` are u = p(g(x)), [text], ``errors`` those of p in them."""

    prompt: str
    texts: tuple[str, ...]
    errors: PerturbationErrors


@dataclass(frozen=True)
class FairPairEstimate:
    """What a request will take, less what the store has.

    ``texts`` of both sides are to be written.  ``rough``: p(x) is not known before the parser has read the
    prompts, and what the store has for it is guessed.  ``done``: the result is there.  ``requests``: what an
    endpoint will be asked for and cost, ``None`` for a local model and where nothing is missing.
    """

    writing: TextsEstimate
    requests: RequestsEstimate | None
    rough: bool
    done: bool

    @property
    def texts(self) -> int:
        return self.writing.texts


def fairpair_asked(
    key: GenerationKey,
    prompts: PromptSet,
    table: PerturbationTable,
    *,
    count: int = 20,
    mode: Mode = "whole",
    reverse: bool = False,
    fold_size: int | None = None,
    chosen: Iterable[str] = USUAL_DISSIMILARITIES,
    categories: CategorySet | None = None,
) -> FairPairAsked:
    """A request to one model; the entity is that of the prompts, the parser that of the settings.

    ``reverse``: the entity in the prompts is of the table's second side.  ``chosen``: dissimilarities, one of
    ``embedding:MODEL`` with its encoder, ``embedding`` with the shipped one.  ``categories``: of words, the
    shipped ones where ``None``.

    Raises:
        FairPairError: a count, fold, dissimilarity or encoder that nothing can be measured with.
        PerturbationError: a name stands for the side that it is not of.
        ModelError: there is no such encoder, or it may not run here.
    """
    encoders = []
    names = []
    for name in chosen:
        if name.partition(":")[0] == EMBEDDING:
            encoders.append(encoder_key(name))
            names.append(encoders[-1].choice)
        elif name in dissimilarities():
            names.append(name)
        else:
            known = ", ".join([*dissimilarities(), EMBEDDING])
            raise FairPairError(
                f"There is no dissimilarity {name!r} here: choose from {known}, or {EMBEDDING}:MODEL."
            )
    entity = (prompts.names[1], prompts.names[0]) if reverse else prompts.names
    check_sides(table, entity)
    return FairPairAsked(
        key=key,
        prompts=PromptsAsked.of(prompts),
        perturbation=PerturbationAsked.of(table, entity, mode, settings().pipeline, reverse),
        count=count,
        fold_size=fold_size,
        dissimilarities=tuple(names),
        encoders=tuple(encoders),
        categories=categories,
    )


def keep_asked(store: Store, asked: FairPairAsked, prompts: PromptSet, table: PerturbationTable) -> None:
    """Keep a request with its prompts and its table, so that another process can answer it.

    Raises:
        StoreError: the cache folder is read-only or full.
        ValueError: other prompts or another table than those that are asked for.
    """
    parts = {
        asked.prompts.kept: (PROMPTS, prompts.model_dump(mode="json")),
        asked.perturbation.kept: (TABLE, table.model_dump(mode="json")),
    }
    for kept, (name, body) in parts.items():
        if digest(body) != kept:
            raise ValueError(f"these are not the {name} that were asked for")
        store.save_document(kept, name, body)
    store.save_document(asked.hash, ASKED, asked.model_dump(mode="json"))


def submit_fairpair(
    store: Store, queue: Queue, asked: FairPairAsked, prompts: PromptSet, table: PerturbationTable
) -> Job:
    """Queue a request, or join the job that is at it.

    ``done`` and ``total`` count the texts that are written; behind them, the job's ``result`` says how far it
    is: its ``stage`` (``writing``, ``perturbing`` or ``measuring``), and ``done`` of ``total`` in it.

    Raises:
        StoreError: the cache folder is read-only or full.
    """
    sides, _ = texts_of_both_sides(store, asked, prompts)
    total = sum(block.count for block in store.missing_texts(asked.key, sides.prompts, asked.count))
    queue.check(FAIRPAIR, asked.hash, models=[asked.key.model], cells=total)
    keep_asked(store, asked, prompts, table)
    request = FairPairRequest(
        model=asked.key.model, title=prompts.title, key=asked.key, count=asked.count, asked=asked.hash
    )
    return queue.submit(
        FAIRPAIR,
        asked.hash,
        request.model_dump(mode="json"),
        total=total,
        models=[asked.key.model],
        cells=total,
    )


def estimate_fairpair(
    asked: FairPairAsked, prompts: PromptSet, store: Store, queue: Queue
) -> FairPairEstimate:
    """Estimate what is to be written; what is then read of the texts takes a quarter of that with a small
    model, and little beside it with a large one.

    Raises:
        ModelError: the model's files cannot be read, or no endpoint is set.
    """
    sides, rough = texts_of_both_sides(store, asked, prompts)
    writing, done = estimate_texts(sides, store, queue), load_fairpair(store, asked.hash) is not None
    if done:  # also where the texts themselves were removed
        writing = replace(writing, texts=0, tokens=0, prompt_tokens=0, seconds=0.0)
    requests = None
    if writing.texts and asked.key.family == "endpoint":
        missing = store.missing_texts(asked.key, sides.prompts, asked.count)
        requests = estimate_requests([(block.prompt, block.count) for block in missing], asked.key)
    return FairPairEstimate(writing, requests, rough=rough and not done, done=done)


def texts_of_both_sides(store: Store, asked: FairPairAsked, prompts: PromptSet) -> tuple[TextsAsked, bool]:
    """The texts of x and p(x), and whether p(x) is a guess: the prompt with the other name alone."""
    known = load_counterparts(store, asked)
    first, second = asked.prompts.names
    counterparts = known or tuple(text.replace(first, second) for text in prompts.texts)
    wanted = TextsAsked(key=asked.key, prompts=(*prompts.texts, *counterparts), count=asked.count)
    return wanted, known is None


# ------------------------------------------------------------------------------------- what is kept


def load_fairpair(store: Store, key: str) -> FairPairResult | None:
    """The result of a request by its hash; ``None`` where it is not complete, or damaged."""
    return _record(store, key, RESULT, FairPairResult)


def kept_fairpairs(store: Store) -> tuple[FairPairAsked, ...]:
    """The requests that are answered, the newest first; :func:`load_fairpair` has their results.

    Those of older rules have another hash now: their numbers are not given again.
    """
    found = ((key, _record(store, key, ASKED, FairPairAsked)) for key in store.documents(RESULT))
    return tuple(asked for key, asked in found if asked is not None and asked.hash == key)


def load_asked(store: Store, key: str) -> FairPairAsked:
    """A request by its hash.

    Raises:
        StoreError: it is gone or damaged.
    """
    return _kept(store, key, ASKED, FairPairAsked)


def load_prompt_set(store: Store, asked: FairPairAsked) -> PromptSet:
    """The prompts of a request.

    Raises:
        StoreError: they are gone or damaged.
    """
    return _kept(store, asked.prompts.kept, PROMPTS, PromptSet)


def load_perturbation_table(store: Store, asked: FairPairAsked) -> PerturbationTable:
    """The table of a request.

    Raises:
        StoreError: it is gone or damaged.
    """
    return _kept(store, asked.perturbation.kept, TABLE, PerturbationTable)


def load_counterparts(store: Store, asked: FairPairAsked) -> tuple[str, ...] | None:
    """[prompt] p(x); ``None`` before they were made."""
    found = store.load_document(asked.pairs_hash, COUNTERPARTS)
    return None if found is None else tuple(found["texts"])


def load_perturbed(store: Store, asked: FairPairAsked, prompt: str) -> PerturbedTexts | None:
    """u of one prompt, with the errors of p; ``None`` before they were made."""
    return _record(store, asked.pairs_hash, digest(prompt), PerturbedTexts)


def load_pairs(store: Store, result: FairPairResult, place: int) -> PromptPairs:
    """The texts u and z of one prompt, by its place in the result.

    Raises:
        StoreError: they are gone or damaged: the same request makes them again.
    """
    asked, row = result.asked, next(iter(result.reports.values())).prompts[place]
    perturbed = load_perturbed(store, asked, row.prompt)
    written = store.texts(asked.key, result.counterparts[place], asked.count)
    if perturbed is None or written is None:
        raise StoreError(f"The texts of the prompt “{row.prompt}” are not in the store: ask for them again.")
    return PromptPairs(row.prompt, perturbed.texts, written.texts, row.category, row.fact)


def _record(store: Store, key: str, name: str, kind: type[Kept]) -> Kept | None:
    """A record that is kept; one of an older form counts as missing and is made again."""
    found = store.load_document(key, name)
    try:
        return None if found is None else kind.model_validate(found)
    except (ValidationError, FairPairError):  # older rules allowed other numbers
        return None


def _kept(store: Store, key: str, name: str, kind: type[Kept]) -> Kept:
    found = _record(store, key, name, kind)
    if found is None:
        raise StoreError(f"The {name} of this FairPair request ({key}) cannot be read: ask for it again.")
    return found
