"""Processes that count: the same counts whatever their number, whatever dies, and none is left behind."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest

from pcf_core.core.errors import PipelineError, ScoringError
from pcf_core.core.settings import ROOT
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.counting import TextBlock
from pcf_core.mining.pool import Opened, Processes, _Member, serve
from tests.mining.fakes import (
    FakeCorpus,
    Here,
    corpus_of,
    failing_counter,
    fake_counter,
    lost_while_opening,
    mine_fake,
    unopened,
)
from tests.mining.test_miner import Stop, without_time


def until(happened: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def minings() -> set[int]:
    """Processes below this one that count blocks."""
    return {child.pid for child in psutil.Process().children(recursive=True) if spawned(child)}


def spawned(process: psutil.Process) -> bool:
    """A child that has ended and was not waited for, of whatever test, is no process any more."""
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def with_sentence(text: str, at: int = 12) -> FakeCorpus:
    """A corpus with one document of another text."""
    held = list(corpus_of(25).held)
    held[at] = Document(id="odd", title="", text=text, source="books")
    return FakeCorpus(tuple(held))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_processes_gives_the_same(tmp_path: Path, workers: int) -> None:
    corpus = corpus_of(40)
    with Processes(fake_counter, workers) as processes:
        assert processes.open() == Opened("fake", "1")
        mined = mine_fake(tmp_path / "several", corpus, processes)
        assert len(minings()) == workers
    assert not minings()
    alone = mine_fake(tmp_path / "one", corpus, Here(fake_counter()))
    assert without_time(mined) == without_time(alone)


@pytest.mark.slow
def test_blocks_are_read_as_they_are_needed(tmp_path: Path) -> None:
    """What is in memory does not grow with the corpus: two processes are four blocks behind the reader."""
    corpus = corpus_of(200)
    behind: list[int] = []
    with Processes(fake_counter, 2) as processes:
        mine_fake(
            tmp_path,
            corpus,
            processes,
            on_progress=lambda so_far: behind.append(corpus.read - so_far.documents),
        )
    assert len(behind) > 20
    assert max(behind) <= 2 * (2 + 2)  # two documents a block


@pytest.mark.parametrize("times", [1, 2])
def test_a_block_whose_process_dies_is_counted_by_another(tmp_path: Path, times: int) -> None:
    corpus = with_sentence("Ann said that she will CRASH.")
    (tmp_path / "crashes").mkdir()
    with Processes(partial(failing_counter, tmp_path / "crashes", times), 2) as processes:
        mined = mine_fake(tmp_path, corpus, processes)
    assert len(list((tmp_path / "crashes").iterdir())) == times
    alone = mine_fake(tmp_path / "one", corpus, Here(fake_counter()))
    assert without_time(mined) == without_time(alone)


@pytest.mark.slow
def test_a_block_that_ends_process_after_process_is_named(tmp_path: Path) -> None:
    corpus = with_sentence("Ann said that she will CRASH.")
    (tmp_path / "crashes").mkdir()
    with (
        Processes(partial(failing_counter, tmp_path / "crashes", 9), 1) as processes,
        pytest.raises(ScoringError, match=r"3 mining processes .* 'odd' to '.*' \(exit code 7\).* are kept"),
    ):
        mine_fake(tmp_path, corpus, processes)
    here = Here(fake_counter())
    mine_fake(tmp_path, corpus, here)
    assert min(here.counted) > 0


class Dead:
    """A process that has ended with exit code 7."""

    exitcode = 7

    def kill(self) -> None: ...

    def join(self) -> None: ...


@pytest.mark.parametrize(
    ("opens", "says"),
    [
        (True, r"3 mining processes ended while reading the documents 'doc 0' to 'doc 1' \(exit code 7\)"),
        (False, r"3 mining processes ended before they had loaded the parser \(exit code 7\)"),
    ],
)
def test_the_third_process_that_ends_at_the_same_ends_the_mining(
    opens: bool, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    def start(recipe: object) -> _Member:
        here, there = multiprocessing.Pipe()
        if opens:
            there.send(Opened("fake", "1"))
        there.close()
        started.append(recipe)
        return _Member(Dead(), here)  # type: ignore[arg-type]

    monkeypatch.setattr("pcf_core.mining.pool._start", start)
    documents = tuple(Document(id=f"doc {place}", title="", text="", source="") for place in range(2))
    with Processes(fake_counter, 1) as processes, pytest.raises(ScoringError, match=says):
        list(processes.count(iter([TextBlock(0, documents, 0)]), lambda: None))
    assert len(started) == 3


@pytest.mark.slow
def test_processes_that_are_killed_are_replaced(tmp_path: Path) -> None:
    """As the system does when memory runs out; one is killed after every tenth block."""
    corpus = corpus_of(60)
    ended: list[int] = []

    def kill_one(_: object) -> None:
        ended.append(0)
        if len(ended) % 10 == 0:
            os.kill(min(minings()), signal.SIGKILL)

    with Processes(partial(fake_counter, 0.001), 2) as processes:
        mined = mine_fake(tmp_path, corpus, processes, on_progress=kill_one)
    assert len(ended) >= 20
    alone = mine_fake(tmp_path / "one", corpus, Here(fake_counter()))
    assert without_time(mined) == without_time(alone)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        (
            "Ann said that she is a BUG.",
            ScoringError,
            "Mining failed with an unexpected error: ValueError: a bug",
        ),
        ("Ann said that she is REFUSED.", PipelineError, "The parser refuses this"),
    ],
)
def test_an_error_in_a_process_is_raised_here(
    tmp_path: Path, text: str, error: type[Exception], says: str
) -> None:
    with (
        Processes(partial(failing_counter, tmp_path, 0), 2) as processes,
        pytest.raises(error, match=says),
    ):
        mine_fake(tmp_path, with_sentence(text), processes)
    assert not minings()


@pytest.mark.slow
def test_a_parser_that_cannot_be_opened_is_said_before_anything_is_read(tmp_path: Path) -> None:
    with Processes(unopened, 2) as processes, pytest.raises(PipelineError, match="no such parser"):
        mine_fake(tmp_path, corpus_of(5), processes)
    with (
        Processes(lost_while_opening, 2) as processes,
        pytest.raises(ScoringError, match=r"before they had loaded the parser \(exit code 7\)"),
    ):
        mine_fake(tmp_path, corpus_of(5), processes)


@pytest.mark.slow
def test_a_stop_ends_all_processes_within_a_poll(tmp_path: Path) -> None:
    asked = threading.Event()

    def pause() -> None:
        if asked.is_set():
            raise Stop

    with Processes(partial(fake_counter, 5.0), 2) as processes:
        processes.open()
        threading.Timer(0.3, asked.set).start()
        began = time.monotonic()
        with pytest.raises(Stop):
            mine_fake(tmp_path, corpus_of(25), processes, pause=pause)
    assert not minings()
    assert time.monotonic() - began < 5


# ------------------------------------------------------------------------------- a process of its own


@contextmanager
def mining(folder: Path, documents: int, delay: float) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.mining.fakes", str(folder), str(documents), str(delay)]
    started = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def blocks_done(folder: Path) -> int:
    for path in (folder / "mining").glob("*.sqlite"):
        connection = sqlite3.connect(path, timeout=30)
        try:
            return int(connection.execute("SELECT count(*) FROM blocks").fetchone()[0])
        except sqlite3.OperationalError:  # its tables are not there yet
            return 0
        finally:
            connection.close()
    return 0


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_and_nothing_counts_twice(tmp_path: Path) -> None:
    """Three kills, each some blocks further and some milliseconds later; no process survives its parent."""
    chance = random.Random(4)
    corpus = corpus_of(150)
    done = 0
    for _ in range(3):
        with mining(tmp_path, 150, 0.003) as process:
            until(lambda: blocks_done(tmp_path) >= done + 5)  # noqa: B023
            time.sleep(chance.random() * 0.05)
            children = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGKILL)
            process.wait()
            _, alive = psutil.wait_procs(children, timeout=10)
            assert not alive
        assert done + 5 <= blocks_done(tmp_path) < 50
        done = blocks_done(tmp_path)
    here = Here(fake_counter())
    mined = mine_fake(tmp_path, corpus, here)
    assert len(here.counted) > 0
    assert min(here.counted) >= done - 5  # all before were kept, but for those at work
    alone = mine_fake(tmp_path / "one", corpus, Here(fake_counter()))
    assert without_time(mined) == without_time(alone)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_leaves_nobody_and_no_noise_of_the_processes(
    tmp_path: Path, number: signal.Signals
) -> None:
    """As Ctrl-C in a terminal: the whole group hears it."""
    command = [sys.executable, "-m", "tests.mining.fakes", str(tmp_path), "150", "0.003"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True)
    until(lambda: blocks_done(tmp_path) >= 5)
    children = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == -number
    assert errors.decode().count("Traceback") <= (number == signal.SIGINT)
    assert not psutil.wait_procs(children, timeout=10)[1]


def test_a_process_whose_asker_has_gone_ends_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    """It had an answer that nobody read: the system then says that the connection was reset."""
    here, there = multiprocessing.Pipe()
    life = threading.Thread(target=serve, args=(fake_counter, there))
    life.start()
    until(here.poll)
    here.close()
    life.join(10)
    assert not life.is_alive()
    assert not caplog.records
