"""Script time of every page on a 120 × 2,000 run, and the memory of the app.

The run is written to a temporary store by the shipped fake scorer.  Script time is what one rerun of a page's
script takes from the warm cache, in a process of its own; memory is the resident set of the real app after a
browser has visited every page.  Limits: median under 150 ms, 95th percentile under 400 ms, 600 MB.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import psutil
import typer

from pcf_core.settings import settings

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "": "Overview",
    "score": "Score",
    "heat_map": "Heat map",
    "tilt": "Tilt",
    "risk": "Risk",
    "tails": "Tails",
}
MODELS = ("mini-bert", "mini-gpt")
SET = "bench"


def make_assets(folder: Path, templates: int) -> None:
    """The shipped assets, with one more template set of the wanted size."""
    for entry in (ROOT / "assets").iterdir():
        if entry.name not in ("templates", "cache"):
            (folder / entry.name).symlink_to(entry)
    (folder / "templates").mkdir()
    for entry in (ROOT / "assets" / "templates").iterdir():
        (folder / "templates" / entry.name).symlink_to(entry)
    lines = [f"The [X] in case {i} said that [Y],{max(1, templates // (i + 1))}" for i in range(templates)]
    (folder / "templates" / f"{SET}.csv").write_text("template,count\n" + "\n".join(lines) + "\n")
    (folder / "templates" / f"{SET}.toml").write_text('title = "Benchmark"\nsource = "made up"\n')


def fill_store() -> None:
    """Score the run of both mini models' keys with the fake scorer."""
    from pcf_core.audit import build_run
    from pcf_core.jobs.scoring import score_run
    from pcf_core.models import resolve
    from pcf_core.records import ModelSpec
    from pcf_core.scoring.base import Scorer
    from pcf_core.scoring.fake import FakeScorer
    from pcf_core.store import Store
    from pcf_core.topics import load_evidence, load_templates, load_topic

    topic = load_topic("gender")
    store = Store.open(settings().cache, None)
    for model in MODELS:
        run = build_run(resolve(model), topic, load_evidence(topic.evidence), load_templates(SET))

        def open_fake(spec: ModelSpec, protocol: str, key=run.scoring) -> Scorer:  # type: ignore[no-untyped-def]
            return FakeScorer(chance, key=key)

        score_run(run, store, open_fake)


def chance(prompt: str, word: str) -> float:
    return (1 + zlib.crc32(f"{prompt}{word}".encode()) % 1000) / 100_000


def script_times(repeats: int) -> dict[str, list[float]]:
    """Seconds of each rerun of each page, after one run that warms the caches."""
    from streamlit.testing.v1 import AppTest

    times: dict[str, list[float]] = {}
    for path, title in PAGES.items():
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
        app.query_params |= {"templates": SET, "score_templates": SET}
        app.run()
        if path:
            app.switch_page(f"pages/{path}.py").run()
        assert not app.exception, app.exception
        assert app.title[0].value == title
        times[title] = []
        for _ in range(repeats):
            begun = time.perf_counter()
            app.run()
            times[title].append(time.perf_counter() - begun)
    return times


def resident_memory(log: Path) -> float:
    """Bytes of the app's process after a browser visited every page."""
    from tests.browser import browser_page, running_app, settle

    with running_app({}, log) as address, browser_page() as (page, _):
        for path, title in PAGES.items():
            page.goto(f"{address}/{path}?templates={SET}")
            settle(page, title)
        port = int(address.rsplit(":", 1)[1])
        for process in psutil.process_iter(["cmdline"]):
            if f"--server.port={port}" in (process.info["cmdline"] or []):
                return float(process.memory_info().rss)
    raise RuntimeError("the app's process was not found")


def main(templates: int = 2000, repeats: int = 20) -> None:
    """Print the table."""
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        assets = Path(folder) / "assets"
        assets.mkdir()
        make_assets(assets, templates)
        os.environ |= {
            "PCF_ASSETS": str(assets),
            "PCF_CACHE": str(Path(folder) / "cache"),
            "PCF_START_WORKER": "0",
            "PCF_SHIPPED_RESULTS": "0",
        }
        settings.cache_clear()
        begun = time.perf_counter()
        fill_store()
        typer.echo(
            f"run of 120 × {templates:,} for two models written in {time.perf_counter() - begun:.0f} s\n"
        )
        typer.echo(f"{'page':<12}{'median ms':>12}{'95 % ms':>12}")
        for title, seconds in script_times(repeats).items():
            low, high = np.percentile(seconds, [50, 95]) * 1000
            typer.echo(f"{title:<12}{low:>12.0f}{high:>12.0f}")
        typer.echo(f"\nmemory of the app: {resident_memory(Path(folder) / 'app.log') / 1e6:,.0f} MB")


if __name__ == "__main__":
    typer.run(main)
