"""Knowledge sets of one's own, on the tab Knowledge: brought in, taken out, deleted."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.own import OwnPanel, draw_hidden
from pcf_core.app.text import plain
from pcf_core.core.errors import TopicError
from pcf_core.core.knowledge import KnowledgeSet
from pcf_core.material.knowledge import ENDINGS, FIRST, SHELF, load_knowledge
from pcf_core.material.own_knowledge import OWN, knowledge_toml
from pcf_core.show.findings.knowledge import set_finding

FORMS = """
TOML or JSON with the templates, in each of which every fact is asked, and the facts; or CSV, of which each
row is a template or a fact. One file holds a whole set.
"""
EXAMPLES = {
    "**TOML**; a name, title, source and notes may stand above, and a weight in a fact": """\
templates = ["The capital of [X] is [Y]", "[X] has its capital in [Y]"]

[[facts]]
subject = "France"
right = ["Paris"]
wrong = ["Rome", "Madrid"]
""",
    "**JSON** with the same keys": """\
{"templates": ["The capital of [X] is [Y]"],
 "facts": [{"subject": "France", "right": ["Paris"], "wrong": ["Rome", "Madrid"]}]}
""",
    "**CSV**, with | between several answers; a column *weight* may stand behind": """\
template,subject,right,wrong
The capital of [X] is [Y],,,
[X] has its capital in [Y],,,
,France,Paris,Rome|Madrid
,Ukraine,Kyiv|Kiev,Riga|Minsk
""",
}


def set_names() -> list[str]:
    """List the shipped sets, the default first, then the user's own, damaged ones among them."""
    return [*sorted(SHELF.shipped(), key=lambda name: name != FIRST), *OWN.names()]


def opened(name: str) -> KnowledgeSet | None:
    """Load the set of a name; for a damaged one of the user's own say why, and return none.

    Raises
    ------
    TopicError
        There is none of the name (any more).
    """
    if name not in set_names():
        raise TopicError(f"There is no knowledge set named {name!r}; choose another under Facts.")
    try:
        return load_knowledge(name)
    except TopicError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


PANEL = OwnPanel(
    what="Facts",
    own=OWN,
    key="facts",
    shown="facts",
    first=lambda: FIRST,
    forms=FORMS,
    examples=EXAMPLES,
    endings=ENDINGS,
    read=OWN.read_upload,
    said=set_finding,
    text=knowledge_toml,
    use="what the command knowledge reads as --set",
)


def draw_own(name: str, asked: KnowledgeSet | None) -> None:
    """Draw what can be done with the set that is shown, and another brought in."""
    draw_hidden(SHELF)
    PANEL.draw(name, asked)
