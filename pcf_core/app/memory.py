"""The app's memory on Linux: what work has freed goes back to the system.

Linux's C library keeps what was freed for later, in up to eight parts a core; each session runs in threads of
its own, which it gives different parts.  So an app that works out an interval in each of them holds the
memory of all those intervals for good.  Other C libraries have neither function, and nothing is done there.
"""

from __future__ import annotations

import ctypes
import sys

ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
PARTS = 2


def share_parts() -> None:
    """Let all threads share two parts of the memory; to be called before there are threads."""
    set_option = _of_libc("mallopt")
    if set_option is not None:
        set_option(ARENA_MAX, PARTS)


def give_back() -> None:
    """Give back what was freed, from the midst of the memory too; it takes well under a millisecond."""
    trim = _of_libc("malloc_trim")
    if trim is not None:
        trim(0)


def _of_libc(name: str) -> ctypes._NamedFuncPointer | None:
    """Return a function of the C library, ``None`` where it has no such one."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
