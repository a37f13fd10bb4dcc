"""Measure the time from pressing a button to figures, with a worker and a queue as the app uses them.

A run is 20 occupations × 20 templates, on a custom topic of ten words or on *gender*.  *Cells* is when the
job first reports scored cells, speed and remaining time, as the page *Run an audit* shows them; *results* is
when the pages can open the results; *checked* is when some cells were scored again alone.  *Worker* is the
state at the press: none; one with another model open; one with this model open; *again*, one with another
model open after an earlier worker had opened this one.  The page starts a worker when it opens, before the
form is filled in.

A probe scores one sentence of *gender* with every local public model, like *Try a sentence*; the first waits
until both models are open, the median of the others is printed.

The queue is polled every 10 ms.  A page polls a run every second (up to 1 s more), a probe as often as here
for the first second and then twice a second, plus its script time.  Seconds are wall time, with the worker's
processor time in brackets, which is independent of other load.

    python -m benchmarks.press --threads 1
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated
from unittest.mock import patch

import psutil
import typer

from benchmarks.zoo import SET
from pcf_core.audit.preferences import build_run
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import ROOT, settings
from pcf_core.core.topics import Group, Topic
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.conversion import converted
from pcf_core.models.public import absent_among, gguf_files, public_models
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.launch import COMMAND
from pcf_core.work.queue import Job, Queue
from pcf_core.work.requests import make_probe, submit_question, submit_run

SHIPPED, PUBLIC = "mini-gpt", "SmolLM2-135M-Instruct-Q4_1"
OWN = Topic(
    name="own",
    title="Who is quoted",
    groups=(
        Group(name="family", words=("mother", "father", "parents", "children", "family")),
        Group(name="work", words=("boss", "manager", "colleagues", "team", "company")),
    ),
)
SIZE = 20  # occupations, and templates
SENTENCES = tuple(
    f"The {person} said that [Y]" for person in ("nurse", "pilot", "judge", "cook", "mayor", "clerk")
)
LOOK = 0.01
PATIENCE = 600.0  # seconds
ACTIVE = ("queued", "running")


@dataclass(frozen=True)
class Seconds:
    """Wall time and the worker's processor time since the press."""

    wall: float
    processor: float

    def __str__(self) -> str:
        return f"{self.wall:.1f} ({self.processor:.1f})"


@contextmanager
def worker() -> Iterator[psutil.Process]:
    """Run a worker with the present settings until the block ends."""
    environment = {**os.environ, **settings().environment}
    with subprocess.Popen(COMMAND, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


def processor_seconds(process: psutil.Process) -> float:
    """Return the processor time of a process and its running children."""
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            total += times.user + times.system
    return total


def own_run(model: str, part: int, size: int = SIZE, topic: Topic = OWN) -> RunSpec:
    """Return a run of some of the occupations, so that the same model gets other cells."""
    evidence, templates = load_evidence(load_topic("gender").evidence), load_templates(SET)
    return build_run(
        resolve(model),
        topic,
        evidence.model_copy(update={"terms": evidence.terms[part * size : (part + 1) * size], "weights": ()}),
        templates.model_copy(update={"templates": templates.templates[:size]}),
    )


def has_cells(job: Job) -> bool:
    """Whether a job reports scored cells and speed."""
    return job.state == "done" or (job.at is not None and (job.at.stage != "loading" and job.at.rate > 0))


def has_results(job: Job) -> bool:
    return job.state == "done" or (job.at is not None and job.at.stage == "checking")


def is_done(job: Job) -> bool:
    return job.state == "done"


MOMENTS: tuple[Callable[[Job], bool], ...] = (has_cells, has_results, is_done)


def follow(
    queue: Queue, jobs: Sequence[Job], process: psutil.Process, begun: float, spent: float
) -> list[Seconds]:
    """Wait until all jobs are done; return when all had cells, had results and ended.

    ``begun``: when the button was pressed (``time.perf_counter``); ``spent``: the worker's processor seconds
    then. Raises ``RuntimeError`` if a job fails or takes over ten minutes.
    """
    found: list[Seconds] = []
    while len(found) < len(MOMENTS):
        current = [queue.get(job.id) for job in jobs]
        now = time.perf_counter() - begun
        for job in current:
            if job.state not in (*ACTIVE, "done") or now > PATIENCE:
                raise RuntimeError(
                    f"The job {job.kind} {job.key} is {job.state} after {now:.0f} s: {job.error}"
                )
        while len(found) < len(MOMENTS) and all(map(MOMENTS[len(found)], current)):
            found.append(Seconds(now, processor_seconds(process) - spent))
        time.sleep(LOOK)
    return found


def press(run: RunSpec, process: psutil.Process, begun: float | None = None) -> list[Seconds]:
    """Submit a run as the page does and follow it; ``begun``: before the worker was started."""
    store, queue = Store.open(settings().cache), Queue.open(settings().catalogue)
    spent = 0.0 if begun is not None else processor_seconds(process)
    begun = time.perf_counter() if begun is None else begun
    return follow(queue, [submit_run(store, queue, run)], process, begun, spent)


def probe(models: Sequence[str], sentence: str, process: psutil.Process) -> Seconds:
    """Submit a sentence to models as the page does; return when all have answered."""
    queue, topic = Queue.open(settings().catalogue), load_topic("gender")
    spent, begun = processor_seconds(process), time.perf_counter()
    asked = [make_probe(resolve(model), topic, sentence, "exact") for model in models]
    jobs = [submit_question(queue, request) for request in asked]
    return follow(queue, jobs, process, begun, spent)[-1]


def measure(shipped: str, public: str, probed: Sequence[str], size: int = SIZE) -> None:
    """Print the tables for an empty cache; ``size``: occupations and templates of a run."""
    for model in {public, *probed}:  # once for each cache, not for each press
        spec = resolve(model)
        if files := gguf_files(spec):
            converted(spec, files)
    typer.echo(f"{'run of':<30}{'words':>6}  {'worker':<8}{'cells':>14}{'results':>14}{'checked':>14}")

    def row(model: str, state: str, moments: Sequence[Seconds], topic: Topic = OWN) -> None:
        cells, results, checked = map(str, moments)
        typer.echo(f"{model:<30}{len(topic.words):>6}  {state:<8}{cells:>14}{results:>14}{checked:>14}")

    gender, begun = load_topic("gender"), time.perf_counter()
    with worker() as process:
        row(shipped, "none", press(own_run(shipped, 0, size), process, begun))
        row(public, "other", press(own_run(public, 0, size), process))
        row(public, "open", press(own_run(public, 1, size), process))
        row(public, "open", press(own_run(public, 0, size, gender), process), gender)
        row(shipped, "open", press(own_run(shipped, 1, size), process))
        first, *others = (probe(probed, sentence, process) for sentence in SENTENCES)
    with worker() as process:
        probe([public], SENTENCES[0], process)
        row(shipped, "other", press(own_run(shipped, 2, size), process))
    with worker() as process:
        probe([shipped], SENTENCES[0], process)
        row(public, "again", press(own_run(public, 2, size), process))
    typer.echo(f"\nA sentence put to {' and '.join(probed)}: {first} s, then {median_of(others)} s")


def median_of(several: Sequence[Seconds]) -> Seconds:
    return Seconds(median(one.wall for one in several), median(one.processor for one in several))


def main(
    threads: Annotated[int, typer.Option(help="CPU threads of the worker, 0 for all cores")] = 0,
) -> None:
    """Print both tables."""
    absent = absent_among([model.name for model in public_models()])
    for name in absent:
        typer.echo(f"{name} is not here and is not asked: python -m pcf_core models get {name}")
    if PUBLIC in absent:
        raise typer.Exit(1)
    probed = [model.name for model in public_models() if model.name not in absent]
    with tempfile.TemporaryDirectory() as folder:
        chosen = {"PCF_CACHE": str(Path(folder) / "cache"), "PCF_THREADS": str(threads)}
        chosen |= {"PCF_SHIPPED_RESULTS": "0"}  # shipped cells of gender would count
        with patch.dict(os.environ, chosen):
            settings.cache_clear()
            try:
                measure(SHIPPED, PUBLIC, probed)
            finally:
                settings.cache_clear()


if __name__ == "__main__":
    typer.run(main)
