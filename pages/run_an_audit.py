"""Run an audit: measure models now.  Form on the left, estimate on the right, the queue below."""

import streamlit as st

from pcf_core.app.page import submit
from pcf_core.app.queue import draw_queue
from pcf_core.app.request import draw_estimate, draw_request, requested_runs
from pcf_core.app.shell import show
from pcf_core.app.text import plain
from pcf_core.app.words import draw_word_check
from pcf_core.core.errors import AuditError


def draw() -> None:
    """Draw the page."""
    st.title("Run an audit")
    st.markdown("##### Which models do you want to measure, on which topic?")
    left, right = st.columns([3, 2], gap="large")
    with left:
        request = draw_request()
    runs = []
    missing: dict[str, int] = {}
    with right:
        for model in request.models:
            try:
                runs.append(requested_runs(request, model))
            except AuditError as error:
                st.error(f"**{plain(model)}:** {plain(str(error))}", icon=":material/error:")
        if runs:
            missing = draw_estimate(runs)
            draw_word_check(runs)
        elif not request.models:
            st.info("Choose one or more models to see what scoring them costs.", icon=":material/arrow_back:")
    with left:
        if st.button(
            "Run the audit",
            type="primary",
            icon=":material/play_arrow:",
            disabled=not runs,
            key="score_button",
        ):
            try:
                for run in runs:
                    submit(run, missing.get(run.key))
            except AuditError as error:
                st.error(plain(str(error)), icon=":material/error:")
            else:
                st.rerun()
    st.subheader("Queue")
    draw_queue()


show(draw)
