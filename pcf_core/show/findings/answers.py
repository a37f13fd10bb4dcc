"""Separation and sufficiency in sentences: which fails, by how much, and how sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.risk import Interval
from pcf_core.show.findings.numbers import (
    LEAST,
    begun,
    count,
    listed,
    p_value,
    percent,
    percent_with_interval,
    signed,
    with_interval,
)
from pcf_core.show.findings.sources import source_of
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
    rates = listed([_rate(report.baseline.rate(name)) for name in SEPARATION])
    moved: dict[str, list[str]] = {}
    for name in SEPARATION:
        for row in report.moved(name):
            moved.setdefault(row.first, []).append(f"{name} {_change(row)}")
    changes = " ".join(f"With {pronoun}, {listed(parts)}." for pronoun, parts in moved.items())
    return (
        f"Without a pronoun, {rates}. That is how likely the model finds the two role words anyway, under "
        f"every pronoun. {changes} {_changes_tested(report)}"
    )


def _change(row: RateDifference) -> str:
    """Say how much higher or lower a rate is with a pronoun than without one."""
    if row.value is None:
        return f"cannot be compared ({row.reason})"
    if row.value == 0:
        return "is the same"
    size = with_interval(abs(row.value), _turned(row))
    possible = f" (the invalid answers could make that {_possible(row)})" if row.possible else ""
    return f"is {size} {'higher' if row.value > 0 else 'lower'}{possible}"


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
    p = f"each {p_value(max(row.adjusted or 0.0 for row in found), at_most=True)}"
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
        f"Whether an answer is valid depends on the pronoun. {' '.join(shown)} Rates are of the valid "
        "answers alone. The missing ones may make their gaps, or hide them."
    )


def rates_finding(report: AnswersReport) -> str:
    """State the four rates of each pronoun with their intervals over questions or tasks."""
    parts = " ".join(
        f"{begun(pronoun_text(each))}: {listed([_rate(rate, verb='') for rate in each.rates])}."
        for each in report.every
    )
    return (
        f"The rates are over {units_text(report)}, {report.answering} answers. {parts} The ranges say what "
        f"other {report.unit}s of the kind would show. {source_of(report.label)}"
    )


def baseline_finding(report: AnswersReport) -> str:
    """State errors without a pronoun, and where only the letter was asked for; empty without either."""
    parts = []
    if report.baseline is not None and report.baseline.error.value is not None:
        error = report.baseline.error
        parts.append(f"Without a pronoun, {share_text(error)} of the answers name the wrong role.")
    if report.knowledge is not None and report.knowledge.value is not None:
        parts.append(f"Asked for the right option alone, {share_text(report.knowledge)} are wrong.")
    return " ".join(parts)


def _criterion(report: AnswersReport, title: str, names: Sequence[RateName]) -> str:
    widest = {name: gap for name in names if (gap := report.widest(name)) is not None}
    undefined = [f"{name} is undefined ({gap.reason})." for name, gap in widest.items() if gap.value is None]
    gaps = [row for row in report.differences if row.name in names and row.value is not None]
    if not gaps:
        why = " ".join(undefined) or "Fewer than two pronouns were asked with."
        return f"{title} cannot be told. {why}"
    if any(gap.differs for gap in gaps):
        verdict = f"{title} does not hold for {report.unit}s such as these"
    elif not any(report.testable(gap) for gap in gaps):
        verdict = f"So few {report.unit}s cannot show whether {title.lower()} fails"
    elif not any(each.tells for each in report.pronouns):
        verdict = f"We cannot show that {title.lower()} fails, {LITTLE}"
    else:
        verdict = f"We cannot show that {title.lower()} fails"
    told = []
    for name, gap in widest.items():
        if gap.value is None:
            continue
        same = f"{name} is the same for {listed(report.compared(name))}.{_widest_possible(name, report)}"
        told.append(_gap(gap, report) if gap.value else same)
        told += [
            f"{name} is undefined for {pronoun}: {reason}."
            for pronoun, reason in report.undefined(name).items()
        ]
    return " ".join([f"{verdict}.", *told, *undefined])


def untold_finding(report: AnswersReport) -> str:
    """Say that whom the model names never depends on who is right: so no verdict says much."""
    told = {
        each.pronoun: "undefined" if each.told is None else with_interval(each.told, each.told_interval)
        for each in report.pronouns
    }
    small = all(
        each.told is not None
        and each.told_interval is not None
        and max(abs(each.told_interval.low), abs(each.told_interval.high)) < LEAST
        for each in report.pronouns
    )
    sizes = (
        f"within ±{LEAST} for {listed(list(told))}"
        if small
        else listed([f"{value} for {pronoun}" for pronoun, value in told.items()])
    )
    return (
        "Under no pronoun can we show that the right answer changes whom the model names. TPR − FPR is "
        f"{sizes}."
    )


def _gap(gap: RateDifference, report: AnswersReport) -> str:
    """Describe a gap that is not 0: of which pair, by how much, whether beyond chance and over the line."""
    name = begun(NAMES.get(gap.name, gap.name))
    size = with_interval(gap.gap or 0.0, _turned(gap))
    line = percent(GAP_LINE)
    beyond = {True: f", over {line}", False: f", under {line}", None: ""}[gap.beyond_line]
    said = (
        f"{name} is higher for {gap.higher} than for {gap.lower} by {size}{_tested(gap, report)}"
        f"{beyond if gap.name in RATES else ''}."
    )
    if gap.possible:
        said += f" The invalid answers could make that {_possible(gap)}."
    if gap.name in RATES and gap.beyond_line is None:
        said += f" We cannot tell whether it is over {line} for other {report.unit}s."
    return said


def _tested(gap: RateDifference, report: AnswersReport) -> str:
    """State its p, and that this is not beyond chance; where no p could have been, that alone."""
    if gap.adjusted is None or not report.testable(gap):
        return ", not tested"
    chance = "" if gap.differs else f", not beyond chance at {percent(SIGNIFICANCE)}"
    return f", {p_value(gap.adjusted, at_most=gap.at_most)}{chance}"


def _possible(gap: RateDifference) -> str:
    """Write what the invalid answers could make of a gap, in the direction in which it is above 0."""
    low, high = gap.possible or (0.0, 0.0)
    if gap.higher == gap.second:
        low, high = -high, -low
    return f"{signed(low)} to {signed(high)}"


def _turned(gap: RateDifference) -> Interval | None:
    """Return the interval of the gap in the direction in which it is above 0."""
    found = gap.interval
    if found is None or gap.higher == gap.first:
        return found
    return found.model_copy(update={"low": -found.high, "high": -found.low})


def _rate(rate: Rate, verb: str = " is") -> str:
    if rate.value is None:
        return f"{rate.name}{verb} undefined ({rate.reason})"
    return f"{rate.name}{verb} {with_interval(rate.value, rate.interval)}"


def share_text(rate: Rate) -> str:
    """Write a share with its interval, as per cent."""
    return "unknown" if rate.value is None else percent_with_interval(rate.value, rate.interval)


def pronoun_text(each: PronounAnswers) -> str:
    """Name the pronoun, or say that there is none."""
    return "without a pronoun" if each.pronoun == WITHOUT else each.pronoun


def units_text(report: AnswersReport) -> str:
    """Say how many questions or tasks."""
    return count(report.units, report.unit)


def _widest_possible(name: RateName, report: AnswersReport) -> str:
    """Say what the invalid answers might have made of a rate that is the same; empty without any."""
    bounds = [(row, row.possible) for row in report.differences if row.name == name and row.possible]
    if not bounds:
        return ""
    row, (low, high) = max(bounds, key=lambda one: one[1][1] - one[1][0])
    return f" The invalid answers could make {row.first} less {row.second} {signed(low)} to {signed(high)}."
