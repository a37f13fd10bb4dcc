"""Requests for FairPair and their results; :mod:`pcf_core.work.pairing` has the parser and the model."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from pcf_core.core.errors import FairPairError, StoreError
from pcf_core.core.generation import GenerationKey
from pcf_core.core.options import shared_fields
from pcf_core.core.records import Record, digest
from pcf_core.core.settings import settings
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.dissimilarity import dissimilarities, encoder_key
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.records import (
    COUNTERPARTS,
    EMBEDDING,
    PROMPTS,
    TABLE,
    CategorySet,
    FairPairAsked,
    FairPairResult,
    PerturbationAsked,
    PerturbationTable,
    PerturbedTexts,
    PromptPairs,
    PromptsAsked,
    PromptSet,
)
from pcf_core.texts.fairpair.tables import check_sides
from pcf_core.work.queue import Queue
from pcf_core.work.text_audits import (
    AuditEstimate,
    Parts,
    TextAudit,
    TextsAsked,
    estimate_texts,
    estimate_writing,
    missing_texts,
    stored_record,
)

USUAL = FairPairOptions()
FAIRPAIR = "fairpair"  # the kind of job and of stored document


class FairPairRequest(Record):
    """The payload of a job; ``asked`` is the hash of the stored request, ``title`` that of the prompts.

    ``key``: for the speed of texts of this length.
    """

    model: str
    title: str
    key: GenerationKey
    count: int
    asked: str


class FairPairMaterial(NamedTuple):
    """The material that a request names by hashes."""

    prompts: PromptSet
    table: PerturbationTable


def fairpair_asked(
    key: GenerationKey,
    prompts: PromptSet,
    table: PerturbationTable,
    options: FairPairOptions = USUAL,
    categories: CategorySet | None = None,
) -> FairPairAsked:
    """Make a request to one model, with the entity of the prompts and the parser of the settings.

    ``categories``: of words, the shipped ones by default.  Raises FairPairError for an unusable count, fold,
    dissimilarity or encoder, PerturbationError if a name stands for the wrong side, and ModelError if an
    encoder is missing or not allowed.
    """
    encoders = []
    names = []
    for name in options.measures:
        if name.partition(":")[0] == EMBEDDING:
            encoders.append(encoder_key(name))
            names.append(encoders[-1].choice)
        elif name in dissimilarities():
            names.append(name)
        else:
            existing = ", ".join([*dissimilarities(), EMBEDDING])
            raise FairPairError(
                f"There is no dissimilarity {name!r}: choose from {existing}, or {EMBEDDING}:MODEL."
            )
    entity = prompts.names[::-1] if options.reverse else prompts.names
    check_sides(table, entity)
    return FairPairAsked(
        **shared_fields(FairPairAsked, options)
        | {
            "key": key,
            "prompts": PromptsAsked.of(prompts),
            "perturbation": PerturbationAsked.of(
                table, entity, options.mode, settings().pipeline, options.reverse
            ),
            "dissimilarities": tuple(names),
            "encoders": tuple(encoders),
            "categories": categories,
        }
    )


class FairPairAudit(TextAudit[FairPairAsked, FairPairMaterial, FairPairResult]):
    """FairPair; a job's ``result`` is at the stage ``writing``, ``perturbing`` or ``measuring``."""

    def missing(self, store: Store, request: FairPairAsked, material: FairPairMaterial) -> int:
        """Count the texts of both sides that the store lacks."""
        return missing_texts(store, texts_of_both_sides(store, request, material.prompts)[0])

    def parts(self, request: FairPairAsked, material: FairPairMaterial) -> Parts:
        """Return the prompts and the table."""
        return {
            request.prompts.kept: (PROMPTS, material.prompts.model_dump(mode="json")),
            request.perturbation.kept: (TABLE, material.table.model_dump(mode="json")),
        }

    def payload(self, request: FairPairAsked, material: FairPairMaterial) -> FairPairRequest:
        """Return the payload of the job."""
        return FairPairRequest(
            model=request.key.model,
            title=material.prompts.title,
            key=request.key,
            count=request.count,
            asked=request.hash,
        )

    def estimate(
        self, store: Store, queue: Queue, request: FairPairAsked, material: FairPairMaterial
    ) -> AuditEstimate:
        """Estimate the writing of both sides, roughly until the parser has read the prompts.

        Reading the texts takes a quarter of the writing with a small model, and much less with a large one.
        """
        sides, rough = texts_of_both_sides(store, request, material.prompts)
        if self.load(store, request.hash) is not None:
            return AuditEstimate.of_nothing(estimate_texts(sides, store, queue).basis)
        return replace(estimate_writing([sides], store, queue), rough=rough)


FAIRPAIR_AUDIT = FairPairAudit(
    FAIRPAIR,
    FairPairAsked,
    FairPairResult,
    "The stored {name} of this FairPair request ({key}) cannot be read: start the request again.",
)


def texts_of_both_sides(store: Store, request: FairPairAsked, prompts: PromptSet) -> tuple[TextsAsked, bool]:
    """Return the texts of x and p(x), and whether p(x) is a guess with only the name exchanged."""
    written = load_counterparts(store, request)
    first, second = request.prompts.names
    counterparts = written or tuple(text.replace(first, second) for text in prompts.texts)
    wanted = TextsAsked(key=request.key, prompts=(*prompts.texts, *counterparts), count=request.count)
    return wanted, written is None


# ------------------------------------------------------------------------------------- stored results


def load_prompt_set(store: Store, request: FairPairAsked) -> PromptSet:
    """Load the prompts of a request; raises StoreError if they are gone or damaged."""
    return FAIRPAIR_AUDIT.load_part(store, request.prompts.kept, PROMPTS, PromptSet)


def load_perturbation_table(store: Store, request: FairPairAsked) -> PerturbationTable:
    """Load the table of a request; raises StoreError if it is gone or damaged."""
    return FAIRPAIR_AUDIT.load_part(store, request.perturbation.kept, TABLE, PerturbationTable)


def load_counterparts(store: Store, request: FairPairAsked) -> tuple[str, ...] | None:
    """Load [prompt] p(x); ``None`` before they were made."""
    document = store.load_document(request.pairs_hash, COUNTERPARTS)
    return None if document is None else tuple(document["texts"])


def load_perturbed(store: Store, request: FairPairAsked, prompt: str) -> PerturbedTexts | None:
    """Load u of one prompt, with the errors of p; ``None`` before they were made."""
    return stored_record(store, request.pairs_hash, digest(prompt), PerturbedTexts)


def load_pairs(store: Store, result: FairPairResult, index: int) -> PromptPairs:
    """Load the texts u and z of a prompt, by its index; raise StoreError if they are gone or damaged."""
    request, row = result.asked, next(iter(result.reports.values())).prompts[index]
    perturbed = load_perturbed(store, request, row.prompt)
    written = store.texts(request.key, result.counterparts[index], request.count)
    if perturbed is None or written is None:
        raise StoreError(f"The texts for the prompt “{row.prompt}” are missing: run FairPair again.")
    return PromptPairs(row.prompt, perturbed.texts, written.texts, row.category, row.fact)
