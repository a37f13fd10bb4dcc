"""One look a run: a page asks dozens of times which runs, lists and models there are, and sees one state.

What is looked up while a page is drawn is looked up once in that run of its script, and again after the page
itself has changed something.  Nothing is kept beyond the run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_LOOK = threading.local()  # a run of a script has a thread of its own


@contextmanager
def steady() -> Iterator[None]:
    """Look once at each thing within."""
    before = getattr(_LOOK, "found", None)
    _LOOK.found = {} if before is None else before
    try:
        yield
    finally:
        _LOOK.found = before


def looked_up(look: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Return what a function finds; of one that was asked the same in this run, what it found then."""
    found = getattr(_LOOK, "found", None)
    if found is None:
        return look(*given, **named)
    key = look, given, *named.items()
    if key not in found:
        found[key] = look(*given, **named)
    return found[key]  # type: ignore[no-any-return]


def look_again() -> None:
    """Forget what was found: the page has changed something."""
    if getattr(_LOOK, "found", None):
        _LOOK.found.clear()
