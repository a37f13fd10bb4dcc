"""The queue as a person sees it: state, progress, time left, and what can be done about a job.

Also the reading of large finished runs: asked for when a page opens, followed until the page can show them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePath

import streamlit as st

from pcf_core.app.addresses import CAPRICE, CRITERIA_TAB, FAIRPAIR_TAB, HEAT_MAP, RISK, TEMPLATES, TILT
from pcf_core.app.caching import open_queue, open_store
from pcf_core.app.links import draw_link
from pcf_core.app.lists import parameters_of
from pcf_core.app.roles import may_audit, write
from pcf_core.app.templates.draft import point_at
from pcf_core.app.widgets import plain, size_text
from pcf_core.core.errors import AuditError
from pcf_core.core.risk import Look
from pcf_core.core.run import model_label
from pcf_core.core.settings import settings
from pcf_core.show.findings.material import mining_finding
from pcf_core.show.findings.notes import duration, look_finding, progress_note
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.partial import scored_sentence_note
from pcf_core.texts.benchmarks.records import FACTS
from pcf_core.work.benchmarks import BENCHMARK, BenchmarkRequest
from pcf_core.work.criteria import CRITERIA, EMBEDDING, CriteriaRequest, EmbeddingRequest
from pcf_core.work.fairpair import FAIRPAIR, FairPairRequest
from pcf_core.work.launch import ensure_worker
from pcf_core.work.queue import Job
from pcf_core.work.requests import (
    FETCH,
    FetchRequest,
    KnowledgeRequest,
    MineRequest,
    ReadRequest,
    ScoreRequest,
)

ACTIVE = ("queued", "running")
ENDED_EARLY = ("failed", "cancelled")
RECENT, SHOWN = 100, 20  # jobs
KINDS = ("score", "mine", "read", "knowledge", FAIRPAIR, CRITERIA, EMBEDDING, BENCHMARK, FETCH)
NO_RUN = ("read", "knowledge", EMBEDDING, BENCHMARK, FETCH)  # kinds that make nothing to be opened
DOING = {
    "score": "scoring",
    "mine": "mining",
    "read": "reading",
    "knowledge": "scoring",
    FAIRPAIR: "writing and comparing",
    CRITERIA: "asking and reading",
    EMBEDDING: "learning word vectors",
    BENCHMARK: "scoring sentences",
    FETCH: "fetching",
}
TEXTS = (FAIRPAIR, CRITERIA)  # kinds that count texts
BYTES = ("mine", FETCH)  # kinds that count bytes
STAGES = {  # of kinds but scoring, which tells more: see Progress
    "perturbing": "exchanging words, {done:,} of {total:,} prompts",
    "measuring": "comparing the texts",
    "reading": "reading what was answered",
}
WAITING = "waits for its run: {holder} is scoring it; other jobs go first"
READINGS = {"preferences": "another reading of its words", "sensitivity": "its sensitivity to choices"}
STATES = {
    "queued": ":material/schedule: waiting",
    "running": ":material/sync: {doing}",
    "done": ":material/check_circle: finished",
    "failed": ":material/error: failed",
    "cancelled": ":material/cancel: cancelled",
}
EXPECTED = "work_expected"


def keep_a_worker() -> None:
    """Start a worker where none is alive, so that what waits is served."""
    if settings().start_worker and may_audit():
        write(ensure_worker, settings())


def expect_work() -> None:
    """Start a worker for a page on which work is asked for, once a session: it gets ready meanwhile.

    Where none can be started, whoever asks for work is told why.
    """
    if not st.session_state.get(EXPECTED):
        st.session_state[EXPECTED] = True
        with suppress(AuditError):
            keep_a_worker()


def follow_jobs(
    look: Callable[[], Sequence[Job]],
    draw: Callable[[Job], None],
    goes_on: Callable[[Sequence[Job]], bool],
    *,
    busy: bool = True,
) -> None:
    """Draw jobs each second for as long as they go on, see that a worker is alive, then draw the page anew.

    Jobs that are not ``busy`` are drawn once.
    """

    @st.fragment(run_every="1s" if busy else None)
    def watch() -> None:
        if busy:
            keep_a_worker()
        jobs = look()
        for job in jobs:
            draw(job)
        if busy and not goes_on(jobs):
            st.rerun()

    watch()


def any_active(jobs: Sequence[Job]) -> bool:
    """Tell whether a job waits or is under way."""
    return any(job.state in ACTIVE for job in jobs)


def jobs_of(job_ids: Sequence[int]) -> list[Job]:
    """Load jobs by their ids, as they are now."""
    return [open_queue().get(job_id) for job_id in job_ids]


def draw_jobs(job_ids: Sequence[int]) -> None:
    """Follow jobs; the page is drawn anew when the last of them ends, or has made what can be read."""
    readable = {job.id for job in jobs_of(job_ids) if can_be_read(job)}

    def goes_on(jobs: Sequence[Job]) -> bool:
        return any_active([job for job in jobs if job.id in readable or not can_be_read(job)])

    follow_jobs(lambda: jobs_of(job_ids), draw_job, goes_on)


def draw_checks(jobs: Sequence[Job]) -> None:
    """Follow jobs of which the page shows the results already; it is drawn anew when one of them ends."""

    def draw(job: Job) -> None:
        st.caption(
            f":material/sync: {_heading(job)} · {progress_text(job)}. Its figures are there; how far they "
            "hold, the noise floor, will stand under *Provenance*."
        )

    ids = [job.id for job in jobs]
    follow_jobs(lambda: jobs_of(ids), draw, lambda current: all(job.state in ACTIVE for job in current))


def recent_jobs(kinds: Sequence[str], limit: int) -> list[Job]:
    """List the newest jobs of some kinds, the newest first."""
    jobs = [job for kind in kinds for job in open_queue().list(limit, kind=kind)]
    return sorted(jobs, key=lambda job: -job.id)[:limit]


def draw_queue(kinds: Sequence[str] = KINDS, *, on_templates: bool = False) -> None:
    """Draw all recent jobs of some kinds, refreshed each second while one is under way.

    ``on_templates``: whether it stands on the page Templates.
    """
    jobs = recent_jobs(kinds, SHOWN)
    if not jobs:
        st.caption("The queue is empty.")
        return
    draw = partial(draw_job, on_templates=on_templates)
    follow_jobs(lambda: recent_jobs(kinds, SHOWN), draw, any_active, busy=any_active(jobs))


def draw_job(job: Job, *, on_templates: bool = False) -> None:
    """Draw one job: what, how far, how fast, and the buttons that its state allows."""
    with st.container(border=True):
        asked_by = f" · {plain(job.submitter)}" if job.submitter and may_audit() else ""
        doing = "checking cells" if can_be_read(job) else DOING[job.kind]
        st.markdown(f"{_heading(job)} · {STATES[job.state].format(doing=doing)}{asked_by}")
        if job.state in ACTIVE:
            st.progress(_share_done(job), text=progress_text(job))
            if job.at is not None and job.at.sentence is not None:
                st.caption(plain(scored_sentence_note(job.at.sentence)))
        else:
            st.caption(_ended_text(job))
        if job.result and "sampling" in job.result:
            st.caption(plain(look_finding(Look.model_validate(job.result["sampling"]))))
        if job.error:
            st.error(plain(job.error))
        _draw_actions(job, on_templates=on_templates)


def can_be_read(job: Job) -> bool:
    """Tell whether a running job's result can be read already: only some of its cells are being checked."""
    return job.at is not None and job.at.stage == "checking"


def _share_done(job: Job) -> float:
    at = job.at
    done, total = (job.done, job.total) if at is None else (at.done + at.unsaved + at.begun, at.total)
    return min(1.0, done / total) if total else 0.0


def _heading(job: Job) -> str:
    if job.kind == "mine":
        mining = MineRequest.model_validate(job.payload)
        corpus = mining.corpus if mining.corpus.startswith("hf:") else PurePath(mining.corpus).name
        titles = ", ".join(topic.title for topic in mining.topics)
        return f"**{plain(mining.name)}** · {plain(titles)} · {plain(corpus)}"
    if job.kind == FETCH:
        fetched = FetchRequest.model_validate(job.payload)
        return f"**{plain(fetched.model)}** · weights · {plain(fetched.size)}"
    if job.kind == "read":
        reading = ReadRequest.model_validate(job.payload)
        return f"**{plain(reading.model)}** · {plain(reading.topic)} · {READINGS[reading.what]}"
    if job.kind == "knowledge":
        knowledge = KnowledgeRequest.model_validate(job.payload)
        return f"**{plain(knowledge.scoring.label)}** · knowledge · {plain(knowledge.title)}"
    if job.kind == FAIRPAIR:
        pairs = FairPairRequest.model_validate(job.payload)
        setting = f"temperature {pairs.key.decoding.temperature:g} · {pairs.count:,} texts a side"
        model = model_label(pairs.model, pairs.key.dtype)
        return f"**{plain(model)}** · FairPair · {plain(pairs.title)} · {plain(setting)}"
    if job.kind == CRITERIA:
        criteria = CriteriaRequest.model_validate(job.payload)
        return f"**{plain(criteria.model)}** · Criteria · {plain(criteria.title)} · {criteria.answering}"
    if job.kind == BENCHMARK:
        known_one = BenchmarkRequest.model_validate(job.payload)
        return f"**{plain(known_one.model)}** · {FACTS[known_one.benchmark].title} · {plain(known_one.title)}"
    if job.kind == EMBEDDING:
        pooled = EmbeddingRequest.model_validate(job.payload)
        return f"**{plain(', '.join(pooled.models))}** · Criteria · embedding score over all"
    scoring = ScoreRequest.model_validate(job.payload)
    goal = "" if scoring.within is None else f" · until ± {scoring.within:g}"
    return f"**{plain(scoring.model)}** · {plain(scoring.topic)}{goal}"


def progress_text(job: Job) -> str:
    """Say how far, how fast, how long still; some count bytes, and may not know of how many."""
    if job.kind in BYTES:
        text = f"{size_text(job.done)} of {size_text(job.total)}" if job.total else size_text(job.done)
        text += f" · {_so_far_text(job)}" if job.kind == "mine" else ""
        text += f" · {size_text(job.rate)} a second" if job.rate else ""
    elif job.at is not None:
        return progress_note(job.at)
    elif job.result and job.result.get("stage") == "waiting" and job.state == "queued":
        return WAITING.format(holder=plain(job.result.get("holder", "another process")))
    elif job.result and job.result.get("stage") in STAGES:
        return STAGES[job.result["stage"]].format(**job.result)
    else:
        text = f"{job.done:,} of {job.total:,} {_unit_of(job)}"
        text += f" · {job.rate:,.0f} a second" if job.rate else ""
    if job.state == "queued":
        text += _ahead_text(job)
    if job.total and job.seconds_left is not None:
        text += f" · {duration(job.seconds_left)} left"
    return text


def _ahead_text(job: Job) -> str:
    """Say which jobs are done before a waiting one, the running ones first; empty where there are none."""
    jobs = open_queue().list(RECENT)
    running = [one for one in jobs if one.state == "running"]
    waiting = [one for one in jobs if one.state == "queued" and _place_of(one) < _place_of(job)]
    if not (before := [*running, *sorted(waiting, key=_place_of)]):
        return ""
    first = _heading(before[0]) if before[0].kind in KINDS else "a sentence that somebody tries"
    return f" · after {first}" + (f" and {len(before) - 1:,} more" if len(before) > 1 else "")


def _place_of(job: Job) -> tuple[int, int]:
    """Return the sort key of waiting jobs: the highest priority first, then the oldest."""
    return -job.priority, job.id


def _unit_of(job: Job) -> str:
    if job.kind == CRITERIA and CriteriaRequest.model_validate(job.payload).answering == "scored":
        return "prompts"
    if job.kind == EMBEDDING:
        return "embeddings"
    if job.kind == BENCHMARK:
        return "items"
    return "texts" if job.kind in TEXTS else "cells"


def _so_far_text(job: Job) -> str:
    so_far = job.result or {"documents": 0, "matches": 0}
    return f"{count(so_far['documents'], 'document')}, {count(so_far['matches'], 'match', 'matches')} so far"


def _ended_text(job: Job) -> str:
    """Say how much a job did before it ended."""
    if job.kind == "mine":
        return plain(mining_finding(job.result)) if job.result and job.state == "done" else _so_far_text(job)
    if job.kind == FETCH:
        text = job.result.get("said", "") if job.result and job.state == "done" else ""
        return plain(text) or f"{size_text(job.done)} were fetched; files that are whole are kept"
    if job.kind in (*TEXTS, EMBEDDING, BENCHMARK):
        return f"{job.done:,} of {job.total:,} {_unit_of(job)}" if job.total else "all of it was there"
    cells = f"{job.done:,} of {job.total:,} cells" if job.total else "nothing had to be scored"
    return cells if job.kind in NO_RUN else f"{cells} · run {job.key}"


def _draw_actions(job: Job, *, on_templates: bool) -> None:
    queue, mine = open_queue(), may_audit()
    with st.container(horizontal=True):
        if (
            mine
            and job.state in ACTIVE
            and st.button("Cancel", key=f"cancel_{job.id}", icon=":material/close:")
        ):
            write(queue.cancel, job.id)
            st.rerun()
        if mine and job.state in ENDED_EARLY:
            label = "Resume" if job.state == "cancelled" else "Retry"
            if st.button(label, key=f"retry_{job.id}", icon=":material/play_arrow:"):
                retry(job)
        if (job.state == "done" or can_be_read(job)) and job.kind not in NO_RUN:
            _draw_links(job, on_templates=on_templates)


def _draw_links(job: Job, *, on_templates: bool) -> None:
    """Draw links to what a finished job has made.

    On the page Templates a link would not do: it has to lead to another page (:mod:`pcf_core.app.links`).
    """
    if job.kind == FAIRPAIR:
        from pcf_core.app.fairpair.request import parameters_of as parameters_of_fairpair

        parameters_there = parameters_of_fairpair(job.key)
        if parameters_there is not None:
            draw_link(FAIRPAIR_TAB, FAIRPAIR_TAB.tab, parameters_there)
        return
    if job.kind == CRITERIA:
        from pcf_core.app.criteria.request import parameters_of as parameters_of_criteria

        parameters_there = parameters_of_criteria(job.key)
        if parameters_there is not None:
            draw_link(CRITERIA_TAB, CRITERIA_TAB.tab, parameters_there)
        return
    if job.kind == "mine":
        name = MineRequest.model_validate(job.payload).name
        label, icon = f"Open {plain(name)}", ":material/list_alt:"
        if not on_templates:
            draw_link(TEMPLATES, label, {"set": name}, icon)
        elif st.button(label, key=f"open_{job.id}", icon=icon):
            point_at(name, "see")
            st.rerun()
        return
    try:
        run = open_store().load_run(ScoreRequest.model_validate(job.payload).run)
    except AuditError as error:
        st.caption(plain(str(error)))
        return
    parameters = parameters_of(run)
    for page, label in ((HEAT_MAP, "Heat map"), (TILT, "Tilt"), (RISK, "Risk"), (CAPRICE, "Caprice")):
        draw_link(page, label, parameters)


def retry(job: Job) -> None:
    """Queue a job again, and start a worker if there is none."""
    try:
        write(open_queue().retry, job.id)
        keep_a_worker()
    except AuditError as error:
        st.error(plain(str(error)))
    else:
        st.rerun()
