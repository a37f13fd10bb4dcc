"""The embedding score over several models: asked for once hobbies are written, kept, in the worker too."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from benchmarks.fakes import FakeGenerator
from pcf_core.core.errors import CriteriaError, StoreError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.generation.base import Generator
from pcf_core.show.findings.independence import embedding_findings
from pcf_core.store.store import Store
from pcf_core.texts.criteria.embedding import SEEDS, embedding_report
from pcf_core.texts.criteria.hobbies import Hobbies
from pcf_core.texts.criteria.records.quantities import Gender
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.work.criteria import (
    CRITERIA_AUDIT,
    EMBEDDING,
    EMBEDDINGS,
    embedding_asked,
    scored_asked,
    submit_embedding,
    written_asked,
)
from pcf_core.work.questioning import read_texts, run_criteria, run_embedding
from pcf_core.work.queue import Queue
from pcf_core.work.worker import Worker
from tests.texts.criteria.hobbyists import BOYS, EVEN, GIRLS, few_names, written

NAMES = few_names()
HOBBIES = Hobbies.load(NAMES)
FIVE = few_names(5)
CHANCES: Mapping[str, Mapping[Gender, tuple[float, ...]]] = {
    "leaning": {"female": GIRLS, "male": BOYS},
    "level": {"female": EVEN, "male": EVEN},
}


def spec_of(name: str, chat: bool = False) -> ModelSpec:
    return ModelSpec(name=name, family="causal", path="", identity=name, tokenizer="tokens", parameters=100)


def writing(model: str) -> Callable[[ModelSpec, Decoding], Generator]:
    """Draws from forty texts of each name."""
    texts = written(CHANCES[model], NAMES, repeats=40, seed=len(model))
    prompt_of = {ask.prompt: ask.cell for ask in HOBBIES.asks("continuation")}

    def said(prompt: str) -> Mapping[str, float]:
        return dict.fromkeys(texts[prompt_of[prompt]], 1 / 40)

    return lambda spec, decoding: FakeGenerator(said, key=GenerationKey.of(spec, decoding))


def ask(model: str, hobbies: Hobbies = HOBBIES, repeats: int = 25) -> CriteriaAsked:
    return written_asked(
        hobbies, GenerationKey.of(spec_of(model), Decoding(length=60)), "continuation", repeats
    )


def write(store: Store, model: str, repeats: int = 25) -> CriteriaAsked:
    asked = ask(model, repeats=repeats)
    CRITERIA_AUDIT.keep(store, asked, HOBBIES)
    run_criteria(asked, store, writing(model))
    return asked


@pytest.fixture(autouse=True)
def any_name_is_a_model(toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.work.text_audits.resolve_writer", spec_of)


@pytest.mark.slow
def test_texts_of_all_models_are_pooled_and_kept_whatever_the_order(store: Store) -> None:
    several = [write(store, model) for model in ("level", "leaning")]
    asked = embedding_asked(several)
    assert asked == embedding_asked(several[::-1])
    assert asked.models == ("leaning", "level")
    result = run_embedding(asked, store)
    texts = {
        one.model: {cell: found.texts for cell, found in read_texts(store, one, HOBBIES).items()}
        for one in asked.several
    }
    assert result.report == embedding_report(texts, HOBBIES.material)
    assert result.report.texts == 2 * 24 * 25
    [gap] = result.report.gaps_of()
    effects = [[seed.effect for seed in reading.seeds] for reading in result.report.of()]
    assert gap.seeds == pytest.approx(np.subtract(effects[1], effects[0]).tolist())
    assert EMBEDDINGS.load(store, asked.hash) == result
    assert run_embedding(asked, store, lambda done, total: pytest.fail("it is kept")) == result
    sentences = embedding_findings(result)
    assert "The effect of level minus that of leaning is" in sentences[1]
    assert "not asked in the same way" not in " ".join(sentences)
    without = result.model_copy(update={"report": result.report.model_copy(update={"gaps": ()})})
    assert "We cannot compare leaning and level:" in embedding_findings(without)[1]


@pytest.mark.slow
def test_models_asked_otherwise_are_pooled_and_it_is_said(store: Store) -> None:
    asked = embedding_asked([write(store, "level"), write(store, "leaning", repeats=7)])
    result = run_embedding(asked, store)
    assert result.report.texts == 24 * (25 + 7)
    assert not asked.alike
    assert embedding_findings(result)[-1] == (
        "The models were not asked in the same way, so the differences between them may come from that."
    )


@pytest.mark.parametrize(
    ("several", "sentence"),
    [
        ([], "for no model: give at least two different models"),
        ([ask("level")], "for level: give at least two different models"),
        ([ask("level"), ask("level", repeats=5)], "at least two different models"),
        ([ask("level"), ask("leaning", Hobbies.load(FIVE))], "those of leaning, level differ"),
        (
            [ask("level"), scored_asked(HOBBIES, ScoringKey.of(spec_of("leaning")))],
            "leaning has scored hobbies",
        ),
    ],
)
def test_what_cannot_be_pooled_is_one_sentence(several: list[CriteriaAsked], sentence: str) -> None:
    with pytest.raises(CriteriaError, match=sentence):
        embedding_asked(several)


@pytest.mark.slow
def test_texts_that_are_not_written_yet_are_asked_for_first(store: Store, queue: Queue) -> None:
    there, lacking = write(store, "leaning"), ask("level")
    CRITERIA_AUDIT.keep(store, lacking, HOBBIES)
    asked = embedding_asked([there, lacking])
    with pytest.raises(StoreError, match="600 texts of level are missing"):
        submit_embedding(store, queue, asked)
    with pytest.raises(StoreError, match="run its hobbies first"):
        run_embedding(asked, store)
    assert not queue.list(5)


@pytest.mark.slow
def test_a_worker_learns_it_stops_between_two_embeddings_and_learns_again_what_has_another_form(
    store: Store, queue: Queue, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = embedding_asked([write(store, model) for model in CHANCES])
    with pytest.raises(StoreError, match="cannot be read: start it again"):
        EMBEDDINGS.load_asked(store, asked.hash)
    job = submit_embedding(store, queue, asked)
    assert (job.kind, job.total) == ("embedding", len(SEEDS))
    assert submit_embedding(store, queue, asked).id == job.id
    stopped = Worker(store, queue, toy_settings)
    monkeypatch.setattr(stopped, "_answer_small", lambda within: queue.cancel(job.id))
    stopped.run(until_idle=True)
    assert queue.get(job.id).state == "cancelled"
    assert EMBEDDINGS.load(store, asked.hash) is None
    queue.retry(job.id)
    Worker(store, queue, toy_settings).run(until_idle=True)
    done = queue.get(job.id)
    assert (done.state, done.done, done.result) == ("done", len(SEEDS), {"asked": asked.hash})
    result = EMBEDDINGS.load(store, asked.hash)
    assert result.report.models == ("leaning", "level")
    store.save_document(asked.hash, EMBEDDING, {"of": "another version"})
    assert EMBEDDINGS.load(store, asked.hash) is None
    assert run_embedding(asked, store).report == result.report
