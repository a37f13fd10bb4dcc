"""A run that is still being scored, read as far as it is complete.

Complete are its occupations of which every sentence is scored, or its sentences that are scored with every
occupation.  These alone are a smaller run, with a key of its own, and are read like any other: no number of
theirs can pass for one of the whole run.  Nothing is scored for it, and nothing of it is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.options import ViewOptions
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
    """The complete part of an unfinished run: ``done`` of its ``total`` occupations, or templates.

    ``run``: these alone.  ``over``: which of the two they are, and so what a range has to be over to say
    where a figure of the whole run may lie.
    """

    run: RunSpec
    over: Literal["occupations", "templates"]
    done: int
    total: int

    @property
    def noun(self) -> str:
        """What one of them is called."""
        return self.run.evidence.noun if self.over == "occupations" else "sentence"


def complete_part(store: Store, run: RunSpec) -> CompletePart | None:
    """Return the complete occupations of a run, or its complete templates where their share is larger.

    ``None`` before two are complete, and for a run with a sampling plan, of which each look has an estimate.
    """
    if run.plan is not None:
        return None
    lacking, listed, templates = _lacking(store, run), run.evidence, run.templates
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
    return np.array(lacking).reshape(len(run.evidence.terms), len(run.templates.templates))


def partial_report(store: Store, part: CompletePart, options: ViewOptions) -> Report | None:
    """Report the complete part of a run under view options; ``None`` if it cannot be read under them.

    Of the intervals it has those of the risk alone.
    """
    try:
        return Results(store, recomputed_result).report(part.run, options, brief=True)
    except AuditError:
        return None


def range_of_whole(part: CompletePart, report: RiskReport) -> Interval | None:
    """Return where the risk of the whole run will probably lie; ``None`` where too few are complete to say.

    Intervals over counts alone say nothing of other sentences.
    """
    interval = report.interval("overall_risk", part.over)
    if interval is None or interval.few or interval.unit in COUNTS_ONLY:
        return None
    return interval
