"""Prompts of one's own, on the page FairPair: brought in, taken out, deleted."""

from __future__ import annotations

import streamlit as st

from pcf_core.app import own
from pcf_core.app.text import plain
from pcf_core.show.findings.numbers import count, listed
from pcf_core.texts.fairpair.own_prompts import OWN, load_prompts_upload, prompts_toml
from pcf_core.texts.fairpair.prompts import ENDINGS
from pcf_core.texts.fairpair.records import PromptSet

FIRST = "common-sents-1"
NEXT = "fairpair_prompts_next"
FORMS = "Each prompt names one person as {name}: text with a prompt a line, CSV or TOML, in one file."
EXAMPLES = {
    "**Text**, a prompt a line": "{name} is a nurse.\n{name}'s day begins at six.\n",
    "**CSV**; the column *category* may be left out": "text,category\n{name} is a nurse.,work\n"
    "{name} feeds the cat.,home\n",
    "**TOML**; a name, title, names, source and notes may stand above": """\
names = ["John", "Jane"]

[[prompts]]
text = "{name} is a nurse."
category = "work"
""",
}


def prompts_finding(prompts: PromptSet) -> str:
    """Say what a set is."""
    named = [category for category in prompts.categories if category]
    about = f" in {count(len(named), 'category', 'categories')}" if named else ""
    examples = listed([f"“{text}”" for text in prompts.texts[:2]])
    return f"“{prompts.title}” has {count(len(prompts.prompts), 'prompt')}{about}: {examples} …"


def draw_own(prompts: PromptSet) -> None:
    """Draw what can be done with the set that is chosen, and another brought in."""
    with own.expander("Prompts"):
        with st.container(horizontal=True):
            st.download_button(
                f"Download {plain(prompts.name)}",
                lambda: prompts_toml(prompts),
                f"{prompts.name}.toml",
                "application/toml",
                key="download_prompts",
                on_click="ignore",
                icon=":material/download:",
                help="The chosen prompts as a TOML file: a beginning for a set of yours, and what the "
                "command fairpair reads as --prompts.",
            )
            own.draw_delete(prompts.name, OWN.names(), OWN.delete, lambda: go_to(FIRST), "delete_prompts")
            with st.popover("What a file looks like", icon=":material/description:"):
                for what, example in EXAMPLES.items():
                    st.markdown(what)
                    st.code(example, language=None, wrap_lines=True)
        st.caption(plain(FORMS))
        own.draw_upload(OWN, ENDINGS, load_prompts_upload, prompts_finding, go_to, "One file.")


def go_to(name: str) -> None:
    """Show another set from now on, all of its categories."""
    st.session_state[NEXT] = name
    st.rerun()


def adopt_next() -> None:
    """Take over what :func:`go_to` said, before the page's widgets are drawn."""
    if NEXT in st.session_state:
        st.session_state["fp_prompts"] = st.session_state.pop(NEXT)
        st.session_state["fp_category"] = []
