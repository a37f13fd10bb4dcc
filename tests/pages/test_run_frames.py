"""Run an audit with a chat around each sentence: a worker renders it, and the run has its own key."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.core.frame import INSTRUCTION, Frame
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.frames import framed
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.work.requests import FRAME
from pcf_core.work.worker import Worker
from tests.models.scoring.conftest import save
from tests.models.scoring.test_frames import load_style
from tests.pages.opened import App, open_app, own_queue, own_store

CHAT = "a chat"
FAIR = "Be fair."


def open_fake(spec: ModelSpec, protocol: str) -> Scorer:
    return FakeScorer(lambda prompt, word: 0.1, key=ScoringKey.of(spec, protocol))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny model with a chat template."""
    return save(load_style("chatml"), tmp_path_factory.mktemp("chatty"))


@pytest.fixture
def worker(own_settings: Settings) -> Worker:
    return Worker(own_store(), own_queue(), own_settings, open_fake)


def opened(*models: str, system: tuple[str, ...] = ()) -> App:
    """The page with a chat around the sentences of the papers, which end with the word."""
    app = open_app("run_an_audit", score_frame="chat", **({"score_system": [*system]} if system else {}))
    return app.multiselect(key="score_model").set_value([*models]).run()


def test_the_worker_renders_the_chat_and_the_run_has_it_in_its_key(model: str, worker: Worker) -> None:
    app = opened(model, system=(FAIR,))
    assert "chatty" in app.infos, "what the page waits for"
    assert app.button(key="score_button").disabled
    (question,) = own_queue().list(kind=FRAME)
    assert question.payload["frame"]["instruction"] == INSTRUCTION
    worker.run(until_idle=True)
    app.run()
    frame = framed(resolve(model), Frame(kind="chat", system=FAIR)).frame
    assert frame is not None
    assert FAIR in frame.text
    assert repr(frame.text).replace("\\", "") in app.texts  # which leaves out backslashes
    app.press("score_button")
    (job,) = own_queue().list(kind="score")
    run = own_store().load_run(job.payload["run"])
    assert run.scoring.frame == frame
    assert run.scoring.label.endswith(f"(chat, “{FAIR}”)")
    assert len(own_queue().list(kind=FRAME)) == 1, "the answer is kept"
    assert "model" not in app.query_params
    assert FAIR in app.query_params["score_system"]


def test_each_system_text_has_a_run_of_its_own(model: str, worker: Worker) -> None:
    texts = FAIR, "Be brief."
    app = opened(model, system=texts)
    worker.run(until_idle=True)
    app.run()
    for text in texts:
        assert f"(chat, “{text}”)" in app.texts, "what each of them costs"
    app.press("score_button")
    runs = [own_store().load_run(job.payload["run"]) for job in own_queue().list(kind="score")]
    assert {run.scoring.frame.system for run in runs if run.scoring.frame} == {*texts}
    assert app.query_params["score_system"] == [*texts]


def test_another_message_is_another_chat(model: str, worker: Worker) -> None:
    app = opened(model)
    app.text_input(key="score_instruction").set_value("Write a sentence.").run()
    worker.run(until_idle=True)
    assert "Write a sentence.<|im_end|>" in app.run().texts
    app.text_input(key="score_instruction").set_value(" ").run()
    assert "The instruction is empty" in app.errors
    assert app.button(key="score_button").disabled


def test_models_without_a_chat_and_sentences_that_go_on_are_refused(model: str, worker: Worker) -> None:
    app = opened("mini-gpt", "mini-bert", model)
    assert "The model mini-gpt has no chat template" in app.errors
    assert "mini-bert is of the family masked" in app.errors
    worker.run(until_idle=True)
    assert not app.run().button(key="score_button").disabled, "the third one can be run"
    app.selectbox(key="score_templates").set_value("gender-nineteen-stop").run()
    assert "must end with the word" in app.errors
    assert app.button(key="score_button").disabled


def test_a_template_that_refuses_is_said_once_the_worker_has_asked_it(worker: Worker, tmp_path: Path) -> None:
    gemma = save(load_style("gemma"), tmp_path / "gemma")
    app = opened(gemma, system=(FAIR,))
    worker.run(until_idle=True)
    app.run()
    assert "refuses a system text" in app.errors
    assert "Run again" in [button.label for button in app.button]
    assert app.button(key="score_button").disabled


def test_sentences_stand_alone_unless_somebody_wants_a_chat() -> None:
    app = open_app("run_an_audit", model=["mini-gpt"])
    assert not own_queue().list(kind=FRAME)
    assert "score_system" not in app.session_state


def test_a_model_that_was_refused_is_not_among_finished_results(model: str, worker: Worker) -> None:
    app = opened(model)
    worker.run(until_idle=True)
    app.run().press("score_button")
    worker.run(until_idle=True)
    finished = "All of these results are here already."
    assert finished in [one.value for one in app.run().success]
    app.multiselect(key="score_model").set_value([model, "mini-gpt"]).run()
    assert "The model mini-gpt has no chat template" in app.errors
    assert finished not in [one.value for one in app.success]
