"""A model that turns out to expect other tokens before a text than its key says, whoever asks for scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pcf_core.audit.gate import check_context
from pcf_core.audit.policy import Context, Most, Policy
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import load_result
from pcf_core.core.errors import OpeningError
from pcf_core.core.run import ModelSpec, RunSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.beginnings import with_opening
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer, open_scorer
from pcf_core.models.scoring.openings import Openings
from pcf_core.store.store import Store
from pcf_core.work import blocks
from pcf_core.work.probing import word_check
from pcf_core.work.queue import Queue
from pcf_core.work.requests import make_probe, submit_question, submit_run
from pcf_core.work.scoring import behind_opening, score_asked, score_run
from pcf_core.work.worker import Worker
from tests.models.scoring.conftest import load_tiny, save
from tests.work import toy

BOS = ("<bos>",)


def spec_of(name: str = "toy") -> ModelSpec:
    """The toy as a causal model, with what is noted of it."""
    return with_opening(toy.spec_of(name).model_copy(update={"family": "causal", "path": "here"}))


class Opener:
    """Opens the toy, which expects BOS unless its key has an opening; remembers the keys."""

    def __init__(self) -> None:
        self.keys: list[ScoringKey] = []

    def __call__(self, spec: ModelSpec, protocol: str) -> Scorer:
        scorer = toy.open_toy(spec, protocol)
        if spec.opening is None:
            scorer.key = scorer.key.model_copy(update={"opening": BOS})
        self.keys.append(scorer.key)
        return scorer


@pytest.fixture
def expecting(toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Opener:
    for name in ("scoring", "probing", "blocks"):
        monkeypatch.setattr(f"pcf_core.work.{name}.resolve", spec_of)
    return Opener()


def asked_run() -> RunSpec:
    return toy.run_of(spec=spec_of())


def test_no_score_is_stored_under_the_key_that_was_asked_for(store: Store, expecting: Opener) -> None:
    run = asked_run()
    with pytest.raises(OpeningError, match=r"expects <bos> before a text.*: start the run again\.$"):
        score_run(run, store, expecting)
    assert store.runs() == ()
    assert np.isnan(store.gather(run.scoring, run.prompts, toy.WORDS)).all()
    assert asked_run().scoring.opening == BOS
    assert asked_run().key != run.key


def test_a_run_goes_on_under_its_own_key(store: Store, expecting: Opener) -> None:
    run = asked_run()
    done = behind_opening(run, lambda run: score_asked(run, store, expecting))
    assert (done.run, done.scored) == (asked_run(), 24)
    assert done.run.scoring == run.scoring.model_copy(update={"opening": BOS})
    assert store.is_finished(done.run)
    assert not store.is_finished(run)
    assert {key.opening for key in expecting.keys} == {BOS}
    assert behind_opening(asked_run(), lambda run: score_asked(run, store, expecting)).scored == 0


def test_every_look_of_a_gate_goes_on_under_its_own_key(store: Store, expecting: Opener) -> None:
    run, context, read = toy.run_of(templates=60, spec=spec_of()), Context(topic="toy", max=Most(risk=1)), []

    def scored(part: RunSpec) -> RunView:
        done = score_asked(part, store, expecting).run
        read.append(done.scoring.opening)
        return RunView(done, load_result(store, done), context.options)

    def reader(part: RunSpec) -> RunView:
        return behind_opening(part, scored)

    policy = Policy(contexts=(context,))
    found = check_context(context, run, 0.05, reader, policy=policy, early=True)
    assert set(read) == {BOS}
    assert store.load_run(found.run).scoring.opening == BOS
    assert [one.verdict for one in found.judged] == ["within"]


def test_earlier_scores_keep_their_key_and_their_meaning(store: Store, expecting: Opener) -> None:
    """They were made by a version that put nothing there; more of them are not made."""
    run = asked_run()
    score_run(run, store, toy.open_toy)
    before = store.gather(run.scoring, run.prompts, toy.WORDS)
    assert score_run(run, store, expecting) == 0
    more = toy.run_of(terms=9, spec=spec_of())
    done = behind_opening(more, lambda run: score_asked(run, store, expecting))
    assert done.scored == 27
    np.testing.assert_array_equal(store.gather(run.scoring, run.prompts, toy.WORDS), before)


def test_the_worker_scores_a_queued_run_under_the_other_key(
    store: Store, queue: Queue, toy_settings: Settings, expecting: Opener
) -> None:
    job = submit_run(store, queue, asked_run(), 24)
    Worker(store, queue, toy_settings, expecting).run(until_idle=True)
    done = queue.get(job.id)
    assert (done.state, done.error) == ("done", None)
    assert done.result is not None
    assert done.result["run"] == asked_run().key != job.key
    assert store.is_finished(asked_run())


def test_a_probe_is_asked_again_with_the_other_key(
    store: Store, queue: Queue, toy_settings: Settings, expecting: Opener
) -> None:
    """Answers are kept under the question's key, which names the scoring key."""
    worker = Worker(store, queue, toy_settings, expecting)
    jobs = []
    for _ in range(2):
        jobs.append(submit_question(queue, make_probe(spec_of(), toy.TOPIC, "They are [Y]", "exact")))
        worker.run(until_idle=True)
    first, second = (queue.get(job.id) for job in jobs)
    assert (first.state, second.state) == ("failed", "done")
    assert first.error.endswith("begin that way: ask again.")
    assert first.key != second.key


def test_a_sentence_is_scored_at_once(expecting: Opener) -> None:
    """Nothing of it is stored under a scoring key."""
    assert word_check("toy", toy.TOPIC, "They are [Y]", open_scorer=expecting)["words"]


def test_other_jobs_are_started_again(store: Store, expecting: Opener) -> None:
    with pytest.raises(OpeningError, match=r"begin that way: start the job again\.$"):
        blocks.open_asked(asked_run().scoring, store, expecting)
    blocks.open_asked(asked_run().scoring, store, expecting)


def test_from_a_directory_to_scores(
    tmp_path: Path, own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real model whose plain sentences are made likelier after its BOS token."""
    real = Openings._mean

    def mean(self: Openings, opening: tuple[int, ...], unread: int = 0) -> float:
        return real(self, opening, unread) + 3.0 * bool(opening)

    monkeypatch.setattr(Openings, "_mean", mean)
    folder, store = save(load_tiny("gpt2"), tmp_path / "tiny"), Store.open(own_settings.cache)

    def asked() -> RunSpec:
        run = toy.run_of()
        return build_run(resolve(folder), run.topic, run.evidence, run.templates)

    before = asked()
    done = behind_opening(before, lambda run: score_asked(run, store, open_scorer))
    assert (done.run, done.scored) == (asked(), 24)
    assert done.run.scoring.opening == ("<|endoftext|>",)
    assert np.isnan(store.gather(before.scoring, before.prompts, toy.WORDS)).all()
    audit = store.run_info(done.run.key).provenance["self_audit"]
    assert audit["traits"]["opening"].startswith("A text opens with <|endoftext|>. Plain sentences are ")
    assert audit["noise_floor"] < 1e-4
