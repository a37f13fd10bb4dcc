"""Write the texts that the store lacks: the one function for the foreground and for the worker."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from pydantic import model_validator

from pcf_core.errors import GenerationError, ModelError
from pcf_core.generation.base import Generator
from pcf_core.generation.cost import rough_tokens
from pcf_core.generation.opening import open_generator as open_real_generator
from pcf_core.jobs.blocks import environment
from pcf_core.jobs.estimate import expected_seconds, recent_rates
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.jobs.scoring import Pace, Stopped
from pcf_core.models import resolve_writer
from pcf_core.records import ModelSpec, Record, digest
from pcf_core.records.generation import Decoding, End, GenerationKey, in_one
from pcf_core.store import Store

OpenGenerator = Callable[[ModelSpec, Decoding], Generator]


class TextsAsked(Record):
    """``count`` texts behind each of the prompts, by the model of a key as it was resolved.

    Raises:
        GenerationError: no prompt, or no text.
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

    @property
    def hash(self) -> str:
        """What two requests have in common that ask for the same."""
        return digest([self.key.hash, self.prompts, self.count])


class GenerateRequest(Record):
    """The payload of a job of the kind ``generate``, small: ``prompts`` names what the store keeps.

    ``title``: what the texts are for, as a person knows it.
    """

    model: str
    title: str
    key: GenerationKey
    prompts: str
    count: int


@dataclass(frozen=True)
class TextsEstimate:
    """What a request costs, less what the store has.

    ``texts`` are missing, of ``tokens`` at most.  ``prompt_tokens``: what a server reads for them, a prompt
    for each text; rough, from the number of characters.  ``seconds`` is None while nothing like it was
    measured; ``basis`` says in a sentence where the time comes from.
    """

    texts: int
    tokens: int
    prompt_tokens: int
    seconds: float | None
    basis: str


def estimate_texts(asked: TextsAsked, store: Store, queue: Queue) -> TextsEstimate:
    """Estimate a request from what the store lacks and from finished jobs on this machine.

    Time is that of all tokens at the rate of the last finished job of the same model; of another model, the
    rate is scaled by the number of parameters, which is rough.

    Raises:
        ModelError: the model's files cannot be read.
    """
    blocks = store.missing_texts(asked.key, asked.prompts, asked.count)
    texts = sum(block.count for block in blocks)
    tokens = texts * asked.key.decoding.length
    seconds, basis = expected_seconds(
        tokens,
        asked.key.model,
        resolve_writer(asked.key.model).parameters,
        {
            **recent_rates(queue, "criteria", _tokens_of_a_text),
            **recent_rates(queue, "fairpair", _tokens_of_a_text),
            **recent_rates(queue, "generate", _tokens_of_a_text),
        },
        "tokens",
        "written",
    )
    return TextsEstimate(
        texts=texts,
        tokens=tokens,
        prompt_tokens=sum(
            block.count * rough_tokens(in_one(asked.key.system, block.prompt)) for block in blocks
        ),
        seconds=seconds,
        basis=basis,
    )


def _tokens_of_a_text(job: Job) -> float:
    """At most, of what a job writes; 0 where it scores words."""
    key = job.payload["key"]
    return 0.0 if key is None else float(key["decoding"]["length"])


def submit_texts(store: Store, queue: Queue, asked: TextsAsked, title: str = "") -> Job:
    """Queue a request, or join the job that is at it; ``done`` and ``total`` count texts.

    Raises:
        StoreError: the cache folder is read-only or full.
    """
    missing = sum(block.count for block in store.missing_texts(asked.key, asked.prompts, asked.count))
    request = GenerateRequest(
        model=asked.key.model,
        title=title,
        key=asked.key,
        prompts=store.save_prompts(asked.prompts),
        count=asked.count,
    )
    return queue.submit(
        "generate",
        asked.hash,
        request.model_dump(mode="json"),
        total=missing,
        models=[asked.key.model],
        cells=missing,
    )


def texts_asked(store: Store, request: GenerateRequest) -> TextsAsked:
    """What a job is asked for.

    Raises:
        StoreError: its prompts are gone or damaged.
    """
    return TextsAsked(key=request.key, prompts=store.load_prompts(request.prompts), count=request.count)


def generate_missing(
    asked: TextsAsked,
    store: Store,
    open_generator: OpenGenerator = open_real_generator,
    on_progress: Callable[[int, int, float], None] = lambda done, total, rate: None,
    should_stop: Callable[[], bool] = lambda: False,
    between_batches: Callable[[], None] = lambda: None,
) -> int:
    """Write the texts that are missing, block by block; the model is opened only if one is.

    All their prompts are checked before the first text is written.

    Each block counts once it is written, so that whoever comes after an interruption writes the rest alone,
    and what another process has written meanwhile is left.

    Args:
        asked: which texts.
        store: where texts are and go.
        open_generator: from a model and how it draws to its generator.
        on_progress: called after each block with texts done, texts in all, texts a second.
        should_stop: asked between two tokens, or while waiting for a server.
        between_batches: called there as well.

    Returns:
        The number of texts that were written.

    Raises:
        Stopped: ``should_stop`` said so.
        ModelError: the model is unknown, or has changed.
        GenerationError: a prompt that the model cannot go on from.
        ScoringError: the model failed.
        StoreError: the store is full or read-only.
    """
    key = asked.key
    blocks = store.missing_texts(key, asked.prompts, asked.count)
    if not blocks:
        return 0
    store.must_be_writable()  # loading a model can take minutes
    spec = resolve_writer(key.model, chat=bool(key.chat_template)).with_dtype(key.dtype)
    generator = open_generator(spec, key.decoding)
    if key.system:
        generator = generator.with_system(key.system)
    if generator.key.hash != key.hash:
        raise ModelError(
            f"The model {key.model} is not the one that was asked for ({key.identity} then, "
            f"{generator.key.identity} now): it has changed; ask again."
        )
    total, done, written, paused, pace = sum(block.count for block in blocks), 0, 0, 0.0, Pace()

    def pause() -> None:
        nonlocal paused
        began = time.perf_counter()
        between_batches()
        if should_stop():
            raise Stopped
        paused += time.perf_counter() - began

    for prompt in dict.fromkeys(block.prompt for block in blocks):
        pause()
        generator.check(prompt)
    on_progress(0, total, pace.rate(0))
    for block in blocks:
        pause()
        if store.still_missing_texts(key, [block]):
            began, paused = time.perf_counter(), 0.0
            texts = generator.generate(block.prompt, block.first, block.count, pause)
            seconds = time.perf_counter() - began - paused
            timings = {"seconds": seconds, "texts_per_second": block.count / max(seconds, 1e-9)}
            store.write_texts(key, texts, {**environment(generator), "timings": timings})
            written += block.count
        done += block.count
        on_progress(done, total, pace.rate(done))
    return written


def count_ends(asked: TextsAsked, store: Store) -> dict[str, int]:
    """How many of the texts asked for ended in each way; those that are not in the store are not counted."""
    counts: Counter[str] = Counter()
    for prompt in dict.fromkeys(asked.prompts):
        found = store.texts(asked.key, prompt, asked.count)
        counts.update(found.ends if found is not None else ())
    return {end: counts[end] for end in get_args(End)}
