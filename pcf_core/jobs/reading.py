"""Finished runs read in another way: what takes long is worked out in the worker once, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pcf_core.audit import ViewOptions, load_result
from pcf_core.audit.sensitivity import sensitivity, sensitivity_name
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.jobs.requests import SMALL
from pcf_core.jobs.scoring import Pace, Stopped
from pcf_core.records import Record, RunSpec, digest
from pcf_core.store import Store

Reading = Literal["preferences", "sensitivity"]


class ReadRequest(Record):
    """Read a finished run: its key in the store, its options, and the names by which people know it.

    ``what``: its ``preferences`` under a protocol, or its ``sensitivity`` to the analyst's choices.
    """

    run: str
    what: Reading
    options: ViewOptions
    model: str
    topic: str


def submit_read(store: Store, queue: Queue, run: RunSpec, what: Reading, options: ViewOptions) -> Job:
    """Queue a reading, or join the one that is asked for already; ``done`` and ``total`` count cells.

    It is answered between two batches of a scoring, for somebody waits for it at an open page.

    Raises:
        StoreError: the cache folder is read-only or full.
        AuditError: the options are none that this run can be read with.
    """
    request = ReadRequest(
        run=run.key, what=what, options=options, model=run.scoring.model, topic=run.topic.title
    )
    return queue.submit(
        "read",
        reading_key(store, run, what, options),
        request.model_dump(mode="json"),
        priority=SMALL,
        total=run.cells,
    )


def reading_key(store: Store, run: RunSpec, what: Reading, options: ViewOptions) -> str:
    """What two requests have in common that ask for the same; raises as :func:`submit_read`."""
    decides = sensitivity_name(store, run, options) if what == "sensitivity" else options.protocol
    return digest([run.key, run.drawn.hash, what, decides])


def read_asked(
    request: ReadRequest,
    store: Store,
    on_progress: Callable[[int, int, float], None] = lambda done, total, rate: None,
    should_stop: Callable[[], bool] = lambda: False,
    between_parts: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Work out what is asked for, unless it is kept, and keep it.

    Args:
        request: what to read.
        store: where the run's words are, and where the result is kept.
        on_progress: called after each part with the cells read, their number, and cells a second.
        should_stop: asked after each part.
        between_parts: called there as well.

    Returns:
        The run's key and how many cells it has.

    Raises:
        Stopped: ``should_stop`` said so; nothing is kept.
        AuditError: the run cannot be read so.
    """
    run = store.load_run(request.run)
    pace = Pace()

    def pause(prompts: int) -> None:
        on_progress(prompts, run.cells, pace.rate(prompts))
        between_parts()
        if should_stop():
            raise Stopped

    if request.what == "sensitivity":
        sensitivity(store, run, request.options, pause)
    else:
        load_result(store, run, request.options.protocol, on_prompts=pause)
    on_progress(run.cells, run.cells, pace.rate(run.cells))
    return {"run": run.key, "cells": run.cells}
