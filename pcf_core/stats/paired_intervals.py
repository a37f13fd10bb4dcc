"""Intervals of the differences between two models on the same templates.

Both models are weighed anew with the same draws, so that what a draw does to both cancels in the difference.
The plug-in r^p of each is too high by a bias of its own (see :mod:`pcf_core.stats.corrected`): percentiles of
the differences are therefore centred on the difference less the two biases, as the resamples show them.  At
E s = 0 they show 0.33 standard errors where the bias is 0.80, one standard error away 0.23 where it is 0.17
(two groups, normal means), and nothing tells which of the two it is: intervals reach as much further as may
be left of the one and taken too much of the other.  They also hold the plain percentiles and the plug-in
difference.  Contexts that are not among the templates are in no interval: where no stereotype changes its
sign, the caprice of a model is 0 in every resample, and since no risk is below 0, the difference then lies on
one side of 0, however far a correction would reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcf_core.records import FloatArray, Interval, Over
from pcf_core.risk import jensen_gap
from pcf_core.stats.bootstrap import RISKS, replicates_of
from pcf_core.stats.pair import Pair
from pcf_core.stats.percentiles import percentiles
from pcf_core.stats.resampling import (
    TemplateUnit,
    resampled_occupation_weights,
    resampled_template_weights,
)

# Which way the plug-in figure of few templates is biased.
BIASED_UP = {"overall_risk": 0, "prejudice_risk": 1, "caprice_risk": -1}
LEFT, TOO_MUCH = 1.5, 0.3  # of a bias as the resamples show it, see the module
NOTHING = 1e-12  # what the arithmetic leaves of a risk that is 0


@dataclass(frozen=True)
class PairedIntervals:
    """By quantity: ``totals`` over templates, occupations and both; ``occupations`` [occupation, 2] low and
    high over templates, which are of one ``level`` and ``unit``.
    """

    totals: Mapping[str, tuple[Interval, ...]]
    occupations: Mapping[str, FloatArray]
    level: float
    unit: str

    def occupation(self, name: str, row: int) -> Interval:
        """The interval of one occupation's difference."""
        low, high = self.occupations[name][row]
        return Interval(level=self.level, low=float(low), high=float(high), unit=self.unit)


def paired_intervals(
    pair: Pair, unit: TemplateUnit, *, resamples: int, level: float, seed: int
) -> PairedIntervals:
    """Draw templates and occupations again, for both models alike.

    Args:
        pair: the two models.
        unit: what is drawn of the templates, with their weights.
        resamples: how many times templates and occupations are drawn again.
        level: of the intervals, inside (0, 1).
        seed: the same seed gives the same intervals.

    Raises:
        CriterionError: a level that is not allowed, or no resample is asked for.
    """
    runs, occupations, templates, groups = pair.stereotypes.shape
    blocks = resampled_template_weights(unit, resamples, seed)
    stacked = pair.stereotypes.reshape(runs * occupations, templates, groups)
    found = replicates_of(stacked, blocks, pair.criterion)
    risks = {name: values.reshape(resamples, runs, occupations) for name, values in found.risks.items()}
    drawn_shares = np.concatenate(list(resampled_occupation_weights(pair.shares, resamples, seed)))
    bias = _bias(pair, found.means.mean(axis=0), risks["prejudice_risk"].mean(axis=0))
    totals, single = {}, {}
    for name in RISKS:
        observed, moved = pair.difference(name), risks[name][:, 0] - risks[name][:, 1]
        absent = np.maximum(risks[name].max(axis=0), pair.risks[name]) <= NOTHING
        replicates: dict[Over, FloatArray] = {
            "templates": moved @ pair.shares,
            "occupations": drawn_shares @ observed,
            "both": np.einsum("bx,bx->b", moved, drawn_shares),
        }
        nowhere = absent[:, pair.shares > 0].all(axis=1)
        totals[name] = tuple(
            _interval(
                name,
                values,
                observed @ pair.shares,
                bias @ pair.shares,
                nowhere,
                over,
                unit,
                pair.shares,
                level,
            )
            for over, values in replicates.items()
        )
        single[name] = _possible(_reach(name, moved, observed, bias, level, unit.fewest), absent)
    return PairedIntervals(totals, single, level, unit.name)


def _bias(pair: Pair, means: FloatArray, prejudice: FloatArray) -> FloatArray:
    """[2, occupation] how much too high the resamples show the plug-in prejudice to be.

    Their mean J less J of their mean [2 × occupation, group], so that it is 0 where no stereotype changes its
    sign; it cancels where both models are the same.
    """
    of_mean = pair.criterion.of_stereotypes(means).reshape(prejudice.shape)
    same = (pair.stereotypes[0] == pair.stereotypes[1]).all(axis=(1, 2))
    return np.where(same, 0.0, jensen_gap(prejudice, of_mean).clip(min=0.0))


def _interval(
    name: str,
    replicates: FloatArray,
    observed: FloatArray,
    bias: FloatArray,
    absent: NDArray[np.bool_],
    over: Over,
    unit: TemplateUnit,
    shares: FloatArray,
    level: float,
) -> Interval:
    """The interval of a total; with the templates as they are there is no bias."""
    taken = np.zeros_like(bias) if over == "occupations" else bias
    numbers = {"templates": unit.fewest, "occupations": TemplateUnit.templates(shares).fewest}
    fewest = numbers.get(over, min(numbers.values()))
    low, high = _possible(_reach(name, replicates, observed, taken, level, fewest), absent)
    drawn = "occupation" if over == "occupations" else unit.name
    return Interval(over=over, level=level, low=float(low), high=float(high), unit=drawn)


def _reach(
    name: str,
    replicates: FloatArray,
    observed: FloatArray,
    bias: FloatArray,
    level: float,
    fewest: float,
) -> FloatArray:
    """[..., 2] low and high of differences, from [resample, ...] replicates and the models' bias [2, ...].

    See the module: percentiles about the corrected difference, and what a correction may have left.
    """
    sign = BIASED_UP[name]
    own, others = (bias[0], bias[1]) if sign >= 0 else (bias[1], bias[0])
    down, up = abs(sign) * own, abs(sign) * others
    plain = percentiles(replicates, level, fewest)
    low, high = plain - replicates.mean(axis=0) + observed - down + up
    low, high = low - LEFT * down - TOO_MUCH * up, high + LEFT * up + TOO_MUCH * down
    return np.stack([np.min([low, plain[0], observed], 0), np.max([high, plain[1], observed], 0)], -1)


def _possible(bounds: FloatArray, absent: NDArray[np.bool_]) -> FloatArray:
    """[..., 2] bounds of a difference of risks, which are never below 0.

    ``absent`` [2, ...]: whether the first or the second model's risk is 0 in every resample.
    """
    low, high = bounds[..., 0], bounds[..., 1]
    return np.stack(
        [np.where(absent[1], np.maximum(low, 0.0), low), np.where(absent[0], np.minimum(high, 0.0), high)],
        axis=-1,
    )
