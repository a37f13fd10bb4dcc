"""Scoring a knowledge set: once, with progress, resumable, and only with the model that was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pcf_core.audit.knowledge import missing_answers
from pcf_core.errors import ModelError, OutOfMemoryError
from pcf_core.jobs.knowledge import score_knowledge
from pcf_core.jobs.scoring import Stopped
from pcf_core.records import ModelSpec, ScoringKey
from pcf_core.records.knowledge import Fact
from pcf_core.scoring.base import Batch, Scorer
from pcf_core.scoring.fake import FakeScorer
from pcf_core.settings import Settings, settings
from pcf_core.store import Store
from pcf_core.topics.knowledge import make_knowledge

ASKED = make_knowledge(
    "numbers",
    ["The [X] comes before the [Y]", "Behind the [X] stands the [Y]"],
    [Fact(subject=str(n), right=(str(n + 1),), wrong=(str(n + 2),)) for n in range(6)],
)
SPEC = ModelSpec(name="toy", family="masked", path="", identity="toy", tokenizer="toy")
KEY = ScoringKey.of(SPEC)


def fake(spec: ModelSpec, protocol: str) -> FakeScorer:
    return FakeScorer(lambda prompt, word: 0.1, key=ScoringKey.of(spec, protocol), batch_size=2)


@pytest.fixture
def store(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Empty, shards of four prompts; every name means the toy."""
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "4")
    settings.cache_clear()
    monkeypatch.setattr("pcf_core.jobs.knowledge.resolve", lambda name: SPEC)
    return Store.open(own_settings.cache, None)


def test_what_is_scored_is_scored_once_and_told_as_it_comes(store: Store) -> None:
    told: list[tuple[int, int]] = []
    assert (
        score_knowledge(ASKED, KEY, store, fake, lambda done, total, rate: told.append((done, total))) == 12
    )
    assert told == [(done, 12) for done in (2, 4, 6, 8, 10, 12)]
    assert missing_answers(store, KEY, ASKED) == []
    again = Store.open(settings().cache, None)
    assert score_knowledge(ASKED, KEY, again, unopenable) == 0


def test_it_is_no_run(store: Store) -> None:
    """Pages that list runs would read it as discrimination."""
    score_knowledge(ASKED, KEY, store, fake)
    assert store.runs() == ()


def test_what_was_stopped_goes_on_from_the_last_whole_block(store: Store) -> None:
    done = 0

    def count(so_far: int, total: int, rate: float) -> None:
        nonlocal done
        done = so_far

    with pytest.raises(Stopped):
        score_knowledge(ASKED, KEY, store, fake, count, lambda: done >= 6)
    assert sum(len(block.prompts) for block in missing_answers(store, KEY, ASKED)) == 8
    assert score_knowledge(ASKED, KEY, store, fake) == 8


def test_a_further_fact_scores_what_is_new_alone(store: Store) -> None:
    score_knowledge(ASKED, KEY, store, fake)
    longer = make_knowledge(
        "numbers", ASKED.templates, [*ASKED.facts, Fact(subject="6", right=("7",), wrong=("0",))]
    )
    blocks = missing_answers(store, KEY, longer)
    assert {
        word for block in blocks for word in block.words if "The 0 comes before the [Y]" in block.prompts
    } == {"0"}
    assert score_knowledge(longer, KEY, store, fake) == 14


def test_refused_answers_are_kept_and_not_asked_again(store: Store) -> None:
    def refusing(spec: ModelSpec, protocol: str) -> Scorer:
        return FakeScorer(lambda prompt, word: 0.1, key=KEY, refused={"3": "unk"})

    assert score_knowledge(ASKED, KEY, store, refusing) == 12
    assert store.known_words(KEY).refused == {"3": "unk"}
    assert score_knowledge(ASKED, KEY, store, unopenable) == 0


def test_a_model_that_has_changed_is_refused(store: Store) -> None:
    def changed(spec: ModelSpec, protocol: str) -> Scorer:
        return fake(spec.model_copy(update={"identity": "new"}), protocol)

    with pytest.raises(ModelError, match="toy then, new now"):
        score_knowledge(ASKED, KEY, store, changed)
    assert store.shards(KEY) == ()


def test_out_of_memory_starts_the_block_again_with_half(store: Store) -> None:
    told: list[int] = []

    class Tight(FakeScorer):
        def _score_batches(self, prompts: Sequence[str], words: Sequence[str]) -> Iterator[Batch]:
            for count, batch in enumerate(super()._score_batches(prompts, words)):
                if count and self.batch_tokens == 256:
                    raise OutOfMemoryError("full.")
                yield batch

    def tight(spec: ModelSpec, protocol: str) -> Scorer:
        scorer = Tight(lambda prompt, word: 0.1, key=KEY, batch_size=2)
        scorer.batch_tokens = 256
        return scorer

    score_knowledge(ASKED, KEY, store, tight, lambda done, total, rate: told.append(done))
    assert told == [2, 0, 2, 4, 6, 8, 10, 12]


def unopenable(spec: ModelSpec, protocol: str) -> Scorer:
    raise AssertionError("nothing was missing")
