"""The ready comparisons: a button each, which chooses the models, queues what is missing and opens Compare.

The button's callback sets the shared choice, so that topic, templates and options stay and the URL follows;
the frame then goes to Compare, before another page works anything out.
"""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pcf_core.audit import build_run
from pcf_core.errors import AuditError, RunError
from pcf_core.models import resolve
from pcf_core.models.presets import preset_of, presets
from pcf_core.records import RunSpec
from pcf_core.records.presets import Preset
from pcf_core.ui.choice import Choice, current_choice
from pcf_core.ui.page import scorable, submit
from pcf_core.ui.roles import may_audit
from pcf_core.ui.stores import open_store
from pcf_core.ui.text import plain
from pcf_core.ui.versions import named_or_kept

PAGE = "compare"
VIEW = "along an axis"
OPENING = "preset_opening"
REFUSED = "preset_refused"


def draw_presets() -> None:
    """The row of buttons, and why a press was refused."""
    ready = presets()
    if not ready:
        return
    chosen, auditor = preset_of(current_choice().models), may_audit()
    st.markdown("**Ready comparisons**")
    with st.container(horizontal=True):
        for preset in ready:
            st.button(
                plain(preset.title),
                key=f"preset_{preset.name}",
                help=f"{plain(preset.help)} What is not scored yet is queued."
                if auditor
                else plain(preset.help),
                icon=":material/check:" if preset is chosen else ":material/compare_arrows:",
                on_click=take,
                args=(preset,),
            )
    refused = st.session_state.pop(REFUSED, "")
    if refused:
        st.error(plain(refused), icon=":material/error:")


def take(preset: Preset) -> None:
    """Choose the models of a ready comparison and the view that suits, and queue what is missing."""
    state, view = st.session_state, {"compare_view": VIEW, "compare_axis": preset.axis}
    state[OPENING] = {key: value for key, value in view.items() if key not in state}
    state["model"] = list(preset.models)
    for key, value in view.items():
        state[key] = value
    state[REFUSED] = queue_missing(current_choice()) if may_audit() else ""


def queue_missing(choice: Choice) -> str:
    """Queue every run of the choice that is not finished; why that was refused, or nothing.

    A model that the protocol does not allow is left out: Compare says so, as every page does.
    """
    try:
        missing, _ = scorable(unfinished(choice))
        for run in missing.values():
            submit(run)
    except AuditError as error:
        return str(error)
    return ""


def unfinished(choice: Choice) -> dict[str, RunSpec]:
    """The runs of the choice that the store has not, by model.

    Raises:
        AuditError: a model or a list that cannot be read.
    """
    lists = named_or_kept(choice.topic, choice.evidence, choice.templates)
    runs = {model: build_run(resolve(model), *lists, choice.options.protocol) for model in choice.models}
    return {model: run for model, run in runs.items() if not finished(run)}


def finished(run: RunSpec) -> bool:
    """Whether every template of a run is scored."""
    try:
        return open_store().run_info(run.key).complete
    except RunError:
        return False


def follow_preset(page: StreamlitPage) -> None:
    """Go to Compare where a ready comparison was asked for on another page.

    What is set for a widget that was not drawn before is not in the address by itself, and Streamlit refuses
    to switch pages with an address that has a widget's value in it, unless it is given another one.
    """
    view = st.session_state.pop(OPENING, None)
    if view is None:
        return
    if page.url_path == PAGE:
        st.query_params.update(view)
    else:
        st.switch_page(f"pages/{PAGE}.py", query_params=view)
