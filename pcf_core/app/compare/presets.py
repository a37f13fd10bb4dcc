"""The ready comparisons, a button each; :mod:`pcf_core.app.compare.axis` draws their findings.

A button sets the shared choice, queues missing runs and opens Compare.
"""

from __future__ import annotations

import streamlit as st

from pcf_core.app.addresses import Choice
from pcf_core.app.choice import choose_topic, current_choice
from pcf_core.app.data import asked_run, finished, scored_models
from pcf_core.app.links import follow
from pcf_core.app.roles import may_audit
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.run import model_label
from pcf_core.models.presets import Preset, presets

PAGE = "compare"
VIEW = "along an axis"
OPENING = "preset_opening"
REFUSED = "preset_refused"


def draw_presets() -> None:
    """Draw the buttons, and why the last press was refused."""
    ready = presets(scored_models())
    if not ready:
        return
    shown, auditor = set(current_choice().models), may_audit()
    st.markdown("**Ready comparisons**")
    with st.container(horizontal=True):
        for preset in ready:
            st.button(
                plain(preset.title),
                key=f"preset_{preset.name}",
                help=plain(preset.help) + (" What is not scored yet is queued." if auditor else ""),
                icon=":material/check:" if set(preset.models) == shown else ":material/compare_arrows:",
                on_click=_take,
                args=(preset,),
            )
    refused = st.session_state.pop(REFUSED, "")
    if refused:
        st.error(plain(refused), icon=":material/error:")


def _take(preset: Preset) -> None:
    """Choose the models and the view of a ready comparison, and queue what is missing."""
    state = st.session_state
    if preset.topic:
        choose_topic(preset.topic)
    if preset.templates:
        state["templates"] = preset.templates
    state["model"], state[OPENING] = list(preset.models), preset.axis
    state[REFUSED] = _queue_missing(current_choice()) if may_audit() else ""


def _queue_missing(choice: Choice) -> str:
    """Queue missing runs that the protocol allows; return why that was refused, or ""."""
    from pcf_core.app.scoring import scorable, submit  # imported late: few press

    try:
        runs = {model_label(*one): asked_run(choice, *one) for one in choice.asked}
        missing, _ = scorable({label: run for label, run in runs.items() if not finished(run)})
        for run in missing.values():
            submit(run)
    except AuditError as error:
        return str(error)
    return ""


def follow_preset() -> None:
    """Open Compare if a ready comparison was chosen."""
    axis = st.session_state.pop(OPENING, None)
    if axis is not None:
        follow(PAGE, {**current_choice().parameters, "compare_view": VIEW, "compare_axis": axis})
