"""How much risks differ between trainings of one model with other seeds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Report
from pcf_core.core.errors import ModelError
from pcf_core.core.sensitivity import SeedsMeasured, SeedSpread
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.comparison import seed_bound
from pcf_core.measure.sampling import LEVEL
from pcf_core.models.facts import seeds_of
from pcf_core.models.registry import resolve
from pcf_core.report.loaded import Study
from pcf_core.show.findings.reliability import seeds_note


@dataclass(frozen=True)
class SpreadBeside:
    """A model's spread of R, R^p and R^c; ``here``: measured on what is shown, read the same way."""

    spreads: Mapping[str, SeedSpread]
    here: bool


def spread_beside(model: str, study: Study) -> SpreadBeside | None:
    """Return a model's spread over training seeds, measured on what is shown if possible."""
    item = study.runs[model]
    seeds = None if item.run.scoring.imported else seeds_of(resolve(item.run.scoring.model))
    if seeds is None or not seeds.measured:
        return None
    usual = study.options.of_figures == ViewOptions().of_figures
    same = [measured for measured in seeds.measured if usual and _is_of(measured, item)]
    chosen = (same or seeds.measured)[0]
    return SpreadBeside({quantity: _spread_of(model, chosen, quantity) for quantity in RISKS}, bool(same))


def _spread_of(model: str, measured: SeedsMeasured, quantity: str) -> SeedSpread:
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


def _is_of(measured: SeedsMeasured, item: Report) -> bool:
    run = item.run
    theirs = (measured.topic_hash, measured.templates_hash, measured.evidence_hash)
    same = theirs == (run.topic.hash, run.templates.hash, run.evidence.hash)
    return same and run.plan is None and run.scoring.dtype == "float32"


def seeds_notes(study: Study) -> list[str]:
    """State each model's spread over seeds if measured on what is shown, or that its file is damaged."""
    notes = []
    for model, item in study.runs.items():
        with suppress(ModelError):  # the model is gone
            resolve(item.run.scoring.model)
            try:
                spread = spread_beside(model, study)
            except ModelError as error:
                notes.append(str(error))
                continue
            if spread and spread.here:
                notes.append(seeds_note(spread.spreads))
    return notes
