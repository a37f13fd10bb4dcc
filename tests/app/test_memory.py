"""The app's memory: what was freed is the system's again, and all threads share one arena."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

from pcf_core.app.memory import give_back

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other allocators")
# Eight threads take memory at once; the C library tells how many arenas it has.
EIGHT_THREADS = """
import ctypes, threading
from pcf_core.app.memory import use_one_arena
{first}
together = threading.Barrier(8)
def work():
    pieces = [bytes(5000) for _ in range(100)]
    together.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
told = ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w"))
libc.malloc_info(0, told)
libc.fclose(told)
"""


def resident() -> float:
    """Bytes of this process that are in memory."""
    return float(psutil.Process().memory_info().rss)


def test_what_was_freed_is_the_systems_again() -> None:
    """50 MB in pieces that the allocator keeps by itself, as a last one stands behind them."""
    pieces = [b"x" * 100_000 for _ in range(500)]
    last = b"x" * 100_000
    held = resident()
    pieces.clear()
    give_back()
    assert resident() < held - 30e6
    assert len(last) == 100_000


@pytest.mark.parametrize(("first", "arenas"), [("use_one_arena()", {1}), ("", set(range(3, 10)))])
def test_threads_share_one_arena(first: str, arenas: set[int]) -> None:
    command = [sys.executable, "-c", EIGHT_THREADS.format(first=first)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "<heap nr" not in output:
        pytest.skip("another C library")
    assert output.count("<heap nr") in arenas
