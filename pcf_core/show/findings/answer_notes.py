"""What has to be known beside rates of answers: order, invalid ones, few units, tests, the base rate."""

from __future__ import annotations

import math

from pcf_core.show.findings.answers import pronoun_text, share_text, units_text
from pcf_core.show.findings.numbers import count, listed, number, percent
from pcf_core.texts.criteria.records.quantities import INVALID, RATES, SIGNIFICANCE, Rate
from pcf_core.texts.criteria.records.separation import FEW_UNITS, GAP_LINE, AnswersReport

MUCH_INVALID = 0.2  # of the answers
ABOUT_ALIKE = 0.01  # shares that differ by less are the same to the per cent
INVALID_WORDS = {
    "both": "name both",
    "neither": "name neither",
    "unread": "have a negation, a doubt or a hedge that no rule reads",
    "unscored": "have a word that the model cannot express",
}


def order_finding(report: AnswersReport) -> str:
    """Say what naming a role first does; empty without an answer."""
    rate = report.first_named
    if rate.value is None:
        return ""
    told = rate.interval is not None and not rate.interval.low <= 0.5 <= rate.interval.high
    what = "The order matters" if told else "That the order matters cannot be shown"
    return (
        f"{what}: {_beside_half(rate)} of the answers name the role that the prompt names first, where 50 % "
        f"is no effect; {_leaning(report)}."
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
        found.append(
            f"From {units_text(report)} little follows for others: intervals are wide, of so few by "
            "Student's t."
        )
    if disagreeing := disagreement_finding(report):
        found.append(disagreeing)
    found += [_testing(report), _base_rates(report)]
    if report.answering == "scored":
        found.append(
            "Answers were scored: rates are mean probabilities of the two candidate words, taken as the only "
            "two, and not shares of texts; a word of several tokens has less of it for that alone."
        )
    found.append(
        f"The line at {percent(GAP_LINE)} is a convention that the paper names in passing, not a verdict."
    )
    return tuple(found)


def disagreement_finding(report: AnswersReport) -> str:
    """Say which differences are beyond chance by their test alone; empty where each interval leaves 0 out."""
    named = [f"{row.name} of {row.first} and {row.second}" for row in report.differences if row.disagrees]
    if not named:
        return ""
    which = "their intervals hold 0" if len(named) > 1 else "its interval holds 0"
    return (
        f"Test and interval disagree on {listed(named)}, which the test finds beyond chance while {which}: "
        f"the pronouns may differ in how errors clump by {report.unit}, and not in how many there are."
    )


def _invalid(report: AnswersReport) -> str:
    if not report.n_invalid:
        return f"All {report.n:,} answers could be {'read' if report.answering == 'written' else 'scored'}."
    parts = []
    for each in report.every:
        reasons = [f"{size:,} {INVALID_WORDS[reason]}" for reason, size in each.invalid.items()]
        share_of = dict(zip(INVALID, map(share_text, each.invalid_rates), strict=True))
        truths = [
            f"{share_of[name]} where the {name.removeprefix('invalid, ').removesuffix(' right')}-stereotyped "
            "role is right"
            for name in INVALID[1:]
        ]
        if reasons:
            parts.append(f"{pronoun_text(each)} {share_of['invalid']}, {listed(truths)} ({listed(reasons)})")
    share = report.n_invalid / report.n
    warning = ", so many that the rest may be a choice of easy ones" if share > MUCH_INVALID else ""
    return (
        f"{report.n_invalid:,} of {report.n:,} answers ({percent(share)}) are invalid and count for nothing"
        f"{warning}: {'; '.join(parts)}."
    )


def _beside_half(rate: Rate) -> str:
    """Write a share with its interval as per cent, with as many decimals as tell its ends from one half."""
    if rate.value is None or rate.interval is None:
        return share_text(rate)
    ends = (rate.value, rate.interval.low, rate.interval.high)
    nearest = min((abs(end - 0.5) for end in ends if end != 0.5), default=0.5)
    decimals = min(4, max(0, math.ceil(-2 - math.log10(nearest))))
    value, low, high = (f"{100 * end:.{decimals}f} %" for end in ends)
    return f"{value} ({low} to {high})"


def _leaning(report: AnswersReport) -> str:
    """Say whether either order has as many valid answers under every pronoun and truth.

    Else say where it has not.
    """
    shares = [
        (leading / (behind + leading), pronoun_text(each), role)
        for each in report.every
        for (behind, leading), role in zip(each.valid, ("male", "female"), strict=True)
        if behind + leading > 0
    ]
    share, pronoun, role = max(shares, key=lambda one: abs(one[0] - 0.5))
    if math.isclose(share, 0.5):
        return "either order has as many valid answers, so no rate leans by it"
    where = pronoun if pronoun.startswith("without") else f"with {pronoun}"
    return (
        "one order has more valid answers than the other, so rates may lean by it: most of all "
        f"{where}, where in {percent(share)} of those with the {role}-stereotyped role right the "
        "female-stereotyped one is named first"
    )


def _base_rates(report: AnswersReport) -> str:
    """Say whether PPV and NPV are moved by how often either role was right among the valid answers."""
    rates = {each.pronoun: each.base_rate for each in report.pronouns if each.base_rate is not None}
    shares = list(rates.values())
    if not shares:
        return "There are no valid answers under a pronoun, so there is no base rate."
    if all(math.isclose(share, 0.5) for share in shares):
        return (
            "Either role was right in as many valid answers, so PPV and NPV are not moved by a base rate, "
            "and separation and sufficiency can hold together."
        )
    told = f"The female-stereotyped role was right in {percent(shares[0])} of the valid answers"
    if max(shares) - min(shares) < ABOUT_ALIKE:
        return (
            f"{told} under every pronoun: PPV and NPV move with that share, though alike for all pronouns, "
            "and separation and sufficiency can hold together."
        )
    told = listed([f"{percent(share)} for {pronoun}" for pronoun, share in rates.items()])
    return (
        f"Of the valid answers the female-stereotyped role was right in {told}: PPV and NPV move with these "
        "shares, so that gaps in them may come of that alone, and unless answers are never or always wrong "
        "separation and sufficiency cannot both hold."
    )


def _testing(report: AnswersReport) -> str:
    """Say how p-values are made, and which differences so few questions or tasks could never show."""
    ways = f"all {report.permutations + 1:,}" if report.exact else f"{report.permutations:,} random"
    how = (
        f"Tests exchange two pronouns over whole {report.unit}s with all their answers, in {ways} ways, and "
        f"control {count(report.tests, 'difference')} together"
    )
    untestable = _untestable(report)
    if not untestable:
        return f"{how}."
    needed = 1 + math.ceil(math.log2(report.tests / SIGNIFICANCE))
    either = f", so {needed} of either role" if report.unit == "task" else ""  # a task is right for one alone
    return (
        f"{how}. A rate rests on the {report.unit}s that either pronoun has such answers to, and on so few "
        f"some differences cannot be shown, however large: before control the smallest p that is possible is "
        f"{listed(untestable)}; each rate would need {needed} such {report.unit}s{either}."
    )


def _untestable(report: AnswersReport) -> list[str]:
    """Say the smallest p of each rate that can show nothing; by pair where pronouns differ in that."""
    said = []
    for name in RATES:
        rows = [row for row in report.differences if row.name == name and row.least_p is not None]
        few = [row for row in rows if not report.testable(row)]
        if few == rows and len({row.least_p for row in rows}) == 1:
            said.append(f"{number(rows[0].least_p)} for {name}")
        else:
            said += [f"{number(row.least_p)} for {name} of {row.first} and {row.second}" for row in few]
    return said
