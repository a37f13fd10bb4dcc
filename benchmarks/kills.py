"""Kill workers with ``kill -9`` at random moments, and compare what is left of the run in the end.

A run of a shipped model is queued in an empty cache; workers take it up, and each is killed after a random
amount of processor time (independent of other load), until the run is done or the kills are used up; then the
next cache.  Only the queue decides whether a job continues after a death; jobs that it gave up are counted
and retried as by the button on the page.  In the end every cache is compared with an undisturbed one: shard
data byte by byte; manifests, runs and results except for times.  A block is *scored again* if it holds a
prompt that was in a finished shard when it began.

    python -m benchmarks.kills --kills 100
    python -m benchmarks.kills --kills 100 --workers 3 --apps 2 --model mini-gpt --model mini-gpt-s …
"""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from benchmarks.mortal import LOG, noted, start
from benchmarks.mortal_apps import mortal_apps
from pcf_core.audit.preferences import build_run
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Evidence
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run

SHARD_PROMPTS = 16
PATIENCE = 600.0  # seconds without a kill after which an unfinished run counts as lost


@dataclass
class Told:
    """What happened in a campaign.

    ``states`` counts what kills left behind, ``given_up`` the failed jobs by message; ``differences`` must be
    empty.
    """

    kills: int = 0
    caches: int = 0
    app_kills: int = 0
    pages: int = 0
    cells: int = 0
    begun: int = 0
    again: int = 0
    states: Counter[str] = field(default_factory=Counter)
    given_up: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def runs_of(models: Sequence[str], occupations: int) -> list[RunSpec]:
    """Return runs of gender on the papers' nineteen templates, one per model."""
    topic = load_topic("gender")
    terms = load_evidence(topic.evidence)
    few = Evidence(name=terms.name, title=terms.title, terms=terms.terms[:occupations])
    return [build_run(resolve(name), topic, few, load_templates("gender-nineteen")) for name in models]


def variables_of(cache: Path) -> dict[str, str]:
    """Return settings for workers and apps on a cache: no shipped results, no automatic worker."""
    return {
        "PCF_CACHE": str(cache),
        "PCF_SHARD_PROMPTS": str(SHARD_PROMPTS),
        "PCF_THREADS": "1",
        "PCF_DEVICE": "cpu",
        "PCF_SHIPPED_RESULTS": "0",
        "PCF_START_WORKER": "0",
    }


def submit(cache: Path, runs: Sequence[RunSpec]) -> list[int]:
    """Queue the runs; return the job numbers."""
    store = Store.open(cache)
    with closing(Queue.open(cache / "catalogue.sqlite")) as queue:
        return [submit_run(store, queue, run, run.cells).id for run in runs]


def undisturbed(cache: Path, runs: Sequence[RunSpec], made_up: float | None) -> None:
    submit(cache, runs)
    process = start(variables_of(cache), made_up)
    process.join()
    if process.exitcode != 0:
        raise RuntimeError(f"the undisturbed worker ended with {process.exitcode}")


def spent(process: BaseProcess) -> float:
    try:
        times = psutil.Process(process.pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def disturb(
    cache: Path,
    runs: Sequence[RunSpec],
    kills: int,
    longest: float,
    workers: int,
    made_up: float | None,
    draw: random.Random,
    told: Told,
) -> None:
    """Score the runs with workers that work for up to ``longest`` seconds, until ``kills`` were killed."""
    jobs = submit(cache, runs)
    alive: dict[int, tuple[BaseProcess, float]] = {}
    killed = 0
    quiet = time.monotonic()
    with closing(Queue.open(cache / "catalogue.sqlite")) as queue:
        while any(queue.get(job).state != "done" for job in jobs):
            if time.monotonic() - quiet > PATIENCE:
                told.differences.append(f"not done: {[queue.get(job).state for job in jobs]}")
                break
            for place in range(workers):
                process, end = alive.get(place, (None, 0.0))
                if process is None or not process.is_alive():
                    take_up_again(queue, jobs, told)
                    end = draw.uniform(0, longest) if killed < kills else float("inf")
                    alive[place] = start(variables_of(cache), made_up), end
                elif spent(process) >= end:
                    process.kill()
                    process.join()
                    killed += 1
                    quiet = time.monotonic()
                    told.states.update(left_by(cache))
            time.sleep(0.005)
        for process, _ in alive.values():
            process.join(60)
    told.kills += killed
    told.caches += 1
    blocks = noted(cache)
    told.begun += sum(block["prompts"] for block in blocks)
    told.again += sum(block["again"] for block in blocks)
    told.cells += sum(run.cells for run in runs)


def take_up_again(queue: Queue, jobs: Sequence[int], told: Told) -> None:
    """Retry and count the jobs that were given up because too many workers died."""
    for job in map(queue.get, jobs):
        if job.state == "failed":
            told.given_up[str(job.error)] += 1
            queue.retry(job.id)


def left_by(cache: Path) -> list[str]:
    """Return the state that a kill left for the next worker."""
    data = {path.stem for path in cache.glob("scores/*/*.parquet")}
    sealed = {path.stem for path in cache.glob("scores/*/*.json")}
    with closing(sqlite3.connect(f"file:{cache}/catalogue.sqlite?mode=ro", uri=True)) as index:
        indexed = {row[0] for row in index.execute("SELECT id FROM shard_words")}
        states = [row[0] for row in index.execute("SELECT state FROM jobs")]
    found = {
        "a draft": any(cache.rglob("*.tmp")),
        "data without a manifest": bool(data - sealed),
        "a shard that is not in the catalogue": bool(sealed - indexed),
        "a job that its worker held": "running" in states,
        "a job that nobody had taken": "queued" in states,
    }
    return [name for name, there in found.items() if there] or ["nothing"]


def differences(cache: Path, other: Path) -> list[str]:
    """List differing files of two caches, except for times, and leftover drafts."""
    found = [f"left over: {path.name}" for path in cache.rglob("*.tmp")]
    here, there = content_of(cache), content_of(other)
    found += [f"only in one: {name}" for name in sorted(here.keys() ^ there.keys())]
    return found + [
        f"differs: {name}" for name in sorted(here.keys() & there.keys()) if here[name] != there[name]
    ]


def content_of(cache: Path) -> dict[str, Any]:
    """Return every file of scores, runs and results: its bytes, or its JSON without times and checksum."""
    found: dict[str, Any] = {}
    for kind in ("scores", "runs", "results"):
        for path in (cache / kind).rglob("*"):
            if path.suffix == ".json":
                found[str(path.relative_to(cache))] = without_times(json.loads(path.read_bytes()))
            elif path.suffix == ".parquet":
                found[str(path.relative_to(cache))] = path.read_bytes()
    return found


def without_times(body: Mapping[str, Any]) -> dict[str, Any]:
    """Remove times and the noise floor (its number of cells depends on how long scoring took)."""
    provenance = {name: value for name, value in body.get("provenance", {}).items() if name != "timings"}
    if "self_audit" in provenance:
        audit = provenance["self_audit"].items()
        provenance["self_audit"] = {name: value for name, value in audit if not name.startswith("noise_")}
    kept = {name: value for name, value in body.items() if name not in ("created", "checksum")}
    return {**kept, "provenance": provenance}


def campaign(
    folder: Path,
    models: Sequence[str],
    kills: int = 100,
    workers: int = 1,
    apps: int = 0,
    occupations: int = 120,
    made_up: float | None = None,
    seed: int = 0,
    longest: float = 2.0,
) -> Told:
    """Kill until the kills are used up, and compare.

    ``longest``: most seconds of processor time of a worker.
    """
    runs = runs_of(models, occupations)
    undisturbed(folder / "undisturbed", runs, made_up)
    told, draw = Told(), random.Random(seed)
    while told.kills < kills:
        cache = folder / f"disturbed-{told.caches}"
        with mortal_apps(variables_of(cache), folder, apps, draw) as apps_told:
            disturb(cache, runs, kills - told.kills, longest, workers, made_up, draw, told)
        app_kills, pages, errors = apps_told()
        told.app_kills += app_kills
        told.pages += pages
        told.differences += [f"an app showed: {error}" for error in errors]
        told.differences += differences(cache, folder / "undisturbed")
    return told


def main(
    kills: Annotated[int, typer.Option(help="how many workers are killed")] = 100,
    model: Annotated[list[str], typer.Option(help="a shipped model; may be repeated")] = ["mini-gpt"],  # noqa: B006
    workers: Annotated[int, typer.Option(help="at once on the cache")] = 1,
    apps: Annotated[
        int, typer.Option(help="apps on the same cache, each with a session, killed as well")
    ] = 0,
    occupations: int = 120,
    made_up: Annotated[bool, typer.Option(help="made-up scores in the place of the model's")] = False,
    longest: Annotated[float, typer.Option(help="seconds of processor time of a worker at most")] = 2.0,
    seed: int = 0,
) -> None:
    """Print what was left; exit 1 where anything differs, was lost or scored again."""
    with tempfile.TemporaryDirectory() as folder:
        found = campaign(
            Path(folder), model, kills, workers, apps, occupations, 0.01 if made_up else None, seed, longest
        )
    typer.echo(
        f"{found.kills} workers killed in {found.caches} runs of {len(model)} × {occupations} × 19 cells "
        f"({', '.join(model)}); {found.app_kills} apps killed, {found.pages} pages visited"
    )
    typer.echo("states that the next worker found: " + ", ".join(f"{n} {s}" for s, n in found.states.items()))
    typer.echo(
        f"cells {found.cells:,}, begun {found.begun:,} ({LOG}), begun after their commit: {found.again}"
    )
    typer.echo(f"jobs given up and taken up again: {found.given_up.total()}")
    for sentence, number in found.given_up.items():
        typer.echo(f"  {number} × {sentence}")
    typer.echo(f"differences to the undisturbed cache: {len(found.differences)}")
    for difference in found.differences[:20]:
        typer.echo(f"  {difference}")
    raise typer.Exit(1 if found.differences or found.again else 0)


if __name__ == "__main__":
    typer.run(main)
