"""The rows of a case file: each audit's own numbers and its own verdict, selected and never tested anew.

========================  =================================================================================
row                       a difference is found where
========================  =================================================================================
prejudice R^p             its interval leaves out 0
caprice R^c               never: a spread is above 0 in any sample, and its interval hardly reaches 0
a criterion               the test of its experiment rejects, controlled over what is tested in it
========================  =================================================================================

FairPair's are in :mod:`pcf_core.show.findings.case_file_rows`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pcf_core.core.risk import Interval, MeanTilt, Over, RiskReport
from pcf_core.show.findings.criteria import ANSWERED, between_text
from pcf_core.show.findings.fairpair_run import decoding_text
from pcf_core.show.findings.models import units
from pcf_core.show.findings.numbers import (
    count,
    listed,
    p_value,
    people,
    percent,
    percent_with_interval,
    two_decimals,
    with_interval,
)
from pcf_core.show.findings.occupations import leading
from pcf_core.texts.case_file import AuditName, CaseRow, Verdict
from pcf_core.texts.criteria.records.independence import SharedValue
from pcf_core.texts.criteria.records.runs import Criterion, CriterionReading
from pcf_core.texts.fairpair.records import SIGNIFICANCE, FairPairReport, FairPairResult, OthersReading

QUESTIONS: Mapping[AuditName, str] = {
    "bias": "Whose words does it expect in a gap, and does that change with the context?",
    "fairpair": "Does it write differently about one person than about the other?",
    "criteria": "Does gender tell of what it writes, and do pronouns change whom it believes?",
}
EXPECTS = "Whose words does it expect in a gap, all contexts together?"
CHANGES = "Does that change with the context?"
SPREAD = "a spread is above 0 in any sample, so its range tells nothing of 0"
CRITERION_QUESTIONS: Mapping[Criterion, str] = {
    "independence I": "Does the gender in its stories depend on the profession?",
    "independence II": "Do the hobbies it tells of depend on the gender of the name?",
    "separation I": "Does it answer questions wrongly more often under one pronoun?",
    "sufficiency I": "Can its answers to questions be believed less under one pronoun?",
    "separation II": "Does it mistake who did a task more often under one pronoun?",
    "sufficiency II": "Can its answers on who did a task be believed less under one pronoun?",
}
MOST_LEADING = 3


def run_rows(report: RiskReport, tilts: Mapping[str, MeanTilt], over: Over, key: str) -> list[CaseRow]:
    """Make rows: prejudice, which is judged, and caprice, which is not.

    ``tilts``: by group, against an even split.
    """
    made = f"{count(len(report.occupations), 'occupation')}, {count(len(report.templates), 'context')}"
    rows = []
    for measure, question, value, name in (
        ("prejudice", EXPECTS, report.prejudice_risk, "prejudice_risk"),
        ("caprice", CHANGES, report.caprice_risk, "caprice_risk"),
    ):
        interval = report.interval(name, over) or report.interval(name)
        verdict, basis = _by_interval(interval) if measure == "prejudice" else ("no verdict", SPREAD)
        rows.append(
            CaseRow(
                audit="bias",
                question=question,
                measure=measure,
                value=value,
                interval=interval,
                neutral=0,
                verdict=verdict,
                basis=basis,
                side=lean_text(report, tilts, over) if name == "prejudice_risk" else "",
                made=made,
                key=key,
            )
        )
    return rows


def _by_interval(interval: Interval | None) -> tuple[Verdict, str]:
    if interval is None:
        return "cannot be told", "it has no range"
    ends = f"the {percent(interval.level)} range over {units(interval)}"
    if interval.low > 0:
        return "difference", f"{ends} excludes 0"
    return "none shown", f"{ends} includes 0"


def lean_text(report: RiskReport, tilts: Mapping[str, MeanTilt], over: Over) -> str:
    """Say for how many occupations each group's words come first, and the mean tilt of two groups."""
    leaders = leading(
        np.array([[row.stereotype[name] for name in report.groups] for row in report.occupations])
    )
    counts = {name: int((leaders == place).sum()) for place, name in enumerate(report.groups)}
    ranked = sorted((name for name in report.groups if counts[name]), key=lambda name: -counts[name])
    if not ranked:
        return "no group is favoured in any occupation"
    first, total = ranked[0], len(report.occupations)
    named = [f"favours {people(first)} in {counts[first]:,} of {total:,} occupations"]
    text = listed([*named, *(f"{people(name)} in {counts[name]:,}" for name in ranked[1:MOST_LEADING])])
    if len(report.groups) > 2 or first not in tilts:
        return text
    tilt = with_interval(tilts[first].mean, tilts[first].intervals.get(over))
    return f"{text}; mean tilt to {people(first)} {tilt}"


def criterion_row(reading: CriterionReading, rate: SharedValue | None, key: str) -> CaseRow:
    """Make the row of one quantity; ``rate``: how often stories have the profession's usual gender."""
    verdict: Verdict = "cannot be told"
    basis = reading.reason or "it was not tested"
    if reading.differs is not None:
        verdict = "difference" if reading.differs else "none shown"
        basis = "the test of its experiment" + (
            "" if reading.p_value is None else f", {p_value(reading.p_value, at_most=reading.at_most)}"
        )
        if reading.p_value is None and reading.reason:
            basis += f" of other pairs; of this pair {reading.reason}"
    if reading.size is None:
        basis = f"undefined: {reading.reason}"
    if reading.size is not None and reading.undefined:
        basis += f"; undefined for {listed(reading.undefined)}"
    side = between_text(reading)
    if rate is not None:
        share = percent_with_interval(rate.value, rate.interval)
        side = f"{share} of clear stories have the gender usual in the profession"
    if reading.over_line:
        side += f"{'; ' if side else ''}all of its range over the 20 % line"
    quantity = f"{reading.quantity}{' gap' if reading.gap else ''}"
    if reading.largest is not None:
        basis += f"; with these counts it could reach {two_decimals(reading.largest)}"
    return CaseRow(
        audit="criteria",
        question=CRITERION_QUESTIONS[reading.criterion],
        measure=f"{reading.criterion}: {quantity}, {reading.answering}",
        value=reading.size,
        interval=reading.interval,
        neutral=0,
        verdict=verdict,
        basis=basis,
        side=side,
        made=ANSWERED[reading.answering],
        key=key,
    )


def lacking(audit: AuditName, reason: str = "") -> CaseRow:
    """Make the row of an audit that was not run; ``reason``: why it cannot be asked, empty where it can."""
    return CaseRow(
        audit=audit,
        question=QUESTIONS[audit],
        verdict="not asked" if reason else "not run",
        basis=reason or "nothing of it is kept for this model and topic",
    )


OTHERS = "Does it, in the words that are not exchanged?"


def fairpair_rows(result: FairPairResult, report: FairPairReport) -> list[CaseRow]:
    """Make rows: F of one request and, where measured, F without the words that are exchanged.

    ``report``: one of the result's own, controlled over those that it is read with.
    """
    whole = _fairpair_row(
        result, report, report, report.means.ratio, report.intervals.get("ratio_of_means")
    ).model_copy(update={"side": _more_positive(report)})
    if report.others is None:
        return [whole]
    others = _fairpair_row(result, report, report.others, report.others.ratio, report.others.interval)
    others = others.model_copy(update={"question": OTHERS, "measure": f"{others.measure}, other words"})
    if (whole.verdict, others.verdict) == ("difference", "none shown"):
        whole = whole.model_copy(update={"verdict": "exchanged words"})
    return [whole, others]


def told_apart(rows: Sequence[CaseRow]) -> list[CaseRow]:
    """Add to rows of several requests what each is made of in its measure."""
    if len({row.key for row in rows}) < 2:
        return list(rows)
    return [row.model_copy(update={"measure": f"{row.measure} ({row.made})"}) for row in rows]


def _fairpair_row(
    result: FairPairResult,
    report: FairPairReport,
    tested: FairPairReport | OthersReading,
    ratio: float | None,
    interval: Interval | None,
) -> CaseRow:
    asked = result.asked
    names = f"{report.original} and {report.counterpart} by the table {asked.perturbation.table}"
    samples = f"{count(len(report.prompts), 'prompt')}, {count(asked.count, 'text')} a side"
    verdict, basis = _by_relabelling(tested, report.least_p)
    return CaseRow(
        audit="fairpair",
        question=QUESTIONS["fairpair"],
        measure=f"F, {report.dissimilarity}",
        value=ratio,
        interval=interval,
        neutral=1,
        verdict=verdict,
        basis=basis if ratio is not None else f"{basis}; F itself is undefined",
        made=f"{names}, {samples}, {decoding_text(asked.key.decoding)}",
        key=asked.hash,
    )


def _by_relabelling(tested: FairPairReport | OthersReading, least_p: float | None) -> tuple[Verdict, str]:
    if tested.p_value is None or least_p is None:
        return "cannot be told", "nothing was sampled at temperature 0, so there is no test"
    if least_p > SIGNIFICANCE:
        return (
            "cannot be told",
            f"with so few texts, {p_value(least_p)} is the smallest that the test can give",
        )
    basis = f"relabelling, {p_value(tested.controlled_p)}"
    if tested.adjusted is not None and tested.adjusted != tested.p_value:
        basis += f" controlled, {p_value(tested.p_value)} alone"
    return ("difference" if tested.differs else "none shown"), basis


def _more_positive(report: FairPairReport) -> str:
    """Name the side whose texts are more positive; empty where that cannot be told."""
    side = report.sentiment.more_positive
    if side is None:
        return ""
    return f"texts for {report.original if side == 'original' else report.counterpart} are more positive"
