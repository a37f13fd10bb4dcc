"""A way on if no figure is reliable: sentences in which the topic's words are likely, or a better topic."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.caching import open_store
from pcf_core.app.choice import choose_topic, draw_answering
from pcf_core.app.data import Loaded, results
from pcf_core.app.lists import is_present, present_templates, set_cards
from pcf_core.app.widgets import plain_label
from pcf_core.audit.results import Report
from pcf_core.material.suiting import suiting_sets


def draw_way_to_an_answer(loaded: Loaded) -> None:
    """Draw a button for such sentences, if any are known, else for a topic that usually gets an answer."""
    if name := working_set(loaded):
        st.button(
            f"Use “{plain_label(set_cards()[name].title or name)}” instead",
            key="use_working_set",
            icon=":material/format_quote:",
            on_click=st.session_state.update,
            args=({"templates": name},),
        )
    else:
        draw_answering(loaded.first.run.topic.name, "page", choose_topic)


def working_set(loaded: Loaded) -> str:
    """Return a set with reliable results of a loaded model, else one made for the topic, else ""."""
    shown, cards = loaded.first.run, set_cards()
    names = [name for name in suiting_sets(shown.topic, cards) if name != shown.templates.name]
    keys = {item.run.scoring.hash for item in loaded.runs.values()}
    finished = [info.run for info in open_store().runs() if info.complete]
    runs = [
        run
        for run in finished
        if run.topic.hash == shown.topic.hash
        and run.evidence.hash == shown.evidence.hash
        and run.scoring.hash in keys
        and run.plan is None
        and is_present(run)
    ]
    for name in names:
        for run in (run for run in runs if run.templates.name == name):
            opened = results().open(present_templates(run), loaded.options, brief=True)
            if isinstance(opened, Report) and not opened.report.says_little:
                return name
    return next((name for name in names if cards[name].topic == shown.topic.name), "")
