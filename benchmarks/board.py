"""Measure the public board with the results of 200 models on 12 topics, all imported from packs.

Scores are drawn at random, a level for each model, topic and word, and pass through the store, packs, their
import and ``board`` as real ones do; lists of occupations are cut to twelve.  Processor time and memory are
those of the real app, read-only, which a visitor without a browser opens: the board first, drawn again, and
the Overview to which a row leads.  Limits: 300 ms drawn again, 500 MB.

    python -m benchmarks.board --folder FOLDER
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Annotated
from urllib.parse import urlencode

import numpy as np
import psutil
import typer

from benchmarks.pages import processor_seconds, write_scores
from benchmarks.visitors import Visitor, app_process
from pcf_core.app.lists import parameters_of
from pcf_core.cli.board import board
from pcf_core.core.settings import settings
from pcf_core.report.board import board_rows
from pcf_core.store.store import Store

OCCUPATIONS = 12
TOPICS = 12
AGAIN = 20
LONGEST, LARGEST = 0.3, 500.0  # seconds drawn again, and megabytes


def fill(packs: Path, models: int) -> None:
    """Write a pack for each model and import it into the cache, unless that is done."""
    from pcf_core.audit.preferences import build_run
    from pcf_core.core.records import digest
    from pcf_core.core.topics import Evidence
    from pcf_core.material.evidence import load_evidence
    from pcf_core.material.suiting import template_cards, usual_set
    from pcf_core.material.templates import load_templates
    from pcf_core.material.topics import list_topics
    from pcf_core.models.registry import resolve
    from pcf_core.report.importing import import_pack
    from pcf_core.report.packs import pack_bytes, pack_parts, read_pack

    cards, spec, cache = template_cards(), resolve("mini-bert"), Store.open(settings().cache)
    topics = [topic for topic in list_topics() if not topic.decides and usual_set(topic, cards)][:TOPICS]
    lists = []
    for topic in topics:
        evidence = load_evidence(topic.evidence)
        cut = Evidence(name=f"{evidence.name}-cut", title=evidence.title, terms=evidence.terms[:OCCUPATIONS])
        lists.append((topic, cut, load_templates(usual_set(topic, cards))))
    packs.mkdir(exist_ok=True)
    for number in range(len(list(packs.iterdir())), models):
        name = f"model-{number:03}"
        with tempfile.TemporaryDirectory() as folder:
            store = Store.open(Path(folder))
            keys: list[str] = []
            for topic, evidence, templates in lists:
                own = spec.model_copy(update={"name": name, "identity": digest(name)})
                run = build_run(own, topic, evidence, templates)
                write_scores(store, run, np.random.default_rng([number, len(keys)]))
                store.save_run(run, {})
                keys.append(run.key)
            data = pack_bytes(*pack_parts(store, keys, "made up"))
        (packs / f"{name}.zip").write_bytes(data)
        import_pack(cache, read_pack(data), "not signed")


async def visit(address: str, pid: int, row: str) -> dict[str, float]:
    """Return processor seconds of the app: the board first and again, and the Overview of a ``row``."""
    seconds: dict[str, float] = {}
    visitor = Visitor(address)
    for name in ("first", *(f"again {number}" for number in range(AGAIN))):
        begun = processor_seconds(pid)
        await (visitor.open() if name == "first" else visitor.again())
        seconds[name] = processor_seconds(pid) - begun
    errors = [*visitor.errors]
    await visitor.close()
    of_row = Visitor(address, row)
    begun = processor_seconds(pid)
    await of_row.open()
    seconds["the Overview of a row"] = processor_seconds(pid) - begun
    await of_row.close()
    assert not errors + of_row.errors, errors + of_row.errors
    return seconds


def main(
    folder: Annotated[Path, typer.Option(help="for packs and cache; what is there already is kept")],
    models: int = 200,
) -> None:
    """Print the figures; exit 1 where one is over its limit."""
    os.environ["PCF_CACHE"] = str(folder / "cache")
    settings.cache_clear()
    begun = time.process_time()
    fill(folder / "packs", models)
    typer.echo(f"packs and imports: {time.process_time() - begun:,.0f} s of processor time")
    begun = time.process_time()
    board()
    typer.echo(f"board: {time.process_time() - begun:,.0f} s of processor time")
    run = board_rows(Store.open(settings().cache))[0].run
    row = urlencode(parameters_of(run), doseq=True)
    with app_process({"PCF_READ_ONLY": "1"}, folder / "app.log") as (process, address):
        seconds = asyncio.run(visit(address, process.pid, row))
        memory = psutil.Process(process.pid).memory_info().rss / 1e6
    again = median(value for name, value in seconds.items() if name.startswith("again"))
    typer.echo(
        f"first {seconds['first']:.2f} s, again {again:.3f} s, its Overview {seconds.popitem()[1]:.2f} s"
    )
    typer.echo(f"memory of the app: {memory:,.0f} MB")
    raise typer.Exit(0 if again <= LONGEST and memory <= LARGEST else 1)


if __name__ == "__main__":
    typer.run(main)
