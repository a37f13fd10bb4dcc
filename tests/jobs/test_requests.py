"""Payloads: what is submitted is what the worker reads."""

from __future__ import annotations

from types import ModuleType

import pytest
from pydantic import ValidationError

from pcf_core.jobs import Queue, submit_run, submit_words
from pcf_core.jobs.requests import SMALL, ScoreRequest, WordsRequest


def test_a_run_is_its_own_key(queue: Queue, toy: ModuleType) -> None:
    run = toy.run_of()
    job = submit_run(queue, run, 17)
    assert (job.kind, job.key, job.total, job.priority) == ("score", run.key, 17, 0)
    assert ScoreRequest.model_validate(job.payload).run == run
    assert submit_run(queue, run, 17).id == job.id


def test_a_sentence_goes_ahead_and_is_told_apart_by_all_it_depends_on(queue: Queue, toy: ModuleType) -> None:
    job = submit_words(queue, "toy", toy.TOPIC, "They are [Y]")
    assert (job.kind, job.priority) == ("words", SMALL)
    asked = WordsRequest.model_validate(job.payload)
    assert (asked.model, asked.topic, asked.text, asked.protocol) == (
        "toy",
        toy.TOPIC,
        "They are [Y]",
        "exact",
    )
    others = {
        submit_words(queue, "other", toy.TOPIC, "They are [Y]").id,
        submit_words(queue, "toy", toy.TOPIC, "She is [Y]").id,
        submit_words(queue, "toy", toy.TOPIC, "They are [Y]", "single-token").id,
    }
    assert len(others | {job.id}) == 4
    assert submit_words(queue, "toy", toy.TOPIC, "They are [Y]").id == job.id


def test_a_payload_that_is_something_else_is_refused() -> None:
    with pytest.raises(ValidationError):
        ScoreRequest.model_validate({"run": {"path": "/etc/passwd"}})
