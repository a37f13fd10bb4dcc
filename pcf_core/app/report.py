"""The page Report: choice of contents, the button that makes the report, its preview and files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.addresses import Choice
from pcf_core.app.answer import keys_beside
from pcf_core.app.caching import kept, open_store
from pcf_core.app.choice import draw_option, with_asked
from pcf_core.app.data import Loaded, answered, load, must_wait
from pcf_core.app.lists import stamp_of, told_apart
from pcf_core.app.page import draw_commands, finding, finding_list
from pcf_core.app.results.policies import choose_policy
from pcf_core.app.roles import person
from pcf_core.app.signoff import draw_signoff
from pcf_core.app.titles import mapping_titles, model_titles
from pcf_core.app.widgets import choose_one, plain
from pcf_core.audit.knowledge import missing_answers
from pcf_core.audit.policy import Policy
from pcf_core.audit.results import self_audit_of
from pcf_core.core.errors import InputError, StoreError
from pcf_core.core.knowledge import KnowledgeSet
from pcf_core.core.options import declared
from pcf_core.core.records import digest
from pcf_core.core.run import SELECTIONS, RunSpec, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.material.knowledge import list_knowledge
from pcf_core.report.printing import browser, pdf_bytes
from pcf_core.report.records import (
    ALWAYS,
    SECTIONS,
    SHORT,
    ReportDocument,
    ReportPart,
    ReportRequest,
    ReportSection,
    day_of,
    today,
)
from pcf_core.report.reproducing import export_command
from pcf_core.report.whole import Texts, made_finding, write_report
from pcf_core.report.written import html_bytes, model_card, report_bytes, tables_archive
from pcf_core.show.findings.notes import duration, other_lists_note
from pcf_core.show.findings.numbers import count
from pcf_core.show.names import set_title, unique_titles, with_titles
from pcf_core.store.journal import Journal
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.fairpair.records import FairPairAsked
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT

DIGITS = 6
CHOOSABLE = tuple(name for name in SECTIONS if name not in ALWAYS and name not in SHORT)
TWO_PAGES, FULL = "two pages", "full audit"
NO_POLICY = "none"
Asked = TypeVar("Asked", FairPairAsked, CriteriaAsked)
log = logging.getLogger(__name__)

Write = Callable[[ReportDocument], bytes | str]
# Label, ending of the file, its kind, and what writes it.
File = tuple[str, str, str, Write]
PRINTED: File = ("Download to print (HTML)", ".html", "text/html", html_bytes)
DATA: tuple[File, ...] = (
    ("JSON", ".json", "application/json", report_bytes),
    ("CSV", "-csv.zip", "application/zip", partial(tables_archive, form="csv")),
    ("Parquet", "-parquet.zip", "application/zip", partial(tables_archive, form="parquet")),
)
CARD: File = ("Model card", ".md", "text/markdown", model_card)
PDF = "report_pdf"  # session key: state of the printed report, and its PDF
NAME_DIGITS = 8
# CPU seconds: two runs of 120 × 100 cells take 2.2 to 2.9 and 124 MB, two of 120 × 2,000 take 4.5 and
# 196 MB, twelve of together 19,512 cells 5.6 to 7.4.
FIRST_SECONDS, RUN_SECONDS, CELLS_A_SECOND = 1.2, 0.5, 285_000
MOST_CELLS = 4_000_000  # 17 CPU seconds, 0.7 GB
MADE = "report_made"  # session key: state of the open report
HOW = """
**HTML** is the report itself: text, interactive charts, tables, provenance. It is one file that opens without
a network, loads nothing and prints. **PDF** is the same file, printed by this server. **JSON** has the same
as data, every number unrounded; `python -m pcf_core verify` calculates each of them again from the saved
results and lists any difference. **CSV** and **Parquet** are all its tables in one ZIP file; in CSV a text
that a spreadsheet would run as a formula has an apostrophe before it. **Model card** is text for the page of
a model on a hub.

The same contents give the same files here and from the command line, byte for byte, but for the PDF. The only
date in them is the one that you choose.
"""
PDF_HELP = "Prints the report on this server. A few seconds for two pages, up to a minute for a full audit."


@dataclass(frozen=True)
class Contents:
    """What goes into a report.

    ``runs``: finished runs of the sidebar's choice ``loaded``, then added ones.  ``unread``: large ones of
    both that the worker must read first.  ``knowledge``: sets of facts that a model was asked.  ``policy``:
    limits to judge.  ``unknown``: what a link names and the store lacks.  ``date``, ``elsewhere``,
    ``mappings``: as of the request.
    """

    loaded: Loaded
    runs: tuple[RunSpec, ...]
    sections: tuple[str, ...]
    fairpair: tuple[FairPairAsked, ...] = ()
    criteria: tuple[CriteriaAsked, ...] = ()
    knowledge: tuple[str, ...] = ()
    unread: tuple[RunSpec, ...] = ()
    policy: Policy | None = None
    unknown: tuple[str, ...] = ()
    date: str = ""
    elsewhere: tuple[str, ...] = ()
    mappings: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to report."""
        return not (self.runs or self.fairpair or self.criteria)

    @property
    def request(self) -> ReportRequest:
        """The request for it."""
        options = self.loaded.options.model_dump(mode="json")
        if options["protocol"] not in SELECTIONS:  # valid for any run; else each run has its own
            options["protocol"] = ""
        return ReportRequest(
            runs=tuple(run.key for run in self.runs),
            sections=self.sections,
            options=options,
            over=self.loaded.over,
            fairpair=tuple(one.hash for one in self.fairpair),
            criteria=tuple(one.hash for one in self.criteria),
            knowledge=self.knowledge,
            policy=self.policy if self.runs else None,
            date=self.date,
            elsewhere=self.elsewhere,
            mappings=self.mappings,
        )


def draw_contents(choice: Choice) -> Contents:
    """Draw the controls of the contents: length, further runs, text audits, sections."""
    # A report uses a neutral point that each run has, so no run is refused for lacking the chosen one.
    even = choice.options.model_copy(update={"reference": "uniform"})
    loaded = replace(load(replace(choice, options=even)), choice=choice, options=choice.options)
    shown = [item.run for item in loaded.runs.values()]
    for item in loaded.runs.values():
        if note := other_lists_note(item.run, open_store().load_run(item.key), "report"):
            st.warning(plain(note), icon=":material/balance:")
    finished = finished_runs()
    keys = {run.key for run in shown}
    others = {label: run for label, run in finished.items() if run.key not in keys}
    form = choose_one(
        "Length",
        [TWO_PAGES, FULL],
        default=FULL if "rp_without" in st.query_params else TWO_PAGES,  # only it leaves out sections
        key="rp_form",
        help="Two pages give the answer, against whom, how sure it is, and how to check it. The full audit "
        "adds every test, correction, limit and hash.",
    )
    left, middle, right = st.columns(3)
    titles = unique_titles({label: _title_of(label, run) for label, run in others.items()})
    named = left.multiselect(
        "More results",
        with_asked("rp_run", others, titles),
        format_func=titles,
        key="rp_run",
        bind="query-params",
        placeholder="Add saved results",
        help="The results of the sidebar's models are in the report. You can add other saved results, named "
        "by model, topic, sentences and occupations.",
    )
    added = [others[name] for name in named if name in others]
    models = {*choice.models, *(run.scoring.name for run in added)}
    stored = _text_audits(models)
    audit_titles = model_titles(stored)
    audits = middle.multiselect(
        "Text audits",
        with_asked("rp_text", stored, audit_titles),
        format_func=audit_titles,
        key="rp_text",
        bind="query-params",
        placeholder="The newest of each kind" if form == FULL else "None",
        help="Results of FairPair and the criteria of these models. Left empty, the full audit has the "
        "newest of each kind, unless their section is taken out; two pages have them where there is nothing "
        "else.",
    )
    sections = _draw_left_out(right) if form == FULL else tuple(SHORT)
    chosen = [stored[name] for name in audits if name in stored]
    if not audits and (form == FULL or not (shown or added)):
        chosen = _newest(stored.values())
    policy = choose_policy("rp_policy", [NO_POLICY])
    unread = tuple(run for run in added if must_wait(run, "preferences", choice.options))
    runs = (*shown, *(run for run in added if run not in unread))
    return Contents(
        loaded=loaded,
        runs=runs,
        sections=sections,
        fairpair=_of_kind(chosen, FairPairAsked) if form == TWO_PAGES or "fairpair" in sections else (),
        criteria=_of_kind(chosen, CriteriaAsked) if form == TWO_PAGES or "criteria" in sections else (),
        knowledge=_facts_known(run.scoring for run in runs) if "knowledge" in sections else (),
        policy=policy,
        unread=(*loaded.unread.values(), *unread),
        unknown=tuple(name for name in (*named, *audits) if name not in finished and name not in stored),
        date=_draw_date(left),
        elsewhere=keys_beside(loaded),
        mappings=_draw_mappings(middle),
    )


def _draw_date(container: DeltaGenerator) -> str:
    """Draw the report's date; an invalid one is refused, and today is used."""
    text = draw_option(declared(ReportRequest)["date"], container)
    try:
        return day_of(text)
    except InputError as error:
        container.error(plain(str(error)), icon=":material/error:")
        return today()


def _draw_mappings(container: DeltaGenerator) -> tuple[str, ...]:
    """Draw which regulations the report has a table for; unknown names of a link are left out."""
    titles = mapping_titles()
    option = declared(ReportRequest)["mappings"]
    chosen = draw_option(option, container, offered=titles.by_name, format_func=titles)
    return tuple(name for name in chosen if name in titles.by_name)


def _draw_left_out(container: DeltaGenerator) -> tuple[str, ...]:
    """Draw which sections of a full audit are left out; return the remaining ones."""
    without = container.multiselect(
        "Sections left out",
        CHOOSABLE,
        key="rp_without",
        bind="query-params",
        placeholder="None",
        help="A section for which these results have no figures is left out automatically. Method, limits "
        "and provenance are always included, because numbers mean little without them.",
    )
    return tuple(name for name in SECTIONS if name not in without)


def finished_runs() -> dict[str, RunSpec]:
    """List finished runs by label: model, topic, templates and occupations."""
    labelled = told_apart([info.run for info in open_store().runs() if info.complete], place)
    return {label: labelled[label] for label in sorted(labelled, key=str.casefold)}


def place(run: RunSpec) -> str:
    """Label a run among those of other models and topics."""
    place_of_lists = _lists_place(run)
    is_exact = run.scoring.protocol == "exact"
    return place_of_lists if is_exact else f"{place_of_lists} · {run.scoring.protocol}"


def _lists_place(run: RunSpec) -> str:
    return " · ".join((run.scoring.label, run.topic.name, run.templates.name, run.evidence.name))


def _title_of(label: str, run: RunSpec) -> str:
    """Return a run's title for its label, which may end with what distinguishes it."""
    lists = run.topic.title, set_title(run.templates), run.evidence.title
    return " · ".join((with_titles(run.scoring.label), *lists)) + label.removeprefix(_lists_place(run))


def _text_audits(models: Iterable[str]) -> dict[str, FairPairAsked | CriteriaAsked]:
    """Return the models' stored text audits by label, the newest of a kind first."""
    wanted = set(models)
    audits: dict[str, FairPairAsked | CriteriaAsked] = {}
    for pair in answered(FAIRPAIR_AUDIT):
        if {pair.key.model, pair.key.name} & wanted:
            label = f"FairPair · {pair.key.name} · {' → '.join(pair.prompts.names)} · {pair.prompts.name}"
            audits[f"{label} · {pair.hash[:DIGITS]}"] = pair
    for request in answered(CRITERIA_AUDIT):
        if {request.model, request.name} & wanted:
            label = f"{request.experiment.capitalize()} · {request.name} · {request.answering}"
            audits[f"{label} · {request.hash[:DIGITS]}"] = request
    return audits


def _newest(audits: Iterable[FairPairAsked | CriteriaAsked]) -> list[FairPairAsked | CriteriaAsked]:
    """Return the first of each kind per model: same prompts and counterparts, or same experiment."""
    first: dict[tuple[str, ...], FairPairAsked | CriteriaAsked] = {}
    for request in audits:
        if isinstance(request, FairPairAsked):
            kind = ("fairpair", request.key.name, request.prompts.name, request.perturbation.table)
        else:
            kind = ("criteria", request.name, request.experiment, request.answering)
        first.setdefault(kind, request)
    return list(first.values())


def _of_kind(several: Sequence[FairPairAsked | CriteriaAsked], kind: type[Asked]) -> tuple[Asked, ...]:
    return tuple(request for request in several if isinstance(request, kind))


def _facts_known(keys: Iterable[ScoringKey]) -> tuple[str, ...]:
    """List the sets of facts that at least one of the models was asked in full."""
    several = {key.hash: key for key in keys}.values()
    return tuple(
        facts.name for facts in list_knowledge() if any(_answered_in_full(key, facts) for key in several)
    )


@kept(slots=64, state=lambda key, _: open_store().shards(key))
def _answered_in_full(key: ScoringKey, facts: KnowledgeSet) -> bool:
    return not missing_answers(open_store(), key, facts)


def draw_report(request: ReportRequest, *, at_once: bool = False) -> None:
    """Draw a button until it is pressed, unless ``at_once``, then the report while the same is requested."""
    key = _state_of(request)
    if at_once:
        st.session_state[MADE] = key
    if st.session_state.get(MADE) != key:
        st.button(
            "Make the report",
            type="primary",
            icon=":material/description:",
            key="report_make",
            on_click=st.session_state.update,
            args=({MADE: key},),
            help="Writes the report from saved results. This takes a few seconds for small ones.",
        )
        return
    cells = sum(open_store().load_run(run).cells for run in request.runs)
    if cells > MOST_CELLS:
        st.warning(
            f"A report of {cells:,} test sentences is too large for a page (at most {MOST_CELLS:,}). Leave "
            "results out, or write it with this command.",
            icon=":material/terminal:",
        )
        draw_commands(export_command(request, "html", f"pcf-audit-{request.hash[:NAME_DIGITS]}.html"))
        return
    document = document_of(request)
    st.markdown(f"**{plain(document.title)}** · {plain(made_finding(document))}")
    finding(*document.headline)
    _draw_files(document)
    draw_signoff(document, f"pcf-audit-{document.request.hash[:NAME_DIGITS]}")
    _draw_preview(document)


def document_of(request: ReportRequest) -> ReportDocument:
    """Write a report, or return the one that was written from the same results."""
    cells = sum(open_store().load_run(run).cells for run in request.runs)
    with st.spinner(f"Writing the report, about {duration(expected_seconds(len(request.runs), cells))} …"):
        return _cached_document(request, _state_of(request))


def expected_seconds(runs: int, cells: int) -> float:
    """Estimate the seconds that a report of so many runs and cells takes."""
    return FIRST_SECONDS + RUN_SECONDS * runs + cells / CELLS_A_SECOND


def _state_of(request: ReportRequest) -> str:
    """Hash the request and everything in the store that its report depends on."""
    store = open_store()
    infos = [store.run_info(key) for key in (*request.runs, *request.elsewhere)]
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
    """Return the lock that lets one session at a time write a report, to save memory."""
    return Lock()


@kept(slots=8)
def _cached_document(request: ReportRequest, state: str) -> ReportDocument:
    with _one_at_a_time():
        return _document(request)


def _document(request: ReportRequest) -> ReportDocument:
    store = open_store()
    fairpair = [FAIRPAIR_AUDIT.load(store, one) for one in request.fairpair]
    criteria = [CRITERIA_AUDIT.load(store, one) for one in request.criteria]
    texts = Texts([one for one in fairpair if one is not None], [one for one in criteria if one is not None])
    return write_report(store, request, texts)


def _draw_files(document: ReportDocument) -> None:
    name = f"pcf-audit-{document.request.hash[:NAME_DIGITS]}"
    with st.container(horizontal=True):
        _draw_file(document, name, PRINTED)
        if browser() is not None:
            _draw_pdf(document, name)
        with st.popover("Data", icon=":material/table:"):
            for file in DATA:
                _draw_file(document, name, file)
        _draw_file(document, name, CARD)
    with st.expander("What the files are, and the command that makes them", icon=":material/help:"):
        st.markdown(HOW)
        lines = (
            export_command(document.request, "html", f"{name}.html"),
            f"python -m pcf_core verify {name}.json",
        )
        draw_commands("\n".join(lines))


def _draw_file(document: ReportDocument, name: str, file: File) -> None:
    label, ending, kind, write = file
    st.download_button(
        label,
        partial(handed_out, document, write, f"{name}{ending}", person().signature),
        f"{name}{ending}",
        kind,
        key=f"report_{label}",
        type="primary" if file is PRINTED else "secondary",
        on_click="ignore",
        icon=":material/download:",
    )


def _draw_pdf(document: ReportDocument, name: str) -> None:
    """Draw a button that prints the report, then one that saves it."""
    made = st.session_state.get(PDF)
    if made is not None and made[0] == st.session_state[MADE]:
        _draw_file(document, name, ("Save the PDF", ".pdf", "application/pdf", lambda _: made[1]))
        return
    if not st.button("PDF", key="report_PDF", icon=":material/picture_as_pdf:", help=PDF_HELP):
        return
    with st.spinner("Printing …"), _one_at_a_time():
        try:
            data = pdf_bytes(html_bytes(document))
        except StoreError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return
    st.session_state[PDF] = st.session_state[MADE], data
    st.rerun()


def handed_out(document: ReportDocument, written_by: Write, name: str, who: str) -> bytes | str:
    """Write a file of a report, and record in the journal, if possible, who took it."""
    try:
        Journal(settings().cache).add(who, "exported", "report", name)
    except StoreError as error:
        log.warning("not in the journal: %s", error)
    return written_by(document)


def _draw_preview(document: ReportDocument) -> None:
    for index, section in enumerate(document.sections):
        with st.expander(f"{plain(section.title)} · {_contents_text(section)}", expanded=index == 0):
            st.markdown(f"*{plain(section.question)}*")
            for part in section.parts:
                if part.title:
                    st.markdown(f"**{plain(part.title)}**")
                finding_list(part.findings)
                if lines := _holdings(part):
                    st.caption("  \n".join(plain(line) for line in lines))
            if not any(part.findings or part.figure or part.tables for part in section.parts):
                st.caption("Text.")


def _holdings(part: ReportPart) -> list[str]:
    chart = [f"Chart: {part.figure.alt}"] if part.figure else []
    return chart + [f"Table: {table.title}, {count(len(table.rows), 'row')}" for table in part.tables]


def _contents_text(section: ReportSection) -> str:
    """Say how much is in a section: "3 findings, 1 chart, 2 tables"."""
    numbers = {
        "finding": sum(len(part.findings) for part in section.parts),
        "chart": sum(part.figure is not None for part in section.parts),
        "table": sum(len(part.tables) for part in section.parts),
    }
    return ", ".join(count(number, noun) for noun, number in numbers.items() if number) or "text"
