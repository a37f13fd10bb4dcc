"""Probes: what may be asked, what has one answer, and that it is kept."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit import preferences as parts
from pcf_core.audit import word_lists as lists_module
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result, result_name
from pcf_core.audit.sensitivity import sensitivity, sensitivity_kept
from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.run import ModelSpec, Protocol, RunSpec
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.jobs import Stopped
from pcf_core.work.probing import read_asked, word_check
from pcf_core.work.queue import Queue
from pcf_core.work.requests import (
    KEPT,
    LONGEST,
    PROBE,
    SMALL,
    ProbeRequest,
    ReadRequest,
    checked_sentence,
    make_probe,
    newest_answer,
    reading_key,
    submit_question,
    submit_read,
)
from pcf_core.work.scoring import score_run
from pcf_core.work.worker import Worker
from tests.work import toy

NURSE = "The nurse said that [Y]"


def probe_of(text: str = NURSE, protocol: Protocol = "exact", **change: object) -> ProbeRequest:
    spec = toy.spec_of().model_copy(update={"path": "here", **change})
    return make_probe(spec, toy.TOPIC, text, protocol)


# ------------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The sentence is empty"),
        (" \n\t ", "The sentence is empty"),
        ("The nurse said that", "has no [Y]: write [Y] in place"),
        ("The nurse said that", "in place of the word, as in 'The nurse said that [Y]'."),
        ("The nurse said that [y]", "has no [Y]: write [Y] in a capital letter"),
        ("[Y] said that [Y]", "has 2 gaps [Y]"),
        ("The [X] said that [Y]", "still has an [X]"),
        ("a" * LONGEST + "[Y]", "has 303 characters, and at most 300 are allowed"),
        ("null \x00 [Y]", "The sentence: its text 'null \\x00 [Y]' has control characters"),
        ("half \ud800 [Y]", "has control characters"),
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


def test_one_answer_serves_whoever_asks_the_same() -> None:
    """Titles and notes decide no number; weights, words, text and protocol do."""
    asked = probe_of()
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
        probe_of("The nurse is [Y]").key,
        probe_of(protocol="single-token").key,
        probe_of(identity="other weights").key,
        probe_of(dtype="bfloat16").key,
        make_probe(toy.spec_of().model_copy(update={"path": "here"}), fewer, NURSE, "exact").key,
        make_probe(
            toy.spec_of().model_copy(update={"path": "here"}),
            topic.model_copy(update={"aligned": True}),
            NURSE,
            "exact",
        ).key,
    }
    assert len(others | {asked.key}) == 7


def test_nothing_is_downloaded_and_no_foreign_code_runs_for_a_link() -> None:
    with pytest.raises(ModelError, match="not on this computer"):
        probe_of(path="")
    with pytest.raises(ModelError, match="code"):
        probe_of(remote_code=True)
    with pytest.raises(ModelError, match="exact-boundary"):
        probe_of(protocol="exact-boundary")


# ------------------------------------------------------------------------------------ asked and answered


def test_the_answer_is_that_of_the_command_words_and_is_found_again(worker: Worker, queue: Queue) -> None:
    asked = probe_of()
    assert newest_answer(queue, asked) is None
    job = submit_question(queue, asked)
    assert submit_question(queue, asked).id == job.id
    worker.run(until_idle=True)
    kept = newest_answer(queue, asked)
    assert (kept.id, kept.state) == (job.id, "done")
    assert kept.result == word_check("toy", toy.TOPIC, NURSE, open_scorer=toy.open_toy)


def test_old_probes_are_forgotten_and_other_jobs_are_not(queue: Queue) -> None:
    other = queue.submit("words", "x", {})
    first = submit_question(queue, probe_of("0 [Y]"))
    held = queue.claim("somebody", min_priority=2)
    assert held.id == first.id
    for number in range(1, KEPT + 2):
        submit_question(queue, probe_of(f"{number} [Y]"))
    assert len(queue.list(10 * KEPT, kind=PROBE)) == KEPT + 1
    assert newest_answer(queue, probe_of("0 [Y]")) is not None  # it is running
    assert newest_answer(queue, probe_of("1 [Y]")) is None
    assert newest_answer(queue, probe_of("2 [Y]")) is not None
    assert queue.get(other.id).state == "queued"


@pytest.mark.parametrize(("parameters", "opened"), [(8_000_000, 4), (40_000_000, 8), (0, 8)])
def test_small_models_stay_open_side_by_side(
    store: Store,
    queue: Queue,
    toy_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    parameters: int,
    opened: int,
) -> None:
    """Four models asked in turn, twice; two may stay open: of large ones none still is at its next turn."""

    def spec_of(name: str = "toy") -> ModelSpec:
        sized = toy.spec_of(name, identity=name)
        return sized.model_copy(update={"path": "here", "parameters": parameters})

    monkeypatch.setattr("pcf_core.work.probing.resolve", spec_of)
    names: list[str] = []

    def open_noted(spec: ModelSpec, protocol: str) -> Scorer:
        names.append(spec.name)
        return toy.open_toy(spec, protocol)

    worker = Worker(store, queue, toy_settings.model_copy(update={"worker_models": 2}), open_noted)
    for text in ("one [Y]", "two [Y]"):
        for name in "abcd":
            submit_question(queue, make_probe(spec_of(name), toy.TOPIC, text, "exact"))
        worker.run(until_idle=True)
    assert {job.state for job in queue.list(kind=PROBE)} == {"done"}
    assert len(names) == opened


# Finished runs read in another way.


@pytest.fixture
def run(store: Store, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> RunSpec:
    """A scored run of 24 cells whose result is no longer kept, read eight at a time."""
    found: RunSpec = toy.run_of()
    score_run(found, store, toy.open_toy)
    shutil.rmtree(toy_settings.cache / "results" / found.key)
    monkeypatch.setattr(parts, "PROMPTS_AT_ONCE", 8)
    monkeypatch.setattr(lists_module, "PROMPTS_AT_ONCE", 8)
    return found


def test_the_sensitivity_is_worked_out_by_the_worker_and_kept(
    worker: Worker, queue: Queue, store: Store, run: RunSpec
) -> None:
    options = ViewOptions(template_weighting="equal")
    job = submit_read(store, queue, run, "sensitivity", options)
    assert (job.kind, job.priority, job.total) == ("read", SMALL, run.cells)
    assert submit_read(store, queue, run, "sensitivity", options).id == job.id
    assert submit_read(store, queue, run, "sensitivity", ViewOptions()).id != job.id
    assert not sensitivity_kept(store, run, options)
    worker.run(until_idle=True)
    done = queue.get(job.id)
    assert (done.state, done.done, done.result) == ("done", run.cells, {"run": run.key, "cells": run.cells})
    assert sensitivity_kept(store, run, options)


def test_preferences_are_read_by_protocol_alone(
    worker: Worker, queue: Queue, store: Store, run: RunSpec
) -> None:
    single = ViewOptions(protocol="single-token")
    assert reading_key(store, run, "preferences", ViewOptions()) == reading_key(
        store, run, "preferences", ViewOptions(criterion="l2", aggregation="mean")
    )
    assert reading_key(store, run, "preferences", single) != reading_key(
        store, run, "preferences", ViewOptions()
    )
    job = submit_read(store, queue, run, "preferences", single)
    worker.run(until_idle=True)
    assert queue.get(job.id).state == "done"
    assert store.has_result(run.key, result_name(run, "single-token"))
    assert not store.has_result(run.key, result_name(run, "exact"))


def test_progress_counts_the_cells_part_by_part(store: Store, run: RunSpec) -> None:
    for what, expected in (
        ("preferences", [8, 16, 24, 24]),
        ("sensitivity", [6, 12, 18, 24, 24]),  # two whole occupations of three templates at a time
    ):
        told: list[tuple[int, int]] = []
        request = ReadRequest(run=run.key, what=what, options=ViewOptions(), model="toy", topic="Toy")
        read_asked(request, store, lambda done, total, rate, told=told: told.append((done, total)))
        assert [done for done, _ in told] == expected
        assert {total for _, total in told} == {run.cells}


def test_a_reading_stops_between_two_parts_and_keeps_nothing(store: Store, run: RunSpec) -> None:
    request = ReadRequest(run=run.key, what="sensitivity", options=ViewOptions(), model="toy", topic="Toy")
    load_result(store, run)
    told: list[int] = []

    def stop() -> None:
        if len(told) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        read_asked(request, store, lambda done, total, rate: told.append(done), stop)
    assert told == [6, 12]
    assert not sensitivity_kept(store, run, ViewOptions())
    read_asked(request, store)
    assert sensitivity(store, run, ViewOptions()).run == run.key


def test_a_run_that_cannot_be_read_so_fails_with_its_sentence(
    worker: Worker, queue: Queue, store: Store
) -> None:
    unscored = toy.run_of(terms=5)
    store.ask_for(unscored)
    job = submit_read(store, queue, unscored, "sensitivity", ViewOptions())
    worker.run(until_idle=True)
    failed = queue.get(job.id)
    assert failed.state == "failed"
    assert "is not finished" in str(failed.error)
