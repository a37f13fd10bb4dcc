"""Names of processes, and whether they still run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from pcf_core.work.processes import is_here, is_running, name_of, signals_to

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_this_process_runs_here() -> None:
    name = name_of(os.getpid())
    assert is_here(name)
    assert is_running(name)
    assert name == name_of(os.getpid())


def test_the_start_is_what_another_library_says() -> None:
    """Ticks since boot against psutil's seconds since boot, to a tenth of a second."""
    ticks = int(name_of(os.getpid()).rsplit(":", 1)[1])
    since_boot = psutil.Process().create_time() - psutil.boot_time()
    assert ticks / os.sysconf("SC_CLK_TCK") == pytest.approx(since_boot, abs=1.1)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_ended_process_does_not_run_even_as_a_zombie(number: signal.Signals) -> None:
    process = subprocess.Popen(SLEEPER)
    name = name_of(process.pid)
    assert is_running(name)
    process.send_signal(number)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended and nobody has asked for it yet
    assert not is_running(name)
    process.wait()
    assert not is_running(name)


def test_a_later_process_of_the_same_number_is_another() -> None:
    host, pid, start = name_of(os.getpid()).rsplit(":", 2)
    assert not is_running(f"{host}:{pid}:{int(start) - 1}")


@pytest.mark.parametrize("name", ["elsewhere:1:2", "me", "", "a:b"])
def test_other_hosts_and_other_names_are_not_here(name: str) -> None:
    assert not is_here(name)


def test_the_first_signal_asks_and_handlers_are_put_back() -> None:
    asked: list[bool] = []
    before = signal.getsignal(signal.SIGTERM)
    with signals_to(lambda: asked.append(True)):
        os.kill(os.getpid(), signal.SIGTERM)
        deadline = time.monotonic() + 5
        while not asked and time.monotonic() < deadline:
            time.sleep(0.01)
        assert signal.getsignal(signal.SIGTERM) == before
    assert asked == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_thread_goes_without_signals() -> None:
    entered: list[bool] = []

    def enter() -> None:
        with signals_to(lambda: None):
            entered.append(True)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [True]
