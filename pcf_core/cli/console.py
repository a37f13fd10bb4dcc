"""What all commands share: where data and messages go, and what values an option may have."""

from __future__ import annotations

import json
import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from pcf_core.core.errors import InputError, StoreError
from pcf_core.core.settings import settings
from pcf_core.store.journal import Did, Journal
from pcf_core.store.store import Store
from pcf_core.work.people import TERMINAL

REDRAW_SECONDS, LINE_SECONDS = 0.1, 5.0  # of progress, on a terminal and elsewhere


def say(message: str) -> None:
    """Write progress and messages to stderr."""
    typer.echo(message, err=True)


@contextmanager
def progress_line(clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[str], None]]:
    """Show how far a work is, on stderr: one line, rewritten, on a terminal, else a line now and then.

    The first state and the last are always shown; of those between, as many as can be read.
    """
    terminal = sys.stderr.isatty()
    patience = REDRAW_SECONDS if terminal else LINE_SECONDS
    shown_at, seen, latest, width = -math.inf, "", "", 0

    def write() -> None:
        nonlocal shown_at, seen, width
        if terminal:
            line = latest[: max(1, shutil.get_terminal_size().columns - 1)]
            typer.echo(f"\r{line.ljust(width)}", err=True, nl=False)
            width = len(line)
        else:
            typer.echo(latest, err=True)
        shown_at, seen = clock(), latest

    def show(state: str) -> None:
        nonlocal latest
        latest = state
        if latest != seen and clock() - shown_at >= patience:
            write()

    try:
        yield show
    finally:
        if latest != seen:
            write()
        if seen and terminal:
            say("")


def give(document: Any, as_json: bool, lines: Callable[[], Sequence[str]]) -> None:
    """Write data to stdout: JSON where asked for or piped, readable lines on a terminal."""
    if as_json or not sys.stdout.isatty():
        typer.echo(json_text(document))
    else:
        typer.echo("\n".join(lines()))


def one_or_all(documents: Sequence[Any]) -> Any:
    """Return the document of one model alone, or those of several as a list."""
    return documents[0] if len(documents) == 1 else documents


def json_text(document: Any) -> str:
    """Write data as JSON, in which NaN is refused."""
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def one_of(value: str, option: str, allowed: Sequence[str]) -> Any:
    """Return the value if it is allowed, else raise InputError with a sentence that lists what is."""
    if value not in allowed:
        raise InputError(f"{option} must be one of {', '.join(allowed)}; got {value!r}.")
    return value


def record(did: Did, what: str, name: str) -> None:
    """Record in the journal what this command did; where the cache cannot be written, say so."""
    try:
        Journal(settings().cache).add(TERMINAL.signature, did, what, name)
    except StoreError as error:
        say(f"This is not in the journal: {error}")


def must_record() -> None:
    """Refuse to do what could not be recorded in the journal."""
    Journal(settings().cache).check_writable()


def open_store() -> Store:
    """Open the store of the settings."""
    return Store.open(settings().cache, settings().results, settings().scores)
