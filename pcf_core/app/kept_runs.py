"""The runs that were made here or imported, on the page Models: when, by whom, how large; deleted too."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pcf_core.app.caching import kept
from pcf_core.app.model_details import draw_open
from pcf_core.app.page import draw_table
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.stores import open_queue, open_store
from pcf_core.app.text import plain
from pcf_core.core.errors import AuditError
from pcf_core.show.findings.imported import imported_note
from pcf_core.show.findings.numbers import count
from pcf_core.store.results import RunInfo
from pcf_core.work.requests import delete_run

CHOSEN = "kept_run"
COLUMNS = {
    "date": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", help="When it was finished, UTC."),
    "owner": st.column_config.TextColumn(help="Who asked for it, where people log in."),
    "size": st.column_config.NumberColumn(
        format="bytes", help="What deleting it frees. Scores that another run reads too are not counted."
    ),
    "finished": st.column_config.CheckboxColumn(help="Whether every sentence is scored."),
}


def draw_kept_runs() -> None:
    """Draw the list, and for a chosen run the ways to open and to delete it."""
    store = open_store()
    infos = (*store.own_runs(), *store.imported_runs())
    shipped = len(store.runs()) - len({info.run.key for info in infos})
    come = count(shipped, "run comes", "runs come")
    beside = f" {come} with the app and cannot be deleted." if shipped else ""
    if not infos:
        st.caption(f"Nothing was scored or imported here yet.{beside}")
        return
    table = runs_table(infos)
    draw_table(table, "kept_runs", COLUMNS, alt="The runs that were made here or imported")
    imported = sum(info.run.scoring.imported for info in infos)
    brought = f" {count(imported, 'run was', 'runs were')} imported." if imported else ""
    st.caption(f"{count(len(infos) - imported, 'run')} made here.{brought}{beside}")
    titles = {info.run.key: title_of(info) for info in infos}
    if st.session_state.get(CHOSEN) not in titles:
        st.session_state.pop(CHOSEN, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            "One of these runs",
            list(titles),
            index=None,
            format_func=titles.__getitem__,
            key=CHOSEN,
            placeholder="Choose one to open or delete it",
            help="By model, topic, templates, occupations and run key.",
        )
        if key is not None:
            draw_delete(key, titles[key])
    if key is not None:
        info = store.run_info(key)
        if said := imported_note(info.run.scoring.label, info.provenance):
            st.caption(plain(said))
        draw_open(info.run)


def runs_table(infos: Sequence[RunInfo]) -> pd.DataFrame:
    """Make a table with one row per run; a viewer is not told who asked."""
    table = pd.DataFrame(
        [
            {
                "model": info.run.scoring.label,
                "topic": info.run.topic.name,
                "templates": info.run.templates.name,
                "occupations": info.run.evidence.name,
                "date": info.created,
                "owner": owner_of(info),
                "size": size,
                "finished": info.complete,
                "run": info.run.key,
            }
            for info, size in zip(infos, sizes_of(infos), strict=True)
        ]
    )
    return table if may_audit() else table.drop(columns="owner")


def owner_of(info: RunInfo) -> str:
    """Return who asked for a run last; empty where nobody logged in, or the queue does not know."""
    job = open_queue().newest("score", info.run.key)
    return job.submitter if job else ""


def sizes_of(infos: Sequence[RunInfo]) -> list[int]:
    """Return the bytes that each run alone takes; worked out again when a run or a shard comes or goes."""
    scorings = {info.run.scoring.hash: info.run.scoring for info in infos}
    state = [(info.run.key, info.created.isoformat(), info.complete) for info in infos]
    return sizes_now(state, [open_store().shards(scoring) for scoring in scorings.values()])


@kept()
def sizes_now(runs: Sequence[tuple[str, str, bool]], shards: Sequence[Sequence[str]]) -> list[int]:
    """Return the bytes that each run alone takes, by its key, while runs and their shards are these."""
    return [open_store().size_of_run(key) for key, _, _ in runs]


def title_of(info: RunInfo) -> str:
    """Title a run in a list of all."""
    run = info.run
    return " · ".join((run.scoring.label, run.topic.name, run.templates.name, run.evidence.name, run.key[:6]))


def draw_delete(key: str, title: str) -> None:
    """Draw the button, and the second one behind it; a viewer gets none."""
    if not may_audit():
        return
    with st.popover("Delete …", icon=":material/delete_forever:"):
        st.markdown(
            f"**{plain(title)}** is deleted with its results. Scores that another run reads too stay. "
            "Whoever wants it again has to score it again."
        )
        if st.button("Delete for good", key=f"delete_run_{key}", type="primary"):
            try:
                recorded("deleted", "run", f"{key} {title}", delete_run, open_store(), open_queue(), key)
            except AuditError as error:
                st.error(plain(str(error)), icon=":material/error:")
            else:
                st.rerun()
