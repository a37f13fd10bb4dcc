"""Declared options: a field of a record says once what it is called wherever people meet it.

    count: int = option(20, title="Texts a side", usage="texts a side for each prompt", url="count")

From such fields are made the widgets of a form, the parameters of its link, the options of a command and of a
task of Inspect, and the command line that asks for the same again.  A new option is one new field.
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
    """What an option is called on pages, in links and on the command line.

    ``title``, ``help``: of the widget; without a title pages have none.  ``usage``: the help of the command's
    option; without one the command has none.  ``url``: the parameter of links, if it is not the field's name,
    and with dashes the command's option, unless ``flag`` says otherwise; the record's ``prefix`` stands
    before it in links alone.  ``opens``: the value with which the page opens, where that is not the command's
    default.  ``placeholder``, ``least``, ``most``, ``step``: of the input for a text or a number; the request
    itself checks what may be asked for.  ``offered``: the values that pages offer; empty for all that the
    field's type allows.  ``words``: what pages and reports call these values; ``listed``: what the lists of
    pages call those whose words are too long there.  ``row``: the values are drawn as a row, not as a list.
    ``in_task``: it is an option of the task of Inspect, as what has a ``usage`` usually is.  ``varied_as``:
    what the choice is called where sensitivity tries its other values; empty where it does not.  ``old``:
    values that links and commands had before, and what they are called today.  ``of_run``: the command's
    default is what a run says itself, not that of pages.  ``place``: the order on pages, in links and in
    commands, where it is not that of the fields.
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


def option(default: Any, **spec: Any) -> Any:
    """Return the default of a field that is an option with this :class:`OptionSpec`."""
    info = Field(default)
    info.metadata.append(OptionSpec(**spec))
    return info


@dataclass(frozen=True)
class Option:
    """A declared field of a record.

    ``type``: of its values, ``None`` aside: bool, int, float, str, or tuple for several texts.  ``optional``:
    it may be ``None``.  ``offered``: the values that pages offer.  ``url``: its name in links.
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
        """The value with which pages open."""
        return self.default if self.spec.opens is None else self.spec.opens

    @property
    def called(self) -> dict[str, str]:
        """What pages and their addresses call each value that they offer, no two alike."""
        spec = self.spec
        return {value: spec.listed.get(value, spec.words.get(value, value)) for value in self.offered}

    def named(self, text: str) -> str:
        """Return the value that an address or a list of a page means, by its name, label or earlier label."""
        by_label = {called: value for value, called in self.called.items()}
        return by_label.get(text, self.spec.old.get(text, text))

    @property
    def flag(self) -> str:
        """The command's option: "template_weights" -> "--template-weights"."""
        return self.spec.flag or f"--{(self.spec.url or self.name).replace('_', '-')}"

    @property
    def in_task(self) -> bool:
        """Whether Inspect's task has it."""
        return bool(self.spec.usage) and self.spec.in_task

    @property
    def task(self) -> str:
        """The option of Inspect's task: "--template-weights" -> "template_weights"."""
        return self.flag.removeprefix("--").replace("-", "_")


@cache
def declared(kind: type[Record]) -> Mapping[str, Option]:
    """Return the declared options of a record by its fields' names, in the order in which they are shown."""
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
    """Return the options of pages by the links' names, each value by its own name."""
    return {
        one.url: getattr(options, name) for name, one in declared(type(options)).items() if one.spec.title
    }


def page_values(options: Record) -> dict[str, Any]:
    """Return what the widgets of a page hold for these options, by their keys: values as they are called."""
    called = {one.url: one.called for one in declared(type(options)).values()}
    return {
        url: list(value) if isinstance(value, tuple) else called[url].get(value, value)
        for url, value in link_values(options).items()
    }


def from_page(kind: type[Options], values: Mapping[str, Any], **others: Any) -> Options:
    """Return the options that a link says, or the widgets bound to it, by the links' names.

    A value may be said by its name, as links of earlier versions do, or as pages call it.  ``others``: fields
    that are not read from there.
    """
    read = {}
    for name, one in declared(kind).items():
        if one.spec.title and name not in others:
            value = values[one.url]
            empty = value is None and not one.optional
            read[name] = one.opens if empty else one.named(value) if isinstance(value, str) else value
    return kind.model_validate({**read, **others})


def number_text(value: float) -> str:
    """Write a number as short as it can be without becoming another one."""
    text = f"{value:g}"
    return text if float(text) == value else repr(value)


def _texts(option: Option, value: Any) -> Iterator[str]:
    """Write a value for a command: nothing where it need not be said, several texts for several values."""
    if isinstance(value, tuple):
        yield from map(shlex.quote, value)
    elif isinstance(value, bool) or value is None or (value == "" and option.default == ""):
        if value:
            yield "true"
    else:
        yield number_text(value) if isinstance(value, float) else shlex.quote(str(value))


def command_options(options: Record, *, without: Collection[str] = ()) -> str:
    """Write options as the command takes them; ``without``: fields that are left out."""
    return " ".join(
        one.flag if one.type is bool else f"{one.flag} {text}"
        for name, one in declared(type(options)).items()
        if one.spec.usage and name not in without
        for text in _texts(one, getattr(options, name))
    )


def task_options(options: Record, *, without: Collection[str] = ()) -> str:
    """Write options as Inspect's task of the same audit takes them."""
    return " ".join(
        f"-T {one.task}={text}"
        for name, one in declared(type(options)).items()
        if one.in_task and name not in without
        for text in _texts(one, getattr(options, name))
    )


def read_options(kind: type[Options], given: Mapping[str, Any]) -> Options:
    """Return the options that a command was given, by the fields' names.

    Raises
    ------
    InputError
        A value that its option does not take.
    """
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
    """Return a function that takes several parameters, by name, where it took the one that is ``replaced``.

    ``collect``: makes the value of that one of theirs.
    """
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
