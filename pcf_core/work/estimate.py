"""Estimate what a run will cost before it is queued: cells, time, memory, disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pcf_core.audit.preferences import missing_blocks
from pcf_core.core.errors import ModelError
from pcf_core.core.run import RunSpec, split_label
from pcf_core.core.settings import settings
from pcf_core.models.names import BYTES_A_WEIGHT
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.queue import Job, Queue

BYTES_A_SCORE = 4
VOCABULARY = 50_000  # a usual size: float32 logits per prompt of a batch
PROMPTS_A_BATCH = 256
RECENT_JOBS = 40
# Parameters × cells per second on two cores of a server, a low guess so that nobody starts hours of work
# expecting minutes.
FIRST_GUESS = 5e8


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of a run.

    ``seconds``: ``None`` if the model's size is unknown.  ``basis``: a sentence on the estimate of time;
    ``guessed``: without any job of this machine.  ``at_most``: a sampling plan may end earlier; ``at_least``:
    from a server's rate limit.  ``texts``: of a sampled run, their number, tokens and price.
    """

    missing: int
    seconds: float | None
    memory_bytes: float
    disk_bytes: float
    basis: str
    at_most: bool = False
    guessed: bool = False
    at_least: bool = False
    texts: str = ""


def estimate(run: RunSpec, store: Store, queue: Queue) -> Estimate:
    """Estimate a run from its missing cells and from finished jobs on this machine.

    The rate is that of the last finished job of the same model and precision, or of another model, scaled by
    parameters, which is rough; before any job it is guessed from parameters alone.  A sampling plan counts
    with every template that it may draw.  Raises ModelError if the model's files cannot be read.
    """
    missing = scores = 0
    for block in missing_blocks(store, everything(run)):
        missing += len(block.prompts)
        scores += len(block.prompts) * len(block.words)
    return _estimated(run, missing, scores, resolve(run.scoring.model).parameters, queue)


def estimate_declared(run: RunSpec, parameters: int, queue: Queue) -> Estimate:
    """Estimate a run of a model that is not installed, with every cell missing; no hub is contacted."""
    cells = everything(run).cells
    return _estimated(run, cells, cells * len(run.topic.words), parameters, queue)


def _estimated(run: RunSpec, missing: int, scores: int, parameters: int, queue: Queue) -> Estimate:
    seconds, basis = expected_seconds(missing, run.scoring.label, parameters, recent_rates(queue, "score"))
    guessed = seconds is None and parameters > 0
    if guessed:
        seconds = missing * parameters / FIRST_GUESS
        basis = (
            "A first guess from the model's size, because nothing has been run here yet. It may be ten times "
            "too high or too low."
        )
    return Estimate(
        missing=missing,
        seconds=seconds,
        memory_bytes=parameters * BYTES_A_WEIGHT.get(run.scoring.dtype, 0)
        + BYTES_A_SCORE * VOCABULARY * min(PROMPTS_A_BATCH, settings().most_prompts, max(missing, 1)),
        disk_bytes=float(scores * BYTES_A_SCORE),
        basis=basis,
        at_most=run.plan is not None,
        guessed=guessed,
    )


def in_all(estimates: Iterable[Estimate]) -> Estimate:
    """Return the costs of several runs, one after another."""
    left = [estimate for estimate in estimates if estimate.missing]
    seconds = [estimate.seconds for estimate in left if estimate.seconds is not None]
    unknown = [estimate.basis for estimate in left if estimate.seconds is None]
    alone = [estimate.basis for estimate in left] if len(left) == 1 else []
    return Estimate(
        missing=sum(estimate.missing for estimate in left),
        seconds=None if unknown else sum(seconds),
        memory_bytes=max((estimate.memory_bytes for estimate in left), default=0),
        disk_bytes=sum(estimate.disk_bytes for estimate in left),
        basis=(unknown or alone or ["The sum over the results, which are made one after another."])[0],
        at_most=any(estimate.at_most for estimate in left),
        at_least=any(estimate.at_least for estimate in left),
        texts="; ".join(estimate.texts for estimate in left if estimate.texts),
        guessed=any(estimate.guessed for estimate in left),
    )


def everything(run: RunSpec) -> RunSpec:
    """Return a run with every template that its sampling plan may draw."""
    if run.plan is None:
        return run
    times = tuple(int(template.count > 0) for template in run.templates.templates)
    return run.model_copy(update={"plan": run.plan.model_copy(update={"times": times})})


def recent_rates(queue: Queue, kind: str, size: Callable[[Job], float] = lambda job: 1) -> dict[str, float]:
    """Return the rate per second of the last finished job of each model label, newest first.

    ``size``: of one unit of a job, 0 for a job that does not count.
    """
    rates: dict[str, float] = {}
    for job in queue.list(RECENT_JOBS, kind=kind):
        if job.rate and job.done and size(job):
            rates.setdefault(job.payload["model"], job.rate * size(job))
    return rates


def expected_seconds(
    missing: int,
    model: str,
    parameters: int,
    rates: Mapping[str, float],
    unit: str = "test sentences",
    done: str = "run",
) -> tuple[float | None, str]:
    """Return the seconds for ``missing`` units at :func:`recent_rates`, and a sentence on the estimate."""
    if model in rates:
        basis = f"From the last run of this model here: {rates[model]:,.0f} {unit} a second."
        return missing / rates[model], basis
    for other, rate in rates.items():
        try:
            size = resolve(split_label(other)[0]).parameters
        except ModelError:
            continue  # no longer installed
        if size and parameters:
            scaled = rate * size / parameters
            basis = f"Rough estimate, from the speed of {other} here and the numbers of parameters."
            return missing / scaled, basis
    return None, f"Nothing was {done} on this machine yet. The queue shows the speed once it runs."
