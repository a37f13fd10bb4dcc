"""Sampled runs: their requests for texts, what these cost, and how they are carried out.

The texts are those of :mod:`pcf_core.work.text_audits`: stored one by one, so that an interrupted run
continues with the missing ones, and more samples add to fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pcf_core.audit.answers import writing_key
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Results
from pcf_core.core.run import Progress, RunSpec
from pcf_core.models.generation.base import open_generator
from pcf_core.models.scoring.base import opening_of
from pcf_core.store.store import Store
from pcf_core.work.estimate import Estimate
from pcf_core.work.jobs import OpenGenerator, Pause, no_pause
from pcf_core.work.queue import Queue
from pcf_core.work.text_audits import TextsAsked, estimate_writing, generate_missing

STEP = 5  # samples before the interval is looked at
OnProgress = Callable[[Progress], None]


def samples_of(run: RunSpec) -> int:
    """Return the number of samples of each sentence, 0 for a run of scores."""
    return run.scoring.sampled.texts if run.scoring.sampled else 0


def texts_of(run: RunSpec) -> TextsAsked:
    """Return the request for the texts of a sampled run."""
    prompts = tuple(dict.fromkeys(map(opening_of, run.prompts)))
    return TextsAsked(key=writing_key(run), prompts=prompts, count=samples_of(run))


def missing_sentences(store: Store, run: RunSpec) -> int:
    """Count the test sentences that lack answers."""
    request = texts_of(run)
    parts = store.missing_texts(request.key, request.prompts, request.count)
    return len({part.prompt for part in parts})


def sampled_estimate(run: RunSpec, store: Store, queue: Queue) -> Estimate:
    """Estimate a sampled run, with the requests, tokens and price before it starts."""
    cost, missing = estimate_writing([texts_of(run)], store, queue), missing_sentences(store, run)
    parts = [f"{cost.missing:,} texts", f"{cost.prompt_tokens:,} tokens read"]
    parts.append(f"at most {cost.tokens:,} written")
    if cost.cost is not None:
        parts.append(f"at most {cost.cost:,.2f} at the prices that are set")
    return Estimate(missing, cost.seconds, 0, 0, cost.basis, at_least=cost.limited, texts=", ".join(parts))


def sample_run(
    run: RunSpec,
    store: Store,
    on_progress: OnProgress = lambda at: None,
    pause: Pause = no_pause,
    open_writer: OpenGenerator = open_generator,
    within: float | None = None,
) -> RunSpec:
    """Write the missing texts of a run and store it; with ``within``, as many as R needs to be within ±.

    Returns the run with the samples that it has.
    """
    drawn = run.scoring.sampled is not None and not run.scoring.sampled.listed
    within = within if drawn else None  # probabilities are as precise as they can be
    for one in [run] if within is None else [with_samples(run, each) for each in steps(samples_of(run))]:
        looked = store.as_stored(one)
        _write(looked, store, on_progress, pause, open_writer)
        if within is not None:
            interval = Results(store).report(looked, ViewOptions()).report.interval("overall_risk")
            if interval is not None and interval.high - interval.low <= 2 * within:
                break
    if not store.is_finished(looked):
        store.save_run(looked, {"texts": writing_key(looked).hash})
    return looked


def _write(
    run: RunSpec, store: Store, on_progress: OnProgress, pause: Pause, open_writer: OpenGenerator
) -> None:
    count, total = samples_of(run), missing_sentences(store, run)

    def report(done: int, of: int, rate: float) -> None:
        left = (of - done) / rate if rate else None
        on_progress(
            Progress(
                stage="scoring", done=done * total // of, total=total, rate=rate / count, seconds_left=left
            )
        )

    generate_missing(texts_of(run), store, open_writer, report, pause)


def with_samples(run: RunSpec, count: int) -> RunSpec:
    """Return a sampled run with another number of samples."""
    sampled = run.scoring.sampled and run.scoring.sampled.model_copy(update={"count": count})
    return run.model_copy(update={"scoring": run.scoring.model_copy(update={"sampled": sampled})})


def steps(most: int) -> Sequence[int]:
    """Return the numbers of samples after which the interval is looked at."""
    return (*range(STEP, most, STEP), most)
