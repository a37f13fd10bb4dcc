"""A case file in sentences: what each audit finds, whether they agree, and what the audits share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pcf_core.show.findings.fairpair import HARDLY
from pcf_core.show.findings.numbers import beside_one, with_interval
from pcf_core.show.wording import sentences
from pcf_core.texts.case_file import AUDITS, TESTED, AuditName, CaseRow, SharedOccupations, Verdict

MOST_NAMED = 3
FOUND: dict[Verdict, str] = {
    "difference": "a difference",
    "exchanged words": "a difference by the exchanged words alone",
    "none shown": "none shown",
    "cannot be told": "we cannot tell",
    "not run": "not run",
    "not asked": "cannot be asked",
    "no verdict": "no verdict",
}

say = sentences("case_file")


def case_findings(rows: Sequence[CaseRow]) -> tuple[str, ...]:
    """Say what each audit finds, a sentence each."""
    return tuple(
        _audit(name, several) for name in AUDITS if (several := [row for row in rows if row.audit == name])
    )


def agreement_finding(model: str, topic: str, rows: Sequence[CaseRow]) -> str:
    """Say whether the audits that apply agree about one model on one topic, and on which side the first does.

    What differs by the exchanged words alone is said, and counts neither as agreement nor against it.
    """
    verdicts = {name: verdict_of(rows, name) for name in AUDITS}
    finding = [name for name, verdict in verdicts.items() if verdict == "difference"]
    silent = [name for name, verdict in verdicts.items() if verdict == "none shown"]
    exchanged = [name for name, verdict in verdicts.items() if verdict == "exchanged words"]
    apply = len(finding) + len(silent) + len(exchanged)
    if not apply:
        return say("unknown", model=model, topic=topic)
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
    )


def _is_small(rows: Iterable[CaseRow]) -> bool:
    """Tell whether FairPair's differences are all by hardly more than sampling gives."""
    found = [row.value for row in rows if row.audit == "fairpair" and row.verdict == "difference"]
    return all(value is not None and abs(value - 1) < HARDLY for value in found)


def _sides(rows: Iterable[CaseRow], audit: AuditName) -> str:
    """Say to which side an audit's differences fall; of a side with its numbers the first part alone.

    Empty where no difference has a side.
    """
    differing = [row for row in rows if row.audit == audit and row.verdict == "difference"]
    found = list(dict.fromkeys(row.side.partition(";")[0] for row in differing if row.side))
    return ", ".join(found[:MOST_NAMED])


def verdict_of(rows: Iterable[CaseRow], audit: AuditName) -> Verdict:
    """Return the verdict of an audit from its rows: it finds a difference where one of them does."""
    found = {row.verdict for row in rows if row.audit == audit}
    return next((verdict for verdict in FOUND if verdict in found), "not run")


def value_text(row: CaseRow) -> str:
    """Write a row's value with its interval: F beside 1, others with two decimals."""
    if row.value is None:
        return say("undefined") if row.measure else "–"
    if row.neutral == 1:
        return beside_one(row.value, row.interval)
    return with_interval(row.value, row.interval)


def _audit(name: AuditName, rows: Sequence[CaseRow]) -> str:
    """Describe one audit: its verdict, the rows that it rests on, and those that are not judged."""
    verdict = verdict_of(rows, name)
    chosen = [row for row in rows if row.verdict == verdict]
    unjudged = " ".join(
        say("unjudged", row=row, value=value_text(row)) for row in rows if row.verdict == "no verdict"
    )
    audit, found = AUDITS[name], FOUND[verdict]
    if verdict not in TESTED:
        return say("untested", audit=audit, found=found, basis=chosen[0].basis, unjudged=unjudged)
    tested = [row for row in rows if row.verdict in TESTED]
    quantities, of = len(chosen), len(tested)
    if verdict == "exchanged words":  # which is said of two quantities of a request, so both are named
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
        found=found,
        quantities=quantities,
        of=of,
        shown=" ".join(shown),
        further=len(chosen) - MOST_NAMED,
        experiments=len({row.key for row in tested}) if name == "criteria" else 0,
        unjudged=unjudged,
    )


def shared_finding(found: SharedOccupations) -> str:
    """Say how many occupations lean to the same side in gaps and stories, and whether their ranks agree."""
    if not found.rows:
        return say("none_shared")
    agree = sum(row.same_side is True for row in found.sure)
    return say("shared", found=found, sure=len(found.sure), agree=agree)
