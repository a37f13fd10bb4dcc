"""Write the results of the text audits that come with the app: what the pages FairPair (for ``WRITERS``) and
Criteria (``ASKED``) ask for at first.

    python -m tools.ship_audits

They lie in ``assets/audits``, texts and results alone, beside the scores of ``assets/cache``.  A result is
found by the hash of its request, which holds versions of the rules: once they are raised, this is run again.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import typer

from pcf_core.criteria.experiments import load_experiment, usual_decoding
from pcf_core.criteria.suiting import suited
from pcf_core.fairpair.prompts import load_prompts
from pcf_core.fairpair.selecting import selected
from pcf_core.fairpair.tables import load_table
from pcf_core.jobs.criteria import keep_asked as keep_criteria
from pcf_core.jobs.criteria import scored_asked, written_asked
from pcf_core.jobs.fairpair import fairpair_asked
from pcf_core.jobs.fairpair import keep_asked as keep_fairpair
from pcf_core.jobs.pairing import run_fairpair
from pcf_core.jobs.questioning import run_criteria
from pcf_core.models import resolve, resolve_writer
from pcf_core.records import ScoringKey
from pcf_core.records.criteria_run import CriteriaAsked, ExperimentName
from pcf_core.records.fairpair_prompts import PromptSet
from pcf_core.records.fairpair_run import FairPairAsked
from pcf_core.records.generation import BLOCK, Decoding, GenerationKey
from pcf_core.records.perturbation import PerturbationTable
from pcf_core.settings import settings
from pcf_core.store import Store
from tools.ship_results import replace_results

PROMPTS, TABLE, EACH = "common-sents-1", "gender", 3
WRITERS = ("mini-gpt", "mini-gpt-l")
ASKED: tuple[tuple[str, ExperimentName], ...] = (
    *(("mini-gpt", name) for name in ("anecdotes", "hobbies", "questions", "tasks")),
    *(("mini-bert", name) for name in ("anecdotes", "hobbies", "questions", "tasks")),
)
FOLDERS = ("texts", "results")


def usual_fairpair(model: str) -> tuple[FairPairAsked, PromptSet, PerturbationTable]:
    """What the page FairPair asks a model at first.

    Raises:
        AuditError: there is no such model.
    """
    table = load_table(TABLE)
    prompts = selected(load_prompts(PROMPTS, table.names[0]), most=EACH)
    key = GenerationKey.of(resolve_writer(model), Decoding())
    return fairpair_asked(key, prompts, table, count=BLOCK), prompts, table


def usual_criteria(model: str, name: ExperimentName) -> CriteriaAsked:
    """What the page Criteria asks a model at first.

    Raises:
        AuditError: there is no such model.
    """
    spec, experiment = resolve_writer(model), load_experiment(name)
    way = suited(spec, name)
    if way.wording is None:
        return scored_asked(experiment, ScoringKey.of(resolve(model)))
    return written_asked(experiment, GenerationKey.of(spec, usual_decoding(name)), way.wording, BLOCK)


def main() -> None:
    """Make every result and replace ``assets/audits``."""
    target = settings().assets / "audits"
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder))
        for model in WRITERS:
            asked, prompts, table = usual_fairpair(model)
            keep_fairpair(store, asked, prompts, table)
            _, written = run_fairpair(asked, store)
            typer.echo(f"{model}, FairPair: {written:,} texts")
        for model, name in ASKED:
            one = usual_criteria(model, name)
            keep_criteria(store, one, load_experiment(name))
            _, written = run_criteria(one, store)
            typer.echo(f"{model}, {name}: {written:,} texts or prompts")
        shutil.rmtree(Path(folder) / "scores", ignore_errors=True)
        replace_results(Path(folder), target, FOLDERS)


if __name__ == "__main__":
    typer.run(main)
