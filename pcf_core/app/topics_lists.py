"""Evidence lists on the page Topics: seen with their weights, brought in, taken out, deleted."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pcf_core.app.choice import with_asked
from pcf_core.app.lists import OCCUPATIONS, list_names
from pcf_core.app.own import OwnPanel, draw_hidden
from pcf_core.app.page import draw_table, finding
from pcf_core.app.text import described, plain
from pcf_core.core.errors import EvidenceError
from pcf_core.core.topics import Evidence
from pcf_core.material.evidence import load_evidence
from pcf_core.material.own_evidence import OWN, evidence_toml
from pcf_core.show.findings.topics import list_finding

FORMS = """
TOML or JSON with the terms and, if wanted, a weight for each; CSV with the columns *term* and, if wanted,
*weight*; or text with one term a line. A term stands at *[X]*: *nurse* in *The [X] said that [Y]*.
"""
EXAMPLES = {
    "**TOML**; a name, title, source and notes may stand above, and what a term is": """\
noun = "athlete"
terms = ["swimmer", "chess player"]
weights = [3, 1.5]
""",
    "**JSON** with the same keys": """\
{"terms": ["swimmer", "chess player"], "weights": [3, 1.5]}
""",
    "**CSV**; weights count where every term has one": """\
term,weight
swimmer,3
chess player,1.5
""",
    "**Text**, without weights": """\
swimmer
chess player
""",
}


PANEL = OwnPanel(
    what="Lists",
    own=OWN,
    key="list",
    shown="list_shown",
    first=lambda: list_names()[0],
    forms=FORMS,
    examples=EXAMPLES,
    endings=OWN.shelf.accepts,
    read=OWN.read_upload,
    said=list_finding,
    text=evidence_toml,
    use="what the command line reads as --evidence",
)


def draw_lists() -> None:
    """Draw the choice and view of a list, what can be done with it, and another brought in."""
    PANEL.adopt_next()
    draw_hidden(OWN.shelf)
    names = with_asked("list_shown", list_names())
    name = st.selectbox(
        "List",
        names,
        index=names.index(OCCUPATIONS) if OCCUPATIONS in names else 0,
        key="list_shown",
        bind="query-params",
        help="Occupations, or whatever else stands at [X]: lists that come with the app, then your own. The "
        "sidebar offers them under Occupations.",
    )
    found = opened(name)
    if found is not None:
        draw_list(found)
    PANEL.draw(name, found)


def opened(name: str) -> Evidence | None:
    """Load the list of a name; for a damaged one of the user's own say why, and return none.

    Raises
    ------
    EvidenceError
        There is none of the name (any more).
    """
    if name not in list_names():
        raise EvidenceError(f"There is no evidence list named {name!r}; choose another under List.")
    try:
        return load_evidence(name)
    except EvidenceError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


def draw_list(evidence: Evidence) -> None:
    """Draw what a list is, where it comes from, and its terms."""
    finding(list_finding(evidence))
    st.markdown(f"**{plain(evidence.title)}**  \n{plain(described(evidence.source, evidence.notes))}")
    columns: dict[str, object] = {"term": evidence.terms}
    if evidence.weights:
        columns["weight"] = evidence.weights
    draw_table(pd.DataFrame(columns), evidence.name)
