"""A job of nothing but texts, for tests of what writes them in a worker."""

from __future__ import annotations

from typing import Any

import pytest

from pcf_core.core.records import digest
from pcf_core.store.store import Store
from pcf_core.work.jobs import HANDLERS, JobContext, job
from pcf_core.work.queue import Job, Queue
from pcf_core.work.text_audits import TextsAsked, generate_missing, missing_texts

KIND = "write"


def let_workers_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the kind for one test."""
    monkeypatch.setitem(HANDLERS, KIND, lambda context: {})  # taken out again afterwards

    @job(KIND, TextsAsked)
    def answer(context: JobContext, asked: TextsAsked) -> dict[str, Any]:
        count = generate_missing(
            asked, context.store, context.open_generator, context.progress, context.pause
        )
        return {"written": count}


def submit_texts(store: Store, queue: Queue, asked: TextsAsked) -> Job:
    """Queue the texts that the store lacks; ``done`` and ``total`` count them."""
    lacking, payload = missing_texts(store, asked), asked.model_dump(mode="json")
    return queue.submit(
        KIND, digest(payload), payload, total=lacking, models=[asked.key.model], cells=lacking
    )
