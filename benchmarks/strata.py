"""Measure the coverage of intervals on sets of several slots, drawn by slot and from all slots.

**Population.**  15 occupations and two groups.  In a context t of slot h the log odds of the first group are
α_x + γ_h + σ_h (√½ u_t + √½ e_xt), with u and e standard normal: as in :mod:`benchmarks.coverage`, plus a
shift of the slot, γ from −``shift`` in the first slot to ``shift`` in the last.  The leans α_x are ``lean``
times the normal quantiles of the occupations.  The last slot varies σ_h = ``spread`` times as much as the
others.  Contexts are drawn anew in each replication, and each slot keeps its number and weights: the true R,
R^p and R^c have these weights, and unlimited contexts in each slot.

**Layouts.**  The families of the shipped set ``gender-wide-wikipedia-20``, with their counts; and slots of
equal templates.

    python -m benchmarks.strata --replications 300
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.coverage import OCCUPATIONS, QUANTILES, SYMBOLS, normal_quantiles
from pcf_core.core.records import FloatArray
from pcf_core.material.templates import load_templates
from pcf_core.measure.bootstrap import RISKS, risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit

SHIPPED = "gender-wide-wikipedia-20"
EQUAL = ((10, 10, 10), (26, 2, 2), (20, 4, 4), (5, 5))
SHIFTS, LEANS, SPREADS = (0.0, 1.5), (0.0, 0.5), (1.0, 2.0)


@dataclass(frozen=True)
class Layout:
    """The ``slots`` [template] and ``weights`` [template] of a set, and its ``name``."""

    name: str
    slots: tuple[str, ...]
    weights: tuple[float, ...]

    @classmethod
    def shipped(cls) -> Layout:
        """Return the families of the shipped set as templates of their own."""
        templates = load_templates(SHIPPED)
        counts: dict[tuple[str, str], float] = {}
        labels = templates.families or templates.texts
        for slot, family, count in zip(templates.slots, labels, templates.counts.tolist(), strict=True):
            counts[slot, family] = counts.get((slot, family), 0.0) + count
        return cls(SHIPPED, tuple(slot for slot, _ in counts), tuple(counts.values()))

    @classmethod
    def equal(cls, sizes: tuple[int, ...]) -> Layout:
        """Return slots of these sizes, with equal weights."""
        slots = tuple(str(slot) for slot, size in enumerate(sizes) for _ in range(size))
        return cls(" + ".join(map(str, sizes)), slots, (1.0,) * len(slots))


@dataclass(frozen=True)
class Cell:
    """A ``layout`` with the ``shift`` γ, ``lean`` of α and ``spread`` σ of the module."""

    layout: Layout
    shift: float
    lean: float
    spread: float

    @cached_property
    def slots(self) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
        """[template] number, γ and σ of its slot."""
        names, of = np.unique(self.layout.slots, return_inverse=True)
        shifts = np.linspace(-self.shift, self.shift, names.size)
        spreads = np.where(np.arange(names.size) == names.size - 1, self.spread, 1.0)
        return of, shifts[of], spreads[of]

    @property
    def leans(self) -> FloatArray:
        """[occupation] α."""
        return self.lean * (normal_quantiles(OCCUPATIONS) + 0.5)

    def truths(self, weights: FloatArray) -> dict[str, float]:
        """Return R, R^p and R^c by quantity; ``weights`` [template], sum to 1."""
        of, shifts, spreads = self.slots
        z, risk, mean = normal_quantiles(QUANTILES), 0.0, np.zeros(OCCUPATIONS)
        for slot in np.unique(of):
            row = int(np.argmax(of == slot))
            s = np.tanh((self.leans[:, np.newaxis] + shifts[row] + spreads[row] * z) / 2)
            share = weights[of == slot].sum()
            risk, mean = risk + share * float(np.abs(s).mean()), mean + share * s.mean(axis=1)
        prejudice = float(np.abs(mean).mean())
        return dict(zip(RISKS, (risk, prejudice, risk - prejudice), strict=True))

    def drawn(self, generator: np.random.Generator) -> FloatArray:
        """Return [occupation, template] stereotypes of the first group."""
        _, shifts, spreads = self.slots
        together = generator.standard_normal((1, shifts.size))
        apart = generator.standard_normal((OCCUPATIONS, shifts.size))
        moved = shifts + spreads * np.sqrt(0.5) * (together + apart)
        return np.asarray(np.tanh((self.leans[:, np.newaxis] + moved) / 2))


@dataclass(frozen=True)
class Found:
    """By quantity, drawn by slot and from all slots: share of intervals that hold the truth, median width."""

    held: dict[str, tuple[float, float]]
    widths: dict[str, tuple[float, float]]


def measure(cell: Cell, replications: int, resamples: int) -> Found:
    """Draw the cell's templates repeatedly, and compute both intervals."""
    weights, slots = np.array(cell.layout.weights), cell.layout.slots
    units = (TemplateUnit.templates(weights, slots=slots), TemplateUnit.templates(weights))
    truths, generator = cell.truths(units[0].weights), np.random.default_rng(4)
    held, widths = np.zeros((len(RISKS), 2, replications)), np.zeros((len(RISKS), 2, replications))
    for seed in range(replications):
        s = cell.drawn(generator)
        values = np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1)
        for way, unit in enumerate(units):
            found = risk_intervals(
                values, unit, np.ones(OCCUPATIONS), Criterion(), resamples=resamples, seed=seed
            )
            for row, name in enumerate(RISKS):
                interval = found.intervals[name][0]
                held[row, way, seed] = interval.low <= truths[name] <= interval.high
                widths[row, way, seed] = interval.high - interval.low
    return Found(
        {name: tuple(held[row].mean(axis=1).tolist()) for row, name in enumerate(RISKS)},
        {name: tuple(np.median(widths[row], axis=1).tolist()) for row, name in enumerate(RISKS)},
    )


def cells() -> Iterator[Cell]:
    """Yield every cell; without a shift and with equal spreads slots make no difference."""
    for layout in (Layout.shipped(), *map(Layout.equal, EQUAL)):
        for shift, lean, spread in product(SHIFTS, LEANS, SPREADS):
            yield Cell(layout, shift, lean, spread)


HEAD = ("layout", "shift", "lean", "spread", *SYMBOLS, *(f"{symbol} width" for symbol in SYMBOLS))


def main(
    replications: Annotated[int, typer.Option(help="samples of templates in each cell")] = 300,
    resamples: Annotated[int, typer.Option(help="of each interval")] = 400,
) -> None:
    """Print the table, in Markdown: drawn by slot / from all slots."""
    typer.echo(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|")
    for cell in cells():
        found = measure(cell, replications, resamples)
        held = [f"{100 * one:.1f} / {100 * other:.1f}" for one, other in found.held.values()]
        widths = [f"{one:.2f} / {other:.2f}" for one, other in found.widths.values()]
        row = [cell.layout.name, f"{cell.shift:g}", f"{cell.lean:g}", f"{cell.spread:g}", *held, *widths]
        typer.echo(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    typer.run(main)
