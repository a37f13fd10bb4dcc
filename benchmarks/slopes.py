"""Measure the coverage of a slope's interval, with and without the templates' noise.

Made-up models answer every occupation in the same templates: J = 10 + 0.05 x + an occupation effect (s.d.
0.1) + a template effect (0.1) + a template effect per x (*shared*) + a cell effect (*single*).  The slope
over all occupations and templates is 0.05.  An interval that takes the risks as known ignores the template
effect per x; the sum of both variances counts the cell effect twice. Limit: with the noise, 92 of 100 or
more.

    python -m benchmarks.slopes --samples 1000
"""

from __future__ import annotations

from itertools import product
from typing import Annotated

import numpy as np
import typer

from pcf_core.core.records import FloatArray
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.regression import fit_line, template_noise
from pcf_core.measure.resampling import TemplateUnit

SLOPE = 0.05
BASE = 10.0  # so far above 0 that no stereotype changes its sign: this is about slopes
OCCUPATIONS = 65  # about as many lines of the US statistics as the shipped list has
RESAMPLES = 400
SHARED = (0.0, 0.03, 0.1)  # s.d. of what a template adds per x
SINGLE = (0.05, 0.2)  # s.d. of what only a cell has
TEMPLATES = {"5 alike": 5, "20 alike": 20, "100 mined": 100}


def weights_of(kind: str, generator: np.random.Generator) -> FloatArray:
    """Return [template] weights, equal or falling like those of mined templates."""
    if kind.endswith("alike"):
        return np.ones(TEMPLATES[kind])
    return np.ceil(50 * (generator.pareto(1.2, TEMPLATES[kind]) + 0.1))


def risks_of(
    x: FloatArray, templates: int, shared: float, single: float, generator: np.random.Generator
) -> FloatArray:
    """Return [occupation, template] J as the module defines it."""
    risks = BASE + SLOPE * x[:, np.newaxis] + 0.1 * generator.standard_normal((len(x), 1))
    risks = risks + 0.1 * generator.standard_normal(templates)
    risks = risks + shared * generator.standard_normal(templates) * x[:, np.newaxis]
    return np.asarray(risks + single * generator.standard_normal((len(x), templates)))


def held(
    kind: str, shared: float, single: float, samples: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return [2] shares of intervals that contain the slope, and median widths, without noise and with it."""
    found, widths = np.zeros(2), np.zeros((samples, 2))
    names = [str(place) for place in range(OCCUPATIONS)]
    for row, seed in enumerate(generator.integers(2**31, size=samples).tolist()):
        x, unit = generator.standard_normal(OCCUPATIONS), TemplateUnit.templates(weights_of(kind, generator))
        cells = risks_of(x, unit.weights.size, shared, single, generator)
        stereotypes = np.stack([cells, -cells], axis=-1)
        noise = template_noise(
            names, stereotypes, unit, Criterion(), "overall_risk", resamples=RESAMPLES, seed=seed
        )
        fit = fit_line(x, cells @ unit.weights, noise=noise)
        for place, interval in enumerate((fit.known_interval, fit.interval)):
            found[place] += interval.low <= SLOPE <= interval.high
            widths[row, place] = interval.high - interval.low
    return found / samples, np.median(widths, axis=0)


def main(
    samples: Annotated[int, typer.Option(help="made-up models a row")] = 500,
    seed: Annotated[int, typer.Option(help="of the models")] = 0,
) -> None:
    """Print the table: how many of 100 intervals hold the slope."""
    generator = np.random.default_rng(seed)
    typer.echo(
        f"{'templates':<12}{'shared':>8}{'single':>8}{'risks known':>14}{'with noise':>12}{'wider':>8}"
    )
    for kind, shared, single in product(TEMPLATES, SHARED, SINGLE):
        found, widths = held(kind, shared, single, samples, generator)
        typer.echo(
            f"{kind:<12}{shared:>8g}{single:>8g}{100 * found[0]:>14.1f}{100 * found[1]:>12.1f}"
            f"{widths[1] / widths[0]:>8.2f}"
        )


if __name__ == "__main__":
    typer.run(main)
