"""Import on the page Run an audit: texts that Inspect had models write, brought in as a log."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.queue import keep_a_worker
from pcf_core.app.roles import may_audit, recorded, write
from pcf_core.app.stores import open_queue, open_store
from pcf_core.app.text import plain
from pcf_core.app.uploads import upload_file
from pcf_core.core.errors import AuditError
from pcf_core.show.findings.inspected import inspected_note
from pcf_core.show.findings.numbers import count
from pcf_core.texts.inspected.log import LARGEST, read_log
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from pcf_core.work.inspecting import ArrivedTexts, ReadAsFairPair, import_log, key_of

ARRIVED = "log_arrived"
HELP = (
    "A log of the task fairpair or criteria, as `inspect eval` writes it. Its texts are read like any others "
    "and marked: nobody here has asked that model."
)


def draw_log_import() -> None:
    """Draw the field for a log, and what came in with the last one; a viewer gets nothing."""
    if not may_audit():
        return
    with st.expander("Import a log of Inspect", icon=":material/move_to_inbox:"):
        st.caption("Texts of models of any provider that Inspect knows: docs/inspect.md has the command.")
        file = upload_file("Log", [".eval", ".json"], LARGEST // 1_000_000, "log_file", HELP, forget)
        if file is not None and st.button("Import", key="log_import"):
            try:
                st.session_state[ARRIVED] = bring(file.getvalue())
            except AuditError as error:
                forget()
                st.error(plain(str(error)), icon=":material/error:")
        for sentence in st.session_state.get(ARRIVED, ()):
            st.markdown(plain(sentence))


def bring(data: bytes) -> tuple[str, ...]:
    """Keep the texts of a log, have a worker read them, and say what came.

    Raises
    ------
    AuditError
        The log is refused, or this person may not import it.
    """
    log = read_log(data)
    key = key_of(log)
    arrived = recorded("imported", "texts", f"{key.model} {log.eval_id}", import_log, open_store(), log)
    ask(arrived)
    came = count(arrived.new, "text is", "texts are")
    return (
        f"{came} imported. The queue below opens the result once the texts are read."
        if arrived.new
        else f"{count(arrived.texts, 'text was', 'texts were')} here already.",
        inspected_note(key),
    )


def ask(arrived: ArrivedTexts) -> None:
    """Queue the reading of the texts, unless it is done."""
    one = arrived.read_as
    if isinstance(one, ReadAsFairPair):
        if FAIRPAIR_AUDIT.load(open_store(), one.asked.hash) is None:
            write(FAIRPAIR_AUDIT.submit, open_store(), open_queue(), one.asked, one.material)
    elif CRITERIA_AUDIT.load(open_store(), one.asked.hash) is None:
        write(CRITERIA_AUDIT.submit, open_store(), open_queue(), one.asked, one.material)
    keep_a_worker()


def forget() -> None:
    """Say no more of the last import."""
    st.session_state.pop(ARRIVED, None)
