"""What finished runs are called where several of one model stand side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pcf_core.app.lists import template_sets
from pcf_core.core.errors import AuditError
from pcf_core.core.run import RunSpec


def told_apart(runs: Sequence[RunSpec], place: Callable[[RunSpec], str]) -> dict[str, RunSpec]:
    """Tell one model's runs apart by place, one of the same prompts.

    The label says what is not the present set.

    A run that scores every template goes before draws of a sampling plan from it, and of these the one with
    the most draws is taken and labelled with what it aimed at.  A set may have had other texts under its
    name: those that it has now stand under the name alone, others under the name and the first digits of
    their run's key.
    """
    best: dict[tuple[str, str], RunSpec] = {}
    for run in runs:  # the newest first
        asked = place(run), run.whole.key
        known = best.get(asked)
        if known is None or draws_of(run) > draws_of(known):
            best[asked] = run
    labelled: dict[str, RunSpec] = {}
    for (where, _), run in sorted(best.items(), key=lambda item: not is_present(item[1])):
        label = f"{where} · ± {run.plan.within:g}" if run.plan else where
        if not is_present(run) or label in labelled:
            label = f"{label} · {run.key[:6]}"
        labelled[label] = run
    return labelled


def draws_of(run: RunSpec) -> float:
    """Return how many draws a run rests on; infinite where it has scored every template."""
    return run.plan.draws if run.plan else math.inf


def is_present(run: RunSpec) -> bool:
    """Tell whether the template set of the run's name has the texts that were scored, or is gone."""
    try:
        known = template_sets().get(run.templates.name)
    except AuditError:  # a damaged file
        return False
    return known is None or known.hash == run.templates.hash
