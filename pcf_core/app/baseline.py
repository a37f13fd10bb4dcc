"""The pinned baseline: the model that Compare opens against, for each person who logs in their own.

It is kept in the cache, and becomes part of the address when Compare is opened: a link that is copied there
says it too, and opens the same wherever nothing is pinned.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pcf_core.app.choice import current_choice
from pcf_core.app.data import load
from pcf_core.app.links import follow
from pcf_core.app.roles import may_audit, person, write
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.records import digest

KEY = "pins"  # under which the cache keeps it, as it does what is known of a run
PINNED_NOW = "baseline_pinned"  # Compare was left as it is, and shall open against what was pinned since
FIRST, SECOND, VIEW = "compare_first", "compare_second", "compare_view"  # what Compare has in its address


def pinned() -> str:
    """Return the name of the model; empty where none is pinned."""
    kept = open_store().load_document(KEY, _name())
    model = (kept or {}).get("model", "")
    return model if isinstance(model, str) else ""


def draw_pin(model: str) -> None:
    """Draw the button that pins a model, or lets go of it; a viewer gets none."""
    if not may_audit():
        return
    is_pinned = pinned() == model
    st.button(
        "Unpin" if is_pinned else "Pin",
        key=f"pin_{digest(model)}",
        icon=":material/keep_off:" if is_pinned else ":material/keep:",
        help=f"Compare opens against {plain(model)} as long as it is pinned.",
        on_click=_pin,
        args=("" if is_pinned else model,),
    )


def _pin(model: str) -> None:
    try:
        write(open_store().save_document, KEY, _name(), {"model": model})
    except AuditError as error:
        st.toast(plain(str(error)), icon=":material/error:")
    else:
        st.session_state[PINNED_NOW] = bool(model)


def _name() -> str:
    return f"baseline-{digest(person().name)}"


def follow_pinned() -> None:
    """Open Compare against the pinned model, where neither an address nor an earlier choice says otherwise.

    Without results of it on what is chosen Compare opens as ever.
    """
    state, model = st.session_state, pinned()
    earlier = SECOND in state and not state.get(PINNED_NOW)
    if not model or earlier or {FIRST, SECOND, VIEW} & set(st.query_params):
        return
    state.pop(PINNED_NOW, None)
    choice = current_choice()
    models = tuple(dict.fromkeys([*choice.models, model]))
    runs = load(replace(choice, models=models)).runs
    pinned_runs = [label for label, item in runs.items() if item.run.scoring.name == model]
    others = [label for label in runs if label not in pinned_runs]
    if pinned_runs and others:
        pair = {FIRST: others[0], SECOND: pinned_runs[0]}
        follow("compare", {**choice.parameters, "model": list(models), **pair})
