"""The base of every record, its error messages, and the hash behind every key."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from pcf_core.core.errors import InputError

FloatArray = NDArray[np.floating[Any]]


def digest(value: Any) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of a value's canonical JSON: the hash behind every key."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Record(BaseModel):
    """Base of the records in files: frozen, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __copy__(self) -> Self:
        """Copy the fields without cached properties, as ``model_copy`` may change what they depend on."""
        copied = super().__copy__()
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied


class LeftOut(Record):
    """Something that was not used, with the reason: shown, never dropped silently."""

    name: str
    reason: str


# Validation errors as sentences: which input, what is allowed, what came, what to do.


LONGEST_QUOTE = 60  # characters of a refused value
MOST_BITS = 200  # of a whole number that a sentence quotes
QUOTED = re.compile("'([^']*)'")
WANTED: Mapping[str, str] = {  # by pydantic's error type
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "string_type": "must be a text in quotation marks",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "model_type": "must be a table",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entry",
    "too_long": "must have at most {max_length} entries",
    "dict_type": "must be a table",
}
MEND: Mapping[str, str] = {"missing": "write it", "extra_forbidden": "leave it out"}  # else "correct it"


@dataclass(frozen=True)
class Problem:
    """The first validation error of a record, ``said`` by pydantic.

    ``where``: dotted path of the field, empty for the whole record.  ``wanted``: "must be one of pcf, bvf".
    ``got``: quoted and shortened, empty for a missing or unknown field.  ``mend``: what to do.
    """

    where: str
    wanted: str
    got: str
    mend: str
    said: str

    def __str__(self) -> str:
        """As the middle of a sentence: "scale must be one of pcf, bvf; got 'x'"."""
        return f"{self.where or 'it'} {self.fault}"

    @property
    def fault(self) -> str:
        """The same without the field's name: "must be one of pcf, bvf; got 'x'"."""
        return f"{self.wanted}; got {self.got}" if self.got else self.wanted


def first_problem(error: ValidationError) -> Problem:
    """Return the first validation error of a record."""
    first = error.errors(include_url=False)[0]
    kind, said, context = first["type"], first["msg"], first.get("ctx", {})
    if kind == "literal_error":
        names = [name or repr(name) for name in QUOTED.findall(context["expected"])]
        wanted = (
            f"must be one of {', '.join(names)}" if names else f"must be {context['expected']}"
        )  # numbers
    elif kind in WANTED:
        wanted = WANTED[kind].format_map({name: quoted(value) for name, value in context.items()})
    else:
        wanted = f"cannot be used ({said})"
    got = "" if kind in MEND else quoted(first["input"])
    plain = (part if _is_plain(part) else quoted(part) for part in first["loc"])
    return Problem(".".join(map(str, plain)), wanted, got, MEND.get(kind, "correct it"), said)


def _is_plain(part: int | str) -> bool:
    """Return whether a part of a path is an index or an ordinary name, unlike an unknown key."""
    return isinstance(part, int) or (part.isidentifier() and len(part) <= LONGEST_QUOTE)


def quoted(value: object) -> str:
    """Format a value for a sentence: a quoted and shortened text, a number, or its kind."""
    if isinstance(value, str):
        return repr(value if len(value) <= LONGEST_QUOTE else f"{value[: LONGEST_QUOTE - 3]}...")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return "a number of very many digits"
    if isinstance(value, int | float):
        return f"{value:,}".removesuffix(".0")
    kinds = {type(None): "nothing", dict: "a table", list: "a list", tuple: "a list"}
    return kinds.get(type(value), f"a {type(value).__name__}")


Made = TypeVar("Made", bound=Record)


def made(record: type[Made], given: object, where: str, error: type[InputError]) -> Made:
    """Make a record from what a file or a person gives, or raise ``error``.

    ``where``: start of the error message, such as a file's name.
    """
    try:
        return record.model_validate(given)
    except ValidationError as problem:
        mistake = first_problem(problem)
        raise error(f"{where}: {mistake}: {mistake.mend}.") from problem
