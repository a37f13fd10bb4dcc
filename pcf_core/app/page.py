"""The parts that every page has: question, finding, key figures, chart, explanation, data, provenance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go
import streamlit as st

from pcf_core.app.addresses import MODELS
from pcf_core.app.caching import kept, open_store
from pcf_core.app.choice import current_choice
from pcf_core.app.data import Loaded, load, made_by
from pcf_core.app.links import draw_link
from pcf_core.app.notes import draw_unequal_words, notes
from pcf_core.app.present import enlarged, is_presented
from pcf_core.app.scoring import follow_checks, follow_readings, offer_scoring
from pcf_core.app.styles import finished, readable
from pcf_core.app.suiting import draw_way_to_an_answer
from pcf_core.app.titles import list_titles, topic_titles
from pcf_core.app.widgets import plain, plain_label, plain_titled
from pcf_core.core.risk import RiskReport
from pcf_core.report.files import csv_text
from pcf_core.report.loaded import PROGRAM, precision_text
from pcf_core.report.panels import Panel
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.theme import heading
from pcf_core.show.findings.notes import (
    contexts,
    no_answer_note,
    noun_note,
    other_lists_note,
    unequal_weights,
    weights_help,
)
from pcf_core.show.findings.numbers import PEOPLE, called, count, listed, people
from pcf_core.show.findings.provenance import imported_note
from pcf_core.show.names import sentence_with_titles, speak_of, with_titles, worded

if TYPE_CHECKING:
    import pandas as pd

    from pcf_core.app.partial import Draw
from pcf_core.app.caching import once
from pcf_core.app.widgets import draw_facts
from pcf_core.report.citing import RISK_PAPERS, citation_bibtex, citation_text
from pcf_core.show.findings.notes import left_out_note
from pcf_core.show.findings.provenance import imported_facts

# Only the buttons zoom a figure: dragging moves the page.
BUTTONS = [["toImage", "zoomIn2d", "zoomOut2d", "resetScale2d"]]
FILE = {"width": 960, "scale": 2}  # of a saved picture, whatever the width of the window
CHART = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtons": BUTTONS,
    "toImageButtonOptions": FILE,
}
# Streamlit pans charts that take clicks unless their axes are fixed, so these cannot be zoomed.
CLICKED = {**CHART, "modeBarButtons": [["toImage"]]}
READING, DATA, PROVENANCE = "Reading the picture", "Data", "Method and provenance"  # at the end of a page
ROW = 5  # key figures side by side
GROUPS = "|".join(map(re.escape, sorted(PEOPLE, key=len, reverse=True)))
GROUP = re.compile(rf"^(|.*[_(: ])({GROUPS})([_):].*|)$")  # in a name: stereotype_male_low, most male


def _with_people(name: str) -> str:
    return GROUP.sub(lambda match: f"{match[1]}{people(match[2])}{match[3]}", name)


# How cells of these columns are shown; files keep the raw names.
WRITTEN: Mapping[str, Callable[[str], str]] = {
    "occupation": called,
    **dict.fromkeys(("group", "favoured", "leads"), people),
    **dict.fromkeys(("model", "name", "line", "place", "first", "second", "templates"), with_titles),
    "end": _with_people,
    "topic": lambda name: topic_titles()(name),
    "occupations": lambda name: list_titles()(name),
}
FIGURES = 128  # cached for all visitors


def open_page(
    title: str,
    question: str,
    otherwise: Callable[[], None] | None = None,
    *,
    brief: bool = False,
    growing: Draw | None = None,
) -> Loaded:
    """Draw title and question, if any, then open the results; see :func:`open_results`."""
    st.title(title)
    if question:
        st.markdown(f"##### {question}")
    return open_results(otherwise, brief=brief, growing=growing)


def open_results(
    otherwise: Callable[[], None] | None = None, *, brief: bool = False, growing: Draw | None = None
) -> Loaded:
    """Open the results of the shared choice, and say what is missing; end the script if there are none.

    ``otherwise`` draws what the page shows even without results.  ``brief``: compute only the interval of R,
    which is much faster.  ``growing``: see :func:`offer_scoring`.
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
        offer_scoring(loaded.missing, growing)
    if loaded.unread:
        follow_readings((run, "preferences", choice.options) for run in loaded.unread.values())
    if not loaded.runs:
        stop(otherwise)
    _draw_loaded(loaded)
    follow_checks(loaded)
    low = no_answer_note(loaded.reports)
    if all(report.says_little for report in loaded.reports.values()):
        st.warning(plain(low), icon=":material/warning:")  # unequal words do not matter then
        draw_way_to_an_answer(loaded)
    else:
        draw_unequal_words(loaded, low)
    return loaded


def draw_refused(refused: Mapping[str, str]) -> None:
    """Show why models have no results; models with the same reason share a message."""
    for sentence in dict.fromkeys(refused.values()):
        names = listed([plain_titled(name) for name, why in refused.items() if why == sentence])
        st.error(f"**{names}:** {plain(sentence)}", icon=":material/error:")


def draw_absent(names: Sequence[str]) -> None:
    """Name the models that are not installed, with a link to install them."""
    if names:
        st.info(
            f"Not installed here: {plain_titled(listed(names))}. Only saved results are available.",
            icon=":material/cloud_download:",
        )
        draw_link(MODELS, "Install on the page Models", {}, ":material/download:")


def stop(otherwise: Callable[[], None] | None) -> None:
    """End the script, after drawing what the page shows without results."""
    if otherwise:
        otherwise()
    st.stop()


def _draw_loaded(loaded: Loaded) -> None:
    """Draw notes on unusual, imported or partial runs, and a summary of the results."""
    run, first = loaded.first.run, loaded.first.report
    speak_of(run)
    terms, note = len(run.evidence.terms), noun_note(run)
    if note:
        st.caption(plain(note))
    for name, item in loaded.runs.items():
        if note_text := imported_note(name, made_by(item)):
            st.caption(f":material/move_to_inbox: {plain(note_text)}")
        if note_text := other_lists_note(item.run, open_store().load_run(item.key)):
            st.caption(f":material/balance: {plain(note_text)}")
    with st.sidebar:
        st.caption(
            f"{count(len(loaded.runs), 'result')} · {count(terms, plain(run.evidence.noun))} × "
            f"{contexts(len(first.templates), first.sampling)}{unequal_weights(first)}",
            help=weights_help(precision_text(first)) if unequal_weights(first) else None,
        )


def _unbroken(text: str) -> str:
    """Keep figures and their per cent signs on one line."""
    return text.replace(" %", "\u00a0%")


def finding(*sentences: str) -> None:
    """Draw findings, one sentence a line."""
    lines = [_unbroken(plain(sentence_with_titles(sentence))) for sentence in sentences if sentence]
    if lines:
        st.markdown("  \n".join(lines))


def labelled(lines: Mapping[str, str]) -> None:
    """Draw labelled sentences, one a line."""
    if lines:
        st.markdown("  \n".join(f"**{label}:** {_unbroken(plain(line))}" for label, line in lines.items()))


def finding_list(sentences: Iterable[str]) -> None:
    """Draw findings as a list."""
    lines = "\n".join(f"- {plain(sentence_with_titles(sentence))}" for sentence in sentences if sentence)
    if lines:
        st.markdown(_unbroken(lines))


def draw_notes(sentences: Iterable[str]) -> None:
    """Draw caveats in an expander."""
    lines = [sentence for sentence in sentences if sentence]
    if lines:
        with st.expander("What else to know", icon=":material/info:"):
            finding_list(lines)


def key_figures(
    figures: Sequence[KeyFigure],
    loaded: Loaded,
    intervals: Sequence[str] | None = None,
    reports: Mapping[str, RiskReport] | None = None,
) -> None:
    """Draw the key figures and the caveats below them; see :func:`~pcf_core.app.notes.notes`."""
    draw_figures(figures)
    notes(loaded, intervals, reports)


def draw_figures(figures: Sequence[KeyFigure]) -> None:
    """Draw the first figures in a row, and those of further models in an expander."""
    _draw_row(figures[:ROW], min(len(figures), ROW))
    if rest := figures[ROW:]:
        with st.expander(f"The same for {count(len(rest), 'more model')}"):
            for start in range(0, len(rest), ROW):
                _draw_row(rest[start : start + ROW], ROW)


def _draw_row(figures: Sequence[KeyFigure], columns: int) -> None:
    for column, figure in zip(st.columns(columns), figures, strict=False):
        column.metric(
            plain_label(with_titles(figure.label)),
            figure.value,
            help=figure.help,
            delta=plain_titled(figure.detail) or None,
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
    claim: str = "",
    source: str = PROGRAM,
    table: Callable[[], pd.DataFrame] | None = None,
) -> None:
    """Draw a chart as :func:`chart` does, cached by its function and arguments."""
    _draw_figure(_figure(make, title or heading(alt), source, claim), key, alt, clicked)
    _draw_source(source, key, table)


@kept(slots=FIGURES)
def _figure(make: partial[go.Figure], title: str, source: str, claim: str) -> go.Figure:
    return finished(readable(make(), title, source, claim))


def draw_picture(panel: Panel, clicked: Callable[[object], None] | None = None) -> None:
    """Draw the chart of a panel, if it has one; ``clicked`` as in :func:`chart`."""
    if panel.chart:
        look: dict[str, Any] = {"title": panel.heading, "claim": panel.claim, "source": panel.source}
        picture(panel.chart, panel.key, panel.alt, clicked, table=panel.table, **look)


def draw_foot(
    panel: Panel,
    loaded: Loaded,
    name: str,
    below: str = "",
    whole: Callable[[], pd.DataFrame] | None = None,
) -> None:
    """Draw the tabs of a panel: how to read it (and the text ``below``), its table, its provenance."""
    if panel.table:
        foot(panel.how + below, panel.table, name, loaded, whole=whole)


def chart(
    figure: go.Figure,
    key: str,
    alt: str,
    clicked: Callable[[object], None] | None = None,
    *,
    title: str = "",
    claim: str = "",
    source: str = PROGRAM,
) -> None:
    """Draw a new figure, full width, in the page's theme.

    ``alt``: its sentence for a screen reader.  ``clicked`` gets the ``customdata`` of a clicked mark.
    ``title``, ``claim`` and ``source`` are drawn into the figure, so that a saved picture has them.
    """
    _draw_figure(readable(figure, title or heading(alt), source, claim), key, alt, clicked)
    _draw_source(source, key)


def _draw_figure(
    figure: go.Figure, key: str, alt: str, clicked: Callable[[object], None] | None = None
) -> None:
    drawn = enlarged(figure, key) if is_presented() else figure
    config = CHART if clicked is None else CLICKED
    shown: dict[str, Any] = {
        "width": "stretch", "theme": "streamlit", "key": key, "config": config, "alt": with_titles(alt)
    }  # fmt: skip
    if clicked is None:
        st.plotly_chart(drawn, **shown)
    else:
        st.plotly_chart(drawn, **shown, on_select=lambda: _tell(key, clicked), selection_mode="points")


def _draw_csv(
    label: str,
    table: Callable[[], pd.DataFrame],
    name: str,
    key: str,
    kind: Literal["secondary", "tertiary"] = "secondary",
) -> None:
    st.download_button(
        label,
        lambda: csv_text(table()),
        f"{name}.csv",
        "text/csv",
        key=key,
        on_click="ignore",
        type=kind,
        icon=":material/download:",
    )


def _draw_source(source: str, key: str, table: Callable[[], pd.DataFrame] | None = None) -> None:
    """Draw the source and a download under a chart; the same line in the figure is hidden on pages."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"source_of_{key}"):
        st.caption(f"Source: {plain_label(with_titles(source))}", width="content")
        if table is not None:
            _draw_csv("Download the data", table, key, f"{key}_source_csv", "tertiary")


def _tell(key: str, clicked: Callable[[object], None]) -> None:
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
    """Draw the tabs below a chart; ``columns`` and ``whole`` as in :func:`draw_table`."""
    data = partial(draw_table, table(), name, columns, whole=whole)
    draw_tabs(name, {READING: how_to_read, DATA: data, PROVENANCE: partial(draw_provenance, loaded)})


def draw_tabs(name: str, parts: Mapping[str, str | Callable[[], None]]) -> None:
    """Draw tabs by title, each a text or a function; ``name``: used as the key.

    The last is drawn only once it is open: its commands need 1.5 MB of script, even while hidden.
    """
    *tabs, last = st.tabs(list(parts), key=f"{name}_foot", on_change="rerun")
    *first, provenance = parts.values()
    shown = [*zip(tabs, first, strict=True), *([(last, provenance)] if last.open else [])]
    for tab, part in shown:
        with tab:
            if isinstance(part, str):
                st.markdown(_unbroken(worded(part)))
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

    ``columns``: as in ``st.column_config``.  ``alt``: for a screen reader.  ``whole``: makes the table of the
    files, on demand, if that is more than what is shown.
    """

    def data() -> pd.DataFrame:
        return table if whole is None else whole()

    headings = {name: heading for name in map(str, table.columns) if (heading := _heading(name)) != name}
    st.dataframe(
        with_called(table),
        hide_index=True,
        column_config={**headings, **(columns or {})},  # files keep the raw names
        placeholder="–",
        alt=f"{alt}, {len(table):,} rows",
    )
    draw_files(data, name)


def draw_files(data: Callable[[], pd.DataFrame], name: str) -> None:
    """Draw the downloads of a table, which is made on demand."""
    with st.container(horizontal=True):
        _draw_csv("CSV", data, name, f"{name}_csv")
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
    """Write occupations ("CEO"), groups ("men") and models in a table as people do."""
    shown = table.rename(columns=called)
    for column, spell in WRITTEN.items():
        if column in shown:
            cells = [spell(cell) if isinstance(cell, str) else cell for cell in shown[column]]
            shown = shown.assign(**{column: cells})
    return shown


def _heading(name: str) -> str:
    """Write a column's name for people: "stereotype men" for ``stereotype_male``."""
    written = _with_people(with_titles(name))
    words = re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", name)  # ours, no model's
    return written.replace("_", " ") if words else written


def draw_provenance(loaded: Loaded) -> None:
    """Draw what to cite, where each number comes from, and the commands that reproduce it."""
    from pcf_core.report.provenance import list_hashes, run_facts  # imported late: few look
    from pcf_core.report.reproducing import other_lists, risk_command, scratch_commands

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
    """Draw the button with what to cite; ``arxiv``: number of the paper of the measure."""
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
    """Draw the command that reads a number from the cache and those that score it anew, "" for imports."""
    st.caption(caption)
    draw_commands(from_cache)
    if from_scratch:
        st.caption("These make it again from scratch, in a cache of their own that is empty at first.")
        draw_commands(from_scratch)
    else:
        st.caption("These scores came in a pack, so nothing here makes them from scratch.")


def draw_commands(lines: str) -> None:
    """Draw commands to be copied, wrapped, and in one colour because highlighting is too pale."""
    st.code(lines, language=None, wrap_lines=True)
