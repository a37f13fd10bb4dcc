"""What runs on the machines of a cluster, here in this process: no Ray is needed."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError, PipelineError, ScoringError
from pcf_core.core.settings import Settings, settings
from pcf_core.mining.counting import blocks_of
from pcf_core.mining.pool import Opened
from pcf_core.work import ray_worker
from pcf_core.work.blocks import Block, score_block
from pcf_core.work.ray_worker import Machine, Needs, RayMiner, RayWorker, needs_of
from tests.mining.fakes import corpus_of, fake_counter
from tests.work import toy


@pytest.fixture
def worker(toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[RayWorker]:
    monkeypatch.setattr(ray_worker, "resolve", toy.spec_of)
    monkeypatch.setattr(ray_worker, "open_scorer", partial(toy.open_toy, parameters=3))
    monkeypatch.setattr(os, "environ", {**os.environ, "OMP_NUM_THREADS": "1"})
    yield RayWorker({**toy_settings.environment, "PCF_BATCH_TOKENS": "4096"})
    settings.cache_clear()


def test_it_takes_over_the_settings_of_who_asks_and_not_rays_threads(worker: RayWorker) -> None:
    assert settings().batch_tokens == 4096
    assert "OMP_NUM_THREADS" not in os.environ


def test_it_answers_as_a_scorer_here_does(worker: RayWorker) -> None:
    scorer = toy.open_toy(toy.spec_of(), "exact")
    opened = worker.open(toy.spec_of(), "exact")
    assert (opened.key, opened.traits) == (scorer.key, scorer.traits)
    assert opened.parameters == 3
    assert worker.check(("he", "she")) == scorer.check(("he", "she"))
    assert worker.alone("They are [Y]", "he") == scorer.alone("They are [Y]", "he")
    block = Block(("They are [Y]", "We are [Y]"), toy.WORDS, 2)
    np.testing.assert_array_equal(worker.score(block).values, score_block(scorer, block).values)


def test_what_goes_over_the_network_survives_it(worker: RayWorker) -> None:
    opened = worker.open(toy.spec_of(), "exact")
    assert pickle.loads(pickle.dumps(opened)) == opened  # noqa: S301
    block = Block(("They are [Y]",), toy.WORDS, 1)
    again = pickle.loads(pickle.dumps(worker.score(block)))  # noqa: S301
    assert again.values.dtype == np.float32


def test_another_model_under_the_same_name_is_refused(worker: RayWorker) -> None:
    with pytest.raises(ModelError, match=r"on the machine .* \(weights there, yesterday's here\): give all"):
        worker.open(toy.spec_of(identity="yesterday's"), "exact")


def test_a_machine_that_expects_another_opening_than_the_first_is_refused(worker: RayWorker) -> None:
    """A key without an opening leaves it to the model, which may be clear on one device alone."""
    opened = worker.open(toy.spec_of(), "exact")
    assert worker.open(toy.spec_of(), "exact", opened.key) == opened
    first = opened.key.model_copy(update={"opening": ("<s>",)})
    with pytest.raises(
        ModelError, match="expects other tokens before a text than on the machine that opened"
    ):
        worker.open(toy.spec_of(), "exact", first)


def test_a_miner_counts_as_it_does_here_and_refuses_another_parser(
    toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ})  # it takes over all settings
    miner = RayMiner(toy_settings.environment)
    block = next(blocks_of(corpus_of(5)))
    assert miner.open(fake_counter, None) == miner.open(fake_counter, "1") == Opened("fake", "1")
    assert pickle.loads(pickle.dumps(miner.score(block))) == fake_counter().count(block)  # noqa: S301
    with pytest.raises(
        PipelineError, match=r"differs from the one with which mining began \(1 there, 2 elsewhere\)"
    ):
        miner.open(fake_counter, "2")
    settings.cache_clear()


# What one process takes of a cluster, and how many there is room for.


FOUR = (Machine(cpus=64, gpus=8),) * 4


def settings_with(device: str = "auto", threads: int = 0) -> Settings:
    return Settings(cache=Path("unused"), device=device, threads=threads)


@pytest.mark.parametrize(
    ("device", "threads", "machines", "needs", "room"),
    [
        ("auto", 0, FOUR, Needs(1, 1), 32),
        ("cuda:1", 0, FOUR, Needs(1, 1), 32),  # which GPU it is, Ray decides
        ("split", 0, FOUR, Needs(1, 8), 4),
        ("split", 0, (*FOUR, Machine(16, 4)), Needs(1, 4), 9),
        ("cpu", 0, FOUR, Needs(64, 0), 4),
        ("cpu", 16, FOUR, Needs(16, 0), 16),
        ("auto", 0, (Machine(8), Machine(4)), Needs(4, 0), 3),
        ("auto", 1, (Machine(1), Machine(1)), Needs(1, 0), 2),
        ("split", 2, (Machine(8), Machine(0)), Needs(2, 0), 4),
        ("cuda", 0, (Machine(0, 8), Machine(4, 8)), Needs(1, 1), 4),  # a process needs a CPU, too
    ],
)
def test_worked_examples(
    device: str, threads: int, machines: tuple[Machine, ...], needs: Needs, room: int
) -> None:
    found = needs_of(settings_with(device, threads), machines)
    assert (found, found.room(machines)) == (needs, room)


@given(
    st.builds(Needs, st.integers(1, 9), st.integers(0, 4)),
    st.lists(st.builds(Machine, st.integers(0, 40), st.integers(0, 9)), max_size=5),
)
def test_room_is_what_fits_when_tried(needs: Needs, machines: list[Machine]) -> None:
    """Against taking from each machine until it has not enough left."""
    count = 0
    for machine in machines:
        cpus, gpus = machine.cpus, machine.gpus
        while cpus >= needs.cpus and gpus >= needs.gpus:
            cpus, gpus, count = cpus - needs.cpus, gpus - needs.gpus, count + 1
    assert needs.room(machines) == count


@pytest.mark.parametrize(
    ("device", "threads", "machines", "says"),
    [
        ("cuda", 0, (Machine(2),), r"needed: 1 CPUs, 1 GPUs; available: 2 and 0\): change PCF_DEVICE"),
        ("cpu", 16, (Machine(8), Machine(4)), r"needed: 16 CPUs, 0 GPUs; available: 8 and 0; 4 and 0"),
        ("auto", 0, (), "available: no machine"),
    ],
)
def test_a_cluster_without_room_is_refused(
    device: str, threads: int, machines: tuple[Machine, ...], says: str
) -> None:
    with pytest.raises(ScoringError, match=says):
        needs_of(settings_with(device, threads), machines)
