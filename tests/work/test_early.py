"""What lets a run be read early: the order of its blocks, and what is told of it meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.audit.partial import complete_part
from pcf_core.audit.results import load_result
from pcf_core.core.run import ModelSpec, Progress, ScoringKey
from pcf_core.models.scoring.base import Batch
from pcf_core.store.store import Store
from pcf_core.work.early import spread_ranks
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run
from pcf_core.work.scoring import score_run
from pcf_core.work.worker import Worker
from tests.work import toy


@pytest.mark.parametrize("count", [1, 2, 7, 120, 257])
def test_however_many_ranks_are_taken_their_entries_are_spread_evenly(count: int) -> None:
    """No gap is wider than two of equal ones."""
    ranks = spread_ranks(count)
    assert sorted(ranks) == list(range(count))
    assert ranks[0] == 0
    for taken in range(1, count + 1):
        ends = [*np.flatnonzero(ranks < taken).tolist(), count]
        assert max(np.diff(ends)) <= 2 * count / taken


def test_occupations_are_finished_early_and_spread_over_the_list(store: Store, slow_model: None) -> None:
    """Of 20 occupations, one a block."""
    run, complete = toy.run_of(20, 4), list[tuple[str, ...]]()

    def on_progress(at: Progress) -> None:
        part = complete_part(store, run) if at.stage == "scoring" and at.done in (8, 20, 48) else None
        complete.extend([part.run.evidence.terms] if part else [])

    score_run(run, store, toy.opening(), on_progress)
    expected = [{0, 13}, {0, 13, 5, 18, 10}, {0, 13, 5, 18, 10, 2, 15, 7, 12, 4, 17, 9}]
    assert [set(terms) for terms in dict.fromkeys(complete)] == [
        {f"term{number}" for number in numbers} for numbers in expected
    ]


@pytest.mark.parametrize("together", [8, 24])
def test_the_order_changes_no_byte_of_what_is_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    """Shards of four prompts of three occupations each; in parts, too."""
    monkeypatch.setattr("pcf_core.audit.preferences.PROMPTS_AT_ONCE", together)
    run, other = toy.run_of(), Store.open(store._root.with_name("in-order"))
    score_run(run, store, toy.opening())
    monkeypatch.setattr("pcf_core.work.scoring.spread_ranks", np.arange)
    score_run(run, other, toy.opening())
    assert toy.shards(store._root) == toy.shards(other._root)
    results = [load_result(one, run).preferences.values for one in (store, other)]
    np.testing.assert_array_equal(*results)


def progress_of(store: Store, scorer: Callable[[ModelSpec, str], FakeScorer]) -> list[Progress]:
    """All that is told while the toy's run is scored."""
    told: list[Progress] = []
    score_run(toy.run_of(), store, scorer, told.append)
    return [at for at in told if at.stage == "scoring"]


def test_the_last_sentence_is_told_with_its_preferences(store: Store) -> None:
    told = progress_of(store, toy.opening())
    assert told[0].sentence is None, "before the first block is scored"
    sentence = told[-1].sentence
    assert sentence is not None
    run = toy.run_of()
    values = load_result(store, run).preferences.values.reshape(-1, 2)
    expected = values[list(run.prompts).index(sentence.prompt)]
    assert list(sentence.preferences) == ["male", "female"]
    np.testing.assert_allclose(list(sentence.preferences.values()), expected, atol=1e-12)


def test_a_sentence_in_which_the_model_hardly_uses_the_words_is_not_told(store: Store) -> None:
    def open_faint(spec: ModelSpec, protocol: str) -> FakeScorer:
        return FakeScorer(lambda prompt, word: 1e-6, key=ScoringKey.of(spec, protocol))

    assert {at.sentence for at in progress_of(store, open_faint)} == {None}


class Layered(FakeScorer):
    """Tells of each prompt of a batch when it is half done."""

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        for batch in super()._score_batches(prompts, words, pause):
            for number in range(len(batch.rows)):
                if self.on_part is not None:
                    self.on_part(number + 0.5)
            yield batch


def test_the_work_on_a_batch_is_told_before_it_is_scored(store: Store) -> None:
    scorers: list[Layered] = []

    def open_layered(spec: ModelSpec, protocol: str) -> FakeScorer:
        scorers.append(Layered(toy.probability, key=ScoringKey.of(spec, protocol), batch_size=4))
        return scorers[-1]

    told = progress_of(store, open_layered)
    assert {at.begun for at in told} == {0, 1, 2, 3}
    amounts = [at.done + at.unsaved + at.begun for at in told]
    assert amounts == sorted(amounts)
    assert set(amounts) == set(range(25))
    assert (told[-1].begun, scorers[0].on_part) == (0, None)


def test_a_job_tells_its_sentence(
    worker: Worker, store: Store, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = toy.run_of()
    job = submit_run(store, queue, run, run.cells)
    told, seen = queue.progress, list[Progress | None]()

    def progress(*given: object) -> None:
        told(*given)
        seen.append(queue.get(job.id).at)

    monkeypatch.setattr(queue, "progress", progress)
    worker.run(until_idle=True)
    assert seen[-1] is not None
    assert seen[-1].sentence is not None
    assert seen[-1].sentence.prompt in run.prompts


def test_a_job_of_an_earlier_worker_tells_no_sentence(queue: Queue) -> None:
    job = queue.submit("score", "key", {}, total=24)
    assert queue.claim("worker") is not None
    at = Progress(stage="scoring", done=4, total=24).model_dump(exclude={"begun", "sentence"})
    queue.note(job.id, at, "worker")
    assert queue.get(job.id).at == Progress(stage="scoring", done=4, total=24)
