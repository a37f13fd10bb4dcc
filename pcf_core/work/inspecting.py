"""Import the texts of an Inspect log, with the FairPair or criteria request for them.

The model is named after the provider's, with the day of the log: ``inspect:openai/gpt-4o@2026-11-23``, unlike
any local model.  A model, day and decoding, including its seed, has one set of texts: a log with others is
refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pcf_core.audit.answers import sampled_run, told_with, writing_key
from pcf_core.core.errors import AuditError, InspectLogError
from pcf_core.core.generation import Generated, GenerationKey
from pcf_core.core.options import shared_fields
from pcf_core.core.records import digest
from pcf_core.core.run import RunSpec
from pcf_core.core.sampled import Samples
from pcf_core.material.evidence import load_evidence
from pcf_core.material.safety.reading import label
from pcf_core.material.safety.text import shown
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.endpoint import resolve_inspected
from pcf_core.models.names import inspected_name
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.experiments import fitted, load_experiment, material_of
from pcf_core.texts.criteria.own import KINDS, own_files
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.fairpair import prompts as prompt_files
from pcf_core.texts.fairpair import tables as table_files
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.records import FairPairAsked
from pcf_core.texts.inspected.asking import (
    CriteriaTask,
    FairPairTask,
    SampledTask,
    criteria_messages,
    fairpair_messages,
    sampled_messages,
)
from pcf_core.texts.inspected.log import InspectLog, check_messages
from pcf_core.work.criteria import CRITERIA_AUDIT, written_asked
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked

Found = TypeVar("Found")
LONGEST_REASON = 200  # characters of why a file does not match a task


@dataclass(frozen=True)
class ReadAsFairPair:
    """A FairPair request of which a log has all texts."""

    asked: FairPairAsked
    material: FairPairMaterial


@dataclass(frozen=True)
class ReadAsCriteria:
    """A request of the criteria of which a log has all texts."""

    asked: CriteriaAsked
    material: Experiment


@dataclass(frozen=True)
class ReadAsSampled:
    """A sampled run of which a log has all answers."""

    run: RunSpec


ReadAs = ReadAsFairPair | ReadAsCriteria | ReadAsSampled


@dataclass(frozen=True)
class ArrivedTexts:
    """An imported log: its request, and how many of its ``texts`` are ``new`` here."""

    read_as: ReadAs
    texts: int
    new: int


def key_of(log: InspectLog) -> GenerationKey:
    """Return the key of a log's texts, which no installed model has."""
    return GenerationKey.of(resolve_inspected(inspected_name(log.model, log.day)), log.task.decoding)


def import_log(store: Store, log: InspectLog, files: Sequence[Path] = ()) -> ArrivedTexts:
    """Store the texts of a log, and the request that reads them; all or nothing.

    ``files``: the user's own files that the task used, which the app does not have by name.  Raises
    InspectLogError if the task's material is missing or different here, the log has other messages than its
    task, or other texts of the same model, day and decoding are stored.
    """
    key = key_of(log)
    read_as: ReadAs
    if isinstance(log.task, FairPairTask):
        read_as = _as_fairpair(log.task, key, files)
        texts = read_as.material.prompts.texts
        check_messages(fairpair_messages(texts, log.task.counterparts), log)
    elif isinstance(log.task, SampledTask):
        read_as = _as_sampled(log.task, key, files)
        run = read_as.run
        check_messages(sampled_messages(run.topic, run.evidence, run.templates), log)
    else:
        read_as = _as_criteria(log.task, key, files)
        check_messages(criteria_messages(read_as.material, log.task.wording), log)
    new = _keep(store, key, log)
    if isinstance(read_as, ReadAsFairPair):
        FAIRPAIR_AUDIT.keep(store, read_as.asked, read_as.material)
    elif isinstance(read_as, ReadAsSampled):
        store.save_run(read_as.run, {"texts": writing_key(read_as.run).hash, "inspect": log.model})
    else:
        CRITERIA_AUDIT.keep(store, read_as.asked, read_as.material)
    return ArrivedTexts(read_as, len(log.texts) * log.task.count, new)


def _as_fairpair(task: FairPairTask, key: GenerationKey, files: Sequence[Path]) -> ReadAsFairPair:
    texts = _same(
        "prompts",
        task.prompts,
        lambda: prompt_files.SHELF.require(task.prompts),
        files,
        lambda file: prompt_files.load_prompts(file, task.names),
        lambda loaded: loaded.hash == task.prompts_hash,
    )
    table = _same(
        "table of counterparts",
        task.table,
        lambda: table_files.SHELF.require(task.table),
        files,
        table_files.load_table,
        lambda loaded: loaded.hash == task.table_hash,
    )
    if len(task.counterparts) != len(texts.texts):
        raise InspectLogError(
            "This Inspect log does not have a counterpart for each prompt: run the task again."
        )
    options = FairPairOptions(**shared_fields(FairPairOptions, task) | {"fold_size": task.fold, "names": ""})
    request = fairpair_asked(key, texts, table, options)
    return ReadAsFairPair(request, FairPairMaterial(texts, table))


def _as_criteria(task: CriteriaTask, key: GenerationKey, files: Sequence[Path]) -> ReadAsCriteria:
    own: dict[str, str | Path] = {"": "", **own_files(task.experiment)}

    def named() -> str | Path:
        if task.material not in own:
            raise InspectLogError(f"You have not saved any {KINDS[task.experiment]} of that name.")
        return own[task.material]

    def made(path: str | Path) -> Experiment:
        return fitted(load_experiment(task.experiment, path), "written", task.questions)

    experiment = _same(
        KINDS[task.experiment],
        task.material,
        named,
        files,
        made,
        lambda loaded: digest(material_of(loaded)) == task.material_hash,
    )
    return ReadAsCriteria(written_asked(experiment, key, task.wording, task.count), experiment)


def _as_sampled(task: SampledTask, key: GenerationKey, files: Sequence[Path]) -> ReadAsSampled:
    topic = _same(
        *("topic", task.topic, lambda: task.topic, files, load_topic),
        lambda loaded: loaded.hash == task.topic_hash,
    )
    evidence = _same(
        *("list of occupations", task.evidence, lambda: task.evidence, files, load_evidence),
        lambda loaded: loaded.hash == task.evidence_hash,
    )
    templates = _same(
        *("set of sentences", task.templates, lambda: task.templates, files, load_templates),
        lambda loaded: loaded.hash == task.templates_hash,
    )
    how = Samples(samples=task.count, temperature=task.decoding.temperature)
    run = sampled_run(resolve_inspected(key.model), topic, evidence, templates, how)
    if writing_key(run) != key.with_system(told_with(topic)):
        raise InspectLogError(
            "This Inspect log draws its answers in another way than the task: run the task as it is."
        )
    return ReadAsSampled(run)


def _same(
    what: str,
    name: str,
    named: Callable[[], str | Path],
    files: Sequence[Path],
    load: Callable[[str | Path], Found],
    is_same: Callable[[Found], bool],
) -> Found:
    """Load the material of the task by its name, or from one of the files."""
    tried = []
    for file in (None, *files):
        try:
            loaded = load(named() if file is None else file)
        except AuditError as error:  # missing, or of another kind
            reason = str(error).rstrip(".")
        else:
            if is_same(loaded):
                return loaded
            reason = "" if file is None else f"{label(file)} has different contents"
        tried += [] if file is None else [reason[:LONGEST_REASON]]
    given = f", nor among the files given ({'; '.join(tried)})" if tried else ""
    raise InspectLogError(
        f"The {what} {shown(name) if name else 'that come with the app'} with which this Inspect log was "
        f"made cannot be found here{given}: give their file with --material, or import the log into the "
        "version of the app that made its task."
    )


def _keep(store: Store, key: GenerationKey, log: InspectLog) -> int:
    """Store all texts; return how many were new."""
    count, new = log.task.count, 0
    for message, generated in log.texts.items():
        existing = store.texts(key.with_system(message.system), message.prompt, count)
        if existing is not None and (existing.texts, existing.ends) != (generated.texts, generated.ends):
            raise InspectLogError(
                f"Other texts of {log.model} of {log.day} with the same settings have been imported before: "
                "run the task with another seed (-T seed=…), and import that log."
            )
    provenance = {
        "inspect": {
            "model": log.model,
            "served": list(log.served),
            "log": log.eval_id,
            "created": log.created.isoformat(),
            **log.thinking,
        }
    }
    for message, generated in log.texts.items():
        own = key.with_system(message.system)
        for part in store.missing_texts(own, [message.prompt], count):
            rows = slice(part.first, part.first + part.count)
            some = Generated(
                prompt=message.prompt,
                first=part.first,
                texts=generated.texts[rows],
                ends=generated.ends[rows],
                tokens=generated.tokens[rows],
            )
            store.write_texts(own, some, provenance)
            new += part.count
    return new
