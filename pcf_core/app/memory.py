"""Return freed memory to Linux.

The C library keeps freed memory in up to eight arenas per core and gives the threads of different sessions
different ones, so that memory would grow with the sessions.  Nothing is done with other C libraries.
"""

from __future__ import annotations

import ctypes
import sys

ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
PARTS = 2


def share_parts() -> None:
    """Limit all threads to two arenas; to be called before there are threads."""
    set_option = _of_libc("mallopt")
    if set_option is not None:
        set_option(ARENA_MAX, PARTS)


def give_back() -> None:
    """Return freed memory to the system; this takes well under a millisecond."""
    trim = _of_libc("malloc_trim")
    if trim is not None:
        trim(0)


def _of_libc(name: str) -> ctypes._NamedFuncPointer | None:
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
