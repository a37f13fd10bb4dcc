"""Readings in the queue: asked for once, answered with progress, cancelled, kept."""

from __future__ import annotations

import shutil
from types import ModuleType

import pytest

from pcf_core.audit import preferences as parts
from pcf_core.audit import word_lists as lists_module
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result, result_name
from pcf_core.audit.sensitivity import sensitivity, sensitivity_kept
from pcf_core.core.errors import RunError
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import Settings
from pcf_core.store.store import Store
from pcf_core.work.jobs import Stopped
from pcf_core.work.probing import read_asked
from pcf_core.work.queue import Queue
from pcf_core.work.requests import SMALL, ReadRequest, reading_key, submit_read, submit_words
from pcf_core.work.scoring import score_run
from pcf_core.work.worker import Worker


@pytest.fixture
def run(store: Store, toy: ModuleType, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> RunSpec:
    """A scored run of 24 cells whose result is no longer kept, read eight at a time."""
    found: RunSpec = toy.run_of()
    score_run(found, store, toy.open_toy)
    shutil.rmtree(toy_settings.cache / "results" / found.key)
    monkeypatch.setattr(parts, "PROMPTS_AT_ONCE", 8)
    monkeypatch.setattr(lists_module, "PROMPTS_AT_ONCE", 8)
    return found


@pytest.fixture
def worker(store: Store, queue: Queue, toy_settings: Settings, toy: ModuleType) -> Worker:
    return Worker(store, queue, toy_settings, toy.open_toy)


def test_the_sensitivity_is_worked_out_by_the_worker_and_kept(
    worker: Worker, queue: Queue, store: Store, run: RunSpec
) -> None:
    options = ViewOptions(template_weighting="equal")
    job = submit_read(store, queue, run, "sensitivity", options)
    assert (job.kind, job.priority, job.total) == ("read", SMALL, run.cells)
    assert submit_read(store, queue, run, "sensitivity", options).id == job.id
    assert submit_read(store, queue, run, "sensitivity", ViewOptions()).id != job.id
    assert not sensitivity_kept(store, run, options)
    worker.run(until_idle=True)
    done = queue.get(job.id)
    assert (done.state, done.done, done.result) == (
        "done",
        run.cells,
        {"run": run.key, "cells": run.cells},
    )
    assert sensitivity_kept(store, run, options)


def test_preferences_are_read_by_protocol_alone(
    worker: Worker, queue: Queue, store: Store, run: RunSpec
) -> None:
    single = ViewOptions(protocol="single-token")
    assert reading_key(store, run, "preferences", ViewOptions()) == reading_key(
        store, run, "preferences", ViewOptions(criterion="l2", aggregation="mean")
    )
    assert reading_key(store, run, "preferences", single) != reading_key(
        store, run, "preferences", ViewOptions()
    )
    job = submit_read(store, queue, run, "preferences", single)
    worker.run(until_idle=True)
    assert queue.get(job.id).state == "done"
    assert store.has_result(run.key, result_name(run, "single-token"))
    assert not store.has_result(run.key, result_name(run, "exact"))


def test_progress_counts_the_cells_part_by_part(store: Store, run: RunSpec) -> None:
    for what, expected in (
        ("preferences", [8, 16, 24, 24]),
        ("sensitivity", [6, 12, 18, 24, 24]),  # two whole occupations of three templates at a time
    ):
        told: list[tuple[int, int]] = []
        request = ReadRequest(run=run.key, what=what, options=ViewOptions(), model="toy", topic="Toy")
        read_asked(request, store, lambda done, total, rate, told=told: told.append((done, total)))  # type: ignore[misc]
        assert [done for done, _ in told] == expected
        assert {total for _, total in told} == {run.cells}


def test_a_reading_stops_between_two_parts_and_keeps_nothing(store: Store, run: RunSpec) -> None:
    request = ReadRequest(run=run.key, what="sensitivity", options=ViewOptions(), model="toy", topic="Toy")
    load_result(store, run)
    told: list[int] = []

    def stop() -> None:
        if len(told) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        read_asked(request, store, lambda done, total, rate: told.append(done), stop)
    assert told == [6, 12]
    assert not sensitivity_kept(store, run, ViewOptions())
    read_asked(request, store)
    assert sensitivity(store, run, ViewOptions()).run == run.key


def test_a_cancelled_reading_ends_as_cancelled(
    worker: Worker, queue: Queue, store: Store, run: RunSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = submit_read(store, queue, run, "sensitivity", ViewOptions())
    told = queue.progress

    def progress(job_id: int, done: int, *more: object) -> None:
        told(job_id, done, *more)  # type: ignore[arg-type]
        queue.cancel(job_id)

    monkeypatch.setattr(queue, "progress", progress)
    worker.run(until_idle=True)
    assert queue.get(job.id).state == "cancelled"
    assert not sensitivity_kept(store, run, ViewOptions())


def test_one_sentence_is_answered_while_a_reading_goes_on(
    worker: Worker, queue: Queue, store: Store, run: RunSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = submit_read(store, queue, run, "preferences", ViewOptions())
    told = queue.progress
    states: list[str] = []

    def progress(job_id: int, done: int, *more: object) -> None:
        told(job_id, done, *more)  # type: ignore[arg-type]
        if done == 8:
            asked.append(submit_words(queue, "toy", run.topic, "The nurse is [Y]").id)
        if done == 16:
            states.extend(queue.get(one).state for one in asked)

    asked: list[int] = []
    monkeypatch.setattr(queue, "progress", progress)
    worker.run(until_idle=True)
    assert states == ["done"]
    assert queue.get(reading.id).state == "done"


def test_a_run_that_cannot_be_read_so_fails_with_its_sentence(
    worker: Worker, queue: Queue, store: Store, toy: ModuleType
) -> None:
    unscored = toy.run_of(terms=5)
    store.ask_for(unscored)
    job = submit_read(store, queue, unscored, "sensitivity", ViewOptions())
    worker.run(until_idle=True)
    failed = queue.get(job.id)
    assert failed.state == "failed"
    assert "is not finished" in str(failed.error)


def test_an_unknown_run_is_refused(store: Store) -> None:
    request = ReadRequest(run="0" * 16, what="preferences", options=ViewOptions(), model="m", topic="t")
    with pytest.raises(RunError, match="No run has the key"):
        read_asked(request, store)
