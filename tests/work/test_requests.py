"""Payloads: what is submitted is what the worker reads."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.sampling import planned
from pcf_core.core.errors import RightsError
from pcf_core.core.settings import settings
from pcf_core.store.journal import Journal
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.requests import (
    SMALLEST,
    ScoreRequest,
    WordsRequest,
    delete_run,
    submit_read,
    submit_run,
    submit_words,
)
from tests.work import toy


def test_a_run_is_its_own_key(store: Store, queue: Queue) -> None:
    run = toy.run_of()
    job = submit_run(store, queue, run, 17)
    assert (job.kind, job.key, job.total, job.priority) == ("score", run.key, 17, 0)
    assert job.payload == {
        "run": run.key,
        "model": "toy",
        "topic": "Toy",
        "topic_name": "toy",
        "templates": "texts",
        "evidence": "terms",
        "protocol": "exact",
        "within": None,
    }
    assert store.load_run(ScoreRequest.model_validate(job.payload).run) == run
    assert submit_run(store, queue, run, 17).id == job.id


def test_a_run_counts_with_all_its_cells(monkeypatch: pytest.MonkeyPatch, store: Store, queue: Queue) -> None:
    """Also with those that are in the store; a plan with every template that it may come to draw."""
    run = toy.run_of(2, 9)
    monkeypatch.setenv("PCF_MOST_CELLS", str(run.cells - 1))
    settings.cache_clear()
    for asked in (run, planned(run, 0.05)):
        with pytest.raises(RightsError, match=rf"has {run.cells} test sentences.* is {run.cells - 1} "):
            submit_run(store, queue, asked, 1)
    monkeypatch.setenv("PCF_MOST_CELLS", str(run.cells))
    settings.cache_clear()
    submit_run(store, queue, run, 1)


def test_a_large_run_makes_no_larger_job(store: Store, queue: Queue) -> None:
    """The page reads the last jobs each second: a run's texts are none of its business."""
    jobs = [submit_run(store, queue, toy.run_of(10, templates), 1) for templates in (1, 2000)]
    small, large = (len(json.dumps(job.payload)) for job in jobs)
    assert small == large < 1000


def test_asking_again_leaves_a_complete_run_complete(store: Store, queue: Queue) -> None:
    run = toy.run_of()
    submit_run(store, queue, run, run.cells)
    assert not store.run_info(run.key).complete
    store.save_run(run, {"device": "cpu"})
    before = store.run_info(run.key)
    submit_run(store, queue, run, 0)
    assert store.run_info(run.key) == before


def test_a_deleted_run_leaves_no_job_of_it(store: Store, queue: Queue) -> None:
    """Of its scoring, ended in whatever way, and of its readings; other runs keep theirs."""
    run, other = toy.run_of(), toy.run_of(3, 2)
    for each in (run, other):
        store.save_run(each, {})
        scoring = submit_run(store, queue, each, 0)
        queue.claim("somebody")
        queue.finish(scoring.id, {})
        reading = submit_read(store, queue, each, "preferences", ViewOptions())
        queue.claim("somebody")
        queue.finish(reading.id, {})
    queue.cancel(submit_run(store, queue, run, 0).id)
    assert len(queue.list()) == 5
    delete_run(store, queue, run.key)
    assert {job.payload["run"] for job in queue.list()} == {other.key}


def test_a_sentence_goes_ahead_and_is_told_apart_by_all_it_depends_on(queue: Queue) -> None:
    job = submit_words(queue, "toy", toy.TOPIC, "They are [Y]")
    assert (job.kind, job.priority) == ("words", SMALLEST)
    asked = WordsRequest.model_validate(job.payload)
    assert asked == WordsRequest(
        model="toy", topic=toy.TOPIC, text="They are [Y]", protocol="exact", dtype="float32"
    )
    others = {
        submit_words(queue, "other", toy.TOPIC, "They are [Y]").id,
        submit_words(queue, "toy", toy.TOPIC, "She is [Y]").id,
        submit_words(queue, "toy", toy.TOPIC, "They are [Y]", "single-token").id,
        submit_words(queue, "toy", toy.TOPIC, "They are [Y]", dtype="bfloat16").id,
    }
    assert len(others | {job.id}) == 5
    assert submit_words(queue, "toy", toy.TOPIC, "They are [Y]").id == job.id


def test_a_payload_that_is_something_else_is_refused() -> None:
    with pytest.raises(ValidationError):
        ScoreRequest.model_validate({"run": {"path": "/etc/passwd"}})


def test_other_counts_change_nothing_and_stand_in_the_journal(store: Store, queue: Queue) -> None:
    run = toy.run_of()
    store.save_run(run, {"device": "cpu"})
    queue._journal = Journal(store._root)
    submit_run(store, queue, run, 0)
    queue.cancel(queue.list()[0].id)
    several = tuple(one.model_copy(update={"count": 9.0}) for one in run.templates.templates)
    mine = run.templates.model_copy(update={"name": "mine", "templates": several})
    job = submit_run(store, queue, run.model_copy(update={"templates": mine}), 0)
    assert (job.key, store.load_run(run.key)) == (run.key, run)
    said = [entry.name for entry in Journal(store._root).read().entries if entry.did == "queued"]
    assert said[0] == f"job 1, {run.key} toy"
    assert said[1] == f"job 2, {run.key} toy, with other counts in mine than the run has"
