"""Compare corrections of sampled risk for few answers, and measure its intervals.

**Population.**  15 occupations and two groups.  In context t, occupation x prefers the first group with

    p  =  p_x + σ (√½ u_t + √½ e_xt),    cut off at 0 and 1,

where u and e are standard normal, σ is ``spread``, and p_x is ``lean`` in eight occupations and 1 − ``lean``
in the others.  A cell is answered n times, and the number of answers that name the first group is binomial.

**Corrections** estimate the R of these contexts from shares p̂ of answers, by

- *plug-in*: |2 p̂ − 1|;
- *halves*: 2 p̂ − 1 of one half of the answers, with the sign of the other half, averaged over all halves;
- *squares*: simulation–extrapolation of :mod:`pcf_core.measure.corrected`;
- *beta-binomial*: E |2 p − 1| of beta distributions of maximum likelihood, with a spread for each
  *occupation*, or *one spread*;
- *drawn in*: shares with the variance that p have, by √κ of :mod:`pcf_core.measure.answers`;
- *drawn in, in use*: that module, which requires κ to be more than noise and draws in means too.

All but the first and the last have R^p by squares.  The table has bias / root mean square error of R^c in
thousandths, against the R^c of the contexts that were drawn.  ``--intervals`` measures how often 95 %
intervals over templates hold the R, R^p and R^c of the population, those over answers the ones of the drawn
contexts, and how wide they are.  A risk that an interval misses by less than .0005, half of the last digit
that is shown, counts as held.

    python -m benchmarks.answers
    python -m benchmarks.answers --intervals --contexts 30
    python -m benchmarks.answers --intervals --contexts 30 --skip 4      # go on after four rows
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.coverage import OCCUPATIONS, SYMBOLS, folded, normal_quantiles
from pcf_core.core.records import FloatArray
from pcf_core.measure.answers import Answers
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit

LEANS, SPREADS, ANSWERS = (0.5, 0.7, 0.9), (0.0, 0.1, 0.3), (5, 10, 20)
QUANTILES = 20_001
SEEN = 0.0005  # half of the last digit of a risk
MEANS = (np.arange(61) + 0.5) / 61  # grids of beta distributions; the spread is 1 / (α + β + 1)
BETA_SPREADS = np.concatenate([[1e-4], np.geomspace(1e-3, 0.95, 40)])


@dataclass(frozen=True)
class Cell:
    """``contexts`` with ``answers`` each; ``lean`` and ``spread`` of the module."""

    contexts: int
    answers: int
    lean: float
    spread: float

    @property
    def name(self) -> str:
        return f"| {self.contexts} | {self.answers} | {self.lean:g} | {self.spread:g} |"

    def truths(self) -> dict[str, float]:
        """Return R, R^p and R^c of the population, by quantity."""
        s = 2 * (self.lean + self.spread * normal_quantiles(QUANTILES)).clip(0, 1) - 1
        return risks_of(s[np.newaxis])

    def drawn(self, samples: int) -> tuple[FloatArray, NDArray[np.int64]]:
        """Return [sample, occupation, context] preferences, and answers for the first group."""
        generator = np.random.default_rng(2)
        leans = np.where(np.arange(OCCUPATIONS) % 2, 1 - self.lean, self.lean)[:, np.newaxis]
        together = generator.standard_normal((samples, 1, self.contexts))
        apart = generator.standard_normal((samples, OCCUPATIONS, self.contexts))
        p = (leans + self.spread * np.sqrt(0.5) * (together + apart)).clip(0, 1)
        return p, generator.binomial(self.answers, p)

    def estimated(self, counts: NDArray[np.int64]) -> Answers:
        """Return the answers of one sample [occupation, context]."""
        both = np.stack([counts, self.answers - counts], axis=-1).astype(np.float64)
        unit = TemplateUnit.templates(np.ones(self.contexts))
        return Answers(both, unit, np.full(OCCUPATIONS, 1 / OCCUPATIONS), Criterion())


def cells(contexts: tuple[int, ...]) -> Iterator[Cell]:
    for each in product(contexts, ANSWERS, LEANS, SPREADS):
        yield Cell(*each)


def risks_of(stereotypes: FloatArray) -> dict[str, float]:
    """Return R, R^p and R^c of [occupation, context] stereotypes of the first group."""
    overall, prejudice = np.abs(stereotypes).mean(), np.abs(stereotypes.mean(axis=1)).mean()
    return dict(zip(RISKS, map(float, (overall, prejudice, overall - prejudice)), strict=True))


# The corrections.


@lru_cache
def halves(answers: int) -> FloatArray:
    """Return [count] the mean over halves of the answers of 2 p̂ − 1 with the sign of the other half."""
    from scipy.stats import hypergeom

    sizes = {answers // 2, answers - answers // 2}
    table = np.zeros(answers + 1)
    for size, count in product(sizes, range(answers + 1)):
        first = np.arange(size + 1)
        second = 2 * (count - first) / (answers - size) - 1
        table[count] += hypergeom.pmf(first, answers, count, size) @ (np.sign(2 * first - size) * second)
    return table / len(sizes)


@lru_cache
def beta_grids(answers: int) -> tuple[FloatArray, FloatArray]:
    """Return [count, mean, spread] log-probabilities and [mean, spread] E |2 p − 1|."""
    from scipy.special import betainc, betaln, gammaln

    mean, size = MEANS[:, np.newaxis], 1 / BETA_SPREADS - 1
    a, b, count = mean * size, (1 - mean) * size, np.arange(answers + 1)[:, np.newaxis, np.newaxis]
    ways = gammaln(answers + 1) - gammaln(count + 1) - gammaln(answers - count + 1)
    below = 0.5 * betainc(a, b, 0.5) - mean * betainc(a + 1, b, 0.5)  # E (½ − p)⁺
    return ways + betaln(count + a, answers - count + b) - betaln(a, b), 2 * (mean - 0.5 + 2 * below)


def beta_binomial(counts: NDArray[np.int64], answers: int) -> tuple[FloatArray, FloatArray]:
    """Return [sample] R of beta-binomial models, with a spread for each occupation and with one."""
    logs, expected = beta_grids(answers)
    alone, together = np.zeros(len(counts)), np.zeros(len(counts))
    for sample, rows in enumerate(counts):
        times = np.stack([(rows == count).sum(axis=1) for count in range(answers + 1)], axis=1)
        likelihood = np.tensordot(times, logs, 1)
        alone[sample] = expected.ravel()[likelihood.reshape(len(rows), -1).argmax(axis=1)].mean()
        spread = likelihood.max(axis=1).sum(axis=0).argmax()
        together[sample] = expected[likelihood[:, :, spread].argmax(axis=1), spread].mean()
    return alone, together


def estimates(counts: NDArray[np.int64], cell: Cell) -> dict[str, FloatArray]:
    """Return [sample] R^c by each correction, from [sample, occupation, context] answers."""
    n = cell.answers
    s = 2 * counts / n - 1
    noise, mean = (1 - s**2) / (n - 1), s.mean(axis=2)
    plain, centre = np.abs(s).mean(axis=(1, 2)), mean[..., np.newaxis]
    noisier = folded(np.abs(s), np.sqrt(noise)).mean(axis=(1, 2))
    lean = np.abs(mean).mean(axis=1)
    noisier_lean = folded(np.abs(mean), np.sqrt(noise.mean(axis=2) / cell.contexts)).mean(axis=1)
    prejudice = np.sqrt((2 * lean**2 - noisier_lean**2).clip(min=0))
    spread = s.var(axis=2, ddof=1).sum(axis=1)
    genuine = 1 - noise.mean(axis=2).sum(axis=1) / np.where(spread > 0, spread, 1.0)
    factor = np.where(spread > 0, np.sqrt(genuine.clip(min=0)), 0.0)[:, np.newaxis, np.newaxis]
    alone, together = beta_binomial(counts, n)
    risks = {
        "halves": halves(n)[counts].mean(axis=(1, 2)),
        "squares": np.sqrt((2 * plain**2 - noisier**2).clip(min=0)),
        "beta-binomial, occupation": alone,
        "beta-binomial, one spread": together,
        "drawn in": np.abs(centre + factor * (s - centre)).mean(axis=(1, 2)),
    }
    several = [cell.estimated(rows) for rows in counts]
    used = np.array([one.figures(one.corrected)["caprice_risk"] for one in several])
    return (
        {"plug-in": plain - lean}
        | {name: (risk - prejudice).clip(min=0) for name, risk in risks.items()}
        | {"drawn in, in use": used}
    )


HEAD = ("T", "n", "lean", "spread")


def compare(several: Iterator[Cell], replications: int) -> Iterator[str]:
    """Yield a table of bias / root mean square error of R^c, in thousandths of the scale."""
    errors: dict[str, list[float]] = {}
    for cell in several:
        p, counts = cell.drawn(replications)
        truths = np.array([risks_of(2 * one - 1)["caprice_risk"] for one in p])
        by_name = estimates(counts, cell)
        if not errors:
            yield f"| {' | '.join((*HEAD, 'true', *by_name))} |\n{'|---' * (5 + len(by_name))}|"
        entries = []
        for name, values in by_name.items():
            error = 1000 * (values - truths)
            errors.setdefault(name, []).append(float(np.sqrt((error**2).mean())))
            entries.append(f"{error.mean():.0f} / {errors[name][-1]:.0f}")
        yield f"{cell.name} {1000 * truths.mean():.0f} | {' | '.join(entries)} |"
    means = " | ".join(f"{np.mean(rows):.1f}" for rows in errors.values())
    yield f"| mean error | | | | | {means} |"


# The intervals.


def interval_rows(several: Iterator[Cell], replications: int, resamples: int) -> Iterator[str]:
    """Yield a table of how often intervals hold R, R^p and R^c, and how wide they are."""
    measures = ("true", "templates, %", "width", "answers, %")
    columns = (*HEAD, *(f"{symbol} {measure}" for symbol in SYMBOLS for measure in measures))
    yield f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|"
    for cell in several:
        p, counts = cell.drawn(replications)
        truths = cell.truths()
        own = [risks_of(2 * one - 1) for one in p]
        ranges = [cell.estimated(rows).intervals(resamples, seed=seed) for seed, rows in enumerate(counts)]
        entries = []
        for name in RISKS:
            over_templates, over_answers = zip(*(one[name] for one in ranges), strict=True)
            held = np.mean([holds(one.low, truths[name], one.high) for one in over_templates])
            of_own = [
                holds(one.low, risks[name], one.high) for one, risks in zip(over_answers, own, strict=True)
            ]
            width = np.median([one.high - one.low for one in over_templates])
            entries += [f"{truths[name]:.3f}", marked(held), f"{width:.3f}", marked(np.mean(of_own))]
        yield f"{cell.name} {' | '.join(entries)} |"


def holds(low: float, value: float, high: float) -> bool:
    return low - SEEN <= value <= high + SEEN


def marked(held: np.floating) -> str:
    return f"{100 * held:.1f}{' ✗' * bool(held < 0.92)}"


def main(
    replications: Annotated[int, typer.Option(help="samples in each cell")] = 300,
    resamples: Annotated[int, typer.Option(help="of each interval")] = 400,
    contexts: Annotated[int, typer.Option(help="how many, 0 for 10 and 30")] = 0,
    skip: Annotated[int, typer.Option(help="rows that were printed before")] = 0,
    intervals: Annotated[bool, typer.Option(help="measure intervals instead of corrections")] = False,
) -> None:
    """Print the table, in Markdown, each row as soon as it is done."""
    several = islice(cells((contexts,) if contexts else (10, 30)), skip, None)
    lines = interval_rows(several, replications, resamples) if intervals else compare(several, replications)
    for line in lines:
        typer.echo(line)


if __name__ == "__main__":
    typer.run(main)
