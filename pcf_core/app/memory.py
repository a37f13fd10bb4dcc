"""Return freed memory to Linux.

The C library gives the first threads an arena each, up to eight per core, and never returns the free end of
any but the first, so that memory would grow with the sessions.  Nothing is done with other C libraries.
"""

from __future__ import annotations

import ctypes
import sys

ARENA_MAX = -8  # M_ARENA_MAX of malloc.h


def use_one_arena() -> None:
    """Limit all threads to one arena; to be called before any library starts a thread."""
    set_option = _of_libc("mallopt")
    if set_option is not None:
        set_option(ARENA_MAX, 1)


def give_back() -> None:
    """Return freed memory to the system; this takes well under a millisecond."""
    trim = _of_libc("malloc_trim")
    if trim is not None:
        trim(0)


def _of_libc(name: str) -> ctypes._NamedFuncPointer | None:
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
