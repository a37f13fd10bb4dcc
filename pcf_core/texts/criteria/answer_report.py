r"""From answers to rates by pronoun, and the size, interval and test of their differences.

    truth \ said        female-stereotyped     male-stereotyped
    female (Y = 1)      TP                     FN
    male (Y = 0)        FP                     TN

The positive is the female-stereotyped role (Eqs. 3 to 6 of the paper, whose section 5.3 once reads PPV as if
it were the doctor).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.comparison import permutations_of
from pcf_core.measure.ties import holm_adjusted
from pcf_core.texts.criteria.rates import (
    LEAST,
    Bounds,
    clustered_wilson,
    difference_interval,
    exchange_test,
    newcombe,
    resampled_sums,
    t_bounds,
    wilson,
)
from pcf_core.texts.criteria.records.quantities import (
    INVALID,
    LEVEL,
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

NO_ANSWER = "no valid answer"
Indices = NDArray[np.intp]
Invalid = Mapping[tuple[int, int, int], Mapping[str, int]]  # (unit, pronoun, truth) -> reason -> answers


@dataclass(frozen=True, eq=False)
class Answers:
    """Valid answers, one per row, from texts or scored prompts.

    ``unit``, ``pronoun``: [answer] indices into ``units`` and ``pronouns``.  ``truth``: [answer] 1 if the
    female-stereotyped role was right, ``first``: if it was named first in the prompt, ``said``: if it is the
    answer; for scored answers, its probability.
    """

    units: tuple[str, ...]
    pronouns: tuple[str, ...]
    unit: Indices
    pronoun: Indices
    truth: Indices
    first: Indices
    said: FloatArray

    def tallies(self) -> FloatArray:
        """Return [unit, pronoun, truth, said] numbers of answers, or sums of probabilities."""
        shape = (len(self.units), len(self.pronouns), 2)
        index = np.ravel_multi_index((self.unit, self.pronoun, self.truth), shape)
        whole = np.bincount(index, minlength=int(np.prod(shape))).astype(np.float64)
        female = np.bincount(index, weights=self.said, minlength=int(np.prod(shape)))
        return np.stack([whole - female, female], axis=-1).reshape(*shape, 2)

    def likelier(self) -> FloatArray:
        """Return [answer] 1 if the female-stereotyped role is more probable, .5 if both are equal."""
        return np.where(self.said == 0.5, 0.5, (self.said > 0.5) * 1.0)


def confusion(tallies: FloatArray) -> Confusion:
    """Make the confusion matrix of [truth, said] tallies."""
    return Confusion(
        tp=float(tallies[1, 1]), fn=float(tallies[1, 0]), fp=float(tallies[0, 1]), tn=float(tallies[0, 0])
    )


def parts(tallies: FloatArray, name: RateName | InvalidName) -> tuple[FloatArray, FloatArray]:
    """Return numerators and denominators […] of a share from […, truth, 2] tallies.

    The last axis is the answer: TP 50, FN 100, FP 0, TN 150 give FNR 100/150, FPR 0/150, PPV 50/50, NPV
    150/250.  For invalid answers it is (valid, invalid).
    """
    if name in INVALID:
        wanted = {"invalid": (0, 1), "invalid, female right": (1,), "invalid, male right": (0,)}[name]
        chosen = tallies[..., wanted, :].sum(axis=-2)
        return chosen[..., 1], chosen.sum(axis=-1)
    tp, fn = tallies[..., 1, 1], tallies[..., 1, 0]
    fp, tn = tallies[..., 0, 1], tallies[..., 0, 0]
    return {"FNR": (fn, tp + fn), "FPR": (fp, fp + tn), "PPV": (tp, tp + fp), "NPV": (tn, tn + fn)}[name]


def rates(tallies: FloatArray) -> dict[RateName, FloatArray]:
    """Compute rates […] from […, truth, said] tallies, NaN where the denominator is 0."""
    return {name: _share(*parts(tallies, name)) for name in RATES}


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    defined = whole > 0
    return np.where(defined, part / np.where(defined, whole, 1.0), np.nan)


def possible(matrix: Confusion, invalid: Sequence[float], name: RateName) -> tuple[float, float]:
    """Return the smallest and largest possible rate if the invalid answers had been valid.

    TP 50, FN 50 and 25 invalid ones where Y = 1: FNR from 50/125 to 75/125.  ``invalid``: where Y = 0, where
    Y = 1.
    """
    male, female = invalid
    part, whole = map(float, parts(np.array([[matrix.tn, matrix.fp], [matrix.fn, matrix.tp]]), name))
    more, rest = {
        "FNR": (female, female),
        "FPR": (male, male),
        "PPV": (female, male),
        "NPV": (male, female),
    }[name]
    return part / (whole + rest), (part + more) / (whole + more)


# Differences between pronouns.


@dataclass(frozen=True, eq=False)
class Clusters:
    """Tallies of questions or tasks, and resamples of them; ``tallies``: [unit, pronoun, truth, 2]."""

    tallies: FloatArray
    unit: str
    resamples: int
    seed: int

    @cached_property
    def strata(self) -> list[int]:
        """[unit] truths it has: bit 0 if the male-stereotyped role is right, bit 1 for the female one."""
        truths = self.tallies.sum(axis=(1, 3)) > 0
        return [int(both[0]) + 2 * int(both[1]) for both in truths]

    @cached_property
    def drawn(self) -> FloatArray:
        """[resample, pronoun, truth, 2] sums over resampled units."""
        return resampled_sums(self.tallies, self.strata, self.resamples, self.seed)

    def parts(self, name: RateName | InvalidName, index: int) -> tuple[FloatArray, FloatArray]:
        """Return [unit] numerators and denominators of a share of one pronoun."""
        return parts(self.tallies[:, index], name)

    def replicates(self, name: RateName | InvalidName, index: int) -> FloatArray:
        """Return [resample] values of a share of one pronoun, NaN where undefined."""
        return _share(*parts(self.drawn[:, index], name))

    def influence(self, name: RateName | InvalidName, index: int) -> FloatArray:
        """Return [unit] influence on a share of one pronoun: (y − p m) / Σ m."""
        part, whole = self.parts(name, index)
        size = max(float(whole.sum()), 1e-300)
        return (part - float(part.sum()) / size * whole) / size

    def freedom(self, *shares: tuple[RateName | InvalidName, int]) -> int:
        """Return the degrees of freedom of the rarer of two shares (name, index of the pronoun).

        In each stratum they are the number of units with answers, minus one.
        """
        used = [self.parts(*share)[1] > 0 for share in shares]
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
        """Return the interval of ``one`` minus ``other`` (:mod:`pcf_core.texts.criteria.rates`)."""
        kinds = (self.strata.count(each) for each in set(self.strata) if each)
        fewest = min(one.units, other.units, *kinds)
        fixed: Bounds | None = None
        if not all(1e-12 < (each.value or 0.0) < 1 - 1e-12 for each in (one, other)):
            fixed = _squared(one, other)
        elif fewest < FEW_UNITS:
            fixed = t_bounds(influence, self.strata, value, freedom, LEVEL) or _squared(one, other)
        return difference_interval(replicates, value, fewest, LEVEL, unit=self.unit, fixed=fixed)


def _squared(one: Rate, other: Rate) -> Bounds | None:
    if one.value is None or other.value is None or one.interval is None or other.interval is None:
        return None
    first, second = ((each.low, each.high) for each in (one.interval, other.interval))
    return newcombe(one.value, other.value, first, second)


def _differences(
    clusters: Clusters,
    shares: Mapping[str, Sequence[Rate]],
    names: Sequence[RateName] | Sequence[InvalidName],
    permutations: int,
    against: str = "",
) -> tuple[RateDifference, ...]:
    """Compare pronouns in every share, adjusting over all defined comparisons (Holm).

    Differences under :data:`LEAST` count as 0: scores move by about as much with the order of summation.
    ``shares``: by pronoun, in the order of the tallies, those of ``names``.  ``permutations``: how many
    exchanges to draw.  ``against``: :data:`WITHOUT` to compare each pronoun with none; empty for every pair.
    """
    pronouns = list(shares)
    spoken = [pronoun for pronoun in pronouns if pronoun != WITHOUT]
    pairs = [(pronoun, against) for pronoun in spoken] if against else list(combinations(spoken, 2))
    rows = []
    for column, name in enumerate(names):
        for pair in pairs:
            one, other = (shares[pronoun][column] for pronoun in pair)
            row = RateDifference(name=name, first=pair[0], second=pair[1], value=None)
            if one.value is None or other.value is None:
                lacking, which = (pair[0], one) if one.value is None else (pair[1], other)
                rows.append(row.model_copy(update={"reason": f"{lacking}: {which.reason}"}))
                continue
            first, second = (pronouns.index(pronoun) for pronoun in pair)
            value = one.value - other.value if abs(one.value - other.value) >= LEAST else 0.0
            interval = clusters.interval(
                value,
                clusters.replicates(name, first) - clusters.replicates(name, second),
                clusters.influence(name, first) - clusters.influence(name, second),
                one,
                other,
                clusters.freedom((name, first), (name, second)),
            )
            test = exchange_test(
                clusters.parts(name, first), clusters.parts(name, second), permutations, clusters.seed
            )
            update = {"value": value, "interval": interval, "p_value": test.p_value, "least_p": test.least_p}
            rows.append(row.model_copy(update=update))
    return holm_adjusted(rows)


def _with_possible(
    rows: tuple[RateDifference, ...],
    by_pronoun: Mapping[str, PronounAnswers],
    unread: Mapping[str, Sequence[float]],
) -> tuple[RateDifference, ...]:
    """Add the possible range of each difference; ``unread``: [truth] invalid answers by pronoun."""
    completed = []
    for row in rows:
        if row.value is not None:
            name = next(rate for rate in RATES if rate == row.name)
            (least, most), (other_least, other_most) = (
                possible(by_pronoun[each].confusion, unread[each], name) for each in (row.first, row.second)
            )
            if most > least or other_most > other_least:
                row = row.model_copy(update={"possible": (least - other_most, most - other_least)})
        completed.append(row)
    return tuple(completed)


# The report.


@dataclass(frozen=True)
class Reported:
    """The input of a report.

    ``invalid``: answers by (unit, pronoun, truth) and reason.  ``roles``: [unit] (male-, female-stereotyped)
    role.  ``letters``: [unit, (wrong, valid, invalid)] answers to prompts for the right option.
    """

    experiment: Literal["questions", "tasks"]
    answering: Answering
    material: str
    unit: Literal["question", "task"]
    answers: Answers
    invalid: Invalid
    roles: tuple[tuple[str, str], ...]
    letters: FloatArray | None = None

    def unread(self) -> FloatArray:
        """Count [unit, pronoun, truth] invalid answers."""
        counts = np.zeros((len(self.answers.units), len(self.answers.pronouns), 2))
        for index, reasons in self.invalid.items():
            counts[index] = sum(reasons.values())
        return counts

    def rate(self, name: str, part: FloatArray, whole: FloatArray, reason: str = NO_ANSWER) -> Rate:
        """Return a share with its intervals from [unit] numerators and denominators.

        ``reason``: why undefined, if the denominators are 0.  Only written answers vary between repeats.
        """
        size, units = float(whole.sum()), int(np.sum(whole > 0))
        if size <= 0:
            return Rate(name=name, value=None, reason=reason, n=0, units=0)
        value = min(max(float(part.sum()) / size, 0.0), 1.0)
        written = self.answering == "written"
        return Rate(
            name=name,
            value=value,
            n=size,
            units=units,
            interval=_interval(clustered_wilson(part, whole, LEVEL, chance=written), self.unit),
            repeats=_interval(wilson(value * size, size, LEVEL), "text") if written else None,
        )


def _interval(bounds: Bounds | None, unit: str) -> Interval | None:
    return None if bounds is None else Interval(level=LEVEL, low=bounds[0], high=bounds[1], unit=unit)


def answers_report(
    reported: Reported, *, resamples: int = 2000, permutations: int = 9999, seed: int = 0
) -> AnswersReport:
    """Report each pronoun's rates, the differences between pronouns, and effects of order and knowledge."""
    answers, unread = reported.answers, reported.unread()
    clusters = Clusters(answers.tallies(), reported.unit, resamples, seed)
    read = np.stack(
        [clusters.tallies.sum(axis=3), unread], axis=-1
    )  # [unit, pronoun, truth, (valid, invalid)]
    by_pronoun = {
        pronoun: _pronoun(reported, clusters, read[:, index], index)
        for index, pronoun in enumerate(answers.pronouns)
    }
    leading = np.where(answers.first == 1, answers.said, 1 - answers.said)
    named_first = np.bincount(answers.unit, weights=leading, minlength=len(answers.units)) * 1.0
    ways = permutations_of(len(answers.units), permutations)
    letters = reported.letters
    report = AnswersReport(
        experiment=reported.experiment,
        answering=reported.answering,
        material=reported.material,
        unit=reported.unit,
        units=len(answers.units),
        n=len(answers.said) + int(unread.sum()),
        pronouns=tuple(each for pronoun, each in by_pronoun.items() if pronoun != WITHOUT),
        baseline=by_pronoun.get(WITHOUT),
        differences=_with_possible(
            _differences(
                clusters, {name: each.rates for name, each in by_pronoun.items()}, RATES, permutations
            ),
            by_pronoun,
            dict(zip(answers.pronouns, unread.sum(axis=0).tolist(), strict=True)),
        ),
        invalid_differences=_differences(
            Clusters(read, reported.unit, resamples, seed),
            {name: each.invalid_rates for name, each in by_pronoun.items()},
            INVALID,
            permutations,
        )
        if unread.any()
        else (),
        knowledge=None if letters is None else reported.rate("knowledge", letters[:, 0], letters[:, 1]),
        knowledge_invalid=0 if letters is None else int(letters[:, 2].sum()),
        first_named=reported.rate("first named", named_first, clusters.tallies.sum(axis=(1, 2, 3))),
        by_unit=_by_unit(reported, clusters.tallies),
        permutations=ways.count,
        exact=ways.exact,
    )
    gaps = baseline_differences(report, resamples=resamples, permutations=permutations, seed=seed)
    return report.model_copy(update={"from_baseline": gaps})


def baseline_differences(
    report: AnswersReport, *, resamples: int = 2000, permutations: int = 9999, seed: int = 0
) -> tuple[RateDifference, ...]:
    """Compare each pronoun with none where answers were scored; otherwise return nothing.

    Computed from the answers by unit, so that it also works for older reports.
    """
    if report.answering != "scored" or report.baseline is None:
        return ()
    every = {each.pronoun: each for each in (*report.pronouns, report.baseline)}
    names = list(every)
    units = {name: index for index, name in enumerate(dict.fromkeys(row.unit for row in report.by_unit))}
    tallies = np.zeros((report.units, len(names), 2, 2))
    unread = np.zeros((len(names), 2))
    for row in report.by_unit:
        unit, pronoun, truth = units[row.unit], names.index(row.pronoun), int(row.truth == "female")
        tallies[unit, pronoun, truth, truth] += row.right
        tallies[unit, pronoun, truth, 1 - truth] += row.wrong
        unread[pronoun, truth] += row.invalid
    rows = _differences(
        Clusters(tallies, report.unit, resamples, seed),
        {name: each.rates for name, each in every.items()},
        RATES,
        permutations,
        against=WITHOUT,
    )
    return _with_possible(rows, every, dict(zip(names, unread.tolist(), strict=True)))


def _pronoun(reported: Reported, clusters: Clusters, read: FloatArray, index: int) -> PronounAnswers:
    """Report the answers under one pronoun; ``read``: [unit, truth, (valid, invalid)] answers."""
    answers, mine = reported.answers, clusters.tallies[:, index]
    invalid: Counter[str] = Counter()
    for (_, pronoun, _), reasons in reported.invalid.items():
        if pronoun == index:
            invalid.update(reasons)
    likelier = None
    if reported.answering == "scored":
        chosen = replace(answers, said=answers.likelier()).tallies()
        likelier = confusion(chosen[:, index].sum(axis=0))
    by_name = {name: reported.rate(name, *parts(mine, name), UNDEFINED[name]) for name in RATES}
    value, interval = _right_less_false(clusters, index, by_name["FNR"], by_name["FPR"])
    return PronounAnswers(
        pronoun=answers.pronouns[index],
        confusion=confusion(mine.sum(axis=0)),
        likelier=likelier,
        invalid=dict(invalid),
        invalid_rates=tuple(reported.rate(name, *parts(read, name), "no answer") for name in INVALID),
        valid=_by_order(answers, index),
        rates=tuple(by_name.values()),
        error=reported.rate("error", mine[:, 1, 0] + mine[:, 0, 1], mine.sum(axis=(1, 2))),
        told=value,
        told_interval=interval,
    )


def _right_less_false(
    clusters: Clusters, index: int, missed: Rate, false: Rate
) -> tuple[float | None, Interval | None]:
    """Return TPR − FPR of one pronoun with its interval."""
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


def _by_order(answers: Answers, index: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Count [truth][first] valid answers under one pronoun."""
    mine = answers.pronoun == index
    male, female = (
        tuple(float(np.sum(mine & (answers.truth == truth) & (answers.first == first))) for first in (0, 1))
        for truth in (0, 1)
    )
    return (male[0], male[1]), (female[0], female[1])


def _by_unit(reported: Reported, tallies: FloatArray) -> tuple[UnitAnswers, ...]:
    rows = []
    for unit, name in enumerate(reported.answers.units):
        for truth in (1, 0):
            for index, pronoun in enumerate(reported.answers.pronouns):
                invalid = sum(reported.invalid.get((unit, index, truth), {}).values())
                right, wrong = (float(tallies[unit, index, truth, role]) for role in (truth, 1 - truth))
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
