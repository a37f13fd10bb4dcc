"""The skeleton every page shares: question, finding, key figures, picture, how to read, data, provenance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pcf_core.app.addresses import MODELS
from pcf_core.app.caching import kept, once, open_queue, open_store
from pcf_core.app.choice import current_choice
from pcf_core.app.data import Loaded, load, plans_of
from pcf_core.app.links import draw_link
from pcf_core.app.mended import Finished, readable
from pcf_core.app.notes import draw_unequal_words, notes
from pcf_core.app.present import enlarged, is_presented
from pcf_core.app.queue import (
    ACTIVE,
    ENDED_EARLY,
    draw_checks,
    draw_job,
    draw_jobs,
    follow_readings,
    keep_a_worker,
    latest_jobs,
)
from pcf_core.app.roles import draw_why_not, may_audit, write
from pcf_core.app.widgets import draw_facts, plain, plain_label, refusals_said
from pcf_core.audit.options import word_scoring
from pcf_core.audit.results import is_unchecked
from pcf_core.core.errors import ModelError
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.models.scoring.opening import check_protocol
from pcf_core.report.citing import RISK_PAPERS, citation_bibtex, citation_text
from pcf_core.report.files import csv_text
from pcf_core.report.loaded import PROGRAM, LoadedRun
from pcf_core.report.panels import Panel
from pcf_core.report.provenance import effective_text, list_hashes, run_facts
from pcf_core.report.records import KeyFigure
from pcf_core.report.reproducing import other_lists, risk_command, scratch_commands
from pcf_core.show.charts.theme import heading
from pcf_core.show.findings.notes import (
    contexts,
    left_out_note,
    low_coverage_note,
    noun_note,
    other_lists_note,
    unequal_weights,
    weights_help,
)
from pcf_core.show.findings.numbers import called, count, listed
from pcf_core.show.findings.provenance import imported_facts, imported_note
from pcf_core.work.requests import submit_run

CHART = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
READING, DATA, PROVENANCE = "Reading the picture", "Data", "Method and provenance"  # at the end of a page
ROW = 5  # key figures side by side
FIGURES = 128  # kept for all visitors


def open_page(
    title: str, question: str, otherwise: Callable[[], None] | None = None, *, brief: bool = False
) -> Loaded:
    """Draw title and question, then load the results as :func:`open_results` does.

    An empty question leaves its place to the answer.
    """
    st.title(title)
    if question:
        st.markdown(f"##### {question}")
    return open_results(otherwise, brief=brief)


def open_results(otherwise: Callable[[], None] | None = None, *, brief: bool = False) -> Loaded:
    """Load the shared choice's results; stop the script where there is none.

    States: nothing chosen, a refusal, not scored yet (a button that queues just what is missing), scoring.
    ``otherwise`` draws what the page shows even then.  ``brief``: with the intervals of R alone, for a page
    that shows no others, in a fraction of the time.
    """
    choice = current_choice()
    if not choice.models:
        st.info(
            "Choose one or more models in the sidebar to see their results.", icon=":material/arrow_back:"
        )
        stop(otherwise)
    loaded = load(choice, brief=brief)
    draw_refused(loaded.refused)
    if loaded.missing:
        offer_scoring(loaded.missing)
    if loaded.unread:
        follow_readings((run, "preferences", choice.options) for run in loaded.unread.values())
    if not loaded.runs:
        stop(otherwise)
    draw_loaded(loaded)
    follow_checks(loaded)
    low = low_coverage_note({name: report.coverage for name, report in loaded.reports.items()})
    if all(report.says_little for report in loaded.reports.values()):
        st.warning(plain(low), icon=":material/warning:")  # whose words are longer says no more then
    else:
        draw_unequal_words(loaded, low)
    return loaded


def follow_checks(loaded: Loaded) -> None:
    """Say of which results cells are still being checked, and how far that is."""
    infos = [open_store().run_info(item.key) for item in loaded.runs.values()]
    jobs = latest_jobs({info.run.key for info in infos if is_unchecked(info)})
    if active := [job for job in jobs if job.state in ACTIVE]:
        draw_checks(active)


def draw_refused(refused: Mapping[str, str]) -> None:
    """Say why models have no results, by model: a sentence that holds for several is said once."""
    for sentence in dict.fromkeys(refused.values()):
        names = listed([plain(name) for name, why in refused.items() if why == sentence])
        st.error(f"**{names}:** {plain(sentence)}", icon=":material/error:")


def draw_absent(names: Sequence[str]) -> None:
    """Say which models are passed over because their weights are not on this machine, and lead to them."""
    if names:
        st.info(
            f"{plain(listed(names))}: the weights are not on this machine, so nothing new is asked of them.",
            icon=":material/cloud_download:",
        )
        draw_link(MODELS, "Get them on the page Models", {}, ":material/download:")


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
        words = word_scoring(next(iter(missing.values())).scoring.protocol)
        st.markdown(
            f"**Not scored yet:** {names} with this topic, these templates and occupations. "
            f"*Word scoring:* {words}."
        )
        if not may_audit():
            draw_why_not()
        elif st.button(
            "Score what is missing", type="primary", icon=":material/play_arrow:", key="score_missing"
        ):
            with refusals_said():
                for run in missing.values():
                    submit(run)
                st.rerun()


def scorable(missing: Mapping[str, RunSpec]) -> tuple[dict[str, RunSpec], list[str]]:
    """Return the runs that can be scored under their protocol, and why the others cannot."""
    possible, impossible = {}, []
    for name, run in missing.items():
        try:
            check_protocol(name, run.scoring.family, run.scoring.protocol)
            possible[name] = run
        except ModelError as error:
            impossible.append(str(error))
    return possible, impossible


def submit(run: RunSpec, missing: int | None = None) -> int:
    """Queue what a run lacks and see that a worker is alive; return the job's id.

    ``missing``: how many cells that is, where an estimate has just counted them.
    """
    job = write(submit_run, open_store(), open_queue(), run, missing)
    keep_a_worker()
    return job.id


def draw_loaded(loaded: Loaded) -> None:
    """Draw what is loaded, under the shared choice; and what is at [X] where that is no occupation."""
    run, first = loaded.first.run, loaded.first.report
    terms, note = len(run.evidence.terms), noun_note(run)
    if note:
        st.caption(plain(note))
    for name, item in loaded.runs.items():
        if said := imported_note(name, made_by(item)):
            st.caption(f":material/move_to_inbox: {plain(said)}")
        if said := other_lists_note(item.run, open_store().load_run(item.key)):
            st.caption(f":material/balance: {plain(said)}")
    with st.sidebar:
        st.caption(
            f"{count(len(loaded.runs), 'run')} · {count(terms, plain(run.evidence.noun))} × "
            f"{contexts(len(first.templates), first.sampling)}{unequal_weights(first)}",
            help=weights_help(effective_text(first)) if unequal_weights(first) else None,
        )


def made_by(item: LoadedRun) -> Mapping[str, Any]:
    """Return what is kept of an imported run's making; nothing of one that was scored here."""
    return open_store().run_info(item.key).provenance if item.run.scoring.imported else {}


def unbroken(text: str) -> str:
    """Return a text in which no line breaks between a figure and its per cent sign."""
    return text.replace(" %", "\u00a0%")


def finding(*sentences: str) -> None:
    """Draw the finding, a line for each sentence."""
    said = [unbroken(plain(sentence)) for sentence in sentences if sentence]
    if said:
        st.markdown("  \n".join(said))


def finding_list(sentences: Iterable[str]) -> None:
    """Draw findings one below the other."""
    said = "\n".join(f"- {plain(sentence)}" for sentence in sentences if sentence)
    if said:
        st.markdown(unbroken(said))


def draw_notes(sentences: Iterable[str]) -> None:
    """Draw what has to be known beside the numbers, folded away."""
    said = [sentence for sentence in sentences if sentence]
    if said:
        with st.expander("What else has to be known", icon=":material/info:"):
            finding_list(said)


def key_figures(
    figures: Sequence[KeyFigure],
    loaded: Loaded,
    intervals: Sequence[str] | None = None,
    reports: Mapping[str, RiskReport] | None = None,
) -> None:
    """Draw the row under the finding, with what has to be known before it is believed; see notes."""
    draw_figures(figures)
    notes(loaded, intervals, reports)


def draw_figures(figures: Sequence[KeyFigure]) -> None:
    """Draw a row of figures, each with its help; of many models the others folded away in such rows."""
    _draw_row(figures[:ROW], min(len(figures), ROW))
    if rest := figures[ROW:]:
        with st.expander(f"The same for {count(len(rest), 'more model')}"):
            for start in range(0, len(rest), ROW):
                _draw_row(rest[start : start + ROW], ROW)


def _draw_row(figures: Sequence[KeyFigure], columns: int) -> None:
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
    make: partial[go.Figure],
    key: str,
    alt: str,
    clicked: Callable[[object], None] | None = None,
    *,
    title: str = "",
    source: str = PROGRAM,
) -> None:
    """Draw what a function makes as :func:`chart` does, anew only when it takes something else."""
    _draw_figure(_figure(make, title or heading(alt), source), key, alt, clicked)


@kept(slots=FIGURES)
def _figure(make: partial[go.Figure], title: str, source: str) -> Finished:
    return Finished(readable(make(), title, source))


def draw_picture(panel: Panel, clicked: Callable[[object], None] | None = None) -> None:
    """Draw the picture of a panel, if it has one; ``clicked`` as in :func:`chart`."""
    if panel.chart:
        picture(panel.chart, panel.key, panel.alt, clicked, title=panel.heading, source=panel.source)


def draw_foot(
    panel: Panel,
    loaded: Loaded,
    name: str,
    below: str = "",
    whole: Callable[[], pd.DataFrame] | None = None,
) -> None:
    """Draw how to read a panel with what is said ``below`` that, its table, if any, and its provenance."""
    if panel.table:
        foot(panel.how + below, panel.table, name, loaded, whole=whole)


def chart(
    figure: go.Figure,
    key: str,
    alt: str,
    clicked: Callable[[object], None] | None = None,
    *,
    title: str = "",
    source: str = PROGRAM,
) -> None:
    """Draw a new figure, full width, in the page's theme; a click calls ``clicked``.

    ``alt`` is its sentence for a screen reader.  ``clicked`` is called with the ``customdata`` of the mark
    that was clicked.  ``title`` and ``source`` stand in the figure, so that a file of it has them; without a
    title what ``alt`` says first.
    """
    _draw_figure(readable(figure, title or heading(alt), source), key, alt, clicked)


def _draw_figure(
    figure: go.Figure, key: str, alt: str, clicked: Callable[[object], None] | None = None
) -> None:
    """Draw a figure that visitors may share.

    On a telephone a finger on the figure moves the page, as it does beside it, and zooms by the buttons
    alone: plotly would take each swipe for a zoom, and a tall chart could not be passed.
    """
    drawn = enlarged(figure) if is_presented() else figure
    if "Mobi" in st.context.headers.get("User-Agent", ""):
        drawn = go.Figure(drawn).update_layout(dragmode=False)  # a copy: visitors share the figure
    shown: dict[str, Any] = {
        "width": "stretch", "theme": "streamlit", "key": key, "config": CHART, "alt": alt
    }  # fmt: skip
    if clicked is None:
        st.plotly_chart(drawn, **shown)
    else:
        st.plotly_chart(drawn, **shown, on_select=lambda: _tell(key, clicked), selection_mode="points")


def _tell(key: str, clicked: Callable[[object], None]) -> None:
    """Call ``clicked`` with what the mark under the last click stands for, if there was one."""
    points = st.session_state[key].selection.points
    if points and "customdata" in points[0]:
        clicked(points[0]["customdata"])


def foot(
    how_to_read: str,
    table: Callable[[], pd.DataFrame],
    name: str,
    loaded: Loaded,
    columns: Mapping[str, Any] | None = None,
    whole: Callable[[], pd.DataFrame] | None = None,
) -> None:
    """Draw how to read the picture, its data, method and provenance.

    ``columns`` and ``whole`` as in :func:`draw_table`.
    """
    data = partial(draw_table, table(), name, columns, whole=whole)
    draw_tabs(name, {READING: how_to_read, DATA: data, PROVENANCE: partial(draw_provenance, loaded)})


def draw_tabs(name: str, parts: Mapping[str, str | Callable[[], None]]) -> None:
    """Draw tabs by title: a text each, or what a function draws; the last once somebody opens it.

    ``name``: what the tabs are about.  The last has the commands that make a number again: to show those,
    even hidden, a browser loads 1.5 MB of script before the page stands.
    """
    *tabs, last = st.tabs(list(parts), key=f"{name}_foot", on_change="rerun")
    *first, provenance = parts.values()
    shown = [*zip(tabs, first, strict=True), *([(last, provenance)] if last.open else [])]
    for tab, part in shown:
        with tab:
            if isinstance(part, str):
                st.markdown(unbroken(part))
            else:
                part()


def draw_table(
    table: pd.DataFrame,
    name: str,
    columns: Mapping[str, Any] | None = None,
    alt: str = "The data of this picture",
    whole: Callable[[], pd.DataFrame] | None = None,
) -> None:
    """Draw a table with its downloads.

    ``columns`` says how some of them are shown, as in ``st.column_config``; ``alt`` what the table is, to a
    screen reader.  ``whole`` makes the table of the files, where it is more than what is shown; it is made
    when a file is asked for.
    """

    def data() -> pd.DataFrame:
        return table if whole is None else whole()

    ours = (name for name in map(str, table.columns) if re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", name))
    named = {name: name.replace("_", " ") for name in ours}  # no model's name, which has more in it
    st.dataframe(
        with_called(table),
        hide_index=True,
        column_config={**named, **(columns or {})},  # to be read; files keep the names that scripts know
        placeholder="–",
        alt=f"{alt}, {len(table):,} rows",
    )
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            lambda: csv_text(data()),
            f"{name}.csv",
            "text/csv",
            key=f"{name}_csv",
            on_click="ignore",
            icon=":material/download:",
        )
        st.download_button(
            "Parquet",
            lambda: data().to_parquet(index=False),
            f"{name}.parquet",
            "application/vnd.apache.parquet",
            key=f"{name}_parquet",
            on_click="ignore",
            icon=":material/download:",
        )


def with_called(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with occupations as people write them, CEO, in its cells and at the head of columns."""
    found = table.rename(columns=called)
    return found.assign(occupation=found["occupation"].map(called)) if "occupation" in found else found


def draw_provenance(loaded: Loaded) -> None:
    """Draw what to cite, where each number comes from, and the commands that make it again."""
    draw_cite()
    options = loaded.options
    for name, item in loaded.runs.items():
        st.markdown(f"**{plain(name)}**")
        hashes = {f"hash of {what}": value for what, value in list_hashes(item.run).items()}
        draw_facts(run_facts(item, options) | hashes | imported_facts(made_by(item)))
        scratch = "" if item.run.scoring.imported else once(scratch_commands)(item.run, options)
        others = other_lists(item.run, open_store().load_run(item.key))
        draw_both_commands(risk_command(item.key, options, others), scratch)
        note = left_out_note(item.report.left_out)
        if note:
            with st.expander("Left out, and why"):
                st.markdown(plain(note))


def draw_cite(arxiv: str = RISK_PAPERS) -> None:
    """Draw the button that opens what to cite; ``arxiv``: the number of the papers of what is measured."""
    with st.popover("Cite", icon=":material/format_quote:", help="What to cite for these numbers."):
        st.markdown("Cite the program with its version, and the papers of its measures.")
        draw_commands(citation_text(arxiv))
        draw_commands(citation_bibtex(arxiv))
        st.download_button(
            "BibTeX",
            lambda: citation_bibtex(arxiv),
            "pcf-audit.bib",
            "application/x-bibtex",
            key="cite_bibtex",
            on_click="ignore",
            icon=":material/download:",
        )


def draw_both_commands(
    from_cache: str, from_scratch: str, caption: str = "This command reads the number from the cache."
) -> None:
    """Draw the command that reads a number from the cache and those that score it anew.

    The second are empty for imported scores.  ``caption``: what the first does.
    """
    st.caption(caption)
    draw_commands(from_cache)
    if from_scratch:
        st.caption("These make it again from scratch, in a cache of their own that is empty at first.")
        draw_commands(from_scratch)
    else:
        st.caption("These scores came in a pack, so nothing here makes them from scratch.")


def draw_commands(lines: str) -> None:
    """Draw commands to be copied.  They wrap: nothing shows that a line goes on beyond a narrow page.

    In one colour: those of a shell's words (export, sum) are too pale in both themes.
    """
    st.code(lines, language=None, wrap_lines=True)
