"""``words``, ``score`` and ``worker``: commands that use a model."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import typer

from pcf_core.audit.answers import sampled_run
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.results import Results
from pcf_core.audit.sampling import planned
from pcf_core.audit.slots import run_notes
from pcf_core.cli.console import (
    DtypeOption,
    EngineOption,
    EvidenceOption,
    JsonOption,
    ModelOption,
    ProtocolOption,
    QueueOption,
    TemplatesOption,
    TopicOption,
    frames_of,
    give,
    one_of,
    one_or_all,
    open_store,
    progress_line,
    protocol_named,
    say,
    to_score,
    with_options,
)
from pcf_core.cli.files import end_reading, with_files
from pcf_core.cli.sampling import sample_now
from pcf_core.core.errors import InputError, TemplateError
from pcf_core.core.frame import Frame, Frames, framed_name
from pcf_core.core.run import Progress, Protocol, RunSpec
from pcf_core.core.sampled import Samples
from pcf_core.core.settings import Engine, adopt, settings
from pcf_core.core.topics import Topic
from pcf_core.material.evidence import load_evidence
from pcf_core.material.safety.text import check_sentence
from pcf_core.material.safety.understood import Reading
from pcf_core.material.suiting import swapped
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.frames import framed
from pcf_core.models.names import AUTO, PRECISIONS
from pcf_core.models.registry import listed_tokens, resolve_writer
from pcf_core.show.findings.notes import frame_note, look_finding, other_lists_note, progress_note
from pcf_core.store.store import Store
from pcf_core.work.jobs import OpenScorer
from pcf_core.work.launch import ensure_worker, worker_here
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run

WithinOption = Annotated[
    float | None,
    typer.Option(
        "--within",
        help="draw templates by count until the intervals of R, prejudice and caprice are within ± "
        "this, 0.001 to 0.1",
    ),
]

WAITING = "{model}: {holder} is already scoring this run; waiting for it, so that nothing is scored twice"


@with_options(Frames)
@with_files
def words(
    model: ModelOption,
    text: Annotated[str, typer.Option("--text", help="a sentence with one [Y]")],
    options: Frames,
    topic: TopicOption = "gender",
    protocol: ProtocolOption = "exact",
    dtype: DtypeOption = AUTO,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> None:
    """Score the topic's words in one sentence."""
    from pcf_core.work.probing import word_check

    chosen = load_topic(topic)
    end_reading(reading, as_json=as_json)
    kind = protocol_named(protocol)
    number_type = one_of(dtype, "--dtype", PRECISIONS)
    sentence = check_sentence(text, "the text", "--text", TemplateError)
    asked = [(name, frame) for name in model for frame in frames_of(options, chosen)]
    answers = [
        word_check(name, chosen, sentence, kind, dtype=number_type, frame=frame) for name, frame in asked
    ]

    def lines() -> list[str]:
        shares, framing = [], []
        for (name, _), answer in zip(asked, answers, strict=True):
            frame = Frame(**answer["frame"]) if "frame" in answer else None
            likely = ", ".join(f"{group} {p:.3f}" for group, p in answer["preferences"].items())
            shares.append(f"{framed_name(name, frame)}: {likely}")
            if frame is not None:
                framing.append(frame_note(name, frame))
        return [*shares, *framing, *dict.fromkeys(note for answer in answers for note in answer["notes"])]

    give(one_or_all(answers), as_json, lines)


@with_options(Frames)
@with_options(Samples, "sampling")
@with_files
def score(
    model: ModelOption,
    options: Frames,
    topic: TopicOption = "gender",
    templates: TemplatesOption = "",
    evidence: EvidenceOption = "",
    protocol: ProtocolOption = "exact",
    dtype: DtypeOption = AUTO,
    within: WithinOption = None,
    engine: EngineOption = "",
    swap: Annotated[bool, typer.Option("--swap", help="the topic's words at [X], the list's at [Y]")] = False,
    queue: QueueOption = False,
    as_json: JsonOption = False,
    *,
    sampling: Samples,
    reading: Reading,
) -> None:
    """Score every template × occupation, or with --within only as many templates as needed.

    Nothing is scored twice; if another process is scoring the same run, this command waits for it.
    """
    chosen = load_topic(topic)
    if reading.dry_run:  # of the topic's usual lists there is nothing to show
        _ = [load_evidence(evidence)] if evidence else (), [load_templates(templates)] if templates else ()
        end_reading(reading, as_json=as_json)
    terms = load_evidence(given_or_usual(evidence, chosen, "evidence"))
    if swap:
        chosen, terms = swapped(chosen, terms)
    texts = load_templates(given_or_usual(templates, chosen, "templates"))
    end_reading(reading, as_json=as_json)
    kind = protocol_named(protocol)
    frames = frames_of(options, chosen)
    if sampling.samples is not None:
        if queue or engine or options != Frames() or protocol != "exact" or dtype != AUTO:
            raise InputError(
                "--samples counts words in texts, at once and without a frame: leave out --queue, --engine, "
                "--frame, --system, --instruction, --protocol and --dtype."
            )
        sampled = [
            sampled_run(
                *(resolve_writer(name, sampling.chat), chosen, terms, texts, sampling),
                listed_tokens(name, sampling),
            )
            for name in model
        ]
        sample_now(sampled, within, as_json=as_json)
        return
    specs = [framed(spec, frame) for spec in to_score(model, dtype) for frame in frames]
    runs = [build_run(spec, chosen, terms, texts, kind) for spec in specs]
    runs = runs if within is None else [planned(run, within) for run in runs]
    chosen_engine: Engine = one_of(engine or settings().engine, "--engine", get_args(Engine))
    if queue and engine:
        raise InputError(
            "--engine is for scoring at once; with --queue the worker uses its setting "
            "PCF_ENGINE: leave one of the two out."
        )
    store, answers = open_store(), []
    for run in runs:
        inside: dict[str, Any] = {}
        if run.scoring.frame is not None:
            say(frame_note(run.scoring.model, run.scoring.frame))
            inside = {"frame": run.scoring.frame.model_dump()}
        answer = _queue_run(store, run) if queue else score_now(store, run, kind, chosen_engine)
        answers.append(answer | inside)
    give(
        one_or_all(answers),
        as_json,
        lambda: [f"{a['run']}  {a['cells']:,} cells, {a['scored']:,} scored now" for a in answers],
    )


def given_or_usual(given: str, topic: Topic, option: Literal["templates", "evidence"]) -> str:
    """Return the name that was given, else the topic's default."""
    usual = topic.templates if option == "templates" else topic.evidence
    if not (given or usual):
        raise InputError(f"The topic {topic.name!r} has no default for --{option}: give one.")
    return given or usual


def score_now(store: Store, run: RunSpec, protocol: Protocol, engine: Engine) -> dict[str, Any]:
    """Score a run at once."""
    from pcf_core.work.blocks import scorers_of
    from pcf_core.work.scoring import behind_opening

    with scorers_of(engine, settings()) as open_scorer:
        return behind_opening(run, lambda run: score_with(store, run, protocol, open_scorer))


def score_with(store: Store, run: RunSpec, protocol: Protocol, open_scorer: OpenScorer) -> dict[str, Any]:
    """Score runs, with progress on stderr."""
    from pcf_core.work.scoring import score_asked

    _say_if_lists_differ(store, run)
    with progress_line() as show:

        def progress(at: Progress) -> None:
            show(f"{run.scoring.model}: {progress_note(at)}")

        done = score_asked(
            run,
            store,
            open_scorer,
            on_progress=progress,
            on_look=lambda look: say(f"\n{look_finding(look)}"),
            on_wait=lambda holder: show(WAITING.format(model=run.scoring.model, holder=holder)),
        )
    result = Results(store).reading(done.run, ViewOptions(protocol=protocol)).result
    for note in run_notes(done.run, result.words):
        say(note)
    return done.document


def _say_if_lists_differ(store: Store, run: RunSpec) -> None:
    """Say that the run has other counts or weights under its key, and how to read it with these."""
    if note := other_lists_note(run, store.as_stored(run), "score"):
        say(note)


def _queue_run(store: Store, run: RunSpec) -> dict[str, Any]:
    _say_if_lists_differ(store, run)
    job = submit_run(store, Queue.open(settings().catalogue), run)
    ensure_worker(settings())
    say(f"queued as job {job.id}; follow it on the page 'Run an audit', or run score again without --queue")
    return {"run": run.key, "cells": run.cells, "scored": 0, "job": job.id}


def worker(
    until_idle: Annotated[bool, typer.Option(help="end when the queue is empty")] = False,
    device: Annotated[str, typer.Option(help="instead of PCF_DEVICE: auto, cpu, cuda:1, split …")] = "",
    metrics: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="a port of 127.0.0.1 for figures in Prometheus format"),
    ] = None,
    health: Annotated[
        bool, typer.Option("--health", help="only check whether one is running here: exit 0 or 1")
    ] = False,
) -> None:
    """Take jobs from the queue and score them."""
    if health:
        alive = worker_here(settings())
        say("a worker is running on this computer" if alive else "no worker is running on this computer")
        raise typer.Exit(0 if alive else 1)
    from pcf_core.work.metrics import serving
    from pcf_core.work.supervisor import Supervisor

    if device:
        adopt({"PCF_DEVICE": device})
    supervisor = Supervisor(settings(), until_idle)
    with serving(supervisor.queue, settings(), supervisor.owner, lambda: supervisor.silence, metrics):
        code = supervisor.run()
    raise typer.Exit(code)
