"""The page Report: the button that makes it, what is in it, and its files."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from threading import Lock

import streamlit as st

from pcf_core.app.caching import kept
from pcf_core.app.lists import stamp_of
from pcf_core.app.page import draw_commands, finding, finding_list
from pcf_core.app.roles import person
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain
from pcf_core.audit.results import self_audit_of
from pcf_core.core.errors import StoreError
from pcf_core.core.records import digest
from pcf_core.core.settings import settings
from pcf_core.report.html import html_bytes
from pcf_core.report.model_card import model_card
from pcf_core.report.records import ReportDocument, ReportPart, ReportRequest, ReportSection
from pcf_core.report.reproducing import export_command
from pcf_core.report.whole import Texts, write_report
from pcf_core.report.whole_report import made_finding
from pcf_core.report.written import report_bytes, tables_archive
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.progress import duration
from pcf_core.store.journal import Journal
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT

log = logging.getLogger(__name__)

Write = Callable[[ReportDocument], bytes | str]
# Label, ending of the file, its kind, and what writes it.
FILES: tuple[tuple[str, str, str, Write], ...] = (
    ("HTML", ".html", "text/html", html_bytes),
    ("JSON", ".json", "application/json", report_bytes),
    ("CSV", "-csv.zip", "application/zip", partial(tables_archive, form="csv")),
    ("Parquet", "-parquet.zip", "application/zip", partial(tables_archive, form="parquet")),
    ("Model card", ".md", "text/markdown", model_card),
)
DIGITS = 8
# Seconds of a CPU: two runs of 120 × 100 cells take 2.2 to 2.9 and 124 MB, two of 120 × 2,000 take 4.5 and
# 196 MB, twelve of together 19,512 cells 5.6 to 7.4.
FIRST_SECONDS, RUN_SECONDS, CELLS_A_SECOND = 1.2, 0.5, 285_000
MOST_CELLS = 4_000_000  # 17 s of a CPU, 0.7 GB
MADE = "report_made"  # what the report was made of that this session looks at
HOW = """
**HTML** is the report itself: text, charts that answer to the mouse, tables, provenance. It is one file that
opens without a network, fetches nothing and prints; the browser's *print* makes a PDF of it. **JSON** holds
the same as data, every number unrounded; `python -m pcf_core verify` computes each of them again from the
cache and says what differs. **CSV** and **Parquet** are all its tables, packed into one ZIP file; in CSV a
text that a spreadsheet would run as a formula has an apostrophe before it. **Model card** is what the page
of a model on a hub can carry.

The same contents give the same files, byte for byte, here and from the command line: no time is in them.
"""


def draw_report(request: ReportRequest) -> None:
    """Draw a button until it is pressed, then the report as long as the same is asked for."""
    key = state_of(request)
    if st.session_state.get(MADE) != key:
        st.button(
            "Make the report",
            type="primary",
            icon=":material/description:",
            key="report_make",
            on_click=st.session_state.update,
            args=({MADE: key},),
            help="Works out what is in it; nothing is scored. A few seconds for small runs.",
        )
        return
    cells = sum(open_store().load_run(run).cells for run in request.runs)
    if cells > MOST_CELLS:
        st.warning(
            f"A report of {cells:,} cells takes more of this server than a page may ({MOST_CELLS:,} cells): "
            "leave runs out, or make it with this command.",
            icon=":material/terminal:",
        )
        draw_commands(export_command(request, "html", f"pcf-audit-{request.hash[:DIGITS]}.html"))
        return
    with st.spinner(f"Writing the report, about {duration(expected_seconds(len(request.runs), cells))} …"):
        document = cached_document(request, key)
    st.markdown(f"**{plain(document.title)}** · {plain(made_finding(document))}")
    finding(*document.headline)
    draw_files(document)
    draw_preview(document)


def expected_seconds(runs: int, cells: int) -> float:
    """Estimate how long a report of so many runs, with so many cells together, takes to be written."""
    return FIRST_SECONDS + RUN_SECONDS * runs + cells / CELLS_A_SECOND


def state_of(request: ReportRequest) -> str:
    """Hash the request and all in the cache that a report of it depends on."""
    store = open_store()
    infos = [store.run_info(key) for key in request.runs]
    audits = [self_audit_of(store, info.run) for info in infos]
    parts = [
        [
            info.model_dump(mode="json"),
            audit and audit.model_dump(mode="json"),
            store.shards(info.run.scoring),
        ]
        for info, audit in zip(infos, audits, strict=True)
    ]
    brought = [store.imported_stamp(key) for key in (*request.fairpair, *request.criteria)]
    others = [(info.run.kept_as, info.complete) for info in store.runs()] if request.policy else []
    return digest([request.hash, parts, brought, others, stamp_of("factors")])


@st.cache_resource(show_spinner=False)
def _one_at_a_time() -> Lock:
    """Return the lock of the session whose report is being written.

    The others wait, and memory is that of one.
    """
    return Lock()


@kept(slots=8)
def cached_document(request: ReportRequest, state: str) -> ReportDocument:
    """Write a whole report of what :func:`state_of` says; it is shared and never changed."""
    with _one_at_a_time():
        return _document(request)


def _document(request: ReportRequest) -> ReportDocument:
    store = open_store()
    fairpair = [FAIRPAIR_AUDIT.load(store, one) for one in request.fairpair]
    criteria = [CRITERIA_AUDIT.load(store, one) for one in request.criteria]
    texts = Texts([one for one in fairpair if one is not None], [one for one in criteria if one is not None])
    return write_report(store, request, texts)


def draw_files(document: ReportDocument) -> None:
    """Draw the files, each made when it is asked for, and the command that makes the same ones."""
    name = f"pcf-audit-{document.request.hash[:DIGITS]}"
    with st.container(horizontal=True):
        for label, ending, kind, write in FILES:
            st.download_button(
                label,
                partial(handed_out, document, write, f"{name}{ending}", person().signature),
                f"{name}{ending}",
                kind,
                key=f"report_{label}",
                type="primary" if label == "HTML" else "secondary",
                on_click="ignore",
                icon=":material/download:",
            )
    with st.expander("What the files are, and the command that makes them", icon=":material/help:"):
        st.markdown(HOW)
        lines = (
            export_command(document.request, "html", f"{name}.html"),
            f"python -m pcf_core verify {name}.json",
        )
        draw_commands("\n".join(lines))


def handed_out(document: ReportDocument, written_by: Write, name: str, who: str) -> bytes | str:
    """Write a file of a report, and record in the journal who took it, where the cache can be written."""
    try:
        Journal(settings().cache).add(who, "exported", "report", name)
    except StoreError as error:
        log.warning("not in the journal: %s", error)
    return written_by(document)


def draw_preview(document: ReportDocument) -> None:
    """Draw every section with its findings, charts and tables, folded but for the first."""
    for place, section in enumerate(document.sections):
        with st.expander(f"{plain(section.title)} · {contents_text(section)}", expanded=place == 0):
            st.markdown(f"*{plain(section.question)}*")
            for part in section.parts:
                if part.title:
                    st.markdown(f"**{plain(part.title)}**")
                finding_list(part.findings)
                if lines := holdings(part):
                    st.caption("  \n".join(plain(line) for line in lines))
            if not any(part.findings or part.figure or part.tables for part in section.parts):
                st.caption("Text.")


def holdings(part: ReportPart) -> list[str]:
    """Return the chart and the tables of a part, by what they show."""
    chart = [f"Chart: {part.figure.alt}"] if part.figure else []
    return chart + [f"Table: {table.title}, {count(len(table.rows), 'row')}" for table in part.tables]


def contents_text(section: ReportSection) -> str:
    """Say how much is in a section: "3 findings, 1 chart, 2 tables"."""
    numbers = {
        "finding": sum(len(part.findings) for part in section.parts),
        "chart": sum(part.figure is not None for part in section.parts),
        "table": sum(len(part.tables) for part in section.parts),
    }
    return ", ".join(count(number, noun) for noun, number in numbers.items() if number) or "text"
