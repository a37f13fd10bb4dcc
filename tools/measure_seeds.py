"""Measure what another seed of the training changes: ``seeds.json`` beside a shipped model.

    python -m tools.train_mini_models train mini-gpt-s --seed 1 --out .training/seeds
    python -m tools.train_mini_models train mini-gpt-s --seed 2 --out .training/seeds
    python -m tools.measure_seeds mini-gpt-s .training/seeds/mini-gpt-s-seed1 .training/seeds/mini-gpt-s-seed2

Every training is scored on the same runs under the default view options; only the shipped one's weights are
kept.  The first seed is the shipped model's.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.audit import ViewOptions, build_run, load_result, report
from pcf_core.jobs.scoring import score_run
from pcf_core.models import resolve
from pcf_core.models.seeds import FILE_NAME
from pcf_core.records import ModelSpec
from pcf_core.records.seeds import SeededRisk, Seeds, SeedsMeasured
from pcf_core.scoring.opening import open_scorer
from pcf_core.settings import settings
from pcf_core.store import Store
from pcf_core.topics import load_evidence, load_templates, load_topic

RUNS = (("gender", "gender-wikipedia-100"), ("gender", "gender-nineteen"))


def seed_of(spec: ModelSpec) -> int:
    """The seed that a mini model was trained with, from its ``training.json``."""
    return int(json.loads((Path(spec.path) / "training.json").read_text())["recipe"]["seed"])


def measure(specs: list[ModelSpec], topic_name: str, templates_name: str, store: Store) -> SeedsMeasured:
    """The risks of every model on one run, scored where the store lacks them."""
    topic, templates = load_topic(topic_name), load_templates(templates_name)
    evidence = load_evidence(topic.evidence)
    risks = []
    for spec in specs:
        run = build_run(spec, topic, evidence, templates)
        score_run(run, store, open_scorer)
        found = report(load_result(store, run), run, ViewOptions())
        risks.append(
            SeededRisk(
                seed=seed_of(spec),
                overall_risk=found.overall_risk,
                prejudice_risk=found.prejudice_risk,
                caprice_risk=found.caprice_risk,
            )
        )
        typer.echo(f"{spec.name}, {templates_name}: R {found.overall_risk:.4f}", err=True)
    return SeedsMeasured(
        topic=topic.name,
        topic_hash=topic.hash,
        templates=templates.name,
        templates_hash=templates.hash,
        evidence=evidence.name,
        evidence_hash=evidence.hash,
        risks=tuple(risks),
    )


def main(
    model: Annotated[str, typer.Argument(help="the shipped model")],
    others: Annotated[list[Path], typer.Argument(help="folders of the trainings with other seeds")],
) -> None:
    """Score all of them and write the file into the shipped model's folder."""
    specs = [resolve(model), *(resolve(str(folder)) for folder in others)]
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder), settings().assets / "cache")
        measured = tuple(measure(specs, *names, store) for names in RUNS)
    seeds = Seeds(model=specs[0].name, seeds=tuple(map(seed_of, specs)), measured=measured)
    (Path(specs[0].path) / FILE_NAME).write_text(seeds.model_dump_json(indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    typer.run(main)
