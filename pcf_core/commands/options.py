"""The options that several commands share, each written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints

import typer

from pcf_core.audit import ViewOptions
from pcf_core.commands.console import one_of
from pcf_core.errors import InputError
from pcf_core.records import Aggregation, Protocol, Scale, Unit

ModelOption = Annotated[
    list[str], typer.Option("--model", help="a shipped name, a directory, or a hub id; may be repeated")
]
DtypeOption = Annotated[str, typer.Option("--dtype", help="float32, bfloat16 or float16")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON also on a terminal")]
ChatOption = Annotated[bool, typer.Option("--chat", help="of an endpoint: a prompt is a user's message")]
EstimateOption = Annotated[
    bool, typer.Option("--estimate", help="say what is to be made and how long it takes, and end")
]
QueueOption = Annotated[bool, typer.Option("--queue", help="leave the work to a worker and return")]
TopicOption = Annotated[str, typer.Option("--topic", help="a shipped name or a TOML, JSON, CSV or text file")]
TemplatesOption = Annotated[str, typer.Option("--templates", help="a shipped name or a CSV file")]
EvidenceOption = Annotated[str, typer.Option("--evidence", help="a shipped name or a file")]
ReadProtocolOption = Annotated[
    str, typer.Option("--protocol", help="how to read the run: its own protocol, or single-token")
]
ProtocolOption = Annotated[str, typer.Option("--protocol", help="exact, exact-boundary or single-token")]
WeightsOption = Annotated[
    str, typer.Option("--weights", help="uniform, employment, list (the list's own) or a CSV file")
]
CriterionOption = Annotated[str, typer.Option("--criterion", help="max, or l<k> with k ≥ 1")]
ScaleOption = Annotated[str, typer.Option("--scale", help="pcf (largest value 1) or bvf (p/p* − 1)")]
ReferenceOption = Annotated[str, typer.Option("--reference", help="neutral p*: uniform or labour")]
WeightingOption = Annotated[str, typer.Option("--template-weights", help="counts or equal")]
AggregationOption = Annotated[
    str, typer.Option("--aggregation", help="what a group gets of its words: their sum or their mean")
]
UnitOption = Annotated[
    str, typer.Option("--unit", help="what intervals over templates draw again: usual, template or mention")
]
EngineOption = Annotated[
    str, typer.Option("--engine", help="local, or ray: on a cluster, or this machine's GPUs at once")
]


def check_one_way(*, estimate: bool, queue: bool) -> None:
    """Refuse to estimate work and to leave it to a worker at once.

    Raises:
        InputError: both are asked for.
    """
    if estimate and queue:
        raise InputError("--estimate only says what --queue would cost: give one of the two.")


@dataclass(frozen=True)
class View:
    """How runs are to be read, as it was given: an option of the command line for each field.

    ``protocol``: empty for that of each run.
    """

    weights: WeightsOption = "uniform"
    criterion: CriterionOption = "max"
    scale: ScaleOption = "pcf"
    reference: ReferenceOption = "uniform"
    template_weights: WeightingOption = "counts"
    protocol: ReadProtocolOption = ""
    aggregation: AggregationOption = "sum"
    unit: UnitOption = "usual"

    def options(self) -> ViewOptions:
        """The view options, with the protocol ``exact`` where none was given.

        Raises:
            InputError: a value that its option does not take.
        """
        return ViewOptions(
            template_weighting=one_of(self.template_weights, "--template-weights", ("counts", "equal")),
            occupation_weights=self.weights,
            criterion=self.criterion,
            scale=one_of(self.scale, "--scale", get_args(Scale)),
            reference=one_of(self.reference, "--reference", ("uniform", "labour")),
            protocol=one_of(self.protocol or "exact", "--protocol", get_args(Protocol)),
            aggregation=one_of(self.aggregation, "--aggregation", get_args(Aggregation)),
            unit=one_of(self.unit, "--unit", get_args(Unit)),
        )


def with_view(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of a :class:`View` in the place of its parameter ``view``."""
    hints = get_type_hints(View, include_extras=True)
    shown = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(View)
    ]
    own = inspect.signature(command, eval_str=True)
    kept = [one for one in own.parameters.values() if one.name != "view"]

    @wraps(command)
    def with_options(**given: Any) -> None:
        view = View(**{one.name: given.pop(one.name) for one in shown})
        command(**given, view=view)

    with_options.__signature__ = own.replace(parameters=[*kept, *shown])  # type: ignore[attr-defined]
    return with_options
