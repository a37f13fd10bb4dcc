"""What all commands share: where data and messages go, and the options of most of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from pcf_core.errors import InputError
from pcf_core.settings import settings
from pcf_core.store import Store

DTYPES = ("float32", "bfloat16", "float16")

ModelOption = Annotated[
    list[str], typer.Option("--model", help="a shipped name, a directory, or a hub id; may be repeated")
]
DtypeOption = Annotated[str, typer.Option("--dtype", help="float32, bfloat16 or float16")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON also on a terminal")]


def say(message: str) -> None:
    """Progress and messages: stderr."""
    typer.echo(message, err=True)


def give(document: Any, as_json: bool, lines: Callable[[], Sequence[str]]) -> None:
    """Data: JSON where asked for or piped, readable lines on a terminal."""
    if as_json or not sys.stdout.isatty():
        typer.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        typer.echo("\n".join(lines()))


def one_of(value: str, option: str, allowed: Sequence[str]) -> Any:
    """The value, if it is allowed.

    Raises:
        InputError: it is not; the sentence lists what is.
    """
    if value not in allowed:
        raise InputError(f"{option} must be one of {', '.join(allowed)}; got {value!r}.")
    return value


def open_store() -> Store:
    return Store.open(settings().cache, settings().results, settings().scores)
