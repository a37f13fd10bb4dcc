"""Whether two models differ on the same templates: a permutation test.

If the two models were alike, it would not matter whose preferences a template's are.  Their labels are
swapped template by template, for all occupations at once, and p is the share of such swaps that give a
difference at least as large; the observed labels count as one of them, so that p is never 0 (Phipson & Smyth
2010, doi:10.2202/1544-6115.1585).  It is the template that is swapped, whatever the unit of intervals is:
where few templates carry the weight, the test finds less than an interval over documents does.

No risk counts which group a stereotype is of, and the two models may lean to different ones for an
occupation.  Swapped as they are, their stereotypes would then cancel in the means that r^p and r^c are made
of: of two models at +0.40 and −0.35 nearly every swap gives an r^p that differs by 0.05, as the observed
ones do, so that p is near 1.  The two groups are therefore exchanged in the second model first, see
:func:`led_alike`; no risk changes by that.  Simulated with normal stereotypes (12 occupations, 12
templates, s.d. 0.12), this difference of r^p is then found as often as where both lean to one side, 88 % of
the time instead of never.  That the leading groups are known is taken for granted, which near E s = 0 is not
so: where contexts move all occupations together, up to a quarter of true nulls of r^p or r^c are rejected
there (without the exchange up to 0.7), under 5 % together with the interval, which every verdict needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray
from pcf_core.records.comparison import Permutations
from pcf_core.stats.bootstrap import RISKS
from pcf_core.stats.pair import Pair
from pcf_core.stats.resampling import BLOCK_CELLS

TIE = 1e-12  # swaps that differ by rounding alone are as large as the observed labels


@dataclass(frozen=True)
class PermutationTest:
    """P-values by quantity: ``totals`` of R, R^p and R^c, ``occupations`` [occupation]."""

    permutations: Permutations
    totals: Mapping[str, float]
    occupations: Mapping[str, FloatArray]


def permutation_test(pair: Pair, weights: FloatArray, permutations: int, seed: int) -> PermutationTest:
    """Swap the labels of the templates that have weight.

    Args:
        pair: the two models.
        weights: [template] weights that sum to 1.
        permutations: how many swaps are drawn, or fewer where these are all.
        seed: decides the swaps.

    Raises:
        CriterionError: no permutation is asked for.
    """
    used = weights > 0
    carried = weights[used]
    stereotypes = led_alike(pair.stereotypes[:, :, used], carried)
    _, occupations, templates, groups = stereotypes.shape
    risks = pair.criterion.of_stereotypes(stereotypes)
    gaps = (risks[0] - risks[1]).T * carried[:, np.newaxis]
    columns = (stereotypes[0] - stereotypes[1]).transpose(1, 0, 2).reshape(templates, -1)
    columns = columns * carried[:, np.newaxis]
    middle = np.einsum("t,rxtg->xg", carried, stereotypes) / 2
    observed = {name: pair.difference(name) for name in RISKS}
    larger, larger_totals = {name: np.ones(occupations) for name in RISKS}, dict.fromkeys(RISKS, 1.0)
    tests = permutations_of(templates, permutations)
    for signs in swaps(templates, tests, seed):
        half = (signs @ columns).reshape(len(signs), occupations, groups) / 2
        ends = [pair.criterion.of_stereotypes(middle + side * half) for side in (1, -1)]
        overall, prejudice = signs @ gaps, ends[0] - ends[1]
        for name, moved in zip(RISKS, (overall, prejudice, overall - prejudice), strict=True):
            larger[name] += (np.abs(moved) >= np.abs(observed[name]) - TIE).sum(axis=0)
            whole = abs(float(observed[name] @ pair.shares)) - TIE
            larger_totals[name] += float((np.abs(moved @ pair.shares) >= whole).sum())
    ways = tests.count + 1
    return PermutationTest(
        tests,
        {name: times / ways for name, times in larger_totals.items()},
        {name: times / ways for name, times in larger.items()},
    )


def led_alike(stereotypes: FloatArray, weights: FloatArray) -> FloatArray:
    """The same stereotypes, of the second model with two groups exchanged for each occupation where the two
    models' largest means are of different groups: afterwards they are of the same.

    J takes all groups alike, so that each r, r^p and r^c stays what it is.

    Args:
        stereotypes: [2, occupation, template, group].
        weights: [template] that sum to 1.
    """
    first, second = np.einsum("t,rxtg->rxg", weights, stereotypes).argmax(axis=2)
    rows = np.arange(first.size)
    order = np.tile(np.arange(stereotypes.shape[3]), (first.size, 1))
    order[rows, first], order[rows, second] = second, first
    return np.stack([stereotypes[0], np.take_along_axis(stereotypes[1], order[:, np.newaxis, :], axis=2)])


def permutations_of(templates: int, permutations: int) -> Permutations:
    """How many ways there are to swap the labels of so many templates, and how many of them are taken.

    Raises:
        CriterionError: no permutation is asked for.
    """
    if permutations < 1:
        raise CriterionError(f"A permutation test needs at least 1 permutation; got {permutations}.")
    others = 2**templates - 1
    if others <= permutations:
        return Permutations(others, True, 2 / (others + 1))
    return Permutations(permutations, False, 1 / (permutations + 1))


def swaps(templates: int, tests: Permutations, seed: int) -> Iterator[FloatArray]:
    """Blocks [permutation, template] of ±1, −1 where a template's labels are swapped: all ways but the
    observed one, or as many as are wanted, drawn by the seed.
    """
    step = max(1, BLOCK_CELLS // templates)
    generator = np.random.default_rng([seed, templates])
    for start in range(0, tests.count, step):
        rows = min(step, tests.count - start)
        if tests.exact:
            numbers = np.arange(start + 1, start + rows + 1)
            bits = numbers[:, np.newaxis] >> np.arange(templates) & 1
        else:
            bits = (generator.random((rows, templates)) < 0.5).astype(np.int8)
        yield 1.0 - 2.0 * bits
