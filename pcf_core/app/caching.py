"""What is worked out or opened once for all visitors: answers of functions, the store and the queue.

Nobody lists what an answer depends on.  It is what the function takes, so a function that could know more is
refused: one inside another, a method, one with an argument that Streamlit leaves out of its key.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from io import BytesIO
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import streamlit as st
from pydantic import BaseModel

from pcf_core.app.memory import give_back
from pcf_core.app.roles import person
from pcf_core.core.records import Record
from pcf_core.core.settings import settings
from pcf_core.report.loaded import LoadedRun
from pcf_core.store.files import takes_files
from pcf_core.store.store import Store

if TYPE_CHECKING:
    from pcf_core.work.queue import Queue

P = ParamSpec("P")
T = TypeVar("T")
SLOTS = 32  # answers of one function that are kept, those asked for last
_KEPT: dict[Callable[..., Any], Callable[..., Any]] = {}
_WRITTEN = "_written_as"  # beside the fields of a record with many values: their key
MANY = 20  # values in one field, from which on a record is written out once and then stands as a key


@dataclass(frozen=True)
class Arguments:
    """What a function is called with."""

    given: tuple[object, ...]
    named: dict[str, object]


@dataclass(frozen=True)
class _Rows:
    """Records of one type, as a row of its fields each."""

    kind: type
    rows: tuple[object, ...]


def _as_rows(value: object) -> object:
    """Return records of one type as rows, and all else as it is.

    Asked record by record, the thousands of a set of templates take ten times as long; a few may know
    what they are written as.
    """
    if not isinstance(value, tuple) or len(value) <= MANY or len(kinds := set(map(type, value))) != 1:
        return value
    (kind,) = kinds
    if kind is LoadedRun or not (names := _field_names(kind)):
        return value
    return _Rows(kind, tuple(map(attrgetter(*names), value)))


def _field_names(kind: type) -> tuple[str, ...]:
    """Return the fields of a type of records; none of any other type."""
    if issubclass(kind, BaseModel):
        return tuple(kind.model_fields)
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _content_of(value: Any) -> tuple[object, ...]:
    """Return the fields of a record; of one with many values their key, for it never changes.

    A page asks for what the same reports and templates give dozens of times.
    """
    beside = getattr(value, "__dict__", {})
    if _WRITTEN in beside:
        return (beside[_WRITTEN],)
    found = [getattr(value, name) for name in _field_names(type(value))]
    rows = tuple(map(_as_rows, found))
    if not _never_changes(type(value)) or not any(map(_is_long, found)):
        return rows
    beside[_WRITTEN] = key_of(*rows)
    return (beside[_WRITTEN],)


def _is_long(value: object) -> bool:
    """Tell whether there are many values, in it or in a record that it holds and that stands as a key."""
    if isinstance(value, tuple | dict):
        held = value.values() if isinstance(value, dict) else value
        return len(value) > MANY or any(map(_is_long, held))
    if isinstance(value, LoadedRun) or not _never_changes(type(value)):
        return False
    _content_of(value)
    return _WRITTEN in value.__dict__


def _never_changes(kind: type) -> bool:
    """Tell whether a type of records is frozen, so that a change gives another record."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return issubclass(kind, Record) or (parameters is not None and bool(parameters.frozen))


class _Content(pickle.Pickler):
    """Writes what values consist of: a loaded run as its key, a record as its fields, all else as it is.

    Properties that a record has worked out are no part of it.  An array is written whole: Streamlit's own
    hash takes a sample of a large one.
    """

    def reducer_override(self, value: Any) -> Any:
        """Say what stands for a value."""
        if isinstance(value, LoadedRun):
            return LoadedRun, (value.view_key,)
        if isinstance(value, type) or not (is_dataclass(value) or isinstance(value, BaseModel)):
            return NotImplemented
        return type(value), _content_of(value)


def key_of(*values: object) -> str:
    """Return a key of everything in the values.

    Raises
    ------
    TypeError
        One of them has no content that can be written down, such as a function inside another.
    """
    written = BytesIO()
    pickler = _Content(written, pickle.HIGHEST_PROTOCOL)
    pickler.fast = True  # equal texts are written alike, whether or not they are one object
    try:
        pickler.dump(values)
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise TypeError(f"What an answer is kept by has to be a value: {error}") from error
    return hashlib.sha256(written.getvalue()).hexdigest()


HASHES: dict[str | type[Any], Callable[[Any], Any]] = {Arguments: key_of}


def kept(slots: int = SLOTS, spinner: str = "") -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep the answers of a function for all visitors, by all that it takes.

    Parameters
    ----------
    slots
        how many answers are kept, those asked for last.
    spinner
        what is said while an answer is worked out; nothing where empty.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        must_be_told_all(function)
        whole = cast(Callable[..., T], function)

        @st.cache_resource(show_spinner=spinner or False, max_entries=slots, hash_funcs=HASHES)
        @wraps(function)  # by whose name and text Streamlit tells functions apart
        def stored(arguments: Arguments) -> T:
            try:
                return whole(*arguments.given, **arguments.named)
            finally:
                give_back()

        @wraps(function)
        def answer(*given: P.args, **named: P.kwargs) -> T:
            return stored(Arguments(given, named))

        return answer

    return decorated


def once(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that gives the answers of another, each worked out once for all visitors."""
    if function not in _KEPT:
        _KEPT[function] = kept()(function)
    return cast(Callable[P, T], _KEPT[function])


def must_be_told_all(function: Callable[..., Any]) -> None:
    """Refuse a function that knows more than it takes.

    Raises
    ------
    TypeError
        It stands inside another, is a method or a page's own, or Streamlit leaves an argument out of its key.
    """
    name = getattr(function, "__qualname__", repr(function))
    if not inspect.isfunction(function) or "<" in name or function.__module__ == "__main__":
        raise TypeError(f"{name} cannot be kept: only a function of a module's own depends on nothing else.")
    if left_out := [one for one in inspect.signature(function).parameters if one.startswith("_")]:
        raise TypeError(f"{name} cannot be kept: {left_out[0]!r} would be no part of its key.")


def _fits(opened: Store | Queue) -> bool:
    """Tell whether it need not be opened again.

    It is opened again as soon as that can help: the folder was full or could not be written, or the catalogue
    was deleted under it.
    """
    return opened.current or not takes_files(settings().cache)


@st.cache_resource(show_spinner=False, validate=_fits)
def open_store() -> Store:
    """Open the store of the settings, one for all sessions."""
    return Store.open(settings().cache, settings().results, settings().scores)


def open_queue() -> Queue:
    """Open the queue as it is for whoever looks at the page."""
    return _queue().acting_for(person())


@st.cache_resource(show_spinner=False, validate=_fits)
def _queue() -> Queue:
    from pcf_core.work.queue import Queue

    return Queue.open(settings().catalogue)
