"""The gender of stories by profession beside the world's: single professions, all together, a line.

The world's shares of women are taken as known; a share of the model's is a sample of its stories.  Single
professions have Wilson's interval and an exact binomial test against the world's share, controlled for false
discoveries (Benjamini & Hochberg 1995).  Means and rates draw professions again, with all their stories: they
say what other professions would have shown, and hold the noise of the stories too.  Where all stories agree
there is nothing to draw; then Wilson's interval stands in, with a profession counted as one observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from pcf_core.records import FloatArray, Interval
from pcf_core.records.anecdotes import AmplificationLine, ProfessionGender, SharedValue
from pcf_core.stats.leans import lean_interval
from pcf_core.stats.percentiles import percentiles
from pcf_core.stats.prompts import mean_interval
from pcf_core.stats.regression import fit_line, why_no_line
from pcf_core.stats.resampling import resampled_occupation_weights

UNIT = "profession"
FEWEST = 2  # of a single profession nothing can be learned of others


def beside_the_world(
    professions: Sequence[ProfessionGender], level: float = 0.95
) -> tuple[ProfessionGender, ...]:
    """[profession] with interval, test and its control, for those with a clear story."""
    from scipy.stats import binomtest, false_discovery_control

    tested = [place for place, each in enumerate(professions) if each.clear]
    found = list(professions)
    p_values = [
        float(binomtest(int(found[place].women), int(found[place].clear), found[place].world).pvalue)
        for place in tested
    ]
    adjusted = false_discovery_control(p_values) if p_values else []
    for place, p_value, controlled in zip(tested, p_values, adjusted, strict=True):
        one = found[place]
        interval = wilson(one.women / one.clear, one.clear, level, over="templates", unit="text")
        update = {"interval": interval, "p_value": min(p_value, 1.0), "adjusted": float(controlled)}
        found[place] = one.model_copy(update=update)
    return tuple(found)


def wilson(share: float, n: float, level: float, *, over: str = "occupations", unit: str = UNIT) -> Interval:
    """Wilson's interval of a share of n (1927, doi:10.1080/01621459.1927.10502953)."""
    quantile = NormalDist().inv_cdf((1 + level) / 2)
    low, high = ((float(end) + 1) / 2 for end in lean_interval(2 * share - 1, n, quantile))
    bounds = {"low": max(0.0, min(low, share)), "high": min(1.0, max(high, share))}  # rounding at the ends
    return Interval.model_validate({"over": over, "level": level, "unit": unit, **bounds})


def rate_over_professions(
    hits: FloatArray, of: FloatArray, *, resamples: int = 2000, level: float = 0.95, seed: int = 0
) -> SharedValue | None:
    """Σ hits / Σ of over professions, with its interval; ``None`` where there is nothing to share.

    Args:
        hits, of: [profession] 0 <= hits <= of.
    """
    told = of > 0
    hits, of = hits[told], of[told]
    if not of.size:
        return None
    value = float(hits.sum() / of.sum())
    if of.size < FEWEST:
        return SharedValue(value=value)
    if value in (0, 1):
        return SharedValue(value=value, interval=wilson(value, float(of.size), level))
    drawn = np.concatenate(list(resampled_occupation_weights(np.ones(of.size), resamples, seed)))
    low, high = percentiles((drawn @ hits) / (drawn @ of), level, of.size)
    interval = Interval(over="occupations", level=level, low=float(low), high=float(high), unit=UNIT)
    return SharedValue(value=value, interval=interval)


def mean_over_professions(
    values: FloatArray, *, resamples: int = 2000, level: float = 0.95, seed: int = 0
) -> SharedValue | None:
    """The mean of [profession] values with its interval; ``None`` where there is none."""
    if not values.size:
        return None
    interval = mean_interval(values, resamples=resamples, level=level, seed=seed)
    if interval is not None:
        interval = interval.model_copy(update={"over": "occupations", "unit": UNIT})
    return SharedValue(value=float(values.mean()), interval=interval)


def why_no_slope(world: FloatArray, shares: FloatArray) -> str:
    """Why the model's shares have no line over the world's, as the end of a sentence; empty where they do."""
    if shares.size and np.ptp(shares) == 0:
        return "the model's share of women is the same for all professions"
    if world.size and np.ptp(world) == 0:
        return "the world's share of women is the same for all professions"
    return why_no_line(world, shares).replace("points", "professions").replace("point", "profession")


def line_over_world(world: FloatArray, shares: FloatArray, level: float = 0.95) -> AmplificationLine:
    """Least squares of the model's shares on the world's (:mod:`pcf_core.stats.regression`).

    Args:
        world, shares: [profession] 0 to 1.

    Raises:
        CriterionError: :func:`why_no_slope` says why.
    """
    from scipy.stats import t

    line = fit_line(world, shares, level=level)
    away, error = abs(line.slope - 1), line.slope_error
    p_of_one = float(2 * t.sf(away / error, line.n - 2)) if error else float(away == 0)
    return AmplificationLine(
        slope=line.slope,
        intercept=line.intercept,
        interval=line.interval.model_copy(update={"unit": UNIT}),
        p_of_one=p_of_one,
        r_squared=line.r_squared,
        x=tuple(map(float, line.x)),
        mean=tuple(map(float, line.mean)),
        low=tuple(map(float, line.low)),
        high=tuple(map(float, line.high)),
    )
