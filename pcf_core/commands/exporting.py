"""``export``: a run as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pcf_core.audit import load_result, report
from pcf_core.commands.console import one_of, open_store, say
from pcf_core.commands.options import (
    AggregationOption,
    CriterionOption,
    ReadProtocolOption,
    ReferenceOption,
    ScaleOption,
    UnitOption,
    WeightingOption,
    WeightsOption,
    view_options,
)
from pcf_core.report import export_run


def export(
    run: Annotated[str, typer.Argument(help="run key, or its first six digits or more")],
    out: Annotated[Path, typer.Option(help="the file to write")],
    form: Annotated[str, typer.Option("--format", help="csv, parquet or json")] = "csv",
    weights: WeightsOption = "uniform",
    criterion: CriterionOption = "max",
    scale: ScaleOption = "pcf",
    reference: ReferenceOption = "uniform",
    template_weights: WeightingOption = "counts",
    protocol: ReadProtocolOption = "",
    aggregation: AggregationOption = "sum",
    unit: UnitOption = "usual",
) -> None:
    """Write one row per occupation × template × group, and the risk report beside it as JSON."""
    kind: Literal["csv", "parquet", "json"] = one_of(form, "--format", ("csv", "parquet", "json"))
    options = view_options(
        weights, criterion, scale, reference, template_weights, protocol or "exact", aggregation, unit
    )
    store = open_store()
    spec = store.load_run(run)
    options = options.model_copy(update={"protocol": protocol or spec.scoring.protocol})
    result = load_result(store, spec, options.protocol, options.aggregation)
    for path in export_run(spec, result.preferences, report(result, spec, options), out, kind):
        say(f"wrote {path}")
