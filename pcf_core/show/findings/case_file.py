"""A case file in sentences: what each audit finds, whether they agree, and what the audits share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pcf_core.show.findings.fairpair import HARDLY
from pcf_core.show.findings.numbers import begun, beside_one, count, listed, number, with_interval
from pcf_core.texts.case_file import AUDITS, TESTED, AuditName, CaseRow, SharedOccupations, Verdict

MOST_NAMED = 3
NAMES: dict[AuditName, str] = {
    "bias": "its word probabilities",
    "fairpair": "FairPair",
    "criteria": "the criteria",
}
FOUND: dict[Verdict, str] = {
    "difference": "a difference",
    "exchanged words": "a difference by the exchanged words alone",
    "none shown": "none shown",
    "cannot be told": "we cannot tell",
    "not run": "not run",
    "not asked": "cannot be asked",
    "no verdict": "no verdict",
}
OTHER_QUESTIONS = (
    "They ask different questions: what a model expects in a gap, what it writes, whom it believes. So a "
    "difference in one and none in another is no contradiction."
)


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
    told = len(finding) + len(silent)
    if not finding and not silent and not exchanged:
        return f"{model} on {topic.lower()}: we cannot tell whether there is a difference."
    apply = told + len(exchanged)
    verb = "applies" if apply == 1 else "apply"
    said = f"{model} on {topic.lower()}: {apply} of {len(AUDITS)} audits {verb}."
    small = " FairPair's is under 1 %." if "fairpair" in finding and _is_small(rows) else ""
    parts = [f" {_finders(finding, apply)} a difference.{small}"] if finding else []
    parts += [f" {begun(_names(exchanged))} differs by the exchanged words alone."] if exchanged else []
    parts += [f" {begun(_names(silent))} {_verb('show', silent)} none."] if silent else []
    sentence = f"{said}{''.join(parts)}"
    if exchanged:
        sentence += " What the exchanged words alone do is not counted as agreement."
    if told < 2:
        return f"{sentence} There is nothing to agree with yet."
    if finding and silent:
        return f"{sentence} They do not agree. {OTHER_QUESTIONS}"
    if not finding:
        return f"{sentence} None shown is not the same as none."
    agree = " All others that apply agree." if exchanged else ""
    sides = (
        f"{model} {side}." if side.startswith("favours") else f"{begun(NAMES[name])}: {side}."
        for name in finding
        if (side := _sides(rows, name))
    )
    return f"{sentence}{agree} {next(sides, 'We cannot tell on which side.')}"


def _is_small(rows: Iterable[CaseRow]) -> bool:
    """Tell whether FairPair's differences are all by hardly more than sampling gives."""
    found = [row.value for row in rows if row.audit == "fairpair" and row.verdict == "difference"]
    return all(value is not None and abs(value - 1) < HARDLY for value in found)


def _finders(audits: Sequence[AuditName], apply: int) -> str:
    """Say which audits find something, of as many as apply."""
    if len(audits) == apply > 1:
        return f"{'Both' if apply == 2 else 'All'} find"
    return f"{begun(_names(audits))} {_verb('find', audits)}"


def _verb(verb: str, audits: Sequence[AuditName]) -> str:
    """Write a verb as its subjects need it: FairPair alone finds, the others find."""
    return f"{verb}s" if list(audits) == ["fairpair"] else verb


def _names(audits: Iterable[AuditName]) -> str:
    return listed([NAMES[name] for name in audits])


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
        return "undefined" if row.measure else "–"
    if row.neutral == 1:
        return beside_one(row.value, row.interval)
    return with_interval(row.value, row.interval)


def _audit(name: AuditName, rows: Sequence[CaseRow]) -> str:
    """Describe one audit: its verdict, the rows that it rests on, and those that are not judged."""
    verdict = verdict_of(rows, name)
    chosen = [row for row in rows if row.verdict == verdict]
    title = f"{AUDITS[name]}: {FOUND[verdict]}"
    unjudged = "".join(f" Without a verdict: {_row(row)}." for row in rows if row.verdict == "no verdict")
    if verdict not in TESTED:
        return f"{title}. {begun(chosen[0].basis)}.{unjudged}"
    tested = [row for row in rows if row.verdict in TESTED]
    of = f" in {len(chosen):,} of {count(len(tested), 'quantity', 'quantities')}" if len(tested) > 1 else ""
    if verdict == "exchanged words":  # which is said of two quantities of a request, so both are named
        keys, of = {row.key for row in chosen}, ""
        chosen = [row for row in tested if row.key in keys]
    shown = " ".join(
        f"{begun(_row(row))}{'' if row.verdict == verdict else f', {FOUND[row.verdict]}'}."
        for row in chosen[:MOST_NAMED]
    )
    further = len(chosen) - MOST_NAMED
    more = f" There are {further:,} more." if further > 0 else ""
    return f"{title}{of}. {shown}{more}{_uncontrolled(name, tested)}{unjudged}"


def _uncontrolled(name: AuditName, tested: Sequence[CaseRow]) -> str:
    """Say that the criteria's experiments are not controlled together; empty of one, and of other audits."""
    experiments = len({row.key for row in tested})
    if name != "criteria" or experiments < 2:
        return ""
    return (
        f" The {experiments:,} experiments are controlled one by one, not together. So by chance one finds a "
        "difference more often than in 5 % of such summaries."
    )


def _row(row: CaseRow) -> str:
    side = f", {row.side}" if row.side else ""
    none = f", where {number(row.neutral)} is no difference" if row.neutral else ""
    return f"{row.measure} {value_text(row)}{none}{side}"


def shared_finding(found: SharedOccupations) -> str:
    """Say how many occupations lean to the same side in gaps and stories, and whether their ranks agree."""
    total = len(found.rows)
    if not total:
        return "None of the run's occupations is a profession of the stories."
    sentence = (
        f"{count(total, 'occupation stands', 'occupations stand')} in the run and in the stories; "
        f"{found.same:,} {'leans' if found.same == 1 else 'lean'} to the same side in both."
    )
    sure = found.sure
    if sure:
        same = sum(row.same_side is True for row in sure)
        sentence += f" For {len(sure):,} both ranges exclude an even split: {same:,} of these agree."
    if found.correlation is None:
        return f"{sentence} They are too few, or too alike, for a rank correlation."
    told = "" if found.interval is None else _told(found.interval.low, found.interval.high)
    return (
        f"{sentence} The rank correlation of tilt and women's share is "
        f"{with_interval(found.correlation, found.interval)}.{told}"
    )


def _told(low: float, high: float) -> str:
    if low <= 0 <= high:
        return " We cannot tell whether the two go together."
    return " The two go together." if low > 0 else " The two go against each other."
