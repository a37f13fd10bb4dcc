"""Apps on the cache of workers that are being killed: each has a visitor, is killed and restarted."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from websockets.exceptions import WebSocketException

from benchmarks.visitors import Visitor, app_process

LONGEST = 60.0  # seconds of an app's life, the time it takes to start not counted
PAGES = ("run_an_audit", "overview", "risk", "heat_map", "models")


@contextmanager
def mortal_apps(
    variables: Mapping[str, str], folder: Path, apps: int, draw: random.Random
) -> Iterator[Callable[[], tuple[int, int, list[str]]]]:
    """Yield a function that returns killed apps, visited pages, and errors shown to visitors."""
    ended = threading.Event()
    killed: list[int] = []
    visited: list[str] = []
    errors: list[str] = []

    def live(number: int, chance: random.Random) -> None:
        while not ended.is_set():
            with app_process(variables, folder / f"app-{number}.log") as (process, address):
                asyncio.run(visit(address, chance.uniform(0, LONGEST), chance))
                process.kill()
                killed.append(number)

    async def visit(address: str, seconds: float, chance: random.Random) -> None:
        """Go from page to page until the app is due; the kill meets whatever it is at."""
        visitor = Visitor(address)
        try:
            async with asyncio.timeout(seconds):
                await visitor.open()
                while not ended.is_set():
                    name = chance.choice(PAGES)
                    await visitor.go("" if name == "overview" else name)
                    visited.append(name)
                    await visitor.stay(1.0)
        except (TimeoutError, WebSocketException):
            pass
        errors.extend(visitor.errors)

    threads = [
        threading.Thread(target=live, args=(number, random.Random(draw.random())), daemon=True)
        for number in range(apps)
    ]
    for thread in threads:
        thread.start()
    try:
        yield lambda: (len(killed), len(visited), errors)
    finally:
        ended.set()
        for thread in threads:
            thread.join(120)
