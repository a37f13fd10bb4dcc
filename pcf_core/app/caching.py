"""Caches shared by all visitors: results of functions, the store and the queue.

The key is made of all arguments and the ``state`` of :func:`kept`, so functions that could depend on more are
refused: nested functions, methods, and functions with an argument that Streamlit leaves out of its key.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache, partial, wraps
from pathlib import PurePath
from types import FunctionType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numpy as np
import streamlit as st
from pydantic import BaseModel

from pcf_core.app.memory import give_back
from pcf_core.app.roles import person
from pcf_core.audit.results import Report
from pcf_core.core.records import Record
from pcf_core.core.settings import settings
from pcf_core.store.files import takes_files
from pcf_core.store.store import Store

if TYPE_CHECKING:
    from pcf_core.work.queue import Queue

P = ParamSpec("P")
T = TypeVar("T")
SLOTS = 32  # cached results per function, the latest ones
_KEPT: dict[Callable[..., Any], Callable[..., Any]] = {}
_WRITTEN = "_written_as"  # attribute of a long record: its text in keys
LONG = 200  # characters; a longer record is replaced by its hash, computed once


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call, and what else its result depends on."""

    given: tuple[object, ...]
    named: dict[str, object]
    state: object = None


def key_of(*values: object) -> str:
    """Return a cache key of all values; a report counts by its view key."""
    return _hash(_written(values))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf8", "surrogatepass")).hexdigest()


def _written(value: object) -> str:
    """Write a value as text that no other value has; arrays in full, where Streamlit takes a sample."""
    match value:
        case None | bool() | int() | float() | str() | bytes() | Enum() | np.generic() | date() | PurePath():
            return repr(value)
        case Report():
            return f"Report {value.view_key}"
        case tuple() | list():
            return f"{_name_of(type(value))}({','.join(map(_written, value))})"
        case Mapping():
            return f"{{{','.join(f'{_written(name)}:{_written(one)}' for name, one in value.items())}}}"
        case set() | frozenset():
            return f"set({','.join(sorted(map(_written, value)))})"
        case np.ndarray() if value.dtype != object:
            return f"array({value.dtype.str},{value.shape},{hashlib.sha256(value.tobytes()).hexdigest()})"
        case partial():
            return f"partial({_written(value.func)},{_written(value.args)},{_written(value.keywords)})"
        case type():
            return _name_of(value)
        case FunctionType():
            return _name_of(_of_a_module(value))
        case _:
            return _record_written(value)


def _record_written(value: Any) -> str:
    """Write the fields of a record; a long frozen one as a hash, computed once."""
    beside = getattr(value, "__dict__", {})
    if _WRITTEN in beside:
        return str(beside[_WRITTEN])
    kind: type = type(value)
    names = _field_names(kind)
    if not names:  # a table
        return f"{_name_of(kind)} {hashlib.sha256(pickle.dumps(value)).hexdigest()}"
    text = f"{_name_of(kind)}({','.join(_written(getattr(value, name)) for name in names)})"
    if len(text) > LONG and _never_changes(kind):
        text = beside[_WRITTEN] = f"{_name_of(kind)} {_hash(text)}"
    return text


def _name_of(named: type | FunctionType) -> str:
    return f"{named.__module__}.{named.__qualname__}"


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    if issubclass(kind, BaseModel):
        return tuple(kind.model_fields)
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _never_changes(kind: type) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    return issubclass(kind, Record) or (parameters is not None and bool(parameters.frozen))


HASHES: dict[str | type[Any], Callable[[Any], Any]] = {Arguments: key_of}


def kept(
    slots: int = SLOTS, spinner: str = "", state: Callable[..., object] | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache the latest ``slots`` results of a function for all visitors; show ``spinner`` meanwhile.

    ``state`` takes the same arguments and returns what else the result depends on, such as a file's stamp.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        _must_be_told_all(function)
        whole = cast(Callable[..., T], function)

        @st.cache_resource(show_spinner=spinner or False, max_entries=slots, hash_funcs=HASHES)
        @wraps(function)  # Streamlit distinguishes functions by name and source
        def stored(arguments: Arguments) -> T:
            try:
                return whole(*arguments.given, **arguments.named)
            finally:
                give_back()

        @wraps(function)
        def answer(*given: P.args, **named: P.kwargs) -> T:
            return stored(Arguments(given, named, state and state(*given, **named)))

        return answer

    return decorated


def once(function: Callable[P, T]) -> Callable[P, T]:
    """Return a cached version of a function, see :func:`kept`."""
    if function not in _KEPT:
        _KEPT[function] = kept()(function)
    return cast(Callable[P, T], _KEPT[function])


def _must_be_told_all(function: Callable[..., Any]) -> None:
    if left_out := [one for one in inspect.signature(_of_a_module(function)).parameters if one[0] == "_"]:
        raise TypeError(
            f"{function.__qualname__} cannot be kept: {left_out[0]!r} would be no part of its key."
        )


def _of_a_module(function: Callable[..., Any]) -> FunctionType:
    """Return a module-level function; raise a TypeError for any other."""
    name = getattr(function, "__qualname__", repr(function))
    if not isinstance(function, FunctionType) or "<" in name or function.__module__ == "__main__":
        raise TypeError(f"{name} cannot be kept: only a function of a module's own depends on nothing else.")
    return function


def _fits(opened: Store | Queue) -> bool:
    """Return whether an open store or queue is usable, or opening it again could not help."""
    return opened.current or not takes_files(settings().cache)


@st.cache_resource(show_spinner=False, validate=_fits)
def open_store() -> Store:
    """Open the store of the settings, shared by all sessions."""
    return Store.open(settings().cache, settings().results, settings().scores)


def open_queue() -> Queue:
    """Open the queue on behalf of the current person."""
    return _queue().acting_for(person())


@st.cache_resource(show_spinner=False, validate=_fits)
def _queue() -> Queue:
    from pcf_core.work.queue import Queue

    return Queue.open(settings().catalogue)
