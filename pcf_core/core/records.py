"""What every record is made of, and the hash behind every key."""

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
    """Base of the records that are read from files or written to them: frozen, no unknown field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __copy__(self) -> Self:
        """Copy the fields, and not what was worked out of them: ``model_copy`` gives the copy other ones."""
        copied = super().__copy__()
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied


class LeftOut(Record):
    """Something that was not used, and why: shown, never dropped silently."""

    name: str
    reason: str


# What a record refuses, as a sentence of the house: which input, what is allowed, what came, what to do.


LONGEST_QUOTE = 60  # characters of a value that was refused
MOST_BITS = 200  # of a whole number that a sentence repeats
QUOTED = re.compile("'([^']*)'")
WANTED: Mapping[str, str] = {  # by pydantic's name of the mistake
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
    """The first mistake that a record finds.

    ``where``: the field, with dots before those inside it; empty for the record as a whole.  ``wanted``: what
    is allowed, "must be one of pcf, bvf".  ``got``: what came, quoted and cut; empty where a field is missing
    or unknown.  ``mend``: what to do.  ``said``: pydantic's own words.
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
    """Return the first mistake that a record finds."""
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
    """Whether a part of a place is no text that somebody made up, as an unknown key may be."""
    return isinstance(part, int) or (part.isidentifier() and len(part) <= LONGEST_QUOTE)


def quoted(value: object) -> str:
    """Write a value for a sentence: a text in quotation marks and cut, a number, or what it is."""
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
    """Make the record of what a file or a person gives.

    Parameters
    ----------
    record
        which.
    given
        its fields by name.
    where
        what opens the sentence, such as the name of a file.
    error
        what a mistake raises.

    Raises
    ------
    error
        a field that is missing, unknown or of another type or range than the record says.
    """
    try:
        return record.model_validate(given)
    except ValidationError as problem:
        mistake = first_problem(problem)
        raise error(f"{where}: {mistake}: {mistake.mend}.") from problem
