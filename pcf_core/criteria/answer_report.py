"""From answers to rates by pronoun, their differences, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from pcf_core.criteria.confusion import Answers, Invalid, confusion, parts, rates
from pcf_core.records import FloatArray, Interval
from pcf_core.records.answers import (
    RATES,
    UNDEFINED,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
    Rate,
    RateDifference,
    RateName,
    UnitAnswers,
)
from pcf_core.records.criteria import Answering
from pcf_core.stats.rates import (
    Bounds,
    clustered_wilson,
    dealt_again,
    difference_interval,
    drawn_clusters,
    newcombe,
    two_sided_p,
    wilson,
)
from pcf_core.stats.regression import holm

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


def answers_report(
    reported: Reported,
    *,
    knowledge: Rate | None = None,
    knowledge_invalid: int = 0,
    level: float = 0.95,
    resamples: int = 2000,
    permutations: int = 2000,
    seed: int = 0,
) -> AnswersReport:
    """Rates of each pronoun, differences between each two, and what order and knowledge do.

    The same seed gives the same report.
    """
    answers, tallies = reported.answers, reported.answers.tallies()
    found = {
        pronoun: _pronoun(reported, tallies, place, level) for place, pronoun in enumerate(answers.pronouns)
    }
    leading = np.where(answers.first == 1, answers.said, 1 - answers.said)
    named_first = np.bincount(answers.unit, weights=leading, minlength=len(answers.units)) * 1.0
    return AnswersReport(
        experiment=reported.experiment,
        answering=reported.answering,
        material=reported.material,
        unit=reported.unit,
        units=len(answers.units),
        n=len(answers.said) + sum(sum(each.values()) for each in reported.invalid.values()),
        pronouns=tuple(each for name, each in found.items() if name != WITHOUT),
        baseline=found.get(WITHOUT),
        differences=_differences(reported, tallies, found, level, resamples, permutations, seed),
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
        permutations=permutations,
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
    """A share with its intervals from [unit] numerators and denominators; ``reason``: if there are none."""
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


def _pronoun(reported: Reported, tallies: FloatArray, place: int, level: float) -> PronounAnswers:
    answers, mine = reported.answers, tallies[:, place]
    invalid: dict[str, int] = {}
    for (_, pronoun, _), reasons in reported.invalid.items():
        for reason, number in reasons.items():
            if pronoun == place:
                invalid[reason] = invalid.get(reason, 0) + number
    likelier = None
    if not reported.chance:
        chosen = Answers(**{**vars(answers), "said": answers.likelier()}).tallies()
        likelier = confusion(chosen[:, place].sum(axis=0))
    wrong = mine[:, 1, 0] + mine[:, 0, 1]
    return PronounAnswers(
        pronoun=answers.pronouns[place],
        confusion=confusion(mine.sum(axis=0)),
        likelier=likelier,
        invalid=invalid,
        rates=tuple(
            rate(name, *parts(mine, name), UNDEFINED[name], reported.unit, reported.chance, level)
            for name in RATES
        ),
        error=rate("error", wrong, mine.sum(axis=(1, 2)), NO_ANSWER, reported.unit, reported.chance, level),
    )


def _differences(
    reported: Reported,
    tallies: FloatArray,
    found: Mapping[str, PronounAnswers],
    level: float,
    resamples: int,
    permutations: int,
    seed: int,
) -> tuple[RateDifference, ...]:
    """Every two pronouns in every rate; Holm over all that are defined."""
    truths = tallies.sum(axis=(1, 3)) > 0
    strata = [int(both[0]) + 2 * int(both[1]) for both in truths]
    fewest = min((strata.count(each) for each in set(strata) if each), default=0)
    drawn = rates(drawn_clusters(tallies, strata, resamples, seed))
    names = [name for name in reported.answers.pronouns if name != WITHOUT]
    pairs = list(combinations(names, 2))
    dealt = {pair: _dealt(reported.answers, pair, permutations, seed) for pair in pairs}
    rows = []
    for name in RATES:
        for first, second in pairs:
            one, other = found[first].rate(name), found[second].rate(name)
            if one.value is None or other.value is None:
                lacking = first if one.value is None else second
                reason = f"{lacking}: {UNDEFINED[name]}"
                rows.append(RateDifference(name=name, first=first, second=second, value=None, reason=reason))
                continue
            columns = [reported.answers.pronouns.index(each) for each in (first, second)]
            value = one.value - other.value
            rows.append(
                RateDifference(
                    name=name,
                    first=first,
                    second=second,
                    value=value,
                    interval=difference_interval(
                        drawn[name][:, columns[0]] - drawn[name][:, columns[1]],
                        value,
                        fewest,
                        level,
                        unit=reported.unit,
                        fixed=_fixed(one, other),
                    ),
                    p_value=two_sided_p(value, dealt[first, second][name]),
                )
            )
    adjusted = iter(holm([row.p_value for row in rows if row.p_value is not None]))
    return tuple(
        row if row.p_value is None else row.model_copy(update={"adjusted": next(adjusted)}) for row in rows
    )


def _fixed(one: Rate, other: Rate) -> Bounds | None:
    """Newcombe's bounds where a rate is 0 or 1, and both have bounds; else ``None``."""
    if one.value is None or other.value is None or one.interval is None or other.interval is None:
        return None
    if all(1e-12 < each < 1 - 1e-12 for each in (one.value, other.value)):
        return None
    first, second = ((each.low, each.high) for each in (one.interval, other.interval))
    return newcombe(one.value, other.value, first, second)


def _dealt(
    answers: Answers, pair: tuple[str, str], permutations: int, seed: int
) -> dict[RateName, FloatArray]:
    """[deal] differences of the two pronouns in each rate, with the pronouns dealt anew."""
    first, second = (answers.pronouns.index(each) for each in pair)
    kept = (answers.pronoun == first) | (answers.pronoun == second)
    blocks = np.ravel_multi_index(
        (answers.unit[kept], answers.truth[kept], answers.first[kept]), (len(answers.units), 2, 2)
    )
    names, block = np.unique(blocks, return_inverse=True)
    mine = answers.pronoun[kept] == first
    said = dealt_again(answers.said[kept], block, mine, permutations, seed)
    own = np.bincount(block[mine], minlength=len(names))
    sizes = (own, np.bincount(block, minlength=len(names)) - own)
    truth = (names // 2) % 2
    dealt = []
    for sums, size in zip(said, sizes, strict=True):
        female = np.stack([sums[:, truth == each].sum(axis=1) for each in (0, 1)], axis=-1)
        whole = np.array([size[truth == each].sum() for each in (0, 1)], dtype=np.float64)
        dealt.append(rates(np.stack([whole - female, female], axis=-1)))
    return {name: dealt[0][name] - dealt[1][name] for name in RATES}


def _by_unit(reported: Reported, tallies: FloatArray) -> tuple[UnitAnswers, ...]:
    rows = []
    for unit, name in enumerate(reported.answers.units):
        for truth in (1, 0):
            for place, pronoun in enumerate(reported.answers.pronouns):
                invalid = sum(reported.invalid.get((unit, place, truth), {}).values())
                right, wrong = (float(tallies[unit, place, truth, said]) for said in (truth, 1 - truth))
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
