"""Measure fifty visitors at once, on a run of 120 × 2,000: errors, time of a page change, memory.

Each is a real websocket on loopback (:mod:`benchmarks.visitors`) that opens the app and changes to a random
page every 20 seconds for five minutes.  A page change ends with the last message of the page's run.  The
clients run in their own process, on the same cores as the app; scores are made up, in a temporary store.
Limits: no error, 95 % of page changes within 2 s, and memory constant to 10 % over the last four minutes.

    python -m benchmarks.sessions
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import psutil
import typer

from benchmarks.pages import PAGES, SET, fill_store, make_assets
from benchmarks.visitors import Visitor, app_process
from pcf_core.core.settings import settings

LONGEST = 120.0  # seconds after which a visitor gives up


@dataclass
class Seen:
    """Observations: ``changes`` (page, seconds), ``memory`` of the app (seconds since start, bytes)."""

    opened: list[float] = field(default_factory=list)
    changes: list[tuple[str, float]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    processor: float = 0.0
    charts: int = 0
    received: int = 0

    def memory_spread(self, since: float) -> float:
        """Return (largest − smallest) / smallest of the memory from then on."""
        late = [size for at, size in self.memory if at >= since]
        return (max(late) - min(late)) / min(late) if late else float("nan")


async def visit(
    address: str, names: list[str], query: str, every: float, until: float, draw: random.Random, seen: Seen
) -> None:
    """One visitor: comes at some moment of the first round, then changes page in every one."""
    await asyncio.sleep(draw.uniform(0, every))
    visitor = Visitor(address, query)
    try:
        async with asyncio.timeout(LONGEST):
            seen.opened.append(await visitor.open())
        while True:
            due = time.monotonic() + every
            async with asyncio.timeout(LONGEST + every):
                await visitor.stay(due - time.monotonic())
                if time.monotonic() >= until:
                    break
                name = draw.choice([name for name in names if name != visitor.page])
                seen.changes.append((name, await visitor.go(name)))
    except TimeoutError:
        seen.errors.append(f"{visitor.page}: no answer within {LONGEST:.0f} s")
    except Exception as error:  # noqa: BLE001 - every error counts
        seen.errors.append(f"{visitor.page}: {type(error).__name__}: {error}")
    finally:
        seen.errors += visitor.errors
        seen.charts += visitor.charts
        seen.received += visitor.received
        await visitor.close()


async def watch(process: psutil.Process, until: float, seen: Seen) -> None:
    """Record the resident memory of the app, every second."""
    begun = time.monotonic()
    while time.monotonic() < until:
        seen.memory.append((time.monotonic() - begun, float(process.memory_info().rss)))
        await asyncio.sleep(1.0)
    times = process.cpu_times()
    seen.processor = float(times.user + times.system)


async def visits(
    address: str, pid: int, visitors: int, seconds: float, every: float, query: str, names: list[str]
) -> Seen:
    """All visitors, and the app's memory meanwhile."""
    seen, until = Seen(), time.monotonic() + seconds
    await asyncio.gather(
        watch(psutil.Process(pid), until, seen),
        *(
            visit(address, names, query, every, until, random.Random(number), seen)
            for number in range(visitors)
        ),
    )
    return seen


def tell(seen: Seen, seconds: float) -> bool:
    """Print the observations; return whether every limit holds."""
    times = np.array([took for _, took in seen.changes])
    median, high = np.percentile(times, [50, 95])
    spread = seen.memory_spread(seconds / 5)
    typer.echo(f"opened {len(seen.opened)}, the slowest in {max(seen.opened):.2f} s")
    typer.echo(
        f"page changes {len(times)}: median {median:.2f} s, 95 % {high:.2f} s, longest {times.max():.2f} s"
    )
    for name in sorted({name for name, _ in seen.changes}):
        took = [seconds for page, seconds in seen.changes if page == name]
        title = PAGES[name or "overview"]
        typer.echo(f"  {title:<14}{len(took):>5}{np.median(took):>8.2f} s{max(took):>8.2f} s")
    first, last = seen.memory[0][1] / 1e6, seen.memory[-1][1] / 1e6
    typer.echo(f"memory of the app {first:,.0f} MB at first, {last:,.0f} MB at last")
    typer.echo(f"its spread over the last four fifths {spread:.1%}")
    typer.echo(f"its processor time {seen.processor:.0f} s of {seconds:.0f}")
    typer.echo(f"charts received {seen.charts}, {seen.received / 1e6:,.0f} MB; errors {len(seen.errors)}")
    for error in sorted(set(seen.errors))[:20]:
        typer.echo(f"  {error}")
    return not seen.errors and high < 2 and spread < 0.1


def prepare(folder: Path, templates: int) -> dict[str, str]:
    """Write the run into a folder unless it exists; return the settings of an app that shows it."""
    variables = {
        "PCF_ASSETS": str(folder / "assets"),
        "PCF_CACHE": str(folder / "cache"),
        "PCF_WORKER_IDLE_SECONDS": "60",  # the app starts one, for the page Try a sentence
        "PCF_SHIPPED_RESULTS": "0",
    }
    if not (folder / "assets").exists():
        (folder / "assets").mkdir(parents=True)
        make_assets(folder / "assets", templates)
        os.environ |= variables
        settings.cache_clear()
        fill_store()
    return variables


def main(
    visitors: int = 50,
    minutes: float = 5.0,
    every: Annotated[float, typer.Option(help="seconds between two page changes of a visitor")] = 20.0,
    templates: int = 2000,
    folder: Annotated[Path | None, typer.Option(help="keep the run there, and find it there again")] = None,
) -> None:
    """Print the figures; exit 1 where one is over its limit."""
    with tempfile.TemporaryDirectory() as temporary:
        variables = prepare(folder or Path(temporary), templates)
        names = ["" if name == "overview" else name for name in PAGES]
        query = f"templates={SET}&score_templates={SET}"
        log = Path(temporary) / "app.log"
        with app_process(variables, log) as (process, address):
            found = asyncio.run(visits(address, process.pid, visitors, minutes * 60, every, query, names))
        met = tell(found, minutes * 60)
        for line in [line for line in log.read_text().splitlines() if "rror" in line or "raceback" in line]:
            typer.echo(f"  log: {line}")
    raise typer.Exit(0 if met else 1)


if __name__ == "__main__":
    typer.run(main)
