"""Measure the effect of training seeds: ``seeds.json`` and a section of the card of a model.

    python -m tools.train_mini_models train mini-gpt-s --seed 1 --out .training/seeds
    python -m tools.train_mini_models train mini-gpt-s --seed 2 --out .training/seeds
    python -m tools.measure_seeds mini-gpt-s .training/seeds/mini-gpt-s-seed1 .training/seeds/mini-gpt-s-seed2

Every training is scored on the same runs under the default view options; only the shipped one's weights,
those of the first seed, are kept.  The recipes and files in ``training.json`` may differ only in the seed.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.run import ModelSpec
from pcf_core.core.sensitivity import SeededRisk, Seeds, SeedsMeasured
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.facts import SEEDS_FILE
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tools.mini_models.rows import Recipe

RUNS = (("gender", "gender-wikipedia-100"), ("gender", "gender-nineteen"))
CARD = "README.md"
CARD_SECTION = "## Other seeds\n\n"
CARD_END = "## What it may not be used for\n"


def training_of(spec: ModelSpec) -> dict[str, Any]:
    """Return what decided the weights of a mini model, by name, with ``seed`` and ``files``.

    Fields missing from an older ``training.json`` have the recipe's defaults; those of a last phase that was
    not trained are left out.  Raises typer.BadParameter if the file is missing or not from our training.
    """
    path = Path(spec.path) / "training.json"
    try:
        facts = json.loads(path.read_text(encoding="utf8"))
        recipe = asdict(Recipe(**facts["recipe"]))
        found = {name: list(value) if isinstance(value, tuple) else value for name, value in recipe.items()}
        found["files"] = list(facts["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise typer.BadParameter(
            f"{path} does not tell how this model was trained ({error!r}): give folders that "
            "tools.train_mini_models has written."
        ) from error
    last = [name for name in found if name.startswith("last_")] if not found["last_tokens"] else []
    return {name: value for name, value in found.items() if name not in last}


def seeds_of_one_recipe(specs: list[ModelSpec]) -> tuple[int, ...]:
    """Return the seed of each model.

    Raises typer.BadParameter for fewer than two models, another difference than the seed, or repeated seeds
    or weights.
    """
    if len(specs) < 2:
        raise typer.BadParameter("One training has no spread: give the folder of another one.")
    first, *others = trainings = [training_of(spec) for spec in specs]
    for spec, training in zip(specs[1:], others, strict=True):
        other = [
            name for name in first | training if name != "seed" and first.get(name) != training.get(name)
        ]
        if other:
            raise typer.BadParameter(
                f"{Path(spec.path).name} was trained with another {', another '.join(other)} than "
                f"{Path(specs[0].path).name}: give trainings that differ in the seed alone."
            )
    seeds = tuple(int(training["seed"]) for training in trainings)
    if len(set(seeds)) < len(seeds) or len({spec.identity for spec in specs}) < len(specs):
        raise typer.BadParameter(
            f"The trainings have the seeds {', '.join(map(str, seeds))}, and a seed or its weights come "
            "twice: give each training once."
        )
    return seeds


def measure(
    specs: list[ModelSpec], seeds: tuple[int, ...], topic_name: str, templates_name: str, store: Store
) -> SeedsMeasured:
    """Return the risks of every model on one run, scoring what the store lacks."""
    topic, templates = load_topic(topic_name), load_templates(templates_name)
    evidence = load_evidence(topic.evidence)
    risks = []
    for spec, seed in zip(specs, seeds, strict=True):
        run = build_run(spec, topic, evidence, templates)
        score_run(run, store, open_scorer)
        found = report(load_result(store, run), run, ViewOptions())
        risks.append(
            SeededRisk(
                seed=seed,
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


def card_with_seeds(card: str, found: Seeds) -> str:
    """Replace the section of the card on the risks of every seed, before its last section."""
    head, end, tail = card.partition(CARD_END)
    if not end:
        raise typer.BadParameter(
            f"The card of {found.model} has no section {CARD_END.strip()!r}: restore it."
        )
    parts = [
        head.partition(CARD_SECTION)[0],
        CARD_SECTION,
        f"The same training with the seeds {', '.join(map(str, found.seeds))}; the weights here are of seed "
        f"{found.seeds[0]}.\n",
    ]
    for measured in found.measured:
        risks = [risk.overall_risk for risk in measured.risks]
        spread = max(risks) - min(risks)
        parts.append(
            f"\nOn *{measured.topic}*, {measured.templates}, R spreads over {spread:.3f}:\n\n"
            "| seed | R | prejudice | caprice |\n|---|---|---|---|\n"
        )
        parts.extend(
            f"| {risk.seed} | {risk.overall_risk:.3f} | {risk.prejudice_risk:.3f} | "
            f"{risk.caprice_risk:.5f} |\n"
            for risk in measured.risks
        )
    return "".join([*parts, "\n", end, tail])


def main(
    model: Annotated[str, typer.Argument(help="the shipped model")],
    others: Annotated[list[Path], typer.Argument(help="folders of the trainings with other seeds")],
) -> None:
    """Score all of them and write the file, and what it says into the card, in the shipped model's folder."""
    specs = [resolve(model), *(resolve(str(folder)) for folder in others)]
    seeds = seeds_of_one_recipe(specs)
    with tempfile.TemporaryDirectory() as scratch:
        store = Store.open(Path(scratch), [settings().assets / "cache"])
        measured = tuple(measure(specs, seeds, *names, store) for names in RUNS)
    found = Seeds(model=specs[0].name, identity=specs[0].identity, seeds=seeds, measured=measured)
    folder = Path(specs[0].path)
    card = card_with_seeds((folder / CARD).read_text(encoding="utf8"), found)
    (folder / SEEDS_FILE).write_text(found.model_dump_json(indent=1) + "\n", encoding="utf8")
    (folder / CARD).write_text(card, encoding="utf8")


if __name__ == "__main__":
    typer.run(main)
