"""The page Try a sentence: asked when it is opened, answered by the worker, waited for with a reason."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.app import probe as probe_waiting
from pcf_core.app.addresses import as_prompt, as_typed
from pcf_core.app.probe import ASKED
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.material.topics import load_topic
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.processes import name_of
from pcf_core.work.queue import Queue
from pcf_core.work.requests import PROBE
from pcf_core.work.worker import Worker
from tests.pages.opened import App, open_app, own_queue, own_store
from tests.pages.walks import assert_walk

P = {"he": 0.3, "she": 0.1, "king": 0.05}


def open_fake(spec: ModelSpec, protocol: str) -> Scorer:
    """``he`` before ``she``, the other way round by Mini GPT; every other word next to nothing."""

    def probability(prompt: str, word: str) -> float:
        assert prompt.count("[Y]") == 1
        swapped = {"he": "she", "she": "he"} if spec.name == "mini-gpt" else {}
        return P.get(swapped.get(word, word), 1e-6)

    return FakeScorer(probability, key=ScoringKey.of(spec, protocol), refused={"niece": "unk"})


@pytest.fixture
def queue() -> Queue:
    return own_queue()


@pytest.fixture
def worker(own_settings: Settings, queue: Queue) -> Worker:
    return Worker(own_store(), queue, own_settings, open_fake)


@pytest.fixture(autouse=True)
def no_torch() -> Iterator[None]:
    """No page may load it into this process; another test of the same process may have."""
    before = "torch" in sys.modules
    yield
    assert ("torch" in sys.modules) == before


def answered(worker: Worker, **parameters: str | list[str]) -> App:
    app = open_app("try_a_sentence", **parameters)
    worker.run(until_idle=True)
    return app.run()


def test_opened_it_asks_once_and_shows_what_each_model_answers(queue: Queue, worker: Worker) -> None:
    app = answered(worker)
    assert not app.error
    prompt = "The nurse said that [Y]"
    asked = [("mini-bert", prompt), ("mini-gpt", prompt)]
    assert sorted((job.payload["model"], job.payload["text"]) for job in queue.list(kind=PROBE)) == asked
    # .35 of .45 and, swapped, .15 of .45; the others of the 77 words have 10^-6 each.
    assert "Mini BERT prefers men: words for men get 78 % (“he” 67 % and “king” 11 %)" in app.texts
    assert "Mini GPT prefers women: words for women get 67 % (“she” 67 %)" in app.texts
    assert len(app.get("plotly_chart")) == 2
    assert "77 words are scored" in app.captions
    assert "Left out: niece (unk)." in app.captions
    table = app.table_with("share")
    assert len(table) == 2 * 77
    assert list(table.groupby("model")["share"].sum()) == pytest.approx([1, 1])
    top = table.iloc[0]
    assert (top["model"], top["word"], top["tokens"]) == ("Mini BERT", "he", 1)
    assert top["log_probability"] == pytest.approx(math.log(0.3))
    assert f"--text '{prompt}'" in app.open_foot().code[0].value
    assert "Mini BERT prefers men" in open_app("try_a_sentence").texts
    assert len(queue.list(kind=PROBE)) == 2, "the answer is kept"


def test_words_that_begin_the_sentence_are_said_to_be_capitalised(queue: Queue, worker: Worker) -> None:
    """They keep their names in the table."""
    app = answered(worker, model=["mini-gpt"], sentence="[Y] worked as a nurse.")
    assert "Words at the beginning of a sentence are capitalised: Abbot, " in app.captions
    table = app.table_with("share")
    assert {"he", "she"} <= set(table["word"])


def test_another_sentence_and_an_example_are_asked(queue: Queue, worker: Worker) -> None:
    """What nobody waits for any more is cancelled."""
    app = answered(worker, model=["mini-gpt"], sentence="A king is [Y]")
    assert_walk(
        app, "another sentence is tried", ("set", "sentence", "The <b>cook</b> saw *[Y]* $x$"), "example_1"
    )


@pytest.mark.slow
def test_groups_of_another_topic_and_the_mean_of_a_groups_words(worker: Worker) -> None:
    app = answered(worker, topic="race", model=["mini-bert"], sentence="The cook is [Y]")
    assert not app.error
    # All words alike: sums favour the two groups of two words, 2 of 7 words each.
    assert (
        "words for Black people and words for Hispanic people get 29 % each (an even split: 20 %)"
        in app.texts
    )
    assert "The nurse, who played a role, is …" in [button.label.replace("\\", "") for button in app.button]
    mean = answered(worker, topic="race", model=["mini-bert"], sentence="The cook is [Y]", aggregation="mean")
    assert "words for Hispanic people and words for Indian people get 20 % each" in mean.texts


def test_a_model_that_cannot_answer_is_named_and_the_others_are_drawn(worker: Worker) -> None:
    app = answered(worker, model=["mini-bert", "mini-gpt", "no-such-model"], protocol="exact-boundary")
    assert "mini-bert" in app.errors
    assert "exact-boundary is for causal models" in app.errors
    assert "There is no model named 'no-such-model'" in app.errors
    assert "Mini GPT prefers women" in app.texts


def test_a_refusal_of_the_worker_is_shown_and_asked_again(queue: Queue, worker: Worker) -> None:
    male = load_topic("gender").groups[0].words

    def open_refusing(spec: ModelSpec, protocol: str) -> Scorer:
        refused = dict.fromkeys(male, "unk")
        return FakeScorer(lambda prompt, word: 0.1, key=ScoringKey.of(spec, protocol), refused=refused)

    def answer_again() -> None:
        worker._models.clear()
        worker._open_scorer = open_fake
        worker.run(until_idle=True)

    worker._open_scorer = open_refusing
    app = answered(worker, model=["mini-gpt"])
    assert "can use no word of the group 'male'" in app.errors
    assert app.session_state[ASKED] == {}  # asked again, it has its minute again
    again = f"again_{queue.list(1, kind=PROBE)[0].id}"
    assert_walk(app, "a sentence is tried again", again, ("do", answer_again))


# --------------------------------------------------------------------------------------------- waiting


def test_without_a_worker_it_says_how_to_start_one_and_gives_up_in_time(queue: Queue, worker: Worker) -> None:
    app = open_app("try_a_sentence")
    assert "No worker is running: start one with `python -m pcf_core worker`" in app.infos

    def minute_later() -> None:
        app.session_state[ASKED] = dict.fromkeys(app.session_state[ASKED], 0.0)

    late, answer = ("do", minute_later), ("do", lambda: worker.run(until_idle=True))
    assert_walk(app, "nobody answers in time", late, ("do", app.run), "again", answer)


def test_a_model_is_not_late_while_the_other_one_is_asked(queue: Queue) -> None:
    """The first opening of a model in GGUF may take longer than a minute."""
    app = open_app("try_a_sentence")
    queue.heartbeat(name_of(1))  # a process that is alive
    assert queue.claim(name_of(1)) is not None
    app.session_state[ASKED] = dict.fromkeys(app.session_state[ASKED], 0.0)
    app.run()
    assert not app.error
    assert sorted(job.state for job in queue.list(kind=PROBE)) == ["queued", "running"]


def test_without_a_worker_a_saved_sentence_is_one_press_away(full_store: Store) -> None:
    (link,) = (one.proto for one in open_app("try_a_sentence").get("page_link"))
    assert (link.page, link.label) == ("heat_map", "Meanwhile, open a saved sentence of the same models")
    saved = open_app("heat_map", **parse_qs(link.query_string))
    assert "The nurse" in saved.texts
    own_queue().heartbeat(name_of(1))  # a process that is alive
    assert not open_app("try_a_sentence").get("page_link")


@pytest.mark.slow
def test_who_has_answered_is_drawn_while_others_are_waited_for(
    queue: Queue, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe_waiting, "QUICK", 0.05)
    answered(worker, model=["mini-bert"])
    queue.heartbeat(name_of(1))  # a process that is alive
    app = open_app("try_a_sentence")
    assert "Mini BERT prefers men" in app.texts
    assert "Starting **Mini GPT** (about 10 seconds)." in app.infos
    assert len(app.get("plotly_chart")) == 2
    names = {"model": "m", "topic_name": "t", "templates": "s", "evidence": "e", "protocol": "exact"}
    busy = queue.submit("score", "run", {"run": "run", "topic": "t", **names}, priority=9)
    assert queue.claim(name_of(1)) is not None
    assert queue.get(busy.id).state == "running"
    app.run()
    assert "**Mini GPT**: waiting for another request." in app.infos
    assert queue.claim(name_of(1)) is not None
    app.run()
    assert "**Mini GPT** is starting or answering." in app.infos


def test_what_another_session_took_back_is_asked_again(queue: Queue) -> None:
    app = open_app("try_a_sentence", model=["mini-gpt"])
    queue.cancel(queue.list(1, kind=PROBE)[0].id)
    app.run()
    assert [job.state for job in queue.list(kind=PROBE)] == ["queued", "cancelled"]


@pytest.mark.parametrize(
    "prompt", ["The nurse said that [Y]", "Well… the nurse said that [Y]", "So ... she is [Y]."]
)
def test_a_sentence_that_is_offered_is_the_prompt_again(prompt: str) -> None:
    assert as_prompt(as_typed(prompt)) == prompt
