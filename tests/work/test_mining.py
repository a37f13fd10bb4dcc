"""Minings in the queue: answered, cancelled, resumed, refused; and one with the parser and the rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.errors import TemplateError
from pcf_core.core.settings import Settings
from pcf_core.material.templates import load_mined
from pcf_core.material.topics import load_topic
from pcf_core.mining.miner import Progress
from pcf_core.mining.pool import Processes
from pcf_core.store.store import Store
from pcf_core.work.mining import cores, counters_of, document_of, mine_asked
from pcf_core.work.queue import Queue
from pcf_core.work.requests import MineRequest, submit_mining
from pcf_core.work.worker import Worker
from tests.mining.fakes import TOPIC, FakeRule, corpus_of, open_fake, write_jsonl
from tests.mining.test_miner import counted_at_once
from tests.mining.test_pool import minings
from tests.work import toy

CORPUS = corpus_of(200, sentences=100)  # three blocks


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake parser and rule in place of the real ones; the worker looks and reports at every block."""
    monkeypatch.setattr("pcf_core.work.mining.open_counter", open_fake)
    monkeypatch.setattr("pcf_core.work.mining.rule_for", lambda topics, constructions: FakeRule())
    monkeypatch.setattr("pcf_core.work.mining.REPORT_SECONDS", 0.0)


@pytest.fixture
def asked(tmp_path: Path, quick: None) -> MineRequest:
    path = write_jsonl(tmp_path / "corpus.jsonl", CORPUS)
    return MineRequest(corpus=str(path), topics=(TOPIC,), name="mine", pipeline="fake")


@pytest.fixture
def worker(store: Store, queue: Queue, toy_settings: Settings) -> Iterator[Worker]:
    yield Worker(store, queue, toy_settings.model_copy(update={"mine_workers": 1}), toy.open_toy)
    assert not minings()


@pytest.mark.slow
def test_a_mining_is_answered_and_its_set_kept(worker: Worker, queue: Queue, asked: MineRequest) -> None:
    job = submit_mining(queue, asked)
    assert submit_mining(queue, asked).id == job.id
    worker.run(until_idle=True)
    done = queue.get(job.id)
    size = Path(asked.corpus).stat().st_size
    assert (done.state, done.done, done.total, done.error) == ("done", size, size, None)
    mined = load_mined("mine")
    assert {one.text: one.count for one in mined.templates} == counted_at_once(CORPUS)
    assert done.result["templates"] == len(mined.templates)
    assert done.result["count"] == done.result["matches"] == sum(one.count for one in mined.templates)
    assert done.result["documents"] == mined.card.documents == 200
    assert done.result["dropped"]["a number"] > 0
    assert done.result["words_per_second"] == pytest.approx(done.result["words"] / done.result["seconds"])


def test_the_name_is_looked_at_before_the_work(worker: Worker, queue: Queue, asked: MineRequest) -> None:
    with pytest.raises(TemplateError, match="belongs to a shipped template set"):
        submit_mining(queue, asked.model_copy(update={"name": "gender-reporting"}))
    with pytest.raises(TemplateError, match="use small letters"):
        submit_mining(queue, asked.model_copy(update={"name": "../mine"}))
    assert not queue.list()


def test_cancelled_it_keeps_its_counts_and_a_retry_does_the_rest(
    worker: Worker, queue: Queue, asked: MineRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = submit_mining(queue, asked)
    notes: list[dict[str, Any]] = []
    real = queue.note

    def cancel_at_the_second(job_id: int, result: Any, owner: str | None = None) -> None:
        real(job_id, result, owner)
        notes.append(result)
        if len(notes) == 2:
            queue.cancel(job_id)

    monkeypatch.setattr(queue, "note", cancel_at_the_second)
    worker.run(until_idle=True)
    cancelled = queue.get(job.id)
    assert cancelled.state == "cancelled"
    assert 0 < notes[0]["matches"] < notes[1]["matches"] < sum(counted_at_once(CORPUS).values())
    assert notes[1]["documents"] < 200
    queue.retry(job.id)
    worker.run(until_idle=True)
    done = queue.get(job.id)
    assert (done.state, done.done) == ("done", done.total)
    assert {one.text: one.count for one in load_mined("mine").templates} == counted_at_once(CORPUS)
    assert [note["documents"] for note in notes] == sorted(note["documents"] for note in notes)


def test_a_worker_that_stops_gives_it_back(
    worker: Worker, queue: Queue, asked: MineRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = submit_mining(queue, asked.model_copy(update={"pipeline": "slow-1"}))
    real = Processes.open

    def stop_when_open(self: Processes) -> object:
        worker.stop()
        return real(self)

    monkeypatch.setattr(Processes, "open", stop_when_open)
    worker.run()
    assert (queue.get(job.id).state, queue.get(job.id).owner) == ("queued", None)


def test_a_mining_that_is_refused_fails_with_its_sentence(
    worker: Worker, queue: Queue, asked: MineRequest, tmp_path: Path
) -> None:
    (tmp_path / "none.jsonl").write_text('{"text": "It rained."}\n')
    (tmp_path / "bad.jsonl").write_text("no JSON\n")
    jobs = [
        submit_mining(queue, asked.model_copy(update={"corpus": str(tmp_path / name), "name": name[:3]}))
        for name in ("none.jsonl", "bad.jsonl", "gone.jsonl")
    ]
    worker.run(until_idle=True)
    none, bad, gone = (queue.get(job.id) for job in jobs)
    assert {job.state for job in (none, bad, gone)} == {"failed"}
    assert "so no template was found" in (none.error or "")
    assert "bad.jsonl" in (bad.error or "")
    assert "is neither a file nor a folder" in (gone.error or "")


def test_as_many_processes_as_asked_for_as_set_or_as_cores(toy_settings: Settings) -> None:
    def workers(setting: int, asked: int) -> int:
        settings = toy_settings.model_copy(update={"mine_workers": setting})
        with counters_of("local", settings, [TOPIC], workers=asked) as counters:
            return counters._workers

    assert (workers(0, 0), workers(3, 0), workers(3, 5)) == (cores(), 3, 5)


SENTENCES = """\
The nurse said that she was tired. The nurse worked at night. Mary thought that she could win the race.
The old teacher said that he knew the answer, and the pupils laughed. The weather was fine.
The doctor left the town because he was ill. My brother claimed that he had seen a ghost.
The engineer believed that she was right. The engineer says that he will come back.
"""


@pytest.mark.slow
def test_sentences_become_templates_with_the_parser_and_the_rules(
    own_settings: Settings, tmp_path: Path
) -> None:
    """Two sentences with the same frame, of another tense each, are one template, counted twice or more."""
    (tmp_path / "own.txt").write_text(SENTENCES)
    request = MineRequest(corpus=str(tmp_path / "own.txt"), topics=(load_topic("gender"),), name="own")
    seen: list[Progress] = []
    with counters_of("local", own_settings, request.topics, workers=1) as counters:
        mined = mine_asked(
            request, own_settings, counters, on_progress=lambda progress, rate: seen.append(progress)
        )
    found = {one.text: one.count for one in mined.templates.templates}
    assert found["The [X] said that [Y]"] >= 3
    assert "The [X] believed that [Y]" in found
    assert all("[X]" in text and text.endswith("[Y]") for text in found)
    facts = document_of(mined)
    assert facts["words"] == len(SENTENCES.split()) == seen[-1].words
    assert facts["sentences"] == 7
    assert facts["documents"] == 1
    texts = [SENTENCES[int(one.examples[0].rpartition("@")[2]) :] for one in mined.templates.templates]
    assert all(text[0].isupper() for text in texts)
