"""What ``fairpair`` and ``criteria`` give in the same way: results, jobs and estimates, one a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pcf_core.cli.console import give, one_or_all, say
from pcf_core.core.settings import settings
from pcf_core.store.store import Store
from pcf_core.work.launch import ensure_worker
from pcf_core.work.queue import Queue
from pcf_core.work.text_audits import Asked, Material, Result, TextAudit

ESTIMATED = ("tokens", "prompt_tokens", "cost", "seconds", "basis")  # of every audit's estimate


def give_queued(
    store: Store,
    audit: TextAudit[Asked, Material, Result],
    several: Iterable[tuple[Asked, Material]],
    as_json: bool,
) -> None:
    """Leave the work to a worker: one job a model."""
    waiting = Queue.open(settings().catalogue)
    documents, lines = [], []
    for request, material in several:
        job = audit.submit(store, waiting, request, material)
        say(f"queued as job {job.id}; call {audit.kind} again without --queue to read its result")
        documents.append({"asked": request.hash, "model": job.payload["model"], "job": job.id})
        lines.append(f"{request.hash}  {job.payload['model']}  job {job.id}")
    ensure_worker(settings())
    give(one_or_all(documents), as_json, lambda: lines)


def takes_text(document: Mapping[str, Any]) -> str:
    """Say time and cost, where they are known, and what they rest on."""
    return (
        (f", {document['seconds']:,.0f} s" if document["seconds"] is not None else "")
        + (f", cost {document['cost']:,.2f} at most" if document["cost"] is not None else "")
        + f"  {document['basis']}"
    )
