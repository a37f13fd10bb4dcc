"""The public board: every result in one table that the browser sorts and searches, for read-only apps."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from pcf_core.app.caching import kept, open_store
from pcf_core.app.links import select_called
from pcf_core.app.lists import parameters_of, stamp_of_shelf
from pcf_core.app.page import draw_files, finding, with_called
from pcf_core.app.request_cache import once_a_run
from pcf_core.app.titles import topic_titles
from pcf_core.app.widgets import plain
from pcf_core.material.evidence import SHELF as EVIDENCE_SHELF
from pcf_core.material.templates import SHELF
from pcf_core.material.topics import SHELF as TOPIC_SHELF
from pcf_core.report.board import NAME, board_panel, board_rows, without_row
from pcf_core.report.panels import Panel
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.show.names import with_titles
from pcf_core.store.storage import State

ALL = "all"
MOST_PLAIN = 300  # rows of the plain table
NUMBER = "%.2f"
COLUMNS = {
    "model": st.column_config.TextColumn("Model", pinned=True),
    "topic": st.column_config.TextColumn("Topic"),
    "risk": st.column_config.NumberColumn("Risk", format=NUMBER, help="0 is even, 1 always the same group."),
    "from": st.column_config.NumberColumn("Range from", format=NUMBER),
    "to": st.column_config.NumberColumn("to", format=NUMBER),
    "prefers": st.column_config.TextColumn(
        "Prefers", help="The group that comes first in three of four occupations or more."
    ),
    "templates": st.column_config.TextColumn("Sentences"),
    "address": st.column_config.LinkColumn("Details", display_text="Overview"),
}


@once_a_run
def _states() -> tuple[tuple[str, State], ...]:
    return open_store().document_states(NAME)


def has_board() -> bool:
    """Return whether there are rows to show."""
    return bool(_states())


@once_a_run
@kept(slots=2, state=lambda: (_states(), *map(stamp_of_shelf, (TOPIC_SHELF, EVIDENCE_SHELF, SHELF))))
def _board() -> tuple[Panel, pd.DataFrame, pd.DataFrame]:
    """Return the panel, its table, and the one shown."""
    rows = board_rows(open_store())
    panel = board_panel(rows, len(without_row(open_store())))
    table = panel.table() if panel.table else pd.DataFrame()
    addresses = [f"overview?{urlencode(parameters_of(row.run), doseq=True)}" for row in rows]
    models = {row.figures.model: with_titles(row.run.scoring.model) for row in rows}
    times = Counter(models.values())  # a pack's model has its plain name, unless another has it too
    names = {label: name if times[name] == 1 else with_titles(label) for label, name in models.items()}
    shown = with_called(table).assign(address=addresses, model=table["model"].map(names))
    return panel, table, shown


def draw_board() -> None:
    """Draw the page."""
    st.title("Public board")
    st.markdown("##### How do these models compare, on every topic?")
    panel, table, shown = _board()
    finding(*panel.findings)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = topic_titles()
        called = {name: titles(name) for name in dict.fromkeys(table["topic"])}
        topic = select_called("Show", {ALL: "All topics", **called}, key="board_topic")
        as_text = st.toggle("Plain table, for keyboards and screen readers", key="board_plain")
    chosen = shown if topic == ALL else shown[table["topic"] == topic]
    if as_text:
        _draw_plain(chosen)
    else:
        st.dataframe(
            chosen,
            hide_index=True,
            height=600,
            column_config=COLUMNS,
            placeholder="–",
            alt=f"The risk of each model on each topic, {len(chosen):,} rows",
        )
    st.caption(panel.how)
    draw_files(lambda: table, "board")


def _draw_plain(chosen: pd.DataFrame) -> None:
    """Draw the first rows as a table of the document, with ordinary links."""
    if len(chosen) > MOST_PLAIN:
        st.caption(f"The first {MOST_PLAIN:,} of {len(chosen):,} rows: choose a topic to see its rows.")
    lines = ["| Model | Topic | Risk | Range | Prefers |", "|---|---|---|---|---|"]
    for row in chosen.head(MOST_PLAIN).to_dict("records"):
        risk, low, high = (
            "–" if pd.isna(row[name]) else two_decimals(row[name]) for name in ("risk", "from", "to")
        )
        name = f"[{plain(row['model'])}]({row['address']})"
        cells = (name, plain(row["topic"]), risk, f"{low} to {high}", plain(row["prefers"]))
        lines.append(f"| {' | '.join(cells)} |")
    st.markdown("\n".join(lines))
