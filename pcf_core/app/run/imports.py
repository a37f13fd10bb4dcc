"""Imports on the page Run an audit: packs of results, and Inspect's logs of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import streamlit as st

from pcf_core.app.addresses import CRITERIA_TAB, FAIRPAIR_TAB
from pcf_core.app.caching import open_queue, open_store
from pcf_core.app.links import draw_link
from pcf_core.app.models.details import draw_open, run_title
from pcf_core.app.own import upload_file
from pcf_core.app.queue import keep_a_worker
from pcf_core.app.roles import may_audit, recorded, write
from pcf_core.app.texts.shared import parameters_of, title_of
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.settings import settings
from pcf_core.report.importing import Arrived, TextResult, import_pack
from pcf_core.report.packs import ENDING, read_pack
from pcf_core.report.packs import LARGEST as LARGEST_PACK
from pcf_core.report.signatures import signature_of
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.provenance import imported_note, inspected_note
from pcf_core.texts.fairpair.records import FairPairResult
from pcf_core.texts.inspected.log import LARGEST as LARGEST_LOG
from pcf_core.texts.inspected.log import read_log
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from pcf_core.work.inspecting import (
    ArrivedTexts,
    ReadAsCriteria,
    ReadAsFairPair,
    ReadAsSampled,
    import_log,
    key_of,
)

PACK_HELP = (
    "A file from `python -m pcf_core export RUN --format pack`, made where the model is. Its results are "
    "shown beside yours and marked as imported, because this app has not seen the weights."
)
LOG_HELP = (
    "A log of the task fairpair or criteria, from `inspect eval`. Its texts are analysed like any others and "
    "marked as imported, because this app has not run that model."
)
T = TypeVar("T")


def draw_import() -> None:
    """Draw the uploads of a pack and of a log, each with the last import; nothing for viewers."""
    if not may_audit():
        return
    with st.expander("Import results from a pack", icon=":material/move_to_inbox:"):
        st.caption("Results of models that you cannot run yourself, made by somebody else.")
        _draw_field("Pack", [ENDING], LARGEST_PACK, PACK_HELP, _bring_pack, _draw_arrived)
    with st.expander("Import texts from a log of Inspect", icon=":material/move_to_inbox:"):
        st.caption(
            "Inspect is a program that lets models of many providers write texts. The document *Models of "
            "any provider, by Inspect* has the command."
        )
        _draw_field("Log", [".eval", ".json"], LARGEST_LOG, LOG_HELP, _bring_log, _draw_lines)


def _draw_field(
    label: str,
    endings: Sequence[str],
    largest: int,
    help_text: str,
    bring: Callable[[bytes], T],
    draw: Callable[[T], None],
) -> None:
    """Draw an upload (``largest``: bytes), the button that imports it, and the result of the last import."""
    key = label.lower()
    arrived = f"{key}_arrived"
    forget = partial(st.session_state.pop, arrived, None)
    file = upload_file(label, endings, largest // 1_000_000, f"{key}_file", help_text, forget)
    if file is not None and st.button("Import", key=f"{key}_import"):
        try:
            st.session_state[arrived] = bring(file.getvalue())
        except AuditError as error:
            forget()
            st.error(plain(str(error)), icon=":material/error:")
    if arrived in st.session_state:
        draw(st.session_state[arrived])


def _bring_pack(data: bytes) -> Arrived:
    with st.spinner("Checking, and calculating the results of texts again …"):
        pack = read_pack(data)
    signature = signature_of(pack.signed, pack.signature, settings().signers)
    names = " ".join(pack.manifest.keys)
    return recorded("imported", "pack", f"{names} {signature}", import_pack, open_store(), pack, signature)


def _draw_arrived(arrived: Arrived) -> None:
    if arrived.new:
        st.success(
            f"{count(len(arrived.new), 'result is', 'results are')} imported.", icon=":material/check:"
        )
    if arrived.new_texts:
        come = count(len(arrived.new_texts), "text audit is", "text audits are")
        st.success(f"{come} imported.", icon=":material/check:")
    if arrived.known:
        was = count(len(arrived.known), "result was", "results were")
        st.info(f"{was} here already, with the same numbers.", icon=":material/info:")
    if arrived.known_texts:
        was = count(len(arrived.known_texts), "text audit was", "text audits were")
        st.info(f"{was} here already, with the same texts.", icon=":material/info:")
    for note in arrived.notes:
        st.warning(plain(note), icon=":material/balance:")
    infos = {info.run.key: info for info in open_store().runs()}
    for run in (*arrived.new, *arrived.known):
        if run.key in infos:
            note = imported_note(run.scoring.label, infos[run.key].provenance)
            st.markdown(plain(note or run.scoring.label))
            st.caption(plain(run_title(run)))
            draw_open(infos[run.key].run)
    for result in (*arrived.new_texts, *arrived.known_texts):
        stored = _loaded(result)
        if stored is not None:
            key = stored.asked.key
            note = imported_note(key.label, stored.provenance)
            st.markdown(plain(note))
            st.caption(plain(title_of(stored.asked)))
            tab = FAIRPAIR_TAB if isinstance(stored, FairPairResult) else CRITERIA_TAB
            draw_link(tab, "Open it on Written text", parameters_of(stored.asked))


def _loaded(result: TextResult) -> TextResult | None:
    key = result.asked.hash
    if isinstance(result, FairPairResult):
        return FAIRPAIR_AUDIT.load(open_store(), key)
    return CRITERIA_AUDIT.load(open_store(), key)


def _bring_log(data: bytes) -> tuple[str, ...]:
    """Save the texts of a log, queue their analysis, and return sentences on the import."""
    log = read_log(data)
    key = key_of(log)
    arrived = recorded("imported", "texts", f"{key.model} {log.eval_id}", import_log, open_store(), log)
    if isinstance(arrived.read_as, ReadAsSampled):
        return f"{arrived.read_as.run.scoring.label} is now on the pages under Results.", inspected_note(key)
    _ask(arrived)
    came = count(arrived.new, "text is", "texts are")
    return (
        f"{came} imported. The queue below opens the result once the texts are analysed."
        if arrived.new
        else f"{count(arrived.texts, 'text was', 'texts were')} here already.",
        inspected_note(key),
    )


def _ask(arrived: ArrivedTexts) -> None:
    one = arrived.read_as
    if isinstance(one, ReadAsFairPair):
        if FAIRPAIR_AUDIT.load(open_store(), one.asked.hash) is None:
            write(FAIRPAIR_AUDIT.submit, open_store(), open_queue(), one.asked, one.material)
    elif isinstance(one, ReadAsCriteria) and CRITERIA_AUDIT.load(open_store(), one.asked.hash) is None:
        write(CRITERIA_AUDIT.submit, open_store(), open_queue(), one.asked, one.material)
    keep_a_worker()


def _draw_lines(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        st.markdown(plain(sentence))
