"""Measure time and memory of a report's intervals, and the least that their arithmetic needs.

The floor is the matrix product of resampled weights with stereotypes and risks: FLOPs at the measured rate of
that shape, and its operands.  Each unit runs in its own process; printed is its peak resident set less what
interpreter, libraries and preferences take before. Limit: 2,000 resamples of 120 × 2,000 × 2 in 3 s on two
cores, and 1 GB.

    python -m benchmarks.intervals --templates 32000 --groups 5
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Annotated

import numpy as np
import typer

from benchmarks.memory import peak
from pcf_core.core.records import FloatArray
from pcf_core.measure.bootstrap import risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import BLOCK_CELLS, TemplateUnit

OCCUPATIONS, RESAMPLES = 120, 2000
UNITS = ("template", "document", "mention")


def preferences_and_counts(templates: int, groups: int) -> tuple[FloatArray, FloatArray]:
    """Return random preferences, and counts that fall like those of mined templates."""
    generator = np.random.default_rng(0)
    values = generator.dirichlet(np.ones(groups), size=(OCCUPATIONS, templates))
    return values, np.ceil(50 * (generator.pareto(1.0, templates) + 0.1))


def unit_named(name: str, counts: FloatArray) -> TemplateUnit:
    if name == "document":
        return TemplateUnit.documents(counts, np.ceil(counts / 1.5))
    return TemplateUnit.mentions(counts) if name == "mention" else TemplateUnit.templates(counts)


def measure(name: str, templates: int, groups: int) -> dict[str, float]:
    """Return seconds (wall and processor) and megabytes of one call, after warm-up and importing scipy."""
    values, counts = preferences_and_counts(templates, groups)
    unit = unit_named(name, counts)
    risk_intervals(
        values[:, :3], unit_named(name, counts[:3]), np.ones(OCCUPATIONS), Criterion(), resamples=2
    )
    before, begun, spent = peak(), time.perf_counter(), time.process_time()
    risk_intervals(values, unit, np.ones(OCCUPATIONS), Criterion(), resamples=RESAMPLES)
    return {
        "seconds": time.perf_counter() - begun,
        "processor": time.process_time() - spent,
        "megabytes": peak() - before,
    }


def floor(templates: int, groups: int) -> tuple[float, float]:
    """Return seconds of the matrix product alone, at the rate of one block, and its megabytes."""
    rows, columns = min(RESAMPLES, BLOCK_CELLS // templates), OCCUPATIONS * (groups + 1)
    left, right = np.ones((rows, templates)), np.ones((templates, columns))
    seconds = []
    for _ in range(5):
        begun = time.perf_counter()
        left @ right
        seconds.append(time.perf_counter() - begun)
    megabytes = (left.nbytes + right.nbytes + RESAMPLES * columns * 8) / 1e6
    return float(np.median(seconds)) * RESAMPLES / rows, megabytes


def main(
    templates: Annotated[list[int], typer.Option(help="templates; may be repeated")] = [2000, 32000],  # noqa: B006
    groups: Annotated[int, typer.Option(help="groups of the topic")] = 2,
    unit: Annotated[str, typer.Option(help="one unit in this process; prints JSON")] = "",
) -> None:
    """Print the table."""
    if unit:
        typer.echo(json.dumps(measure(unit, templates[0], groups)))
        return
    typer.echo(f"{'cells':<20}{'unit':<10}{'seconds':>9}{'CPU s':>8}{'MB':>8}{'floor s':>10}{'floor MB':>10}")
    for count in templates:
        seconds, megabytes = floor(count, groups)
        for name in UNITS:
            options = ["--templates", str(count), "--groups", str(groups), "--unit", name]
            answer = subprocess.run(
                [sys.executable, "-m", "benchmarks.intervals", *options],
                stdout=subprocess.PIPE,  # stderr is shown
                text=True,
                check=True,
            )
            found = json.loads(answer.stdout)
            typer.echo(
                f"{f'{OCCUPATIONS} × {count:,} × {groups}':<20}{name:<10}{found['seconds']:>9.2f}"
                f"{found['processor']:>8.2f}{found['megabytes']:>8,.0f}{seconds:>10.2f}{megabytes:>10,.0f}"
            )


if __name__ == "__main__":
    typer.run(main)
