"""Requests for criteria runs, and for the embedding score over several, and their results.

Without the model, for pages and commands; :mod:`pcf_core.work.questioning` does the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pydantic import ValidationError

from pcf_core.core.errors import CriteriaError, StoreError
from pcf_core.core.generation import GenerationKey
from pcf_core.core.records import Record, digest
from pcf_core.core.run import ScoringKey
from pcf_core.models.registry import resolve
from pcf_core.store.layer import Missing
from pcf_core.store.store import Store
from pcf_core.texts.criteria.answer_report import baseline_differences
from pcf_core.texts.criteria.embedding import SEEDS
from pcf_core.texts.criteria.experiment import Ask, Experiment, ScoredAsk
from pcf_core.texts.criteria.experiments import material_of, restore_experiment
from pcf_core.texts.criteria.own import labeller_text
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording
from pcf_core.texts.criteria.records.runs import (
    MATERIAL,
    CriteriaAsked,
    CriteriaResult,
    EmbeddingAsked,
    EmbeddingResult,
    counted_repeats,
)
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.work.estimate import expected_seconds, recent_rates
from pcf_core.work.queue import Job, Queue
from pcf_core.work.text_audits import (
    Answers,
    AuditEstimate,
    Parts,
    TextAudit,
    TextsAsked,
    estimate_writing,
    missing_texts,
)

# Texts and scores that answer the cells of a criteria run.
#
# cell -> (system, prompt) -> the store's texts
# cell -> (text, words)    -> the store's log-probabilities


def asks_of(request: CriteriaAsked, experiment: Experiment) -> tuple[tuple[Ask, GenerationKey], ...]:
    """Return every cell of a written request, with the key of its texts."""
    if request.generation is None or request.wording is None:
        raise ValueError(f"the request {request.hash} is {request.answering}")
    key = request.generation
    return tuple((ask, key.with_system(ask.system)) for ask in experiment.asks(request.wording))


def texts_asked(request: CriteriaAsked, experiment: Experiment) -> tuple[TextsAsked, ...]:
    """Return the texts of all cells, grouped by system message."""
    prompts: dict[GenerationKey, list[str]] = {}
    for ask, key in asks_of(request, experiment):
        prompts.setdefault(key, []).append(ask.prompt)
    return tuple(
        TextsAsked(key=key, prompts=tuple(some), count=request.repeats) for key, some in prompts.items()
    )


def missing_scores(store: Store, key: ScoringKey, asks: Sequence[ScoredAsk]) -> list[Missing]:
    """Return blocks of prompts × words to score; prompts with the same words are together."""
    return [
        block
        for words, alike in by_words(asks).items()
        for block in store.missing(key, [ask.text for ask in alike], words)
    ]


def by_words(asks: Sequence[ScoredAsk]) -> dict[tuple[str, ...], list[ScoredAsk]]:
    """Group cells with the same candidates, in the order of the experiment."""
    groups: dict[tuple[str, ...], list[ScoredAsk]] = {}
    for ask in asks:
        groups.setdefault(ask.words, []).append(ask)
    return groups


CRITERIA = "criteria"  # the kind of job and of what is kept
PUT = 16  # recent experiments that are not checked again for each model and page


class CriteriaRequest(Record):
    """The payload of a job; ``asked`` is the hash of the stored request, ``title`` that of the material.

    ``key``: for the speed of texts of this length, ``None`` if words are scored.
    """

    model: str
    experiment: ExperimentName
    title: str
    answering: Answering
    key: GenerationKey | None
    asked: str


def written_asked(
    experiment: Experiment, key: GenerationKey, wording: Wording, repeats: int
) -> CriteriaAsked:
    """Make a request to write and read texts; ``key`` has no system message, which each ask adds.

    At temperature 0, where all texts would be equal, ``repeats`` becomes 1.  Raises CriteriaError for invalid
    repeats or wording, for two cells with the same prompt, and for an instruction beside another.
    """
    _check_written(experiment, wording)
    if key.begins_answer and wording == "instruction":
        raise CriteriaError(
            "With --instruction the model's answer begins with the prompt, but prompts of the wording "
            "instruction are what the user says: leave it out, or choose --wording continuation."
        )
    return CriteriaAsked(
        experiment=experiment.name,
        title=experiment.title,
        material=_material_hash(experiment),
        answering="written",
        generation=key,
        wording=wording,
        repeats=counted_repeats(key, repeats),
    )


def scored_asked(experiment: Experiment, key: ScoringKey) -> CriteriaAsked:
    """Make a request to score every cell's candidate words; raise CriteriaError if there are none."""
    if not experiment.scored_asks():
        raise CriteriaError(
            f"The experiment {experiment.title} has no candidate words to score: choose a model that can "
            "write, and let it answer in texts (--answering written)."
        )
    return CriteriaAsked(
        experiment=experiment.name,
        title=experiment.title,
        material=_material_hash(experiment),
        answering="scored",
        scoring=key,
    )


@lru_cache(maxsize=PUT)
def _check_written(experiment: Experiment, wording: Wording) -> None:
    """Refuse two cells with the same prompt, and so the same texts; checked once per object."""
    cell_of: dict[tuple[str, str], str] = {}
    for ask in experiment.asks(wording):
        other = cell_of.setdefault((ask.system, ask.prompt), ask.cell)
        if other != ask.cell:
            raise CriteriaError(
                f"The experiment {experiment.title} has the same prompt twice, for {other!r} and "
                f"{ask.cell!r}: remove one of them, or word them differently."
            )


@lru_cache(maxsize=PUT)
def _material_hash(experiment: Experiment) -> str:
    return digest(material_of(experiment))


class CriteriaAudit(TextAudit[CriteriaAsked, Experiment, CriteriaResult]):
    """The criteria; after writing or scoring, a job's ``result`` is at the stage ``reading``."""

    def load(self, store: Store, key: str) -> CriteriaResult | None:
        """Load a result; older ones without gaps against no pronoun get them from their answers."""
        result = super().load(store, key)
        if result is None or not isinstance(result.report, AnswersReport) or result.report.from_baseline:
            return result
        gaps = baseline_differences(result.report)
        return result.model_copy(
            update={"report": result.report.model_copy(update={"from_baseline": gaps})} if gaps else {}
        )

    def missing(self, store: Store, request: CriteriaAsked, material: Experiment) -> int:
        """Count how many texts, or how many prompts' scores, the store lacks."""
        if request.scoring is not None:
            blocks = missing_scores(store, request.scoring, material.scored_asks())
            return sum(len(block.prompts) for block in blocks)
        return sum(missing_texts(store, part) for part in texts_asked(request, material))

    def parts(self, request: CriteriaAsked, material: Experiment) -> Parts:
        """Return the whole material of the experiment."""
        return {request.material: (MATERIAL, material_of(material))}

    def payload(self, request: CriteriaAsked, material: Experiment) -> CriteriaRequest:
        """Return the payload of the job."""
        return CriteriaRequest(
            model=request.model,
            experiment=request.experiment,
            title=request.title,
            answering=request.answering,
            key=request.generation,
            asked=request.hash,
        )

    def estimate(
        self, store: Store, queue: Queue, request: CriteriaAsked, material: Experiment
    ) -> AuditEstimate:
        """Estimate writing or scoring, beside which reading the answers takes little time."""
        if self.load(store, request.hash) is not None:
            return AuditEstimate.of_nothing("The result exists already.")
        if request.answering == "written":
            return estimate_writing(texts_asked(request, material), store, queue)
        prompts = self.missing(store, request, material)
        seconds, basis = expected_seconds(
            prompts,
            request.model,
            resolve(request.model).parameters,
            recent_rates(queue, CRITERIA, lambda job: float(job.payload["answering"] == "scored")),
            "prompts",
        )
        return AuditEstimate(prompts, 0, 0, seconds, None, basis)


CRITERIA_AUDIT = CriteriaAudit(
    CRITERIA,
    CriteriaAsked,
    CriteriaResult,
    "The stored criteria request ({key}) cannot be read: start it again.",
)


# ------------------------------------------------------------------------------------- stored results


def kept_labellers(store: Store) -> dict[str, str]:
    """Return models that have labelled hobbies here, with the stored name of their latest version."""
    labellers: dict[str, str] = {}
    for request in CRITERIA_AUDIT.kept(store):
        if request.experiment == "hobbies" and not request.imported:  # a pack could name any model
            name = str((store.load_document(request.material, MATERIAL) or {}).get("labeller", ""))
            if text := labeller_text(name):
                labellers.setdefault(text, name)
    return labellers


def load_asked_experiment(store: Store, request: CriteriaAsked) -> Experiment:
    """Load the experiment of a request from its stored material."""
    document = store.load_document(request.material, MATERIAL)
    try:
        if document is not None:
            return restore_experiment(request.experiment, document)
    except ValidationError:
        pass
    raise StoreError(
        f"The stored material of this criteria request ({request.hash}) cannot be read: "
        "start the request again."
    )


# --------------------------------------------------------------- the embedding score over several models
#
#     texts of hobbies of all models --one embedding--> d of each model, and distances of pairs
#
# In a report of hobbies the score has an axis of its own for every model; only scores learned from
# the texts of all models are comparable.  No text is written for it.

EMBEDDING = "embedding"  # the kind of job and of what is kept


class EmbeddingRequest(Record):
    """The payload of a job; ``asked`` is the hash of the stored request."""

    models: tuple[str, ...]
    asked: str


EMBEDDINGS = Answers(
    EMBEDDING,
    EmbeddingAsked,
    EmbeddingResult,
    "The stored embedding score ({key}) cannot be read: start it again.",
)


def embedding_asked(several: Sequence[CriteriaAsked]) -> EmbeddingAsked:
    """Make a request for the models of these requests; raise CriteriaError if texts cannot be pooled."""
    return EmbeddingAsked(several=tuple(sorted(several, key=lambda asked: asked.model)))


def submit_embedding(store: Store, queue: Queue, request: EmbeddingAsked) -> Job:
    """Queue a request, or join its active job; raise StoreError if texts are missing."""
    require_written(store, request)
    EMBEDDINGS.save_asked(store, request)
    payload = EmbeddingRequest(models=request.models, asked=request.hash).model_dump(mode="json")
    return queue.submit(EMBEDDING, request.hash, payload, total=len(SEEDS))


def require_written(store: Store, request: EmbeddingAsked) -> None:
    """Refuse a request whose texts are not all written."""
    for one in request.several:
        lacking = CRITERIA_AUDIT.missing(store, one, load_asked_experiment(store, one))
        if lacking:
            raise StoreError(
                "The embedding score over several models needs all their texts about hobbies, but "
                f"{lacking:,} texts of {one.model} are missing: run its hobbies first."
            )
