"""Text audits that came in packs: chosen beside the form of *Written text*, marked, and deleted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from pcf_core.app.caching import open_store
from pcf_core.app.data import asked_as
from pcf_core.app.own import ask_to_delete
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.texts.shared import Material, Second, Stored, TextAsked, TextResult, complete_result
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.run import model_label
from pcf_core.show.findings.fairpair import decoding_text
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.provenance import imported_note
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.fairpair.records import FairPairAsked
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from pcf_core.work.text_audits import TextAudit

CHOSEN = "kept_texts"
FAIRPAIR_KEY, CRITERIA_KEY = "fp_imported", "cr_imported"


def title_of(request: FairPairAsked | CriteriaAsked) -> str:
    """Title a result in a list of all."""
    label = model_label(request.key.model, request.key.dtype)
    if isinstance(request, FairPairAsked):
        drawn = decoding_text(request.key.decoding)
        what = f"FairPair · {' → '.join(request.prompts.names)} · {request.prompts.title} · {drawn}"
    else:
        what = f"{request.experiment.capitalize()} · {request.answering}"
    return f"{label} · {what} · {request.hash[:6]}"


def draw_imported(audit: TextAudit[TextAsked, Material, TextResult], key: str) -> tuple[TextAsked, ...]:
    """Draw the choice among the imported results of an audit, where there are any; return those chosen."""
    titles = {title_of(request): request for request in audit.imported(open_store())}
    if not titles:
        return ()
    state = st.session_state
    if any(one not in titles for one in state.get(key, ())):  # deleted since
        state[key] = [one for one in state[key] if one in titles]
    chosen = st.multiselect(
        "Imported results",
        list(titles),  # by title, as links name them: Streamlit writes into an address what is shown
        key=key,
        bind="query-params",
        placeholder="None",
        help="Results that came in packs: somebody else has asked these models. Models of the form stand "
        "beside them where they were asked the same.",
    )
    return tuple(titles[one] for one in chosen if one in titles)


def laid_beside(
    audit: TextAudit[TextAsked, Material, TextResult],
    stored: Stored[Second, TextAsked, TextResult],
    imported: Sequence[TextAsked],
    second: Callable[[TextAsked], Second],
    together: Callable[[TextAsked], Hashable],
) -> Stored[Second, TextAsked, TextResult]:
    """Lay imported results beside those of the form that were asked the same; say which do not fit.

    ``second``: what tells results of a model apart.  ``together``: what those have in common that stand in
    one picture, of which the first imported one says how they were asked.
    """
    first: dict[Hashable, str] = {}
    for request in imported:
        first.setdefault(together(request), request.alike)
    laid = {
        name: result
        for name, result in stored.results.items()
        if first.get(together(result.asked), result.asked.alike) == result.asked.alike  # type: ignore[arg-type]
    }
    for request in imported:
        if request.alike == first[together(request)]:
            with suppress(LookupError):  # deleted since
                label = model_label(request.key.model, request.key.dtype)
                laid.setdefault((label, second(request)), complete_result(audit, request.hash))
    shown = {result.asked.hash for result in laid.values()}
    if apart := sum(request.hash not in shown for request in imported):
        st.info(
            f"{count(apart, 'imported result was', 'imported results were')} asked otherwise than the first: "
            "choose it alone to see it.",
            icon=":material/info:",
        )
    return replace(stored, results=laid)


def draw_marks(marks: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Say of each model whose results are imported who made them; ``marks``: labels with what was kept."""
    for note in dict.fromkeys(imported_note(label, provenance) for label, provenance in marks):
        if note:
            st.caption(f":material/move_to_inbox: {plain(note)}")


def parameters_of(request: FairPairAsked | CriteriaAsked) -> dict[str, str | list[str]]:
    """Return the query parameters that open an imported result on its tab."""
    if isinstance(request, FairPairAsked):
        return {FAIRPAIR_KEY: [title_of(request)]}
    return {CRITERIA_KEY: [title_of(request)], "cr_view": request.experiment}


def way_back(
    audit: TextAudit[TextAsked, Material, TextResult],
    key: str,
    choices_of: Callable[[TextAsked], Mapping[str, object] | None],
) -> Mapping[str, str | list[str]] | None:
    """Return the query parameters that open a request of this hash on its tab, where it can.

    ``choices_of``: what the tab's form has to say, by the keys of its widgets; ``None`` where it cannot.
    """
    try:
        request = asked_as(audit, key)
        choices = choices_of(request)
    except AuditError:
        return None
    if request.imported:
        return parameters_of(request)
    if choices is None:
        return None
    values = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in choices.items()
        if value not in (None, [])
    }
    return {name: value if isinstance(value, list) else str(value) for name, value in values.items()}


def draw_kept_texts() -> None:
    """Draw the imported text audits with what deletes them; nothing where there are none."""
    store = open_store()
    titles = {request.hash: title_of(request) for request in FAIRPAIR_AUDIT.imported(store)}
    titles |= {request.hash: title_of(request) for request in CRITERIA_AUDIT.imported(store)}
    if not titles:
        return
    st.caption(f"{count(len(titles), 'text audit was', 'text audits were')} imported.")
    if st.session_state.get(CHOSEN) not in titles:
        st.session_state.pop(CHOSEN, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            "One of these text audits",
            list(titles),
            index=None,
            format_func=titles.__getitem__,
            key=CHOSEN,
            placeholder="Choose one to delete it",
            help="By model, audit and request.",
        )
        if key is not None and may_audit():
            delete, title = store.delete_imported_texts, titles[key]
            ask_to_delete(
                "Delete …",
                f"**{plain(title)}** is deleted with its texts. Whoever wants it again has to import it.",
                f"delete_texts_{key}",
                lambda: recorded("deleted", "text audit", f"{key} {title}", delete, key),
                st.rerun,
            )
