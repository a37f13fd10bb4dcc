"""Messages and decoding of an Inspect task, and the request recorded in its log.

    choices --> FairPairTask or CriteriaTask --messages--> (system, prompt), each ``count`` times

A log names its material with a hash but does not contain it, so nothing in a log is shown as material.  A
message is an Inspect sample; the text with index i is epoch i + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from pcf_core.core.errors import FairPairError, RunError
from pcf_core.core.generation import Decoding
from pcf_core.core.options import shared_fields
from pcf_core.core.records import Record, digest, made
from pcf_core.core.run import Prompts, with_people
from pcf_core.core.sampled import GO_ON, LENGTH, MOST_SAMPLES, ONE_WORD
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.models.scoring.base import opening_of
from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.records.quantities import ExperimentName, Wording
from pcf_core.texts.criteria.records.runs import MOST_REPEATS
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.perturbation import Perturbation
from pcf_core.texts.fairpair.prompts import LONGEST, MOST
from pcf_core.texts.fairpair.records import (
    FEWEST_TEXTS,
    MOST_TEXTS,
    Mode,
    Pair,
    PerturbationTable,
    PromptSet,
)
from pcf_core.texts.fairpair.tables import check_sides

METADATA = "pcf_audit"  # the key of the request in a task's metadata
SEEDS = 2**31  # every server accepts smaller seeds
Name = Annotated[str, Field(max_length=100)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


class Message(NamedTuple):
    """A user's ``prompt``, after the ``system`` message unless that is empty."""

    system: str
    prompt: str

    @property
    def id(self) -> str:
        """The id of its Inspect sample."""
        return digest([self.system, self.prompt])

    def seed(self, decoding: Decoding, index: int) -> int:
        """Return the seed of one text: the same in every log, different for each index."""
        stream = digest([decoding.model_dump(mode="json"), self.system, self.prompt, index])
        return int(np.random.default_rng(int(stream, 16)).integers(SEEDS))


class FairPairTask(Record):
    """A FairPair request as a log records it; ``counterparts``: [prompt] p(x)."""

    audit: Literal["fairpair"] = "fairpair"
    version: Literal[1] = 1
    prompts: Name
    prompts_hash: Hash
    names: Pair
    table: Name
    table_hash: Hash
    reverse: bool = False
    mode: Mode = "whole"
    counterparts: tuple[Annotated[str, Field(max_length=2 * LONGEST)], ...] = Field(max_length=MOST)
    count: int = Field(ge=FEWEST_TEXTS, le=MOST_TEXTS)
    fold: int | None = Field(None, ge=FEWEST_TEXTS, le=MOST_TEXTS)
    decoding: Decoding = Decoding()


class CriteriaTask(Record):
    """A criteria request as a log records it; ``material``: empty for the shipped material."""

    audit: Literal["criteria"] = "criteria"
    version: Literal[1] = 1
    experiment: ExperimentName
    material: Name = ""
    material_hash: Hash
    questions: int | None = Field(None, ge=1)
    wording: Wording
    count: int = Field(ge=1, le=MOST_REPEATS)
    decoding: Decoding


class SampledTask(Record):
    """A request for sampled answers as a log records it (:mod:`pcf_core.audit.answers`)."""

    audit: Literal["sampled"] = "sampled"
    version: Literal[1] = 1
    topic: Name
    topic_hash: Hash
    evidence: Name
    evidence_hash: Hash
    templates: Name
    templates_hash: Hash
    count: int = Field(ge=2, le=MOST_SAMPLES)
    decoding: Decoding


AnyTask = FairPairTask | CriteriaTask | SampledTask
Task = Annotated[AnyTask, Field(discriminator="audit")]


def sampled_task(
    topic: Topic, evidence: Evidence, templates: TemplateSet, samples: int, temperature: float
) -> SampledTask:
    """Make the task of a request."""
    lists: dict[str, Topic | Evidence | TemplateSet]
    lists = {"topic": topic, "evidence": evidence, "templates": templates}
    fields = {name: item.name for name, item in lists.items()}
    fields |= {f"{name}_hash": item.hash for name, item in lists.items()}
    decoding = Decoding(temperature=temperature, top_p=1.0, length=LENGTH)
    return made(SampledTask, {**fields, "count": samples, "decoding": decoding}, "The task", RunError)


def sampled_messages(topic: Topic, evidence: Evidence, templates: TemplateSet) -> tuple[Message, ...]:
    """List the sentences of a request, each once."""
    prompts, instruction = with_people(topic, templates.templates), ONE_WORD if topic.decides else GO_ON
    return tuple(
        dict.fromkeys(Message(instruction, opening_of(prompt)) for prompt in Prompts(evidence.terms, prompts))
    )


def fairpair_task(prompts: PromptSet, table: PerturbationTable, options: FairPairOptions) -> FairPairTask:
    """Make the task of a request; FairPairError for a prompt without a word to exchange."""
    entity = (prompts.names[1], prompts.names[0]) if options.reverse else prompts.names
    check_sides(table, entity)
    rewrite = Perturbation(table, entity, options.mode, options.reverse)
    counterparts = tuple(rewrite(prompts.texts))
    same = next(
        (text for text, other in zip(prompts.texts, counterparts, strict=True) if text == other), None
    )
    if same is not None:
        raise FairPairError(
            f"The perturbation {table.name} does not change the prompt “{same}”, so there is nothing to "
            f"compare: the prompt must have a word that is exchanged ({' for '.join(prompts.names)})."
        )
    fields = shared_fields(FairPairTask, options) | {
        "prompts": prompts.name,
        "prompts_hash": prompts.hash,
        "names": prompts.names,
        "table": table.name,
        "table_hash": table.hash,
        "counterparts": counterparts,
        "fold": options.fold_size,
        "decoding": options.decoding,
    }
    return made(FairPairTask, fields, "The task", FairPairError)


def fairpair_messages(prompts: Sequence[str], counterparts: Sequence[str]) -> tuple[Message, ...]:
    """List the messages x and p(x), each once."""
    return tuple(dict.fromkeys(Message("", text) for text in (*prompts, *counterparts)))


def criteria_messages(experiment: Experiment, wording: Wording) -> tuple[Message, ...]:
    """List the messages of an experiment, each once; CriteriaError if the material has no such wording."""
    return tuple(dict.fromkeys(Message(ask.system, ask.prompt) for ask in experiment.asks(wording)))
