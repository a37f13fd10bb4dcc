"""Compare corrections of context and wording caprice for few wordings, and measure their intervals.

**Population.**  15 occupations and two groups.  The stereotype of occupation x in wording w of meaning m is

    s  =  α_x + τ (√½ u_m + √½ e_xm) + ω (√½ u_mw + √½ e_xmw)

with u and e standard normal: meanings and wordings move all occupations together with half of the variance.
The leans α_x are ``lean`` times the normal quantiles of the occupations, or 0.  The true parts have an
unlimited number of meanings and wordings; they are means of folded normals, E |N(α, τ²)| and so on.

**Corrections** estimate E_m J(E_w s), what R^p and context caprice add up to, by

- *plug-in*: J of family means;
- *jackknife*: each wording left out of its family once;
- *squares*: simulation–extrapolation of :mod:`pcf_core.measure.corrected`, with the variance of the wordings
  of each family, or of *all families* of an occupation;
- *drawn in*: :mod:`pcf_core.measure.wordings`, with k of each *occupation*, or one for all: the one in use.

All share the same corrected R^p.  ``python -m benchmarks.wordings`` prints bias and root mean square error of
both parts; with ``--intervals`` how often intervals hold the true parts, and their median width.

    python -m benchmarks.wordings --replications 300
    python -m benchmarks.wordings --replications 300 --intervals
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Annotated

import numpy as np
import typer

from benchmarks.coverage import OCCUPATIONS, folded, normal_quantiles
from pcf_core.core.records import FloatArray
from pcf_core.measure.bootstrap import risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.wordings import WordingSplit, wording_split

FAMILIES, WORDINGS = (10, 30, 100), (2, 6)
KINDS = (  # lean, contexts, noise; hardly any stereotype is beyond 1, where it is cut off
    (0.0, 0.0, 0.3),
    (0.0, 0.1, 0.3),
    (0.0, 0.2, 0.3),
    (0.0, 0.2, 0.1),
    (0.2, 0.1, 0.2),
    (0.2, 0.2, 0.1),
)
PARTS = ("context", "wording")
PART_NAMES = {"context": "context_caprice", "wording": "wording_caprice"}


@dataclass(frozen=True)
class Cell:
    """``families`` of ``wordings`` each; ``lean`` of α, ``contexts`` τ and ``noise`` ω of the module."""

    families: int
    wordings: int
    lean: float
    contexts: float
    noise: float

    @property
    def name(self) -> str:
        return f"| {self.families} | {self.wordings} | {self.lean:g} | {self.contexts:g} | {self.noise:g} |"

    @property
    def leans(self) -> FloatArray:
        return self.lean * normal_quantiles(OCCUPATIONS)

    @property
    def labels(self) -> list[str]:
        return [str(family) for family in range(self.families) for _ in range(self.wordings)]

    def truths(self) -> dict[str, float]:
        """Return the true context and wording caprice."""
        sizes = np.abs(self.leans)

        def mean(spread: float) -> float:
            return float(folded(sizes, np.full(sizes.shape, spread)).mean())

        between = mean(self.contexts)
        return {
            "context": between - float(sizes.mean()),
            "wording": mean(float(np.hypot(self.contexts, self.noise))) - between,
        }

    def drawn(self, samples: int, generator: np.random.Generator) -> FloatArray:
        """Return [sample, occupation, family, wording] stereotypes of the first group."""

        def mixed(*shape: int) -> FloatArray:
            together = generator.standard_normal((samples, 1, *shape))
            return np.asarray(
                np.sqrt(0.5) * (together + generator.standard_normal((samples, OCCUPATIONS, *shape)))
            )

        leans = self.leans[:, np.newaxis, np.newaxis]
        moved = self.contexts * mixed(self.families, 1) + self.noise * mixed(self.families, self.wordings)
        return np.asarray((leans + moved).clip(-1, 1))


def cells() -> Iterator[Cell]:
    for families, wordings, kind in product(FAMILIES, WORDINGS, KINDS):
        yield Cell(families, wordings, *kind)


# The corrections.


def estimates(s: FloatArray) -> dict[str, FloatArray]:
    """Return [sample] E_m J(E_w s) by each correction, from [sample, occupation, family, wording]."""
    wordings, means = s.shape[3], s.mean(axis=3)
    plain, centre = np.abs(means).mean(axis=(1, 2)), means.mean(axis=2, keepdims=True)
    without = (means[..., np.newaxis] * wordings - s) / (wordings - 1)
    each = s.var(axis=3, ddof=1) / wordings
    alike = np.broadcast_to(each.mean(axis=2, keepdims=True), each.shape)
    spread, noise = means.var(axis=2, ddof=1), alike[:, :, 0]

    def squares(variance: FloatArray) -> FloatArray:
        noisier = folded(np.abs(means), np.sqrt(variance)).mean(axis=(1, 2))
        return np.asarray(np.sqrt((2 * plain**2 - noisier**2).clip(min=0)))

    def drawn_in(squared: FloatArray) -> FloatArray:
        factor = np.sqrt(squared.clip(min=0))[..., np.newaxis]
        return np.asarray(np.abs(centre + factor * (means - centre)).mean(axis=(1, 2)))

    return {
        "plug-in": plain,
        "jackknife": plain - (wordings - 1) * (np.abs(without).mean(axis=(1, 2, 3)) - plain),
        "squares": squares(each),
        "squares, all families": squares(alike),
        "drawn in, occupation": drawn_in(1 - noise / spread),
        "drawn in": drawn_in((1 - noise.sum(axis=1) / spread.sum(axis=1))[:, np.newaxis]),
    }


def corrected_prejudice(s: FloatArray) -> FloatArray:
    """Return [sample] R^p corrected for few families."""
    means = s.mean(axis=3)
    lean = np.abs(means.mean(axis=2))
    noisier = folded(lean, means.std(axis=2, ddof=1) / np.sqrt(means.shape[2])).mean(axis=1)
    return np.asarray(np.sqrt((2 * lean.mean(axis=1) ** 2 - noisier**2).clip(min=0)))


def compare(replications: int) -> Iterator[str]:
    """Yield a table of bias / root mean square error of both parts, in thousandths of the scale."""
    generator = np.random.default_rng(2)
    errors: dict[str, dict[str, list[float]]] = {}
    for cell in cells():
        s, truths = cell.drawn(replications, generator), cell.truths()
        prejudice, risk = corrected_prejudice(s), np.abs(s).mean(axis=(1, 2, 3))
        found = {name: np.minimum(np.maximum(one, prejudice), risk) for name, one in estimates(s).items()}
        if not errors:
            yield (
                "| families | wordings | lean | meanings | wordings' | part | true | "
                + " | ".join(found)
                + " |"
            )
            yield "|---" * (7 + len(found)) + "|"
            errors = {part: {name: [] for name in found} for part in PARTS}
        for part in PARTS:
            entries = []
            for name, between in found.items():
                values = between - prejudice if part == "context" else risk - between
                error = values - truths[part]
                errors[part][name].append(float(np.sqrt((error**2).mean())))
                entries.append(f"{1000 * error.mean():.0f} / {1000 * errors[part][name][-1]:.0f}")
            yield f"{cell.name} {part} | {1000 * truths[part]:.0f} | {' | '.join(entries)} |"
    for part in PARTS:
        means = " | ".join(f"{1000 * np.mean(several):.1f}" for several in errors[part].values())
        yield f"| mean error | | | | | {part} | | {means} |"


# The intervals.


def split_of(s: FloatArray, cell: Cell, resamples: int, seed: int) -> WordingSplit:
    """Return both parts of [occupation, family, wording] stereotypes, with intervals."""
    flat = s.reshape(OCCUPATIONS, -1)
    values = np.stack([(1 + flat) / 2, (1 - flat) / 2], axis=-1)
    unit, alike = TemplateUnit.templates(np.ones(flat.shape[1]), cell.labels), np.ones(OCCUPATIONS)
    found = risk_intervals(values, unit, alike, Criterion(), resamples=resamples, seed=seed)
    split = wording_split(values, unit, alike, found, Criterion(), resamples=resamples, seed=seed)
    assert split is not None
    return split


def interval_rows(replications: int, resamples: int) -> Iterator[str]:
    """Yield a table of how often intervals over templates hold the true parts, and how wide they are."""
    head = ("families", "wordings", "lean", "meanings", "wordings'")
    of_parts = [
        f"{part} {what}" for part in PARTS for what in ("true", "held, %", "width", "bias", "corrected")
    ]
    yield f"| {' | '.join((*head, *of_parts))} |"
    yield "|---" * (len(head) + len(of_parts)) + "|"
    for cell in cells():
        generator, truths = np.random.default_rng(2), cell.truths()
        drawn = [cell.drawn(1, generator)[0] for _ in range(replications)]
        found = [split_of(s, cell, resamples, seed) for seed, s in enumerate(drawn)]
        entries = []
        for part in PARTS:
            several = [split.intervals[PART_NAMES[part]][0] for split in found]
            held = np.mean([one.low <= truths[part] <= one.high for one in several])
            biases = [
                np.mean([getattr(split, name) for split in found]) - truths[part]
                for name in (part, f"corrected_{part}")
            ]
            entries += [
                f"{truths[part]:.3f}",
                f"{100 * held:.1f}{' ✗' * bool(held < 0.92)}",
                f"{np.median([one.high - one.low for one in several]):.3f}",
                *(f"{bias:.3f}" for bias in biases),
            ]
        yield f"{cell.name} {' | '.join(entries)} |"


def main(
    replications: Annotated[int, typer.Option(help="samples of templates in each cell")] = 300,
    resamples: Annotated[int, typer.Option(help="of each interval")] = 500,
    intervals: Annotated[bool, typer.Option(help="measure intervals instead of corrections")] = False,
) -> None:
    """Print the table, in Markdown."""
    for line in interval_rows(replications, resamples) if intervals else compare(replications):
        typer.echo(line)


if __name__ == "__main__":
    typer.run(main)
