"""The worker: order, failures, cancel, kill -9 and resume."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pcf_core.app.queue import can_be_read, progress_text
from pcf_core.audit.results import result_name
from pcf_core.core.errors import ModelError, StoreError
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.core.settings import Settings
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.jobs import HANDLERS, JobContext
from pcf_core.work.launch import LOG_NAME, logging_to
from pcf_core.work.queue import DEADLY_TO_LOAD, Queue
from pcf_core.work.requests import SMALL, submit_run, submit_words
from pcf_core.work.scoring import SAVE_SECONDS, score_run
from pcf_core.work.worker import Worker, load_libraries
from tests.work import toy
from tests.work.toy import shards, until

TOY = Path(__file__).with_name("toy.py")
ROOT = Path(__file__).resolve().parents[2]


# ------------------------------------------------------------------------------------ in this process


def test_other_runs_wait_their_turn(worker: Worker, store: Store, queue: Queue) -> None:
    """A second run is no small request, unless it says so."""
    runs = [toy.run_of(terms=terms) for terms in (4, 5, 6)]
    jobs = [submit_run(store, queue, run, run.cells) for run in runs[:2]]
    last = submit_run(store, queue, runs[2], 18)
    queue.cancel(last.id)
    urgent = queue.submit("score", runs[2].key, last.payload, priority=1, total=18)
    worker.run(until_idle=True)
    ends = sorted([*jobs, urgent], key=lambda job: queue.get(job.id).updated)
    assert [job.id for job in ends] == [urgent.id, *(job.id for job in jobs)]


@contextmanager
def frozen_holder(cache: Path, run_key: str) -> Iterator[int]:
    """A process that has the turn at a run and was stopped (SIGSTOP); its number."""
    program = (
        "import os, signal, sys; from pathlib import Path; from pcf_core.store.store import Store\n"
        "with Store.open(Path(sys.argv[1])).lock(sys.argv[2], lambda holder: None):\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)"
    )
    command = [sys.executable, "-c", program, str(cache), run_key]
    holder = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        _, status = os.waitpid(holder.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        yield holder.pid
    finally:
        holder.kill()
        holder.wait()


@pytest.mark.slow
def test_a_frozen_process_that_has_a_run_keeps_no_other_job_waiting(
    worker: Worker, store: Store, queue: Queue, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two jobs behind the one that waits are done meanwhile, in their order; then it is its turn again."""
    monkeypatch.setattr("pcf_core.work.worker.AGAIN_SECONDS", 1.0)
    runs = [toy.run_of(spec=toy.spec_of(name)) for name in "abc"]
    first, *others = (submit_run(store, queue, run, run.cells) for run in runs)
    claims: list[int] = []
    real = queue.claim

    def claim(*given: Any) -> object:
        found = real(*given)
        claims.extend([] if found is None else [found.id])
        return found

    monkeypatch.setattr(queue, "claim", claim)
    with ThreadPoolExecutor(1) as pool:
        with frozen_holder(toy_settings.cache, runs[0].key) as pid:
            working = pool.submit(worker.run, until_idle=True)
            until(lambda: all(queue.get(job.id).state == "done" for job in others))
            assert claims[0] == first.id
            assert [job_id for job_id in claims if job_id != first.id] == [job.id for job in others]
            until(lambda: queue.get(first.id).state == "queued")
            assert f"process {pid} on" in progress_text(queue.get(first.id))
            began, tries = time.monotonic(), len(claims)
            until(lambda: len(claims) >= tries + 2)
            assert time.monotonic() - began > 1, "it is not tried again at once"
            assert not working.done(), "who has a job to come back to is not idle"
        working.result()
    done = queue.get(first.id)
    assert (done.state, done.result) == ("done", {"run": runs[0].key, "cells": 24, "scored": 24})


def test_who_takes_over_from_one_that_waited_does_not_say_that_it_waits(
    worker: Worker, store: Store, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = toy.run_of()
    job = submit_run(store, queue, run, run.cells)
    assert queue.claim("gone") is not None
    queue.note(job.id, {"stage": "waiting", "holder": "process 7 on far"}, "gone")
    queue.release("gone")
    seen: list[str] = []
    told = queue.progress

    def progress(*given: Any) -> None:
        seen.append(progress_text(queue.get(job.id)))
        told(*given)

    monkeypatch.setattr(worker.queue, "progress", progress)
    worker.run(until_idle=True)
    assert seen
    assert not any("Waiting" in text for text in seen)


def test_models_stay_open_and_the_oldest_makes_room(
    store: Store, queue: Queue, toy_settings: Settings
) -> None:
    opened: list[str] = []

    def open_noted(spec: ModelSpec, protocol: str) -> Scorer:
        opened.append(spec.name)
        return toy.open_toy(spec, protocol)

    settings = toy_settings.model_copy(update={"worker_models": 2})
    worker = Worker(store, queue, settings, open_noted)
    for number, name in enumerate(["a", "b", "a", "c", "a", "b"]):
        submit_words(queue, name, toy.TOPIC, f"{number} is [Y]")
        worker.run(until_idle=True)
    assert opened == ["a", "b", "c", "b"]
    assert len(worker._models) == 2


def test_one_bad_job_ends_with_its_sentence_and_the_next_is_served(
    worker: Worker, queue: Queue, toy_settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    refused = submit_words(queue, "toy", toy.TOPIC, "no gap")
    foreign = queue.submit("dance", "x", {})
    wrong = queue.submit("words", "x", {"text": 7})
    good = submit_words(queue, "toy", toy.TOPIC, "They are [Y]")
    with caplog.at_level(logging.ERROR):
        worker.run(until_idle=True)
    assert queue.get(good.id).state == "done"
    assert "must have exactly one [Y]" in (queue.get(refused.id).error or "")
    assert "cannot do jobs of the kind 'dance'" in (queue.get(foreign.id).error or "")
    assert (queue.get(wrong.id).error or "").startswith("unexpected: ValidationError: ")
    log = (toy_settings.cache / LOG_NAME).read_text()
    assert "Traceback" in log
    assert log.count("Traceback") == 1


class Panic(BaseException):
    """As pyo3 raises it where Rust panics: it is no ``Exception``."""


@pytest.mark.parametrize("end", [Panic("index out of bounds"), SystemExit(0), GeneratorExit()])
@pytest.mark.parametrize("kind", ["score", "words"])
def test_whatever_ends_a_process_is_a_death_of_its_job(
    store: Store, queue: Queue, toy_settings: Settings, end: BaseException, kind: str
) -> None:
    """The supervisor is left to take it to be at the job; after three deaths the next job is served."""

    def open_ending(spec: ModelSpec, protocol: str) -> Scorer:
        if spec.name == "ends":
            raise end
        scorer: Scorer = toy.open_toy(spec, protocol)
        return scorer

    run, other = (toy.run_of(spec=toy.spec_of(name)) for name in ("ends", "honest"))
    if kind == "score":
        deadly = submit_run(store, queue, run, run.cells)
        honest = submit_run(store, queue, other, other.cells)
    else:  # goes ahead of the run
        honest = submit_run(store, queue, other, other.cells)
        deadly = submit_words(queue, "ends", toy.TOPIC, "They are [Y]")
    for deaths in (1, 2, 3):
        told: list[int | None] = []
        worker = Worker(store, queue, toy_settings, open_ending, owner="me:1:1", tell=told.append)
        with pytest.raises(type(end)):
            worker.serve(until_idle=True)
        assert told[-1] == deadly.id
        assert queue.get(deadly.id).state == ("queued" if deaths < 3 else "failed")
        assert (queue.tally().deaths, queue.get(honest.id).state) == (deaths, "queued")
    assert queue.get(deadly.id).error == DEADLY_TO_LOAD
    Worker(store, queue, toy_settings, open_ending, owner="me:1:1").serve(until_idle=True)
    assert (queue.get(honest.id).state, queue.get(honest.id).done) == ("done", 24)


def test_a_second_interrupt_of_a_person_is_no_death(
    store: Store, queue: Queue, toy_settings: Settings
) -> None:
    def interrupted(spec: ModelSpec, protocol: str) -> Scorer:
        raise KeyboardInterrupt

    run = toy.run_of()
    job = submit_run(store, queue, run, run.cells)
    with pytest.raises(KeyboardInterrupt):
        Worker(store, queue, toy_settings, interrupted).run(until_idle=True)
    assert (queue.get(job.id).state, queue.tally().deaths) == ("queued", 0)


def test_cells_that_would_be_lost_are_told_apart(
    worker: Worker, store: Store, queue: Queue, slow_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards of four, batches of two: half of them end within a shard."""
    monkeypatch.setattr("pcf_core.work.scoring.REPORT_SECONDS", 0.0)
    run = toy.run_of()
    job = submit_run(store, queue, run, run.cells)
    seen: list[str] = []
    told = queue.progress

    def progress(*given: Any) -> None:
        told(*given)
        seen.append(progress_text(queue.get(job.id)).partition(" · ")[0])

    monkeypatch.setattr(queue, "progress", progress)
    worker.run(until_idle=True)
    expected = ["0 of 24 test sentences"]
    for cells in range(0, 24, 4):
        expected += [
            f"{cells + 2} of 24 test sentences, 2 not yet saved",
            f"{cells + 4} of 24 test sentences, 4 not yet saved",
            f"{cells + 4} of 24 test sentences",
        ]
    assert list(dict.fromkeys(seen)) == expected


def test_the_cells_are_checked_after_the_result_can_be_opened_and_the_job_says_how_far_that_is(
    worker: Worker, store: Store, queue: Queue, every_cell: None
) -> None:
    run = toy.run_of()
    job = submit_run(store, queue, run, run.cells)
    seen: list[tuple[str, bool, bool]] = []
    real = queue.note

    def note(job_id: int, result: Any, owner: str | None = None) -> None:
        real(job_id, result, owner)
        found = queue.get(job_id)
        text = progress_text(found)
        assert (found.state, "nan" in text) == ("running", False)
        kept = store.load_result(run.key, result_name(run, "exact")) is not None
        seen.append((text.partition(" · ")[0], can_be_read(found), kept))

    worker.queue.note = note
    worker.run(until_idle=True)
    assert seen[0] == ("Starting the model (about 10 seconds, minutes if it is large)", False, False)
    assert ("writing the result, 0 of 24 test sentences", False, False) in seen
    assert seen[-1] == ("checking test sentences, 24 of 24", True, True)
    assert ("checking test sentences, 0 of 5", True, True) in seen
    assert queue.get(job.id).state == "done"


def test_stop_gives_the_job_back(worker: Worker, store: Store, queue: Queue) -> None:
    run = toy.run_of()
    job = submit_run(store, queue, run, run.cells)

    def open_stopping(spec: ModelSpec, protocol: str) -> Scorer:
        worker.stop()
        return toy.open_toy(spec, protocol)

    worker._open_scorer = open_stopping
    worker.run()
    assert (queue.get(job.id).state, queue.get(job.id).owner) == ("queued", None)


def test_stop_within_a_small_request_gives_both_jobs_back(
    worker: Worker, store: Store, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was given back is not taken again by the run that it had interrupted."""
    run = toy.run_of()
    taken = 0

    def reading(context: JobContext) -> dict[str, Any]:
        nonlocal taken
        taken += 1
        assert taken == 1, "it was taken again"
        worker.stop()
        context.pause()
        raise AssertionError("it was not stopped")

    monkeypatch.setitem(HANDLERS, "read", reading)
    big = submit_run(store, queue, run, run.cells)

    def open_asked(spec: ModelSpec, protocol: str) -> Scorer:
        queue.submit("read", "a reading", {}, priority=SMALL)
        return toy.open_toy(spec, protocol)

    worker._open_scorer = open_asked
    worker.run()
    assert taken == 1
    assert [(job.id, job.state, job.error) for job in queue.list()] == [
        (big.id + 1, "queued", None),
        (big.id, "queued", None),
    ]


def test_the_heart_beats_during_a_long_batch(
    worker: Worker, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.work.launch.BEAT_SECONDS", 0.01)
    beats: list[str] = []
    enough = threading.Event()
    real = queue.heartbeat

    def counted(owner: str, fingerprint: str = "") -> None:
        real(owner, fingerprint)
        if threading.current_thread().name == "heartbeat":
            beats.append(owner)
            if len(beats) == 5:
                enough.set()

    monkeypatch.setattr(queue, "heartbeat", counted)
    worker._open_scorer = lambda spec, protocol: (enough.wait(30), toy.open_toy(spec, protocol))[1]
    submit_words(queue, "toy", toy.TOPIC, "They are [Y]")
    worker.run(until_idle=True)
    assert enough.is_set()
    assert set(beats) == {worker.owner}


def test_an_idle_worker_ends_but_not_while_a_job_came_in_at_the_last_moment(
    store: Store, queue: Queue, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = toy_settings.model_copy(update={"worker_idle_seconds": 0.01})
    worker = Worker(store, queue, settings, toy.open_toy)
    late: list[int] = []
    real = queue.sign_off

    def sign_off(owner: str) -> bool:
        if not late:
            late.append(submit_words(queue, "toy", toy.TOPIC, "They are [Y]").id)
        return real(owner)

    monkeypatch.setattr(queue, "sign_off", sign_off)
    worker.run()
    assert queue.get(late[0]).state == "done"


@pytest.mark.parametrize("until_idle", [False, True])
def test_a_worker_that_stays_gets_ready_once_when_no_job_waits(
    store: Store, queue: Queue, toy_settings: Settings, until_idle: bool
) -> None:
    settings = toy_settings.model_copy(update={"worker_idle_seconds": 1.0})
    first = submit_words(queue, "toy", toy.TOPIC, "They are [Y]").id
    seen: list[str] = []

    def prepare() -> None:
        seen.append(queue.get(first).state)

    Worker(store, queue, settings, toy.open_toy, prepare=prepare).run(until_idle)
    assert seen == ([] if until_idle else ["done"])


def test_the_libraries_of_models_are_loaded_if_they_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def absent(name: str) -> None:
        asked.append(name)
        raise ImportError(name)

    monkeypatch.setattr("pcf_core.work.worker.import_module", absent)
    load_libraries()
    assert [find_spec(name) is not None for name in asked] == [True, True]


def test_a_worker_that_is_ready_has_what_saving_scores_loads() -> None:
    """Pyarrow loads it when first given numbers, which takes longer than to score some hundred cells."""
    script = (
        "import sys\nimport numpy as np\nfrom pcf_core.store.shards import encode\n"
        "from pcf_core.work.worker import load_libraries\nload_libraries()\nbefore = set(sys.modules)\n"
        "encode(['They are [Y]'], np.zeros((1, 2), np.float32))\n"
        "print('pandas' in before, 'pandas' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert answer.stdout.split() == ["True", "True"]


@pytest.mark.slow
def test_a_queue_that_fails_for_a_while_does_not_end_the_worker(
    store: Store, queue: Queue, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a job cannot be recorded, as on a full disk: it is given back and done again for free."""
    settings = toy_settings.model_copy(update={"worker_idle_seconds": 0.5})
    worker = Worker(store, queue, settings, toy.open_toy)
    run = toy.run_of()
    job = submit_run(store, queue, run, run.cells)
    real, failures = queue.finish, iter([True, True, False])

    def finish(job_id: int, result: object, owner: str | None = None) -> None:
        if next(failures):
            raise StoreError("The cache is full.")
        real(job_id, result, owner)

    monkeypatch.setattr(queue, "finish", finish)
    worker.run()
    assert queue.get(job.id).state == "done"
    assert queue.get(job.id).result == {"run": run.key, "cells": 24, "scored": 0}


def test_a_log_that_cannot_be_written_ends_nothing(
    toy_settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    """A folder that is full or has become read-only: here the log's name is that of a folder."""
    (toy_settings.cache / LOG_NAME).mkdir(parents=True)
    with logging_to(toy_settings):
        logging.getLogger("pcf_core.work").warning("what nobody will read")
    (toy_settings.cache / LOG_NAME).rmdir()
    (toy_settings.cache / LOG_NAME).symlink_to("/dev/full")
    with logging_to(toy_settings):
        logging.getLogger("pcf_core.work").warning("what nobody will read")
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("shown", [True, False])
def test_a_worker_reads_the_shipped_results_where_they_are_wanted(
    toy_settings: Settings, tmp_path: Path, shown: bool
) -> None:
    run = toy.run_of()
    score_run(run, Store.open(tmp_path / "cache"), toy.open_toy)
    wanted = {"cache": tmp_path / "own", "assets": tmp_path, "shipped_results": shown}
    worker = Worker.open(toy_settings.model_copy(update=wanted))
    assert bool(worker.store.runs()) is shown
    assert bool(worker.store.missing(run.scoring, run.prompts, toy.WORDS)) is not shown


def test_a_queued_run_is_scored_with_its_dtype(worker: Worker, store: Store, queue: Queue) -> None:
    run = toy.run_of(spec=toy.spec_of().model_copy(update={"dtype": "bfloat16"}))
    job = submit_run(store, queue, run, run.cells)
    words = submit_words(queue, "toy", toy.TOPIC, "They are [Y]", dtype="bfloat16")
    worker.run(until_idle=True)
    assert (queue.get(job.id).state, queue.get(words.id).state) == ("done", "done")
    assert list(worker._models) == [run.scoring.hash]


@pytest.mark.parametrize("changed", [{"models": Path("/data/models")}, {"device": "cuda:7"}])
def test_what_a_worker_of_other_settings_cannot_serve_it_hands_back_with_a_sentence(
    store: Store, queue: Queue, toy_settings: Settings, changed: dict[str, Any]
) -> None:
    """But for the device: there is one worker per GPU."""

    def unknown(spec: ModelSpec, protocol: str) -> Scorer:
        raise ModelError(f"There is no model named {spec.name!r}.")

    worker = Worker(store, queue, toy_settings.model_copy(update=changed), unknown)
    job = submit_words(queue, "toy", toy.TOPIC, "They are [Y]")
    worker.run(until_idle=True)
    error = queue.get(job.id).error or ""
    assert error.startswith("There is no model named 'toy'.")
    assert (f"({worker.owner}) was started with other settings than the app" in error) is (
        "models" in changed
    )


def test_runs_go_to_the_engine_and_sentences_stay_here(
    store: Store, queue: Queue, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    @contextmanager
    def cluster(engine: str, settings: Settings, here: object) -> Iterator[object]:
        asked.append(engine)
        yield toy.open_toy

    monkeypatch.setattr("pcf_core.work.scoring.scorers_of", cluster)
    run = toy.run_of()
    worker = Worker(store, queue, toy_settings.model_copy(update={"engine": "ray"}), toy.open_toy)
    job = submit_run(store, queue, run, run.cells)
    words = submit_words(queue, "toy", toy.TOPIC, "They are [Y]")
    worker.run(until_idle=True)
    assert (queue.get(job.id).state, queue.get(words.id).state) == ("done", "done")
    assert asked == ["ray"]
    assert len(worker._models) == 1


# ------------------------------------------------------------------------------- processes of their own


@contextmanager
def process(cache: Path, delay: float, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker that is killed at the end of the block, if it still runs."""
    command = [sys.executable, str(TOY), str(cache), str(delay), *options]
    started = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def scored(cache: Path) -> list[str]:
    log = cache / "scored.log"
    return log.read_text().splitlines() if log.exists() else []


def finished_prompts(store: Store, run: RunSpec) -> set[str]:
    missing = store.missing(run.scoring, run.prompts, toy.WORDS)
    return set(run.prompts) - {prompt for block in missing for prompt in block.prompts}


def test_kill_9_loses_no_finished_shard_and_scores_none_twice(
    store: Store, queue: Queue, toy_settings: Settings
) -> None:
    """A shard takes a second, so that each is saved once it is whole."""
    cache = toy_settings.cache
    run = toy.run_of(terms=10, templates=4)
    job = submit_run(store, queue, run, run.cells)
    finished: set[str] = set()
    lines = 0
    for enough in (2, 5):
        with process(cache, SAVE_SECONDS / 2) as worker:
            until(lambda: len(shards(cache)) >= enough)  # noqa: B023
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        assert queue.get(job.id).state == "running"
        assert finished.isdisjoint(scored(cache)[lines:])
        finished, lines = finished_prompts(store, run), len(scored(cache))
        assert 4 * (enough - 1) <= len(finished) < 40
    with process(cache, 0.0, "--until-idle") as worker:
        _, errors = worker.communicate(timeout=60)
        assert worker.returncode == 0, errors.decode()
    assert finished.isdisjoint(scored(cache)[lines:])
    assert set(scored(cache)) == set(run.prompts)
    done = queue.get(job.id)
    assert (done.state, done.done, done.total) == ("done", 40, 40)
    score_run(run, Store.open(cache.with_name("undisturbed")), toy.open_toy)
    assert shards(cache) == shards(cache.with_name("undisturbed"))


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_polite_signal_gives_the_job_back(
    store: Store, queue: Queue, toy_settings: Settings, number: signal.Signals
) -> None:
    run = toy.run_of()
    job = submit_run(store, queue, run, run.cells)
    with process(toy_settings.cache, 0.05) as worker:
        until(lambda: shards(toy_settings.cache))
        worker.send_signal(number)
        _, errors = worker.communicate(timeout=60)
        assert worker.returncode == 0, errors.decode()
    assert (queue.get(job.id).state, queue.workers()) == ("queued", ())


@pytest.mark.slow
def test_three_workers_share_the_queue_and_no_prompt_is_scored_twice(
    store: Store, queue: Queue, toy_settings: Settings
) -> None:
    runs = [toy.run_of(terms=6, spec=toy.spec_of(name)) for name in "abcdef"]
    jobs = [submit_run(store, queue, run, run.cells) for run in runs]
    cache = toy_settings.cache
    with (
        process(cache, 0.02, "--until-idle") as one,
        process(cache, 0.02, "--until-idle") as two,
        process(cache, 0.02, "--until-idle") as three,
    ):
        for worker in (one, two, three):
            _, errors = worker.communicate(timeout=120)
            assert worker.returncode == 0, errors.decode()
    assert {queue.get(job.id).state for job in jobs} == {"done"}
    assert Counter(scored(cache)) == Counter(prompt for run in runs for prompt in run.prompts)
