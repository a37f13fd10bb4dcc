"""The tab Knowledge: a set is queued, scored by a worker, and read; nothing of it is called caprice."""

from __future__ import annotations

import shutil

import pytest

from pcf_core.audit.knowledge import knowledge_report
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.material.knowledge import OWN, load_knowledge
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.fake import FakeScorer
from pcf_core.report.citing import RISK_PAPERS, citation_bibtex, citation_text
from pcf_core.report.reproducing import afresh
from pcf_core.show.findings.why import confidence_finding, knowledge_finding
from pcf_core.store.store import Store
from pcf_core.work.knowledge import score_knowledge
from pcf_core.work.worker import Worker
from tests.pages.opened import open_app, own_queue, own_store
from tests.pages.own import SKY

CONTINENTS = load_knowledge("continents")
RIGHT = {fact.subject: fact.right[0] for fact in CONTINENTS.facts}


def probability(prompt: str, word: str) -> float:
    """Africa is known well, and better in longer prompts; elsewhere all answers get the same."""
    is_known = any(subject in prompt and answer == word == "Africa" for subject, answer in RIGHT.items())
    return 0.01 * len(prompt) / 60 if is_known else 0.002


def fake(spec: ModelSpec, protocol: str) -> Scorer:
    return FakeScorer(probability, key=ScoringKey.of(spec, protocol))


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr("pcf_core.work.self_audit.PART_OF_TIME", 1e9)  # all drawn prompts are checked
    store = own_store()
    score_knowledge(CONTINENTS, ScoringKey.of(resolve("mini-gpt")), store, fake)
    return store


def test_what_is_known_is_said_drawn_and_listed(scored: Store) -> None:
    app = open_app("knowledge", model="mini-gpt")
    report = knowledge_report(scored, ScoringKey.of(resolve("mini-gpt")), CONTINENTS)
    assert knowledge_finding("mini-gpt", report) in app.texts
    assert confidence_finding(report).replace(" %", " %") in app.texts
    assert len(app.get("plotly_chart")) == 1
    assert len(app.dataframe[0].value) == 60
    best = max(report.facts, key=lambda fact: fact.knowledge)
    assert f"**{best.subject}**  \nRight: {', '.join(best.right)}" in app.texts, "as a card, for a telephone"
    assert app.figures == ["Knowledge · mini-gpt"]
    commands = [code.value for code in app.open_foot().code]
    floor = app.table[0].value["value"]["noise floor"].replace("\\", "")
    assert floor.startswith("Scored again one at a time, ")
    assert "100 scores in 50 cells" in floor
    text, bibtex, command, scratch = commands[-4:]
    assert (text, bibtex) == (citation_text(RISK_PAPERS), citation_bibtex(RISK_PAPERS))
    assert "knowledge --model mini-gpt --set continents --score sqrt" in command
    assert scratch == afresh(command)
    assert not app.error


def test_scores_are_words_and_addresses_of_before_still_choose(scored: Store) -> None:
    app = open_app("knowledge", model="mini-gpt", knowledge_score="log1p")
    score = app.selectbox(key="knowledge_score")
    assert (list(score.options), score.value) == (["square root", "logarithm", "quadratic"], "logarithm")
    assert not app.link_warnings
    report = knowledge_report(scored, ScoringKey.of(resolve("mini-gpt")), CONTINENTS, "log1p")
    assert knowledge_finding("mini-gpt", report) in app.texts
    assert "(score: logarithm)" in app.texts


@pytest.mark.slow
def test_what_was_not_scored_is_queued_and_answered_by_a_worker(
    scored: Store, own_settings: Settings
) -> None:
    app = open_app("knowledge", model=["mini-gpt", "mini-bert"])
    assert "Not scored yet: mini-bert with Continents of countries" in app.texts.replace("*", "")
    app.press("score_knowledge")
    queue = own_queue()
    (job,) = queue.list(10, kind="knowledge")
    assert (job.state, job.total) == ("queued", 600)
    Worker(scored, queue, own_settings, fake).run(until_idle=True)
    done = queue.get(job.id)
    assert (done.state, done.result) == ("done", {"set": "continents", "scored": 600})
    again = open_app("knowledge", model=["mini-gpt", "mini-bert"])
    assert again.figures == [
        "Knowledge · mini-gpt",
        "Knowledge · mini-bert",
    ]
    assert "mini-bert · knowledge · Continents of countries" in open_app("run_an_audit").texts.replace(
        "*", ""
    )


def test_scores_without_an_audit_say_so(scored: Store, own_settings: Settings) -> None:
    """As those that an earlier version shipped."""
    shutil.rmtree(own_settings.cache / "results")
    app = open_app("knowledge", model="mini-gpt").open_foot()
    assert app.table[0].value["value"]["noise floor"].startswith("not audited")
    assert not app.error


@pytest.mark.slow
def test_a_set_of_ones_own_is_kept_queued_scored_read_and_deleted(own_settings: Settings) -> None:
    app = open_app("knowledge", model="mini-gpt").upload("upload_knowledge", "My sky.csv", SKY)
    app.press("keep_knowledge")
    assert "Not scored yet: mini-gpt with My sky" in app.texts.replace("*", "")
    app.press("score_knowledge")
    store = own_store()
    queue = own_queue()
    Worker(store, queue, own_settings, fake).run(until_idle=True)
    (job,) = queue.list(10, kind="knowledge")
    assert (job.state, job.result) == ("done", {"set": "my-sky", "scored": 2})
    again = open_app("knowledge", model="mini-gpt", facts="my-sky")
    assert len(again.dataframe[0].value) == 2
    command = again.open_foot().code[-1].value
    assert command.startswith("python -m pcf_core knowledge --model mini-gpt --set my-sky")
    assert "<b>Mars</b>" in list(again.dataframe[0].value["fact"])
    again.press("delete_facts")
    assert OWN.names() == ()
    assert again.selectbox(key="facts").value == "continents"
    gone = open_app("knowledge", model="mini-gpt", facts="my-sky")
    assert "There is no knowledge set named 'my-sky'" in gone.errors
