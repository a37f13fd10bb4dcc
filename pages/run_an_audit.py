"""Run an audit: form on the left, estimate on the right, button and queue below."""

from dataclasses import replace
from functools import partial

import streamlit as st

from pcf_core.app.addresses import OVERVIEW, precisions_called
from pcf_core.app.choice import current_choice
from pcf_core.app.frames import draw_chats, draw_rendered
from pcf_core.app.links import draw_link
from pcf_core.app.lists import parameters_of
from pcf_core.app.page import draw_absent
from pcf_core.app.queue import draw_queue, expect_work
from pcf_core.app.run.costs import Costs, Start, costs_of, draw_costs, queue_all, start_or_ask
from pcf_core.app.run.imports import draw_import
from pcf_core.app.run.request import (
    HEAVIEST,
    Plan,
    draw_heaviest_note,
    draw_other_lists,
    draw_refusal,
    draw_request,
    draw_word_check,
    plan_of,
)
from pcf_core.app.shell import show
from pcf_core.models.public import absent_among


def draw_finished(plan: Plan) -> None:
    """Say that nothing is left to run, with a link to the results."""
    st.success("All of these results are here already.", icon=":material/check:")
    of_all = {
        "model": [run.scoring.name for run in plan.runs],
        "precision": precisions_called([plan.request.precision]),
    }
    draw_link(OVERVIEW, "Open the results", parameters_of(plan.runs[0]) | of_all, ":material/table_chart:")


def draw_start(plan: Plan, costs: Costs) -> None:
    """Draw the button that starts the request, with a question if it is long."""
    pressed = st.button(
        "Run the audit",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not plan.every_run,
        key="score_button",
    )
    shorter = None
    if plan.can_be_shorter:
        words = f"First {HEAVIEST} sentences"
        shorter = words, Start(lambda: short_costs(plan).total, lambda: queue_all(plan.shorter(), {}))
    whole = Start(lambda: costs.total, partial(queue_all, plan, costs.missing))
    if start_or_ask(pressed, [run.key for run in plan.every_run], whole, shorter):
        st.rerun()


def short_costs(plan: Plan) -> Costs:
    """Estimate the same request with only the most common sentences."""
    short = plan.shorter()
    return costs_of(short.runs, short.unfetched)


def draw() -> None:
    """Draw the page."""
    st.title("Run an audit")
    st.markdown("##### Which models do you want to measure, on which topic?")
    left, right = st.columns([3, 2], gap="large")
    with left:
        request = draw_request()
        draw_absent([name for name in absent_among(current_choice().models) if name not in request.models])
    costs = Costs()
    with right:
        chats = draw_chats(request.models, request.frames)
        for model, error in chats.refused.items():
            draw_refusal(model, error)
        request = replace(request, rendered=chats.frames)
        plan = Plan(request) if chats.waiting else plan_of(request)
        draw_rendered(chats.frames)
        if plan.every_run:
            costs = costs_of(plan.runs, plan.unfetched)
            draw_costs(costs, plan.runs, plan.unfetched)
        if plan.runs:
            draw_heaviest_note(request, plan.runs[0])
            draw_other_lists(plan.runs)
            if scored := [run for run in plan.runs if run.scoring.sampled is None]:
                draw_word_check(scored)
        elif not request.models:
            st.info(
                "Choose one or more models to see how long the audit takes.", icon=":material/arrow_back:"
            )
    # Below both columns, so that on a telephone the estimate comes before the button.
    is_whole = bool(plan.runs) and len(plan.runs) == request.wanted
    if is_whole and all(costs.missing.get(run.key) == 0 for run in plan.runs):
        draw_finished(plan)
    else:
        draw_start(plan, costs)
    st.subheader("Queue")
    draw_queue()
    draw_import()
    expect_work()


show(draw)
