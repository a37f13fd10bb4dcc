"""One block through a scorer, wherever that is, and a scorer with several under way."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fakes import FakeScorer
from pcf_core.core.errors import SettingsError
from pcf_core.core.run import ModelSpec, TokenTable
from pcf_core.core.settings import ROOT, Settings, settings
from pcf_core.models.registry import list_models
from pcf_core.models.scoring.base import Batch
from pcf_core.store.layer import Missing
from pcf_core.store.store import Store
from pcf_core.work.blocks import (
    A_MINUTE,
    Block,
    ParallelScorer,
    ScoredBlock,
    cut,
    environment,
    prompts_a_block,
    score_block,
    scorers_of,
)
from pcf_core.work.jobs import Stopped
from pcf_core.work.scoring import score_run
from tests.work import toy

PROMPTS = tuple(f"The term{i} is [Y]" for i in range(5))


def test_a_block_comes_back_with_what_made_it() -> None:
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


# How many prompts are scored and saved at once.


class Placed(FakeScorer):
    """A scorer of a model with so many parameters on some device; how fast it is makes no difference."""

    def __init__(self, parameters: int, device: str = "cpu", **options: Any) -> None:
        super().__init__({}, parameters=parameters, **options)
        self.device = device


@pytest.mark.parametrize(
    ("parameters", "prompts"),
    [
        (0, 512),
        (4_000_000, 512),
        (58_593_750, 512),
        (58_593_751, 256),
        (134_515_008, 128),
        (268_098_176, 64),
        (1_235_814_400, 16),
        (7_241_732_096, 4),
        (70_553_706_496, 1),
    ],
)
def test_a_large_model_has_small_blocks(usual_blocks: None, parameters: int, prompts: int) -> None:
    assert prompts_a_block(Placed(parameters)) == prompts


def test_the_teaching_models_have_the_blocks_that_they_had(usual_blocks: None) -> None:
    sizes = [spec.parameters for spec in list_models() if spec.kind in ("teaching", "planted")]
    assert len(sizes) >= 8
    assert min(sizes) > 0
    assert {prompts_a_block(Placed(size)) for size in sizes} == {512}


@pytest.mark.parametrize("device", ["cuda", "cuda:1", "mps", "endpoint"])
def test_what_is_not_on_a_cpu_keeps_large_blocks(usual_blocks: None, device: str) -> None:
    assert prompts_a_block(Placed(7_241_732_096, device)) == 512


def test_a_number_that_was_chosen_counts_whatever_the_model(toy_settings: object) -> None:
    assert [prompts_a_block(Placed(size)) for size in (0, 10**6, 10**12)] == [4, 4, 4]


@pytest.fixture
def other_machine(
    usual_blocks: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> Callable[[int, int, float], int]:
    """Ask for the size again where other things are set, and the model is slower."""

    def ask(parameters: int, tokens: int, delay: float) -> int:
        with monkeypatch.context() as other:
            for name, value in {"BATCH_TOKENS": tokens, "THREADS": tokens % 1024, "CACHE": tmp_path}.items():
                other.setenv(f"PCF_{name}", str(value))
            settings.cache_clear()
            found = prompts_a_block(Placed(parameters, batch_size=tokens, delay=delay))
        settings.cache_clear()
        return found

    return ask


def test_the_size_depends_on_nothing_but_the_number_of_parameters(
    other_machine: Callable[[int, int, float], int],
) -> None:
    @given(st.integers(1, 10**12), st.integers(128, 65536), st.floats(0, 1))
    def check(parameters: int, tokens: int, delay: float) -> None:
        size = prompts_a_block(Placed(parameters))
        assert other_machine(parameters, tokens, delay) == size
        assert 512 % size == 0, "so that a run half done in blocks of 512 goes on in whole ones"
        assert size == 1 or size * parameters <= A_MINUTE
        assert size == 512 or 2 * size * parameters > A_MINUTE

    check()


@given(st.lists(st.integers(1, 40), max_size=5), st.integers(1, 9))
def test_blocks_are_cut_so_that_each_prompt_comes_once_in_order(lengths: list[int], most: int) -> None:
    places = list(pairwise([0, *np.cumsum(lengths).tolist()]))
    blocks = [
        Missing(tuple(f"{place} [Y]" for place in range(first, last)), (f"word{number}",))
        for number, (first, last) in enumerate(places)
    ]
    found = list(cut(blocks, most))
    assert [(prompt, part.words) for part in found for prompt in part.prompts] == [
        (prompt, block.words) for block in blocks for prompt in block.prompts
    ]
    assert all(1 <= len(part.prompts) <= most for part in found)
    assert len(found) == sum(math.ceil(length / most) for length in lengths), "no more of them than needed"


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
        return self.scorer.batches(prompts, words, pause)

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
def open_several(opened: list[Several]) -> Callable[[ModelSpec, str], Several]:
    def open_scorer(spec: ModelSpec, protocol: str) -> Several:
        opened.append(Several(toy.open_toy(spec, protocol)))
        return opened[-1]

    return open_scorer


def test_in_whatever_order_blocks_come_the_shards_are_the_same(
    store: Store,
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
    assert toy.shards(store._root) == toy.shards(other._root)


def test_stopping_keeps_the_blocks_that_came_and_resuming_does_the_rest(
    store: Store, opened: list[Several], open_several: Callable[[ModelSpec, str], Several]
) -> None:
    run = toy.run_of()
    reports: list[int] = []
    with pytest.raises(Stopped):
        score_run(run, store, open_several, toy.cells_to(reports), toy.stop_if(lambda: reports[-1:] == [8]))
    assert len(toy.shards(store._root)) == 2
    assert score_run(run, store, open_several) == 16
    assert sum(scorer.scorer.scored for scorer in opened) == 24


# Where scorers are opened; of Ray nothing is imported unless it is asked for.


def test_here_is_the_scorer_that_was_given(toy_settings: Settings) -> None:
    def own(*_: object) -> None: ...

    with scorers_of("local", toy_settings, own) as open_scorer:
        assert open_scorer is own


def test_without_ray_the_sentence_says_which_file_to_install(
    toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "pcf_core.work.ray_engine", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SettingsError, match=r"not installed: run `pip install -r requirements-ray.txt`"):
        scorers_of("ray", toy_settings).__enter__()


@pytest.mark.slow
def test_nothing_of_ray_is_imported_for_the_local_engine() -> None:
    code = (
        "import sys, pcf_core.__main__, pcf_core.work.worker, pcf_core.work.ray_worker\n"
        "from pcf_core.work.blocks import scorers_of\n"
        "from pcf_core.core.settings import settings\n"
        "with scorers_of('local', settings()): print(sorted({'ray', 'torch'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert answer.stdout.strip() == "[]"
