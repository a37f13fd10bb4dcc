"""Missing results: the offer to run them, and jobs that run, check or read them.

Imported only if results are missing, because most pages show finished ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import streamlit as st

from pcf_core.app.caching import open_queue, open_store
from pcf_core.app.data import Loaded, newest_reading
from pcf_core.app.roles import draw_why_not, may_audit, write
from pcf_core.app.widgets import plain_titled, refusals_said
from pcf_core.audit.options import ViewOptions, word_scoring
from pcf_core.audit.results import is_unchecked, plans_of
from pcf_core.core.errors import ModelError
from pcf_core.core.run import RunSpec
from pcf_core.models.scoring.base import check_protocol
from pcf_core.show.findings.numbers import listed

if TYPE_CHECKING:
    from pcf_core.app.partial import Draw
    from pcf_core.work.queue import Job
    from pcf_core.work.requests import Calculation

Wanted: TypeAlias = "tuple[RunSpec, Calculation, ViewOptions]"  # a calculation for the worker


def offer_scoring(missing: Mapping[str, RunSpec], growing: Draw | None = None) -> None:
    """Say which results are missing and offer to run them, with a question if that takes long.

    Draws their jobs, why a model cannot be run, and with ``growing`` the complete part of a run.
    """
    missing, impossible = scorable(missing)
    for sentence in impossible:
        st.info(plain_titled(sentence), icon=":material/info:")
    if not missing:
        return
    from pcf_core.app.queue import ACTIVE, ENDED_EARLY, draw_job, draw_jobs

    keys = {
        key
        for run in missing.values()
        for key in (run.key, *(info.run.key for info in plans_of(open_store(), run)))
    }
    jobs = _latest_jobs(keys)
    if any(job.state in ACTIVE for job in jobs):
        draw_jobs([job.id for job in jobs])
        if growing:
            from pcf_core.app.partial import draw_growing

            draw_growing(missing, growing)
        return
    for job in jobs:
        if job.state in ENDED_EARLY:
            draw_job(job)
    names, have = listed([plain_titled(name) for name in missing]), "has" if len(missing) == 1 else "have"
    with st.container(border=True):
        words = word_scoring(next(iter(missing.values())).scoring.protocol)
        st.markdown(
            f"**No result yet:** {names} {have} not been run with this topic, these sentences and "
            f"occupations, and the word scoring *{words}*."
        )
        if may_audit():
            _draw_start(list(missing.values()))
        else:
            draw_why_not()


def _draw_start(runs: Sequence[RunSpec]) -> None:
    from pcf_core.app.run.costs import Start, costs_of, start_or_ask

    def enqueue() -> bool:
        for run in runs:
            submit(run)
        return True

    pressed = st.button(
        "Calculate the missing results", type="primary", icon=":material/play_arrow:", key="score_missing"
    )
    with refusals_said():
        whole = Start(lambda: costs_of(runs).total, enqueue)
        if start_or_ask(pressed, [run.key for run in runs], whole, None):
            st.rerun()


def scorable(missing: Mapping[str, RunSpec]) -> tuple[dict[str, RunSpec], list[str]]:
    """Return the runs that their protocol allows, and why the others are not."""
    possible, impossible = {}, []
    for name, run in missing.items():
        try:
            check_protocol(name, run.scoring.family, run.scoring.protocol)
            possible[name] = run
        except ModelError as error:
            impossible.append(str(error))
    return possible, impossible


def submit(run: RunSpec, missing: int | None = None) -> int:
    """Queue a run and keep a worker alive; return the job's id.  ``missing``: test sentences, if known."""
    from pcf_core.app.queue import keep_a_worker
    from pcf_core.work.requests import submit_run

    job = write(submit_run, open_store(), open_queue(), run, missing)
    keep_a_worker()
    return job.id


def follow_checks(loaded: Loaded) -> None:
    """Say which results have test sentences that are still being checked, with progress."""
    infos = [open_store().run_info(item.key) for item in loaded.runs.values()]
    unchecked = {info.run.key for info in infos if is_unchecked(info)}
    if not unchecked:
        return
    from pcf_core.app.queue import ACTIVE, draw_checks

    if active := [job for job in _latest_jobs(unchecked) if job.state in ACTIVE]:
        draw_checks(active)


def _latest_jobs(run_keys: Collection[str]) -> list[Job]:
    """Return the newest job of each run, the newest of all first."""
    queue = open_queue()
    jobs = [job for key in run_keys if (job := queue.newest("score", key))]
    return sorted(jobs, key=lambda job: -job.id)


def follow_readings(wanted: Iterable[Wanted]) -> None:
    """Follow calculations; one that was cancelled or failed waits for its button."""
    from pcf_core.app.queue import ACTIVE, ENDED_EARLY, draw_job, draw_jobs, keep_a_worker
    from pcf_core.work.requests import submit_read

    active = []
    st.markdown(
        "These results are large, and were not calculated with these options before. They are calculated "
        "once and then stored."
    )
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
