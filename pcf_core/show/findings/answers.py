"""Separation and sufficiency in sentences: which fails, by how much, and how sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.risk import Interval
from pcf_core.show.findings.numbers import count, listed, number, p_value, percent, with_interval
from pcf_core.texts.criteria.records.quantities import (
    INVALID,
    RATES,
    SEPARATION,
    SIGNIFICANCE,
    SUFFICIENCY,
    Rate,
    RateName,
)
from pcf_core.texts.criteria.records.separation import (
    GAP_LINE,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
    RateDifference,
)

NAMES: Mapping[str, str] = {
    "invalid": "the share of invalid answers",
    "invalid, female right": "the share of invalid answers where the female-stereotyped role is right",
    "invalid, male right": "the share of invalid answers where the male-stereotyped role is right",
}

LITTLE = "which says little"


def separation_finding(report: AnswersReport) -> str:
    """Say whether errors depend on the pronoun: of each rate the widest gap that differs, else the widest."""
    return _criterion(report, "Separation", SEPARATION)


def sufficiency_finding(report: AnswersReport) -> str:
    """Say whether what a named role is worth depends on the pronoun: the gaps in PPV and NPV."""
    return _criterion(report, "Sufficiency", SUFFICIENCY)


def answers_finding(report: AnswersReport) -> str:
    """State both criteria, why they say little, and whether validity depends on the pronoun.

    Where answers were scored, what is common to all pronouns comes first (:func:`common_finding`).
    """
    return " ".join(part for part in (common_finding(report), pairs_finding(report)) if part)


def pairs_finding(report: AnswersReport) -> str:
    """State both criteria, which compare pronouns with each other, and what is to be known of them."""
    criteria = (separation_finding(report), sufficiency_finding(report))
    little = untold_finding(report) if any(LITTLE in each for each in criteria) else ""
    parts = (*criteria, little, validity_finding(report))
    return " ".join(part for part in parts if part)


def common_finding(report: AnswersReport) -> str:
    """Say what rates are without a pronoun, then what each pronoun changes; empty where answers were written.

    A word's own probability makes most of a scored rate.  It is the same for all pronouns, so it comes first.
    """
    if report.baseline is None or not report.from_baseline:
        return ""
    rates = [report.baseline.rate(name) for name in SEPARATION]
    changes = [f"{name} is {listed([*map(_change, report.moved(name))])}" for name in SEPARATION]
    return (
        f"Without a pronoun, {listed([_is(rate) for rate in rates])}: this is how likely the model finds the "
        f"two role words anyway, and it is common to all pronouns. Against that, {'; '.join(changes)}. "
        f"{_changes_tested(report)}"
    )


def _is(rate: Rate) -> str:
    if rate.value is None:
        return f"{rate.name} is undefined ({rate.reason})"
    return f"{rate.name} is {with_interval(rate.value, rate.interval)}"


def _change(row: RateDifference) -> str:
    """Say how much higher or lower a rate is with a pronoun than without one."""
    if row.value is None:
        return f"not to be compared with {row.first} ({row.reason})"
    if row.value == 0:
        return f"the same with {row.first}"
    size = with_interval(abs(row.value), _turned(row))
    return f"{size} {'higher' if row.value > 0 else 'lower'} with {row.first}{_possible(row)}"


def _changes_tested(report: AnswersReport) -> str:
    """Say which changes are beyond chance; where so few questions or tasks could show none, that alone."""
    moved = [row for name in SEPARATION for row in report.moved(name)]
    if not any(report.testable(row) for row in moved):
        return f"With so few {report.unit}s no test can show a change, however large."
    beyond = {
        name: [row for row in report.moved(name) if row.differs and row.adjusted is not None]
        for name in SEPARATION
    }
    found = [row for rows in beyond.values() for row in rows]
    if not found:
        return f"None of these changes is beyond chance at {percent(SIGNIFICANCE)}."
    p = f"each p at most {number(max(row.adjusted or 0.0 for row in found))}"
    if len(found) == len(moved):
        return f"All these changes are beyond chance ({p})."
    named = [f"{name} with {listed([row.first for row in rows])}" for name, rows in beyond.items() if rows]
    return f"Beyond chance: {'; '.join(named)} ({p}). The other changes cannot be shown."


def validity_finding(report: AnswersReport) -> str:
    """Say that the share of invalid answers depends on the pronoun; empty where that cannot be shown.

    Of each share the widest gap beyond chance is named.
    """
    differing = [row for row in report.invalid_differences if row.differs]
    rows = [[row for row in differing if row.name == name] for name in INVALID]
    shown = [_gap(max(some, key=lambda row: row.gap or 0.0), report) for some in rows if some]
    if not shown:
        return ""
    return (
        f"Whether an answer is valid depends on the pronoun: {'; '.join(shown)}. Rates are of the valid "
        "answers alone, so their gaps may come of which ones are missing, or be hidden by it."
    )


def rates_finding(report: AnswersReport) -> str:
    """State the four rates of each pronoun with their intervals over questions or tasks."""
    parts = [f"{pronoun_text(each)} {listed([_rate(rate) for rate in each.rates])}" for each in report.every]
    return (
        f"Rates over {units_text(report)}, {report.answering} answers: {'; '.join(parts)}. Intervals say "
        f"what other {report.unit}s of the kind would show ({report.label})."
    )


def baseline_finding(report: AnswersReport) -> str:
    """State errors without a pronoun, and where only the letter was asked for; empty without either."""
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
    widest = {name: gap for name in names if (gap := report.widest(name)) is not None}
    undefined = [f"{name} is undefined ({gap.reason})" for name, gap in widest.items() if gap.value is None]
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
    told = [
        f"{_gap(gap, report) if gap.value else _same(name, report)}{_lacking(name, report)}"
        for name, gap in widest.items()
        if gap.value is not None
    ]
    return f"{verdict}: {'; '.join([*told, *undefined])}."


def _same(name: RateName, report: AnswersReport) -> str:
    """Say that a rate is the same, for which pronouns, and what the invalid answers might have made of it."""
    said = f"{name} is the same for {listed(report.compared(name))}"
    bounds = [(row, row.possible) for row in report.differences if row.name == name and row.possible]
    if not bounds:
        return said
    row, (low, high) = max(bounds, key=lambda one: one[1][1] - one[1][0])
    return (
        f"{said} (for {row.first} less {row.second} from {number(low)} to {number(high)}, whatever the "
        "invalid answers would have said)"
    )


def _lacking(name: RateName, report: AnswersReport) -> str:
    """Say which pronouns are compared with none, and why; empty where all are compared."""
    return "".join(
        f", and undefined for {pronoun}: {reason}" for pronoun, reason in report.undefined(name).items()
    )


def untold_finding(report: AnswersReport) -> str:
    """Say that whom the model names never depends on who is right: so no verdict says much."""
    parts = [
        f"{each.pronoun} "
        + ("undefined" if each.told is None else with_interval(each.told, each.told_interval))
        for each in report.pronouns
    ]
    return (
        "That whom the model names turns on who is right cannot be shown under any pronoun either "
        f"(TPR − FPR: {listed(parts)})."
    )


def _gap(gap: RateDifference, report: AnswersReport) -> str:
    """Describe a gap that is not 0: of which pair, by how much, whether beyond chance and over the line."""
    name = NAMES.get(gap.name, gap.name)
    size = with_interval(gap.gap or 0.0, _turned(gap))
    beyond = {
        True: f", over {percent(GAP_LINE)}",
        False: f", under {percent(GAP_LINE)}",
        None: f", whether over {percent(GAP_LINE)} for other {report.unit}s cannot be told",
    }[gap.beyond_line]
    return (
        f"{name} is higher for {gap.higher} than for {gap.lower} by {size}{_possible(gap)}"
        f"{_tested(gap, report)}{beyond if gap.name in RATES else ''}"
    )


def _tested(gap: RateDifference, report: AnswersReport) -> str:
    """State its p, and that this is not beyond chance; where no p could have been, that alone."""
    if gap.adjusted is None or not report.testable(gap):
        return f", with too few {report.unit}s for a test"
    chance = "" if gap.differs else f", not beyond chance at {percent(SIGNIFICANCE)}"
    return f", {p_value(gap.adjusted, at_most=gap.at_most)}{chance}"


def _possible(gap: RateDifference) -> str:
    """Say what the invalid answers might have made of it, in the direction in which it is above 0."""
    if gap.possible is None:
        return ""
    low, high = gap.possible
    if gap.higher == gap.second:
        low, high = -high, -low
    return f" (from {number(low)} to {number(high)}, whatever the invalid answers would have said)"


def _turned(gap: RateDifference) -> Interval | None:
    """Return the interval of the gap in the direction in which it is above 0."""
    found = gap.interval
    if found is None or gap.higher == gap.first:
        return found
    return found.model_copy(update={"low": -found.high, "high": -found.low})


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return f"{rate.name} undefined ({rate.reason})"
    return f"{rate.name} {with_interval(rate.value, rate.interval)}"


def share_text(rate: Rate) -> str:
    """Write a share with its interval, as per cent."""
    if rate.value is None:
        return "unknown"
    over = (
        "" if rate.interval is None else f" ({percent(rate.interval.low)} to {percent(rate.interval.high)})"
    )
    return f"{percent(rate.value)}{over}"


def pronoun_text(each: PronounAnswers) -> str:
    """Name the pronoun, or say that there is none."""
    return "without a pronoun" if each.pronoun == WITHOUT else each.pronoun


def units_text(report: AnswersReport) -> str:
    """Say how many questions or tasks."""
    return count(report.units, report.unit)
