"""A criteria run as it is asked for and read: without the model, for pages and commands.

:mod:`pcf_core.jobs.questioning` does the work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from pcf_core.criteria.experiment import Ask, Experiment
from pcf_core.criteria.experiments import material_of, restore_experiment
from pcf_core.criteria.remaking import labeller_text
from pcf_core.errors import CriteriaError, StoreError
from pcf_core.generation.cost import estimate_requests
from pcf_core.jobs.criteria_answers import missing, texts_asked
from pcf_core.jobs.estimate import expected_seconds, recent_rates
from pcf_core.jobs.generating import estimate_texts
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.models import resolve
from pcf_core.records import Record, ScoringKey, digest
from pcf_core.records.criteria_run import (
    ASKED,
    MATERIAL,
    RESULT,
    Answering,
    CriteriaAsked,
    CriteriaResult,
    ExperimentName,
    Wording,
    counted_repeats,
)
from pcf_core.records.generation import BLOCK, GenerationKey
from pcf_core.store import Store

CRITERIA = "criteria"  # the kind of job


class CriteriaRequest(Record):
    """The payload of a job, small: ``asked`` is the hash under which the store keeps what is asked for.

    ``title``: of the material, as a person knows it; ``key`` tells how fast texts of this length came, and is
    ``None`` where words are scored.
    """

    model: str
    experiment: ExperimentName
    title: str
    answering: Answering
    key: GenerationKey | None
    asked: str


@dataclass(frozen=True)
class CriteriaEstimate:
    """What a request will take, less what the store has.

    ``missing``: texts that are to be written, or prompts that are to be scored.  ``tokens``: of the texts, at
    most, ``prompt_tokens``: read for them; both 0 where words are scored.  ``seconds``: ``None`` while
    nothing like it was measured.  ``cost``: of an endpoint, at most, at the operator's prices, else ``None``.
    ``basis``: where the numbers come from, in sentences.
    ``done``: the result is there.
    """

    missing: int
    tokens: int
    prompt_tokens: int
    seconds: float | None
    cost: float | None
    basis: str
    done: bool


def written_asked(
    experiment: Experiment, key: GenerationKey, wording: Wording, repeats: int
) -> CriteriaAsked:
    """A request to write and read texts; ``key`` is without a system message, which is that of each ask.

    At temperature 0 one text of a prompt is asked for, whatever ``repeats`` says: all would be the same.

    Raises:
        CriteriaError: repeats or a wording that cannot be asked for, or two cells that ask the same.
    """
    checked(experiment, experiment.asks(wording))
    return CriteriaAsked(
        experiment=experiment.name,
        title=experiment.title,
        material=digest(material_of(experiment)),
        answering="written",
        generation=key,
        wording=wording,
        repeats=counted_repeats(key, repeats),
    )


def scored_asked(experiment: Experiment, key: ScoringKey) -> CriteriaAsked:
    """A request to score the candidate words of every cell.

    Raises:
        CriteriaError: the experiment has none.
    """
    if not experiment.scored_asks():
        raise CriteriaError(
            f"The experiment {experiment.title} has no candidate words that could be scored: let a model "
            "that can write answer it (--answering written)."
        )
    return CriteriaAsked(
        experiment=experiment.name,
        title=experiment.title,
        material=digest(material_of(experiment)),
        answering="scored",
        scoring=key,
    )


def checked(experiment: Experiment, asks: Sequence[Ask]) -> None:
    """Refuse what would let two cells have the same texts.

    Raises:
        CriteriaError: the cells that ask the same.
    """
    cell_of: dict[tuple[str, str], str] = {}
    for ask in asks:
        other = cell_of.setdefault((ask.system, ask.prompt), ask.cell)
        if other != ask.cell:
            raise CriteriaError(
                f"The experiment {experiment.title} asks the same twice, in {other!r} and {ask.cell!r}: "
                "take one of the two out, or word them otherwise."
            )


def keep_asked(store: Store, asked: CriteriaAsked, experiment: Experiment) -> None:
    """Keep a request with its material, so that another process can answer it.

    Raises:
        StoreError: the cache folder is read-only or full.
        ValueError: another material than the one that is asked for.
    """
    body = material_of(experiment)
    if digest(body) != asked.material:
        raise ValueError("this is not the material that was asked for")
    store.save_document(asked.material, MATERIAL, body)
    store.save_document(asked.hash, ASKED, asked.model_dump(mode="json"))


def submit_criteria(store: Store, queue: Queue, asked: CriteriaAsked, experiment: Experiment) -> Job:
    """Queue a request, or join the job that is at it.

    ``done`` and ``total`` count texts that are written, or prompts that are scored; behind them the job's
    ``result`` says that it is ``reading``.

    Raises:
        StoreError: the cache folder is read-only or full.
    """
    total = missing(store, asked, experiment)
    queue.check(CRITERIA, asked.hash, models=[asked.model], cells=total)
    keep_asked(store, asked, experiment)
    request = CriteriaRequest(
        model=asked.model,
        experiment=asked.experiment,
        title=asked.title,
        answering=asked.answering,
        key=asked.generation,
        asked=asked.hash,
    )
    return queue.submit(
        CRITERIA,
        asked.hash,
        request.model_dump(mode="json"),
        total=total,
        models=[asked.model],
        cells=total,
    )


def estimate_criteria(
    asked: CriteriaAsked, experiment: Experiment, store: Store, queue: Queue
) -> CriteriaEstimate:
    """Estimate what is to be written or scored; what is then read of it takes little beside it.

    Raises:
        ModelError: the model's files cannot be read, or no endpoint is set.
    """
    if load_criteria(store, asked.hash) is not None:  # also where the texts themselves were removed
        return CriteriaEstimate(0, 0, 0, 0.0, None, "The result is there.", done=True)
    if asked.answering == "scored":
        return _scoring_estimate(asked, experiment, store, queue)
    wanted = texts_asked(asked, experiment)
    parts = [estimate_texts(part, store, queue) for part in wanted]
    seconds = [part.seconds for part in parts]
    found = CriteriaEstimate(
        missing=sum(part.texts for part in parts),
        tokens=sum(part.tokens for part in parts),
        prompt_tokens=sum(part.prompt_tokens for part in parts),
        seconds=None if None in seconds else sum(value for value in seconds if value is not None),
        cost=None,
        basis=f"{parts[0].basis}{_blocks_text(asked.repeats)}",
        done=False,
    )
    if not found.missing or asked.key.family != "endpoint":
        return found
    costs = [
        estimate_requests(
            [
                (block.prompt, block.count)
                for block in store.missing_texts(part.key, part.prompts, part.count)
            ],
            part.key,
        )
        for part in wanted
    ]
    paced = [cost.seconds for cost in costs if cost.seconds is not None]
    return CriteriaEstimate(
        missing=found.missing,
        tokens=found.tokens,
        prompt_tokens=sum(cost.tokens_in for cost in costs),
        seconds=sum(paced) if paced else found.seconds,
        cost=None if costs[0].cost is None else sum(cost.cost for cost in costs if cost.cost is not None),
        basis=f"{costs[0].basis}{_blocks_text(asked.repeats)}",
        done=False,
    )


def _blocks_text(repeats: int) -> str:
    """That texts come in whole blocks, as a further sentence; empty where they are asked for so."""
    made = math.ceil(repeats / BLOCK) * BLOCK
    if made == repeats:
        return ""
    return f" Texts are made {BLOCK} at a time: {repeats:,} of each prompt take as much as {made:,}."


def _scoring_estimate(
    asked: CriteriaAsked, experiment: Experiment, store: Store, queue: Queue
) -> CriteriaEstimate:
    prompts = missing(store, asked, experiment)
    seconds, basis = expected_seconds(
        prompts,
        asked.model,
        resolve(asked.model).parameters,
        recent_rates(queue, CRITERIA, lambda job: float(job.payload["answering"] == "scored")),
        "prompts",
    )
    return CriteriaEstimate(prompts, 0, 0, seconds, None, basis, done=False)


# ------------------------------------------------------------------------------------- what is kept


def load_criteria(store: Store, key: str) -> CriteriaResult | None:
    """The result of a request by its hash; ``None``: it is not complete, damaged, or of older rules."""
    found = store.load_document(key, RESULT)
    try:
        result = None if found is None else CriteriaResult.model_validate(found)
    except (ValidationError, CriteriaError):  # of older rules, which allowed other requests
        return None
    return result if result is not None and result.asked.hash == key else None


def kept_criteria(store: Store) -> tuple[CriteriaAsked, ...]:
    """The requests that are answered, the newest first; :func:`load_criteria` has their results.

    Those of older rules have another hash now: their reports are not given again.
    """
    found = ((key, _asked(store, key)) for key in store.documents(RESULT))
    return tuple(asked for key, asked in found if asked is not None and asked.hash == key)


def kept_labellers(store: Store) -> dict[str, str]:
    """Models that have labelled hobbies here, as they are asked for, each with the name that was kept.

    Of several versions of a model the one that labelled last.
    """
    found: dict[str, str] = {}
    for asked in kept_criteria(store):
        if asked.experiment == "hobbies":
            name = str((store.load_document(asked.material, MATERIAL) or {}).get("labeller", ""))
            if text := labeller_text(name):
                found.setdefault(text, name)
    return found


def load_criteria_asked(store: Store, key: str) -> CriteriaAsked:
    """A request by its hash.

    Raises:
        StoreError: it is gone or damaged.
    """
    found = _asked(store, key)
    if found is None:
        raise StoreError(f"What was asked for in this criteria request ({key}) cannot be read: ask again.")
    return found


def load_asked_experiment(store: Store, asked: CriteriaAsked) -> Experiment:
    """The experiment of a request, from the material that was kept with it.

    Raises:
        StoreError: it is gone or damaged.
    """
    found = store.load_document(asked.material, MATERIAL)
    try:
        if found is not None:
            return restore_experiment(asked.experiment, found)
    except ValidationError:
        pass
    raise StoreError(f"The material of this criteria request ({asked.hash}) cannot be read: ask again.")


def _asked(store: Store, key: str) -> CriteriaAsked | None:
    found = store.load_document(key, ASKED)
    try:
        return None if found is None else CriteriaAsked.model_validate(found)
    except (ValidationError, CriteriaError):  # of older rules, which allowed other numbers
        return None
