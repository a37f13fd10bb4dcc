"""The benchmark from press to figures: what it waits for, and that a real worker answers it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pytest

from benchmarks.press import (
    MOMENTS,
    SENTENCES,
    Seconds,
    follow,
    measure,
    median_of,
    own_run,
    press,
    probe,
    processor_seconds,
    worker,
)
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.work.queue import Job, Queue

HERE = psutil.Process(os.getpid())
LOADING: dict[str, Any] = {"stage": "loading", "done": 0, "total": 4, "unsaved": 0, "rate": 0.0} | {
    "seconds_left": None
}
SCORING = LOADING | {"stage": "scoring", "unsaved": 1, "rate": 2.0}
CHECKING = LOADING | {"stage": "checking", "done": 1, "rate": 2.0}


def job(state: str, result: dict[str, Any] | None = None, error: str | None = None) -> Job:
    now = datetime.now(UTC)
    known = {"key": "k", "priority": 0, "payload": {}, "done": 0, "total": 4, "rate": None, "owner": "w"}
    told = {"id": 1, "kind": "score", "submitter": "", "fingerprint": "", "state": state, "error": error}
    times = {"created": now, "started": now, "updated": now}
    return Job.model_validate({**known, **told, **times, "result": result})


def queue_of(jobs: Sequence[Job]) -> Queue:
    """A queue whose job is seen in these states, one look after another."""
    seen = iter(jobs)
    return cast(Queue, SimpleNamespace(get=lambda number: next(seen)))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (job("queued"), (False, False, False)),
        (job("running", LOADING), (False, False, False)),
        (job("running", SCORING | {"unsaved": 0, "rate": 0.0}), (False, False, False)),
        (job("running", SCORING), (True, False, False)),
        (job("running", CHECKING), (True, True, False)),
        (job("done", {"run": "k"}), (True, True, True)),
    ],
)
def test_a_moment_is_told_by_what_the_job_says(seen: Job, expected: tuple[bool, ...]) -> None:
    assert tuple(moment(seen) for moment in MOMENTS) == expected


def test_each_moment_is_when_it_was_first_seen() -> None:
    queue = queue_of([job("queued"), job("running", SCORING), job("running", CHECKING), job("done")])
    cells, results, checked = follow(queue, [job("queued")], HERE, time.perf_counter(), 0.0)
    assert 0 < cells.wall < results.wall < checked.wall
    assert 0 < cells.processor <= results.processor <= checked.processor


def test_what_failed_is_said() -> None:
    queue = queue_of([job("running", SCORING), job("failed", error="the model is gone")])
    with pytest.raises(RuntimeError, match="job score k is failed after 0 s: the model is gone"):
        follow(queue, [job("queued")], HERE, time.perf_counter(), 0.0)


def test_the_processor_time_of_children_counts() -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass\nprint(1, flush=True)\ninput()"
    before = processor_seconds(HERE)
    with subprocess.Popen([sys.executable, "-c", busy], stdin=-1, stdout=-1, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        spent = processor_seconds(HERE) - before
        child.communicate("\n")
    assert spent > 0.2  # without the child it is next to nothing


def test_runs_of_two_parts_have_no_cell_in_common() -> None:
    one, other = own_run("mini-gpt-s", 0), own_run("mini-gpt-s", 1)
    assert one.cells == other.cells == 400
    assert not set(one.prompts) & set(other.prompts)


@pytest.mark.usefixtures("fresh_cache")
def test_the_table_has_a_row_for_each_press(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a worker: what is pressed answers at once."""
    asked: list[str] = []

    def pressed(run: RunSpec, process: psutil.Process, begun: float | None = None) -> list[Seconds]:
        asked.append(run.topic.name)
        return [Seconds(n, n / 2) for n in (1, 2, 3)]

    monkeypatch.setattr("benchmarks.press.worker", lambda: nullcontext(HERE))
    monkeypatch.setattr("benchmarks.press.press", pressed)
    monkeypatch.setattr("benchmarks.press.probe", lambda *asked: Seconds(0.4, 0.2))
    measure("mini-gpt-s", "mini-gpt", ["mini-gpt-s"], size=2)
    said = capsys.readouterr().out
    assert said.count("1.0 (0.5)     2.0 (1.0)     3.0 (1.5)") == len(asked) == 7
    assert asked.count("gender") == 1
    assert "A sentence put to mini-gpt-s: 0.4 (0.2) s, then 0.4 (0.2) s" in said


def test_medians_are_taken_of_each_clock() -> None:
    assert median_of([Seconds(1, 9), Seconds(3, 7), Seconds(2, 8)]) == Seconds(2, 8)


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_THREADS", "1")
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("fresh_cache")
def test_a_real_worker_answers() -> None:
    begun = time.perf_counter()
    with worker() as process:
        cells, results, checked = press(own_run("mini-gpt-s", 0, size=3), process, begun)
        asked = probe(["mini-gpt-s", "mini-gpt"], SENTENCES[0], process)
    assert 0 < cells.wall <= results.wall <= checked.wall
    assert cells.processor > 0.5  # torch was loaded
    assert 0 < asked.processor < 600
    assert not psutil.pid_exists(process.pid)
