"""What stories by profession show, in sentences: shares, and I beside chance and the attainable."""

from __future__ import annotations

from pcf_core.show.findings.sources import source_of
from pcf_core.show.wording import sentences
from pcf_core.texts.criteria.records.independence import AnecdotesReport, ProfessionGender, SharedValue
from pcf_core.texts.criteria.records.quantities import (
    FORMULAS,
    SIGNIFICANCE,
    USUAL,
    MutualInformation,
    Normaliser,
)

MOST_NAMED = 3
FEW_PROFESSIONS = 10  # the interval of NMI over fewer is too narrow

say = sentences("anecdotes")


def anecdotes_finding(report: AnecdotesReport, model: str) -> str:
    """Say whether gender depends on profession, how often it is the usual one, and whose numbers they are."""
    if report.clear_only is None:
        reason = next((item.reason for item in report.undefined if item.name == "clear_only"), "")
        return f"{say('nothing', model=model, reason=reason)} {source_of(report.label)}"
    parts = (
        say("asked", model=model, report=report, professions=len(report.professions)),
        stereotype_finding(report),
        say("verdict", report=report),
        information_finding(report.clear_only),
        source_of(report.label),
    )
    return " ".join(parts)


def stereotype_finding(report: AnecdotesReport) -> str:
    """Say how often a story's gender is the majority of the profession in the world."""
    return say("stereotype", report=report, clear=report.n - report.unclear_texts)


def information_finding(found: MutualInformation, normaliser: Normaliser = USUAL) -> str:
    """Write the normalised value with interval, chance and the attainable, a sentence each."""
    formula = FORMULAS[normaliser]
    if found.null is None:
        return say(
            "information_scored",
            found=found,
            normaliser=normaliser,
            formula=formula,
            share=found.of_largest(normaliser),
        )
    if found.untold:
        return say("information_untold", found=found, normaliser=normaliser, formula=formula)
    ends = found.intervals.get(normaliser)
    return say(
        "information",
        found=found,
        normaliser=normaliser,
        formula=formula,
        corrected=max(0.0, found.corrected_normalised[normaliser]),
        share=found.of_largest(normaliser),
        passed=ends is not None and ends.high > found.largest.normalised[normaliser],
    )


def amplification_finding(report: AnecdotesReport) -> str:
    """Say how far the model goes beyond the world, over all professions and at the farthest."""
    further, line = report.exaggeration, report.line
    if further is None:
        return say("no_share")
    found = further.interval
    beyond = say(
        "beyond",
        points=_points(further),
        towards=further.value >= 0,
        by_chance=found is not None and found.low <= 0 <= found.high,
    )
    if line is None:
        rise = say("no_line", reason=report.no_line)
    else:
        rise = say("line", line=line, told=line.p_of_one <= SIGNIFICANCE)
    return " ".join([beyond, rise, *(_singles(report) if report.answering == "written" else ())])


def _points(further: SharedValue) -> str:
    """Write the mean distance in percentage points, without its sign where a word says it."""
    side = 1 if further.value >= 0 else -1
    points = f"{100 * abs(further.value):.0f}"
    if further.interval is not None:
        low, high = sorted((100 * side * further.interval.low, 100 * side * further.interval.high))
        points += f" ({low:.0f}{' to ' if low < 0 else '–'}{high:.0f})".replace("-", "−")
    return points


def _singles(report: AnecdotesReport) -> list[str]:
    """Name professions whose share differs from the world's beyond chance."""
    more, less = report.more_extreme, report.less_extreme
    parts = [
        *([say("more_extreme", professions=len(more), named=_named(more))] if more else []),
        *([say("less_extreme", professions=len(less), named=_named(less))] if less else []),
    ]
    return [*parts, say("controlled")] if parts else [say("none_single")]


def _named(rows: tuple[ProfessionGender, ...]) -> list[str]:
    """Describe both of two rows, and the first alone of more."""
    return [say("profession", row=row) for row in rows[: 1 if len(rows) > 2 else 2]]


def reading_notes(report: AnecdotesReport) -> list[str]:
    """List what was not read, what may be another's, and what too few stories mean."""
    notes, table = [], report.clear_only
    if report.unclear_texts:
        unclear = sorted(report.unclear.items())
        reasons = [say("stories_with", stories=stories, reason=reason) for reason, stories in unclear]
        notes.append(say("unclear", share=report.unclear_texts / report.n, reasons=reasons))
    if report.empty:
        notes.append(say("empty", stories=report.empty))
    if report.mixed:
        notes.append(say("mixed", stories=report.mixed))
    if table is not None and table.few:
        notes.append(say("few_stories"))
    if table is not None and table.untold:
        notes.append(say("write_several"))
    if table is not None and table.intervals and table.rows < FEW_PROFESSIONS:
        notes.append(say("few_professions", professions=table.rows, enough=FEW_PROFESSIONS))
    if report.professions_left_out:
        names = [item.name for item in report.professions_left_out]
        notes.append(say("professions_left_out", names=names, most=MOST_NAMED))
    if report.words_left_out:
        notes.append(say("words_left_out", words=[item.name for item in report.words_left_out]))
    return notes
