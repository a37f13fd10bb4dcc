"""Write the results that come with the app: score the shipped models on a topic's default run, and others.

    python -m tools.ship_results

The store's files are copied to ``assets/cache`` without its catalogue, which is rebuilt from them.
"""

from __future__ import annotations

import shutil
import tempfile
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.audit import build_run, load_result
from pcf_core.jobs.scoring import score_run
from pcf_core.models import resolve
from pcf_core.scoring.opening import open_scorer
from pcf_core.settings import settings
from pcf_core.store import Store
from pcf_core.topics import load_evidence, load_templates, load_topic

FOLDERS = ("scores", "runs", "results")


def main(
    model: Annotated[list[str], typer.Option(help="a shipped model; may be repeated")] = [  # noqa: B006
        "mini-bert",
        "mini-gpt",
    ],
    topic: Annotated[str, typer.Option(help="a shipped topic")] = "gender",
    templates: Annotated[list[str], typer.Option(help="sets beside the topic's own; may be repeated")] = [  # noqa: B006
        "gender-wikipedia-200",
    ],
) -> None:
    """Score from an empty store and replace ``assets/cache``."""
    chosen = load_topic(topic)
    evidence = load_evidence(chosen.evidence)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder), None)
        for name, contexts in product(model, dict.fromkeys([chosen.templates, *templates])):
            run = build_run(resolve(name), chosen, evidence, load_templates(contexts))
            scored = score_run(run, store, open_scorer)
            load_result(store, run)
            typer.echo(f"{name}, {contexts}: run {run.key}, {scored:,} cells scored")
        replace_results(Path(folder), settings().assets / "cache")


def replace_results(store: Path, target: Path) -> None:
    """Put a store's files in the place of ``target``, which is never there by half."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".cache-") as beside:
        draft = Path(beside) / "new"
        for part in FOLDERS:
            shutil.copytree(store / part, draft / part)
        if target.exists():
            target.rename(Path(beside) / "old")
        draft.rename(target)


if __name__ == "__main__":
    typer.run(main)
