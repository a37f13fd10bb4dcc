"""Import: runs that were scored elsewhere, brought in as a pack on the page Run an audit."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.model_details import draw_open, run_title
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain
from pcf_core.app.uploads import upload_file
from pcf_core.core.errors import AuditError
from pcf_core.core.settings import settings
from pcf_core.report.importing import Arrived, import_pack
from pcf_core.report.packs import ENDING, LARGEST, read_pack
from pcf_core.report.signing import signature_of
from pcf_core.show.findings.imported import imported_note
from pcf_core.show.findings.numbers import count

ARRIVED = "pack_arrived"
HELP = (
    "A file that `python -m pcf_core export RUN --format pack` wrote where the model is. Its scores are "
    "shown beside yours and marked as imported: nobody here has seen the weights."
)


def draw_import() -> None:
    """Draw the field for a pack, and what came in with the last one; a viewer gets nothing."""
    if not may_audit():
        return
    with st.expander("Import a pack", icon=":material/move_to_inbox:"):
        st.caption("Results of models that you cannot run: somebody else has scored them.")
        file = upload_file("Pack", [ENDING], LARGEST // 1_000_000, "pack_file", HELP, forget)
        if file is not None and st.button("Import", key="pack_import"):
            try:
                pack = read_pack(file.getvalue())
                signature = signature_of(pack.signed, pack.signature, settings().signers)
                names = " ".join(pack.manifest.runs)
                st.session_state[ARRIVED] = recorded(
                    "imported", "pack", f"{names} {signature}", import_pack, open_store(), pack, signature
                )
            except AuditError as error:
                forget()
                st.error(plain(str(error)), icon=":material/error:")
        if ARRIVED in st.session_state:
            draw_arrived(st.session_state[ARRIVED])


def forget() -> None:
    """Say no more of the last import."""
    st.session_state.pop(ARRIVED, None)


def draw_arrived(arrived: Arrived) -> None:
    """Say what came of an import, with the way to each run."""
    if arrived.new:
        st.success(f"{count(len(arrived.new), 'run is', 'runs are')} imported.", icon=":material/check:")
    if arrived.known:
        was = count(len(arrived.known), "run was", "runs were")
        st.info(f"{was} here already, with the same scores.", icon=":material/info:")
    infos = {info.run.key: info for info in open_store().runs()}
    for run in (*arrived.new, *arrived.known):
        if run.key in infos:
            note = imported_note(run.scoring.label, infos[run.key].provenance)
            st.markdown(plain(note or run.scoring.label))
            st.caption(plain(run_title(run)))
            draw_open(infos[run.key].run)
