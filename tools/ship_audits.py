"""Write the results of the text audits that come with the app.

    python -m tools.ship_audits          # every text anew: hours
    python -m tools.ship_audits --keep   # keep the shipped texts, and write missing ones

They are the initial requests of the tabs FairPair (for ``WRITERS``) and Criteria (``ASKED``), stored in
``assets/audits``. A result is found by the hash of its request, which contains versions of the rules: when
these are raised, run this again.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.core.generation import BLOCK, Decoding, GenerationKey
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import settings
from pcf_core.models.registry import resolve, resolve_writer
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiment import Experiment, suited
from pcf_core.texts.criteria.experiments import REPEATS, fitted, load_experiment, usual_decoding
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.records import FairPairAsked, PerturbationTable, PromptSet
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.criteria import CRITERIA_AUDIT, scored_asked, written_asked
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked
from pcf_core.work.pairing import run_fairpair
from pcf_core.work.questioning import run_criteria
from tools.ship_results import replace_results

PROMPTS, TABLE, EACH = "common-sents-1", "gender", 3
WRITERS = ("mini-gpt", "mini-gpt-l", "SmolLM2-135M-Instruct-Q4_1", "Gemma-3-270M-Q4_K_M")
ASKED: tuple[tuple[str, ExperimentName], ...] = tuple(
    (model, name)
    for model in ("mini-gpt", "mini-bert", "SmolLM2-135M-Instruct-Q4_1")
    for name in ("anecdotes", "hobbies", "questions", "tasks")
)
FOLDERS = ("texts", "results")


def usual_fairpair(model: str) -> tuple[FairPairAsked, PromptSet, PerturbationTable]:
    """Return the initial request of the tab FairPair; raises AuditError for an unknown model."""
    table = load_table(TABLE)
    prompts = selected(load_prompts(PROMPTS, table.names[0]), most=EACH)
    key = GenerationKey.of(resolve_writer(model), Decoding())
    return fairpair_asked(key, prompts, table, FairPairOptions(count=BLOCK)), prompts, table


def usual_criteria(model: str, name: ExperimentName) -> tuple[CriteriaAsked, Experiment]:
    """Return the initial request of the tab Criteria; raises AuditError for an unknown model."""
    spec = resolve_writer(model)
    way = suited(spec, name)
    experiment = fitted(load_experiment(name), way.answering)
    if way.wording is None:
        return scored_asked(experiment, ScoringKey.of(resolve(model))), experiment
    key = GenerationKey.of(spec, usual_decoding(name))
    return written_asked(experiment, key, way.wording, REPEATS[name]), experiment


def main(
    keep: Annotated[bool, typer.Option("--keep", help="Carry over the texts that are shipped.")] = False,
) -> None:
    """Make every result and replace ``assets/audits``."""
    target = settings().assets / "audits"
    with tempfile.TemporaryDirectory() as folder:
        if keep:
            shutil.copytree(target / "texts", Path(folder) / "texts")
        store = Store.open(Path(folder))
        for model in WRITERS:
            asked, prompts, table = usual_fairpair(model)
            FAIRPAIR_AUDIT.keep(store, asked, FairPairMaterial(prompts, table))
            _, written = run_fairpair(asked, store)
            typer.echo(f"{model}, FairPair: {written:,} texts")
        for model, name in ASKED:
            one, experiment = usual_criteria(model, name)
            CRITERIA_AUDIT.keep(store, one, experiment)
            _, written = run_criteria(one, store)
            typer.echo(f"{model}, {name}: {written:,} texts or prompts")
        shutil.rmtree(Path(folder) / "scores", ignore_errors=True)
        replace_results(Path(folder), target, FOLDERS)


if __name__ == "__main__":
    typer.run(main)
