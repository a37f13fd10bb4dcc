"""Finished runs read in another way: what takes long is worked out in the worker once, and kept."""

from __future__ import annotations

from typing import Any

from pcf_core.audit.results import load_result
from pcf_core.audit.sensitivity import sensitivity
from pcf_core.store.store import Store
from pcf_core.work.jobs import JobContext, OnProgress, Pace, Pause, job, no_pause
from pcf_core.work.requests import ReadRequest


def read_asked(
    request: ReadRequest,
    store: Store,
    on_progress: OnProgress = lambda done, total, rate: None,
    pause: Pause = no_pause,
) -> dict[str, Any]:
    """Work out what is asked for, unless it is kept, and keep it.

    Parameters
    ----------
    request
        what to read.
    store
        where the run's words are, and where the result is kept.
    on_progress
        called after each part with the cells read, their number, and cells a second.
    pause
        called after each part; where it raises, nothing is kept.

    Returns
    -------
    dict[str, Any]
        The run's key and how many cells it has.

    Raises
    ------
    AuditError
        the run cannot be read so.
    """
    run = store.load_run(request.run)
    pace = Pace()

    def on_part(prompts: int) -> None:
        on_progress(prompts, run.cells, pace.rate(prompts))
        pause()

    if request.what == "sensitivity":
        sensitivity(store, run, request.options, on_part)
    else:
        load_result(store, run, request.options.protocol, on_prompts=on_part)
    on_progress(run.cells, run.cells, pace.rate(run.cells))
    return {"run": run.key, "cells": run.cells}


@job("read", ReadRequest)
def answer_read(context: JobContext, request: ReadRequest) -> dict[str, Any]:
    """Read it for whoever waits at an open page."""
    return read_asked(request, context.store, context.progress, context.pause)
