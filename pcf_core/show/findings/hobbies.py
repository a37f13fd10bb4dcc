"""What the hobbies of students by name show, by labels and by the embedding score: women minus men."""

from __future__ import annotations

from itertools import combinations

from pcf_core.show.findings.sources import reason_of, source_of
from pcf_core.show.wording import sentences
from pcf_core.texts.criteria.records.independence import (
    HEADLINE,
    EmbeddingGap,
    EmbeddingReading,
    EmbeddingReport,
    HobbiesReport,
    Variant,
)
from pcf_core.texts.criteria.records.quantities import FEW_NAMES, USUAL
from pcf_core.texts.criteria.records.runs import EmbeddingResult

MOST_LABELS, MOST_WORDS = 3, 5  # named in a sentence

say = sentences("hobbies")


def hobbies_finding(report: HobbiesReport, model: str) -> str:
    """Say which labels depend on the name's gender, the strongest first, or that none is shown to."""
    differing = sorted(
        (one for one in report.labels if one.difference.differs),
        key=lambda one: -abs(one.difference.effect or 0),
    )
    labels = say(
        "labels",
        report=report,
        model=model,
        names=sum(report.names),
        of=len(report.labels),
        differing=len(differing),
        strongest=differing[:MOST_LABELS],
        more=len(differing) > MOST_LABELS,
    )
    return f"{labels} {source_of(report.label)}"


def information_finding(report: HobbiesReport) -> str:
    """State NMI of label and gender beside its null; why there is none where there is none."""
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
    """Say how many words are used more often of one gender, and the strongest of either."""
    words = report.words
    if words is None:
        return say("no_words", reason=reason_of(report.without))
    women, men = (
        [row.word for row in words.words if row.differs and (row.difference > 0) == of_women][:MOST_WORDS]
        for of_women in (True, False)
    )
    return say("words", words=words, women=women, men=men)


def hobbies_notes(report: HobbiesReport) -> tuple[str, ...]:
    """List what has to be known beside the numbers."""
    found = [say("labeller", report=report)]
    women, men = report.names
    if report.answering == "scored":
        found.append(say("spread_of_names"))
    if min(women, men) < FEW_NAMES:
        found.append(say("few_names", women=women, men=men, enough=FEW_NAMES))
    if any(report.invalid):
        found.append(say("without_words", women=report.invalid[0], men=report.invalid[1]))
    information = report.information
    if information is not None and any(information.unclear):
        found.append(say("without_label", women=information.unclear[0], men=information.unclear[1]))
    if report.left_out:
        found.append(say("names_left_out", names=[entry.name for entry in report.left_out]))
    return tuple(found)


def embedding_finding(report: EmbeddingReport, variant: Variant = HEADLINE) -> str:
    """State d, its test, and whether the seeds agree, for every model; or why there is no axis."""
    source = source_of(report.label)
    if report.undefined:
        return f"{say('no_axis', report=report)} {source}"
    readings = [_reading(one) for one in report.of(variant)]
    if not readings:
        return f"{say('no_reading', variant=variant)} {source}"
    made = say("embedding", report=report, variant=variant, models=len(report.models))
    return " ".join([made, *readings, source])


def _reading(one: EmbeddingReading) -> str:
    found = one.difference
    return say(
        "reading",
        one=one,
        names=sum(found.names),
        effects=[seed.effect for seed in one.seeds if seed.effect is not None],
        towards_women=found.effect is not None and found.effect > 0,
    )


def gap_finding(gap: EmbeddingGap) -> str:
    """Say how far the d of two models lie apart."""
    return say(
        "gap",
        gap=gap,
        seeds=[seed for seed in gap.seeds if seed is not None],
        told=gap.interval is not None and not gap.interval.low <= 0 <= gap.interval.high,
    )


def embedding_findings(result: EmbeddingResult) -> tuple[str, ...]:
    """Say what each of several models shows, how far every two lie apart, and if they were asked alike."""
    report = result.report
    return (
        embedding_finding(report),
        *(gap_finding(gap) for gap in report.gaps_of()),
        *_incomparable(report),
        *([] if result.asked.alike else [say("not_alike")]),
    )


def _incomparable(report: EmbeddingReport) -> list[str]:
    """Name every two models of which an effect is undefined; none where there is no axis."""
    known = {(gap.first, gap.second) for gap in report.gaps_of()}
    return [
        say("incomparable", first=first, second=second)
        for first, second in combinations(report.models, 2)
        if (first, second) not in known and not report.undefined
    ]


def leak_finding(report: EmbeddingReport, model: str) -> str:
    """Say what gendered words bring by themselves: the paper's version and the headline; empty where none."""
    by_variant = {one.variant: one.difference.effect for one in report.readings if one.model == model}
    headline, published = by_variant.get(HEADLINE), by_variant.get("all words")
    if headline is None or published is None:
        return ""
    return say("leak", model=model, published=published, headline=headline)
