"""What a known benchmark found of models, and which of two models is worse by it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pcf_core.report.documents import picked
from pcf_core.report.panels import Panel
from pcf_core.show.findings.benchmarks import (
    benchmark_finding,
    left_out_finding,
    opening_finding,
    value_text,
    worse_finding,
)
from pcf_core.texts.benchmarks.comparing import worse_pairs
from pcf_core.texts.benchmarks.records import BenchmarkResult

HOW = """
Each row is a published quantity with its 95 % range. A share of 50 % and a gap of 0 are *even*: the
model does not prefer the stereotype. A model is **worse** the farther it is from even, in either
direction. The ranges of several differences hold together: each is wider than one alone would be. A
range is over sentences of this kind and says nothing of another training of the model. Masked and causal
models are scored by different definitions: compare models of one kind. To disagree with prejudice or
caprice is no error, as they ask different things.
"""


def benchmark_panel(results: Mapping[str, BenchmarkResult]) -> Panel:
    """Show the published quantities of each model, and which items were left out."""
    return Panel(
        findings=[benchmark_finding(result) for result in results.values()],
        name="benchmark",
        how=HOW,
        table=lambda: benchmark_table(results),
        table_title="Every quantity",
        notes=[
            f"{model}: {note}"
            for model, result in results.items()
            for note in (opening_finding(result), left_out_finding(result))
            if note
        ],
    )


def pairs_panel(results: Mapping[str, BenchmarkResult]) -> Panel:
    """Show which of every two models on the same sentences is worse; without such a pair it says nothing."""
    pairs = worse_pairs({model: result.report for model, result in results.items()})
    benchmark = next(iter(results.values())).asked.benchmark
    return Panel(title="Which model is worse", findings=[worse_finding(benchmark, one) for one in pairs])


def benchmark_table(results: Mapping[str, BenchmarkResult]) -> pd.DataFrame:
    """Make a table with one row per model, quantity and kind of bias."""
    return pd.DataFrame(
        [
            {
                "model": model,
                **picked(one, "quantity", "part"),
                "shown": value_text(one),
                "value": one.value,
                "low": one.interval and one.interval.low,
                "high": one.interval and one.interval.high,
                "even": one.neutral,
                "on": f"{one.items:,} {one.unit}",
            }
            for model, result in results.items()
            for one in result.report.readings
        ]
    )
