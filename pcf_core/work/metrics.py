"""Metrics of a worker and its queue for a monitor, in Prometheus' text format, on this machine only.

    worker --metrics PORT  ->  http://127.0.0.1:PORT/metrics

The supervisor answers even while the worker process hangs, which shows in the time since its last report.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pcf_core.core.errors import AuditError, InputError
from pcf_core.core.settings import Settings
from pcf_core.store.shards import MANIFEST
from pcf_core.store.storage import Folder, storage_of
from pcf_core.work.queue import Queue

LOOPBACK = "127.0.0.1"
PATH = "/metrics"
TYPE = "text/plain; version=0.0.4; charset=utf-8"
PATIENCE = 5.0  # seconds for a request to arrive
FOREVER = float("inf")
SHARDS = ("scores", "texts")


@dataclass(frozen=True)
class Gauge:
    """A gauge: its name without ``pcf_``, its help text, and its values by labels."""

    name: str
    help: str
    values: Mapping[tuple[tuple[str, str], ...], float]


def gauges(queue: Queue, settings: Settings, owner: str, silence: float) -> list[Gauge]:
    """Return the current gauges of a worker; ``silence``: seconds since the last report of its process."""
    tally = queue.tally()
    beats = {worker.owner: worker.seen.timestamp() for worker in queue.workers(FOREVER)}
    figures = [
        Gauge(
            "jobs",
            "Jobs in the queue, by state.",
            {(("state", state),): n for state, n in tally.jobs.items()},
        ),
        Gauge("failed_jobs", "Jobs that failed and were not queued again.", _one(tally.jobs["failed"])),
        Gauge("worker_deaths", "Workers that died while working on unfinished jobs.", _one(tally.deaths)),
        Gauge(
            "cells_per_second",
            "Cells scored or texts written per second by all running jobs.",
            _one(tally.rate),
        ),
        Gauge("worker_silence_seconds", "Time since the working process last reported.", _one(silence)),
    ]
    if owner in beats:
        age = max(0.0, time.time() - beats[owner])
        figures.append(Gauge("worker_heartbeat_age_seconds", "Age of this worker's heartbeat.", _one(age)))
    newest = newest_shard(settings)
    if newest is not None:
        age = max(0.0, time.time() - newest)
        figures.append(Gauge("last_shard_age_seconds", "Age of the newest shard of the cache.", _one(age)))
    return figures


def _one(value: float) -> Mapping[tuple[tuple[str, str], ...], float]:
    return {(): value}


def newest_shard(settings: Settings) -> float | None:
    """Return the wall time of the newest shard's manifest; ``None`` without shards, or in object storage."""
    times = []
    for kind in SHARDS:
        shards = storage_of(settings.cache, settings.scores, kind)
        if isinstance(shards, Folder):
            for name in shards.folders():
                with os.scandir(shards.path / name) as files:
                    for file in files:
                        with suppress(FileNotFoundError):  # deleted meanwhile
                            times += [file.stat().st_mtime] if file.name.endswith(MANIFEST) else []
    return max(times, default=None)


def exposition(figures: Sequence[Gauge]) -> str:
    """Format gauges in the text format, version 0.0.4."""
    lines = []
    for gauge in figures:
        lines += [f"# HELP pcf_{gauge.name} {gauge.help}", f"# TYPE pcf_{gauge.name} gauge"]
        for labels, value in gauge.values.items():
            named = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels)
            lines.append(f"pcf_{gauge.name}{f'{{{named}}}' if named else ''} {value:g}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@contextmanager
def serving(
    queue: Queue, settings: Settings, owner: str, silence: Callable[[], float], port: int | None
) -> Iterator[None]:
    """Serve the gauges on this port, if any; raise InputError if it is taken or not allowed."""
    if port is None:
        yield
        return

    def read() -> str:
        return exposition(gauges(queue, settings, owner, silence()))

    try:
        server = ThreadingHTTPServer((LOOPBACK, port), _handler(read))
    except OSError as error:
        raise InputError(
            f"The port {port} of {LOOPBACK} cannot be used for --metrics ({error.strerror}): give another."
        ) from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(read: Callable[[], str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers one path, and refuses requests by other host names, such as from web pages."""

        timeout = PATIENCE
        server_version, sys_version = "pcf", ""

        def do_GET(self) -> None:
            host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if host not in (LOOPBACK, "localhost"):
                self.answer(403, "This address only answers requests from 127.0.0.1.\n")
            elif self.path != PATH:
                self.answer(404, f"The figures are at {PATH}.\n")
            else:
                try:
                    self.answer(200, read())
                except (AuditError, OSError) as error:
                    self.answer(503, f"{error}\n")

        def answer(self, status: int, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", TYPE)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *given: object) -> None:
            """Log nothing: a monitor asks every few seconds."""

    return Handler
