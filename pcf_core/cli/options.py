"""The options that several commands share, each written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_args

import typer

from pcf_core.audit.options import ViewOptions, shown_fields
from pcf_core.cli.console import one_of
from pcf_core.core.errors import InputError
from pcf_core.core.options import Option, declared, read_options, with_parameters
from pcf_core.core.records import Record
from pcf_core.core.run import ModelSpec, Protocol
from pcf_core.models.precision import PRECISIONS, in_precision
from pcf_core.models.registry import resolve_to_score

ModelOption = Annotated[
    list[str], typer.Option("--model", help="a shipped name, a directory, or a hub id; may be repeated")
]
DtypeOption = Annotated[str, typer.Option("--dtype", help="auto, float32, bfloat16 or float16")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON also on a terminal")]
EstimateOption = Annotated[
    bool, typer.Option("--estimate", help="say what is to be made and how long it takes, and end")
]
QueueOption = Annotated[bool, typer.Option("--queue", help="leave the work to a worker and return")]
TopicOption = Annotated[str, typer.Option("--topic", help="a shipped name or a TOML, JSON, CSV or text file")]
TemplatesOption = Annotated[str, typer.Option("--templates", help="a shipped name or a CSV file")]
EvidenceOption = Annotated[str, typer.Option("--evidence", help="a shipped name or a file")]
ProtocolOption = Annotated[
    str, typer.Option("--protocol", help="exact, exact-boundary, single-token, equal-tokens or fitting")
]
EngineOption = Annotated[
    str, typer.Option("--engine", help="local, or ray: on a cluster, or this machine's GPUs at once")
]


def to_score(names: Sequence[str], dtype: str) -> list[ModelSpec]:
    """Return the models whose words are to be scored, in the precision of ``--dtype``."""
    precision = one_of(dtype, "--dtype", PRECISIONS)
    return [in_precision(resolve_to_score(name), precision) for name in names]


def protocol_named(text: str) -> Protocol:
    """Return the protocol of ``--protocol``."""
    protocol: Protocol = one_of(text, "--protocol", get_args(Protocol))
    return protocol


def check_one_way(*, estimate: bool, queue: bool) -> None:
    """Refuse to estimate work and to leave it to a worker at once."""
    if estimate and queue:
        raise InputError("--estimate only says what --queue would cost: give one of the two.")


def option_of(one: Option) -> Any:
    """Return the command line's option for a declared field."""
    return typer.Option(one.flag, help=one.spec.usage)


def _parameter(one: Option, default: Any) -> inspect.Parameter:
    """Return a command's parameter for a declared field; several values come as a list, or as ``None``."""
    several = one.type is tuple
    kind: Any = list[str] if several else one.type
    if several or one.optional:
        kind = kind | None
    annotation = Annotated[kind, option_of(one)]
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=None if several else default, annotation=annotation
    )


def with_options(kind: type[Record]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return what gives a command an option for each field of ``kind`` in place of its ``options``."""
    fields = {name: one for name, one in declared(kind).items() if one.spec.usage}

    def read(given: dict[str, Any]) -> Record:
        several = {name for name, one in fields.items() if one.type is tuple}
        return read_options(
            kind, {name: value for name, value in given.items() if value or name not in several}
        )

    parameters = [_parameter(one, one.default) for one in fields.values()]
    return lambda command: with_parameters(command, "options", parameters, read)


@dataclass(frozen=True)
class View:
    """How runs are to be read, as it was given: a text for each field of ``kind``.

    One whose default is what the run says is empty where nothing was given.
    """

    kind: type[ViewOptions]
    given: Mapping[str, str]

    @property
    def protocol(self) -> str:
        """The protocol that was given; empty for that of each run."""
        return self.given["protocol"]

    @property
    def flags(self) -> list[str]:
        """The options that were given another value than the one they have without being named."""
        return [
            one.flag
            for name, one in shown_fields(self.kind).items()
            if self.given[name] != ("" if one.spec.of_run else one.default)
        ]

    def options(self) -> ViewOptions:
        """Return the view options, with the default of pages where nothing was given.

        Raises
        ------
        InputError
            A value that its option does not take.
        """
        of_run = {name for name, one in shown_fields(self.kind).items() if one.spec.of_run}
        return read_options(
            self.kind, {name: text for name, text in self.given.items() if text or name not in of_run}
        )


def with_view(command: Callable[..., None], kind: type[ViewOptions] = ViewOptions) -> Callable[..., None]:
    """Return a command with an option for each field of ``kind`` in the place of its parameter ``view``."""
    fields = shown_fields(kind).values()
    parameters = [_parameter(one, "" if one.spec.of_run else one.default) for one in fields]
    return with_parameters(command, "view", parameters, lambda given: View(kind, given))
