"""From answers to rates by pronoun, their differences, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pcf_core.criteria.answer_differences import differences, invalid_clusters, rate_clusters, told
from pcf_core.criteria.confusion import Answers, Invalid, confusion, invalid_parts, parts, possible
from pcf_core.records import FloatArray, Interval
from pcf_core.records.answers import WITHOUT, AnswersReport, PronounAnswers, RateDifference, UnitAnswers
from pcf_core.records.criteria import Answering
from pcf_core.records.rates import INVALID, RATES, UNDEFINED, Rate
from pcf_core.stats.permutation import permutations_of
from pcf_core.stats.rates import Bounds, clustered_wilson, wilson

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
        """[unit, pronoun, truth] invalid answers."""
        found = np.zeros((len(self.answers.units), len(self.answers.pronouns), 2))
        for place, reasons in self.invalid.items():
            found[place] = sum(reasons.values())
        return found


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
    """Rates of each pronoun, differences between each two, and what order and knowledge do.

    The same seed gives the same report.
    """
    answers, tallies, unread = reported.answers, reported.answers.tallies(), reported.unread()
    clusters = rate_clusters(tallies, reported.unit, level, resamples, seed)
    read = np.stack([tallies.sum(axis=3), unread], axis=-1)  # [unit, pronoun, truth, (valid, invalid)]
    found: dict[str, PronounAnswers] = {}
    for place, pronoun in enumerate(answers.pronouns):
        made = _pronoun(reported, tallies, read, place, level)
        value, interval = told(clusters, place, {each.name: each for each in made.rates})
        found[pronoun] = made.model_copy(update={"told": value, "told_interval": interval})
    shares = {name: {each.name: each for each in made.rates} for name, made in found.items()}
    unread_shares = {name: {each.name: each for each in made.invalid_rates} for name, made in found.items()}
    ways = permutations_of(len(answers.units), permutations)
    leading = np.where(answers.first == 1, answers.said, 1 - answers.said)
    named_first = np.bincount(answers.unit, weights=leading, minlength=len(answers.units)) * 1.0
    return AnswersReport(
        experiment=reported.experiment,
        answering=reported.answering,
        material=reported.material,
        unit=reported.unit,
        units=len(answers.units),
        n=len(answers.said) + int(unread.sum()),
        pronouns=tuple(each for name, each in found.items() if name != WITHOUT),
        baseline=found.get(WITHOUT),
        differences=_with_possible(
            differences(clusters, RATES, answers.pronouns, shares, permutations),
            found,
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


def _pronoun(
    reported: Reported, tallies: FloatArray, read: FloatArray, place: int, level: float
) -> PronounAnswers:
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
        invalid_rates=tuple(
            rate(
                name,
                *invalid_parts(read[:, place], name),
                "no answer",
                reported.unit,
                reported.chance,
                level,
            )
            for name in INVALID
        ),
        valid=_by_order(answers, place),
        rates=tuple(
            rate(name, *parts(mine, name), UNDEFINED[name], reported.unit, reported.chance, level)
            for name in RATES
        ),
        error=rate("error", wrong, mine.sum(axis=(1, 2)), NO_ANSWER, reported.unit, reported.chance, level),
    )


def _by_order(answers: Answers, place: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """[truth][first] valid answers under one pronoun."""
    mine = answers.pronoun == place
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
    """With what the invalid answers, [truth] of each pronoun, might have made of each difference."""
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
