"""The queue as a person sees it: state, progress, time left, and what can be done about a job."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from pcf_core.errors import AuditError
from pcf_core.findings import look_finding
from pcf_core.jobs import Job, ensure_worker
from pcf_core.jobs.requests import ScoreRequest
from pcf_core.records import Look
from pcf_core.settings import settings
from pcf_core.ui.data import open_queue
from pcf_core.ui.text import plain

ACTIVE = ("queued", "running")
ENDED_EARLY = ("failed", "cancelled")
RECENT = 100
STATES = {
    "queued": ":material/schedule: waiting",
    "running": ":material/sync: scoring",
    "done": ":material/check_circle: finished",
    "failed": ":material/error: failed",
    "cancelled": ":material/cancel: cancelled",
}


def latest_jobs(run_keys: Collection[str]) -> list[Job]:
    """The newest job of each of these runs, whatever became of it."""
    newest: dict[str, Job] = {}
    for job in open_queue().list(RECENT, kind="score"):
        if job.key in run_keys:
            newest.setdefault(job.key, job)
    return list(newest.values())


def keep_a_worker() -> None:
    """Start a worker where none is alive, so that what waits is served."""
    if settings().start_worker:
        ensure_worker(settings())


def draw_jobs(job_ids: list[int]) -> None:
    """Follow jobs; the page is drawn anew when the last of them ends."""

    @st.fragment(run_every="1s")
    def watch() -> None:
        keep_a_worker()
        jobs = [open_queue().get(job_id) for job_id in job_ids]
        for job in jobs:
            draw_job(job)
        if not any(job.state in ACTIVE for job in jobs):
            st.rerun()

    watch()


def draw_queue(limit: int = 20) -> None:
    """All recent jobs, refreshed each second while one is under way."""
    jobs = open_queue().list(limit, kind="score")
    if not jobs:
        st.caption("The queue is empty.")
        return
    busy = any(job.state in ACTIVE for job in jobs)

    @st.fragment(run_every="1s" if busy else None)
    def watch() -> None:
        current = open_queue().list(limit, kind="score")
        if busy:
            keep_a_worker()
        for job in current:
            draw_job(job)
        if busy and not any(job.state in ACTIVE for job in current):
            st.rerun()

    watch()


def draw_job(job: Job) -> None:
    """One job: what, how far, how fast, and the buttons that its state allows."""
    asked = ScoreRequest.model_validate(job.payload)
    with st.container(border=True):
        goal = "" if asked.within is None else f" · until ± {asked.within:g}"
        st.markdown(f"**{plain(asked.model)}** · {plain(asked.topic)}{goal} · {STATES[job.state]}")
        if job.state in ACTIVE:
            st.progress(min(1.0, job.done / job.total) if job.total else 0.0, text=progress_text(job))
        else:
            st.caption(ended_text(job))
        if job.result and "sampling" in job.result:
            st.caption(plain(look_finding(Look.model_validate(job.result["sampling"]))))
        if job.error:
            st.error(plain(job.error))
        draw_actions(job, asked)


def progress_text(job: Job) -> str:
    text = f"{job.done:,} of {job.total:,} cells"
    if job.rate:
        text += f" · {job.rate:,.0f} a second"
    if job.seconds_left is not None:
        text += f" · {duration(job.seconds_left)} left"
    return text


def ended_text(job: Job) -> str:
    cells = f"{job.done:,} of {job.total:,} cells" if job.total else "nothing had to be scored"
    return f"{cells} · run {job.key}"


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, in words short enough for a progress line."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def draw_actions(job: Job, asked: ScoreRequest) -> None:
    queue = open_queue()
    with st.container(horizontal=True):
        if job.state in ACTIVE and st.button("Cancel", key=f"cancel_{job.id}", icon=":material/close:"):
            queue.cancel(job.id)
            st.rerun()
        if job.state in ENDED_EARLY:
            label = "Resume" if job.state == "cancelled" else "Retry"
            if st.button(label, key=f"retry_{job.id}", icon=":material/play_arrow:"):
                retry(job)
        if job.state == "done":
            parameters: dict[str, str | list[str]] = {
                "model": [asked.model],
                "topic": asked.topic_name,
                "templates": asked.templates,
                "evidence": asked.evidence,
                "protocol": asked.protocol,
            }
            for page, label in (
                ("heat_map", "Heat map"),
                ("tilt", "Tilt"),
                ("risk", "Risk"),
                ("tails", "Tails"),
            ):
                st.page_link(f"pages/{page}.py", label=label, query_params=parameters)


def retry(job: Job) -> None:
    try:
        open_queue().retry(job.id)
        keep_a_worker()
    except AuditError as error:
        st.error(plain(str(error)))
    else:
        st.rerun()
