"""Scoring a knowledge set: once, with progress, resumable, and only with the model that was asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.audit.knowledge import (
    audit_begun,
    knowledge_audit_of,
    knowledge_key,
    knowledge_report,
    missing_answers,
)
from pcf_core.core.errors import OutOfMemoryError, TopicError
from pcf_core.core.knowledge import Fact
from pcf_core.core.run import ModelSpec, ScoringKey, TokenTable
from pcf_core.core.settings import Settings, settings
from pcf_core.material.knowledge import OWN, load_knowledge, make_knowledge
from pcf_core.models.scoring.base import Batch, Scorer
from pcf_core.store.store import Store
from pcf_core.work.blocks import A_MINUTE
from pcf_core.work.jobs import Stopped
from pcf_core.work.knowledge import asked_for, score_knowledge
from pcf_core.work.requests import KnowledgeRequest
from pcf_core.work.self_audit import CELLS, draw_answers
from tests.work.toy import opening, stop_if, unopenable

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
    monkeypatch.setattr("pcf_core.work.blocks.resolve", lambda name: SPEC)
    return Store.open(own_settings.cache)


def test_what_is_scored_is_scored_once_and_told_as_it_comes(store: Store) -> None:
    told: list[tuple[int, int]] = []
    assert (
        score_knowledge(ASKED, KEY, store, fake, lambda done, total, rate: told.append((done, total))) == 12
    )
    assert told == [(done, 12) for done in (2, 4, 6, 8, 10, 12)]
    assert missing_answers(store, KEY, ASKED) == []
    again = Store.open(settings().cache)
    assert score_knowledge(ASKED, KEY, again, unopenable) == 0


def test_answers_kept_without_their_tokens_at_the_beginning_of_a_text_get_them(store: Store) -> None:
    asked = make_knowledge("first", ["[Y] comes behind the [X]"], list(ASKED.facts))
    told = TokenTable(dict.fromkeys(asked.words, 1))
    values = np.full((len(asked.prompts), len(asked.words)), -1.0)
    store.write(KEY, asked.prompts[:], asked.words, told, values, {})
    assert score_knowledge(asked, KEY, store, fake) == 0
    assert store.known_words(KEY).at_start == told.tokens
    assert score_knowledge(asked, KEY, store, unopenable) == 0


def test_it_is_no_run(store: Store) -> None:
    """Pages that list runs would read it as discrimination."""
    score_knowledge(ASKED, KEY, store, fake)
    assert store.runs() == ()


def test_a_large_model_has_its_answers_saved_in_small_blocks(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of two: what was stopped after six has lost none."""
    monkeypatch.delenv("PCF_SHARD_PROMPTS")
    settings.cache_clear()
    done = 0

    def large(spec: ModelSpec, protocol: str) -> FakeScorer:
        scorer = fake(spec, protocol)
        scorer.parameters = A_MINUTE // 2
        return scorer

    def count(so_far: int, total: int, rate: float) -> None:
        nonlocal done
        done = so_far

    with pytest.raises(Stopped):
        score_knowledge(ASKED, KEY, store, large, count, stop_if(lambda: done >= 6))
    assert sum(len(block.prompts) for block in missing_answers(store, KEY, ASKED)) == 6
    assert score_knowledge(ASKED, KEY, store, large) == 6
    settings.cache_clear()


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
    refusing = opening(refused={"3": "unk"})
    assert score_knowledge(ASKED, KEY, store, refusing) == 12
    assert store.known_words(KEY).refused == {"3": "unk"}
    assert score_knowledge(ASKED, KEY, store, unopenable) == 0


def test_out_of_memory_starts_the_block_again_with_half(store: Store) -> None:
    told: list[int] = []

    class Tight(FakeScorer):
        def _score_batches(
            self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
        ) -> Iterator[Batch]:
            for count, batch in enumerate(super()._score_batches(prompts, words, pause)):
                if count and self.batch_tokens == 256:
                    raise OutOfMemoryError("full.")
                yield batch

    def tight(spec: ModelSpec, protocol: str) -> Scorer:
        scorer = Tight(lambda prompt, word: 0.1, key=KEY, batch_size=2)
        scorer.batch_tokens = 256
        return scorer

    score_knowledge(ASKED, KEY, store, tight, lambda done, total, rate: told.append(done))
    assert told == [2, 0, 2, 4, 6, 8, 10, 12]


# ------------------------------------------------------------------------------------------- self-audit


class Wavering(FakeScorer):
    """Gives an answer alone twice the probability that it gives among others."""

    def alone(self, prompt: str, word: str) -> float:
        return super().alone(prompt, word) + math.log(2)


def wavering(spec: ModelSpec, protocol: str) -> Scorer:
    return Wavering(lambda prompt, word: 0.1, key=ScoringKey.of(spec, protocol), refused={"3": "unk"})


def test_the_noise_floor_is_the_largest_difference_and_a_large_one_is_a_warning(
    store: Store, every_cell: None
) -> None:
    assert knowledge_audit_of(store, KEY, ASKED) is None
    score_knowledge(ASKED, KEY, store, wavering)
    found = knowledge_audit_of(store, KEY, ASKED)
    assert found.noise_floor == pytest.approx(math.log(2), abs=1e-6)
    # 3 is the only right answer of 2 and the only wrong one of 1: two prompts each lack one
    assert (found.noise_scores, found.noise_dtype) == (12 * 2 - 2 * 2, "float32")
    assert [(item.name, item.reason) for item in found.left_out] == [("3", "unk")]
    assert any("up to 100 %" in warning for warning in knowledge_report(store, KEY, ASKED).warnings)


def test_an_audit_that_was_stopped_is_made_when_the_job_goes_on(store: Store) -> None:
    """Every score is there and the floor is not: the model is opened for it once more, and then no more."""

    def stop() -> None:
        if not missing_answers(store, KEY, ASKED):
            raise Stopped

    with pytest.raises(Stopped):
        score_knowledge(ASKED, KEY, store, fake, pause=stop)
    assert missing_answers(store, KEY, ASKED) == []
    assert audit_begun(store, KEY, ASKED)
    assert score_knowledge(ASKED, KEY, store, fake) == 0
    assert not audit_begun(store, KEY, ASKED)
    assert knowledge_audit_of(store, KEY, ASKED) is not None
    assert score_knowledge(ASKED, KEY, store, unopenable) == 0


def test_a_model_without_any_answer_has_nothing_to_be_read_again(store: Store) -> None:
    score_knowledge(ASKED, KEY, store, opening(refused=dict.fromkeys(ASKED.words, "unk")))
    found = knowledge_audit_of(store, KEY, ASKED)
    assert found.note == "There is no fact whose answers the model can express."


def test_the_draw_is_a_right_and_a_wrong_answer_of_the_prompts_own_fact() -> None:
    asked = load_knowledge("capitals")
    table = TokenTable(dict.fromkeys(asked.words, 1), {})
    cells = draw_answers(asked, KEY, table)
    assert cells == draw_answers(asked, KEY, table)
    drawn = [score for cell in cells for score in cell]
    assert len({prompt for prompt, _ in drawn}) == CELLS
    assert len(drawn) == 2 * CELLS
    fact_of = {
        prompt: asked.facts[place // len(asked.templates)] for place, prompt in enumerate(asked.prompts)
    }
    assert all(word in fact_of[prompt].right for prompt, word in drawn[::2])
    assert all(word in fact_of[prompt].wrong for prompt, word in drawn[1::2])
    assert cells != draw_answers(asked, KEY.model_copy(update={"identity": "other"}), table)


# ------------------------------------------------------------------------------------------- own sets


def test_a_set_that_was_changed_or_deleted_meanwhile_is_not_scored_for_the_one_asked_for(
    store: Store,
) -> None:
    OWN.save(ASKED)
    request = KnowledgeRequest(name="numbers", title="Numbers", scoring=KEY)
    key = knowledge_key(ASKED, KEY)
    assert asked_for(request, key) == ASKED
    OWN.save(make_knowledge("numbers", ASKED.templates[:1], ASKED.facts), replace=True)
    with pytest.raises(TopicError, match="has changed since it was requested"):
        asked_for(request, key)
    OWN.delete("numbers")
    with pytest.raises(TopicError, match="neither a shipped knowledge set"):
        asked_for(request, key)
