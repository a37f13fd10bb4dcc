"""Run FairPair, in the foreground or in the worker.

p(x) of every prompt, by the parser                                    stored
the missing texts of x and of p(x)                                     stored block by block
u = p(g(x)), with the errors of p                                      stored prompt by prompt
B, V and F under each dissimilarity, their convergence, and words      stored when complete
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

import pcf_core
from pcf_core.core.errors import FairPairError, StoreError
from pcf_core.core.generation import End, Generated
from pcf_core.core.records import digest
from pcf_core.models.generation.base import count_declining
from pcf_core.models.generation.base import open_generator as open_real_generator
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.dissimilarity import Encode, OpenEncoder
from pcf_core.texts.fairpair.dissimilarity import open_encoder as open_real_encoder
from pcf_core.texts.fairpair.perturbation import Parser, Perturbation, errors_of, together
from pcf_core.texts.fairpair.records import (
    COUNTERPARTS,
    FairPairAsked,
    FairPairResult,
    PerturbationErrors,
    PerturbedTexts,
    PromptPairs,
    PromptSet,
    Side,
)
from pcf_core.texts.fairpair.report import measured
from pcf_core.work.blocks import noting
from pcf_core.work.fairpair import (
    FAIRPAIR,
    FAIRPAIR_AUDIT,
    FairPairRequest,
    load_counterparts,
    load_perturbation_table,
    load_perturbed,
    load_prompt_set,
)
from pcf_core.work.jobs import JobContext, OnProgress, OpenGenerator, Pause, job, no_pause
from pcf_core.work.text_audits import TextsAsked, generate_missing

Stage = Literal["writing", "perturbing", "measuring"]


def run_fairpair(
    request: FairPairAsked,
    store: Store,
    open_generator: OpenGenerator = open_real_generator,
    on_progress: OnProgress = lambda done, total, rate: None,
    on_stage: Callable[[Stage, int, int], None] = lambda stage, done, total: None,
    pause: Pause = no_pause,
    open_encoder: OpenEncoder = open_real_encoder,
) -> tuple[FairPairResult, int]:
    """Answer a stored request, or return its stored answer, with the number of texts written now.

    ``open_generator`` is called only if a text is missing; ``open_encoder`` before anything is written.
    ``on_progress`` gets texts written, their total, and texts per second; ``on_stage`` a stage and how many
    prompts or dissimilarities of it are done.  After an exception of ``pause`` the request can be resumed.

    Raises FairPairError for a prompt that p does not change, PipelineError if the parser cannot be opened,
    StoreError if the store is full or read-only or the request is gone, and as
    :func:`pcf_core.work.text_audits.generate_missing`.
    """
    done = FAIRPAIR_AUDIT.load(store, request.hash)
    if done is not None:
        return done, 0

    work = _Work(request, store, load_prompt_set(store, request), pause, on_stage)
    work.encoders = {encoder.model: open_encoder(encoder) for encoder in request.encoders}
    counterparts = work.counterparts()
    with work.timed("writing"):
        on_stage("writing", 0, 1)
        written = generate_missing(
            TextsAsked(key=request.key, prompts=(*work.prompts.texts, *counterparts), count=request.count),
            store,
            noting(open_generator, work.made_by),
            on_progress,
            pause,
        )
    with work.timed("perturbing"):
        pairs, errors, ends = work.pairs(counterparts)
    with work.timed("measuring"):
        result = work.measured(pairs, counterparts, errors, ends)
    result = result.model_copy(update={"provenance": work.provenance()})
    FAIRPAIR_AUDIT.save(store, result)
    return result, written


@job(FAIRPAIR, FairPairRequest)
def answer_fairpair(context: JobContext, request: FairPairRequest) -> dict[str, Any]:
    """Answer the stored request; the job shows the stage."""

    def on_stage(stage: Stage, done: int, total: int) -> None:
        context.note({"stage": stage, "done": done, "total": total})

    asked = FAIRPAIR_AUDIT.load_asked(context.store, request.asked)
    result, written = run_fairpair(
        asked, context.store, context.open_generator, context.progress, on_stage, context.pause
    )
    return {"asked": asked.hash, "written": written, "ends": result.ends}


@lru_cache(maxsize=1)
def parser_of(pipeline: str) -> Parser:
    """Open the parser of this name, once; it imports spaCy."""
    from pcf_core.mining.parser.pipeline import open_pipeline

    return open_pipeline(pipeline)


@dataclass
class _Work:
    """A request in progress, with ``seconds`` by stage; ``made_by``: the environment of the generator."""

    asked: FairPairAsked
    store: Store
    prompts: PromptSet
    pause: Pause
    on_stage: Callable[[Stage, int, int], None]
    encoders: dict[str, Encode] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    made_by: dict[str, Any] = field(default_factory=dict)
    declined: dict[Side, int] = field(default_factory=lambda: {"original": 0, "prompt": 0})

    def __post_init__(self) -> None:
        wanted = self.asked.perturbation
        self.perturbation = Perturbation(
            load_perturbation_table(self.store, self.asked),
            wanted.entity,
            wanted.mode,
            wanted.reverse,
            open_parser=lambda: parser_of(wanted.pipeline),
        )

    def counterparts(self) -> tuple[str, ...]:
        """Make [prompt] p(x), once."""
        stored = load_counterparts(self.store, self.asked)
        if stored is not None:
            return stored
        texts = self.prompts.texts
        made = tuple(self.perturbation(texts))
        same = next((text for text, other in zip(texts, made, strict=True) if text == other), None)
        if same is not None:
            raise FairPairError(
                f"The perturbation {self.asked.perturbation.table} does not change the prompt “{same}”, so "
                "there is nothing to compare: the prompt must have a word that is exchanged "
                f"({' for '.join(self.asked.prompts.names)})."
            )
        self.store.save_document(self.asked.pairs_hash, COUNTERPARTS, {"texts": list(made)})
        return made

    def pairs(
        self, counterparts: Sequence[str]
    ) -> tuple[list[PromptPairs], PerturbationErrors, dict[Side, dict[End, int]]]:
        """Return the texts u and z of every prompt, the errors of p over all, and how texts ended by side.

        Texts that decline in words are counted in ``declined``.
        """
        pairs, errors = [], []
        ends: dict[Side, Counter[End]] = {"original": Counter(), "prompt": Counter()}
        total = len(self.prompts.prompts)
        for index, (prompt, counterpart) in enumerate(zip(self.prompts.prompts, counterparts, strict=True)):
            self.on_stage("perturbing", index, total)
            self.pause()
            original, written = self._texts(prompt.text), self._texts(counterpart)
            perturbed = self._perturbed(original)
            pairs.append(
                PromptPairs(prompt.text, perturbed.texts, written.texts, prompt.category, prompt.fact)
            )
            errors.append(perturbed.errors)
            ends["original"].update(original.ends)
            ends["prompt"].update(written.ends)
            self.declined["original"] += count_declining(original)
            self.declined["prompt"] += count_declining(written)
        counted: dict[Side, dict[End, int]] = {
            side: {end: counts[end] for end in get_args(End)} for side, counts in ends.items()
        }
        return pairs, together(errors), counted

    def _texts(self, prompt: str) -> Generated:
        texts = self.store.texts(self.asked.key, prompt, self.asked.count)
        if texts is None:
            raise StoreError(
                f"Texts for the prompt “{prompt}” were removed or damaged while they were being "
                "compared: run FairPair again."
            )
        return texts

    def _perturbed(self, original: Generated) -> PerturbedTexts:
        stored = load_perturbed(self.store, self.asked, original.prompt)
        if stored is not None:
            return stored
        there = self.perturbation.perturbed(original.texts, original.prompt)
        made = PerturbedTexts(
            prompt=original.prompt,
            texts=tuple(one.text for one in there),
            errors=errors_of(self.perturbation, there, original.prompt),
        )
        self.store.save_document(self.asked.pairs_hash, digest(original.prompt), made.model_dump(mode="json"))
        return made

    def measured(
        self,
        pairs: Sequence[PromptPairs],
        counterparts: tuple[str, ...],
        errors: PerturbationErrors,
        ends: dict[Side, dict[End, int]],
    ) -> FairPairResult:
        measures = measured(
            self.asked,
            self.perturbation.table,
            pairs,
            self.encoders,
            lambda done, total: self.on_stage("measuring", done, total),
            self.pause,
        )
        return FairPairResult(
            asked=self.asked,
            counterparts=counterparts,
            reports=measures.reports,
            convergence=measures.convergence,
            words=measures.words,
            errors=errors,
            ends=ends,
            declined=self.declined,
            provenance={},
        )

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[stage] = round(time.perf_counter() - began, 3)

    def provenance(self) -> dict[str, Any]:
        return {
            "pcf_core": pcf_core.__version__,
            "pipeline": self.asked.perturbation.pipeline,
            **self.made_by,
            "seconds": dict(self.seconds),
        }
