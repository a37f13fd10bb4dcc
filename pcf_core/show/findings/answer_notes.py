"""What has to be known beside rates of answers: order, invalid ones, few units, tests, the base rate."""

from __future__ import annotations

import math

from pcf_core.show.findings.answers import share_text
from pcf_core.show.findings.numbers import p_value
from pcf_core.show.wording import sentences
from pcf_core.texts.criteria.records.quantities import RATES, SIGNIFICANCE
from pcf_core.texts.criteria.records.separation import (
    FEW_UNITS,
    GAP_LINE,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
)

MUCH_INVALID = 0.2  # of the answers
ABOUT_ALIKE = 0.01  # shares that differ by less are the same to the per cent

say = sentences("answer_notes")


def order_finding(report: AnswersReport) -> str:
    """Say what naming a role first does; empty without an answer."""
    rate = report.first_named
    if rate.value is None:
        return ""
    told = rate.interval is not None and not rate.interval.low <= 0.5 <= rate.interval.high
    order = say("order", share=share_text(rate), told=told, above=rate.value > 0.5)
    return f"{order} {_leaning(report)}"


def notes(report: AnswersReport) -> tuple[str, ...]:
    """List what has to be known beside the rates: invalid answers, few units, base rate, answering."""
    found = [_invalid(report)]
    if report.knowledge_invalid:
        found.append(say("letters_invalid", answers=report.knowledge_invalid))
    sides = 2 if report.unit == "task" else 1  # each task is right for one role alone
    if report.units < sides * FEW_UNITS:
        found.append(say("few_units", report=report))
    if disagreeing := disagreement_finding(report):
        found.append(disagreeing)
    found += [_testing(report), _base_rates(report)]
    if report.answering == "scored":
        found.append(say("scored"))
    return (*found, say("line", gap=GAP_LINE))


def disagreement_finding(report: AnswersReport) -> str:
    """Say which differences are beyond chance by their test alone; empty where each interval leaves 0 out."""
    named = [say("difference", row=row) for row in report.differences if row.disagrees]
    return say("disagreement", named=named, unit=report.unit) if named else ""


def _invalid(report: AnswersReport) -> str:
    if not report.n_invalid:
        return say("none_invalid", report=report)
    by_pronoun = []
    for each in report.every:
        reasons = [say("reason", answers=size, reason=reason) for reason, size in each.invalid.items()]
        share, female_right, male_right = map(share_text, each.invalid_rates)
        if reasons:
            by_pronoun.append(
                say(
                    "invalid_under",
                    pronoun=_pronoun(each),
                    share=share,
                    female_right=female_right,
                    male_right=male_right,
                    reasons=reasons,
                )
            )
    share_of_all = report.n_invalid / report.n
    return say(
        "invalid",
        report=report,
        share=share_of_all,
        much=share_of_all > MUCH_INVALID,
        by_pronoun=" ".join(by_pronoun),
    )


def _leaning(report: AnswersReport) -> str:
    """Say whether either order has as many valid answers under every pronoun and truth.

    Else say where it has not.
    """
    shares = [
        (leading / (behind + leading), each, role)
        for each in report.every
        for (behind, leading), role in zip(each.valid, ("male", "female"), strict=True)
        if behind + leading > 0
    ]
    share, each, role = max(shares, key=lambda one: abs(one[0] - 0.5))
    if math.isclose(share, 0.5):
        return say("as_many_valid")
    return say("more_valid", pronoun=_pronoun(each), role=role, share=share)


def _base_rates(report: AnswersReport) -> str:
    """Say whether PPV and NPV are moved by how often either role was right among the valid answers."""
    rates = {each.pronoun: each.base_rate for each in report.pronouns if each.base_rate is not None}
    shares = list(rates.values())
    if not shares:
        return say("no_base_rate")
    if all(math.isclose(share, 0.5) for share in shares):
        return say("even_base_rate")
    if max(shares) - min(shares) < ABOUT_ALIKE:
        return say("one_base_rate", share=shares[0])
    by_pronoun = [say("share_for", share=share, pronoun=pronoun) for pronoun, share in rates.items()]
    return say("base_rates", shares=by_pronoun)


def _testing(report: AnswersReport) -> str:
    """Say how p-values are made, and which differences so few questions or tasks could never show."""
    how = say("testing", report=report)
    smallest = _untestable(report)
    if not smallest:
        return how
    needed = 1 + math.ceil(math.log2(report.tests / SIGNIFICANCE))
    return f"{how} {say('untestable', smallest=smallest, needed=needed, unit=report.unit)}"


def _untestable(report: AnswersReport) -> list[str]:
    """Say the smallest p of each rate that can show nothing; by pair where pronouns differ in that."""
    said = []
    for name in RATES:
        rows = [row for row in report.differences if row.name == name and row.least_p is not None]
        few = [row for row in rows if not report.testable(row)]
        if few == rows and len({row.least_p for row in rows}) == 1:
            said.append(say("smallest_for", p=_p(rows[0].least_p), name=name))
        else:
            said += [say("smallest_of_pair", p=_p(row.least_p), row=row) for row in few]
    return said


def _pronoun(each: PronounAnswers) -> str | None:
    return None if each.pronoun == WITHOUT else each.pronoun


def _p(value: float | None) -> str:
    return p_value(value or 0.0).removeprefix("p ").removeprefix("= ")
