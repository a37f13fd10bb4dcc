"""The queue as a person sees it: state, progress, time left, and buttons; also readings of large runs."""

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
from pcf_core.app.templates.keeping import point_at
from pcf_core.app.titles import set_titles
from pcf_core.app.widgets import plain, plain_titled, size_text
from pcf_core.core.errors import AuditError
from pcf_core.core.risk import Look
from pcf_core.core.settings import settings
from pcf_core.show.findings.material import mining_finding
from pcf_core.show.findings.notes import duration, look_finding, progress_note
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.partial import scored_sentence_note
from pcf_core.texts.benchmarks.registry import BENCHMARKS
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
NO_RUN = ("read", "knowledge", EMBEDDING, BENCHMARK, FETCH)  # kinds without a result to open
WITHOUT_MODEL = ("mine", "read", EMBEDDING, FETCH)
DOING = {
    "score": "running",
    "mine": "extracting sentences",
    "read": "calculating",
    "knowledge": "running",
    FAIRPAIR: "writing and comparing texts",
    CRITERIA: "collecting answers",
    EMBEDDING: "learning word vectors",
    BENCHMARK: "running",
    FETCH: "downloading",
}
TEXTS = (FAIRPAIR, CRITERIA)  # kinds that count texts
BYTES = ("mine", FETCH)  # kinds that count bytes
STAGES = {  # except of scoring, see Progress
    "perturbing": "replacing words, {done:,} of {total:,} prompts",
    "measuring": "comparing the texts",
    "reading": "analysing the answers",
}
WAITING = "Waiting: {holder} is running the same request. Other requests go first"
BY_HAND = "start one with `python -m pcf_core worker`"
STARTING_SECONDS = 10  # of a worker and a small model
READINGS = {"preferences": "results with other reading options", "sensitivity": "sensitivity to choices"}
STATES = {
    "queued": ":material/schedule: waiting",
    "running": ":material/sync: {doing}",
    "done": ":material/check_circle: finished",
    "failed": ":material/error: failed",
    "cancelled": ":material/cancel: cancelled",
}
CANCELLING = ":material/hourglass_top: cancelling; what is finished is kept"
EXPECTED = "work_expected"


def keep_a_worker() -> None:
    """Start a worker if none is alive."""
    if settings().start_worker and may_audit():
        write(ensure_worker, settings())


def expect_work() -> None:
    """Start a worker once a session on pages that queue jobs; errors are shown when a job is queued."""
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
    """Draw jobs each second while they go on (once if not ``busy``), then redraw the page."""

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
    """Return whether a job is queued or running."""
    return any(job.state in ACTIVE for job in jobs)


def jobs_of(job_ids: Sequence[int]) -> list[Job]:
    """Load jobs by their ids."""
    return [open_queue().get(job_id) for job_id in job_ids]


def draw_jobs(job_ids: Sequence[int]) -> None:
    """Follow jobs; draw the page again when the last of them ends, or when its result can be read."""
    readable = {job.id for job in jobs_of(job_ids) if can_be_read(job)}

    def goes_on(jobs: Sequence[Job]) -> bool:
        return any_active([job for job in jobs if job.id in readable or not can_be_read(job)])

    follow_jobs(lambda: jobs_of(job_ids), draw_job, goes_on)


def draw_checks(jobs: Sequence[Job]) -> None:
    """Follow jobs whose results the page shows already; draw it again when one of them ends."""

    def draw(job: Job) -> None:
        st.caption(
            f":material/sync: {_heading(job)} · {progress_text(job)}. The results are complete. Their "
            "numerical precision, the noise floor, will be shown under *Method and provenance*."
        )

    ids = [job.id for job in jobs]
    follow_jobs(lambda: jobs_of(ids), draw, lambda current: all(job.state in ACTIVE for job in current))


def recent_jobs(kinds: Sequence[str], limit: int) -> list[Job]:
    """List the newest jobs of some kinds, the newest first."""
    jobs = [job for kind in kinds for job in open_queue().list(limit, kind=kind)]
    return sorted(jobs, key=lambda job: -job.id)[:limit]


def draw_queue(kinds: Sequence[str] = KINDS, *, on_templates: bool = False) -> None:
    """Draw recent jobs of some kinds, refreshed each second while one is active."""
    jobs = recent_jobs(kinds, SHOWN)
    if not jobs:
        st.caption("The queue is empty.")
        return
    draw = partial(draw_job, on_templates=on_templates)
    follow_jobs(lambda: recent_jobs(kinds, SHOWN), draw, any_active, busy=any_active(jobs))


def draw_job(job: Job, *, on_templates: bool = False) -> None:
    """Draw one job: what, how far, how fast, and buttons."""
    with st.container(border=True):
        asked_by = f" · {plain(job.submitter)}" if job.submitter and may_audit() else ""
        doing = "checking test sentences" if can_be_read(job) else DOING[job.kind]
        state = CANCELLING if job.is_cancelling else STATES[job.state].format(doing=doing)
        st.markdown(f"{_heading(job)} · {state}{asked_by}")
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
    """Return whether a running job's result is complete, and only test sentences are being checked."""
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
        return f"**{plain_titled(fetched.model)}** · weights · {plain(fetched.size)}"
    if job.kind == "read":
        reading = ReadRequest.model_validate(job.payload)
        return f"**{plain_titled(reading.model)}** · {plain(reading.topic)} · {READINGS[reading.what]}"
    if job.kind == "knowledge":
        knowledge = KnowledgeRequest.model_validate(job.payload)
        return f"**{plain_titled(knowledge.scoring.label)}** · knowledge · {plain(knowledge.title)}"
    if job.kind == FAIRPAIR:
        pairs = FairPairRequest.model_validate(job.payload)
        setting = f"temperature {pairs.key.decoding.temperature:g} · {pairs.count:,} texts a side"
        return f"**{plain_titled(pairs.key.label)}** · FairPair · {plain(pairs.title)} · {plain(setting)}"
    if job.kind == CRITERIA:
        criteria = CriteriaRequest.model_validate(job.payload)
        model = criteria.model if criteria.key is None else criteria.key.name
        return f"**{plain_titled(model)}** · Criteria · {plain(criteria.title)} · {criteria.answering}"
    if job.kind == BENCHMARK:
        known_one = BenchmarkRequest.model_validate(job.payload)
        what = f"{BENCHMARKS[known_one.benchmark].title} · {plain(known_one.title)}"
        return f"**{plain_titled(known_one.name or known_one.model)}** · {what}"
    if job.kind == EMBEDDING:
        pooled = EmbeddingRequest.model_validate(job.payload)
        return f"**{plain_titled(', '.join(pooled.models))}** · Criteria · embedding score over all"
    scoring = ScoreRequest.model_validate(job.payload)
    goal = "" if scoring.within is None else f" · until ± {scoring.within:g}"
    return f"**{plain_titled(scoring.model)}** · {plain(scoring.topic)}{goal}"


def progress_text(job: Job) -> str:
    """Write a job's progress, speed and time left."""
    if job.kind in BYTES:
        text = f"{size_text(job.done)} of {size_text(job.total)}" if job.total else size_text(job.done)
        text += f" · {_so_far_text(job)}" if job.kind == "mine" else ""
        text += f" · {size_text(job.rate)} a second" if job.rate else ""
    elif job.at is not None:
        return _starting_text(job.at.seconds_left) if job.at.stage == "loading" else progress_note(job.at)
    elif job.result and job.result.get("stage") == "waiting" and job.state == "queued":
        return WAITING.format(holder=plain(job.result.get("holder", "another process")))
    elif job.result and job.result.get("stage") in STAGES:
        return STAGES[job.result["stage"]].format(**job.result)
    else:
        text = f"{job.done:,} of {job.total:,} {_unit_of(job)}" if job.total else ""
        text += f" · {job.rate:,.0f} a second" if job.rate else ""
    left = job.seconds_left if job.total else None
    parts = [
        _waiting_text(job) if job.state == "queued" else "",
        text,
        "" if left is None else f"{duration(left)} left",
    ]
    return " · ".join(filter(None, parts))


def _starting_text(seconds: float | None) -> str:
    time = f"about {STARTING_SECONDS} seconds, minutes if it is large"
    if seconds is not None:
        time = f"about {duration(seconds)}"
    return f"Starting the model ({time})"


def _waiting_text(job: Job) -> str:
    """Say what a queued job waits for: requests before it, or a worker."""
    jobs = open_queue().list(RECENT)
    running = [one for one in jobs if one.state == "running"]
    waiting = [one for one in jobs if one.state == "queued" and _rank_of(one) < _rank_of(job)]
    if before := [*running, *sorted(waiting, key=_rank_of)]:
        first = _heading(before[0]) if before[0].kind in KINDS else "a typed sentence"
        if before[0].at is not None:
            first += f": {progress_text(before[0])}"
        more = f" and {len(before) - 1:,} more" if len(before) > 1 else ""
        return f"Waiting for another request ({first}{more})"
    if not settings().start_worker and not open_queue().workers():
        return f"No worker is running: {BY_HAND}"
    return "Starting (a few seconds)" if job.kind in WITHOUT_MODEL else _starting_text(None)


def _rank_of(job: Job) -> tuple[int, int]:
    """Return the sort key of waiting jobs: highest priority, then oldest."""
    return -job.priority, job.id


def _unit_of(job: Job) -> str:
    if job.kind == CRITERIA and CriteriaRequest.model_validate(job.payload).answering == "scored":
        return "prompts"
    if job.kind == EMBEDDING:
        return "embeddings"
    if job.kind == BENCHMARK:
        return "items"
    return "texts" if job.kind in TEXTS else "test sentences"


def _so_far_text(job: Job) -> str:
    so_far = job.result or {"documents": 0, "matches": 0}
    return f"{count(so_far['documents'], 'document')}, {count(so_far['matches'], 'match', 'matches')} so far"


def _ended_text(job: Job) -> str:
    if job.kind == "mine":
        return plain(mining_finding(job.result)) if job.result and job.state == "done" else _so_far_text(job)
    if job.kind == FETCH:
        text = job.result.get("said", "") if job.result and job.state == "done" else ""
        return plain(text) or f"{size_text(job.done)} were downloaded; complete files are kept"
    done = f"{job.done:,} of {job.total:,} {_unit_of(job)}" if job.total else "all results were there already"
    scored = (job.result or {}).get("run", job.key)  # under the opening that the model expects
    return done if job.kind in (*NO_RUN, *TEXTS) else f"{done} · run {scored}"


def _draw_actions(job: Job, *, on_templates: bool) -> None:
    mine = may_audit()
    with st.container(horizontal=True):
        if mine and job.state in ACTIVE and not job.stop:
            st.button(
                "Cancel", key=f"cancel_{job.id}", icon=":material/close:", on_click=_cancel, args=(job.id,)
            )
        if mine and job.state in ENDED_EARLY:
            label = "Resume" if job.state == "cancelled" else "Retry"
            if st.button(label, key=f"retry_{job.id}", icon=":material/play_arrow:"):
                retry(job)
        if (job.state == "done" or can_be_read(job)) and job.kind not in NO_RUN:
            _draw_links(job, on_templates=on_templates)


def _draw_links(job: Job, *, on_templates: bool) -> None:
    """Draw links to a finished job's result; on Templates a button, since links must lead elsewhere."""
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
        label, icon = f"Open {plain(set_titles()(name))}", ":material/list_alt:"
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


def _cancel(job_id: int) -> None:
    """Cancel a job in a callback, so that the press is answered at once."""
    queue = open_queue()
    try:
        write(queue.cancel, job_id)
    except AuditError as error:
        st.toast(plain(str(error)), icon=":material/error:")


def retry(job: Job) -> None:
    """Queue a job again, and start a worker if there is none."""
    try:
        write(open_queue().retry, job.id)
        keep_a_worker()
    except AuditError as error:
        st.error(plain(str(error)))
    else:
        st.rerun()
