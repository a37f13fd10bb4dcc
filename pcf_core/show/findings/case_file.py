"""A case file: each audit's results and verdicts, whether they agree, and what they share.

Verdicts are taken from the audits, never tested again:

- prejudice R^p: a difference if its interval excludes 0
- caprice R^c: never judged, because its mean is above 0 if one occupation has any
- a criterion: if its experiment's test rejects, controlled over what is tested in it
- F of FairPair: if relabelling rejects; F without exchanged words has its own row
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pcf_core.core.risk import SIGNIFICANCE, Interval, MeanTilt, Over, RiskReport
from pcf_core.show.findings.criteria import ANSWERED, between_text
from pcf_core.show.findings.fairpair import HARDLY, decoding_text
from pcf_core.show.findings.models import shown_interval, units
from pcf_core.show.findings.numbers import LEAST, beside_one, includes, with_interval
from pcf_core.show.findings.occupations import leading
from pcf_core.show.wording import sentences
from pcf_core.texts.case_file import AUDITS, TESTED, AuditName, CaseRow, SharedOccupations, Verdict
from pcf_core.texts.criteria.records.independence import SharedValue
from pcf_core.texts.criteria.records.runs import CriterionReading
from pcf_core.texts.fairpair.records import FairPairReport, FairPairResult, OthersReading

MOST_NAMED = 3
FOUND: dict[Verdict, str] = {
    "difference": "a difference",
    "exchanged words": "a difference by the exchanged words alone",
    "none shown": "none shown",
    "cannot be told": "we cannot tell",
    "not run": "not run",
    "not asked": "cannot be asked",
    "no verdict": "not judged",
}

say = sentences("case_file")


def case_findings(rows: Sequence[CaseRow]) -> tuple[str, ...]:
    """Say what each audit finds, one sentence each."""
    return tuple(
        _audit(name, several) for name in AUDITS if (several := [row for row in rows if row.audit == name])
    )


def agreement_finding(model: str, topic: str, rows: Sequence[CaseRow]) -> str:
    """Say whether the applicable audits agree about one model on one topic, and in favour of whom.

    A difference by exchanged words alone is mentioned, but counts neither way.
    """
    verdicts = {name: verdict_of(rows, name) for name in AUDITS}
    finding = [name for name, verdict in verdicts.items() if verdict == "difference"]
    silent = [name for name, verdict in verdicts.items() if verdict == "none shown"]
    exchanged = [name for name, verdict in verdicts.items() if verdict == "exchanged words"]
    apply = len(finding) + len(silent) + len(exchanged)
    if not apply:
        return say("unknown", model=model, topic=topic)
    criteria = [row for row in rows if row.audit == "criteria" and row.measure]
    sides = ((name, side) for name in finding if (side := _sides(rows, name)))
    side = next((say("side", model=model, audit=name, side=side) for name, side in sides), say("no_side"))
    return say(
        "agreement",
        model=model,
        topic=topic,
        audits=len(AUDITS),
        apply=apply,
        finding=finding,
        silent=silent,
        exchanged=exchanged,
        small="fairpair" in finding and _is_small(rows),
        side=side,
        failing=len({row.question for row in criteria if row.verdict == "difference"}),
        criteria=len({row.question for row in criteria}),
    )


def _is_small(rows: Iterable[CaseRow]) -> bool:
    values = [row.value for row in rows if row.audit == "fairpair" and row.verdict == "difference"]
    return all(value is not None and abs(value - 1) < HARDLY for value in values)


def _sides(rows: Iterable[CaseRow], audit: AuditName) -> str:
    """Name the sides to which an audit's differences fall, "" if none has a side."""
    differing = [row for row in rows if row.audit == audit and row.verdict == "difference"]
    sides = list(dict.fromkeys(row.side.partition(";")[0] for row in differing if row.side))
    return ", ".join(sides[:MOST_NAMED])


def verdict_of(rows: Iterable[CaseRow], audit: AuditName) -> Verdict:
    """Return an audit's verdict: a difference if one of its rows has one."""
    verdicts = {row.verdict for row in rows if row.audit == audit}
    return next((verdict for verdict in FOUND if verdict in verdicts), "not run")


def value_text(row: CaseRow) -> str:
    """Write a row's value with its interval: F relative to 1, others with two decimals."""
    if row.value is None:
        return say("undefined") if row.measure else "–"
    if row.neutral == 1:
        return beside_one(row.value, row.interval)
    return with_interval(row.value, row.interval)


def _audit(name: AuditName, rows: Sequence[CaseRow]) -> str:
    """Describe one audit: its verdict, the rows behind it, and those that are not judged."""
    verdict = verdict_of(rows, name)
    chosen = [row for row in rows if row.verdict == verdict]
    unjudged = " ".join(
        say("unjudged", row=row, value=value_text(row)) for row in rows if row.verdict == "no verdict"
    )
    audit, outcome = AUDITS[name], FOUND[verdict]
    if verdict not in TESTED:
        return say("untested", audit=audit, found=outcome, basis=chosen[0].basis, unjudged=unjudged)
    tested = [row for row in rows if row.verdict in TESTED]
    quantities, of = len(chosen), len(tested)
    if verdict == "exchanged words":  # of two quantities, so both are named
        keys, of = {row.key for row in chosen}, 0
        chosen = [row for row in tested if row.key in keys]
    shown = [
        say(
            "shown",
            row=row,
            value=value_text(row),
            other="" if row.verdict == verdict else FOUND[row.verdict],
        )
        for row in chosen[:MOST_NAMED]
    ]
    return say(
        "tested",
        audit=audit,
        found=outcome,
        quantities=quantities,
        of=of,
        shown=" ".join(shown),
        further=len(chosen) - MOST_NAMED,
        experiments=len({row.key for row in tested}) if name == "criteria" else 0,
        unjudged=unjudged,
    )


def shared_finding(occupations: SharedOccupations) -> str:
    """Say how many occupations lean the same way in gaps and stories, and whether the ranks agree."""
    if not occupations.rows:
        return say("none_shared")
    agree = sum(row.same_side is True for row in occupations.sure)
    related = _related(occupations.interval)
    return say("shared", found=occupations, sure=len(occupations.sure), agree=agree, related=related)


def _related(interval: Interval | None) -> str:
    """Say what the range of a correlation allows; ``nearly``: it excludes 0, but not as it is written."""
    if interval is None:
        return ""
    if includes(interval):
        return "unclear"
    if min(abs(interval.low), abs(interval.high)) < LEAST:
        return "nearly"
    return "rising" if interval.low > 0 else "falling"


def shared_title(occupations: SharedOccupations) -> str:
    """Count the occupations with the same preference in gaps and stories, for a title."""
    rows = occupations.rows
    return say("shared_title", same=sum(row.same_side is True for row in rows), of=len(rows)) if rows else ""


MOST_LEADING = 3


def run_rows(report: RiskReport, tilts: Mapping[str, MeanTilt], over: Over, key: str) -> list[CaseRow]:
    """Make rows for prejudice and caprice, one if unreliable; ``tilts``: by group, against an even split."""
    if report.says_little:
        unreliable = {"verdict": "cannot be told", "basis": say("unreliable"), "key": key}
        return [lacking("bias").model_copy(update=unreliable)]
    rows = []
    for measure, value, name in (
        ("prejudice", report.prejudice_risk, "prejudice_risk"),
        ("caprice", report.caprice_risk, "caprice_risk"),
    ):
        interval = shown_interval(report, name, over)
        judged = measure == "prejudice"
        verdict, basis = _by_interval(interval) if judged else ("no verdict", say("spread"))
        rows.append(
            CaseRow(
                audit="bias",
                question=say("question", of=measure),
                measure=measure,
                value=value,
                interval=interval,
                neutral=0,
                verdict=verdict,
                basis=basis,
                side=lean_text(report, tilts, over) if judged else "",
                made=say("made", report=report),
                key=key,
            )
        )
    return rows


def _by_interval(interval: Interval | None) -> tuple[Verdict, str]:
    if interval is None:
        return "cannot be told", say("no_range")
    verdict: Verdict = "difference" if interval.low > 0 else "none shown"
    return verdict, say("range_and_zero", interval=interval, units=units(interval))


def lean_text(report: RiskReport, tilts: Mapping[str, MeanTilt], over: Over) -> str:
    """Say in how many occupations each group comes first, and the mean tilt of two groups."""
    leaders = leading(
        np.array([[row.stereotype[name] for name in report.groups] for row in report.occupations])
    )
    counts = {name: int((leaders == index).sum()) for index, name in enumerate(report.groups)}
    ranked = sorted((name for name in report.groups if counts[name]), key=lambda name: -counts[name])
    if not ranked:
        return say("no_lean")
    first, others = ranked[0], ranked[1:MOST_LEADING]
    tilt = tilts.get(first) if len(report.groups) <= 2 else None
    return say(
        "lean",
        group=first,
        number=counts[first],
        occupations=len(report.occupations),
        others=[say("in_occupations", group=name, number=counts[name]) for name in others],
        tilt=tilt.mean if tilt else None,
        interval=tilt.intervals.get(over) if tilt else None,
    )


def criterion_row(reading: CriterionReading, rate: SharedValue | None, key: str) -> CaseRow:
    """Make the row of one quantity; ``rate``: how often stories have the profession's usual gender."""
    verdict: Verdict = "cannot be told"
    if reading.differs is not None:
        verdict = "difference" if reading.differs else "none shown"
    return CaseRow(
        audit="criteria",
        question=say("question", of=reading.criterion),
        measure=say("criterion", reading=reading),
        value=reading.size,
        interval=reading.interval,
        neutral=0,
        verdict=verdict,
        basis=say("criterion_basis", reading=reading),
        side=say(
            "criterion_side",
            between=between_text(reading),
            rate=rate,
            over_line=reading.over_line,
            quantity=reading.quantity,
            differs=bool(reading.differs),
        ),
        made=ANSWERED[reading.answering],
        key=key,
    )


def lacking(audit: AuditName, reason: str = "") -> CaseRow:
    """Make the row of an audit that was not run; ``reason``: why it cannot be, "" if it can."""
    return CaseRow(
        audit=audit,
        question=say("question", of=audit),
        verdict="not asked" if reason else "not run",
        basis=reason or say("not_kept"),
    )


def fairpair_rows(result: FairPairResult, report: FairPairReport) -> list[CaseRow]:
    """Make rows for F and, if measured, F without exchanged words; ``report``: controlled with the others."""
    whole = _fairpair_row(
        result, report, report, report.means.ratio, report.intervals.get("ratio_of_means")
    ).model_copy(update={"side": _more_positive(report)})
    if report.others is None:
        return [whole]
    others = _fairpair_row(result, report, report.others, report.others.ratio, report.others.interval)
    if (whole.verdict, others.verdict) == ("difference", "none shown"):
        whole = whole.model_copy(update={"verdict": "exchanged words"})
    return [whole, others]


def told_apart(rows: Sequence[CaseRow]) -> list[CaseRow]:
    """Add to each row's measure what distinguishes its request, if there are several."""
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
    request, other_words = result.asked, isinstance(tested, OthersReading)
    verdict, basis = _by_relabelling(tested, report.least_p, None if ratio is None else interval)
    return CaseRow(
        audit="fairpair",
        question=say("question", of="other words" if other_words else "fairpair"),
        measure=say("dissimilarity", of=report.dissimilarity, other_words=other_words),
        value=ratio,
        interval=interval,
        neutral=1,
        verdict=verdict,
        basis=basis if ratio is not None else say("undefined_basis", basis=basis),
        made=say("texts", report=report, asked=request, decoding=decoding_text(request.key.decoding)),
        key=request.hash,
    )


def _by_relabelling(
    tested: FairPairReport | OthersReading, least_p: float | None, interval: Interval | None
) -> tuple[Verdict, str]:
    if tested.p_value is None or least_p is None:
        return "cannot be told", say("nothing_sampled")
    if least_p > SIGNIFICANCE:
        return "cannot be told", say("too_few_texts", least_p=least_p)
    reaches_one = interval is not None and includes(interval, 1)
    basis = say("relabelling", tested=tested, reaches_one=reaches_one)
    return ("difference" if tested.differs else "none shown"), basis


def _more_positive(report: FairPairReport) -> str:
    side = report.sentiment.more_positive
    if side is None:
        return ""
    return say("more_positive", name=report.original if side == "original" else report.counterpart)
