"""What a run will cost, said before it is queued: cells, time, memory, disk.

Also what a process that scores needs of a machine, and how many of them a cluster has the capacity for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
VOCABULARY = 50_000  # a usual size; one batch holds at most this many float32 logits a prompt
PROMPTS_A_BATCH = 256
RECENT_JOBS = 40
# Parameters times cells in a second on two cores of a server: the slowest of docs/measured.md but two reaches
# this for the words of gender.  A first guess, so that nobody starts hours of work for minutes.
FIRST_GUESS = 5e8


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of a run.

    ``missing`` cells; ``seconds`` is None where the size of the model is not known either; sizes in bytes.

    ``basis`` says in a sentence where the time comes from; ``guessed``: from no job of this machine.
    ``at_most``: a sampling plan may end earlier.
    """

    missing: int
    seconds: float | None
    memory_bytes: float
    disk_bytes: float
    basis: str
    at_most: bool = False
    guessed: bool = False


def estimate(run: RunSpec, store: Store, queue: Queue) -> Estimate:
    """Estimate a run from what the store lacks and from finished jobs on this machine.

    Time is the missing cells over the rate of the last finished job of the same model in the same precision;
    of another, the rate is scaled by the number of parameters, which is rough.  Before any job it is guessed
    from that number alone.  When a sampling plan will stop is not known before, so its estimate is that of
    all templates it may draw.

    Raises
    ------
    ModelError
        The model's files cannot be read.
    """
    missing = scores = 0
    for block in missing_blocks(store, everything(run)):
        missing += len(block.prompts)
        scores += len(block.prompts) * len(block.words)
    return _estimated(run, missing, scores, resolve(run.scoring.model).parameters, queue)


def estimate_declared(run: RunSpec, parameters: int, queue: Queue) -> Estimate:
    """Estimate a run of a model whose files are not here, by the number of parameters that is declared.

    Nobody is asked, no hub either: every cell counts as missing.
    """
    cells = everything(run).cells
    return _estimated(run, cells, cells * len(run.topic.words), parameters, queue)


def _estimated(run: RunSpec, missing: int, scores: int, parameters: int, queue: Queue) -> Estimate:
    """Say what so many missing cells, of so many words together, cost with a model of this size."""
    seconds, basis = expected_seconds(missing, run.scoring.label, parameters, recent_rates(queue, "score"))
    guessed = seconds is None and parameters > 0
    if guessed:
        seconds = missing * parameters / FIRST_GUESS
        basis = "A first guess from the model's size: nothing was scored here yet. It may be ten times off."
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


def everything(run: RunSpec) -> RunSpec:
    """Return the run with every template that its sampling plan may draw; one without a plan as it is."""
    if run.plan is None:
        return run
    times = tuple(int(template.count > 0) for template in run.templates.templates)
    return run.model_copy(update={"plan": run.plan.model_copy(update={"times": times})})


def recent_rates(queue: Queue, kind: str, size: Callable[[Job], float] = lambda job: 1) -> dict[str, float]:
    """Map each model, by its label, to what its last finished job did in a second, the newest job first.

    ``size``: of one of it, 0 where the job did something else.
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
    unit: str = "cells",
    done: str = "scored",
) -> tuple[float | None, str]:
    """Estimate the seconds for what is missing, counted in ``unit``, and say how they were estimated.

    ``rates``: as :func:`recent_rates` gives them.
    """
    if model in rates:
        return missing / rates[model], f"From the last run of this model here: {rates[model]:,.0f} {unit}/s."
    for other, rate in rates.items():
        try:
            size = resolve(split_label(other)[0]).parameters
        except ModelError:
            continue  # used once, and gone since
        if size and parameters:
            scaled = rate * size / parameters
            return missing / scaled, f"Rough: from {other}'s speed here, scaled by the number of parameters."
    return None, f"Nothing was {done} on this machine yet; the queue shows the speed once it runs."
