"""Names of processes, whether they still run, and signals that stop them."""

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
    """Name a process on this host: ``host:pid:start``, with the start because numbers are reused."""
    return f"{socket.gethostname()}:{pid}:{_start(pid) or UNKNOWN_START}"


def is_here(name: str) -> bool:
    """Return whether a named process runs, or ran, on this host."""
    host, *rest = name.rsplit(":", 2)
    return host == socket.gethostname() and len(rest) == 2 and rest[0].isdigit()


def is_running(name: str) -> bool:
    """Return whether a named process of this host still runs."""
    _, pid, start = name.rsplit(":", 2)
    return _start(int(pid)) == start


@contextmanager
def signals_to(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` on the first SIGTERM or SIGINT, then restore their handlers; only in the main thread."""
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
    """Make this process of :mod:`multiprocessing` ignore SIGTERM and SIGINT, and die with its parent.

    A terminal's signals reach the whole process group, and the parent decides.  On Linux the kernel kills
    this process with its parent, even in code that does not return to Python; elsewhere a thread watches the
    parent.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: None)  # unlike SIG_IGN, not inherited
    parent = multiprocessing.parent_process()
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent.pid:  # it has died already
        os._exit(1)


def _start(pid: int) -> str | None:
    """Return a process's start in clock ticks, a constant without ``/proc``; ``None`` if it has ended."""
    if not Path("/proc/self/stat").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return None
        except PermissionError:  # it exists, but is somebody else's
            return UNKNOWN_START
        return UNKNOWN_START
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *fields = text.rpartition(")")[2].split()  # the name before it may contain spaces
    return None if state in "ZX" else fields[18]
