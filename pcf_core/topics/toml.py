"""Texts, numbers, lists and tables as TOML: what the standard library reads but does not write."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_lines(facts: Mapping[str, object]) -> str:
    """A line ``name = value`` for every fact."""
    return "".join(f"{_key(name)} = {toml_value(value)}\n" for name, value in facts.items())


def toml_value(value: object) -> str:
    """A value as TOML: a mapping on one line, every item of a list on a line of its own.

    Raises:
        TypeError: a value of another kind, such as ``None``.
        ValueError: a number that is not finite.
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {toml_value(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[\n" + "".join(f"  {toml_value(item)},\n" for item in value) + "]" if value else "[]"
    if not isinstance(value, str | bool | int | float):
        raise TypeError(f"TOML holds texts, numbers, lists and tables, got {value!r}.")
    # JSON's texts and numbers are TOML's, but for one character that TOML wants escaped
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else toml_value(name)
