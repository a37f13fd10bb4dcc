"""The skeleton every page shares: question, finding, key figures, picture, how to read, data, provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pcf_core.audit import missing_blocks
from pcf_core.errors import AuditError, ModelError
from pcf_core.findings import (
    contexts,
    count,
    left_out_note,
    low_coverage_note,
    noun_note,
)
from pcf_core.findings.numbers import listed
from pcf_core.jobs import submit_run
from pcf_core.records import RiskReport, RunSpec
from pcf_core.records.report import KeyFigure
from pcf_core.report import csv_text
from pcf_core.report.provenance import effective_text, run_facts
from pcf_core.report.reproducing import risk_command
from pcf_core.scoring.opening import check_protocol
from pcf_core.ui.choice import current_choice
from pcf_core.ui.contrast import readable
from pcf_core.ui.data import Loaded, load, plans_of, remembered
from pcf_core.ui.facts import draw_facts
from pcf_core.ui.notes import notes
from pcf_core.ui.queue import ACTIVE, ENDED_EARLY, draw_job, draw_jobs, keep_a_worker, latest_jobs
from pcf_core.ui.readings import follow_readings
from pcf_core.ui.roles import draw_why_not, may_audit, write
from pcf_core.ui.stores import open_queue, open_store
from pcf_core.ui.text import plain, plain_label

CHART = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
ROW = 5  # key figures side by side


def open_page(title: str, question: str, otherwise: Callable[[], None] | None = None) -> Loaded:
    """Title and question, then the results of the shared choice; stops the script where there is nothing.

    States: nothing chosen, a refusal, not scored yet (a button that queues just what is missing), scoring.
    ``otherwise`` draws what the page shows even then.
    """
    st.title(title)
    st.markdown(f"##### {question}")
    choice = current_choice()
    if not choice.models:
        st.info(
            "Choose one or more models in the sidebar to see their results.", icon=":material/arrow_back:"
        )
        stop(otherwise)
    loaded = load(choice)
    draw_refused(loaded.refused)
    if loaded.missing:
        offer_scoring(loaded.missing)
    if loaded.unread:
        follow_readings((run, "preferences", choice.options) for run in loaded.unread.values())
    if not loaded.runs:
        stop(otherwise)
    draw_loaded(loaded)
    low = low_coverage_note({name: report.coverage for name, report in loaded.reports.items()})
    if low:
        st.warning(plain(low), icon=":material/warning:")
    return loaded


def draw_refused(refused: Mapping[str, str]) -> None:
    """Why models have no results, by model: a sentence that holds for several is said once."""
    for sentence in dict.fromkeys(refused.values()):
        names = listed([plain(name) for name, why in refused.items() if why == sentence])
        st.error(f"**{names}:** {plain(sentence)}", icon=":material/error:")


def stop(otherwise: Callable[[], None] | None) -> None:
    """End the script, after what the page shows without any result."""
    if otherwise:
        otherwise()
    st.stop()


def offer_scoring(missing: Mapping[str, RunSpec]) -> None:
    """Say what is not scored yet and offer to queue it; show the job that is, or was, at it.

    A model that cannot be scored under the protocol is left out of the offer, with the reason.
    """
    missing, impossible = scorable(missing)
    for sentence in impossible:
        st.info(plain(sentence), icon=":material/info:")
    if not missing:
        return
    keys = {key for run in missing.values() for key in (run.key, *(info.run.key for info in plans_of(run)))}
    jobs = latest_jobs(keys)
    if any(job.state in ACTIVE for job in jobs):
        draw_jobs([job.id for job in jobs])
        return
    for job in jobs:
        if job.state in ENDED_EARLY:
            draw_job(job)
    names = " and ".join(plain(name) for name in missing)
    with st.container(border=True):
        protocol = next(iter(missing.values())).scoring.protocol
        st.markdown(
            f"**Not scored yet:** {names} with this topic, these templates and occupations under the "
            f"protocol *{protocol}*."
        )
        if not may_audit():
            draw_why_not()
        elif st.button(
            "Score what is missing", type="primary", icon=":material/play_arrow:", key="score_missing"
        ):
            try:
                for run in missing.values():
                    submit(run)
            except AuditError as error:
                st.error(plain(str(error)), icon=":material/error:")
            else:
                st.rerun()


def scorable(missing: Mapping[str, RunSpec]) -> tuple[dict[str, RunSpec], list[str]]:
    """The runs that can be scored under their protocol, and why the others cannot, a sentence each."""
    possible, impossible = {}, []
    for name, run in missing.items():
        try:
            check_protocol(name, run.scoring.family, run.scoring.protocol)
            possible[name] = run
        except ModelError as error:
            impossible.append(str(error))
    return possible, impossible


def submit(run: RunSpec) -> int:
    """Queue what a run lacks and see that a worker is alive; return the job's id."""
    store = open_store()
    missing = sum(len(block.prompts) for block in missing_blocks(store, run))
    job = write(submit_run, store, open_queue(), run, missing)
    keep_a_worker()
    return job.id


def draw_loaded(loaded: Loaded) -> None:
    """The line under the shared choice: what is loaded; and what is at [X] where that is no occupation."""
    first, occupations = loaded.first.report, loaded.first.result.preferences.occupations
    run = loaded.first.run
    note = noun_note(run)
    if note:
        st.caption(plain(note))
    with st.sidebar:
        st.caption(
            f"{count(len(loaded.runs), 'run')} · {count(len(occupations), plain(run.evidence.noun))} × "
            f"{contexts(len(first.templates), first.sampling)} that count as {effective_text(first)}"
        )


def finding(*sentences: str) -> None:
    """The sentences a policy reader takes away; no line breaks between a figure and its per cent sign."""
    said = [plain(sentence).replace(" %", "\u00a0%") for sentence in sentences if sentence]
    if said:
        st.markdown("  \n".join(said))


def finding_list(sentences: Iterable[str]) -> None:
    """Findings one below the other."""
    said = "\n".join(f"- {plain(sentence)}" for sentence in sentences if sentence)
    if said:
        st.markdown(said.replace(" %", "\u00a0%"))


def draw_notes(sentences: Iterable[str]) -> None:
    """What has to be known beside the numbers, folded away."""
    said = [sentence for sentence in sentences if sentence]
    if said:
        with st.expander("What else has to be known", icon=":material/info:"):
            finding_list(said)


def key_figures(
    figures: list[KeyFigure],
    loaded: Loaded,
    intervals: Sequence[str] | None = None,
    reports: Mapping[str, RiskReport] | None = None,
) -> None:
    """The row under the finding, with what has to be known before the numbers are believed; see notes."""
    draw_figures(figures)
    notes(loaded, intervals, reports)


def draw_figures(figures: list[KeyFigure]) -> None:
    """A row of figures, each with its help; of many models the first, the others folded away in such rows."""
    _draw_row(figures[:ROW], min(len(figures), ROW))
    if rest := figures[ROW:]:
        with st.expander(f"The same for {count(len(rest), 'more model')}"):
            for start in range(0, len(rest), ROW):
                _draw_row(rest[start : start + ROW], ROW)


def _draw_row(figures: list[KeyFigure], columns: int) -> None:
    for column, figure in zip(st.columns(columns), figures, strict=False):
        column.metric(
            plain_label(figure.label),
            figure.value,
            help=figure.help,
            delta=plain(figure.detail) or None,
            delta_color="off",
            delta_arrow="off",
        )


def picture(
    loaded: Loaded, key: str, alt: str, make: Callable[[], go.Figure], state: Sequence[object] = ()
) -> None:
    """One chart, full width, drawn anew only when the runs, the view options or ``state`` change.

    ``alt`` is its sentence for a screen reader.
    """
    chart(remembered(loaded, key, state, make), key, alt)


def chart(figure: go.Figure, key: str, alt: str) -> None:
    """A figure, full width, in the page's theme.

    On a telephone a finger on it moves the page, as it does beside it, and zooms by the buttons alone:
    plotly would take each swipe for a zoom, and a tall chart could not be passed.
    """
    drawn = readable(figure)
    if "Mobi" in st.context.headers.get("User-Agent", ""):
        drawn = go.Figure(drawn).update_layout(dragmode=False)  # a copy: visitors share the figure
    st.plotly_chart(drawn, width="stretch", theme="streamlit", key=key, config=CHART, alt=alt)


def foot(
    how_to_read: str,
    table: Callable[[], pd.DataFrame],
    name: str,
    loaded: Loaded,
    columns: Mapping[str, Any] | None = None,
) -> None:
    """How to read this, Data, Provenance; ``columns`` as in :func:`draw_table`."""
    left, middle, right = st.tabs(["How to read this", "Data", "Provenance"])
    left.markdown(how_to_read)
    with middle:
        draw_table(table(), name, columns)
    with right:
        draw_provenance(loaded)


def draw_table(
    table: pd.DataFrame,
    name: str,
    columns: Mapping[str, Any] | None = None,
    alt: str = "The data of this picture",
) -> None:
    """A table with its downloads.

    ``columns`` says how some of them are shown, as in ``st.column_config``; ``alt`` what the table is, to a
    screen reader.
    """
    st.dataframe(
        table,
        hide_index=True,
        column_config=columns,
        placeholder="–",
        alt=f"{alt}, {len(table):,} rows",
    )
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            lambda: csv_text(table),
            f"{name}.csv",
            "text/csv",
            key=f"{name}_csv",
            on_click="ignore",
            icon=":material/download:",
        )
        st.download_button(
            "Parquet",
            lambda: table.to_parquet(index=False),
            f"{name}.parquet",
            "application/vnd.apache.parquet",
            key=f"{name}_parquet",
            on_click="ignore",
            icon=":material/download:",
        )


def draw_provenance(loaded: Loaded) -> None:
    """Where each number comes from, and the command that makes it again."""
    for name, item in loaded.runs.items():
        st.markdown(f"**{plain(name)}**")
        facts = run_facts(item, loaded.choice.options)
        draw_facts(facts)
        draw_commands(risk_command(item.key, loaded.choice.options))
        note = left_out_note(item.report.left_out)
        if note:
            with st.expander("Left out, and why"):
                st.markdown(plain(note))


def draw_commands(lines: str) -> None:
    """Commands to be copied.  They wrap: nothing shows that a line goes on beyond a narrow page.

    In one colour: those of a shell's words (export, sum) are too pale in both themes.
    """
    st.code(lines, language=None, wrap_lines=True)
