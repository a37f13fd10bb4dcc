"""The tab Audit plan of Report: a form, a button that runs what is missing, and the report to be signed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from pcf_core.app.caching import open_queue, open_store
from pcf_core.app.choice import DEFAULT_MODELS, current_choice, draw_option
from pcf_core.app.data import must_wait
from pcf_core.app.frames import draw_chats, draw_rendered
from pcf_core.app.lists import template_sets, topics
from pcf_core.app.own import upload_file
from pcf_core.app.page import draw_commands
from pcf_core.app.report import draw_report
from pcf_core.app.roles import draw_why_not, may_audit
from pcf_core.app.run.costs import Costs, Start, cost_text, costs_of, queue_all, start_or_ask
from pcf_core.app.run.request import Plan, Request, draw_refusal, plan_of
from pcf_core.app.scoring import follow_readings, submit
from pcf_core.app.titles import mapping_titles, model_titles, set_titles, topic_titles
from pcf_core.app.widgets import adopt_next, plain, plain_titled, point_at, refusals_said
from pcf_core.audit.options import ViewOptions
from pcf_core.core.errors import AuditError
from pcf_core.core.options import declared, page_values
from pcf_core.core.records import digest
from pcf_core.core.run import RunSpec
from pcf_core.models.names import is_model_allowed
from pcf_core.models.registry import list_models
from pcf_core.report.plan import AuditPlan, check_limits, plan_request, plan_toml, uploaded_plan
from pcf_core.show.findings.numbers import count

FILE = "audit-plan.toml"
# Session keys: the started plan, with its report once that is requested; why an upload is refused.
STARTED = "plan_started"
REFUSED = "plan_refused"
LIMITS = ("max_risk", "max_prejudice", "max_caprice", "min_impact_ratio", "cannot_tell")
CHAT = ("system", "instruction")


def draw_plan() -> None:
    """Draw the form, what it costs, the button, and the report once everything is there."""
    if not may_audit():
        draw_why_not()
        return
    adopt_next()
    left, right = st.columns([3, 2], gap="large")
    with left:
        values = _draw_form()
    with right:
        _draw_upload()
        if not values["purpose"]:
            return
        try:
            plan = AuditPlan.model_validate(values)
            policy, wanted, waiting = plan.policy, *_wanted(plan)
            runs = tuple(run for one in wanted for run in one.runs)
            if policy is not None:
                check_limits(policy, runs)
        except AuditError as error:
            st.info(plain(str(error)), icon=":material/edit:")
            return
        costs = costs_of(runs, [pair for one in wanted for pair in one.unfetched])
        every = [run for one in wanted for run in one.every_run]
        if every:
            st.markdown(
                f"**{count(len(every), 'result')}** · {cost_text(costs.total)}", help=costs.total.basis
            )
        _draw_saving(plan)
    _draw_start(plan, wanted, costs, ready=bool(every) and not waiting)
    if not waiting and len(every) < plan.results:
        _draw_refused(plan.results - len(every), plan.results)
    if st.session_state.get(STARTED, ("",))[0] == digest(plan.model_dump()) and not waiting:
        _draw_result(plan, runs)


def _draw_form() -> dict[str, Any]:
    """Draw every option of a plan; return the values by field."""
    options, choice = declared(AuditPlan), current_choice()
    here = [spec.name for spec in list_models() if spec.path and is_model_allowed(spec.name)]
    opened = [name for name in choice.models if name in here] or list(DEFAULT_MODELS)
    titles = mapping_titles()
    values = {"purpose": draw_option(options["purpose"])}
    if not values["purpose"]:
        st.caption("State the purpose first. Then the cost and the button *Run the audit* appear.")

    def draw(name: str, offered: Iterable[str], **more: Any) -> None:
        values[name] = draw_option(options[name], offered=offered, **more)

    draw(
        "models",
        here,
        default=opened,
        format_func=model_titles(here),
        accept_new_options=True,
        select_all=False,
    )
    draw(
        "topics",
        topics(),
        default=[choice.topic] if choice.topic in topics() else None,
        format_func=topic_titles(),
    )
    st.markdown("**Limits** for every topic")
    for start in range(0, len(LIMITS), 2):  # row by row, so that a telephone keeps the order
        for name, column in zip(LIMITS[start : start + 2], st.columns(2), strict=False):
            values[name] = draw_option(options[name], column)
    draw("mappings", titles.by_name, format_func=titles)
    with st.expander("Choose the sentences, or use a chat"):
        draw("templates", template_sets(), format_func=set_titles())
        values["kind"] = draw_option(options["kind"])
        if values["kind"] == "chat":
            draw("system", (), accept_new_options=True)
            values["instruction"] = draw_option(options["instruction"])
    return values


def _wanted(plan: AuditPlan) -> tuple[list[Plan], bool]:
    """Return the runs of each topic, and whether a worker still has to write the models' chats."""
    lists = plan.lists
    frames = [plan.frames.about(topic) for topic, _, _ in lists]
    chats = {one: draw_chats(plan.models, one) for one in dict.fromkeys(frames)}
    for model, error in {
        model: error for one in chats.values() for model, error in one.refused.items()
    }.items():
        draw_refusal(model, error)
    for one in chats.values():
        draw_rendered(one.frames)
    requests = [
        Request(
            models=plan.models,
            topic=topic.name,
            templates=templates.name,
            evidence=evidence.name,
            protocol="exact",
            frames=around,
            rendered=chats[around].frames,
        )
        for (topic, evidence, templates), around in zip(lists, frames, strict=True)
    ]
    waiting = any(one.waiting for one in chats.values())
    return ([] if waiting else list(map(plan_of, requests))), waiting


def _draw_start(plan: AuditPlan, wanted: Sequence[Plan], costs: Costs, *, ready: bool) -> None:
    """Draw the button that runs what is missing, with a question if that takes long."""

    def enqueue() -> bool:
        queued = [queue_all(one, costs.missing) for one in wanted]
        st.session_state[STARTED] = digest(plan.model_dump()), None
        return all(queued)

    pressed = st.button(
        "Run the audit", type="primary", icon=":material/play_arrow:", disabled=not ready, key="plan_button"
    )
    keys = [run.key for one in wanted for run in one.every_run]
    if start_or_ask(pressed, keys, Start(lambda: costs.total, enqueue), None):
        st.rerun()


def _draw_result(plan: AuditPlan, runs: tuple[RunSpec, ...]) -> None:
    """Draw what is still running or has failed, else the report."""
    options = ViewOptions()
    if not all(map(open_store().is_finished, runs)):
        _draw_rows(runs)
        return
    if unread := [run for run in runs if must_wait(run, "preferences", options)]:
        follow_readings((run, "preferences", options) for run in unread)
        return
    name, request = st.session_state[STARTED]
    if request is None:
        request = plan_request(open_store(), plan, runs)
        st.session_state[STARTED] = name, request
    st.divider()
    draw_report(request, at_once=True)


def _draw_rows(runs: Sequence[RunSpec]) -> None:
    """Draw the state of every result, and a button for what ended early or never began."""
    from pcf_core.app.queue import ACTIVE, draw_job, follow_jobs, jobs_of

    jobs, idle, finished = list[int](), list[RunSpec](), 0
    for run in runs:
        name = f"**{plain_titled(run.scoring.label)}** · {plain(run.topic.title)}"
        job = open_queue().newest("score", run.key)
        if open_store().is_finished(run):
            finished += 1
            st.markdown(f"{name} · :material/check_circle: finished")
        elif job is not None and job.state in ACTIVE:
            jobs.append(job.id)
        else:
            idle.append(run)
            if job is None or job.error is None:
                st.markdown(f"{name} · :material/do_not_disturb_on: not finished")
            else:
                st.error(f"{name}: {plain(job.error)}", icon=":material/error:")
    if jobs:  # the page is drawn again when one ends, and its row is then another
        follow_jobs(lambda: jobs_of(jobs), draw_job, lambda now: all(job.state in ACTIVE for job in now))
    if idle:
        _draw_again(idle)
    st.caption(f"{finished} of {count(len(runs), 'result')} finished. The report follows when all are.")


def _draw_refused(refused: int, results: int) -> None:
    """Draw a button after refusals, such as those of a server that was off; the press itself asks again."""
    st.caption(f"{refused} of {count(results, 'result')} cannot be run, for the reason above.")
    st.button("Try again", key="plan_ask_again", icon=":material/replay:")


def _draw_again(runs: Sequence[RunSpec]) -> None:
    """Draw a button that runs again what failed, was refused or was cancelled."""
    if st.button("Try again", key="plan_again", icon=":material/replay:"):
        with refusals_said():
            for run in runs:
                submit(run)
            st.rerun()


def _draw_saving(plan: AuditPlan) -> None:
    """Draw the plan's file and the command that carries it out."""
    st.download_button(
        "Save the plan (TOML)",
        lambda: plan_toml(plan),
        FILE,
        "application/toml",
        key="plan_save",
        on_click="ignore",
        icon=":material/download:",
    )
    with st.expander("In a pipeline", icon=":material/terminal:"):
        draw_commands(f"python -m pcf_core audit {FILE}")
        st.caption("It ends with 0 if every limit is kept, 3 if one is exceeded.")


def _draw_upload() -> None:
    """Draw the field for a saved plan, which fills in the form."""
    with st.expander("Open a saved plan", icon=":material/upload_file:"):
        upload_file("Plan", [".toml"], 1, "plan_file", "A TOML file that was saved here.", _open)
        if message := st.session_state.get(REFUSED):
            st.error(plain(message), icon=":material/error:")


def _open() -> None:
    """Read the uploaded plan, and choose what it says."""
    state = st.session_state
    state.pop(REFUSED, None)
    if (file := state["plan_file"]) is None:
        return
    try:
        point_at(page_values(uploaded_plan(file.name, file.getvalue())))
    except AuditError as error:
        state[REFUSED] = str(error)
