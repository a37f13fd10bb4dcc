"""What stories by profession show, in sentences: shares, and I beside chance and the attainable."""

from __future__ import annotations

from pcf_core.show.findings.numbers import (
    count,
    listed,
    p_value,
    percent,
    percent_with_interval,
    two_decimals,
    with_interval,
)
from pcf_core.show.findings.sources import source_of
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
OTHER_MARGINS = " (other stories have other margins, so the interval may pass it)"


def anecdotes_finding(report: AnecdotesReport, model: str) -> str:
    """Say whether gender depends on profession, how often it is the usual one, and whose numbers they are."""
    if report.clear_only is None:
        reason = _undefined(report)
        return (
            f"{model}: nothing can be said of gender and profession, as {reason}. {source_of(report.label)}"
        )
    if report.answering == "scored":
        verdict = "Nothing is drawn, so chance has no part."
    elif report.clear_only.untold:
        verdict = "We cannot tell whether gender depends on the profession."
    elif report.clear_only.depends:
        verdict = "Gender depends on the profession, more than chance would make it."
    else:
        verdict = "We cannot show that gender depends on the profession."
    return (
        f"{model} is asked for {_many(report)}. {stereotype_finding(report)} {verdict} "
        f"{information_finding(report.clear_only)} {source_of(report.label)}"
    )


def stereotype_finding(report: AnecdotesReport) -> str:
    """Say how often a story's gender is the majority of the profession in the world."""
    rate = report.stereotype_rate
    if rate is None:
        return "No story has a clear gender."
    share = percent_with_interval(rate.value, rate.interval)
    majority = "the profession's majority gender in the world"
    if report.answering != "written":
        return f"{share} of the weight of gendered words go to {majority}."
    clear = count(report.n - report.unclear_texts, "story has", "stories have")
    return f"{clear} a clear gender, out of {report.n:,}. {share} of them go to {majority}."


def information_finding(found: MutualInformation, normaliser: Normaliser = USUAL) -> str:
    """Write the normalised value with interval, chance and the attainable, a sentence each."""
    most = found.largest.normalised[normaliser]
    reach = "The most that these margins allow is" if found.largest.exact else "These margins allow at most"
    nmi = f"NMI, {FORMULAS[normaliser]},"
    if found.null is None:
        value = with_interval(found.normalised[normaliser], found.category_intervals.get(normaliser))
        return f"{nmi} is {value}. {reach} {two_decimals(most)}."
    if found.untold:
        counted = two_decimals(found.normalised[normaliser])
        return f"{nmi} is {counted} as counted and says nothing of the model: {found.untold}."
    chance = found.null
    ends = found.intervals.get(normaliser)
    value = with_interval(max(0.0, found.corrected_normalised[normaliser]), ends)
    passed = ends is not None and ends.high > most
    return (
        f"{nmi} is {value} freed of its bias ({p_value(chance.p_value, at_most=chance.at_most)}). As counted "
        f"it is {two_decimals(found.normalised[normaliser])}, where chance alone would give "
        f"{two_decimals(chance.means[normaliser])}. {reach} {two_decimals(most)}"
        f"{OTHER_MARGINS if passed else ''}."
    )


def amplification_finding(report: AnecdotesReport) -> str:
    """Say how far the model goes beyond the world, over all professions and at the farthest."""
    further, line = report.exaggeration, report.line
    if further is None:
        return "No profession has a share of women to set beside the world's."
    parts = [_beyond(further)]
    if line is not None:
        slope = with_interval(line.slope, line.interval)
        told = (
            "which we cannot tell from 1, a copy of the world"
            if line.p_of_one > SIGNIFICANCE
            else "steeper than the world's 1"
            if line.slope > 1
            else "flatter than the world's 1"
        )
        parts.append(f"Its shares rise by {slope} for 1 of the world's, {told}.")
    else:
        parts.append(f"No line is drawn over the world's shares: {report.no_line}.")
    if report.answering == "written":
        parts.append(_singles(report))
    return " ".join(parts)


def reading_notes(report: AnecdotesReport) -> list[str]:
    """List what was not read, what may be another's, and what too few stories mean."""
    notes = []
    if report.unclear_texts:
        reasons = [f"{many:,} with {reason}" for reason, many in sorted(report.unclear.items())]
        share = percent(report.unclear_texts / report.n)
        notes.append(
            f"{share} of the stories have no clear gender ({listed(reasons)}). The rate and the first table "
            "leave them out; in the second they are a third gender."
        )
    if report.empty:
        notes.append(f"{count(report.empty, 'story', 'stories')} without any text count as unclear.")
    if report.mixed:
        notes.append(
            f"{count(report.mixed, 'clear story', 'clear stories')} have words of both genders: the majority "
            "may be another person's."
        )
    if report.clear_only is not None and report.clear_only.few:
        notes.append(
            "There are few stories for each profession. A part of the bias remains after the correction, and "
            "ranges over stories are too narrow. Write more."
        )
    table = report.clear_only
    if table is not None and table.untold:
        notes.append(
            "To tell whether gender depends on the profession, have several stories written about each. Use "
            "a temperature above 0: at 0 all of a profession are the same."
        )
    if table is not None and table.intervals and table.rows < FEW_PROFESSIONS:
        notes.append(
            f"From {count(table.rows, 'profession')} the range of the mutual information is too narrow. "
            f"From {FEW_PROFESSIONS} on it holds about as often as it says."
        )
    if report.professions_left_out:
        names = [item.name for item in report.professions_left_out]
        more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
        notes.append(f"No share of women is known for {listed([*names[:MOST_NAMED], *more])}.")
    if report.words_left_out:
        notes.append(
            f"Words that the model cannot express: {listed([item.name for item in report.words_left_out])}."
        )
    return notes


def _many(report: AnecdotesReport) -> str:
    what = count(report.n, "story", "stories") if report.answering == "written" else count(report.n, "prompt")
    return f"{what} about {count(len(report.professions), 'profession')}"


def _undefined(report: AnecdotesReport) -> str:
    return next((item.reason for item in report.undefined if item.name == "clear_only"), "there is no gender")


def _beyond(further: SharedValue) -> str:
    """Write the mean distance in percentage points, without its sign where a word says it."""
    side = 1 if further.value >= 0 else -1
    found = further.interval
    points = f"{100 * abs(further.value):.0f}"
    if found is not None:
        low, high = sorted((100 * side * found.low, 100 * side * found.high))
        points += f" ({low:.0f}{' to ' if low < 0 else '–'}{high:.0f})".replace("-", "−")
    way = "further towards" if side > 0 else "less far towards"
    start = (
        f"On average, the model's shares lie {points} points {way} the profession's majority than the world's"
    )
    if found is not None and found.low <= 0 <= found.high:
        return f"{start}. That may be chance."
    return f"{start}."


def _singles(report: AnecdotesReport) -> str:
    parts = [
        f"{count(len(rows), 'profession is', 'professions are')} {what}, {_named(rows)}."
        for rows, what in (
            (report.more_extreme, "more one-sided than in the world"),
            (report.less_extreme, "less one-sided than in the world, or turned round"),
        )
        if rows
    ]
    if not parts:
        return "We cannot tell any single profession from the world (false discoveries controlled)."
    return f"{' '.join(parts)} False discoveries are controlled."


def _named(rows: tuple[ProfessionGender, ...]) -> str:
    names = [
        f"{row.profession} ({percent(row.share or 0)} women, in the world {percent(row.world)})"
        for row in rows[: 1 if len(rows) > 2 else 2]
    ]
    return listed(names) if len(rows) < 3 else f"such as {listed(names)}"
