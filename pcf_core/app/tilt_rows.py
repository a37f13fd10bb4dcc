"""What the page Tilt draws: groups that have a panel, and rows beside the models' (jobs, what they read)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.read import Unread, read_of, text_row
from pcf_core.show.findings.read import read_finding, read_intervals_note, read_occupation_finding


@dataclass(frozen=True)
class Beside:
    """Rows to draw beside the tilts.

    ``labour``: whether there is one of women's shares; ``text``: lean of the training text, if it has one.
    ``sentences``: how the models compare with their text; ``note``: what that text is, or why none is shown.
    """

    labour: bool = False
    text: Mapping[str, float] | None = None
    sentences: tuple[str, ...] = ()
    note: str = ""


def draw_beside(loaded: Loaded, chosen: str) -> Beside:
    """Draw two toggles, and what they ask for, for two groups of which the first is at the right end.

    ``chosen``: an occupation of which more is said, empty for none.
    """
    labour = st.toggle(
        "Labour force",
        True,
        key="labour",
        bind="query-params",
        help="Women's and men's shares of the people employed, US 2021, as a row of its own.",
    )
    wanted = st.toggle(
        "What it read",
        True,
        key="read",
        bind="query-params",
        help="The lean of the training text as a row of its own, for the shipped models: biographies whose "
        "lead names the occupation, by the pronoun in the majority.",
    )
    read = read_of(loaded) if wanted else Unread("")
    if isinstance(read, Unread):
        return Beside(labour, note=read.problem)
    return Beside(
        labour,
        text_row(loaded, read, loaded.groups[0]),
        (
            *(read_finding(name, found) for name, found in read.found.items()),
            *([read_occupation_finding(chosen, read.found)] if chosen else []),
        ),
        f"{read.note} {read_intervals_note(read.found)}",
    )
