"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from pcf_core.audit import ViewOptions
from pcf_core.commands.console import one_of
from pcf_core.records import Aggregation, Protocol, Scale, Unit

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


def view_options(
    weights: str,
    criterion: str,
    scale: str,
    reference: str,
    weighting: str,
    protocol: str,
    aggregation: str,
    unit: str,
) -> ViewOptions:
    return ViewOptions(
        template_weighting=one_of(weighting, "--template-weights", ("counts", "equal")),
        occupation_weights=weights,
        criterion=criterion,
        scale=one_of(scale, "--scale", get_args(Scale)),
        reference=one_of(reference, "--reference", ("uniform", "labour")),
        protocol=one_of(protocol, "--protocol", get_args(Protocol)),
        aggregation=one_of(aggregation, "--aggregation", get_args(Aggregation)),
        unit=one_of(unit, "--unit", get_args(Unit)),
    )
