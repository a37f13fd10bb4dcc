"""``criteria``: test independence, separation and sufficiency of models, one experiment at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import typer

from pcf_core.cli.console import (
    ESTIMATED,
    EstimateOption,
    JsonOption,
    ModelOption,
    QueueOption,
    check_one_way,
    counted,
    give,
    give_queued,
    one_of,
    one_or_all,
    open_store,
    progress_line,
    say,
    say_chat,
    takes_text,
    text_or_file,
    with_options,
)
from pcf_core.cli.files import end_reading, with_files
from pcf_core.core.errors import InputError
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import settings
from pcf_core.material.safety.understood import Reading
from pcf_core.models.names import in_precision
from pcf_core.models.registry import resolve_to_score, resolve_writer
from pcf_core.report.documents import finite, picked
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiment import Experiment, suited
from pcf_core.texts.criteria.experiments import fitted, load_experiment
from pcf_core.texts.criteria.options import CriteriaOptions
from pcf_core.texts.criteria.own import own_files
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.records.runs import FEWEST_MODELS, CriteriaAsked, CriteriaResult, EmbeddingResult
from pcf_core.texts.text_audit import sends_messages, writing_key
from pcf_core.work.criteria import CRITERIA_AUDIT, embedding_asked, scored_asked, written_asked
from pcf_core.work.queue import Queue

EXPERIMENTS: tuple[ExperimentName, ...] = get_args(ExperimentName)


@dataclass(frozen=True)
class ModelRequest:
    """An experiment put to a model, and the sentence that says why in this way."""

    asked: CriteriaAsked
    experiment: Experiment
    reason: str


@with_options(CriteriaOptions)
@with_files
def criteria(
    model: ModelOption,
    experiment: Annotated[str, typer.Option("--experiment", help="; ".join(EXPERIMENTS))],
    options: CriteriaOptions,
    estimate: EstimateOption = False,
    queue: QueueOption = False,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> None:
    """Run an experiment of the criteria with one or more models and evaluate the answers."""
    check_one_way(estimate=estimate, queue=queue)
    name: ExperimentName = one_of(experiment, "--experiment", EXPERIMENTS)
    options.decoding(name)  # refuses values before files and models are looked for
    options = options.model_copy(update={"system": text_or_file(options.system)})
    material = own_files(name).get(options.material, options.material)
    chosen = load_experiment(name, material, options.labeller)
    end_reading(reading, as_json=as_json)
    if options.wording and options.answering == "scored":
        raise InputError("--wording is for written texts: leave it out with --answering scored.")
    several = [request_of(chosen, one, options) for one in model]
    scored = [one.asked.model for one in several if one.asked.answering == "scored"]
    if options.labeller and scored:
        raise InputError(
            f"--labeller is for written texts, but the words of {', '.join(scored)} are scored: leave out "
            "--labeller or these models."
        )
    store = open_store()
    if estimate:
        _give_estimates(store, several, as_json)
    elif queue:
        give_queued(store, CRITERIA_AUDIT, _announced(store, several), as_json)
    else:
        results = [(one, *run_now(store, one)) for one in several]
        _give_results(results, _pooled_now(store, [one.asked for one in several]), as_json)


def request_of(experiment: Experiment, model: str, options: CriteriaOptions) -> ModelRequest:
    """Return the request to one model; settings that were not given follow from its abilities."""
    if options.answering == "scored":
        way = suited(resolve_to_score(model), experiment.name, "scored", options)
    else:
        writer = in_precision(resolve_writer(model, sends_messages(options)), options.dtype)
        answering: Literal["", "written"] = "written" if options.answering or options.wording else ""
        way = suited(writer, experiment.name, answering, options)
    some = fitted(experiment, way.answering, options.questions)
    partly = _part_text(experiment, some)
    if way.wording is None:
        key = ScoringKey.of(in_precision(resolve_to_score(model), options.dtype))
        return ModelRequest(scored_asked(some, key), some, way.reason + partly)
    wording, name = options.wording or way.wording, experiment.name
    key_of_texts = writing_key(writer, options.decoding(name), options)
    say_chat(writer, key_of_texts)
    request = written_asked(some, key_of_texts, wording, options.texts_of_each(name))
    reason = way.reason if wording == way.wording else f"{model} is given the {wording} as requested."
    return ModelRequest(request, some, reason + partly)


def _part_text(whole: Experiment, part: Experiment) -> str:
    """Say how many of the questions are used; empty if all are."""
    if not isinstance(whole, Questions) or not isinstance(part, Questions):
        return ""
    have, request = (len(one.material.questions.questions) for one in (whole, part))
    return f" {request:,} of {have:,} questions are used (--questions)." if request < have else ""


def run_now(store: Store, one: ModelRequest) -> tuple[CriteriaResult, int]:
    """Answer in the foreground, with progress on stderr."""
    from pcf_core.work.questioning import Stage, run_criteria

    request = one.asked
    unit = "texts" if request.answering == "written" else "prompts"
    say(_estimate_line(one, _estimate_document(store, Queue.open(settings().catalogue), one)))
    CRITERIA_AUDIT.keep(store, request, one.experiment)
    with progress_line() as show:

        def stage(name: Stage) -> None:
            if name == "reading":
                show(f"{request.name}: reading the answers")

        result, made = run_criteria(
            request, store, on_progress=counted(show, request.name, unit), on_stage=stage
        )
    if result.without_text:
        total = sum(result.ends.values())
        say(f"{result.without_text:,} of {total:,} texts of {request.name} were refused or are empty.")
    return result, made


def _pooled_now(store: Store, several: Sequence[CriteriaAsked]) -> EmbeddingResult | None:
    """Score the embedding over all models that wrote hobbies; ``None`` if fewer than two did."""
    written = {
        request.hash: request
        for request in several
        if (request.experiment, request.answering) == ("hobbies", "written")
    }
    if len(written) < FEWEST_MODELS:
        return None

    from pcf_core.work.questioning import run_embedding

    with progress_line() as show:

        def on_seed(done: int, total: int) -> None:
            show(f"all models: {done:,} of {total:,} embeddings learned")

        return run_embedding(embedding_asked(list(written.values())), store, on_seed)


def _give_results(
    results: Sequence[tuple[ModelRequest, CriteriaResult, int]], pooled: EmbeddingResult | None, as_json: bool
) -> None:
    of_all = None if pooled is None else _embedding_document(pooled)
    documents = [
        criteria_document(result) | {"reason": one.reason, "made": made, "embedding_of_all": of_all}
        for one, result, made in results
    ]

    def lines() -> list[str]:
        from pcf_core.cli.panels import criteria_lines

        return criteria_lines([result for _, result, _ in results], pooled)

    give(one_or_all(documents), as_json, lines)


def _announced(store: Store, several: Sequence[ModelRequest]) -> Iterator[tuple[CriteriaAsked, Experiment]]:
    """Print an estimate of each request before it starts."""
    waiting = Queue.open(settings().catalogue)
    for one in several:
        say(_estimate_line(one, _estimate_document(store, waiting, one)))
        yield one.asked, one.experiment


def _give_estimates(store: Store, several: Sequence[ModelRequest], as_json: bool) -> None:
    waiting = Queue.open(settings().catalogue)
    documents = [_estimate_document(store, waiting, one) for one in several]
    give(one_or_all(documents), as_json, lambda: [*map(_estimate_line, several, documents)])


def _estimate_document(store: Store, waiting: Queue, one: ModelRequest) -> dict[str, Any]:
    """Estimate an endpoint by its operator's prices and rate limit, a model by what it wrote here before."""
    estimate = CRITERIA_AUDIT.estimate(store, waiting, one.asked, one.experiment)
    return {
        "asked": one.asked.hash,
        **picked(one.asked, "model", "answering", "wording"),
        "reason": one.reason,
        **picked(estimate, "done", "missing", *ESTIMATED),
    }


def _estimate_line(one: ModelRequest, document: dict[str, Any]) -> str:
    unit = "texts" if document["answering"] == "written" else "prompts to be scored"
    return (
        f"{one.asked.name}  {document['missing']:,} {unit}"
        + (f", {document['tokens']:,} tokens at most" if document["tokens"] else "")
        + f"{takes_text(document)}  {document['reason']}"
    )


def criteria_document(result: CriteriaResult) -> dict[str, Any]:
    """Return the shape of ``criteria --json`` (docs/cli.md) as JSON has it; what does not exist is null.

    ``report`` is the experiment's own record, field by field; the texts are left out.
    """
    request = result.asked
    document = {
        "asked": request.hash,
        **picked(
            request, "model", "experiment", "title", "material", "answering", "wording", "repeats", "key"
        ),
        **picked(result, "report", "ends", "left_out", "entries_left_out", "provenance"),
    }
    return finite(document)  # type: ignore[no-any-return]


def _embedding_document(result: EmbeddingResult) -> dict[str, Any]:
    """Describe the embedding score over several models: ``embedding_of_all`` of ``criteria --json``."""
    document = {"asked": result.asked.hash, "alike": result.asked.alike}
    return finite(document | picked(result, "report", "provenance"))  # type: ignore[no-any-return]
