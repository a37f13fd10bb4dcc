"""A cache that lasts for one run of a page's script, so that the whole page shows one state."""

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
    """Cache look-ups within this block; a nested block shares the cache."""
    if _ANSWERS.get() is not None:
        yield
        return
    token = _ANSWERS.set({})  # each run of a script has its own thread and context
    try:
        yield
    finally:
        _ANSWERS.reset(token)


def looked_up(look: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Call a function, or return its cached answer within :func:`request_cache`."""
    answers = _ANSWERS.get()
    if answers is None:
        return look(*given, **named)
    key = look, given, *named.items()
    if key not in answers:
        answers[key] = look(*given, **named)
    return answers[key]  # type: ignore[no-any-return]


def once_a_run(look: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's answers within :func:`request_cache`."""

    @wraps(look)
    def looked(*given: P.args, **named: P.kwargs) -> T:
        return looked_up(look, *given, **named)

    return looked


def look_again() -> None:
    """Empty the cache, because the page has changed something."""
    if answers := _ANSWERS.get():
        answers.clear()
