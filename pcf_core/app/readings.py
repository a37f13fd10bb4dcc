"""Finished runs that the worker reads: asked for when a page opens, followed until the page can show them."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from pcf_core.app.data import newest_reading
from pcf_core.app.queue import ACTIVE, ENDED_EARLY, draw_job, draw_jobs, keep_a_worker
from pcf_core.app.roles import draw_why_not, may_audit, write
from pcf_core.app.stores import open_queue, open_store
from pcf_core.audit.options import ViewOptions
from pcf_core.core.run import RunSpec
from pcf_core.work.requests import Reading, submit_read

Wanted = tuple[RunSpec, Reading, ViewOptions]


def follow_readings(wanted: Iterable[Wanted]) -> None:
    """Say what is being worked out, and how far it is; what was cancelled or failed waits for its button."""
    active = []
    st.markdown("These results are large and were not read like this before: worked out once, then kept.")
    for run, what, options in wanted:
        job = newest_reading(run, what, options)
        if job is not None and job.state in ENDED_EARLY:
            draw_job(job)
            continue
        if job is None or job.state not in ACTIVE:
            if not may_audit():
                draw_why_not()
                return
            job = write(submit_read, open_store(), open_queue(), run, what, options)
            keep_a_worker()
        active.append(job.id)
    if active:
        draw_jobs(active)
