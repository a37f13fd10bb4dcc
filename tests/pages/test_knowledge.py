"""The page Knowledge: a set is queued, scored by a worker, and read; nothing of it is called caprice."""

from __future__ import annotations

import pytest

from pcf_core.audit.knowledge import knowledge_report
from pcf_core.findings.knowledge import confidence_finding, knowledge_finding
from pcf_core.jobs import Queue
from pcf_core.jobs.knowledge import score_knowledge
from pcf_core.jobs.worker import Worker
from pcf_core.models import resolve
from pcf_core.records import ModelSpec, ScoringKey
from pcf_core.scoring.base import Scorer
from pcf_core.scoring.fake import FakeScorer
from pcf_core.settings import Settings
from pcf_core.store import Store
from pcf_core.topics.knowledge import load_knowledge
from tests.pages.opened import open_app, texts

CONTINENTS = load_knowledge("continents")
RIGHT = {fact.subject: fact.right[0] for fact in CONTINENTS.facts}


def probability(prompt: str, word: str) -> float:
    """Africa is known well, and better in longer prompts; elsewhere all answers get the same."""
    known = any(subject in prompt and answer == word == "Africa" for subject, answer in RIGHT.items())
    return 0.01 * len(prompt) / 60 if known else 0.002


def fake(spec: ModelSpec, protocol: str) -> Scorer:
    return FakeScorer(probability, key=ScoringKey.of(spec, protocol))


@pytest.fixture
def scored(own_settings: Settings) -> Store:
    store = Store.open(own_settings.cache, None)
    score_knowledge(CONTINENTS, ScoringKey.of(resolve("mini-gpt")), store, fake)
    return store


def test_what_is_known_is_said_drawn_and_listed(scored: Store) -> None:
    app = open_app("knowledge", model="mini-gpt")
    report = knowledge_report(scored, ScoringKey.of(resolve("mini-gpt")), CONTINENTS)
    said = texts(app)
    assert knowledge_finding("mini-gpt", report) in said
    assert confidence_finding(report).replace(" %", " %") in said
    assert len(app.get("plotly_chart")) == 1
    assert len(app.dataframe[0].value) == 60
    assert [metric.label.replace("\\", "") for metric in app.metric] == ["Knowledge · mini-gpt"]
    assert "knowledge --model mini-gpt --set continents --score sqrt" in app.code[0].value
    assert not app.error


def test_another_score_is_read_at_once_and_the_order_can_be_turned(scored: Store) -> None:
    app = open_app("knowledge", model="mini-gpt", knowledge_score="quadratic", knowledge_order="least known")
    report = knowledge_report(scored, ScoringKey.of(resolve("mini-gpt")), CONTINENTS, "quadratic")
    assert knowledge_finding("mini-gpt", report) in texts(app)
    assert not app.error


def test_what_was_not_scored_is_queued_and_answered_by_a_worker(
    scored: Store, own_settings: Settings
) -> None:
    app = open_app("knowledge", model=["mini-gpt", "mini-bert"])
    assert "Not scored yet: mini-bert with Continents of countries" in texts(app).replace("*", "")
    app.button(key="score_knowledge").click().run()
    queue = Queue.open(own_settings.catalogue)
    (job,) = queue.list(10, kind="knowledge")
    assert (job.state, job.total) == ("queued", 600)
    Worker(scored, queue, own_settings, fake).run(until_idle=True)
    done = queue.get(job.id)
    assert (done.state, done.result) == ("done", {"set": "continents", "scored": 600})
    again = open_app("knowledge", model=["mini-gpt", "mini-bert"])
    assert [metric.label.replace("\\", "") for metric in again.metric] == [
        "Knowledge · mini-gpt",
        "Knowledge · mini-bert",
    ]
    assert "mini-bert · knowledge · Continents of countries" in texts(open_app("score")).replace("*", "")


def test_a_set_without_scores_says_so_alone(own_settings: Settings) -> None:
    app = open_app("knowledge", model="mini-gpt", facts="opposites")
    assert "Opposites of adjectives" in texts(app)
    assert not app.metric
    assert not app.get("plotly_chart")


def test_a_protocol_that_a_model_does_not_have_is_one_sentence(scored: Store) -> None:
    app = open_app("knowledge", model=["mini-bert", "mini-gpt"], protocol="exact-boundary")
    assert "masked model" in app.error[0].value
    assert not app.metric
