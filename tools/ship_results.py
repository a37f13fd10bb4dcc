"""Write the results that come with the app: the shipped models on the runs of ``RUNS``.

    python -m tools.ship_results            # about an hour on two cores
    python -m tools.ship_results --keep     # what is shipped already is not scored again

The store's files are copied to ``assets/cache`` without its catalogue, which is rebuilt from them.
"""

from __future__ import annotations

import shutil
import tempfile
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
MODELS = ("mini-bert", "mini-gpt")
RUNS = (
    ("gender", "gender-nineteen"),
    ("race", "race-relative"),
    ("religion", "race-relative"),
    ("disability", "race-relative"),
    ("gender", "gender-nineteen-stop"),
    ("gender", "gender-speeches"),
    ("gender", "gender-fiction-50"),
    ("gender", "gender-simplewiki-50"),
    ("gender", "gender-wikipedia-200"),
)


def main(
    keep: Annotated[bool, typer.Option(help="begin with the results that are shipped already")] = False,
) -> None:
    """Score what is missing and replace ``assets/cache``."""
    shipped = settings().assets / "cache"
    with tempfile.TemporaryDirectory() as folder:
        if keep:
            shutil.copytree(shipped, folder, dirs_exist_ok=True)
        store = Store.open(Path(folder), None)
        for name in MODELS:
            for topic, templates in RUNS:
                chosen = load_topic(topic)
                run = build_run(
                    resolve(name), chosen, load_evidence(chosen.evidence), load_templates(templates)
                )
                scored = score_run(run, store, open_scorer)
                load_result(store, run)
                typer.echo(f"{name}, {topic}, {templates}: run {run.key}, {scored:,} cells scored")
        replace_results(Path(folder), shipped)


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
