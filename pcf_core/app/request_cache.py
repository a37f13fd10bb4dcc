"""A cache that lasts for one run of a page's script.

A page asks dozens of times which runs, lists and models there are. Each is looked up once while the page is
drawn, so that the whole page shows one state, and again after the page itself has changed something.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_ANSWERS: ContextVar[dict[Hashable, Any] | None] = ContextVar("answers", default=None)


@contextmanager
def request_cache() -> Iterator[None]:
    """Look each thing up once within this block; a block inside another shares its answers."""
    if _ANSWERS.get() is not None:
        yield
        return
    token = _ANSWERS.set({})  # a run of a script has a thread, and so a context, of its own
    try:
        yield
    finally:
        _ANSWERS.reset(token)


def looked_up(look: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Return what a function answers, or has answered to the same question within :func:`request_cache`."""
    answers = _ANSWERS.get()
    if answers is None:
        return look(*given, **named)
    key = look, given, *named.items()
    if key not in answers:
        answers[key] = look(*given, **named)
    return answers[key]  # type: ignore[no-any-return]


def once_a_run(look: Callable[P, T]) -> Callable[P, T]:
    """Let a function look once within :func:`request_cache`, as :func:`looked_up` does."""

    @wraps(look)
    def looked(*given: P.args, **named: P.kwargs) -> T:
        return looked_up(look, *given, **named)

    return looked


def look_again() -> None:
    """Forget all answers: the page has changed something."""
    if answers := _ANSWERS.get():
        answers.clear()
