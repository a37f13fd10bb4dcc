"""Texts as they are asked for, apart from what writes them (:mod:`pcf_core.work.generating`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError, model_validator

from pcf_core.core.errors import AuditError, GenerationError
from pcf_core.core.generation import GenerationKey, in_one
from pcf_core.core.records import Record
from pcf_core.models.generation.endpoint import rough_tokens
from pcf_core.models.registry import resolve_writer
from pcf_core.store.store import Store
from pcf_core.work.estimate import expected_seconds, recent_rates
from pcf_core.work.queue import Job, Queue

Kept = TypeVar("Kept", bound=Record)


class TextsAsked(Record):
    """A request for texts.

    ``count`` texts behind each of the prompts, by the model of a key as it was resolved.
    """

    key: GenerationKey
    prompts: tuple[str, ...]
    count: int

    @model_validator(mode="after")
    def _is_something(self) -> TextsAsked:
        if not self.prompts or self.count < 1:
            raise GenerationError(
                f"{self.count:,} texts behind each of {len(self.prompts):,} prompts were asked for; give at "
                "least one prompt and ask for at least one text."
            )
        return self


@dataclass(frozen=True)
class TextsEstimate:
    """What a request costs, less what the store has.

    ``texts`` are missing, of ``tokens`` at most.  ``prompt_tokens``: what a server reads for them, a prompt
    for each text; rough, from the number of characters.  ``seconds`` is None while nothing like it was
    measured; ``basis`` says in a sentence where the time comes from.  ``blocks``: prompts, each with how many
    texts it lacks.
    """

    texts: int
    tokens: int
    prompt_tokens: int
    seconds: float | None
    basis: str
    blocks: tuple[tuple[str, int], ...]


def estimate_texts(request: TextsAsked, store: Store, queue: Queue) -> TextsEstimate:
    """Estimate a request from what the store lacks and from finished jobs on this machine.

    Time is that of all tokens at the rate of the last finished job of the same model; of another model, the
    rate is scaled by the number of parameters, which is rough.
    """
    blocks = store.missing_texts(request.key, request.prompts, request.count)
    texts = sum(block.count for block in blocks)
    tokens = texts * request.key.decoding.length
    seconds, basis = expected_seconds(
        tokens,
        request.key.model,
        resolve_writer(request.key.model).parameters,
        {
            **recent_rates(queue, "criteria", _tokens_of_a_text),
            **recent_rates(queue, "fairpair", _tokens_of_a_text),
        },
        "tokens",
        "written",
    )
    return TextsEstimate(
        texts=texts,
        tokens=tokens,
        prompt_tokens=sum(
            block.count * rough_tokens(in_one(request.key.system, block.prompt)) for block in blocks
        ),
        seconds=seconds,
        basis=basis,
        blocks=tuple((block.prompt, block.count) for block in blocks),
    )


def _tokens_of_a_text(job: Job) -> float:
    """Return the largest number of tokens in a text of what a job writes; 0 where it scores words."""
    key = job.payload["key"]
    return 0.0 if key is None else float(key["decoding"]["length"])


def missing_texts(store: Store, request: TextsAsked) -> int:
    """How many texts of a request the store lacks."""
    return sum(block.count for block in store.missing_texts(request.key, request.prompts, request.count))


def kept_record(store: Store, key: str, name: str, kind: type[Kept]) -> Kept | None:
    """Return what the store keeps of a request under a name.

    One that is damaged, or of older rules, which allowed other requests, counts as missing and is made again.
    """
    document = store.load_document(key, name)
    try:
        return None if document is None else kind.model_validate(document)
    except (ValidationError, AuditError):
        return None
