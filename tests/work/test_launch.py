"""Starting a worker: one, whoever asks, and with the same settings."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from pcf_core.core.errors import ScoringError
from pcf_core.core.settings import Settings
from pcf_core.work.launch import ensure_worker, worker_alive
from pcf_core.work.processes import name_of
from pcf_core.work.queue import Queue
from tests.work.toy import until

ASLEEP = """
import json, os, time
own = {name: value for name, value in os.environ.items() if name.startswith("PCF_")}
open(f"{os.environ['PCF_CACHE']}/started-{os.getpid()}", "w").write(json.dumps(own))
time.sleep(60)
"""
COMMAND = (sys.executable, "-c", ASLEEP)


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    """A cache; what was started for it is killed in the end."""
    made = Settings(
        cache=tmp_path / "cache", shard_prompts=77, models=tmp_path, endpoint_key=SecretStr("sk-1")
    )
    made.cache.mkdir()
    yield made
    for worker in Queue.open(made.cache / "catalogue.sqlite").workers():
        os.kill(int(worker.owner.rsplit(":", 2)[1]), signal.SIGKILL)


def started(settings: Settings) -> list[Path]:
    return list(settings.cache.glob("started-*"))


def wait_for_start(settings: Settings) -> Path:
    until(lambda: any(path.read_text() for path in started(settings)))
    return next(path for path in started(settings) if path.read_text())


def test_one_is_started_and_found_alive(settings: Settings) -> None:
    assert not worker_alive(settings)
    assert ensure_worker(settings, COMMAND)
    assert worker_alive(settings)
    assert not ensure_worker(settings, COMMAND)
    seen = json.loads(wait_for_start(settings).read_text())
    assert (seen["PCF_CACHE"], seen["PCF_SHARD_PROMPTS"]) == (str(settings.cache), "77")
    assert seen["PCF_ENDPOINT_KEY"] == "sk-1"
    assert len(started(settings)) == 1


def test_it_is_detached_from_the_app(settings: Settings) -> None:
    ensure_worker(settings, COMMAND)
    pid = int(wait_for_start(settings).name.removeprefix("started-"))
    assert os.getsid(pid) == pid != os.getsid(0)


def test_the_next_one_is_started_when_it_has_died(settings: Settings) -> None:
    ensure_worker(settings, COMMAND)
    pid = int(wait_for_start(settings).name.removeprefix("started-"))
    os.kill(pid, signal.SIGKILL)
    until(lambda: not worker_alive(settings))
    assert ensure_worker(settings, COMMAND)


def test_a_worker_of_other_settings_is_none_and_one_started_by_hand_is_any(settings: Settings) -> None:
    assert ensure_worker(settings, COMMAND)
    changed = settings.model_copy(update={"device": "cpu", "models": None})
    assert not worker_alive(changed)
    assert ensure_worker(changed, COMMAND)
    assert not ensure_worker(changed, COMMAND)
    assert not ensure_worker(settings, COMMAND)
    Queue.open(settings.catalogue).heartbeat(name_of(os.getppid()))
    assert not ensure_worker(settings.model_copy(update={"device": "split"}), COMMAND)
    Queue.open(settings.catalogue).leave(name_of(os.getppid()))


def test_the_operator_may_forbid_it(settings: Settings) -> None:
    assert not ensure_worker(settings.model_copy(update={"start_worker": False}), COMMAND)
    assert not worker_alive(settings)


def test_a_program_that_is_not_there_is_one_sentence(settings: Settings) -> None:
    with pytest.raises(ScoringError, match=r"No worker could be started .*python -m pcf_core worker"):
        ensure_worker(settings, ("/nowhere/python",))
    assert not worker_alive(settings)


def test_what_it_prints_goes_to_the_log(settings: Settings) -> None:
    ensure_worker(settings, (sys.executable, "-c", "print('hello from the worker')"))
    until(lambda: "hello from the worker" in (settings.cache / "worker.log").read_text())


def ask(cache: Path, ready: Any, answers: Any) -> None:
    ready.wait()
    answers.put(ensure_worker(Settings(cache=cache), COMMAND))
    time.sleep(5)  # a child that ended with its parent's test would not be a worker


def test_of_several_apps_at_once_one_starts_it(settings: Settings) -> None:
    context = multiprocessing.get_context("spawn")
    ready, answers = context.Barrier(3), context.Queue()
    apps = [context.Process(target=ask, args=(settings.cache, ready, answers)) for _ in range(3)]
    for app in apps:
        app.start()
    assert sorted(answers.get(timeout=60) for _ in apps) == [False, False, True]
    for app in apps:
        app.kill()
        app.join()
    assert worker_alive(Settings(cache=settings.cache))
    wait_for_start(settings)
    assert len(started(settings)) == 1
