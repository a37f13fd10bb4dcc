"""What the pages of the text audits share: sorting requests, following their jobs, who was asked."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Protocol, TypeVar

import streamlit as st

from pcf_core.app.caching import kept, open_queue, open_store
from pcf_core.app.queue import ACTIVE, ENDED_EARLY, RECENT, draw_job, draw_jobs, keep_a_worker
from pcf_core.app.roles import draw_why_not, may_audit, write
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError, ModelError
from pcf_core.core.generation import GenerationKey
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.models.names import refuse_asking
from pcf_core.show.findings.provenance import inspected_note
from pcf_core.texts.text_audit import AuditAsked, AuditResult
from pcf_core.work.text_audits import TextAudit

UNPINNED = (
    "An endpoint promises nothing: the same seed may give other texts, and its model can change unseen. Its "
    "texts are kept as they came."
)
TEACHING = "mini-gpt"


class Asked(Protocol):
    """A request of an audit, known by its hash."""

    @property
    def hash(self) -> str:
        """What two requests have in common that ask for the same."""
        ...


class AskedOfOne(Asked, Protocol):
    """A request to one model."""

    @property
    def key(self) -> GenerationKey | ScoringKey:
        """Of the model."""
        ...


Key = TypeVar("Key")
Single = TypeVar("Single", bound=AskedOfOne)
Request = TypeVar("Request", bound=Asked)
Result = TypeVar("Result")
AuditRequest = TypeVar("AuditRequest", bound=AuditAsked)
AuditAnswer = TypeVar("AuditAnswer", bound=AuditResult)
Material = TypeVar("Material")


def sort_requests(
    request: Mapping[Key, Request], load: Callable[[str], Result]
) -> tuple[dict[Key, Result], dict[Key, Request]]:
    """Split the requests into answered and others, for which ``load`` raises LookupError."""
    results: dict[Key, Result] = {}
    missing: dict[Key, Request] = {}
    for which, one in request.items():
        try:
            results[which] = load(one.hash)
        except LookupError:
            missing[which] = one
    return results, missing


def complete_result(audit: TextAudit[AuditRequest, Material, AuditAnswer], key: str) -> AuditAnswer:
    """Load a result; it is shared between sessions and never changed."""
    return _complete_result(audit, key, open_store().imported_stamp(key))


@kept(slots=64, spinner="Reading what was found …")
def _complete_result(
    audit: TextAudit[AuditRequest, Material, AuditAnswer], key: str, stamp: int
) -> AuditAnswer:
    result = audit.load(open_store(), key)
    if result is None:
        raise LookupError(key)
    return result


def offer_submitting(
    submit: Callable[..., object], requests: Callable[[], Iterable[tuple[object, ...]]], label: str, key: str
) -> bool:
    """Draw the button that queues requests, or why this person has none; return whether there is one.

    ``submit``: takes the store, the queue and what ``requests`` gives for each; a refusal is shown, and no
    more are queued.
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


def first_kept(several: Iterable[Request], answered: Container[str]) -> Request:
    """Return the first of the requests, of which there is one at least, that has a result; else the first.

    ``answered``: hashes of the requests that have one.
    """
    first, *others = several
    return next((one for one in (first, *others) if one.hash in answered), first)


def opening_writer(models: Iterable[ModelSpec]) -> list[str]:
    """Return the model that a form opens with: the first public one, else one that teaches.

    Public models are passed over where neither their shipped results nor their weights are at hand.
    """
    models = list(models)
    shown = [m.name for m in models if m.kind == "public" and (m.path or settings().shipped_results)]
    return shown[:1] or [m.name for m in models if m.name == TEACHING]


def follow_jobs(kind: str, missing: Mapping[Key, Request]) -> dict[Key, Request]:
    """Show the jobs that are at requests, or ended before their end, and give the requests without one.

    What failed or was cancelled is taken up again by its job's own button.
    """
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


def askable(waiting: Mapping[Key, Single]) -> dict[Key, Single]:
    """Return the requests to models that can be asked; of the others a log brought texts: say so."""
    requests: dict[Key, Single] = {}
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
    """Draw what endpoints do not promise, and whose texts came in a log of Inspect."""
    written = [key for key in keys if isinstance(key, GenerationKey) and key.family == "endpoint"]
    for note in dict.fromkeys(inspected_note(key) for key in written if key.inspected):
        st.caption(plain(note))
    if any(not key.inspected for key in written):
        st.caption(UNPINNED)
