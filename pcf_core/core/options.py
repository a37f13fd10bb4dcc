"""Declared options: a field of a record states its names for pages, links and commands once.

    count: int = option(20, title="Texts a side", usage="texts a side for each prompt", url="count")

Widgets, link parameters, options of commands and of Inspect tasks, and printed command lines are made from
such fields.  A new option is one new field.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import Field, ValidationError

from pcf_core.core.errors import InputError
from pcf_core.core.records import Record, first_problem

LAST = 100
Options = TypeVar("Options", bound=Record)


@dataclass(frozen=True, kw_only=True)
class OptionSpec:
    """How an option appears on pages, in links and on the command line.

    ``title``, ``help``: of the widget; no title: not on pages.  ``usage``: help of the command's option;
    none: not a command's option.  ``url``: the parameter of links and, with dashes, the command's option
    unless ``flag`` is set; by default the field's name (links add the record's ``prefix``).  ``opens``:
    initial value on pages, if not the default.  ``placeholder``, ``least``, ``most``, ``step``: of the input
    widget; the request does its own checks. ``offered``: values on pages, by default all of the field's type;
    ``words``: their names on pages and in reports; ``listed``: shorter ones for lists.  ``row``: draw values
    as a row.  ``in_task``: also an option of the Inspect task.  ``varied_as``: name of the choice in
    sensitivity, empty if it is not varied there.  ``old``: earlier values in links and commands, and today's.
    ``of_run``: the command defaults to the run's own value.  ``place``: position on pages, in links and in
    commands, if not that of the field.
    """

    title: str = ""
    help: str = ""
    usage: str = ""
    url: str = ""
    flag: str = ""
    opens: Any = None
    placeholder: str | None = None
    least: float | None = None
    most: float | None = None
    step: float | None = None
    offered: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    listed: Mapping[str, str] = field(default_factory=dict)
    row: bool = False
    in_task: bool = True
    varied_as: str = ""
    old: Mapping[str, str] = field(default_factory=dict)
    of_run: bool = False
    place: int = LAST


def option(default: Any, *, exclude_if: Callable[[Any], bool] | None = None, **spec: Any) -> Any:
    """Return the default of a field that is an option with this :class:`OptionSpec`.

    ``exclude_if``: of pydantic's ``Field``; keeps the hashes and bytes of records without the option.
    """
    info = Field(default, exclude_if=exclude_if)
    info.metadata.append(OptionSpec(**spec))
    return info


@dataclass(frozen=True)
class Option:
    """A declared field of a record.

    ``type``: bool, int, float, str, or tuple for several texts, apart from ``None`` (``optional``).  ``url``:
    its name in links.
    """

    name: str
    spec: OptionSpec
    type: type
    optional: bool
    offered: tuple[str, ...]
    default: Any
    url: str

    @property
    def opens(self) -> Any:
        """The initial value on pages."""
        return self.default if self.spec.opens is None else self.spec.opens

    @property
    def called(self) -> dict[str, str]:
        """The distinct names of the offered values on pages and in links."""
        spec = self.spec
        return {value: spec.listed.get(value, spec.words.get(value, value)) for value in self.offered}

    def named(self, text: str) -> str:
        """Return the value with this name, label or earlier label."""
        by_label = {called: value for value, called in self.called.items()}
        return by_label.get(text, self.spec.old.get(text, text))

    @property
    def flag(self) -> str:
        """The command's option: "template_weights" -> "--template-weights"."""
        return self.spec.flag or f"--{(self.spec.url or self.name).replace('_', '-')}"

    @property
    def in_task(self) -> bool:
        """Whether it is an option of the Inspect task."""
        return bool(self.spec.usage) and self.spec.in_task

    @property
    def task(self) -> str:
        """The option of the Inspect task: "--template-weights" -> "template_weights"."""
        return self.flag.removeprefix("--").replace("-", "_")


@cache
def declared(kind: type[Record]) -> Mapping[str, Option]:
    """Return the declared options of a record by field name, in the order shown."""
    prefix = getattr(kind, "prefix", "")
    options = [
        _option(name, spec, info.annotation, info.default, prefix)
        for name, info in kind.model_fields.items()
        for spec in info.metadata
        if isinstance(spec, OptionSpec)
    ]
    return {one.name: one for one in sorted(options, key=lambda one: one.spec.place)}


def _option(name: str, spec: OptionSpec, annotation: Any, default: Any, prefix: str) -> Option:
    optional = type(None) in get_args(annotation)
    one = next(part for part in get_args(annotation) if part is not type(None)) if optional else annotation
    literal = get_args(one) if get_origin(one) is Literal else ()
    kind = str if literal else get_origin(one) or one
    return Option(name, spec, kind, optional, spec.offered or literal, default, f"{prefix}{spec.url or name}")


def shared_fields(kind: type[Record], *records: Record) -> dict[str, Any]:
    """Return the values of a record's fields that other records have under the same names."""
    return {
        name: getattr(record, name)
        for record in records
        for name in type(record).model_fields
        if name in kind.model_fields
    }


def link_values(options: Record) -> dict[str, Any]:
    """Return the page's options by link name, with plain values."""
    return {
        one.url: getattr(options, name) for name, one in declared(type(options)).items() if one.spec.title
    }


def page_values(options: Record) -> dict[str, Any]:
    """Return the widgets' values by key, as labels."""
    called = {one.url: one.called for one in declared(type(options)).values()}
    return {
        url: list(value) if isinstance(value, tuple) else called[url].get(value, value)
        for url, value in link_values(options).items()
    }


def from_page(kind: type[Options], values: Mapping[str, Any], **others: Any) -> Options:
    """Return options from a link or its widgets, by link name, as plain values or labels.

    ``others``: fields that do not come from there.
    """
    read = {}
    for name, one in declared(kind).items():
        if one.spec.title and name not in others:
            value = values[one.url]
            empty = value is None and not one.optional
            read[name] = one.opens if empty else one.named(value) if isinstance(value, str) else value
    return kind.model_validate({**read, **others})


def number_text(value: float) -> str:
    """Format a number as briefly as it round-trips."""
    text = f"{value:g}"
    return text if float(text) == value else repr(value)


def _texts(option: Option, value: Any) -> Iterator[str]:
    """Yield the texts of a value for a command: none for a default, several for a tuple."""
    if isinstance(value, tuple):
        yield from map(shlex.quote, value)
    elif isinstance(value, bool) or value is None or (value == "" and option.default == ""):
        if value:
            yield "true"
    else:
        yield number_text(value) if isinstance(value, float) else shlex.quote(str(value))


def command_options(options: Record, *, without: Collection[str] = ()) -> str:
    """Format options for the command, except the fields in ``without``."""
    return " ".join(
        one.flag if one.type is bool else f"{one.flag} {text}"
        for name, one in declared(type(options)).items()
        if one.spec.usage and name not in without
        for text in _texts(one, getattr(options, name))
    )


def task_options(options: Record, *, without: Collection[str] = ()) -> str:
    """Format options for the Inspect task of the same audit."""
    return " ".join(
        f"-T {one.task}={text}"
        for name, one in declared(type(options)).items()
        if one.in_task and name not in without
        for text in _texts(one, getattr(options, name))
    )


def read_options(kind: type[Options], given: Mapping[str, Any]) -> Options:
    """Return a command's options by field name; raise InputError for a value that is not allowed."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        problem = first_problem(error)
        name = problem.where.partition(".")[0]
        raise InputError(f"{declared(kind)[name].flag} {problem.fault}.") from error


def with_parameters(
    function: Callable[..., Any],
    replaced: str,
    parameters: Collection[inspect.Parameter],
    collect: Callable[[dict[str, Any]], Any],
) -> Callable[..., Any]:
    """Return a function that takes ``parameters`` instead of ``replaced``, which ``collect`` computes."""
    own = inspect.signature(function, eval_str=True)
    names = [one.name for one in parameters]

    @wraps(function)
    def replacing(**given: Any) -> Any:
        value = collect({name: given.pop(name) for name in names if name in given})
        return function(**given, **{replaced: value})

    every = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, own_parameter in own.parameters.items()
        for one in (parameters if name == replaced else [own_parameter])
    ]
    replacing.__signature__ = own.replace(parameters=every)  # type: ignore[attr-defined]
    return replacing
