"""Processes: their names, whether they still run, and how they are told to stop."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

UNKNOWN_START = "0"
SET_PARENT_DEATH_SIGNAL = 1  # prctl(2), PR_SET_PDEATHSIG


def name_of(pid: int) -> str:
    """Name a running process on this host: ``host:pid:start``.

    ``start`` counts clock ticks since boot: a later process of the same number has another name.
    """
    return f"{socket.gethostname()}:{pid}:{_start(pid) or UNKNOWN_START}"


def is_here(name: str) -> bool:
    """Tell whether the process runs, or ran, on this host."""
    host, *rest = name.rsplit(":", 2)
    return host == socket.gethostname() and len(rest) == 2 and rest[0].isdigit()


def is_running(name: str) -> bool:
    """Tell whether a process of this host is still the one that was named, and not ended."""
    _, pid, start = name.rsplit(":", 2)
    return _start(int(pid)) == start


@contextmanager
def signals_to(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` on the first SIGTERM or SIGINT, then restore what they did; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(number, before[signal.Signals(number)])
        stop()

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_signals_to_parent() -> None:
    """Have this process of :mod:`multiprocessing` hear no SIGTERM and no SIGINT, and die with its parent.

    Signals to a group of processes, as a terminal or a service manager sends them, come to the parent as
    well, which passes on what they mean.  That the parent has died the kernel tells where it can (Linux),
    also a process whose code does not come back to Python; elsewhere who waits for it has to look.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: None)  # unlike SIG_IGN, not handed to what it starts
    parent = multiprocessing.parent_process()
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent.pid:  # it died before that
        os._exit(1)


def _start(pid: int) -> str | None:
    """Return when the process began, in clock ticks since boot: no change of the clock moves it.

    ``None`` where it has ended.  Systems without ``/proc`` give a constant while the number is in use.
    """
    if not Path("/proc/self/stat").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return None
        except PermissionError:  # it is somebody else's, but it is there
            return UNKNOWN_START
        return UNKNOWN_START
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *fields = text.rpartition(")")[2].split()  # the name before it may hold spaces
    return None if state in "ZX" else fields[18]
