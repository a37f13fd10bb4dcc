"""The estimate before a run: counted from the store, timed from what was measured here."""

from __future__ import annotations

import importlib

import pytest

from pcf_core.store.store import Store
from pcf_core.work.estimate import estimate
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run
from pcf_core.work.scoring import score_run
from tests.work import toy


@pytest.fixture(autouse=True)
def toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Model ``big`` has ten times the parameters of any other."""
    monkeypatch.setattr(
        importlib.import_module("pcf_core.work.estimate"),  # the room exports a function of the same name
        "resolve",
        lambda name: toy.spec_of(name).model_copy(update={"parameters": 1000 if name == "big" else 100}),
    )


def measured(store: Store, queue: Queue, rate: float) -> None:
    """A finished job of the toy at so many cells a second."""
    job = submit_run(store, queue, toy.run_of(terms=2), 6)
    queue.claim("somewhere")
    queue.progress(job.id, 6, rate=rate)
    queue.finish(job.id, {})


def test_what_is_in_the_store_costs_nothing(store: Store, queue: Queue) -> None:
    run = toy.run_of()
    before = estimate(run, store, queue)
    assert (before.missing, before.disk_bytes) == (24, 24 * 4 * 4)
    score_run(run, store, toy.open_toy)
    after = estimate(run, store, queue)
    assert (after.missing, after.disk_bytes) == (0, 0)


def test_time_is_guessed_from_the_size_until_something_was_measured(store: Store, queue: Queue) -> None:
    """24 cells of 100 parameters; ten times the parameters, ten times the time."""
    found = estimate(toy.run_of(), store, queue)
    assert found.seconds == pytest.approx(24 * 100 / 5e8)
    assert found.guessed
    assert found.basis.startswith("A first guess")
    big = estimate(toy.run_of(spec=toy.spec_of("big")), store, queue)
    assert big.seconds == pytest.approx(10 * found.seconds)


def test_the_time_of_a_model_of_unknown_size_is_unknown(
    store: Store, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        importlib.import_module("pcf_core.work.estimate"),
        "resolve",
        lambda name: toy.spec_of(name).model_copy(update={"parameters": 0}),
    )
    found = estimate(toy.run_of(), store, queue)
    assert (found.seconds, found.guessed) == (None, False)


def test_time_comes_from_this_model_or_is_scaled_by_size(store: Store, queue: Queue) -> None:
    """24 cells at 12 a second; ten times the parameters, ten times the time."""
    measured(store, queue, 12.0)
    here = estimate(toy.run_of(), store, queue)
    assert (here.seconds, here.guessed) == (pytest.approx(2), False)
    big = estimate(toy.run_of(spec=toy.spec_of("big")), store, queue)
    assert big.seconds == pytest.approx(20)
    assert big.basis.startswith("Rough")


def test_the_time_of_another_precision_is_rough(store: Store, queue: Queue) -> None:
    """A rate is that of one precision: 12 a second as float32 say little of bfloat16, and so do 48 back."""
    half = toy.run_of(spec=toy.spec_of().with_dtype("bfloat16"))
    measured(store, queue, 12.0)
    assert estimate(half, store, queue).basis.startswith("Rough estimate, from the speed of toy")
    job = submit_run(store, queue, half, 24)
    queue.claim("somewhere")
    queue.progress(job.id, 24, rate=48.0)
    queue.finish(job.id, {})
    assert estimate(half, store, queue).seconds == pytest.approx(0.5)
    assert estimate(toy.run_of(), store, queue).seconds == pytest.approx(2)


def test_a_rate_of_a_narrow_precision_alone_is_scaled_by_size(
    store: Store, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was measured as bfloat16 stands under the label; its size is that of the model's name."""
    asked: list[str] = []
    monkeypatch.setattr(
        importlib.import_module("pcf_core.work.estimate"),
        "resolve",
        lambda name: asked.append(name) or toy.spec_of(name).model_copy(update={"parameters": 100}),
    )
    job = submit_run(store, queue, toy.run_of(spec=toy.spec_of().with_dtype("bfloat16")), 24)
    queue.claim("somewhere")
    queue.progress(job.id, 24, rate=48.0)
    queue.finish(job.id, {})
    assert estimate(toy.run_of(), store, queue).seconds == pytest.approx(0.5)
    assert set(asked) == {"toy"}


def test_memory_is_that_of_the_dtype(store: Store, queue: Queue) -> None:
    """100 parameters take 400 bytes as float32, 200 as bfloat16; the batch's logits are the same."""
    half = toy.spec_of().model_copy(update={"dtype": "bfloat16"})
    whole = estimate(toy.run_of(), store, queue).memory_bytes
    assert whole - estimate(toy.run_of(spec=half), store, queue).memory_bytes == 200
