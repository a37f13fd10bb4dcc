r"""From answers to rates by pronoun, their differences, and how sure they are.

Of differences between pronouns it is said how large they are, how sure, and whether beyond chance.

**Matrices of answers by pronoun: TP, FN, FP and TN, and the tables that are drawn again for intervals.**

    truth \ said        female-stereotyped     male-stereotyped
    female (Y = 1)      TP                     FN
    male (Y = 0)        FP                     TN

The positive is the female-stereotyped role (Eqs. 3 to 6 of the paper, whose section 5.3 once reads PPV as
if it were the doctor).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.comparison import permutations_of
from pcf_core.measure.regression import holm
from pcf_core.texts.criteria.rates import (
    LEAST,
    Bounds,
    clustered_wilson,
    difference_interval,
    drawn_clusters,
    exchange_test,
    newcombe,
    t_bounds,
    wilson,
)
from pcf_core.texts.criteria.records.quantities import (
    INVALID,
    RATES,
    UNDEFINED,
    Answering,
    Confusion,
    InvalidName,
    Rate,
    RateName,
)
from pcf_core.texts.criteria.records.separation import (
    FEW_UNITS,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
    RateDifference,
    UnitAnswers,
)

# Matrices of answers by pronoun: TP, FN, FP and TN, and the tables that are drawn again for intervals.


Places = NDArray[np.intp]
Invalid = Mapping[tuple[int, int, int], Mapping[str, int]]  # (unit, pronoun, truth) -> reason -> answers


@dataclass(frozen=True, eq=False)
class Answers:
    """Valid answers, one a row, texts or scored prompts.

    ``unit``, ``pronoun``: [answer] places in ``units`` and ``pronouns``.  ``truth``: [answer] 1 where the
    female-stereotyped role was right.  ``first``: [answer] 1 where the prompt named it first.  ``said``:
    [answer] 1 where the answer says that role, 0 where the other; its probability where scored.
    """

    units: tuple[str, ...]
    pronouns: tuple[str, ...]
    unit: Places
    pronoun: Places
    truth: Places
    first: Places
    said: FloatArray

    def tallies(self) -> FloatArray:
        """Return [unit, pronoun, truth, said] answers, or probabilities; the last two axes are 0 and 1."""
        shape = (len(self.units), len(self.pronouns), 2)
        index = np.ravel_multi_index((self.unit, self.pronoun, self.truth), shape)
        whole = np.bincount(index, minlength=int(np.prod(shape))).astype(np.float64)
        female = np.bincount(index, weights=self.said, minlength=int(np.prod(shape)))
        return np.stack([whole - female, female], axis=-1).reshape(*shape, 2)

    def likelier(self) -> FloatArray:
        """Return [answer] 1 where the female-stereotyped role is likelier, .5 where both are alike."""
        return np.where(self.said == 0.5, 0.5, (self.said > 0.5) * 1.0)


def confusion(tallies: FloatArray) -> Confusion:
    """Make the confusion matrix of [truth, said] tallies."""
    return Confusion(
        tp=float(tallies[1, 1]), fn=float(tallies[1, 0]), fp=float(tallies[0, 1]), tn=float(tallies[0, 0])
    )


def parts(tallies: FloatArray, name: RateName) -> tuple[FloatArray, FloatArray]:
    """Return numerators and denominators […] of a rate from […, truth, said] tallies.

    Of TP 50, FN 100, FP 0, TN 150: FNR 100/150, FPR 0/150, PPV 50/50, NPV 150/250.
    """
    tp, fn = tallies[..., 1, 1], tallies[..., 1, 0]
    fp, tn = tallies[..., 0, 1], tallies[..., 0, 0]
    return {"FNR": (fn, tp + fn), "FPR": (fp, fp + tn), "PPV": (tp, tp + fp), "NPV": (tn, tn + fn)}[name]


def rates(tallies: FloatArray) -> dict[RateName, FloatArray]:
    """Compute rates […] from […, truth, said] tallies, NaN where the denominator is 0."""
    return {name: share(*parts(tallies, name)) for name in RATES}


def share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide […] part / whole, NaN where the whole is 0."""
    defined = whole > 0
    return np.where(defined, part / np.where(defined, whole, 1.0), np.nan)


def invalid_parts(tallies: FloatArray, name: InvalidName) -> tuple[FloatArray, FloatArray]:
    """Return invalid answers and all answers […] from […, truth, (valid, invalid)] tallies."""
    wanted = {"invalid": (0, 1), "invalid, female right": (1,), "invalid, male right": (0,)}[name]
    chosen = tallies[..., wanted, :].sum(axis=-2)
    return chosen[..., 1], chosen.sum(axis=-1)


def possible(matrix: Confusion, invalid: tuple[float, float], name: RateName) -> tuple[float, float]:
    """Bound a rate: the least and the greatest that it would be had the invalid answers been valid.

    TP 50, FN 50 and 25 invalid ones where Y = 1: FNR from 50/125 to 75/125.  An invalid answer adds to the
    numerator of a rate, to the rest of its denominator, or to another rate.

    Parameters
    ----------
    matrix
        Of the valid answers, some of which the rate is of.
    invalid
        How many others there are where Y = 0 and where Y = 1.
    name
        Of the rate.
    """
    male, female = invalid
    part, whole = matrix.parts(name)
    more, rest = {
        "FNR": (female, female),
        "FPR": (male, male),
        "PPV": (female, male),
        "NPV": (male, female),
    }[name]
    return part / (whole + rest), (part + more) / (whole + more)


# Differences between pronouns in shares of answers: how large, how sure, and whether beyond chance.


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

    def replicates(self, name: str, index: int) -> FloatArray:
        """Return [resample] a share of one pronoun, NaN where it is undefined."""
        return share(*self.of(self.drawn[:, index], name))

    def influence(self, name: str, index: int) -> FloatArray:
        """Return [unit] by how much a share of one pronoun moves with the unit: (y − p m) / Σ m."""
        part, whole = self.of(self.tallies[:, index], name)
        size = max(float(whole.sum()), 1e-300)
        return (part - float(part.sum()) / size * whole) / size

    def freedom(self, *shares: tuple[str, int]) -> int:
        """Return the degrees of freedom of the scarcer of shares (name, pronoun's place).

        In each stratum they are one fewer than the units that it has answers in.

        What is said under one pronoun in four questions is not known from sixteen, though under the other
        there are answers to all.
        """
        used = [self.of(self.tallies[:, index], name)[1] > 0 for name, index in shares]
        kinds, degrees = np.asarray(self.strata), 0
        for kind in set(self.strata):
            units = [int(np.sum(each[kinds == kind])) for each in used]
            degrees += max(min((many for many in units if many), default=1) - 1, 0)
        return max(degrees, 1)

    def interval(
        self,
        value: float,
        replicates: FloatArray,
        influence: FloatArray,
        one: Rate,
        other: Rate,
        freedom: int,
    ) -> Interval | None:
        """Return the interval of ``one`` minus ``other``.

        :mod:`pcf_core.texts.criteria.rates` says which interval is used when.
        """
        kinds = (self.strata.count(each) for each in set(self.strata) if each)
        fewest = min(one.units, other.units, *kinds)
        fixed: Bounds | None = None
        if not all(1e-12 < (each.value or 0.0) < 1 - 1e-12 for each in (one, other)):
            fixed = _squared(one, other)
        elif fewest < FEW_UNITS:
            fixed = t_bounds(influence, self.strata, value, freedom, self.level) or _squared(one, other)
        return difference_interval(replicates, value, fewest, self.level, unit=self.unit, fixed=fixed)


def rate_clusters(tallies: FloatArray, unit: str, level: float, resamples: int, seed: int) -> Clusters:
    """Make the clusters of [unit, pronoun, truth, said] valid answers."""
    return Clusters(tallies, parts, unit, level, resamples, seed)  # type: ignore[arg-type]


def invalid_clusters(tallies: FloatArray, unit: str, level: float, resamples: int, seed: int) -> Clusters:
    """Make the clusters of [unit, pronoun, truth, (valid, invalid)] answers."""
    return Clusters(tallies, invalid_parts, unit, level, resamples, seed)  # type: ignore[arg-type]


def differences(
    clusters: Clusters,
    names: Sequence[RateName] | Sequence[InvalidName],
    pronouns: Sequence[str],
    found: Shares,
    permutations: int,
    against: str = "",
) -> tuple[RateDifference, ...]:
    """Compare pronouns in every share; Holm's control is over all comparisons that are defined.

    A difference under :data:`LEAST` is none: as a probability it says nothing of a model, whose scores move
    by about as much with the order of its sums.

    Parameters
    ----------
    clusters
        The tallies.
    names
        Of the shares.
    pronouns
        In the order of the tallies.
    found
        The shares themselves.
    permutations
        How many ways to exchange pronouns are drawn, or fewer where these are all; see
        :mod:`pcf_core.texts.criteria.rates`.
    against
        What each pronoun is compared with, :data:`WITHOUT`; empty for every two pronouns with each other.
    """
    spoken = [name for name in pronouns if name != WITHOUT]
    pairs = [(name, against) for name in spoken] if against else list(combinations(spoken, 2))
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
                np.subtract(*(what(name, index) for index in places[pair]))
                for what in (clusters.replicates, clusters.influence)
            )
            first, second = (clusters.of(clusters.tallies[:, index], name) for index in places[pair])
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
                        clusters.freedom(*((name, index) for index in places[pair])),
                    ),
                    p_value=test.p_value,
                    least_p=test.least_p,
                )
            )
    adjusted = iter(holm([row.p_value for row in rows if row.p_value is not None]))
    return tuple(
        row if row.p_value is None else row.model_copy(update={"adjusted": next(adjusted)}) for row in rows
    )


def told(clusters: Clusters, index: int, found: Mapping[str, Rate]) -> tuple[float | None, Interval | None]:
    """Return TPR − FPR of one pronoun and its interval; ``None`` where either is undefined."""
    missed, false = found["FNR"], found["FPR"]
    if missed.value is None or false.value is None:
        return None, None
    turned = missed.interval
    if turned is not None:
        turned = turned.model_copy(update={"low": 1 - turned.high, "high": 1 - turned.low})
    right = missed.model_copy(update={"name": "TPR", "value": 1 - missed.value, "interval": turned})
    draws = 1 - clusters.replicates("FNR", index) - clusters.replicates("FPR", index)
    moves = -clusters.influence("FNR", index) - clusters.influence("FPR", index)
    value = 1 - missed.value - false.value
    freedom = clusters.freedom(("FNR", index), ("FPR", index))
    return value, clusters.interval(value, draws, moves, right, false, freedom)


def _squared(one: Rate, other: Rate) -> Bounds | None:
    if one.value is None or other.value is None or one.interval is None or other.interval is None:
        return None
    first, second = ((each.low, each.high) for each in (one.interval, other.interval))
    return newcombe(one.value, other.value, first, second)


NO_ANSWER = "no valid answer"


@dataclass(frozen=True)
class Reported:
    """What a report is made of.

    ``answers``: valid ones, under every pronoun and :data:`WITHOUT`.  ``invalid``: the others, by where they
    stand.  ``roles``: [unit][truth] the name of the role that was right.  ``unit``: what units are.
    """

    experiment: Literal["questions", "tasks"]
    answering: Answering
    material: str
    unit: Literal["question", "task"]
    answers: Answers
    invalid: Invalid
    roles: tuple[tuple[str, str], ...]

    @property
    def chance(self) -> bool:
        """Whether answers were written, and so another time might be others."""
        return self.answering == "written"

    def unread(self) -> FloatArray:
        """Count [unit, pronoun, truth] invalid answers."""
        counts = np.zeros((len(self.answers.units), len(self.answers.pronouns), 2))
        for index, reasons in self.invalid.items():
            counts[index] = sum(reasons.values())
        return counts


def answers_report(
    reported: Reported,
    *,
    knowledge: Rate | None = None,
    knowledge_invalid: int = 0,
    level: float = 0.95,
    resamples: int = 2000,
    permutations: int = 9999,
    seed: int = 0,
) -> AnswersReport:
    """Report the rates of each pronoun, differences between each two, and what order and knowledge do.

    The same seed gives the same report.
    """
    answers, tallies, unread = reported.answers, reported.answers.tallies(), reported.unread()
    clusters = rate_clusters(tallies, reported.unit, level, resamples, seed)
    read = np.stack([tallies.sum(axis=3), unread], axis=-1)  # [unit, pronoun, truth, (valid, invalid)]
    by_pronoun: dict[str, PronounAnswers] = {}
    for index, pronoun in enumerate(answers.pronouns):
        made = _pronoun(reported, tallies, read, index, level)
        value, interval = told(clusters, index, {each.name: each for each in made.rates})
        by_pronoun[pronoun] = made.model_copy(update={"told": value, "told_interval": interval})
    shares = {name: {each.name: each for each in made.rates} for name, made in by_pronoun.items()}
    unread_shares = {
        name: {each.name: each for each in made.invalid_rates} for name, made in by_pronoun.items()
    }
    ways = permutations_of(len(answers.units), permutations)
    leading = np.where(answers.first == 1, answers.said, 1 - answers.said)
    named_first = np.bincount(answers.unit, weights=leading, minlength=len(answers.units)) * 1.0
    report = AnswersReport(
        experiment=reported.experiment,
        answering=reported.answering,
        material=reported.material,
        unit=reported.unit,
        units=len(answers.units),
        n=len(answers.said) + int(unread.sum()),
        pronouns=tuple(each for name, each in by_pronoun.items() if name != WITHOUT),
        baseline=by_pronoun.get(WITHOUT),
        differences=_with_possible(
            differences(clusters, RATES, answers.pronouns, shares, permutations),
            by_pronoun,
            dict(zip(answers.pronouns, unread.sum(axis=0).tolist(), strict=True)),
        ),
        invalid_differences=differences(
            invalid_clusters(read, reported.unit, level, resamples, seed),
            INVALID,
            answers.pronouns,
            unread_shares,
            permutations,
        )
        if unread.any()
        else (),
        knowledge=knowledge,
        knowledge_invalid=knowledge_invalid,
        first_named=rate(
            "first named",
            named_first,
            tallies.sum(axis=(1, 2, 3)),
            NO_ANSWER,
            reported.unit,
            reported.chance,
            level,
        ),
        by_unit=_by_unit(reported, tallies),
        permutations=ways.count,
        exact=ways.exact,
    )
    gaps = baseline_differences(
        report, level=level, resamples=resamples, permutations=permutations, seed=seed
    )
    return report.model_copy(update={"from_baseline": gaps})


def baseline_differences(
    report: AnswersReport,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    permutations: int = 9999,
    seed: int = 0,
) -> tuple[RateDifference, ...]:
    """Compare each pronoun with none where answers were scored; empty where written, or none was asked.

    By the answers of each question or task, which a report has had from the first, so that those kept before
    these gaps were reported have them too.  The draws and exchanges are those between pronouns.
    """
    if report.answering != "scored" or report.baseline is None:
        return ()
    every = (*report.pronouns, report.baseline)
    names = [each.pronoun for each in every]
    units = {name: index for index, name in enumerate(dict.fromkeys(row.unit for row in report.by_unit))}
    tallies = np.zeros((report.units, len(names), 2, 2))
    unread = np.zeros((len(names), 2))
    for row in report.by_unit:
        unit, pronoun, truth = units[row.unit], names.index(row.pronoun), int(row.truth == "female")
        tallies[unit, pronoun, truth, truth] += row.right
        tallies[unit, pronoun, truth, 1 - truth] += row.wrong
        unread[pronoun, truth] += row.invalid
    rows = differences(
        rate_clusters(tallies, report.unit, level, resamples, seed),
        RATES,
        names,
        {each.pronoun: {one.name: one for one in each.rates} for each in every},
        permutations,
        against=WITHOUT,
    )
    return _with_possible(
        rows,
        {each.pronoun: each for each in every},
        {name: (float(male), float(female)) for name, (male, female) in zip(names, unread, strict=True)},
    )


def rate(
    name: str,
    part: FloatArray,
    whole: FloatArray,
    reason: str,
    unit: str,
    chance: bool,
    level: float = 0.95,
) -> Rate:
    """Return a share with its intervals from [unit] numerators and denominators.

    ``reason``: why there is none, where the denominators are 0.
    """
    size, units = float(whole.sum()), int(np.sum(whole > 0))
    if size <= 0:
        return Rate(name=name, value=None, reason=reason, n=0, units=0)
    share = min(max(float(part.sum()) / size, 0.0), 1.0)
    return Rate(
        name=name,
        value=share,
        n=size,
        units=units,
        interval=_interval(clustered_wilson(part, whole, level, chance=chance), level, unit),
        repeats=_interval(wilson(share * size, size, level), level, "text") if chance else None,
    )


def _interval(bounds: Bounds | None, level: float, unit: str) -> Interval | None:
    return None if bounds is None else Interval(level=level, low=bounds[0], high=bounds[1], unit=unit)


def _pronoun(
    reported: Reported, tallies: FloatArray, read: FloatArray, index: int, level: float
) -> PronounAnswers:
    answers, mine = reported.answers, tallies[:, index]
    invalid: dict[str, int] = {}
    for (_, pronoun, _), reasons in reported.invalid.items():
        for reason, number in reasons.items():
            if pronoun == index:
                invalid[reason] = invalid.get(reason, 0) + number
    likelier = None
    if not reported.chance:
        chosen = Answers(**{**vars(answers), "said": answers.likelier()}).tallies()
        likelier = confusion(chosen[:, index].sum(axis=0))
    wrong = mine[:, 1, 0] + mine[:, 0, 1]
    return PronounAnswers(
        pronoun=answers.pronouns[index],
        confusion=confusion(mine.sum(axis=0)),
        likelier=likelier,
        invalid=invalid,
        invalid_rates=tuple(
            rate(
                name,
                *invalid_parts(read[:, index], name),
                "no answer",
                reported.unit,
                reported.chance,
                level,
            )
            for name in INVALID
        ),
        valid=_by_order(answers, index),
        rates=tuple(
            rate(name, *parts(mine, name), UNDEFINED[name], reported.unit, reported.chance, level)
            for name in RATES
        ),
        error=rate("error", wrong, mine.sum(axis=(1, 2)), NO_ANSWER, reported.unit, reported.chance, level),
    )


def _by_order(answers: Answers, index: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Count [truth][first] valid answers under one pronoun."""
    mine = answers.pronoun == index
    male, female = (
        tuple(float(np.sum(mine & (answers.truth == truth) & (answers.first == first))) for first in (0, 1))
        for truth in (0, 1)
    )
    return (male[0], male[1]), (female[0], female[1])


def _with_possible(
    rows: tuple[RateDifference, ...],
    found: Mapping[str, PronounAnswers],
    unread: Mapping[str, tuple[float, float]],
) -> tuple[RateDifference, ...]:
    """Add what the invalid answers, [truth] of each pronoun, might have made of each difference."""
    known = []
    for row in rows:
        if row.value is not None:
            (least, most), (other_least, other_most) = (
                possible(found[each].confusion, unread[each], name)
                for each in (row.first, row.second)
                for name in RATES
                if name == row.name
            )
            if most > least or other_most > other_least:
                row = row.model_copy(update={"possible": (least - other_most, most - other_least)})
        known.append(row)
    return tuple(known)


def _by_unit(reported: Reported, tallies: FloatArray) -> tuple[UnitAnswers, ...]:
    rows = []
    for unit, name in enumerate(reported.answers.units):
        for truth in (1, 0):
            for index, pronoun in enumerate(reported.answers.pronouns):
                invalid = sum(reported.invalid.get((unit, index, truth), {}).values())
                right, wrong = (float(tallies[unit, index, truth, said]) for said in (truth, 1 - truth))
                if right + wrong + invalid > 0:
                    rows.append(
                        UnitAnswers(
                            unit=name,
                            truth="female" if truth else "male",
                            role=reported.roles[unit][truth],
                            pronoun=pronoun,
                            right=right,
                            wrong=wrong,
                            invalid=invalid,
                        )
                    )
    return tuple(rows)
