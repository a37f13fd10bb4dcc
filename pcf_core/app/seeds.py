"""The spread of risks over the seeds of a training, beside the figures of the model that it is known for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.text import plain
from pcf_core.audit.options import ViewOptions
from pcf_core.core.sensitivity import SeedsMeasured, SeedSpread
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.comparison import seed_bound
from pcf_core.measure.sampling import LEVEL
from pcf_core.models.registry import resolve, seeds_of
from pcf_core.report.loaded import LoadedRun
from pcf_core.show.findings.reliability import seeds_note


@dataclass(frozen=True)
class SpreadBeside:
    """A model's spread of R, R^p and R^c by quantity.

    ``here``: whether it was measured on what is shown, read the same way.
    """

    spreads: Mapping[str, SeedSpread]
    here: bool


def spread_beside(model: str, loaded: Loaded) -> SpreadBeside | None:
    """Return a loaded model's spread over its seeds, on what is shown where it was measured there.

    Raises
    ------
    ModelError
        The model's file of seeds is damaged, or of other weights.
    """
    item = loaded.runs[model]
    seeds = None if item.run.scoring.imported else seeds_of(resolve(item.run.scoring.model))
    if seeds is None or not seeds.measured:
        return None
    usual = loaded.options.of_figures == ViewOptions().of_figures
    same = [measured for measured in seeds.measured if usual and is_of(measured, item)]
    chosen = (same or seeds.measured)[0]
    return SpreadBeside({quantity: spread_of(model, chosen, quantity) for quantity in RISKS}, bool(same))


def spread_of(model: str, measured: SeedsMeasured, quantity: str) -> SeedSpread:
    """Return the spread of one quantity over all seeds."""
    risks = tuple(float(getattr(risk, quantity)) for risk in measured.risks)
    return SeedSpread(
        model=model,
        quantity=quantity,
        topic=measured.topic,
        templates=measured.templates,
        evidence=measured.evidence,
        seeds=tuple(risk.seed for risk in measured.risks),
        risks=risks,
        bound=seed_bound(risks, LEVEL),
        level=LEVEL,
    )


def is_of(measured: SeedsMeasured, item: LoadedRun) -> bool:
    """Tell whether the seeds' risks, all in float32, were measured on a run's templates and words."""
    run = item.run
    theirs = (measured.topic_hash, measured.templates_hash, measured.evidence_hash)
    same = theirs == (run.topic.hash, run.templates.hash, run.evidence.hash)
    return same and run.plan is None and run.scoring.dtype == "float32"


def draw_seeds(loaded: Loaded) -> None:
    """Draw a note for each loaded model whose spread is known for what is shown."""
    for model in loaded.runs:
        found = spread_beside(model, loaded)
        if found and found.here:
            st.caption(plain(seeds_note(found.spreads)))
