"""Files of a person in commands: options that say what is meant, and ``--dry-run``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from pcf_core.cli.console import give, parameters_of
from pcf_core.core.options import read_options, with_parameters
from pcf_core.material.safety.understood import Reading, ReadingOptions, answers_of, read_with


def with_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that reads files the options of :class:`ReadingOptions` in place of its ``reading``.

    The command calls :func:`end_reading` once it has read its files.
    """

    @wraps(command)
    def reading_command(**given: Any) -> Any:
        with read_with(given["reading"]):
            return command(**given)

    reading_command.__signature__ = inspect.signature(command, eval_str=True)  # type: ignore[attr-defined]

    def collect(given: dict[str, Any]) -> Reading:
        several = {name for name, value in given.items() if value is None}
        options = read_options(
            ReadingOptions, {name: value for name, value in given.items() if name not in several}
        )
        return Reading(answers_of(options), dry_run=options.dry_run)

    return with_parameters(reading_command, "reading", parameters_of(ReadingOptions), collect)


def end_reading(reading: Reading, *, as_json: bool = False) -> None:
    """Refuse options that fit no file; end the command if it was to show its files only.

    Raises
    ------
    InputError
        An option that fits no file.
    """
    reading.check_used()
    if not reading.dry_run:
        return
    document = {
        "files": [
            {"file": one.name, "entries": one.entries, "first": [dict(row) for row in one.first]}
            for one in reading.files
        ],
        "notes": reading.notes,
    }
    give(document, as_json, lambda: _lines(reading))
    raise typer.Exit


def _lines(reading: Reading) -> list[str]:
    """Write what was understood for a terminal; notes are on stderr already."""
    if not reading.files:
        return ["No list or set of yours was given; nothing is run."]
    lines = []
    for one in reading.files:
        lines.append(f"{one.name}: {one.entries:,} entries")
        lines += ["  " + " · ".join(f"{name}: {cell}" for name, cell in row.items()) for row in one.first]
        if more := one.entries - len(one.first):
            lines.append(f"  … and {more:,} more")
    return [*lines, "Nothing is run or saved."]
