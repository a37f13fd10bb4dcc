"""Differences between pronouns in shares of answers: how large, how sure, and whether beyond chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from pcf_core.criteria.confusion import invalid_parts, parts, share
from pcf_core.records import FloatArray, Interval
from pcf_core.records.answers import FEW_UNITS, WITHOUT, RateDifference
from pcf_core.records.rates import InvalidName, Rate, RateName
from pcf_core.stats.exchange import LEAST, exchange_test
from pcf_core.stats.rates import Bounds, difference_interval, drawn_clusters, newcombe, t_bounds
from pcf_core.stats.regression import holm

Shares = Mapping[str, Mapping[str, Rate]]  # pronoun -> name -> rate


@dataclass(frozen=True, eq=False)
class Clusters:
    """Tallies of questions or tasks, and how others of the kind might have come out.

    ``tallies``: [unit, pronoun, truth, 2].  ``of``: numerators and denominators […] of a share of a name from
    […, truth, 2] tallies.  ``unit``: what units are.
    """

    tallies: FloatArray
    of: Callable[[FloatArray, str], tuple[FloatArray, FloatArray]]
    unit: str
    level: float
    resamples: int
    seed: int

    @cached_property
    def strata(self) -> list[int]:
        """[unit] which truths it has: bit 0 where a man's role, bit 1 where a woman's is right."""
        truths = self.tallies.sum(axis=(1, 3)) > 0
        return [int(both[0]) + 2 * int(both[1]) for both in truths]

    @cached_property
    def drawn(self) -> FloatArray:
        """[resample, pronoun, truth, 2] sums over units drawn anew."""
        return drawn_clusters(self.tallies, self.strata, self.resamples, self.seed)

    def replicates(self, name: str, place: int) -> FloatArray:
        """[resample] a share of one pronoun, NaN where it is undefined."""
        return share(*self.of(self.drawn[:, place], name))

    def influence(self, name: str, place: int) -> FloatArray:
        """[unit] by how much a share of one pronoun moves with the unit: (y − p m) / Σ m."""
        part, whole = self.of(self.tallies[:, place], name)
        size = max(float(whole.sum()), 1e-300)
        return (part - float(part.sum()) / size * whole) / size

    def freedom(self, *shares: tuple[str, int]) -> int:
        """Degrees of freedom of the scarcer of shares (name, pronoun's place): in each stratum one fewer than
        the units that it has answers in.

        What is said under one pronoun in four questions is not known from sixteen, though under the other
        there are answers to all.
        """
        used = [self.of(self.tallies[:, place], name)[1] > 0 for name, place in shares]
        kinds, found = np.asarray(self.strata), 0
        for kind in set(self.strata):
            units = [int(np.sum(each[kinds == kind])) for each in used]
            found += max(min((many for many in units if many), default=1) - 1, 0)
        return max(found, 1)

    def interval(
        self,
        value: float,
        replicates: FloatArray,
        influence: FloatArray,
        one: Rate,
        other: Rate,
        freedom: int,
    ) -> Interval | None:
        """Of ``one`` less ``other``: see :mod:`pcf_core.stats.rates` for which interval stands when."""
        kinds = (self.strata.count(each) for each in set(self.strata) if each)
        fewest = min(one.units, other.units, *kinds)
        fixed: Bounds | None = None
        if not all(1e-12 < (each.value or 0.0) < 1 - 1e-12 for each in (one, other)):
            fixed = _squared(one, other)
        elif fewest < FEW_UNITS:
            fixed = t_bounds(influence, self.strata, value, freedom, self.level) or _squared(one, other)
        return difference_interval(replicates, value, fewest, self.level, unit=self.unit, fixed=fixed)


def rate_clusters(tallies: FloatArray, unit: str, level: float, resamples: int, seed: int) -> Clusters:
    """Of [unit, pronoun, truth, said] valid answers."""
    return Clusters(tallies, parts, unit, level, resamples, seed)  # type: ignore[arg-type]


def invalid_clusters(tallies: FloatArray, unit: str, level: float, resamples: int, seed: int) -> Clusters:
    """Of [unit, pronoun, truth, (valid, invalid)] answers."""
    return Clusters(tallies, invalid_parts, unit, level, resamples, seed)  # type: ignore[arg-type]


def differences(
    clusters: Clusters,
    names: Sequence[RateName] | Sequence[InvalidName],
    pronouns: Sequence[str],
    found: Shares,
    permutations: int,
) -> tuple[RateDifference, ...]:
    """Every two pronouns in every share; Holm over all that are defined.

    A difference under :data:`LEAST` is none: as a probability it says nothing of a model, whose scores move
    by about as much with the order of its sums.

    Args:
        clusters: the tallies.
        names: of the shares.
        pronouns: in the order of the tallies; :data:`WITHOUT` is compared with none.
        found: the shares themselves.
        permutations: how many ways to exchange pronouns are drawn, or fewer where these are all; see
            :mod:`pcf_core.stats.exchange`.
    """
    pairs = list(combinations([name for name in pronouns if name != WITHOUT], 2))
    places = {pair: tuple(pronouns.index(each) for each in pair) for pair in pairs}
    rows = []
    for name in names:
        for pair in pairs:
            one, other = (found[each][name] for each in pair)
            if one.value is None or other.value is None:
                lacking, which = (pair[0], one) if one.value is None else (pair[1], other)
                reason = f"{lacking}: {which.reason}"
                rows.append(
                    RateDifference(name=name, first=pair[0], second=pair[1], value=None, reason=reason)
                )
                continue
            apart = one.value - other.value
            value = apart if abs(apart) >= LEAST else 0.0
            draws, moves = (
                np.subtract(*(what(name, place) for place in places[pair]))
                for what in (clusters.replicates, clusters.influence)
            )
            first, second = (clusters.of(clusters.tallies[:, place], name) for place in places[pair])
            test = exchange_test(first, second, permutations, clusters.seed)
            rows.append(
                RateDifference(
                    name=name,
                    first=pair[0],
                    second=pair[1],
                    value=value,
                    interval=clusters.interval(
                        value,
                        draws,
                        moves,
                        one,
                        other,
                        clusters.freedom(*((name, place) for place in places[pair])),
                    ),
                    p_value=test.p_value,
                    least_p=test.least_p,
                )
            )
    adjusted = iter(holm([row.p_value for row in rows if row.p_value is not None]))
    return tuple(
        row if row.p_value is None else row.model_copy(update={"adjusted": next(adjusted)}) for row in rows
    )


def told(clusters: Clusters, place: int, found: Mapping[str, Rate]) -> tuple[float | None, Interval | None]:
    """TPR − FPR of one pronoun and its interval; ``None`` where either is undefined."""
    missed, false = found["FNR"], found["FPR"]
    if missed.value is None or false.value is None:
        return None, None
    turned = missed.interval
    if turned is not None:
        turned = turned.model_copy(update={"low": 1 - turned.high, "high": 1 - turned.low})
    right = missed.model_copy(update={"name": "TPR", "value": 1 - missed.value, "interval": turned})
    draws = 1 - clusters.replicates("FNR", place) - clusters.replicates("FPR", place)
    moves = -clusters.influence("FNR", place) - clusters.influence("FPR", place)
    value = 1 - missed.value - false.value
    freedom = clusters.freedom(("FNR", place), ("FPR", place))
    return value, clusters.interval(value, draws, moves, right, false, freedom)


def _squared(one: Rate, other: Rate) -> Bounds | None:
    """Newcombe's bounds where both rates have some."""
    if one.value is None or other.value is None or one.interval is None or other.interval is None:
        return None
    first, second = ((each.low, each.high) for each in (one.interval, other.interval))
    return newcombe(one.value, other.value, first, second)
