"""Score what was asked for: every template, or as many as a sampling plan draws.

    draw → score what is missing → look: narrow enough? → twice as many draws, or done: the self-audit

The run is kept with its draws at every look, so that whoever comes later goes on from there; it is complete
once its goal is met.  The first draws of a finer plan are those of a coarser one, and the store has them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from pcf_core.audit import furthest, look_at, plan_of, with_draws
from pcf_core.jobs.scoring import OpenScorer, run_turn, score_run
from pcf_core.records import Look, ModelSpec, RunSpec
from pcf_core.scoring.base import Scorer
from pcf_core.stats import looks
from pcf_core.store import Store


@dataclass(frozen=True)
class Finished:
    """A run that is scored: with the draws of its last ``look`` if it has a plan.  ``scored``: cells now."""

    run: RunSpec
    scored: int
    look: Look | None = None

    @property
    def document(self) -> dict[str, Any]:
        """What ``score`` answers, and the worker."""
        found: dict[str, Any] = {"run": self.run.key, "cells": self.run.cells, "scored": self.scored}
        return found if self.look is None else found | look_document(self.look)


def look_document(look: Look) -> dict[str, Any]:
    """A look under the name that answers and running jobs carry it by."""
    return {"sampling": look.model_dump(mode="json")}


def score_asked(
    run: RunSpec,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: Callable[[int, int, float], None] = lambda done, total, rate: None,
    should_stop: Callable[[], bool] = lambda: False,
    between_batches: Callable[[], None] = lambda: None,
    on_look: Callable[[Look], None] = lambda look: None,
    on_wait: Callable[[], None] = lambda: None,
) -> Finished:
    """Score a run to its end; see :func:`pcf_core.jobs.scoring.score_run` for what all runs share.

    With a plan, ``on_look`` is called at each look with what was found, and the run ends at the first one
    whose intervals are narrow enough, or that has drawn every template.

    Raises:
        Stopped: ``should_stop`` said so.
        AuditError: as ``score_run`` and ``load_result``.
    """
    if run.plan is None:
        cells = score_run(run, store, open_scorer, on_progress, should_stop, between_batches, on_wait=on_wait)
        return Finished(run, cells)
    within = run.plan.within
    scorer = _once(run, open_scorer)
    scored, look = 0, None

    def progress(done: int, total: int, rate: float) -> None:
        on_progress(scored + done, scored + total, rate)

    finished = any(info.complete for info in store.runs() if info.run.key == run.key)
    # All looks are one turn: who waited goes on where the other came to, not at the draws of its own look.
    turn = run_turn(f"{run.key}.looks", store, should_stop, between_batches, on_wait)
    with nullcontext() if finished else turn:
        for draws in looks(within).sizes:
            if draws < plan_of(furthest(store, run)).draws:
                continue  # an earlier look, here or of another process, which was not narrow enough
            run = with_draws(run, draws)
            scored += score_run(
                run, store, scorer, progress, should_stop, between_batches, more_to_come=True, on_wait=on_wait
            )
            look = look_at(store, run)
            on_look(look)
            if look.half_width <= within:
                break
        scored += score_run(run, store, scorer, progress, should_stop, between_batches, on_wait=on_wait)
    return Finished(run, scored, look)


def _once(run: RunSpec, open_scorer: OpenScorer) -> OpenScorer:
    """The model is loaded for the first look and kept for the others."""
    kept: list[Scorer] = []

    def reopen(spec: ModelSpec, protocol: str) -> Scorer:
        if spec.dtype != run.scoring.dtype:  # a second reader, for the noise floor
            return open_scorer(spec, protocol)
        if not kept:
            kept.append(open_scorer(spec, protocol))
        return kept[0]

    return reopen
