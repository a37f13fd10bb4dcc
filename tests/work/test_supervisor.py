"""The supervisor, with processes of their own: what does not hear is ended, what waits behind is served."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from pcf_core.core.settings import ROOT, Settings, settings
from pcf_core.store.store import Store
from pcf_core.work import supervisor
from pcf_core.work.launch import LOG_NAME, ensure_worker
from pcf_core.work.queue import Job, Queue
from pcf_core.work.requests import submit_run, submit_words
from pcf_core.work.supervisor import Supervisor
from tests.work import toy
from tests.work.supervised import NEVER
from tests.work.toy import until

PROGRAM = Path(__file__).with_name("supervised.py")
STALL = 5  # seconds
Submit = Callable[[str], Job]


@pytest.fixture
def cache(toy_settings: Settings) -> Path:
    return toy_settings.cache


@pytest.fixture
def submit(store: Store, queue: Queue) -> Submit:
    """Queue a run of 24 cells by the model of a name."""

    def submitted(name: str) -> Job:
        run = toy.run_of(spec=toy.spec_of(name))
        return submit_run(store, queue, run, run.cells)

    return submitted


@contextmanager
def supervised(
    cache: Path, *options: str, stall: float = NEVER, hear: float = NEVER
) -> Iterator[subprocess.Popen[bytes]]:
    """The program, which is killed at the end of the block with what it has started, if it still runs."""
    command = [sys.executable, str(PROGRAM), str(cache), str(stall), str(hear), *options]
    started = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def opened(cache: Path) -> list[str]:
    """The names of the models that were opened, in order."""
    log = cache / "opened.log"
    return [line.split()[1] for line in log.read_text().splitlines()] if log.exists() else []


def at_work(cache: Path) -> int:
    """The process that opened the last model."""
    return int((cache / "opened.log").read_text().splitlines()[-1].split()[0])


def ended(worker: subprocess.Popen[bytes], seconds: float = 120) -> None:
    _, errors = worker.communicate(timeout=seconds)
    assert worker.returncode == 0, errors.decode()


class Played:
    """A process as a supervisor sees it, which runs until it is killed, or has ended with an exit code."""

    pid = 4711

    def __init__(self, exitcode: int | None = None) -> None:
        self.exitcode = exitcode

    def is_alive(self) -> bool:
        return self.exitcode is None

    def kill(self) -> None:
        self.exitcode = -signal.SIGKILL

    def join(self) -> None:
        """It has ended."""


@pytest.fixture
def impatient(toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Supervisor:
    """A supervisor that waits a tenth of a second for a word, and a fifth for a job that does not move."""
    monkeypatch.setattr(supervisor, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(supervisor, "HEAR_SECONDS", 0.1)
    return Supervisor(toy_settings.model_copy(update={"stall_seconds": 0.2}))


@pytest.mark.parametrize(
    ("exitcode", "at", "begun", "died", "again", "code"),
    [
        (0, None, True, False, False, 0),  # the queue was empty for a while
        (1, None, False, False, False, 1),  # the cache cannot be used
        (0, 7, True, True, True, 0),
        (2, 7, True, True, True, 0),
        (-signal.SIGKILL, 7, True, True, True, 0),
        (-signal.SIGKILL, None, True, True, True, 0),
        (-signal.SIGKILL, None, False, True, False, 1),  # it would die so again and again
    ],
)
def test_what_ends_a_process_says_whether_it_is_a_death_and_another_follows(
    impatient: Supervisor,
    monkeypatch: pytest.MonkeyPatch,
    exitcode: int,
    at: int | None,
    begun: bool,
    died: bool,
    again: bool,
    code: int,
) -> None:
    deaths: list[str] = []
    monkeypatch.setattr(impatient.queue, "died", deaths.append)
    assert impatient._ended(Played(exitcode), at, begun) is again
    assert deaths == [impatient.owner] * died
    assert impatient._code == code


@pytest.mark.parametrize(
    ("unheard", "state"), [("", "failed"), ("a cancel", "cancelled"), ("a stop", "queued")]
)
def test_a_process_that_does_not_hear_is_killed_and_its_job_is_given_up(
    unheard: str, state: str, impatient: Supervisor, submit: Submit, queue: Queue
) -> None:
    job = submit("endless")
    assert queue.claim(impatient.owner) is not None
    if unheard == "a cancel":
        queue.cancel(job.id)
    elif unheard == "a stop":
        impatient.stop()
    process, (here, there) = Played(), multiprocessing.Pipe()
    with here, there:
        there.send(job.id)
        assert impatient._watch(process, here)
        assert there.poll() is (unheard == "a stop"), "a stop alone is told"
    assert process.exitcode == -signal.SIGKILL
    found = queue.get(job.id)
    assert found.state == state
    assert ("PCF_STALL_SECONDS" in str(found.error)) is (state == "failed")


@pytest.mark.slow
def test_what_does_not_move_is_ended_and_the_next_job_is_served(
    cache: Path, submit: Submit, queue: Queue
) -> None:
    names = ["endless-load", "endless-batch", "honest"]
    *hostile, honest = [submit(name) for name in names]
    with supervised(cache, "--until-idle", stall=STALL) as worker:
        ended(worker)
    stalled = f"The job made no progress for {STALL} seconds (PCF_STALL_SECONDS)"
    for job in hostile:
        assert queue.get(job.id).state == "failed"
        assert stalled in str(queue.get(job.id).error)
    assert (queue.get(honest.id).state, queue.get(honest.id).done) == ("done", 24)
    assert opened(cache) == names, "none was loaded twice"
    assert queue.workers() == ()
    assert (cache / LOG_NAME).read_text().count("was killed. The job made no progress") == 2


@pytest.mark.slow
def test_slow_work_that_moves_goes_on(cache: Path, submit: Submit, queue: Queue) -> None:
    """Twelve batches and an audit, each within the time that a stall takes, are longer than it together."""
    slow = submit("slow")
    began = time.monotonic()
    with supervised(cache, "--until-idle", stall=STALL) as worker:
        ended(worker)
    assert time.monotonic() - began > STALL
    assert queue.get(slow.id).state == "done"


@pytest.mark.slow
def test_a_cancel_that_is_not_heard_ends_the_process(cache: Path, submit: Submit, queue: Queue) -> None:
    hostile, honest = submit("endless-load"), submit("honest")
    with supervised(cache, "--until-idle", hear=1) as worker:
        until(lambda: opened(cache))
        queue.cancel(hostile.id)
        until(lambda: queue.get(hostile.id).state == "cancelled", seconds=15)
        ended(worker)
    assert queue.get(honest.id).state == "done"
    assert opened(cache) == ["endless-load", "honest"]


@pytest.mark.slow
def test_a_cancel_that_is_heard_keeps_the_process_and_its_models(
    cache: Path, submit: Submit, queue: Queue
) -> None:
    job = submit("slow")
    with supervised(cache, hear=60) as worker:
        until(lambda: queue.get(job.id).done)
        queue.cancel(job.id)
        until(lambda: queue.get(job.id).state == "cancelled", seconds=30)
        sentence = submit_words(queue, "slow", toy.TOPIC, "They are [Y]")
        until(lambda: queue.get(sentence.id).state == "done")
        queue.retry(job.id)
        until(lambda: queue.get(job.id).state == "done")
        worker.terminate()
        ended(worker)
    assert opened(cache) == ["slow"], "loaded once"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_promptly_though_its_process_hears_nothing(
    number: signal.Signals, cache: Path, submit: Submit, queue: Queue
) -> None:
    hostile = submit("endless-load")
    with supervised(cache, hear=1) as worker:
        until(lambda: opened(cache))
        process = psutil.Process(at_work(cache))
        worker.send_signal(number)
        ended(worker, seconds=20)
        assert not process.is_running()
    assert (queue.get(hostile.id).state, queue.workers()) == ("queued", ())


@pytest.mark.slow
def test_a_signal_to_all_of_a_group_ends_the_process_after_its_batch(
    cache: Path, submit: Submit, queue: Queue
) -> None:
    """As a service manager sends it: the process hears it from its supervisor, and not twice."""
    slow = submit("slow")
    with supervised(cache) as worker:
        until(lambda: queue.get(slow.id).done)
        os.killpg(worker.pid, signal.SIGTERM)
        ended(worker)
    assert (cache / "left.log").read_text() == str(at_work(cache))
    assert (queue.get(slow.id).state, queue.workers()) == ("queued", ())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "endless-load",
        pytest.param("deaf-load", marks=pytest.mark.skipif(sys.platform != "linux", reason="the kernel's")),
    ],
)
def test_its_process_does_not_outlive_it(name: str, cache: Path, submit: Submit, queue: Queue) -> None:
    hostile = submit(name)
    with supervised(cache) as worker:
        until(lambda: opened(cache))
        process = psutil.Process(at_work(cache))
        worker.kill()
        worker.wait()
        process.wait(timeout=20)
    assert queue.workers() == ()
    queue.requeue_dead()
    assert queue.get(hostile.id).state == "queued"


@pytest.mark.slow
def test_a_process_that_dies_is_replaced_and_three_deaths_end_the_job(
    cache: Path, submit: Submit, queue: Queue
) -> None:
    deadly, honest = submit("endless-load"), submit("honest")
    with supervised(cache, "--until-idle") as worker:
        for deaths in (1, 2, 3):
            until(lambda: opened(cache).count("endless-load") == deaths)  # noqa: B023
            os.kill(at_work(cache), signal.SIGKILL)
        ended(worker)
    assert "3 workers ended while they loaded the model" in str(queue.get(deadly.id).error)
    assert queue.get(honest.id).state == "done"
    assert opened(cache) == ["endless-load"] * 3 + ["honest"]


@pytest.mark.slow
def test_a_process_that_ends_at_a_job_has_died_however_it_ends(
    cache: Path, submit: Submit, queue: Queue
) -> None:
    """A panic of a library in Rust, a BaseException, took every worker with it, and no death was counted.

    One death of each job is recorded beforehand: that two processes must follow shows that each counts once.
    """
    names = ["exits", "exits-well", "leaves", "panics", "panics-batch"]
    deadly: list[int] = []
    for name in names:
        job = submit(name)
        assert queue.claim("another", passed_over=deadly) is not None
        if name == "panics-batch":
            queue.begin(job.id)
        queue.died("another")
        deadly.append(job.id)
    queue.leave("another")
    honest = submit("honest")
    with supervised(cache, "--until-idle") as worker:
        ended(worker, seconds=240)
    for name, number in zip(names, deadly, strict=True):
        when = "worked on this job" if name == "panics-batch" else "loaded the model"
        assert f"3 workers ended while they {when}" in str(queue.get(number).error), name
    assert queue.get(honest.id).state == "done"
    assert opened(cache) == [name for name in names for _ in range(2)] + ["honest"]
    assert (cache / LOG_NAME).read_text().count("Panic: index out of bounds") == 4


@pytest.mark.slow
def test_a_job_that_is_submitted_while_it_signs_off_is_served(
    cache: Path, submit: Submit, queue: Queue
) -> None:
    """Who sees a worker that is alive starts no other: so this one must not leave."""
    with supervised(cache, "--until-idle") as worker:
        until(lambda: queue.workers() or worker.poll() is not None)
        job = submit("honest") if queue.workers() else None
        ended(worker)
    assert queue.get(job.id).state == "done"


@pytest.mark.slow
def test_it_ends_where_the_catalogue_is_replaced_before_its_process_opens_it(
    cache: Path, queue: Queue
) -> None:
    """The process would work in the new catalogue, and the old one call each of its jobs cancelled."""
    with supervised(cache, hear=0.5) as worker:
        until(queue.workers)
        for file in cache.glob("catalogue.sqlite*"):
            file.unlink()
        run = toy.run_of(spec=toy.spec_of("slow"))
        new = Queue.open(cache / "catalogue.sqlite")
        job = submit_run(Store.open(cache), new, run, run.cells)
        ended(worker, seconds=60)
    assert (new.get(job.id).state, new.workers()) == ("queued", ())


def start(cache: Path, threads: int) -> Settings:
    """What an app with a number of threads does: it starts a worker unless one of its settings is alive."""
    own = Settings(cache=cache, shard_prompts=4, threads=threads)
    command = (sys.executable, str(PROGRAM), str(cache), str(NEVER), str(NEVER))
    assert ensure_worker(own, command)
    return own


@pytest.fixture
def asking(toy_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Settings], None]]:
    """Ask as an app with some settings; the workers that were started are killed in the end."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def ask(own: Settings) -> None:
        for name, value in own.environment.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()

    yield ask
    for worker in Queue.open(toy_settings.catalogue).workers():
        os.kill(int(worker.owner.rsplit(":", 2)[1]), signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_of_other_settings_is_replaced_when_it_is_idle(
    cache: Path, submit: Submit, queue: Queue, asking: Callable[[Settings], None]
) -> None:
    before = start(cache, threads=1)
    asking(before)
    slow = submit("slow")
    until(lambda: queue.get(slow.id).done)
    stale = queue.get(slow.id).owner
    after = start(cache, threads=2)
    asking(after)
    new = submit("honest")
    until(lambda: queue.get(slow.id).state == "done")
    assert queue.get(new.id).state == "queued", "it is none of the old worker's"
    until(lambda: queue.get(new.id).state == "done")
    assert [worker.fingerprint for worker in queue.workers()] == [after.fingerprint]
    assert stale not in [worker.owner for worker in queue.workers()]


@pytest.mark.slow
def test_a_cache_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    command = [sys.executable, "-m", "pcf_core", "worker", "--until-idle"]
    environment = {**os.environ, "PCF_CACHE": str(tmp_path / "cache")}
    told = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (1, "")
    assert len(told.stderr.splitlines()) == 1
    assert "cannot be used" in told.stderr or "cannot be written" in told.stderr
