"""A kind of list in one class: its fields with their rules, and what its CSV or text files mean.

A new kind is a class on :class:`Material` and a :class:`Kind` of it.  Loading by name or path, reading of
TOML, JSON, CSV and text, refusals, saving, deleting, uploads and downloads then come with it.

Rules are annotated types.  The classes here describe what somebody writes; what is computed with, stored and
hashed is a record of ``core`` or ``texts``, which is made of it and checks nothing again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar, cast, get_args

from pydantic import BeforeValidator, ConfigDict, StrictBool, ValidationError, ValidationInfo, model_validator

from pcf_core.core.errors import InputError
from pcf_core.core.records import LONGEST_QUOTE, LeftOut, Record, first_problem, quoted
from pcf_core.material.safety.entries import read_entries
from pcf_core.material.safety.reading import checked_object, label, refuse_unknown, tell, title_of
from pcf_core.material.safety.tables import Accepted, Rows
from pcf_core.material.safety.text import (
    check_language,
    check_left_out,
    check_name,
    check_sentence,
    check_text,
    check_word,
    listed,
    shown,
)
from pcf_core.material.safety.understood import show_entries
from pcf_core.material.shelves import MOST_NAMED, OwnFiles, name_of, toml_lines

LARGEST_WEIGHT = 1e300
QUOTES = ("'", '"')


@dataclass(frozen=True)
class Origin:
    """What opens the sentence of a refusal, such as the name of a file, and the error that it is."""

    where: str
    error: type[InputError]


def origin_of(info: ValidationInfo) -> Origin:
    """Return where the values that a validator checks come from."""
    origin: Origin = info.context  # type: ignore[assignment]  # Kind.make gives it
    return origin


def one_of(field: str) -> str:
    """Name one entry of a field: "term" of "terms", "category" of "categories"."""
    if field.endswith("ies"):
        return f"{field[:-3]}y"
    return field.removesuffix("s")


def _rule(check: Callable[[object, str, str, type[InputError]], str], what: str) -> BeforeValidator:
    def checked(value: object, info: ValidationInfo) -> str:
        origin, field = origin_of(info), info.field_name or ""
        return check(value, f"{what} {one_of(field) if what == 'a' else field}", origin.where, origin.error)

    return BeforeValidator(checked)


def _language(value: object, info: ValidationInfo) -> str:
    origin = origin_of(info)
    return check_language(value, origin.where, origin.error)


def _left_out(value: object, info: ValidationInfo) -> tuple[LeftOut, ...]:
    origin = origin_of(info)
    return check_left_out(value, origin.where, origin.error)


def _weight(value: object, info: ValidationInfo) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST_WEIGHT:
        return float(value)
    origin = origin_of(info)
    raise origin.error(
        f"{origin.where}: a weight is {quoted(value)}; give a number from 0 to {LARGEST_WEIGHT:g}."
    )


# The types of fields.  Refusals name the field: "the title", "a term".
Name = Annotated[str, _rule(check_name, "the")]
Text = Annotated[str, _rule(check_text, "the")]
Word = Annotated[str, _rule(check_word, "the")]
Entry = Annotated[str, _rule(check_word, "a")]
Sentence = Annotated[str, _rule(check_sentence, "a")]
Language = Annotated[str, BeforeValidator(_language)]
Omitted = Annotated[tuple[LeftOut, ...], BeforeValidator(_left_out)]
Flag = StrictBool
Weight = Annotated[float, BeforeValidator(_weight)]


class Material(Record):
    """What every list has, as a person writes it; the title is the name where none is given.

    ``record``: what is made of it.  ``accepted``: what its files may be.  ``entries``: the field of the
    record that has its entries; ``beside``: fields that have a value for each of them.  ``besides``: keys of
    files that :meth:`of_file` turns into fields.
    """

    model_config = ConfigDict(validate_default=True)

    record: ClassVar[type[Record]]
    accepted: ClassVar[Accepted]
    entries: ClassVar[str]
    beside: ClassVar[tuple[str, ...]] = ()
    besides: ClassVar[tuple[str, ...]] = ()

    name: Name
    title: Text = ""
    source: Text = ""
    notes: Text = ""

    @model_validator(mode="after")
    def _has_a_title(self) -> Self:
        if not self.title:
            object.__setattr__(self, "title", self.name)  # a validator returns what it was given
        return self

    @classmethod
    def of_file(cls, path: Path, origin: Origin) -> dict[str, Any]:
        """Read the fields that a file has, with only its form checked."""
        keys = (*cls._fields(), *cls.besides)
        form, content = read_entries(path, cls.accepted, keys, origin.error)
        if form == "object":
            return cls.of_object(checked_object(content, path, origin.error), keys, origin)
        if form == "toml":
            return dict(content)
        if form == "rows":
            return cls.of_rows(content, origin)
        return cls.of_lines(content, origin) if form == "lines" else cls.of_list(content, origin)

    @classmethod
    def of_rows(cls, rows: Rows, origin: Origin) -> dict[str, Any]:
        """Turn the rows of a table into fields: every kind with columns has its own."""
        raise NotImplementedError

    @classmethod
    def of_lines(cls, lines: Sequence[str], origin: Origin) -> dict[str, Any]:
        """Turn the filled lines of a text into fields: every kind that takes .txt has its own."""
        raise NotImplementedError

    @classmethod
    def of_list(cls, values: Sequence[object], origin: Origin) -> dict[str, Any]:
        """Turn a list of JSON into fields: one of texts is read as lines are; one of objects is a table."""
        if not cls.accepted.line or not values or not all(isinstance(value, str) for value in values):
            raise origin.error(
                f"{origin.where} holds {'a list' if values else 'an empty list'}, which cannot be read: a "
                f"JSON file may hold {cls.accepted.in_json}."
            )
        return cls.of_lines([str(value) for value in values], origin)

    @classmethod
    def of_object(cls, value: Mapping[str, Any], keys: Collection[str], origin: Origin) -> dict[str, Any]:
        """Turn an object of JSON into fields, which it has by name."""
        also = f"; a JSON file may hold {cls.accepted.in_json}"
        refuse_unknown(value, origin.where, keys, origin.error, also)
        return dict(value)

    @classmethod
    def written(cls, record: Any) -> dict[str, Any]:
        """Return the fields of a record as its file has them."""
        facts: dict[str, Any] = record.model_dump(mode="json", include={*cls._fields()})
        return facts

    @classmethod
    def entry_of(cls, record: Any, index: int) -> dict[str, object]:
        """Return an entry of a record by column, as a preview shows it."""
        entry = getattr(record, cls.entries)[index]
        row = entry.model_dump() if isinstance(entry, Record) else {one_of(cls.entries): entry}
        beside = {one_of(name): getattr(record, name) for name in cls.beside}
        return {**row, **{name: values[index] for name, values in beside.items() if values}}

    @classmethod
    def look_over(cls, record: Any, where: str) -> None:
        """Tell what may be a mistake in a person's file and is not refused."""

    @classmethod
    def _fields(cls) -> list[str]:
        return [name for name in cls.record.model_fields if name in cls.model_fields]


T = TypeVar("T", bound=Record)


@dataclass(frozen=True)
class Kind(OwnFiles[T]):
    """A kind of list: its files, and the rules for what is written in them."""

    material: type[Material]

    def load(self, name_or_path: str | Path, **instead: object) -> T:
        """Load a shipped list by its name, else one of the user's own, else a file.

        One of the user's own has the name of its file.  ``instead``: fields to use in place of the file's.

        Raises
        ------
        InputError
            (the shelf's own kind) unknown, unreadable, or refused by the rules.
        """
        path = self.shelf.find(name_or_path)
        if self.shelf.is_shipped(path) and not instead:
            return cast("T", _shipped(self, path, path.stat().st_mtime_ns))
        return self._read(path, instead)

    def _read(self, path: Path, instead: Mapping[str, object]) -> T:
        where = label(path)
        facts = self.material.of_file(path, Origin(where, self.shelf.error))
        written = facts.pop("name", name_of(path))
        name = path.stem if path.parent == self.shelf.own_folder else written
        made = self.make({"name": name, "title": title_of(path), **facts, **instead}, where)
        if self.shelf.is_given(path):
            self.material.look_over(made, where)
            number = len(getattr(made, self.material.entries))
            show_entries(where, number, lambda index: self.material.entry_of(made, index))
        return made

    def make(self, facts: Mapping[str, object], where: str = "") -> T:
        """Make a list of its fields, checked and normalised.

        Parameters
        ----------
        facts
            The fields by name.
        where
            What opens the sentence of a refusal; without it "The topic", for example.

        Raises
        ------
        InputError
            (the shelf's own kind) what the rules refuse.
        """
        origin = Origin(where or f"The {self.shelf.kind}", self.shelf.error)
        try:
            material = self.material.model_validate(facts, context=origin)
        except ValidationError as problem:
            raise origin.error(f"{origin.where}: {_fault(problem)}.") from problem
        record = self.material.record
        made = record(**{name: value for name, value in material if name in record.model_fields})
        return cast("T", made)

    def checked(self, item: T) -> T:
        """Return the list normalised, or refuse it."""
        return self.make(self.material.written(item), f"The {self.shelf.kind} to save")

    def text(self, item: T) -> str:
        """Write a list as TOML that :meth:`load` reads as the same list."""
        facts = self.material.written(item)
        tables = {name: facts.pop(name) for name in [*facts] if _is_of_records(self.material, name)}
        parts = [f"[[{name}]]\n{toml_lines(entry)}" for name, entries in tables.items() for entry in entries]
        return "\n".join([toml_lines(facts), *parts])

    def data(self, item: T) -> bytes:
        """Write a list as the content of its file."""
        return self.text(item).encode()


@lru_cache(maxsize=256)
def _shipped(kind: Kind[Record], path: Path, changed: int) -> Record:
    """Read a shipped file, anew once it has changed: a page asks for the same list many times."""
    return kind._read(path, {})


def tell_spellings(words: Sequence[str], where: str) -> None:
    """Tell which words differ in capitals alone: both stay, because models read them apart."""
    forms: dict[str, list[str]] = {}
    for word in words:
        forms.setdefault(word.casefold(), []).append(word)
    twice = [several for several in forms.values() if len(several) > 1]
    if twice:
        named = [" and ".join(map(shown, several)) for several in twice[:MOST_NAMED]]
        more = [f"{len(twice) - MOST_NAMED:,} more"] if len(twice) > MOST_NAMED else []
        tell(
            f"{where} has one word in several spellings, which count as several words: "
            f"{listed([*named, *more])}."
        )


def _is_of_records(material: type[Material], name: str) -> bool:
    (first, *_) = get_args(material.model_fields[name].annotation) or (None,)
    return isinstance(first, type) and issubclass(first, Record)


def _fault(error: ValidationError) -> str:
    """Say what is wrong with the first field that is refused: "word 2 of group 1 must be a text; got 3"."""
    problem, parts = first_problem(error), ["it"]
    for key in error.errors(include_url=False)[0]["loc"]:
        if isinstance(key, int):
            numbered = parts[-1][-1:].isdigit()
            parts.append(f"value {key + 1:,}" if numbered else f"{one_of(parts.pop())} {key + 1:,}")
        else:
            parts.append(key if key.isidentifier() and len(key) <= LONGEST_QUOTE else quoted(key))
    *outer, last = parts[1:] or parts
    if problem.got or last[-1:].isdigit():
        the = "the " if outer and not last[-1:].isdigit() else ""
        return f"{' of '.join([f'{the}{last}', *reversed(outer)])} {problem.fault}: {problem.mend}"
    within = f" in {' of '.join(reversed(outer))}" if outer else ""  # a key that is missing or unknown
    key = last if last.startswith(QUOTES) else shown(last)
    return f"{key} {problem.wanted.removesuffix(' here')}{within}: {problem.mend}"
