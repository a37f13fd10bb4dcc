"""Separation and sufficiency in sentences: which fails, by how much, and how sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.findings.numbers import count, listed, number, p_value, percent, with_interval
from pcf_core.records import Interval
from pcf_core.records.answers import (
    GAP_LINE,
    RATES,
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

NAMES: Mapping[str, str] = {
    "invalid": "the share of invalid answers",
    "invalid, female right": "the share of invalid answers where the female-stereotyped role is right",
    "invalid, male right": "the share of invalid answers where the male-stereotyped role is right",
}

LITTLE = "which says little"


def separation_finding(report: AnswersReport) -> str:
    """Whether errors depend on the pronoun: of each rate the widest gap that differs, else the widest."""
    return _criterion(report, "Separation", SEPARATION)


def sufficiency_finding(report: AnswersReport) -> str:
    """Whether what a named role is worth depends on the pronoun: the gaps in PPV and NPV."""
    return _criterion(report, "Sufficiency", SUFFICIENCY)


def answers_finding(report: AnswersReport) -> str:
    """Both criteria in one sentence each, why they say little, and whether validity hangs on the pronoun."""
    criteria = (separation_finding(report), sufficiency_finding(report))
    little = untold_finding(report) if any(LITTLE in each for each in criteria) else ""
    parts = (*criteria, little, validity_finding(report))
    return " ".join(part for part in parts if part)


def validity_finding(report: AnswersReport) -> str:
    """That the share of invalid answers depends on the pronoun; empty where that cannot be shown."""
    shown = [_gap(row, report) for row in report.invalid_differences if row.differs]
    if not shown:
        return ""
    return (
        f"Whether an answer is valid depends on the pronoun: {'; '.join(shown)}. Rates are of the valid "
        "answers alone, so their gaps may come of which ones are missing, or be hidden by it."
    )


def rates_finding(report: AnswersReport) -> str:
    """The four rates of each pronoun with their intervals over questions or tasks."""
    parts = [f"{pronoun_text(each)} {listed([_rate(rate) for rate in each.rates])}" for each in every(report)]
    return (
        f"Rates over {units_text(report)}, {report.answering} answers: {'; '.join(parts)}. Intervals say "
        f"what other {report.unit}s of the kind would show ({report.label})."
    )


def baseline_finding(report: AnswersReport) -> str:
    """Errors without a pronoun, and where only the letter was asked for; empty without either."""
    parts = []
    if report.baseline is not None and report.baseline.error.value is not None:
        error = report.baseline.error
        parts.append(f"without a pronoun {share_text(error)} of the answers name the wrong role")
    if report.knowledge is not None and report.knowledge.value is not None:
        parts.append(f"asked for the right option alone, {share_text(report.knowledge)} are wrong")
    if not parts:
        return ""
    sentence = ", and ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _criterion(report: AnswersReport, title: str, names: Sequence[RateName]) -> str:
    pronouns = tuple(each.pronoun for each in report.pronouns)
    widest = [gap for name in names if (gap := report.gap(name, pronouns)) is not None]
    undefined = [f"{gap.name} is undefined ({gap.reason})" for gap in widest if gap.value is None]
    gaps = [row for row in report.differences if row.name in names and row.value is not None]
    if not gaps:
        return f"{title} cannot be told: {listed(undefined or ['fewer than two pronouns were asked with'])}."
    if any(gap.differs for gap in gaps):
        verdict = f"{title} does not hold for {report.unit}s such as these"
    elif not any(report.testable(gap) for gap in gaps):
        verdict = f"Whether {title.lower()} fails cannot be shown by so few {report.unit}s"
    elif not any(each.tells for each in report.pronouns):
        verdict = f"That {title.lower()} fails cannot be shown, {LITTLE}"
    else:
        verdict = f"That {title.lower()} fails cannot be shown"
    told = [_told(gap, gaps) for gap in widest if gap.value is not None]
    return f"{verdict}: {'; '.join([*(_gap(gap, report) for gap in told), *undefined])}."


def _told(widest: RateDifference, gaps: Sequence[RateDifference]) -> RateDifference:
    """The widest gap of a rate among those beyond chance, where there are such; else the widest."""
    beyond = [gap for gap in gaps if gap.name == widest.name and gap.differs]
    return max(beyond, key=lambda gap: gap.gap or 0.0, default=widest)


def untold_finding(report: AnswersReport) -> str:
    """That whom the model names does not turn on who is right, under any pronoun: so no verdict says much."""
    parts = [
        f"{each.pronoun} {with_interval(each.told, each.told_interval)}"
        for each in report.pronouns
        if each.told is not None
    ]
    return (
        "That whom the model names turns on who is right cannot be shown under any pronoun either "
        f"(TPR − FPR: {listed(parts)})."
    )


def _gap(gap: RateDifference, report: AnswersReport) -> str:
    name = NAMES.get(gap.name, gap.name)
    if not gap.value:
        return f"{name} is the same for all pronouns{_possible(gap)}"
    other = gap.second if gap.higher == gap.first else gap.first
    size = with_interval(abs(gap.value), _turned(gap))
    test = "" if gap.adjusted is None else p_value(gap.adjusted, at_most=gap.at_most)
    beyond = {
        True: f", over {percent(GAP_LINE)}",
        False: f", under {percent(GAP_LINE)}",
        None: f", whether over {percent(GAP_LINE)} for other {report.unit}s cannot be told",
    }[gap.beyond_line]
    chance = "" if gap.differs else f", not beyond chance at {percent(SIGNIFICANCE)}"
    return (
        f"{name} is higher for {gap.higher} than for {other} by {size}{_possible(gap)}, {test}{chance}"
        f"{beyond if gap.name in RATES else ''}"
    )


def _possible(gap: RateDifference) -> str:
    """What the invalid answers might have made of it, in the direction in which it is above 0."""
    if gap.possible is None:
        return ""
    low, high = gap.possible
    if gap.higher == gap.second:
        low, high = -high, -low
    return f" (from {number(low)} to {number(high)}, whatever the invalid answers would have said)"


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


def share_text(rate: Rate) -> str:
    """A share with its interval, as per cent."""
    if rate.value is None:
        return "unknown"
    over = (
        "" if rate.interval is None else f" ({percent(rate.interval.low)} to {percent(rate.interval.high)})"
    )
    return f"{percent(rate.value)}{over}"


def pronoun_text(each: PronounAnswers) -> str:
    """The pronoun, or that there is none."""
    return "without a pronoun" if each.pronoun == WITHOUT else each.pronoun


def units_text(report: AnswersReport) -> str:
    """How many questions or tasks."""
    return count(report.units, report.unit)


def every(report: AnswersReport) -> tuple[PronounAnswers, ...]:
    """Of all pronouns, then without one."""
    return (*report.pronouns, *([] if report.baseline is None else [report.baseline]))
