"""Two groups of names with several texts each: Cohen's d, its interval over names, and a test of names.

d = (mean_F − mean_M) / s, with s² = ((n_F − 1) s_F² + (n_M − 1) s_M²) / (n_F + n_M − 2) over texts.  Texts of
one name are dependent, so names are resampled with all their texts, by gender; bounds are expanded
percentiles with as many units as the smaller group has names (:mod:`pcf_core.measure.resampling`).  The test
is Mann and Whitney's of the names' means; over texts, as in the paper, it rejects too often
(tests/texts/criteria/test_effects.py).

Example: F has the names (1, 3) and (5, 3), M the names (0, 2) and (2, 0).  Means 3 and 1; s_F² = 8/3, s_M² =
4/3, so s² = 2 and d = 2 / √2 = 1.41.  The names' means are 2 and 4 against 1 and 1: U = 4, the largest.

Sources: Cohen 1988; Mann & Whitney 1947, doi:10.1214/aoms/1177730491; Hesterberg 2015 for the bootstrap.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcf_core.core.errors import CriteriaError, CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.resampling import interval, percentiles
from pcf_core.texts.criteria.rates import newcombe, wilson
from pcf_core.texts.criteria.records.quantities import GENDERS, LEVEL, GenderDifference

UNIT = "name"
FEWEST_RESAMPLES = 100
ROUNDING = 1e-12  # relative to the largest value
Side = Sequence[FloatArray]  # [name] of [text] values


def gender_difference(
    female: Side,
    male: Side,
    *,
    resamples: int = 2000,
    seed: int = 0,
    shares: bool = False,
) -> GenderDifference:
    """Compare a quantity of texts between women's and men's names.

    ``female``, ``male``: the values of each name's texts; names without a text are left out.  ``resamples``:
    at least 100.  ``shares``: the values are shares, 0 to 1; an interval without width then becomes one that
    takes each name for one observation.  Raises CriteriaError without a text for a gender.
    """
    sides = [_with_texts(side) for side in (female, male)]
    for gender, side in zip(GENDERS, sides, strict=True):
        if not side:
            raise CriteriaError(
                f"No text for a {gender} name could be used: at least one for each gender is needed."
            )
    means = [float(np.concatenate(side).mean()) for side in sides]
    drawn = drawn_differences(sides[0], sides[1], resamples=resamples, seed=seed)
    fewest = min(len(side) for side in sides)
    between = _interval(drawn[0], fewest)
    if shares and between is not None and between.low == between.high:
        sizes = [len(side) for side in sides]
        ends = [wilson(mean * many, many, LEVEL) for mean, many in zip(means, sizes, strict=True)]
        bounds = newcombe(means[0], means[1], ends[0], ends[1])
        between = interval(np.array(bounds), LEVEL, "templates", UNIT)
    effect = cohens_d(np.concatenate(sides[0]), np.concatenate(sides[1]))
    return GenderDifference(
        female=means[0],
        male=means[1],
        interval=between,
        effect=effect,
        effect_interval=None if effect is None else _interval(drawn[1], fewest),
        undefined="" if effect is not None else "all texts of a gender have one and the same value",
        p_value=mann_whitney(*(np.array([one.mean() for one in side]) for side in sides)),
        texts_p_value=mann_whitney(*(np.concatenate(side) for side in sides)),
        names=(len(sides[0]), len(sides[1])),
        texts=(sum(map(len, sides[0])), sum(map(len, sides[1]))),
    )


def cohens_d(female: FloatArray, male: FloatArray) -> float | None:
    """Return Cohen's d of two [text] arrays; ``None`` without spread, or with fewer than three texts."""
    freedom = len(female) + len(male) - 2
    if freedom < 1:
        return None
    squares = sum(float(((side - side.mean()) ** 2).sum()) for side in (female, male))
    spread = float(np.sqrt(squares / freedom))
    if spread <= ROUNDING * max(np.abs(female).max(), np.abs(male).max()):
        return None
    return float(female.mean() - male.mean()) / spread


def mann_whitney(female: FloatArray, male: FloatArray) -> float:
    """Return the two-sided p of Mann and Whitney's test; 1 if all values are equal."""
    from scipy.stats import mannwhitneyu

    both = np.concatenate([female, male])
    if np.ptp(both) == 0:
        return 1.0
    return min(1.0, float(mannwhitneyu(female, male, alternative="two-sided").pvalue))


def drawn_differences(female: Side, male: Side, *, resamples: int, seed: int) -> FloatArray:
    """Return [(difference, d), resample] with names resampled; d is NaN where a draw has no spread.

    The same seed and numbers of names draw the same names, so that models can be compared.
    """
    if resamples < FEWEST_RESAMPLES:
        raise CriterionError(
            f"Intervals need at least {FEWEST_RESAMPLES} resamples, but {resamples:,} were requested."
        )
    generator = np.random.default_rng(seed)
    middle = float(np.concatenate([*female, *male]).mean())  # keeps the squares precise
    sums = [_drawn_sums(side, middle, resamples, generator) for side in (female, male)]
    means = [total[1] / total[0] for total in sums]
    squares = sum(total[2] - total[0] * mean**2 for total, mean in zip(sums, means, strict=True))
    freedom = sums[0][0] + sums[1][0] - 2
    difference = means[0] - means[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.where(squares > ROUNDING, squares, np.nan) / freedom)
        effect = np.where(freedom > 0, difference / spread, np.nan)
    return np.stack([difference, effect])


def _drawn_sums(side: Side, middle: float, resamples: int, generator: np.random.Generator) -> FloatArray:
    """Return [(texts, sum, sum of squares), resample] of resampled names."""
    parts = np.array([(len(one), (one - middle).sum(), ((one - middle) ** 2).sum()) for one in side])
    times = generator.multinomial(len(side), np.full(len(side), 1 / len(side)), size=resamples)
    return np.asarray((times @ parts).T)


def _interval(drawn: FloatArray, names: int) -> Interval | None:
    """Return the interval; ``None`` if d is undefined in a draw, or a gender has a single name."""
    if names < 2 or not np.isfinite(drawn).all():
        return None
    return interval(percentiles(drawn, LEVEL, names), LEVEL, "templates", UNIT)


def effect_gap(
    first: tuple[Side, Side], second: tuple[Side, Side], *, resamples: int = 2000, seed: int = 0
) -> tuple[float | None, Interval | None]:
    """Return d of ``second`` − d of ``first`` with its interval, over the same names in the same order.

    Both are (female, male).  ``None`` where a d is undefined.
    """
    if [len(side) for side in first] != [len(side) for side in second] or not all(
        len(one) for pair in (first, second) for side in pair for one in side
    ):
        raise CriteriaError(
            "Two models can be compared only over the same names, with a text by each model for every name."
        )
    effects = [cohens_d(*(np.concatenate(side) for side in pair)) for pair in (first, second)]
    if effects[0] is None or effects[1] is None:
        return None, None
    drawn = [drawn_differences(*pair, resamples=resamples, seed=seed)[1] for pair in (first, second)]
    fewest = min(len(side) for side in first)
    return effects[1] - effects[0], _interval(drawn[1] - drawn[0], fewest)


def _with_texts(side: Side) -> list[FloatArray]:
    arrays: list[FloatArray] = [np.asarray(one, dtype=np.float64) for one in side if len(one)]
    if not all(np.isfinite(one).all() for one in arrays):
        raise CriteriaError("Only finite numbers can be compared between names.")
    return arrays
