"""Processes: their names, whether they still run, and how they are told to stop."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

UNKNOWN_START = "0"


def name_of(pid: int) -> str:
    """``host:pid:start`` of a running process on this host.

    ``start`` counts clock ticks since boot: a later process of the same number has another name.
    """
    return f"{socket.gethostname()}:{pid}:{_start(pid) or UNKNOWN_START}"


def is_here(name: str) -> bool:
    """Whether the process runs, or ran, on this host."""
    host, *rest = name.rsplit(":", 2)
    return host == socket.gethostname() and len(rest) == 2 and rest[0].isdigit()


def is_running(name: str) -> bool:
    """Whether a process of this host is still the one that was named, and not ended."""
    _, pid, start = name.rsplit(":", 2)
    return _start(int(pid)) == start


@contextmanager
def signals_to(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and SIGINT call ``stop`` the first time, then do what they did; the main thread hears them."""
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


def _start(pid: int) -> str | None:
    """When the process began, in clock ticks since boot: no change of the clock moves it.

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
