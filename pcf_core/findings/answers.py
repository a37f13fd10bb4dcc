"""Separation and sufficiency in sentences: which fails, by how much, how sure, and what to know beside it."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.findings.numbers import count, listed, number, percent, with_interval
from pcf_core.records import Interval
from pcf_core.records.answers import (
    FEW_UNITS,
    GAP_LINE,
    SEPARATION,
    SUFFICIENCY,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
    Rate,
    RateDifference,
    RateName,
)
from pcf_core.records.criteria import SIGNIFICANCE

MUCH_INVALID = 0.2  # of the answers
INVALID_WORDS = {
    "both": "name both",
    "neither": "name neither",
    "unscored": "have a word that the model cannot express",
}


def separation_finding(report: AnswersReport) -> str:
    """Whether errors depend on the pronoun: the gaps in FNR and FPR, the widest of all pronouns."""
    return _criterion(report, "Separation", SEPARATION)


def sufficiency_finding(report: AnswersReport) -> str:
    """Whether what a named role is worth depends on the pronoun: the gaps in PPV and NPV."""
    return _criterion(report, "Sufficiency", SUFFICIENCY)


def answers_finding(report: AnswersReport) -> str:
    """Both criteria in one sentence each."""
    return f"{separation_finding(report)} {sufficiency_finding(report)}"


def rates_finding(report: AnswersReport) -> str:
    """The four rates of each pronoun with their intervals over questions or tasks."""
    parts = [
        f"{_pronoun(each)} {listed([_rate(rate) for rate in each.rates])}"
        for each in (*report.pronouns, *([] if report.baseline is None else [report.baseline]))
    ]
    return (
        f"Rates over {_units(report)}, {report.answering} answers: {'; '.join(parts)}. Intervals say what "
        f"other {report.unit}s of the kind would show ({report.label})."
    )


def gap_finding(row: RateDifference) -> str:
    """One difference: its size, its interval, its test."""
    if row.value is None:
        return f"{row.name}, {row.first} − {row.second}, is undefined: {row.reason}."
    shown = with_interval(row.value, row.interval)
    test = "" if row.adjusted is None else f"; p = {number(row.adjusted)} controlled for several tests"
    return f"{row.name}, {row.first} − {row.second}, is {shown}{test}."


def baseline_finding(report: AnswersReport) -> str:
    """Errors without a pronoun, and where only the letter was asked for; empty without either."""
    parts = []
    if report.baseline is not None and report.baseline.error.value is not None:
        error = report.baseline.error
        parts.append(f"without a pronoun {_share(error)} of the answers name the wrong role")
    if report.knowledge is not None and report.knowledge.value is not None:
        parts.append(f"asked for the right option alone, {_share(report.knowledge)} are wrong")
    if not parts:
        return ""
    sentence = ", and ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def order_finding(report: AnswersReport) -> str:
    """What naming a role first does; empty without an answer."""
    rate = report.first_named
    if rate.value is None:
        return ""
    told = rate.interval is not None and not rate.interval.low <= 0.5 <= rate.interval.high
    what = "The order matters" if told else "That the order matters cannot be shown"
    return (
        f"{what}: {_share(rate)} of the answers name the role that the prompt names first, where 50 % "
        "is no effect; either order was asked as often, so no rate leans by it."
    )


def notes(report: AnswersReport) -> tuple[str, ...]:
    """What has to be known beside the rates: invalid answers, few units, the base rate, the answering."""
    found = [_invalid(report)]
    if report.knowledge_invalid:
        found.append(
            f"Asked for the letter alone, {count(report.knowledge_invalid, 'answer names', 'answers name')} "
            "none and count for nothing."
        )
    sides = 2 if report.unit == "task" else 1  # each task is right for one role alone
    if report.units < sides * FEW_UNITS:
        found.append(
            f"From {_units(report)} little follows for others: intervals are wide, and with three of a kind "
            "those of differences hold about 87 times in 100. The tests are about these prompts alone."
        )
    found.append(
        "Either role was right as often, so PPV and NPV are not moved by a base rate, and separation and "
        "sufficiency can hold together."
    )
    if report.answering == "scored":
        found.append(
            "Answers were scored: rates are mean probabilities of the two candidate words, taken as the only "
            "two, and not shares of texts; a word of several tokens has less of it for that alone."
        )
    found.append(
        f"The line at {percent(GAP_LINE)} is a convention that the paper names in passing, not a verdict."
    )
    return tuple(found)


def _criterion(report: AnswersReport, title: str, names: Sequence[RateName]) -> str:
    pronouns = tuple(each.pronoun for each in report.pronouns)
    gaps = [gap for name in names if (gap := report.gap(name, pronouns)) is not None]
    defined = [gap for gap in gaps if gap.value is not None]
    undefined = [f"{gap.name} is undefined ({gap.reason})" for gap in gaps if gap.value is None]
    if not defined:
        return f"{title} cannot be told: {listed(undefined or ['fewer than two pronouns were asked with'])}."
    failing = [gap for gap in defined if gap.differs]
    if failing:
        verdict = f"{title} does not hold for these {report.unit}s"
    else:
        verdict = f"That {title.lower()} fails cannot be shown"
    return f"{verdict}: {'; '.join([*(_gap(gap, report) for gap in defined), *undefined])}."


def _gap(gap: RateDifference, report: AnswersReport) -> str:
    if not gap.value:
        return f"{gap.name} is the same for all pronouns"
    other = gap.second if gap.higher == gap.first else gap.first
    size = with_interval(abs(gap.value), _turned(gap))
    test = "" if gap.adjusted is None else f"p = {number(gap.adjusted)}"
    beyond = {
        True: f"over {percent(GAP_LINE)}",
        False: f"under {percent(GAP_LINE)}",
        None: f"whether over {percent(GAP_LINE)} for other {report.unit}s cannot be told",
    }[gap.beyond_line]
    chance = "" if gap.differs else f", not beyond chance at {percent(SIGNIFICANCE)}"
    return f"{gap.name} is higher for {gap.higher} than for {other} by {size}, {test}{chance}, {beyond}"


def _turned(gap: RateDifference) -> Interval | None:
    """The interval of the gap the way round in which it is above 0."""
    found = gap.interval
    if found is None or gap.higher == gap.first:
        return found
    return found.model_copy(update={"low": -found.high, "high": -found.low})


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return f"{rate.name} undefined ({rate.reason})"
    return f"{rate.name} {with_interval(rate.value, rate.interval)}"


def _share(rate: Rate) -> str:
    """A share with its interval, as per cent."""
    if rate.value is None:
        return "unknown"
    over = (
        "" if rate.interval is None else f" ({percent(rate.interval.low)} to {percent(rate.interval.high)})"
    )
    return f"{percent(rate.value)}{over}"


def _pronoun(each: PronounAnswers) -> str:
    return "without a pronoun" if each.pronoun == WITHOUT else each.pronoun


def _units(report: AnswersReport) -> str:
    return count(report.units, report.unit)


def _invalid(report: AnswersReport) -> str:
    if not report.n_invalid:
        return f"All {report.n:,} answers could be read."
    parts = []
    for each in (*report.pronouns, *([] if report.baseline is None else [report.baseline])):
        reasons = [f"{size:,} {INVALID_WORDS[reason]}" for reason, size in each.invalid.items()]
        if reasons:
            parts.append(f"{_pronoun(each)} {listed(reasons)}")
    share = report.n_invalid / report.n
    warning = ", so many that the rest may be a choice of easy ones" if share > MUCH_INVALID else ""
    return (
        f"{report.n_invalid:,} of {report.n:,} answers ({percent(share)}) are invalid and count for nothing"
        f"{warning}: {'; '.join(parts)}."
    )
