"""Run an audit: measure models now.  Form on the left, estimate on the right, button and queue below."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pcf_core.app.addresses import OVERVIEW, precisions_called
from pcf_core.app.choice import current_choice
from pcf_core.app.links import draw_link
from pcf_core.app.lists import parameters_of
from pcf_core.app.page import draw_absent
from pcf_core.app.queue import draw_queue, expect_work
from pcf_core.app.run.imports import draw_import
from pcf_core.app.run.request import (
    Request,
    declared_model,
    declared_run,
    draw_estimates,
    draw_heaviest_note,
    draw_other_lists,
    draw_request,
    draw_word_check,
    requested_runs,
)
from pcf_core.app.scoring import submit
from pcf_core.app.shell import show
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.run import RunSpec
from pcf_core.models.public import absent_among


def queue_all(
    request: Request, runs: Sequence[RunSpec], missing: Mapping[str, int], unfetched: Sequence[str]
) -> bool:
    """Queue every run that lacks cells; of models that are not here too, as far as the hub tells of them.

    Tell whether all are queued; why one is not has been said else.
    """
    wanted, refused = [run for run in runs if missing.get(run.key) != 0], False
    for model in unfetched:
        try:
            wanted.append(requested_runs(request, model))
        except AuditError as error:
            draw_refusal(model, error)
            refused = True
    try:
        for run in wanted:
            submit(run, missing.get(run.key))
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return False
    return not refused


def draw_refusal(model: str, error: AuditError) -> None:
    """Say why a model cannot be scored."""
    st.error(f"**{plain(model)}:** {plain(str(error))}", icon=":material/error:")


def draw_scored(request: Request, runs: Sequence[RunSpec]) -> None:
    """Say that nothing is left to score, and lead to the results."""
    st.success("All of this is scored already.", icon=":material/check:")
    of_all = {
        "model": [run.scoring.name for run in runs],
        "precision": precisions_called([request.precision]),
    }
    draw_link(OVERVIEW, "See the results", parameters_of(runs[0]) | of_all, ":material/table_chart:")


def draw() -> None:
    """Draw the page."""
    st.title("Run an audit")
    st.markdown("##### Which models do you want to measure, on which topic?")
    left, right = st.columns([3, 2], gap="large")
    with left:
        request = draw_request()
        draw_absent([name for name in absent_among(current_choice().models) if name not in request.models])
    runs, unfetched = [], []
    missing: dict[str, int] = {}
    with right:
        for model in request.models:
            try:
                if (declared := declared_model(model)) is not None:
                    unfetched.append((declared_run(request, model, declared), declared))
                else:
                    runs.append(requested_runs(request, model))
            except AuditError as error:
                draw_refusal(model, error)
        if runs or unfetched:
            missing = draw_estimates(runs, unfetched)
        if runs:
            draw_heaviest_note(request, runs[0])
            draw_other_lists(runs)
            draw_word_check(runs)
        elif not request.models:
            st.info("Choose one or more models to see what scoring them costs.", icon=":material/arrow_back:")
    # Below both: on a telephone the estimate stands between the form and the button.
    if runs and not unfetched and all(missing.get(run.key) == 0 for run in runs):
        draw_scored(request, runs)
    elif st.button(
        "Run the audit",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not (runs or unfetched),
        key="score_button",
    ) and queue_all(request, runs, missing, [run.scoring.model for run, _ in unfetched]):
        st.rerun()
    st.subheader("Queue")
    draw_queue()
    draw_import()
    expect_work()


show(draw)
