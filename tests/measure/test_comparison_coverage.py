"""How often the intervals of a difference hold the true one, on named grids; ``pytest -s`` prints the table.

A stereotype of model k for occupation x in context t is μ_kx + u_t + e_kxt: contexts move both models and all
occupations alike (u), and each by itself (e), all normal, so that r = E|s| is the mean of a folded normal and
r^p = |μ|.  Occupations' μ are drawn too.  At E s = 0 the coverage is reported and must only not break down.
So is that of caprice where contexts of the other sign are so rare that most samples have none: no interval
knows of contexts that it has not seen.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from pcf_core.core.records import FloatArray
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.comparison import paired_comparison
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit
from tests.measure.test_comparison import of_stereotypes

RUNS = 1000
OCCUPATIONS = 24


@dataclass(frozen=True)
class Grid:
    """Ranges of the two models' μ; s.d. of a context's common and own effect; templates; the least share, of
    the quantities that are judged.
    """

    first: tuple[float, float]
    second: tuple[float, float]
    common: float
    own: float
    templates: int
    least: float = 0.93
    judged: tuple[str, ...] = RISKS


GRIDS = {
    "far from 0": Grid((0.3, 0.5), (0.2, 0.4), 0.08, 0.1, 40, judged=RISKS[:2]),
    "with caprice": Grid((0.12, 0.2), (0.15, 0.18), 0.08, 0.2, 80),
    "with rarer caprice": Grid((0.12, 0.3), (0.2, 0.25), 0.08, 0.2, 60, judged=RISKS[:2]),
    "few templates": Grid((0.3, 0.5), (0.2, 0.4), 0.08, 0.1, 10, judged=RISKS[:2]),
    "kink: first at 0": Grid((0, 0), (0.3, 0.4), 0.08, 0.1, 40, 0.85),
    "kink: first one s.e. off": Grid((0.02, 0.02), (0.3, 0.4), 0.08, 0.1, 40, 0.85),
    "kink: both at 0": Grid((0, 0), (0, 0), 0.08, 0.1, 40, 0.85),
    "kink: 0 against one s.e.": Grid((0, 0), (0.02, 0.02), 0.0, 0.128, 40, 0.85),
}


def folded(mean: FloatArray, sd: float) -> FloatArray:
    """E|s| of normal s."""
    z = mean / sd
    return sd * math.sqrt(2 / math.pi) * np.exp(-(z**2) / 2) + mean * np.vectorize(math.erf)(z / math.sqrt(2))


def truth(means: FloatArray, sd: float) -> dict[str, FloatArray]:
    """By quantity, the difference of the two models' risks: [2, ...] means -> [...]."""
    overall = [folded(mean, sd) for mean in means]
    prejudice = np.abs(means)
    return {
        "overall_risk": overall[0] - overall[1],
        "prejudice_risk": prejudice[0] - prejudice[1],
        "caprice_risk": (overall[0] - prejudice[0]) - (overall[1] - prejudice[1]),
    }


def coverage(grid: Grid) -> dict[tuple[str, str], float]:
    """Share of simulated comparisons whose interval holds the truth, by quantity and what it is over."""
    generator = np.random.default_rng(1)
    sd = math.hypot(grid.common, grid.own)
    middle = np.stack([np.linspace(*ends, 2001) for ends in (grid.first, grid.second)])
    population = {name: float(values.mean()) for name, values in truth(middle, sd).items()}
    held: Counter[tuple[str, str]] = Counter()
    for seed in range(RUNS):
        means = np.stack([generator.uniform(*ends, OCCUPATIONS) for ends in (grid.first, grid.second)])
        shape = (2, OCCUPATIONS, grid.templates)
        stereotypes = means[..., np.newaxis] + generator.normal(0, grid.common, grid.templates)
        stereotypes = np.clip(stereotypes + generator.normal(0, grid.own, shape), -1, 1)
        found = paired_comparison(
            *map(of_stereotypes, stereotypes),
            TemplateUnit.templates(np.ones(grid.templates)),
            np.ones(OCCUPATIONS),
            Criterion(),
            resamples=400,
            permutations=1,
            seed=seed,
        )
        true = truth(means, sd)
        for name in RISKS:
            templates, _, both = found.totals[name].intervals
            held[name, "templates"] += templates.low <= true[name].mean() <= templates.high
            held[name, "both"] += both.low <= population[name] <= both.high
            rows = [row[name].intervals[0] for row in found.occupations]
            inside = [row.low <= value <= row.high for row, value in zip(rows, true[name], strict=True)]
            held[name, "one occupation"] += float(np.mean(inside))
    return {key: times / RUNS for key, times in held.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", GRIDS)
def test_intervals_hold_the_true_difference(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    grid = GRIDS[name]
    found = coverage(grid)
    with capsys.disabled():
        for risk, over in product(RISKS, ("templates", "both", "one occupation")):
            print(f"\n{name:<26} {risk:<16} {over:<16} {found[risk, over]:.3f}", end="")  # noqa: T201
    low = {key: share for key, share in found.items() if key[0] in grid.judged and share < grid.least}
    assert not low, low
