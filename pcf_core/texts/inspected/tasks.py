"""Tasks of Inspect (https://inspect.aisi.org.uk): FairPair, the criteria, sampled answers; for any provider.

    inspect eval pcf_core/texts/inspected/tasks.py@fairpair --model openai/gpt-4o -T count=20
    python -m pcf_core import logs/….eval

Runs in an environment of its own (``make .venv-inspect/ready``); nothing else imports this file.  The tasks
have no scorer; :mod:`pcf_core.work.inspecting` reads their logs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from pcf_core.core.errors import CriteriaError
from pcf_core.core.generation import BLOCK, Decoding
from pcf_core.core.options import declared, read_options, with_parameters
from pcf_core.core.records import Record, digest, made
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.texts.criteria.experiments import fitted, load_experiment, material_of
from pcf_core.texts.criteria.options import CriteriaOptions
from pcf_core.texts.criteria.own import own_files
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import load_prompts
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.texts.inspected.asking import (
    METADATA,
    AnyTask,
    CriteriaTask,
    Message,
    criteria_messages,
    fairpair_messages,
    fairpair_task,
    sampled_messages,
    sampled_task,
)


def with_options(kind: type[Record]) -> Callable[[Callable[..., Task]], Callable[..., Task]]:
    """Return a decorator that replaces a task's ``options`` by one parameter for each field of ``kind``."""
    fields = {one.task: one for one in declared(kind).values() if one.in_task}
    parameters = [
        Parameter(url, Parameter.KEYWORD_ONLY, default=one.default, annotation=Any)
        for url, one in fields.items()
    ]

    def read(given: dict[str, Any]) -> Record:
        # Inspect turns text with commas into a list, and digits into a number.
        return read_options(
            kind,
            {
                fields[url].name: ",".join(map(str, value)) if isinstance(value, list) else value
                for url, value in given.items()
            },
        )

    return lambda function: with_parameters(function, "options", parameters, read)


@solver  # type: ignore[untyped-decorator]
def write(temperature: float, top_p: float, length: int, seed: int) -> Solver:
    """Generate one text with the app's decoding."""
    decoding = Decoding(temperature=temperature, top_p=top_p, length=length, seed=seed)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text_of = {message.role: message.text for message in state.messages}
        request = Message(text_of.get("system", ""), text_of["user"])
        return await generate(
            state,
            tool_calls="none",
            temperature=temperature,
            top_p=top_p,
            max_tokens=length,
            seed=request.seed(decoding, state.epoch - 1),
        )

    return solve


def asking(request: AnyTask, messages: Sequence[Message]) -> Task:
    """Make a task with a sample for each message and an epoch for each text."""
    return Task(
        dataset=[
            Sample(
                id=message.id,
                input=[
                    *([ChatMessageSystem(content=message.system)] if message.system else []),
                    ChatMessageUser(content=message.prompt),
                ],
            )
            for message in messages
        ],
        solver=write(**request.decoding.model_dump()),
        epochs=request.count,
        metadata={METADATA: request.model_dump(mode="json")},
    )


@task  # type: ignore[untyped-decorator]
@with_options(FairPairOptions)
def fairpair(options: FairPairOptions) -> Task:
    """Request FairPair's texts; the options are those of ``python -m pcf_core fairpair``."""
    table = load_table(options.table)
    entity = listed(options.names) or table.names[0][:: -1 if options.reverse else 1]
    prompts = load_prompts(options.prompts, entity)
    request = fairpair_task(prompts, table, options)
    return asking(request, fairpair_messages(prompts.texts, request.counterparts))


@task  # type: ignore[untyped-decorator]
@with_options(CriteriaOptions)
def criteria(experiment: ExperimentName, options: CriteriaOptions) -> Task:
    """Ask an experiment's questions, with the options of ``python -m pcf_core criteria``."""
    material, wording = options.material, options.wording or "instruction"
    whole = load_experiment(experiment, own_files(experiment).get(material, material))
    asked_about = fitted(whole, "written", options.questions)
    decoding = options.decoding(experiment)
    count = BLOCK if options.repeats is None else options.repeats
    fields = {
        "experiment": experiment,
        "material": Path(material).stem,
        "material_hash": digest(material_of(asked_about)),
        "questions": options.questions,
        "wording": wording,
        "count": 1 if decoding.temperature == 0 else count,  # greedy texts are identical
        "decoding": decoding,
    }
    request = made(CriteriaTask, fields, "The task", CriteriaError)
    return asking(request, criteria_messages(asked_about, wording))


@task  # type: ignore[untyped-decorator]
def sampled(
    topic: str = "gender",
    evidence: str = "",
    templates: str = "",
    samples: int = 20,
    temperature: float = 1.0,
) -> Task:
    """Let the model go on from each sentence, as ``python -m pcf_core score --samples`` does."""
    chosen = load_topic(topic)
    terms, texts = load_evidence(evidence or chosen.evidence), load_templates(templates or chosen.templates)
    request = sampled_task(chosen, terms, texts, int(samples), float(temperature))
    return asking(request, sampled_messages(chosen, terms, texts))


def listed(values: str | Sequence[str]) -> tuple[str, ...]:
    """Split several values, which Inspect passes as text with commas or as a list."""
    several = values.split(",") if isinstance(values, str) else values
    return tuple(text for value in several if (text := str(value).strip()))
