"""What runs on the machines of a cluster, here in this process: no Ray is needed."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from functools import partial
from types import ModuleType

import numpy as np
import pytest

from pcf_core.core.errors import ModelError, PipelineError
from pcf_core.core.settings import Settings, settings
from pcf_core.mining.counting import blocks_of
from pcf_core.mining.pool import Opened
from pcf_core.work import ray_worker
from pcf_core.work.blocks import Block, score_block
from pcf_core.work.ray_worker import RayMiner, RayWorker
from tests.mining.fakes import corpus_of, fake_counter


@pytest.fixture
def worker(toy: ModuleType, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[RayWorker]:
    monkeypatch.setattr(ray_worker, "resolve", toy.spec_of)
    monkeypatch.setattr(ray_worker, "open_scorer", partial(toy.open_toy, parameters=3))
    monkeypatch.setattr(os, "environ", {**os.environ, "OMP_NUM_THREADS": "1"})
    yield RayWorker({**toy_settings.environment, "PCF_BATCH_TOKENS": "4096"})
    settings.cache_clear()


def test_it_takes_over_the_settings_of_who_asks_and_not_rays_threads(worker: RayWorker) -> None:
    assert settings().batch_tokens == 4096
    assert "OMP_NUM_THREADS" not in os.environ


def test_it_answers_as_a_scorer_here_does(worker: RayWorker, toy: ModuleType) -> None:
    scorer = toy.open_toy(toy.spec_of(), "exact")
    opened = worker.open(toy.spec_of(), "exact")
    assert (opened.key, opened.traits) == (scorer.key, scorer.traits)
    assert opened.parameters == 3
    assert worker.check(("he", "she")) == scorer.check(("he", "she"))
    assert worker.alone("They are [Y]", "he") == scorer.alone("They are [Y]", "he")
    block = Block(("They are [Y]", "We are [Y]"), toy.WORDS, 2)
    np.testing.assert_array_equal(worker.score(block).values, score_block(scorer, block).values)


def test_what_goes_over_the_network_survives_it(worker: RayWorker, toy: ModuleType) -> None:
    opened = worker.open(toy.spec_of(), "exact")
    assert pickle.loads(pickle.dumps(opened)) == opened  # noqa: S301
    block = Block(("They are [Y]",), toy.WORDS, 1)
    again = pickle.loads(pickle.dumps(worker.score(block)))  # noqa: S301
    assert again.values.dtype == np.float32


def test_another_model_under_the_same_name_is_refused(worker: RayWorker, toy: ModuleType) -> None:
    with pytest.raises(ModelError, match=r"on the machine .* \(weights there, yesterday's here\): give all"):
        worker.open(toy.spec_of(identity="yesterday's"), "exact")


def test_a_miner_counts_as_it_does_here_and_refuses_another_parser(
    toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ})  # it takes over all settings
    miner = RayMiner(toy_settings.environment)
    block = next(blocks_of(corpus_of(5)))  # type: ignore[arg-type]
    assert miner.open(fake_counter, None) == miner.open(fake_counter, "1") == Opened("fake", "1")
    assert pickle.loads(pickle.dumps(miner.score(block))) == fake_counter().count(block)  # noqa: S301
    with pytest.raises(
        PipelineError, match=r"is not the one that mining began with \(1 there, 2 elsewhere\)"
    ):
        miner.open(fake_counter, "2")
    settings.cache_clear()
