"""Asking the worker a question and waiting for it: at first within the script, then a look each half second.

What this session has asked for, and until when it waits, is kept under ``ASKED``; answers are in the queue.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import streamlit as st

from pcf_core.app.queue import ACTIVE, KINDS, keep_a_worker, recent_jobs, retry
from pcf_core.app.roles import write
from pcf_core.app.stores import open_queue
from pcf_core.app.text import plain
from pcf_core.core.errors import RunError
from pcf_core.core.settings import settings
from pcf_core.show.findings.numbers import listed
from pcf_core.work.queue import Job, Queue
from pcf_core.work.requests import WAITED_FOR, Question, newest_answer, submit_question

ASKED = "probes_asked"  # key of a question -> the monotonic time until which it may wait for a worker
QUICK = 1.0  # seconds that a script waits itself: most answers of a model that is open come sooner
LOOK = 0.01
PATIENCE = 60.0  # seconds until a worker must have begun
RECENT = 20
BY_HAND = "start one with `python -m pcf_core worker`"


def ask(requests: Mapping[str, Question]) -> dict[str, Job]:
    """Return the job of each question, by model; queue once what is neither answered nor failed.

    What this session asked for before and wants no longer is taken back, if no worker has begun with it.

    Raises
    ------
    StoreError
        The cache folder is read-only or full.
    """
    queue = open_queue()
    before: dict[str, float] = st.session_state.get(ASKED, {})
    wanted = {request.key for request in requests.values()}
    st.session_state[ASKED] = asked = {key: until for key, until in before.items() if key in wanted}
    take_back(queue, [key for key in before if key not in wanted])
    jobs = {}
    for model, request in requests.items():
        job = newest_answer(queue, request)
        waited = time.monotonic() >= asked.get(request.key, float("inf"))
        if job is None or (job.state == "cancelled" and not waited):  # perhaps by another session
            job = write(submit_question, queue, request)
        if job.state in ACTIVE:
            asked.setdefault(request.key, time.monotonic() + PATIENCE)
        elif job.state != "cancelled":
            asked.pop(request.key, None)  # it has its time again when it is asked again
        jobs[model] = job
    if any(job.state in ACTIVE for job in jobs.values()):
        keep_a_worker()
        jobs = wait_shortly(queue, jobs)
    return jobs


def take_back(queue: Queue, keys: list[str]) -> None:
    """Cancel the questions of these keys that still wait; another session that wants one asks again."""
    for kind in WAITED_FOR:
        for key in keys:
            job = queue.newest(kind, key)
            if job is not None and job.state == "queued":
                write(queue.cancel, job.id)


def wait_shortly(queue: Queue, jobs: Mapping[str, Job]) -> dict[str, Job]:
    """Return the jobs as they are when all are answered, or a second later."""
    deadline = time.monotonic() + (QUICK if queue.workers() else 0.0)
    current = dict(jobs)
    while any(job.state in ACTIVE for job in current.values()) and time.monotonic() < deadline:
        time.sleep(LOOK)
        current = {model: queue.get(job.id) if job.state in ACTIVE else job for model, job in current.items()}
    return current


def follow(jobs: Mapping[str, Job]) -> None:
    """Say what is waited for and why; the page is drawn anew when one more has ended, or patience has."""
    active = {model: job for model, job in jobs.items() if job.state in ACTIVE}
    if not active:
        return

    @st.fragment(run_every="0.5s")
    def watch() -> None:
        keep_a_worker()
        queue = open_queue()
        try:
            current = {model: queue.get(job.id) for model, job in active.items()}
        except RunError:  # forgotten: 250 others were asked meanwhile
            st.rerun()
        if any(job.state not in ACTIVE for job in current.values()):
            st.rerun()
        until = st.session_state.get(ASKED, {})
        late = [
            job
            for job in current.values()
            if job.state == "queued" and time.monotonic() >= until.get(job.key, float("inf"))
        ]
        if late:
            take_back(queue, [job.key for job in late])
            st.rerun()
        st.info(
            f"**{plain(listed(list(current)))}** · {waiting_sentence(queue, current)}",
            icon=":material/hourglass_top:",
        )

    watch()


def waiting_sentence(queue: Queue, jobs: Mapping[str, Job]) -> str:
    """Say why there is no answer yet."""
    if not queue.workers():
        return f"No worker is running: {BY_HAND}; the answer appears by itself."
    if any(job.state == "running" for job in jobs.values()):
        return "The worker is at it: opening a model takes a few seconds, a large one minutes."
    if any(job.state == "running" for job in recent_jobs(KINDS, RECENT)):
        return "The worker is at a run and answers between two of its batches."
    return "The worker is being woken or serves others first: an answer takes a few seconds."


def draw_ended_early(jobs: Mapping[str, Job]) -> None:
    """Draw why a model has no answer, and the button that asks again.

    It is one for all that nobody came to.
    """
    for model, job in jobs.items():
        if job.state == "failed":
            st.error(f"**{plain(model)}:** {plain(job.error or '')}", icon=":material/error:")
            if st.button("Ask again", key=f"again_{job.id}", icon=":material/refresh:"):
                retry(job)
    late = [model for model, job in jobs.items() if job.state == "cancelled"]
    if late:
        names = plain(listed(late))
        st.error(f"**{names}:** {late_sentence(open_queue())}", icon=":material/timer_off:")
        if st.button("Ask again", key="again", icon=":material/refresh:"):
            del st.session_state[ASKED]
            st.rerun()


def late_sentence(queue: Queue) -> str:
    """Say why nobody has begun within the time."""
    within = f"within {PATIENCE:.0f} seconds"
    if not queue.workers():
        started = "the one that was started has ended" if settings().start_worker else "this app starts none"
        return (
            f"No worker is running ({started}), so that nobody answered {within}: {BY_HAND}, then ask again."
        )
    return (
        f"The worker did not come to it {within}: it is at a run with long batches, or others asked first. "
        "Ask again later, or cancel the run on the page 'Run an audit'."
    )
