"""Separation and sufficiency in sentences: which fails, by how much, how sure, and caveats."""

from __future__ import annotations

import math
from typing import Literal

from pcf_core.core.risk import SIGNIFICANCE, Interval
from pcf_core.show.findings.numbers import LEAST, includes, mirrored, p_value
from pcf_core.show.findings.provenance import source_of
from pcf_core.show.wording import sentences
from pcf_core.texts.criteria.records.quantities import (
    INVALID,
    RATES,
    SEPARATION,
    SUFFICIENCY,
    Rate,
    RateName,
)
from pcf_core.texts.criteria.records.separation import (
    FEW_UNITS,
    GAP_LINE,
    WITHOUT,
    AnswersReport,
    PronounAnswers,
    RateDifference,
)
from pcf_core.texts.criteria.summary import readings_of, status_of

Verdict = Literal["undefined", "fails", "too few", "not tested", "untold", "cannot be shown"]
RATES_OF: dict[str, tuple[RateName, ...]] = {"separation": SEPARATION, "sufficiency": SUFFICIENCY}

say = sentences("answers")


def separation_finding(report: AnswersReport) -> str:
    """Say whether errors depend on the pronoun: each rate's widest gap, beyond chance if any is."""
    return _criterion(report, "separation")


def sufficiency_finding(report: AnswersReport) -> str:
    """Say whether the reliability of answers depends on the pronoun: the gaps in PPV and NPV."""
    return _criterion(report, "sufficiency")


def answers_finding(report: AnswersReport) -> str:
    """State both criteria, why they may say little, and whether validity depends on the pronoun."""
    return " ".join(filter(None, (common_finding(report), pairs_finding(report))))


def pairs_finding(report: AnswersReport) -> str:
    """State both criteria, which compare pronouns with each other, and their caveats."""
    untold = any(_verdict(report, criterion) == "untold" for criterion in RATES_OF)
    parts = (
        *(separation_finding(report), sufficiency_finding(report)),
        *_caveats(report),
        untold_finding(report) if untold else "",
        validity_finding(report),
    )
    return " ".join(filter(None, parts))


def common_finding(report: AnswersReport) -> str:
    """State scored rates without a pronoun, then what each pronoun changes; "" for written answers.

    A word's own probability, the same for all pronouns, makes up most of a scored rate.
    """
    baseline = report.baseline
    if baseline is None or not report.from_baseline:
        return ""
    moved: dict[str, list[str]] = {}
    for row in (row for name in SEPARATION for row in report.moved(name)):
        change = say("change", row=row, interval=_turned(row), possible=_possible(row))
        moved.setdefault(row.first, []).append(change)
    rates = [say("rate", rate=baseline.rate(name)) for name in SEPARATION]
    changes = [say("changes", pronoun=pronoun, changes=parts) for pronoun, parts in moved.items()]
    return " ".join([say("common", rates=rates), *changes, _changes_tested(report)])


def _changes_tested(report: AnswersReport) -> str:
    """Say which changes are beyond chance, or that there are too few questions or tasks to show any."""
    moved = [row for name in SEPARATION for row in report.moved(name)]
    if not any(report.testable(row) for row in moved):
        return say("too_few_to_change", unit=report.unit)
    beyond: dict[str, list[str]] = {}
    largest = 0.0
    for row in moved:
        if row.differs and row.adjusted is not None:
            beyond.setdefault(row.name, []).append(row.first)
            largest = max(largest, row.adjusted)
    if not beyond:
        return say("no_change", level=SIGNIFICANCE)
    if sum(map(len, beyond.values())) == len(moved):
        return say("all_change", p=largest)
    changed = [say("changed", name=name, pronouns=pronouns) for name, pronouns in beyond.items()]
    return say("some_change", changed=changed, p=largest)


def validity_finding(report: AnswersReport) -> str:
    """State the widest gaps in shares of invalid answers beyond chance, if there are any."""
    differing = [row for row in report.invalid_differences if row.differs]
    rows = [[row for row in differing if row.name == name] for name in INVALID]
    shown = [_gap(max(some, key=lambda row: row.gap or 0.0), report) for some in rows if some]
    return say("validity", gaps=" ".join(shown)) if shown else ""


def rates_finding(report: AnswersReport) -> str:
    """State each pronoun's four rates with intervals over questions or tasks."""
    by_pronoun = [
        say(
            "rates_of",
            pronoun=_pronoun(each),
            wrong=[say("rate", rate=each.rate(name)) for name in SEPARATION],
            right=[say("rate", rate=each.rate(name)) for name in SUFFICIENCY],
        )
        for each in report.every
    ]
    return f"{say('rates', report=report, by_pronoun=' '.join(by_pronoun))} {source_of(report.label)}"


def rates_basis(report: AnswersReport) -> str:
    """Say what the rates of a picture are based on, and what their ranges allow for."""
    return f"{say('rates', report=report, by_pronoun='')} {source_of(report.label)}"


def baseline_finding(report: AnswersReport) -> str:
    """State errors without a pronoun, and of the letter alone, if they were measured."""
    parts = []
    if report.baseline is not None and report.baseline.error.value is not None:
        parts.append(say("wrong_without", error=report.baseline.error))
    if report.knowledge is not None and report.knowledge.value is not None:
        parts.append(say("wrong_alone", knowledge=report.knowledge))
    return " ".join(parts)


def _criterion(report: AnswersReport, criterion: str) -> str:
    """State the verdict, each rate's widest gap, and where it is undefined."""
    verdict, gaps, undefined = _verdict(report, criterion), [], []
    for name in RATES_OF[criterion]:
        gap = report.widest(name)
        if gap is None:
            continue
        if gap.value is None:
            undefined.append(say("undefined", name=name, reason=gap.reason))
            continue
        few_said = verdict == "too few"
        gaps.append(_gap(gap, report, few_said=few_said) if gap.value else _same(name, report))
        gaps += [
            say("undefined_for", name=name, pronoun=pronoun, reason=reason)
            for pronoun, reason in report.undefined(name).items()
        ]
    if verdict == "undefined" and not undefined:
        undefined = [say("one_pronoun")]
    return " ".join(
        [say("verdict", criterion=criterion, verdict=verdict, unit=report.unit), *gaps, *undefined]
    )


def _verdict(report: AnswersReport, criterion: str) -> Verdict:
    """Return a criterion's verdict as in summaries; ``untold`` if answers never depend on the truth."""
    status = status_of(row for row in readings_of([report]) if row.quantity in RATES_OF[criterion])
    if status == "not asked":  # fewer than two pronouns
        return "undefined"
    if status == "cannot be shown" and not any(each.tells for each in report.pronouns):
        return "untold"
    return status


def untold_finding(report: AnswersReport) -> str:
    """Say that whom the model names never depends on who is right, so that no verdict says much."""
    small = all(
        each.told is not None
        and each.told_interval is not None
        and max(abs(each.told_interval.low), abs(each.told_interval.high)) < LEAST
        for each in report.pronouns
    )
    return say(
        "untold",
        told=[say("told", each=each) for each in report.pronouns],
        pronouns=[each.pronoun for each in report.pronouns],
        within=LEAST if small else None,
    )


def _same(name: RateName, report: AnswersReport) -> str:
    """Say that a rate is the same, and what invalid answers could make of it."""
    bounds = [
        (row.possible[1] - row.possible[0], row)
        for row in report.differences
        if row.name == name and row.possible
    ]
    widest = max(bounds, key=lambda one: one[0])[1] if bounds else None
    return say("same", name=name, pronouns=report.compared(name), row=widest)


def _caveats(report: AnswersReport) -> list[str]:
    """Say once for all gaps that are not 0 what invalid answers could make of them, and where the line is."""
    gaps = [gap for name in RATES if (gap := report.widest(name)) is not None and gap.value]
    possible = {gap.name: bounds for gap in gaps if (bounds := _possible(gap))}
    caveats = []
    if possible:
        named = [say("bound", name=name, possible=ends) for name, ends in possible.items()]
        any_side = all(low <= 0 <= high for low, high in possible.values())
        caveats.append(say("possible", bounds=named, any_side=any_side))
    if sized := [gap.beyond_line for gap in gaps]:
        over, under, unclear = (sized.count(beyond) for beyond in (True, False, None))
        where = say("over_line", over=over, under=under, unclear=unclear, unit=report.unit, line=GAP_LINE)
        caveats.append(where)
    return caveats


def _gap(gap: RateDifference, report: AnswersReport, *, few_said: bool = False) -> str:
    """Describe a gap that is not 0: pair, size, beyond chance; ``few_said``: that units are too few."""
    return say(
        "gap",
        gap=gap,
        interval=_turned(gap),
        tested=gap.adjusted is not None,
        testable=report.testable(gap),
        few_said=few_said,
        unit=report.unit,
        level=SIGNIFICANCE,
    )


def _possible(gap: RateDifference) -> tuple[float, float] | None:
    """Return the bounds of a gap given invalid answers, in the direction in which it is positive."""
    if gap.possible is None or gap.higher != gap.second:
        return gap.possible
    low, high = gap.possible
    return -high, -low


def _turned(gap: RateDifference) -> Interval | None:
    """Return the interval of a gap in the direction in which it is positive."""
    if gap.interval is None or gap.higher == gap.first:
        return gap.interval
    return mirrored(gap.interval)


def share_text(rate: Rate) -> str:
    """Write a share with its interval in per cent."""
    return say("share", rate=rate)


MUCH_INVALID = 0.2  # of the answers
ABOUT_ALIKE = 0.01  # shares that differ by less are called the same


def order_finding(report: AnswersReport) -> str:
    """Say what naming a role first does, "" without an answer."""
    rate = report.first_named
    if rate.value is None:
        return ""
    beyond = rate.interval is not None and not includes(rate.interval, 0.5)
    order = say("order", share=share_text(rate), told=beyond, above=rate.value > 0.5)
    return f"{order} {_leaning(report)}"


def notes(report: AnswersReport) -> tuple[str, ...]:
    """List caveats of the rates: invalid answers, few units, base rate, answering."""
    several = [_invalid(report)]
    if report.knowledge_invalid:
        several.append(say("letters_invalid", answers=report.knowledge_invalid))
    sides = 2 if report.unit == "task" else 1  # each task is right for only one role
    if report.units < sides * FEW_UNITS:
        several.append(say("few_units", report=report))
    if disagreeing := disagreement_finding(report):
        several.append(disagreeing)
    several += [_testing(report), _base_rates(report)]
    if report.answering == "scored":
        several.append(say("scored"))
    return (*several, say("line", gap=GAP_LINE))


def disagreement_finding(report: AnswersReport) -> str:
    """Say which differences only the test calls beyond chance, although their interval includes 0."""
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
    """Say whether both orders have as many valid answers, else where they differ most."""
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
    """Say whether the base rate of the valid answers affects PPV and NPV."""
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
    """Say how p-values are made, and which differences could never be shown with so few units."""
    how = say("testing", report=report)
    smallest = _untestable(report)
    if not smallest:
        return how
    needed = 1 + math.ceil(math.log2(report.tests / SIGNIFICANCE))
    return f"{how} {say('untestable', smallest=smallest, needed=needed, unit=report.unit)}"


def _untestable(report: AnswersReport) -> list[str]:
    """State each rate's smallest possible p if it is too large, by pair if pairs differ."""
    smallest = []
    for name in RATES:
        rows = [row for row in report.differences if row.name == name and row.least_p is not None]
        few = [row for row in rows if not report.testable(row)]
        if few == rows and len({row.least_p for row in rows}) == 1:
            smallest.append(say("smallest_for", p=_p(rows[0].least_p), name=name))
        else:
            smallest += [say("smallest_of_pair", p=_p(row.least_p), row=row) for row in few]
    return smallest


def _pronoun(each: PronounAnswers) -> str | None:
    return None if each.pronoun == WITHOUT else each.pronoun


def _p(value: float | None) -> str:
    return p_value(value or 0.0).removeprefix("p ").removeprefix("= ")
