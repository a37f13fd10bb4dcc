"""``mine``: templates from texts, with their counts."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from pcf_core.cli.console import EngineOption, JsonOption, QueueOption, give, one_of, progress_line, say
from pcf_core.cli.files import end_reading, with_files
from pcf_core.cli.templates import checked_out, write_set
from pcf_core.core.errors import InputError
from pcf_core.core.settings import Engine, settings
from pcf_core.material.safety.text import check_name
from pcf_core.material.safety.understood import Reading
from pcf_core.material.shelves import name_of
from pcf_core.material.topics import load_topic
from pcf_core.mining.parser.schemes import check_language
from pcf_core.mining.rules import LANGUAGES, rule_for
from pcf_core.work.launch import ensure_worker
from pcf_core.work.queue import Queue
from pcf_core.work.requests import MineRequest, submit_mining

if TYPE_CHECKING:
    from pcf_core.mining.miner import Progress


@with_files
def mine(
    corpus: Annotated[str, typer.Option("--corpus", help="a file, a folder, or hf:OWNER/NAME")],
    topic: Annotated[list[str], typer.Option("--topic", help="a shipped name or a file; may be repeated")],
    out: Annotated[Path | None, typer.Option("--out", help="the .csv or .parquet file to write")] = None,
    name: Annotated[str, typer.Option("--name", help="the name of the set; by default the file's")] = "",
    pipeline: Annotated[
        str, typer.Option("--pipeline", help="the parser: en-mini, a spaCy package or a folder")
    ] = "",
    sample: Annotated[
        int | None, typer.Option("--sample", help="how many documents to draw at random; by default all")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="the seed of --sample")] = 0,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", min=0, max=256, help="the number of processes; 0: PCF_MINE_WORKERS, or one per core"
        ),
    ] = 0,
    cut: Annotated[float, typer.Option("--cut", help="the lowest count to keep, 1 or more")] = 1,
    construction: Annotated[
        list[str] | None,
        typer.Option("--construction", help="a construction to look for (docs/mining.md); may be repeated"),
    ] = None,
    engine: EngineOption = "",
    queue: QueueOption = False,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> None:
    """Extract templates from texts, with their counts; the same command continues an interrupted one."""
    if not 1 <= cut < math.inf:
        raise InputError(f"--cut must be a number of at least 1; {cut:g} was given.")
    if queue and (out or engine or workers):
        raise InputError(
            "With --queue a worker does the work and saves the set under your sets: give --name, and leave "
            "out --out, --engine and --workers."
        )
    if not (queue or reading.dry_run):
        out = checked_out(out)
    topics = tuple(load_topic(given) for given in topic)
    end_reading(reading, as_json=as_json)
    rule = rule_for(topics, construction or ())  # refuses topics and constructions before hours of work
    request = MineRequest(
        corpus=corpus_path(corpus),
        topics=topics,
        name=check_name(
            name or name_of(out or Path(f"{_corpus_stem(corpus)}-{topics[0].name}")),
            "--name",
            "The set",
            InputError,
        ),
        pipeline=pipeline_path(pipeline or settings().pipeline),
        sample=sample,
        seed=seed,
        cut=cut,
        constructions=rule.constructions if construction else (),
    )
    check_language(request.pipeline, rule.language)
    constructions = LANGUAGES[rule.language].constructions
    for one in (constructions[chosen] for chosen in request.constructions):
        if not one.on:
            say(f"The construction {one.name} is {one.standing}.")
    if out is None:
        answer = _queue_mining(request)
        give(answer, as_json, lambda: [f"{answer['name']}  job {answer['job']}"])
        return
    chosen_engine: Engine = one_of(engine or settings().engine, "--engine", get_args(Engine))
    answer = {"out": str(out), **_mine_now(request, chosen_engine, workers, out)}
    give(
        answer,
        as_json,
        lambda: [
            f"{answer['out']}  {answer['templates']:,} templates, counted {answer['count']:,.0f} times in "
            f"{answer['documents']:,} documents"
        ],
    )


def corpus_path(corpus: str) -> str:
    """Return the corpus as a worker in another folder finds it: an existing path is made absolute."""
    try:
        path = Path(corpus)
        return str(path.absolute()) if corpus.strip() and path.exists() else corpus  # "" is no folder
    except OSError:  # too long for a path
        return corpus


def pipeline_path(pipeline: str) -> str:
    """Return the parser likewise, where it is a path and no name."""
    return corpus_path(pipeline) if os.sep in pipeline else pipeline


def _corpus_stem(corpus: str) -> str:
    """Name the set that is mined from a corpus: ``a/b.jsonl.gz`` gives b."""
    return Path(corpus).name.partition(".")[0]


def _queue_mining(request: MineRequest) -> dict[str, Any]:
    job = submit_mining(Queue.open(settings().catalogue), request)
    ensure_worker(settings())
    say(f"queued as job {job.id}; the set {request.name} will appear on the page Templates")
    return {"name": request.name, "job": job.id}


def _mine_now(request: MineRequest, engine: Engine, workers: int, out: Path) -> dict[str, Any]:
    from pcf_core.work.mining import counters_of, document_of, mine_asked

    def text(so_far: Progress, rate: float) -> str:
        part = f"{so_far.read / so_far.size:.1%}, " if so_far.size else ""
        left = f", {(so_far.size - so_far.read) / rate:,.0f} s left" if so_far.size and rate else ""
        return f"{request.name}: {part}{so_far.words:,} words, {so_far.matches:,} matches{left}"

    with (
        counters_of(
            engine, settings(), request.topics, request.pipeline, workers, request.constructions
        ) as counters,
        progress_line() as show,
    ):
        mined = mine_asked(
            request, settings(), counters, lambda so_far, rate: show(text(so_far, rate)), say=say
        )
    write_set(mined.templates, out)
    return document_of(mined)
