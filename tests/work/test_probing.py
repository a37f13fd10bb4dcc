"""Probes: what may be asked, what has one answer, and that it is kept."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.run import ModelSpec, Protocol
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.probing import word_check
from pcf_core.work.queue import Queue
from pcf_core.work.requests import (
    KEPT,
    LONGEST,
    PROBE,
    ProbeRequest,
    checked_sentence,
    make_probe,
    newest_answer,
    submit_question,
    submit_run,
)
from pcf_core.work.worker import Worker

NURSE = "The nurse said that [Y]"


@pytest.fixture
def worker(store: Store, queue: Queue, toy_settings: Settings, toy: ModuleType) -> Worker:
    return Worker(store, queue, toy_settings, toy.open_toy)


def probe_of(
    toy: ModuleType, text: str = NURSE, protocol: Protocol = "exact", **change: object
) -> ProbeRequest:
    spec = toy.spec_of().model_copy(update={"path": "here", **change})
    return make_probe(spec, toy.TOPIC, text, protocol)


# ------------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There is no sentence"),
        (" \n\t ", "There is no sentence"),
        ("The nurse said that", "has no [Y]: write [Y] where"),
        ("The nurse said that", "where the word goes, as in 'The nurse said that [Y]'."),
        ("The nurse said that [y]", "has no [Y]: write [Y] in a capital letter"),
        ("[Y] said that [Y]", "has 2 places [Y]"),
        ("The [X] said that [Y]", "still has an [X]"),
        ("a" * LONGEST + "[Y]", "has 303 characters: shorten it to 300"),
        ("null \x00 [Y]", "The sentence: its text 'null \\x00 [Y]' holds control characters"),
        ("half \ud800 [Y]", "holds control characters"),
        ("The nurse spoke:\n\n[Y]", "The sentence: its text has a line break in 'The nurse spoke:\\n\\n[Y]'"),
    ],
)
def test_a_sentence_that_cannot_be_probed_is_refused_in_one(text: str, said: str) -> None:
    with pytest.raises(TemplateError) as refusal:
        checked_sentence(text)
    assert said in str(refusal.value)
    assert str(refusal.value).endswith(".")
    assert len(str(refusal.value)) < 400


def test_white_space_and_accents_are_one_spelling() -> None:
    assert checked_sentence("  The cafe\u0301 owner is [Y]\n") == "The caf\u00e9 owner is [Y]"
    assert len(checked_sentence("a" * (LONGEST - 3) + "[Y]")) == LONGEST


@given(st.text(max_size=2 * LONGEST))
def test_any_text_gives_a_sentence_or_one_clear_refusal(text: str) -> None:
    for candidate in (text, f"{text}[Y]"):
        try:
            sentence = checked_sentence(candidate)
        except TemplateError:
            continue
        assert (sentence.count("[Y]"), sentence.count("[X]")) == (1, 0)
        assert len(sentence) <= LONGEST
        assert checked_sentence(sentence) == sentence


# --------------------------------------------------------------------------------------------- requests


def test_one_answer_serves_whoever_asks_the_same(toy: ModuleType) -> None:
    """Titles and notes decide no number; weights, words, text and protocol do."""
    asked = probe_of(toy)
    topic = toy.TOPIC
    renamed = make_probe(
        toy.spec_of().model_copy(update={"path": "elsewhere", "title": "T"}),
        topic.model_copy(update={"title": "Other", "notes": "n"}),
        NURSE,
        "exact",
    )
    assert renamed.key == asked.key
    fewer = topic.model_copy(update={"groups": (topic.groups[0], Group(name="female", words=("she",)))})
    others = {
        probe_of(toy, "The nurse is [Y]").key,
        probe_of(toy, protocol="single-token").key,
        probe_of(toy, identity="other weights").key,
        probe_of(toy, dtype="bfloat16").key,
        make_probe(toy.spec_of().model_copy(update={"path": "here"}), fewer, NURSE, "exact").key,
        make_probe(
            toy.spec_of().model_copy(update={"path": "here"}),
            topic.model_copy(update={"aligned": True}),
            NURSE,
            "exact",
        ).key,
    }
    assert len(others | {asked.key}) == 7


def test_nothing_is_downloaded_and_no_foreign_code_runs_for_a_link(toy: ModuleType) -> None:
    with pytest.raises(ModelError, match="not on this machine"):
        probe_of(toy, path="")
    with pytest.raises(ModelError, match="code"):
        probe_of(toy, remote_code=True)
    with pytest.raises(ModelError, match="exact-boundary"):
        probe_of(toy, protocol="exact-boundary")


# ------------------------------------------------------------------------------------ asked and answered


def test_the_answer_is_that_of_the_command_words_and_is_found_again(
    worker: Worker, queue: Queue, toy: ModuleType
) -> None:
    asked = probe_of(toy)
    assert newest_answer(queue, asked) is None
    job = submit_question(queue, asked)
    assert submit_question(queue, asked).id == job.id
    worker.run(until_idle=True)
    kept = newest_answer(queue, asked)
    assert kept is not None
    assert (kept.id, kept.state) == (job.id, "done")
    assert kept.result == word_check("toy", toy.TOPIC, NURSE, open_scorer=toy.open_toy)


def test_a_probe_does_not_wait_for_a_run(worker: Worker, store: Store, queue: Queue, toy: ModuleType) -> None:
    """Asked at the second of twelve batches, answered before the third."""
    run = toy.run_of()
    big = submit_run(store, queue, run, run.cells)
    answered_at: list[int] = []
    real = queue.finish

    def finish(job_id: int, result: object, owner: str | None = None) -> None:
        if job_id != big.id:
            answered_at.append(queue.get(big.id).done)
        real(job_id, result, owner)  # type: ignore[arg-type]

    queue.finish = finish  # type: ignore[method-assign]

    def open_asked_meanwhile(spec: ModelSpec, protocol: str) -> Scorer:
        scorer = toy.open_toy(spec, protocol)

        def asked_meanwhile(prompt: str, word: str) -> float:
            if scorer.scored == 2 and not newest_answer(queue, probe_of(toy)):
                submit_question(queue, probe_of(toy))
            return float(toy.probability(prompt, word))

        scorer.probability = asked_meanwhile
        return scorer

    worker._open_scorer = open_asked_meanwhile
    worker.run(until_idle=True)
    assert len(answered_at) == 1
    assert answered_at[0] <= 4
    assert queue.get(big.id).state == "done"


def test_an_answer_of_other_weights_is_none(worker: Worker, queue: Queue, toy: ModuleType) -> None:
    """The files changed between asking and scoring: the answer must not be kept under the old key."""
    asked = probe_of(toy, identity="weights of yesterday")
    submit_question(queue, asked)
    worker.run(until_idle=True)
    found = newest_answer(queue, asked)
    assert found is not None
    assert (found.state, found.result) == ("failed", None)
    assert "have just changed" in (found.error or "")


def test_old_probes_are_forgotten_and_other_jobs_are_not(queue: Queue, toy: ModuleType) -> None:
    other = queue.submit("words", "x", {})
    first = submit_question(queue, probe_of(toy, "0 [Y]"))
    held = queue.claim("somebody", min_priority=2)
    assert held is not None
    assert held.id == first.id
    for number in range(1, KEPT + 2):
        submit_question(queue, probe_of(toy, f"{number} [Y]"))
    assert len(queue.list(10 * KEPT, kind=PROBE)) == KEPT + 1
    assert newest_answer(queue, probe_of(toy, "0 [Y]")) is not None  # it is running
    assert newest_answer(queue, probe_of(toy, "1 [Y]")) is None
    assert newest_answer(queue, probe_of(toy, "2 [Y]")) is not None
    assert queue.get(other.id).state == "queued"


@pytest.mark.parametrize(("parameters", "opened"), [(8_000_000, 4), (40_000_000, 8), (0, 8)])
def test_small_models_stay_open_side_by_side(
    store: Store,
    queue: Queue,
    toy: ModuleType,
    toy_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    parameters: int,
    opened: int,
) -> None:
    """Four models asked in turn, twice; two may stay open: of large ones none still is at its next turn."""

    def spec_of(name: str = "toy") -> ModelSpec:
        sized = toy.spec_of(name, identity=name)
        return sized.model_copy(update={"path": "here", "parameters": parameters})  # type: ignore[no-any-return]

    monkeypatch.setattr("pcf_core.work.probing.resolve", spec_of)
    names: list[str] = []

    def open_noted(spec: ModelSpec, protocol: str) -> Scorer:
        names.append(spec.name)
        return toy.open_toy(spec, protocol)  # type: ignore[no-any-return]

    worker = Worker(store, queue, toy_settings.model_copy(update={"worker_models": 2}), open_noted)
    for text in ("one [Y]", "two [Y]"):
        for name in "abcd":
            submit_question(queue, make_probe(spec_of(name), toy.TOPIC, text, "exact"))
        worker.run(until_idle=True)
    assert {job.state for job in queue.list(kind=PROBE)} == {"done"}
    assert len(names) == opened
