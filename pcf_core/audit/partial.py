"""Partial results of a run that is still being scored, without scoring or storing anything.

Occupations with every sentence scored, or sentences scored with every occupation, form a smaller run with a
key of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.options import ViewOptions, with_families
from pcf_core.audit.preferences import prompt_parts
from pcf_core.audit.results import Report, Results, recomputed_result
from pcf_core.audit.slots import missing, stored_prompt
from pcf_core.core.errors import AuditError
from pcf_core.core.risk import COUNTS_ONLY, Interval, RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.store.store import Store

FEWEST = 2  # complete occupations or sentences, below which nothing is read


@dataclass(frozen=True)
class CompletePart:
    """The complete part of an unfinished run: ``done`` of ``total``, ``over`` occupations or templates."""

    run: RunSpec
    over: Literal["occupations", "templates"]
    done: int
    total: int

    @property
    def noun(self) -> str:
        """What one of them is called."""
        return self.run.evidence.noun if self.over == "occupations" else "sentence"


def complete_part(store: Store, run: RunSpec) -> CompletePart | None:
    """Return the complete occupations of a run, or its complete templates if their share is larger.

    ``None`` for fewer than two, and for a sampling plan.
    """
    if run.plan is not None:
        return None
    lacking, listed, templates = _lacking(store, run), run.evidence, with_families(run).templates
    by_occupation = np.logical_not(np.any(lacking, axis=1))
    by_template = np.logical_not(np.any(lacking, axis=0))
    over: Literal["occupations", "templates"]
    if by_template.mean() > by_occupation.mean():
        over, complete = "templates", by_template
        chosen = tuple(templates.templates[column] for column in np.flatnonzero(complete).tolist())
        update: dict[str, Any] = {"templates": templates.model_copy(update={"templates": chosen})}
    else:
        over, complete = "occupations", by_occupation
        rows = np.flatnonzero(complete).tolist()
        some: dict[str, Any] = {"terms": tuple(listed.terms[row] for row in rows), "codes": ()}
        some |= {"weights": tuple(listed.weights[row] for row in rows)} if listed.weights else {}
        update = {"evidence": listed.model_copy(update=some)}
    done = int(complete.sum())
    return CompletePart(run.model_copy(update=update), over, done, len(complete)) if done >= FEWEST else None


def _lacking(store: Store, run: RunSpec) -> NDArray[np.bool_]:
    """Return [occupation, template] whether the store lacks a word of a cell."""
    lacking: list[bool] = []
    for part in prompt_parts(run):
        blocks = missing(store, run.scoring, part, run.topic.words)
        prompts = {prompt for block in blocks for prompt in block.prompts}
        lacking += [stored_prompt(prompt) in prompts for prompt in part]
    shape = len(run.evidence.terms), len(run.templates.templates), -1  # the last: people, if there are any
    return np.asarray(np.any(np.reshape(lacking, shape), axis=-1))


def partial_report(store: Store, part: CompletePart, options: ViewOptions) -> Report | None:
    """Report the complete part of a run, with intervals of R only; ``None`` if it cannot be read."""
    try:
        return Results(store, recomputed_result).report(part.run, options, brief=True)
    except AuditError:
        return None


def range_of_whole(part: CompletePart, report: RiskReport) -> Interval | None:
    """Return a range for the whole run's risk, unless too little or only counts are resampled."""
    interval = report.interval("overall_risk", part.over)
    if interval is None or interval.few or interval.unit in COUNTS_ONLY:
        return None
    return interval
