"""Measure the script time of every page on a 120 × 2,000 run of two models, and the app's memory.

The run has made-up scores in a temporary store, with kept aggregates.  *First* is a page's first script run
with cold caches; *median* and *95 %* are reruns with warm caches, in a separate process.  Memory is the
resident set of the real app after a browser visited every page.  Limits: median under 150 ms, 95th percentile
under 400 ms, 600 MB; with --templates 32000 a median under 1 s.

With --shipped the shipped results are shown instead, over websockets without a browser, with every tab and
every view of the criteria.  Times are the processor time of the real app (Linux), independent of other load.
Memory is measured after one visitor opened every page, and after others opened every tab; the median of three
starts.  Limits: median under 80 ms, 95th percentile under 150 ms, 350 MB after every page.

    python -m benchmarks.pages --shipped
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from unittest.mock import patch
from urllib.parse import urlencode

import numpy as np
import psutil
import typer

from pcf_core.app.addresses import CRITERIA, TAB_OF, TABS, TEXT_TAB
from pcf_core.app.shell import SECTIONS
from pcf_core.core.run import RunSpec, TokenTable
from pcf_core.core.settings import settings
from pcf_core.store.store import Store

ROOT = Path(__file__).resolve().parent.parent
PAGES = {name: title for pages in SECTIONS.values() for name, title, _ in pages}
START = "overview"
MODELS = ("mini-bert", "mini-gpt")
SET = "bench"
STARTS = 3  # of the app whose memory is measured
Query = Mapping[str, str]


def shipped_places() -> dict[str, Query]:
    """Return the parameters of every page, tab and view of the criteria, by page and name."""
    found: dict[str, Query] = {}
    for path in PAGES:
        if path not in TABS:
            found[path] = {}
        for tab in TABS.get(path, ()):
            found[f"{path}: {tab}"] = {TAB_OF[path]: tab}
    for view in ("anecdotes", "hobbies", "questions", "tasks"):
        found[f"written_text: {CRITERIA}, {view}"] = {TEXT_TAB: CRITERIA, "cr_view": view}
    return found


def make_assets(folder: Path, templates: int) -> None:
    """Copy the shipped assets, with an added template set of the wanted size."""
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
    """Write made-up scores of both mini models, and keep what the pages read."""
    from pcf_core.audit.options import ViewOptions
    from pcf_core.audit.preferences import build_run
    from pcf_core.audit.results import load_result
    from pcf_core.audit.sensitivity import sensitivity
    from pcf_core.material.evidence import load_evidence
    from pcf_core.material.templates import load_templates
    from pcf_core.material.topics import load_topic
    from pcf_core.models.registry import resolve

    topic = load_topic("gender")
    store = Store.open(settings().cache)
    for seed, model in enumerate(MODELS):
        run = build_run(resolve(model), topic, load_evidence(topic.evidence), load_templates(SET))
        write_scores(store, run, np.random.default_rng(seed))
        store.save_run(run, {})
        load_result(store, run)
        sensitivity(store, run, ViewOptions())


def write_scores(store: Store, run: RunSpec, rng: np.random.Generator) -> None:
    """Write random log-probabilities around a level for each word, shard by shard."""
    words, prompts = run.topic.words, run.prompts
    table = TokenTable(dict.fromkeys(words, 1))
    levels = rng.normal(-8, 2, len(words))
    for start in range(0, len(prompts), settings().most_prompts):
        part = tuple(dict.fromkeys(prompts[start : start + settings().most_prompts]))
        values = np.minimum(levels + rng.normal(0, 0.5, (len(part), len(words))), -0.01)
        store.write(run.scoring, part, words, table, values, {})


def script_times(repeats: int) -> dict[str, list[float]]:
    """Return seconds of each page's runs: the first, then the reruns."""
    from streamlit.testing.v1 import AppTest

    times: dict[str, list[float]] = {}
    for path, title in PAGES.items():
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
        app.query_params |= {"templates": SET, "score_templates": SET}
        begun = time.perf_counter()
        app.run()
        if path != START:
            begun = time.perf_counter()
            app.switch_page(f"pages/{path}.py").run()
        assert not app.exception, (title, app.exception)
        assert app.title[0].value == title
        times[title] = [time.perf_counter() - begun]
        for _ in range(repeats):
            begun = time.perf_counter()
            app.run()
            times[title].append(time.perf_counter() - begun)
    return times


def resident_memory(log: Path) -> float:
    """Return bytes of the app's process after a browser visited every page."""
    from tests.browser import browser_page, running_app, settle

    with running_app({}, log) as address, browser_page() as (page, _):
        for path, title in PAGES.items():
            page.goto(f"{address}/{'' if path == START else path}?templates={SET}")
            settle(page, title)
        return float(process_of(address).memory_info().rss)


def process_of(address: str) -> psutil.Process:
    port = int(address.rsplit(":", 1)[1])
    for process in psutil.process_iter(["cmdline"]):
        if f"--server.port={port}" in (process.info["cmdline"] or []):
            return process
    raise RuntimeError("the app's process was not found")


def processor_seconds(pid: int) -> float:
    """Return the processor time of a Linux process, with ended threads, to the microsecond."""
    return time.clock_gettime((~pid << 3) | 2)  # the clock that clock_getcpuclockid(3) names


@contextmanager
def shipped_app() -> Iterator[str]:
    """Start the app on the shipped results, with an empty cache."""
    from tests.browser import running_app

    with tempfile.TemporaryDirectory() as folder:
        variables = {"PCF_CACHE": str(Path(folder) / "cache"), "PCF_START_WORKER": "0"}
        with running_app(variables, Path(folder) / "app.log") as address:
            yield address


async def visited(address: str, places: Mapping[str, Query], repeats: int) -> dict[str, list[float]]:
    """Return the processor seconds of the app for each run of each place, the first one and ``repeats`` more.

    Each place has a visitor of its own, whose address says which tab is open.
    """
    from benchmarks.visitors import Visitor

    pid = process_of(address).pid
    times: dict[str, list[float]] = {}
    for name, query in places.items():
        path = name.partition(":")[0]
        visitor = Visitor(f"{address.replace('http', 'ws', 1)}/_stcore/stream", urlencode(query))
        await visitor.open()
        visitor.page = "" if path == START else path
        times[name] = []
        for _ in range(1 + repeats):
            begun = processor_seconds(pid)
            await visitor.again()
            times[name].append(processor_seconds(pid) - begun)
        await visitor.close()
        assert not visitor.errors, visitor.errors
    return times


async def memory_of_visit(address: str) -> tuple[float, float]:
    """Return bytes of a new app's process after one visitor has opened every page, and others every tab."""
    from benchmarks.visitors import Visitor

    process = process_of(address)
    visitor = Visitor(f"{address.replace('http', 'ws', 1)}/_stcore/stream")
    await visitor.open()
    for path in PAGES:
        await visitor.go("" if path == START else path)
    await visitor.close()
    assert not visitor.errors, visitor.errors
    after_pages = float(process.memory_info().rss)
    await visited(address, shipped_places(), 0)
    return after_pages, float(process.memory_info().rss)


def measure_shipped(repeats: int, memory: bool) -> None:
    with shipped_app() as address:
        tell(asyncio.run(visited(address, shipped_places(), repeats)))
    if memory:
        sizes = []
        for _ in range(STARTS):
            with shipped_app() as address:
                sizes.append(asyncio.run(memory_of_visit(address)))
        for after, each in zip(("every page", "every tab"), zip(*sizes, strict=True), strict=True):
            low, middle, high = (size / 1e6 for size in (min(each), median(each), max(each)))
            typer.echo(f"\nmemory of the app after {after}: {middle:,.0f} MB ({low:,.0f}–{high:,.0f})")


def main(templates: int = 2000, repeats: int = 20, memory: bool = True, shipped: bool = False) -> None:
    """Print the table."""
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    if shipped:
        measure_shipped(repeats, memory)
        return
    with tempfile.TemporaryDirectory() as folder:
        assets = Path(folder) / "assets"
        assets.mkdir()
        make_assets(assets, templates)
        variables = {
            "PCF_ASSETS": str(assets),
            "PCF_CACHE": str(Path(folder) / "cache"),
            "PCF_START_WORKER": "0",
            "PCF_SHIPPED_RESULTS": "0",
        }
        with patch.dict(os.environ, variables):
            settings.cache_clear()
            measure(Path(folder), templates, repeats, memory)
    settings.cache_clear()


def measure(folder: Path, templates: int, repeats: int, memory: bool) -> None:
    begun = time.perf_counter()
    fill_store()
    typer.echo(f"run of 120 × {templates:,} for two models written in {time.perf_counter() - begun:.0f} s\n")
    tell(script_times(repeats))
    if memory:
        typer.echo(f"\nmemory of the app: {resident_memory(folder / 'app.log') / 1e6:,.0f} MB")


def tell(times: Mapping[str, list[float]]) -> None:
    """Print the first run of each place, and median and 95th percentile of its reruns."""
    wide = max(map(len, times)) + 2
    typer.echo(f"{'page':<{wide}}{'first ms':>10}{'median ms':>12}{'95 % ms':>10}")
    for name, (first, *seconds) in times.items():
        middle, high = np.percentile(seconds, [50, 95]) * 1000
        typer.echo(f"{name:<{wide}}{first * 1000:>10.0f}{middle:>12.0f}{high:>10.0f}")


if __name__ == "__main__":
    typer.run(main)
