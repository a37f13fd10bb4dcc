"""Measure how often the verdict on a tail is right, and the false positives on an exponential tail.

Samples of known distributions go through the rule of :func:`pcf_core.measure.tails.upper_tail`: the lowest
threshold over which a generalised Pareto distribution is not rejected, and the likelihood ratio there.  Its
p-values come from samples of each fit; here critical values are drawn once per size and a grid of shapes and
interpolated, so that a thousand samples a row are feasible. Limit: 5 to 7 of 100 exponential samples are
called heavier or lighter.

    python -m benchmarks.tails --samples 1000
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from pcf_core.core.records import FloatArray
from pcf_core.measure.tails import (
    FEWEST_ABOVE,
    LEVEL,
    THRESHOLDS,
    Fitted,
    anderson_darling,
    fitted,
    likelihood_ratio,
)

SIZES = (30, 60, 120, 250, 1000)
SHAPES = np.array([-0.9, -0.7, -0.5, -0.3, -0.15, 0.0, 0.2, 0.5, 1.0, 1.6])
DRAWS = 1000  # behind a critical value
Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
KINDS: Mapping[str, Draw] = {
    "exponential": lambda generator, shape: generator.standard_exponential(shape),
    "Gamma(3)": lambda generator, shape: generator.gamma(3, size=shape),
    "half normal": lambda generator, shape: np.abs(generator.standard_normal(shape)),
    "lognormal, σ 1": lambda generator, shape: np.exp(generator.standard_normal(shape)),
    "Pareto, α 2": lambda generator, shape: generator.pareto(2.0, shape),
}


def critical_values(generator: np.random.Generator, size: int) -> tuple[FloatArray, float]:
    """Return [shape] the 95th percentile of A² of a fit, and of the likelihood ratio."""
    distances = []
    for shape in SHAPES:
        true = Fitted("generalised Pareto", {"shape": np.array([shape]), "scale": np.ones(1)})
        draws = true.draw(generator, DRAWS, size)
        distances.append(np.quantile(anderson_darling(fitted("generalised Pareto", draws), draws), LEVEL))
    ratios = likelihood_ratio(generator.standard_exponential((DRAWS, size)))
    return np.array(distances), float(np.quantile(ratios, LEVEL))


def verdicts(
    samples: FloatArray, generator: np.random.Generator, known: dict[int, tuple[FloatArray, float]]
) -> NDArray[np.int_]:
    """Return [sample] 1 for heavier, −1 for lighter, 0 where undecided.

    ``known``: critical values by size, extended here.
    """
    ordered = np.sort(samples, axis=1)
    found, left = np.zeros(len(ordered), dtype=np.int_), np.arange(len(ordered))
    for left_out in THRESHOLDS:
        below = round(left_out * ordered.shape[1])
        above = ordered[left, below:] - (ordered[left, below - 1 : below] if below else 0.0)
        size = above.shape[1]
        if size < FEWEST_ABOVE or not len(left):
            break
        if size not in known:
            known[size] = critical_values(generator, size)
        distances, ratio = known[size]
        fit = fitted("generalised Pareto", above)
        shape = fit.parameters["shape"][:, 0]
        fits = anderson_darling(fit, above) <= np.interp(shape, SHAPES, distances)
        told = np.where(likelihood_ratio(above) > ratio, np.sign(shape), 0)
        found[left[fits]] = told[fits]
        left = left[~fits]
    return found


def main(
    samples: Annotated[int, typer.Option(help="samples of each kind and size")] = 1000,
    size: Annotated[list[int], typer.Option(help="values a sample; may be repeated")] = list(SIZES),  # noqa: B006
    seed: Annotated[int, typer.Option(help="of the samples")] = 0,
) -> None:
    """Print the table: of 100 samples, how many are called heavier and how many lighter."""
    generator = np.random.default_rng(seed)
    known: dict[int, tuple[FloatArray, float]] = {}
    typer.echo(f"{'heavier / lighter, %':<22}" + "".join(f"{f'n {many}':>14}" for many in size))
    for name, draw in KINDS.items():
        line = f"{name:<22}"
        for many in size:
            found = verdicts(draw(generator, (samples, many)), generator, known)
            line += f"{f'{100 * np.mean(found > 0):.1f} / {100 * np.mean(found < 0):.1f}':>14}"
        typer.echo(line)


if __name__ == "__main__":
    typer.run(main)
