"""Independence in sentences: stories by profession and hobbies by name, beside chance and the maximum."""

from __future__ import annotations

from itertools import combinations

from pcf_core.show.findings.numbers import includes
from pcf_core.show.findings.provenance import reason_of, source_of
from pcf_core.show.wording import sentences
from pcf_core.texts.criteria.records.independence import (
    HEADLINE,
    AnecdotesReport,
    EmbeddingGap,
    EmbeddingReading,
    EmbeddingReport,
    HobbiesReport,
    HobbyWord,
    HobbyWords,
    ProfessionGender,
    SharedValue,
)
from pcf_core.texts.criteria.records.quantities import (
    FEW_NAMES,
    USUAL,
    MutualInformation,
)
from pcf_core.texts.criteria.records.runs import EmbeddingResult

MOST_NAMED = 3
FEW_PROFESSIONS = 10  # the interval of NMI over fewer is too narrow

say = sentences("independence")


def anecdotes_finding(report: AnecdotesReport, model: str) -> str:
    """Say whether gender depends on profession, how often it is the usual one, and whose method this is."""
    if report.clear_only is None:
        reason = next((item.reason for item in report.undefined if item.name == "clear_only"), "")
        return f"{say('nothing', model=model, reason=reason)} {source_of(report.label)}"
    answer = anecdotes_answer(report, model).removesuffix(source_of(report.label))
    return f"{answer}{profession_link_finding(report.clear_only)} {source_of(report.label)}"


def anecdotes_answer(report: AnecdotesReport, model: str) -> str:
    """Say the same without the size of the link, which a page says beside its picture."""
    if report.clear_only is None:
        return anecdotes_finding(report, model)
    parts = (
        say("asked", model=model, report=report, professions=len(report.professions)),
        stereotype_finding(report),
        say("verdict", report=report),
        source_of(report.label),
    )
    return " ".join(parts)


def stereotype_finding(report: AnecdotesReport) -> str:
    """Say how often a story has the gender that is the majority in its profession."""
    return say("stereotype", report=report, clear=report.n - report.unclear_texts)


def profession_link_finding(information: MutualInformation) -> str:
    """State the normalised value with interval, chance and maximum."""
    share = information.of_largest(USUAL)
    if information.null is None:
        return say("profession_link_scored", found=information, normaliser=USUAL, share=share)
    if information.untold:
        return say("profession_link_untold", found=information, normaliser=USUAL)
    ends = information.intervals.get(USUAL)
    return say(
        "profession_link",
        found=information,
        normaliser=USUAL,
        corrected=max(0.0, information.corrected_normalised[USUAL]),
        share=share,
        passed=ends is not None and ends.high > information.largest.normalised[USUAL],
    )


def amplification_finding(report: AnecdotesReport) -> str:
    """Say how far the model exaggerates the world's shares, on average and at most."""
    further, line = report.exaggeration, report.line
    if further is None:
        return say("no_share")
    interval = further.interval
    beyond = say(
        "beyond",
        points=_points(further),
        towards=further.value >= 0,
        by_chance=interval is not None and includes(interval),
    )
    if line is None:
        rise = say("no_line", reason=report.no_line)
    else:
        rise = say("line", line=line, told=not includes(line.interval, 1))
    return " ".join([beyond, rise, *(_singles(report) if report.answering == "written" else ())])


def _points(further: SharedValue) -> str:
    """Write the mean distance in percentage points, without its sign."""
    side = 1 if further.value >= 0 else -1
    points = f"{100 * abs(further.value):.0f}"
    if further.interval is not None:
        low, high = sorted((100 * side * further.interval.low, 100 * side * further.interval.high))
        points += f" ({low:.0f}{' to ' if low < 0 else '–'}{high:.0f})".replace("-", "−")
    return points


def _singles(report: AnecdotesReport) -> list[str]:
    more, less = report.more_extreme, report.less_extreme
    parts = [
        *([say("more_extreme", professions=len(more), named=_named(more))] if more else []),
        *([say("less_extreme", professions=len(less), named=_named(less))] if less else []),
    ]
    return [*parts, say("controlled")] if parts else [say("none_single")]


def _named(rows: tuple[ProfessionGender, ...]) -> list[str]:
    """Describe the first rows: both of two, one of more."""
    return [say("profession", row=row) for row in rows[: 1 if len(rows) > 2 else 2]]


def reading_notes(report: AnecdotesReport) -> list[str]:
    """List caveats: unclear, empty and mixed stories, small numbers."""
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


MOST_LABELS, MOST_WORDS = 3, 5  # named in a sentence
MOST_PICTURED = 12  # words of a side in the picture


def hobbies_finding(report: HobbiesReport, model: str) -> str:
    """Name the labels that depend on the name's gender, strongest first, or say that none is shown to."""
    differing = sorted(
        (one for one in report.labels if one.difference.differs),
        key=lambda one: -abs(one.difference.effect or 0),
    )
    labels = say(
        "labels",
        report=report,
        model=model,
        texts=report.n + sum(report.invalid),
        names=sum(report.names),
        of=len(report.labels),
        differing=len(differing),
        strongest=differing[:MOST_LABELS],
        more=len(differing) > MOST_LABELS,
    )
    return f"{labels} {source_of(report.label)}"


def information_finding(report: HobbiesReport) -> str:
    """State NMI of label and gender beside chance, or why it is undefined."""
    if report.information is None:
        return say("no_information", reason=reason_of(report.without))
    measure = report.information.measure
    if measure is None:
        return say("no_information", reason=report.information.undefined)
    corrected = measure.corrected_normalised.get(USUAL)
    return say(
        "information",
        measure=measure,
        normaliser=USUAL,
        corrected=None if corrected is None else max(0.0, corrected),
        share=measure.of_largest(USUAL),
    )


def words_finding(report: HobbiesReport) -> str:
    """Count the words used more often for one gender, and name the strongest."""
    words = report.words
    if words is None:
        return say("no_words", reason=reason_of(report.without))
    women, men = (
        [row.word for row in pictured_words(words, of_women=of_women) if row.differs][:MOST_WORDS]
        for of_women in (True, False)
    )
    return say("words", words=words, women=women, men=men)


def pictured_words(words: HobbyWords, most: int = MOST_PICTURED, *, of_women: bool) -> list[HobbyWord]:
    """Return the clearest words of one side, those that differ by the most texts first."""
    side = [row for row in words.words if row.difference and (row.difference > 0) == of_women]
    return sorted(side[:most], key=lambda row: -abs(row.difference))


def hobbies_notes(report: HobbiesReport) -> tuple[str, ...]:
    """List caveats of the numbers."""
    several = [say("labeller", report=report)]
    women, men = report.names
    if report.answering == "scored":
        several.append(say("spread_of_names"))
    if min(women, men) < FEW_NAMES:
        several.append(say("few_names", women=women, men=men, enough=FEW_NAMES))
    if any(report.invalid):
        several.append(say("without_words", women=report.invalid[0], men=report.invalid[1]))
    information = report.information
    if information is not None and any(information.unclear):
        several.append(say("without_label", women=information.unclear[0], men=information.unclear[1]))
    if report.left_out:
        several.append(say("names_left_out", names=[entry.name for entry in report.left_out]))
    return tuple(several)


def embedding_finding(report: EmbeddingReport) -> str:
    """State each model's d, its test, and whether the seeds agree; or why there is no axis."""
    source = source_of(report.label)
    if report.undefined:
        return f"{say('no_axis', report=report)} {source}"
    readings = [_reading(one) for one in report.of(HEADLINE)]
    if not readings:
        return f"{say('no_reading', variant=HEADLINE)} {source}"
    made = say("embedding", report=report, variant=HEADLINE, models=len(report.models))
    return " ".join([made, *readings, source])


def _reading(one: EmbeddingReading) -> str:
    difference = one.difference
    return say(
        "reading",
        one=one,
        names=sum(difference.names),
        effects=[seed.effect for seed in one.seeds if seed.effect is not None],
        towards_women=difference.effect is not None and difference.effect > 0,
    )


def gap_finding(gap: EmbeddingGap) -> str:
    """State the distance between two models' d."""
    return say(
        "gap",
        gap=gap,
        seeds=[seed for seed in gap.seeds if seed is not None],
        told=gap.interval is not None and not includes(gap.interval),
    )


def embedding_findings(result: EmbeddingResult) -> tuple[str, ...]:
    """State each model's result, the distance of each pair, and whether they were asked the same way."""
    report = result.report
    return (
        embedding_finding(report),
        *(gap_finding(gap) for gap in report.gaps_of()),
        *_incomparable(report),
        *([] if result.asked.alike else [say("not_alike")]),
    )


def _incomparable(report: EmbeddingReport) -> list[str]:
    """Name the pairs of which an effect is undefined."""
    compared = {(gap.first, gap.second) for gap in report.gaps_of()}
    return [
        say("incomparable", first=first, second=second)
        for first, second in combinations(report.models, 2)
        if (first, second) not in compared and not report.undefined
    ]


def leak_finding(report: EmbeddingReport, model: str) -> str:
    """State the effect with and without gendered words; "" if one is undefined."""
    by_variant = {one.variant: one.difference.effect for one in report.readings if one.model == model}
    headline, published = by_variant.get(HEADLINE), by_variant.get("all words")
    if headline is None or published is None:
        return ""
    return say("leak", model=model, published=published, headline=headline)
