"""Measure coverage, width and remaining bias of the intervals of R, R^p and R^c.

**Population.**  A simulated model has 15 occupations and two groups.  In a context t the log odds of the
first group are α_x + √c u_t + √(1 − c) e_xt, with u and e standard normal: the context moves all occupations
together with the share ``--common`` c of the variance, and each separately with the rest.  The stereotype is
s = tanh(log odds / 2), with s.d. 0.4 about neutral.  The leans α_x are τ (z_x + ½), z_x the normal quantiles
of the 15 occupations, so that most lean to the first group and some to the second; τ gives the wanted R^p.
``--leans one-sided`` takes |z_x + ½| instead; ``--neutral`` takes α = 0, so that R^p is 0 and R^c is R.  The
true R, R^p and R^c are integrals over the normal, computed on 20,001 quantiles without randomness.
``--skewed`` gives what moves an occupation an exponential distribution, of skewness 2, shifted so that α = 0
is no prejudice; the correlation of its normal scores is c.

**A cell** has T templates, i.e. contexts drawn anew in each replication, and fixed weights: equal, or powers
of the rank (1, 2^−a, 3^−a …) with an effective number of five, where the heaviest has about 40 %.  Weights
are independent of what a context does.  With ``--copies`` n, each of the T is a family of n near-copies,
which share its weight: 1 % of the variance of the log odds, or ``--own``, is each copy's own.

**The oracle** knows the distribution of plug-in figures, from 20,000 samples; its interval is as wide as
their middle 95 %.  Where the plug-in figure is biased no valid interval can be that narrow, because it must
also span the bias.

**Other estimators** (``--estimators``), compared by bias and root mean square error of R^p:

- *plug-in*, J of the mean;
- *clipped difference*, J − (E J(m + ε) − J) per occupation, at least 0 (the former estimator);
- *difference*, the same for R^p, at least 0 only over all occupations;
- *double bootstrap*, 3 J − 3 E J(m + ε) + E J(m + √2 ε);
- *jackknife*, P − Σ (1 − w_t) (P_−t − P), each template left out once;
- *squares, alone*, √(J² − (E² − J²)) per occupation, and *squares*, the same for R^p: the one in use.

**Heavy templates that scatter more** (``--heavy``) cannot be detected by any interval: weight then depends on
what a template does.  This simulation is linear: one occupation, whose stereotypes lie about 0.4 on one side
of neutral with s.d. 0.05, and with 2, 3 and 5 times that for the heaviest template, or the three heaviest.
All weights have an effective number of five.

    python -m benchmarks.coverage --replications 1000
    python -m benchmarks.coverage --replications 1000 --estimators
    python -m benchmarks.coverage --replications 200 --heavy
    python -m benchmarks.coverage --replications 300 --neutral
    python -m benchmarks.coverage --replications 300 --skewed
    python -m benchmarks.coverage --replications 300 --copies 10
    python -m benchmarks.coverage --replications 1000 --neutral --copies 3 --templates 8 --own 0.3
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
import typer

from pcf_core.core.records import FloatArray
from pcf_core.measure.bootstrap import RISKS, risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit

OCCUPATIONS = 15
TEMPLATES, PREJUDICES = (10, 30, 100), (0.02, 0.2, 0.5)
EFFECTIVE = 5.0
ORACLE_SAMPLES = 20_000
LEVEL = 0.95
QUANTILES = 20_001
OWN = 0.01  # share of the variance of a copy that is its own, usually
SYMBOLS = ("R", "R^p", "R^c")
LINEAR_MEAN, LINEAR_SD = 0.4, 0.05  # five times as far is 0.25, so that hardly any changes its sign
HEAVIEST, TIMES = (1, 3), (2, 3, 5)
Leans = Literal["two-sided", "one-sided"]


def normal_quantiles(number: int) -> FloatArray:
    from scipy.special import ndtri

    return np.asarray(ndtri((np.arange(number) + 0.5) / number))


@dataclass(frozen=True)
class Population:
    """Contexts to draw from: [occupation] ``leans`` α, and the share ``common`` c of the variance.

    ``skewed``: what moves an occupation is exponential; ``copies`` of each context, and the share ``own`` of
    the variance that each has alone.
    """

    leans: FloatArray
    common: float
    skewed: bool = False
    copies: int = 1
    own: float = OWN

    def with_prejudice(self, prejudice: float, leans: Leans) -> Population:
        """Return the population whose R^p is ``prejudice``."""
        from scipy.optimize import brentq

        pattern = normal_quantiles(OCCUPATIONS) + 0.5
        pattern = np.abs(pattern) if leans == "one-sided" else pattern

        def scaled(tau: float) -> Population:
            return replace(self, leans=tau * pattern)

        if prejudice == 0:
            return scaled(0)
        return scaled(brentq(lambda tau: scaled(tau).truths()["prejudice_risk"] - prejudice, 0, 50))

    def stereotypes(self, normal: FloatArray) -> FloatArray:
        """Return [..., occupation, template] stereotypes, from normal scores of the same shape."""
        moved = exponential(normal) + no_lean() if self.skewed else normal
        return np.asarray(np.tanh((self.leans[:, np.newaxis] + moved) / 2))

    def truths(self) -> dict[str, float]:
        """Return R, R^p and R^c by quantity."""
        s = self.stereotypes(normal_quantiles(QUANTILES))
        overall, prejudice = float(np.abs(s).mean()), float(np.abs(s.mean(axis=1)).mean())
        return dict(zip(RISKS, (overall, prejudice, overall - prejudice), strict=True))

    def drawn(self, samples: int, contexts: int, generator: np.random.Generator) -> FloatArray:
        """Return [sample, occupation, template] stereotypes of the first group, copies side by side."""
        together = generator.standard_normal((samples, 1, contexts))
        apart = generator.standard_normal((samples, self.leans.size, contexts))
        moved = np.sqrt(self.common) * together + np.sqrt(1 - self.common) * apart
        if self.copies > 1:
            shared = np.repeat(moved, self.copies, axis=2)
            moved = np.sqrt(1 - self.own) * shared + np.sqrt(self.own) * generator.standard_normal(
                shared.shape
            )
        return self.stereotypes(moved)


def exponential(normal: FloatArray) -> FloatArray:
    """Return exponential scores, of mean 0 and s.d. 1, of normal ones."""
    from scipy.special import log_ndtr

    return np.asarray(-log_ndtr(-normal) - 1)


@lru_cache(maxsize=1)
def no_lean() -> float:
    """Return what to add to exponential log odds so that the mean stereotype is 0."""
    from scipy.optimize import brentq

    moved = exponential(normal_quantiles(QUANTILES))
    return float(brentq(lambda added: np.tanh((moved + added) / 2).mean(), -2, 2))


def contexts_of(
    common: float = 0.5, *, skewed: bool = False, copies: int = 1, own: float = OWN
) -> Population:
    """Return contexts whose occupations have no lean yet."""
    return Population(np.zeros(OCCUPATIONS), common, skewed, copies, own)


def weights_worth(templates: int, effective: float | None) -> FloatArray:
    """Return [template] weights that sum to 1: equal, or powers of the rank with this effective number."""
    from scipy.optimize import brentq

    ranks = np.arange(1.0, templates + 1)

    def powers(exponent: float) -> FloatArray:
        return np.asarray(ranks**-exponent / (ranks**-exponent).sum())

    if effective is None:
        return powers(0.0)
    return powers(brentq(lambda exponent: 1 / (powers(exponent) ** 2).sum() - effective, 0.0, 9.0))


def plug_in_figures(stereotypes: FloatArray, weights: FloatArray) -> dict[str, FloatArray]:
    """Return R, R^p and R^c [sample] of [sample, occupation, template] stereotypes, by quantity."""
    overall = (np.abs(stereotypes) @ weights).mean(axis=1)
    prejudice = np.abs(stereotypes @ weights).mean(axis=1)
    return dict(zip(RISKS, (overall, prejudice, overall - prejudice), strict=True))


@dataclass(frozen=True)
class Cell:
    """``templates``, their ``effective`` number (``None``: equal weights) and R^p ``prejudice``."""

    templates: int
    effective: float | None
    prejudice: float

    @property
    def name(self) -> str:
        weights = "equal" if self.effective is None else f"worth {self.effective:g}"
        return f"| {self.templates} | {weights} | {self.prejudice:g} |"


@dataclass(frozen=True)
class Found:
    """By quantity: ``held``, share of intervals with the truth; ``widths``, the median over the oracle's.

    ``biases``: mean error of R^p, plug-in and corrected.
    """

    held: dict[str, float]
    widths: dict[str, float]
    biases: tuple[float, float]


def cells(prejudices: Sequence[float] = PREJUDICES, numbers: Sequence[int] = TEMPLATES) -> Iterator[Cell]:
    """Yield the cells of the grid, 18 with the usual prejudices and ``numbers`` of templates."""
    for templates in numbers:
        for effective in (None, EFFECTIVE):
            for prejudice in prejudices:
                yield Cell(templates, effective, prejudice)


def oracle_widths(population: Population, weights: FloatArray, samples: int) -> dict[str, float]:
    """Return the width of the middle 95 % of plug-in figures, by quantity; ``weights`` of the contexts."""
    generator, block, each = np.random.default_rng(1), 1000, shared(weights, population.copies)
    parts = [
        plug_in_figures(population.drawn(min(block, samples - done), weights.size, generator), each)
        for done in range(0, samples, block)
    ]
    ends = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    return {
        name: float(np.ptp(np.quantile(np.concatenate([part[name] for part in parts]), ends)))
        for name in RISKS
    }


def shared(weights: FloatArray, copies: int) -> FloatArray:
    """Divide the weight of each context among its copies."""
    return np.repeat(weights / copies, copies)


def measure(
    cell: Cell,
    replications: int,
    resamples: int,
    contexts: Population | None = None,
    leans: Leans = "two-sided",
    samples: int = ORACLE_SAMPLES,
) -> Found:
    """Draw the cell's templates repeatedly and compute their intervals; ``contexts``: with any leans."""
    population = (contexts or contexts_of()).with_prejudice(cell.prejudice, leans)
    weights = weights_worth(cell.templates, cell.effective)
    truths, oracle = population.truths(), oracle_widths(population, weights, samples)
    labels = [str(context) for context in range(weights.size) for _ in range(population.copies)]
    unit = TemplateUnit.templates(shared(weights, population.copies), labels)
    generator = np.random.default_rng(2)
    held = dict.fromkeys(RISKS, 0)
    widths: dict[str, list[float]] = {name: [] for name in RISKS}
    errors = np.zeros(2)
    for seed in range(replications):
        s = population.drawn(1, cell.templates, generator)[0]
        values = np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1)
        found = risk_intervals(
            values, unit, np.ones(OCCUPATIONS), Criterion(), resamples=resamples, level=LEVEL, seed=seed
        )
        for name in RISKS:
            interval = found.intervals[name][0]
            held[name] += interval.low <= truths[name] <= interval.high
            widths[name].append((interval.high - interval.low) / oracle[name])
        assert found.correction is not None
        figures = np.array([found.parts.prejudice.mean(), found.correction.prejudice.mean()])
        errors += (figures - truths["prejudice_risk"]) / replications
    return Found(
        {name: count / replications for name, count in held.items()},
        {name: float(np.median(several)) for name, several in widths.items()},
        (float(errors[0]), float(errors[1])),
    )


def row(cell: Cell, found: Found) -> str:
    """Return a table row; mark coverage below 92 % and widths over 1.5 times the oracle's."""
    held = " | ".join(f"{100 * found.held[name]:.1f}{' ✗' * (found.held[name] < 0.92)}" for name in RISKS)
    widths = " | ".join(f"{found.widths[name]:.2f}{' ✗' * (found.widths[name] > 1.5)}" for name in RISKS)
    return f"{cell.name} {held} | {widths} | {found.biases[0]:.4f} | {found.biases[1]:.4f} |"


COLUMNS = ("T", "weights", "R^p", *(f"{name} {what}" for what in ("held, %", "width") for name in SYMBOLS))
HEAD = f"| {' | '.join((*COLUMNS, 'bias', 'corrected'))} |\n{'|---' * (len(COLUMNS) + 2)}|"


def folded(mean: FloatArray, error: FloatArray) -> FloatArray:
    """Return the mean of |N(mean, error²)|."""
    from scipy.special import ndtr

    error = np.maximum(error, 1e-12)
    ratio = mean / error
    return np.asarray(error * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2) + mean * (1 - 2 * ndtr(-ratio)))


def estimates(stereotypes: FloatArray, weights: FloatArray) -> dict[str, FloatArray]:
    """Return [sample] R^p by each estimator of the module, from [sample, occupation, template]."""
    mean, square = stereotypes @ weights, weights @ weights
    error = np.sqrt(((stereotypes - mean[..., np.newaxis]) ** 2 @ weights) * square / (1 - square))
    once, twice, thrice = (np.abs(mean), folded(mean, error), folded(mean, np.sqrt(2) * error))
    total, total_twice, total_thrice = (some.mean(axis=1) for some in (once, twice, thrice))
    without = (mean[..., np.newaxis] - weights * stereotypes) / (1 - weights)
    left_out = np.abs(without).mean(axis=1) - total[:, np.newaxis]
    return {
        "plug-in": total,
        "clipped difference": (2 * once - twice).clip(min=0).mean(axis=1),
        "difference": (2 * total - total_twice).clip(min=0),
        "double bootstrap": (3 * total - 3 * total_twice + total_thrice).clip(min=0),
        "jackknife": (total - left_out @ (1 - weights)).clip(min=0),
        "squares, alone": np.sqrt((2 * once**2 - twice**2).clip(min=0)).mean(axis=1),
        "squares": np.sqrt((2 * total**2 - total_twice**2).clip(min=0)),
    }


def compare(replications: int, contexts: Population, leans: Leans) -> Iterator[str]:
    """Yield a table of bias / root mean square error, in thousandths of the scale."""
    first = True
    for cell in cells():
        population = contexts.with_prejudice(cell.prejudice, leans)
        weights = weights_worth(cell.templates, cell.effective)
        drawn = population.drawn(replications, cell.templates, np.random.default_rng(2))
        found = estimates(drawn, weights)
        if first:
            yield "| T | weights | R^p | " + " | ".join(found) + " |"
            yield "|---" * (3 + len(found)) + "|"
            first = False
        errors = [1000 * (values - cell.prejudice) for values in found.values()]
        yield (
            f"{cell.name} "
            + " | ".join(f"{error.mean():.1f} / {np.sqrt((error**2).mean()):.0f}" for error in errors)
            + " |"
        )


def held_where_heavy_scatter(
    templates: int, heaviest: int, times: float, replications: int, resamples: int
) -> float:
    """Return the coverage of R's interval where the heaviest scatter ``times`` as much."""
    weights = weights_worth(templates, EFFECTIVE)
    unit, generator = TemplateUnit.templates(weights), np.random.default_rng(3)
    scatter = np.where(np.arange(templates) < heaviest, times, 1.0) * LINEAR_SD
    held = 0
    for seed in range(replications):
        s = (LINEAR_MEAN + scatter * generator.standard_normal((1, templates))).clip(-1, 1)
        values = np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1)
        found = risk_intervals(
            values, unit, np.ones(1), Criterion(), resamples=resamples, level=LEVEL, seed=seed
        )
        interval = found.intervals["overall_risk"][0]
        held += interval.low <= LINEAR_MEAN <= interval.high
    return held / replications


def scatter_rows(replications: int, resamples: int) -> Iterator[str]:
    """Yield a table of the coverage of R where heavy templates scatter more, in per cent."""
    yield f"| T | scatter farther | {' | '.join(f'{times} times' for times in TIMES)} |"
    yield "|---" * (2 + len(TIMES)) + "|"
    for templates in (TEMPLATES[-1], TEMPLATES[0]):
        for heaviest in HEAVIEST:
            cells = [
                held_where_heavy_scatter(templates, heaviest, times, replications, resamples)
                for times in TIMES
            ]
            name = "the heaviest" if heaviest == 1 else f"the {heaviest} heaviest"
            yield f"| {templates} | {name} | {' | '.join(f'{100 * held:.0f}' for held in cells)} |"


def main(
    replications: Annotated[int, typer.Option(help="samples of templates in each cell")] = 1000,
    resamples: Annotated[int, typer.Option(help="of each interval")] = 1000,
    common: Annotated[float, typer.Option(help="share of the variance that moves all occupations")] = 0.5,
    leans: Annotated[str, typer.Option(help="two-sided or one-sided")] = "two-sided",
    estimators: Annotated[bool, typer.Option(help="compare estimators of R^p instead")] = False,
    heavy: Annotated[bool, typer.Option(help="let heavy templates scatter farther instead")] = False,
    neutral: Annotated[bool, typer.Option(help="models without any prejudice instead")] = False,
    skewed: Annotated[bool, typer.Option(help="contexts with a skewed effect")] = False,
    copies: Annotated[int, typer.Option(help="near-copies of each template, as a family")] = 1,
    own: Annotated[float, typer.Option(help="share of the variance that each copy has alone")] = OWN,
    templates: Annotated[list[int] | None, typer.Option(help="how many templates or families")] = None,
) -> None:
    """Print the table, in Markdown."""
    if leans not in ("two-sided", "one-sided"):
        raise typer.BadParameter("leans are two-sided or one-sided")
    shape: Leans = "one-sided" if leans == "one-sided" else "two-sided"
    contexts = contexts_of(common, skewed=skewed, copies=copies, own=own)
    if estimators:
        for line in compare(replications, contexts, shape):
            typer.echo(line)
        return
    if heavy:
        for line in scatter_rows(replications, resamples):
            typer.echo(line)
        return
    typer.echo(HEAD)
    for cell in cells((0.0,) if neutral else PREJUDICES, templates or TEMPLATES):
        typer.echo(row(cell, measure(cell, replications, resamples, contexts, shape)))


if __name__ == "__main__":
    typer.run(main)
