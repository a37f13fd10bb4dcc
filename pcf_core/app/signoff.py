"""The sign-off of a report on the page Report: a form, the statement, and the report that begins with it."""

from __future__ import annotations

import logging

import streamlit as st

from pcf_core.app.roles import person
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError, StoreError
from pcf_core.core.options import declared
from pcf_core.core.settings import settings
from pcf_core.report.printing import browser, pdf_bytes
from pcf_core.report.records import ReportDocument
from pcf_core.report.signoff import DECISIONS, ENDING, Decided, SignOff, make_statement, signoff_bytes
from pcf_core.report.written import html_bytes, report_bytes
from pcf_core.store.journal import Journal

SIGNED = "report_signed"  # session key: hash of the report's request, and the statement on it
ABOUT = (
    "A statement of who decided what about this report. It names the report by the SHA-256 of its JSON file, "
    "so save both: `python -m pcf_core verify` then checks the statement too. With an SSH key, "
    "`python -m pcf_core sign` also signs it."
)
log = logging.getLogger(__name__)


def draw_signoff(document: ReportDocument, name: str) -> None:
    """Draw the form of a sign-off, and its files once it is filled in; ``name``: of the report's files."""
    with st.expander("Sign off", icon=":material/signature:"):
        st.caption(ABOUT)
        decided = _draw_form()
        if decided is not None:
            try:
                statement = make_statement(report_bytes(document), decided)
                Journal(settings().cache).add(
                    person().signature,
                    "signed",
                    "report",
                    f"{name}.json {decided.decision} {statement.report}",
                )
                st.session_state[SIGNED] = document.request.hash, statement
            except StoreError as error:
                st.error(plain(str(error)), icon=":material/error:")
        about, statement = st.session_state.get(SIGNED, ("", None))
        if statement is not None and about == document.request.hash:
            _draw_files(document, statement, name)


def _draw_form() -> Decided | None:
    """Draw the form, of which the address keeps nothing; return the statement when it is sent and allowed."""
    with st.form("report_signoff", border=False):
        columns, given = st.columns(2), {}
        for index, (field, one) in enumerate(declared(Decided).items()):
            container, label, key = columns[index % 2], one.spec.title, f"signoff_{field}"
            given[field] = (
                container.radio(label, list(DECISIONS), 1, DECISIONS.get, key=key)
                if field == "decision"
                else container.text_input(label, key=key, placeholder=one.spec.placeholder)
            )
        if not st.form_submit_button("Sign off", icon=":material/signature:"):
            return None
    try:
        return Decided.model_validate(given)
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


def _draw_files(document: ReportDocument, statement: SignOff, name: str) -> None:
    st.markdown("  \n".join(f"**{label}**: {plain(text)}" for label, text in statement.lines.items()))
    with st.container(horizontal=True):
        st.download_button(
            "Statement (JSON)",
            lambda: signoff_bytes(statement),
            f"{name}.json{ENDING}",
            "application/json",
            key="signoff_json",
            on_click="ignore",
            icon=":material/download:",
        )
        st.download_button(
            "Report that begins with it (HTML)",
            lambda: html_bytes(document, statement.lines),
            f"{name}-signed.html",
            "text/html",
            key="signoff_html",
            on_click="ignore",
            icon=":material/download:",
        )
        if browser() is not None:
            st.download_button(
                "The same as PDF",
                lambda: pdf_bytes(html_bytes(document, statement.lines)),
                f"{name}-signed.pdf",
                "application/pdf",
                key="signoff_pdf",
                type="primary",
                help="Printed on this server, which takes up to a minute.",
                on_click="ignore",
                icon=":material/picture_as_pdf:",
            )
