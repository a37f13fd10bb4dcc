"""What the tabs of the text audits share: requests, stored results, offers, imports and ways back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import streamlit as st

from pcf_core.app.caching import kept, open_queue, open_store
from pcf_core.app.data import asked_as
from pcf_core.app.own import ask_to_delete
from pcf_core.app.queue import ACTIVE, ENDED_EARLY, RECENT, draw_job, draw_jobs, keep_a_worker
from pcf_core.app.roles import draw_why_not, may_audit, recorded, write
from pcf_core.app.widgets import choose_next, plain, plain_titled
from pcf_core.core.errors import AuditError, ModelError
from pcf_core.core.frame import framed_name
from pcf_core.core.generation import GenerationKey
from pcf_core.core.run import ScoringKey, model_label
from pcf_core.models.names import refuse_asking
from pcf_core.show.findings.fairpair import decoding_text
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.provenance import imported_note, inspected_note
from pcf_core.texts.criteria.records.runs import CriteriaAsked, CriteriaResult
from pcf_core.texts.fairpair.records import FairPairAsked, FairPairResult
from pcf_core.texts.text_audit import AuditAsked, AuditResult
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from pcf_core.work.requests import delete_texts
from pcf_core.work.text_audits import AuditEstimate, TextAudit

UNPINNED = (
    "The texts of an endpoint may not be reproducible: the same seed may give other texts, and its model "
    "can change without notice. The texts are saved as they were received."
)
TEACHING = "mini-gpt"
CHOSEN = "kept_texts"
FAIRPAIR_KEY, CRITERIA_KEY = "fp_imported", "cr_imported"
FRAMED = ("_frame", "_system", "_instruction")  # ends of parameters that a link without a frame omits


class TextRequest(Protocol):
    """A request of an audit, identified by its hash."""

    @property
    def hash(self) -> str:
        """Equal for requests that ask for the same."""
        ...


Key = TypeVar("Key")
Second = TypeVar("Second", bound=Hashable)  # distinguishes a model's results, such as a temperature
Request = TypeVar("Request", bound=TextRequest)
AuditRequest = TypeVar("AuditRequest", bound=AuditAsked)
AuditAnswer = TypeVar("AuditAnswer", bound=AuditResult)
TextAsked = TypeVar("TextAsked", FairPairAsked, CriteriaAsked)
TextResult = TypeVar("TextResult", FairPairResult, CriteriaResult)
Material = TypeVar("Material")


@dataclass(frozen=True)
class Stored(Generic[Second, TextAsked, TextResult]):
    """A tab's complete ``results``, and the requests that are ``missing``."""

    results: Mapping[tuple[str, Second], TextResult]
    missing: Mapping[tuple[str, Second], TextAsked]

    @property
    def models(self) -> list[str]:
        """Models with a result, in the order that decides their colours."""
        return list(dict.fromkeys(model for model, _ in self.results))


def requests_of(
    audit: TextAudit[TextAsked, Material, TextResult],
    models: Iterable[str],
    seconds: Collection[Second],
    request_of: Callable[[str, Second], tuple[TextAsked, ...]],
) -> dict[tuple[str, Second], TextAsked]:
    """Return the requests to every model by its label; draw refusals once.

    ``request_of``: requests for each possible precision; the first with a result is used, else the first.
    """
    requests: dict[tuple[str, Second], TextAsked] = {}
    refused: dict[tuple[str, str], None] = {}
    with_result = open_store().documents(audit.kind)
    for model in models:
        for second in seconds:
            try:
                several = request_of(model, second)
            except AuditError as error:
                refused[model, str(error)] = None
                continue
            one = next((one for one in several if one.hash in with_result), several[0])
            requests[model_label(framed_name(model, one.key.frame), one.key.dtype), second] = one
    for model, sentence in refused:
        st.error(f"**{plain_titled(model)}:** {plain(sentence)}", icon=":material/error:")
    return requests


def stored_of(
    audit: TextAudit[TextAsked, Material, TextResult], requests: Mapping[tuple[str, Second], TextAsked]
) -> Stored[Second, TextAsked, TextResult]:
    """Look up the requests in the store."""
    results: dict[tuple[str, Second], TextResult] = {}
    missing: dict[tuple[str, Second], TextAsked] = {}
    for which, one in requests.items():
        try:
            results[which] = complete_result(audit, one.hash)
        except LookupError:
            missing[which] = one
    return Stored(results, missing)


@kept(64, "Loading the results …", state=lambda _, key: open_store().imported_stamp(key))
def complete_result(audit: TextAudit[AuditRequest, Material, AuditAnswer], key: str) -> AuditAnswer:
    """Load a result, shared between sessions, or raise a LookupError."""
    result = audit.load(open_store(), key)
    if result is None:
        raise LookupError(key)
    return result


def offer_missing(
    audit: TextAudit[TextAsked, Material, TextResult],
    missing: Mapping[tuple[str, Second], TextAsked],
    material: Callable[[TextAsked, Second], Material],
    words: Callable[[Mapping[tuple[str, Second], TextAsked]], tuple[str, str]],
    line: Callable[[tuple[str, Second], TextAsked, AuditEstimate], tuple[str, str]],
) -> bool:
    """Say what is missing, offer to queue it, and draw its jobs; return whether all is offered.

    ``words``: opening of the offer, and label of the button.  ``line``: what a request takes, as Markdown,
    and the basis of that estimate, which is drawn once below.
    """
    waiting = _askable(follow_jobs(audit.kind, missing)) if missing else {}
    if not waiting:
        return False
    opening, label = words(waiting)
    with st.container(border=True):
        st.markdown(opening)
        bases: dict[str, None] = {}
        for which, one in waiting.items():
            try:
                estimate = audit.estimate(open_store(), open_queue(), one, material(one, which[1]))
            except AuditError as error:
                st.error(f"**{plain_titled(which[0])}:** {plain(str(error))}", icon=":material/error:")
                continue
            takes, basis = line(which, one, estimate)
            st.markdown(takes)
            bases[basis] = None
        for basis in filter(None, bases):
            st.caption(plain(basis))
        if any(one.key.family == "endpoint" for one in waiting.values()):
            st.caption(UNPINNED)
        offered = offer_submitting(
            audit.submit,
            lambda: ((one, material(one, second)) for (_, second), one in waiting.items()),
            label,
            f"{audit.kind}_button",
        )
    return offered and len(waiting) == len(missing)


def offer_submitting(
    submit: Callable[..., object], requests: Callable[[], Iterable[tuple[object, ...]]], label: str, key: str
) -> bool:
    """Draw the button that queues requests, or why this person has none; return whether there is one.

    ``submit``: takes the store, the queue and an item of ``requests``; stops at the first refusal.
    """
    if not may_audit():
        draw_why_not()
        return False
    if st.button(label, type="primary", icon=":material/play_arrow:", key=key):
        try:
            for request in requests():
                write(submit, open_store(), open_queue(), *request)
        except AuditError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return False
        keep_a_worker()
        st.rerun()
    return True


def follow_jobs(kind: str, missing: Mapping[Key, Request]) -> dict[Key, Request]:
    """Draw the jobs of requests that are active or ended early; return the requests without such a job."""
    keys = {one.hash for one in missing.values()}
    newest = {job.key: job for job in reversed(open_queue().list(RECENT, kind=kind)) if job.key in keys}
    active = [job for job in newest.values() if job.state in ACTIVE]
    if active:
        draw_jobs([job.id for job in active])
    ended = [job for job in newest.values() if job.state in ENDED_EARLY]
    for job in ended:
        draw_job(job)
    at_it = {job.key for job in (*active, *ended)}
    return {which: one for which, one in missing.items() if one.hash not in at_it}


def _askable(waiting: Mapping[Key, TextAsked]) -> dict[Key, TextAsked]:
    """Return the requests to models that can be asked here; say so of models whose texts came in a log."""
    requests: dict[Key, TextAsked] = {}
    refused: dict[str, None] = {}
    for which, one in waiting.items():
        try:
            refuse_asking(one.key.model)
            requests[which] = one
        except ModelError as error:
            refused[str(error)] = None
    for sentence in refused:
        st.caption(plain(sentence))
    return requests


def draw_where_asked(keys: Iterable[GenerationKey | ScoringKey]) -> None:
    """Draw notes on endpoints, and on texts that came in a log of Inspect."""
    written = [key for key in keys if isinstance(key, GenerationKey) and key.family == "endpoint"]
    for note in dict.fromkeys(inspected_note(key) for key in written if key.inspected):
        st.caption(plain(note))
    if any(not key.inspected for key in written):
        st.caption(UNPINNED)


def draw_list(facts: Mapping[str, str]) -> None:
    """Draw facts as a list, because a narrow page cuts long values in a table."""
    st.markdown("\n".join(f"- *{plain(what)}:* {plain(value)}" for what, value in facts.items()))


def draw_before(
    key: str, button: str, results: Callable[[], Iterable[tuple[str, str, Mapping[str, object]]]]
) -> None:
    """Draw earlier results, newest first, each with a button that opens it.

    ``results``: hash, description in Markdown, and the form's choices; called only once the box is open.
    """
    before = st.expander("Earlier results", icon=":material/history:", key=key, on_change="rerun")
    if not before.open:
        return
    with before:
        rows = list(results())
        if not rows:
            st.caption("There are no earlier results that this form can open.")
        for hash_of, text, choices in rows:
            left, right = st.columns([5, 1], vertical_alignment="center")
            left.markdown(text)
            if right.button("Open", key=f"{button}_{hash_of}", help="Open an earlier result."):
                choose_next(choices)


def title_of(request: FairPairAsked | CriteriaAsked) -> str:
    """Title a result in a list of all results."""
    label = request.key.label
    if isinstance(request, FairPairAsked):
        drawn = decoding_text(request.key.decoding)
        what = f"FairPair · {' → '.join(request.prompts.names)} · {request.prompts.title} · {drawn}"
    else:
        what = f"{request.experiment.capitalize()} · {request.answering}"
    return f"{label} · {what} · {request.hash[:6]}"


def draw_imported(audit: TextAudit[TextAsked, Material, TextResult], key: str) -> tuple[TextAsked, ...]:
    """Draw the choice of an audit's imported results, if there are any; return the chosen ones."""
    titles = {title_of(request): request for request in audit.imported(open_store())}
    if not titles:
        return ()
    state = st.session_state
    if any(one not in titles for one in state.get(key, ())):  # deleted since
        state[key] = [one for one in state[key] if one in titles]
    chosen = st.multiselect(
        "Imported results",
        list(titles),  # by title, because Streamlit writes what is shown into the address
        key=key,
        bind="query-params",
        placeholder="None",
        help="Results imported from packs, which other people calculated. Your own models are shown beside "
        "them if the request was the same.",
    )
    return tuple(titles[one] for one in chosen if one in titles)


def laid_beside(
    audit: TextAudit[TextAsked, Material, TextResult],
    stored: Stored[Second, TextAsked, TextResult],
    imported: Sequence[TextAsked],
    second: Callable[[TextAsked], Second],
    together: Callable[[TextAsked], Hashable],
) -> Stored[Second, TextAsked, TextResult]:
    """Add imported results to those of the form that were asked the same way; say which do not fit.

    ``second``: distinguishes a model's results.  ``together``: what results in one picture have in common;
    the first imported one decides how they must have been asked.
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
                laid.setdefault((request.key.label, second(request)), complete_result(audit, request.hash))
    shown = {result.asked.hash for result in laid.values()}
    if apart := sum(request.hash not in shown for request in imported):
        st.info(
            f"{count(apart, 'imported result was', 'imported results were')} made with other settings than "
            "the first: choose it alone to see it.",
            icon=":material/info:",
        )
    return replace(stored, results=laid)


def draw_marks(marks: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Say who made the imported results; ``marks``: model labels with provenance."""
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
    """Return the query parameters that open a request on its tab; ``None`` if none do.

    ``choices_of``: the choices of the tab's form by widget key, ``None`` if it cannot make the request.
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
    without = () if request.key.frame else FRAMED
    values = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in choices.items()
        if value not in (None, []) and not name.endswith(without)
    }
    return {name: value if isinstance(value, list) else str(value) for name, value in values.items()}


def draw_kept_texts() -> None:
    """Draw the imported text audits with a delete button, if there are any."""
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
            placeholder="Choose a text audit to delete",
            help="By model, audit and request.",
        )
        if key is not None and may_audit():
            title = titles[key]
            ask_to_delete(
                "Delete …",
                f"**{plain(title)}** is deleted with its texts. To see it again, import it again.",
                f"delete_texts_{key}",
                lambda: recorded(
                    "deleted", "text audit", f"{key} {title}", delete_texts, store, open_queue(), key
                ),
                st.rerun,
            )
