"""Scoring by a sampling plan: it stops, goes on, repeats no cell, and can be watched and cancelled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.audit.results import self_audit_of
from pcf_core.audit.sampling import planned, with_draws
from pcf_core.core.errors import RunError
from pcf_core.core.risk import Look
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.estimate import estimate
from pcf_core.work.jobs import OpenScorer, Stopped
from pcf_core.work.queue import Queue
from pcf_core.work.requests import ScoreRequest, submit_run
from pcf_core.work.scoring import score_asked
from pcf_core.work.worker import Worker
from tests.work import toy


@pytest.fixture(autouse=True)
def large_shards(toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy's shards of four prompts would be hundreds of files here."""
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "512")
    settings.cache_clear()


def plan(within: float, templates: int = 400) -> RunSpec:
    """Two occupations; the first templates are the most frequent."""
    run = toy.run_of(terms=2, templates=templates)
    counted = tuple(
        template.model_copy(update={"count": 1 / (rank + 10)})
        for rank, template in enumerate(run.templates.templates)
    )
    return planned(
        run.model_copy(update={"templates": run.templates.model_copy(update={"templates": counted})}), within
    )


def open_large(opened: list[Scorer]) -> OpenScorer:
    """The toy with large batches; ``opened`` collects each time it is loaded."""

    def open_it(spec: ModelSpec, protocol: str) -> Scorer:
        opened.append(toy.open_toy(spec, protocol, batch_size=256))
        return opened[-1]

    return open_it


def test_it_stops_at_the_first_narrow_look(store: Store) -> None:
    run, seen, opened = plan(0.03), list[Look](), list[Scorer]()
    done = score_asked(run, store, open_large(opened), on_look=seen.append)
    assert done.look == seen[-1]
    assert [look.draws for look in seen] == [100 * 2**i for i in range(len(seen))]
    assert all(look.half_width > 0.03 for look in seen[:-1])
    assert seen[-1].half_width <= 0.03
    assert len(seen) > 1
    assert len(opened) == 1, "one model for all looks"
    assert done.scored == done.run.cells == 2 * done.look.templates < 2 * 400
    kept = store.run_info(run.key)
    assert (kept.run, kept.complete) == (done.run, True)
    assert kept.run.plan.draws == seen[-1].draws


@pytest.mark.slow
def test_a_finer_goal_scores_only_what_is_new(store: Store) -> None:
    first = score_asked(plan(0.03), store, open_large([]))
    second = score_asked(plan(0.015), store, open_large([]))
    assert second.look.draws > first.look.draws
    assert second.scored == second.run.cells - first.run.cells
    assert set(first.run.prompts) < set(second.run.prompts)


def test_asking_again_begins_where_it_ended(store: Store) -> None:
    done = score_asked(plan(0.03), store, open_large([]))
    seen, opened = list[Look](), list[Scorer]()
    again = score_asked(plan(0.03), store, open_large(opened), on_look=seen.append)
    assert (again.scored, again.look, seen, opened) == (0, done.look, [done.look], [])


def test_a_small_set_is_drawn_whole_and_ends(store: Store) -> None:
    done = score_asked(plan(0.001, templates=6), store, open_large([]))
    assert done.look.whole
    assert done.run.cells == 12
    assert done.document["sampling"]["half_width"] == 0


def test_a_run_without_a_plan_is_scored_as_ever(store: Store) -> None:
    run = toy.run_of(terms=2)
    done = score_asked(run, store, open_large([]))
    assert done.document == {"run": run.key, "cells": 6, "scored": 6}


def test_progress_goes_on_from_look_to_look(store: Store) -> None:
    marks: list[tuple[int, int]] = []
    done = score_asked(plan(0.03), store, open_large([]), toy.counts_to(marks))
    assert marks == sorted(marks)
    assert marks[-1] == (done.scored, done.scored)


def test_a_plan_that_is_stopped_is_resumed(store: Store) -> None:
    """Stopped within the second look: the first one's cells are kept, and the end is the same."""
    seen: list[Look] = []
    with pytest.raises(Stopped):
        score_asked(
            plan(0.03), store, open_large([]), pause=toy.stop_if(lambda: bool(seen)), on_look=seen.append
        )
    assert len(seen) == 1
    kept = store.run_info(plan(0.03).key)
    assert (kept.complete, kept.run) == (False, with_draws(plan(0.03), 200))
    later: list[Look] = []
    done = score_asked(plan(0.03), store, open_large([]), on_look=later.append)
    assert later[0].draws == 200, "the first look is not taken again"
    assert done.look is not None
    assert done.scored == done.run.cells - 2 * seen[0].templates
    assert store.run_info(done.run.key).complete


def test_the_scores_are_audited_once_at_the_end(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, alone, real = list[Look](), list[int](), FakeScorer.alone

    def counted(self: FakeScorer, prompt: str, word: str) -> float:
        alone.append(len(looked))
        return real(self, prompt, word)

    monkeypatch.setattr(FakeScorer, "alone", counted)
    done = score_asked(plan(0.03), store, open_large([]), on_look=looked.append)
    assert len(looked) > 1
    assert set(alone) == {len(looked)}
    found = self_audit_of(store, done.run)
    assert found.noise_scores == len(alone)


def test_of_two_at_one_plan_the_second_goes_on_where_the_first_ended(store: Store) -> None:
    """The first goes through all its looks while the second waits for the turn at the first of them."""
    run, opened = plan(0.03), list[Scorer]()
    begun, waiting = Event(), Event()

    def hold() -> None:
        begun.set()
        assert waiting.wait(30)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(score_asked, run, store, open_large([]), pause=hold)
        assert begun.wait(30)
        seen: list[Look] = []
        other = Store.open(store._root)
        done = score_asked(
            run, other, open_large(opened), on_look=seen.append, on_wait=lambda holder: waiting.set()
        )
        assert (done.scored, done.run, done.look) == (0, first.result().run, first.result().look)
    assert (seen, opened) == ([first.result().look], [])
    assert store.run_info(run.key).complete


def test_draws_by_other_counts_are_refused_and_nothing_is_mixed(store: Store, queue: Queue) -> None:
    """Counts are no part of the key, so its draws are those by the counts that were there first."""
    first = score_asked(plan(0.03), store, open_large([]))
    even = tuple(template.model_copy(update={"count": 2.5}) for template in first.run.templates.templates)
    whole = first.run.whole
    other = planned(
        whole.model_copy(update={"templates": whole.templates.model_copy(update={"templates": even})}), 0.03
    )
    assert other.key == first.run.key
    with pytest.raises(RunError, match="draws templates by the counts of"):
        submit_run(store, queue, other, 0)
    with pytest.raises(RunError, match="draws templates by the counts of"):
        score_asked(other, store, open_large([]))
    assert (queue.list(), store.load_run(other.key)) == ((), first.run)
    again = score_asked(plan(0.03), store, open_large([]))
    assert (again.run, again.look, again.scored) == (first.run, first.look, 0)


def test_the_worker_follows_the_plan_and_shows_each_look(
    store: Store, queue: Queue, toy_settings: Settings
) -> None:
    run = plan(0.03)
    job = submit_run(store, queue, run, run.cells)
    assert ScoreRequest.model_validate(job.payload).within == 0.03
    notes: list[Look] = []
    real = queue.note

    def note(job_id: int, result: dict[str, object], owner: str | None = None) -> None:
        real(job_id, result, owner)
        during = queue.get(job_id)
        assert during.state == "running"
        assert not notes or "sampling" in during.result, "the look stays beside the stage"
        if "stage" not in during.result:
            notes.append(Look.model_validate(during.result["sampling"]))

    queue.note = note
    Worker(store, queue, toy_settings, open_large([])).run(until_idle=True)
    done = queue.get(job.id)
    assert done.state == "done", done.error
    assert Look.model_validate(done.result["sampling"]) == notes[-1]
    assert done.done == done.total == done.result["cells"]
    assert [look.draws for look in notes] == [100 * 2**i for i in range(len(notes))]


def test_a_cancelled_plan_goes_on_in_the_worker_and_so_does_its_progress(
    store: Store, queue: Queue, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancelled after the first look; the bar never falls back, though a plan's total grows."""
    job = submit_run(store, queue, plan(0.03), 0)
    marks, note, progress = list[tuple[int, int]](), queue.note, queue.progress

    def cancel(job_id: int, result: dict[str, object], owner: str | None = None) -> None:
        note(job_id, result, owner)
        if "sampling" in result:
            queue.cancel(job_id)

    def mark(job_id: int, done: int, total: int, *more: Any) -> None:
        marks.append((done, total))
        progress(job_id, done, total, *more)

    monkeypatch.setattr(queue, "progress", mark)
    monkeypatch.setattr(queue, "note", cancel)
    Worker(store, queue, toy_settings, open_large([])).run(until_idle=True)
    assert queue.get(job.id).state == "cancelled"
    stopped = len(marks)
    monkeypatch.setattr(queue, "note", note)
    queue.retry(job.id)
    Worker(store, queue, toy_settings, open_large([])).run(until_idle=True)
    assert queue.get(job.id).state == "done"
    assert stopped < len(marks)
    assert marks == sorted(marks)


def test_asking_for_a_finished_plan_keeps_its_draws(store: Store, queue: Queue) -> None:
    done = score_asked(plan(0.03), store, open_large([]))
    submit_run(store, queue, plan(0.03), 0)
    assert store.load_run(done.run.key) == done.run


def test_an_estimate_is_the_most_it_can_cost(
    store: Store, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(estimate.__globals__, "resolve", toy.spec_of)
    run = plan(0.03)
    found = estimate(run, store, queue)
    assert (found.missing, found.at_most) == (800, True)
    assert not estimate(run.whole, store, queue).at_most
    score_asked(run, store, open_large([]))
    assert estimate(run, store, queue).missing == 800 - store.load_run(run.key).cells
