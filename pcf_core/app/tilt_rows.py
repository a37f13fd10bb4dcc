"""What the page Tilt draws: groups that have a panel, and rows beside the models' (jobs, what they read)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.read import Unread, read_of, text_row
from pcf_core.material.evidence import womens_share
from pcf_core.show.findings.read import read_finding, read_intervals_note, read_occupation_finding


@dataclass(frozen=True)
class Beside:
    """Rows to draw beside the tilts.

    ``labour``: women's share by occupation; ``text``: lean of the training text; ``None``: no such row.

    ``sentences``: how the models compare with their text; ``note``: what that text is, or why none is shown.
    """

    labour: Mapping[str, float] | None = None
    text: Mapping[str, float] | None = None
    sentences: tuple[str, ...] = ()
    note: str = ""

    @property
    def state(self) -> list[object]:
        """What the picture depends on besides the runs."""
        return [self.labour is not None, self.text is not None]


def draw_beside(loaded: Loaded, chosen: str) -> Beside:
    """Draw two toggles, and what they ask for, for two groups of which the first is at the right end.

    ``chosen``: an occupation of which more is said, empty for none.
    """
    groups = loaded.groups
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
    shares = womens_share(loaded.first.run.evidence) if labour and "female" in groups else None
    read = read_of(loaded) if wanted else Unread("")
    if isinstance(read, Unread):
        return Beside(shares, note=read.problem)
    return Beside(
        shares,
        text_row(loaded, read, groups[0]),
        (
            *(read_finding(name, found) for name, found in read.found.items()),
            *([read_occupation_finding(chosen, read.found)] if chosen else []),
        ),
        f"{read.note} {read_intervals_note(read.found)}",
    )
