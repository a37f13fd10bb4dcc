"""The options that several commands share, each written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from pcf_core.audit.options import ShownField, ViewOptions, shown_fields
from pcf_core.core.errors import InputError
from pcf_core.core.records import first_problem

ModelOption = Annotated[
    list[str], typer.Option("--model", help="a shipped name, a directory, or a hub id; may be repeated")
]
DtypeOption = Annotated[str, typer.Option("--dtype", help="auto, float32, bfloat16 or float16")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON also on a terminal")]
ChatOption = Annotated[bool, typer.Option("--chat", help="of an endpoint: a prompt is a user's message")]
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


def check_one_way(*, estimate: bool, queue: bool) -> None:
    """Refuse to estimate work and to leave it to a worker at once.

    Raises
    ------
    InputError
        Both are asked for.
    """
    if estimate and queue:
        raise InputError("--estimate only says what --queue would cost: give one of the two.")


def option_of(one: ShownField) -> Any:
    """Return the command line's option for a field of view options."""
    return typer.Option(one.flag, help=one.shown.usage)


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
            if self.given[name] != ("" if one.shown.of_run else one.default)
        ]

    def options(self) -> ViewOptions:
        """Return the view options, with the default of pages where nothing was given.

        Raises
        ------
        InputError
            A value that its option does not take.
        """
        shown = shown_fields(self.kind)
        try:
            return self.kind.model_validate(
                {name: text for name, text in self.given.items() if text or not shown[name].shown.of_run}
            )
        except ValidationError as error:
            problem = first_problem(error)
            raise InputError(f"{shown[problem.where].flag} {problem.fault}.") from error


def with_view(command: Callable[..., None], kind: type[ViewOptions] = ViewOptions) -> Callable[..., None]:
    """Return a command with an option for each field of ``kind`` in the place of its parameter ``view``."""
    shown = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default="" if one.shown.of_run else one.default,
            annotation=Annotated[str, option_of(one)],
        )
        for name, one in shown_fields(kind).items()
    ]
    own = inspect.signature(command, eval_str=True)
    kept = [one for one in own.parameters.values() if one.name != "view"]

    @wraps(command)
    def with_options(**given: Any) -> None:
        view = View(kind, {one.name: given.pop(one.name) for one in shown})
        command(**given, view=view)

    with_options.__signature__ = own.replace(parameters=[*kept, *shown])  # type: ignore[attr-defined]
    return with_options
