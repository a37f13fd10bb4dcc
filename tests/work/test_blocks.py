"""One block through a scorer, wherever that is, and a scorer with several under way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pcf_core.core.run import ModelSpec, TokenTable
from pcf_core.models.scoring.base import Batch
from pcf_core.store.store import Store
from pcf_core.work.blocks import Block, ParallelScorer, ScoredBlock, environment, score_block
from pcf_core.work.jobs import Stopped
from pcf_core.work.scoring import score_run

PROMPTS = tuple(f"The term{i} is [Y]" for i in range(5))


def test_a_block_comes_back_with_what_made_it(toy: ModuleType) -> None:
    """Five prompts in batches of two: pauses between them alone."""
    scorer, seen, pauses = toy.open_toy(toy.spec_of(), "exact"), [], []
    found = score_block(
        scorer, Block(PROMPTS, toy.WORDS, 10), on_batch=seen.append, pause=lambda: pauses.append(len(seen))
    )
    expected = [[math.log(toy.probability(prompt, word)) for word in toy.WORDS] for prompt in PROMPTS]
    np.testing.assert_allclose(found.values, expected, rtol=1e-6)
    assert (seen, pauses) == ([[0, 1], [2, 3], [4]], [1, 2])
    timings = found.provenance["timings"]
    assert timings["cells_per_second"] == pytest.approx(10 / timings["seconds"])
    assert {**environment(scorer), "timings": timings} == found.provenance


class Several(ParallelScorer):
    """Takes ``room`` blocks at once and gives them back the last first, as unequal machines would."""

    room = 3

    def __init__(self, scorer: Any) -> None:
        super().__init__(scorer.key)
        self.environment = {"device": "elsewhere"}
        self.scorer = scorer
        self.taken: list[int] = []

    def check(self, words: Sequence[str]) -> TokenTable:
        table: TokenTable = self.scorer.check(words)
        return table

    def alone(self, prompt: str, word: str) -> float:
        return float(self.scorer.alone(prompt, word))

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        return self.scorer.batches(prompts, words, pause)  # type: ignore[no-any-return]

    def score_blocks(
        self, blocks: Iterator[Block], pause: Callable[[], None]
    ) -> Iterator[tuple[Block, ScoredBlock]]:
        while some := list(islice(blocks, self.room)):
            self.taken.append(len(some))
            for block in reversed(some):
                pause()
                yield block, score_block(self.scorer, block)


@pytest.fixture
def opened() -> list[Several]:
    return []


@pytest.fixture
def open_several(toy: ModuleType, opened: list[Several]) -> Callable[[ModelSpec, str], Several]:
    def open_scorer(spec: ModelSpec, protocol: str) -> Several:
        opened.append(Several(toy.open_toy(spec, protocol)))
        return opened[-1]

    return open_scorer


def shards(store: Store) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (store._root / "scores").rglob("*.parquet")}


def test_in_whatever_order_blocks_come_the_shards_are_the_same(
    store: Store,
    toy: ModuleType,
    opened: list[Several],
    open_several: Callable[[ModelSpec, str], Several],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """24 cells in shards of four, one part of the run after the other at work at once."""
    monkeypatch.setattr("pcf_core.audit.preferences.PROMPTS_AT_ONCE", 4)
    run = toy.run_of()
    seen: list[tuple[int, int]] = []
    assert score_run(run, store, open_several, toy.counts_to(seen)) == 24
    assert opened[0].taken == [3, 3]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (24, 24)
    assert store.run_info(run.key).provenance["device"] == "elsewhere"
    other = Store.open(store._root.with_name("one after another"))
    score_run(run, other, toy.open_toy)
    assert shards(store) == shards(other)


def test_stopping_keeps_the_blocks_that_came_and_resuming_does_the_rest(
    store: Store, toy: ModuleType, opened: list[Several], open_several: Callable[[ModelSpec, str], Several]
) -> None:
    run = toy.run_of()
    reports: list[int] = []
    with pytest.raises(Stopped):
        score_run(
            run,
            store,
            open_several,
            toy.cells_to(reports),
            toy.stop_if(lambda: reports[-1:] == [8]),
        )
    assert len(shards(store)) == 2
    assert score_run(run, store, open_several) == 16
    assert sum(scorer.scorer.scored for scorer in opened) == 24
