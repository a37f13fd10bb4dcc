"""What has to be known beside rates of answers: order, invalid ones, few units, tests, the base rate."""

from __future__ import annotations

import math

from pcf_core.show.findings.answers import pronoun_text, share_text, units_text
from pcf_core.show.findings.numbers import begun, count, listed, p_value, percent
from pcf_core.texts.criteria.records.quantities import INVALID, RATES, SIGNIFICANCE
from pcf_core.texts.criteria.records.separation import FEW_UNITS, GAP_LINE, AnswersReport, PronounAnswers

MUCH_INVALID = 0.2  # of the answers
ABOUT_ALIKE = 0.01  # shares that differ by less are the same to the per cent
INVALID_WORDS = {
    "both": "name both",
    "neither": "name neither",
    "unread": "have a doubt or a negation that no rule reads",
    "unscored": "have a word that the model cannot express",
}


def order_finding(report: AnswersReport) -> str:
    """Say what naming a role first does; empty without an answer."""
    rate = report.first_named
    if rate.value is None:
        return ""
    told = rate.interval is not None and not rate.interval.low <= 0.5 <= rate.interval.high
    what = "The order matters" if told else "We cannot show that the order matters"
    side = "above" if rate.value > 0.5 else "below"
    whole = f", and the whole range is {side} it" if told else ""  # whole per cent may not show that
    return (
        f"{what}: {share_text(rate)} of the answers name the role that the prompt names first. No effect "
        f"would be 50 %{whole}. {_leaning(report)}"
    )


def notes(report: AnswersReport) -> tuple[str, ...]:
    """List what has to be known beside the rates: invalid answers, few units, base rate, answering."""
    found = [_invalid(report)]
    if report.knowledge_invalid:
        found.append(
            f"Asked for the letter alone, {count(report.knowledge_invalid, 'answer names', 'answers name')} "
            "none and count for nothing."
        )
    sides = 2 if report.unit == "task" else 1  # each task is right for one role alone
    if report.units < sides * FEW_UNITS:
        found.append(f"{units_text(report)} tell little about others: the ranges are wide (Student's t).")
    if disagreeing := disagreement_finding(report):
        found.append(disagreeing)
    found += [_testing(report), _base_rates(report)]
    if report.answering == "scored":
        found.append(
            "Answers were scored: a rate is a mean probability of the two candidate words, not a share of "
            "texts. A word of several tokens gets less for that alone."
        )
    found.append(f"The line at {percent(GAP_LINE)} is a convention that the paper names, not a verdict.")
    return tuple(found)


def disagreement_finding(report: AnswersReport) -> str:
    """Say which differences are beyond chance by their test alone; empty where each interval leaves 0 out."""
    named = [f"{row.name} of {row.first} and {row.second}" for row in report.differences if row.disagrees]
    if not named:
        return ""
    which = "their ranges include 0" if len(named) > 1 else "its range includes 0"
    return (
        f"Test and range disagree on {listed(named)}. The test finds a difference while {which}. The "
        f"pronouns may differ in how errors clump by {report.unit}, not in how many there are."
    )


def _invalid(report: AnswersReport) -> str:
    if not report.n_invalid:
        return f"All {report.n:,} answers could be {'read' if report.answering == 'written' else 'scored'}."
    parts = []
    for each in report.every:
        reasons = [f"{size:,} {INVALID_WORDS[reason]}" for reason, size in each.invalid.items()]
        share_of = dict(zip(INVALID, map(share_text, each.invalid_rates), strict=True))
        truths = [
            f"Where the {name.removeprefix('invalid, ').removesuffix(' right')}-stereotyped role is right, "
            f"{share_of[name]} are."
            for name in INVALID[1:]
        ]
        if reasons:
            parts.append(
                f"{with_pronoun(each)}, {share_of['invalid']} are invalid: {listed(reasons)}. "
                f"{' '.join(truths)}"
            )
    share = report.n_invalid / report.n
    warning = " So many are missing that the rest may be the easy ones." if share > MUCH_INVALID else ""
    return (
        f"{report.n_invalid:,} of {report.n:,} answers ({percent(share)}) are invalid and count for nothing."
        f"{warning} {' '.join(parts)}"
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
        return "Either order has as many valid answers, so no rate leans by it."
    return (
        f"One order has more valid answers than the other, so rates may lean by it. {with_pronoun(each)} and "
        f"the {role}-stereotyped role right, {percent(share)} name the female-stereotyped role first."
    )


def _base_rates(report: AnswersReport) -> str:
    """Say whether PPV and NPV are moved by how often either role was right among the valid answers."""
    rates = {each.pronoun: each.base_rate for each in report.pronouns if each.base_rate is not None}
    shares = list(rates.values())
    if not shares:
        return "There are no valid answers under a pronoun, so there is no base rate."
    if all(math.isclose(share, 0.5) for share in shares):
        return (
            "Either role was right in as many valid answers, so no base rate moves PPV and NPV. Separation "
            "and sufficiency can hold together."
        )
    told = f"The female-stereotyped role was right in {percent(shares[0])} of the valid answers"
    if max(shares) - min(shares) < ABOUT_ALIKE:
        return (
            f"{told} under every pronoun. PPV and NPV move with that share, alike for all pronouns. "
            "Separation and sufficiency can hold together."
        )
    told = listed([f"{percent(share)} for {pronoun}" for pronoun, share in rates.items()])
    return (
        f"Of the valid answers the female-stereotyped role was right in {told}. PPV and NPV move with these "
        "shares, so their gaps may come from that alone. Separation and sufficiency cannot both hold, unless "
        "answers are never or always wrong."
    )


def _testing(report: AnswersReport) -> str:
    """Say how p-values are made, and which differences so few questions or tasks could never show."""
    ways = f"all {report.permutations + 1:,}" if report.exact else f"{report.permutations:,} random"
    how = (
        f"The test exchanges two pronouns over whole {report.unit}s in {ways} ways. It controls "
        f"{count(report.tests, 'difference')} together"
    )
    untestable = _untestable(report)
    if not untestable:
        return f"{how}."
    needed = 1 + math.ceil(math.log2(report.tests / SIGNIFICANCE))
    either = f", so {needed} of either role" if report.unit == "task" else ""  # a task is right for one alone
    return (
        f"{how}. So few {report.unit}s cannot show some differences, however large. Before control, the "
        f"smallest possible p is {listed(untestable)}. Each rate would need {needed} {report.unit}s "
        f"with such answers{either}."
    )


def _untestable(report: AnswersReport) -> list[str]:
    """Say the smallest p of each rate that can show nothing; by pair where pronouns differ in that."""
    said = []
    for name in RATES:
        rows = [row for row in report.differences if row.name == name and row.least_p is not None]
        few = [row for row in rows if not report.testable(row)]
        if few == rows and len({row.least_p for row in rows}) == 1:
            said.append(f"{_p(rows[0].least_p)} for {name}")
        else:
            said += [f"{_p(row.least_p)} for {name} of {row.first} and {row.second}" for row in few]
    return said


def with_pronoun(each: PronounAnswers) -> str:
    """Begin a sentence about answers under one pronoun, or under none."""
    text = pronoun_text(each)
    return begun(text) if text.startswith("without") else f"With {text}"


def _p(value: float | None) -> str:
    return p_value(value or 0.0).removeprefix("p ").removeprefix("= ")
