"""FairPair's results in sentences, how texts were written, and whose reconstruction it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pcf_core.core.generation import Decoding
from pcf_core.core.risk import SIGNIFICANCE, Interval
from pcf_core.show.findings.numbers import includes
from pcf_core.show.findings.provenance import source_of
from pcf_core.show.wording import sentences
from pcf_core.texts.fairpair.records import (
    FEW_FACTS,
    LABEL,
    NOTHING,
    CategoryDifference,
    Convergence,
    FairPairAsked,
    FairPairReport,
    FairPairResult,
    PerturbationErrors,
    PromptDifference,
    Side,
    WordReport,
)

MOST_NAMED = 5
HARDLY = 0.01  # distance of F from 1 below which texts hardly differ
STEADY = 0.01  # of its last value, within which a curve is settled

say = sentences("fairpair")


def fairpair_answer(report: FairPairReport) -> str:
    """Say whether a model writes differently about one side, also without exchanged words."""
    ratio = report.means.ratio
    return say(
        "answer",
        report=report,
        too_few=report.least_p is not None and report.least_p > SIGNIFICANCE,
        slightly=ratio is not None and abs(ratio - 1) < HARDLY,
        apart=side_of_one(report.intervals.get("ratio_of_means")),
    )


def fairpair_title(reports: Mapping[str, FairPairReport]) -> str:
    """Say for a title that a single model writes differently, not only by exchanged words."""
    report, *more = reports.values()
    ratio, others = report.means.ratio, report.others
    exchanged = others is not None and others.p_value is not None and not others.differs
    if more or exchanged or not report.differs or ratio is None:
        return ""
    return say("title", report=report, slightly=abs(ratio - 1) < HARDLY)


def fairpair_finding(report: FairPairReport) -> str:
    """State F with and without exchanged words, what sampling alone gives, and the verdict."""
    sizes = [row.samples for row in report.prompts]
    means = say(
        "means",
        report=report,
        prompts=len(report.prompts),
        statements=report.facts if _shared(report) else 0,
        fewest=min(sizes),
        most=max(sizes),
    )
    return f"{means} {_verdict(report)} {source_of(LABEL)}"


def _verdict(report: FairPairReport) -> str:
    if report.p_value is None or report.least_p is None:
        return _nothing_sampled(report)
    if report.least_p > SIGNIFICANCE:
        return say("too_few_texts", report=report)
    ratio, interval = report.means.ratio, report.intervals.get("ratio_of_means")
    return say(
        "verdict",
        report=report,
        beyond=None if ratio is None or ratio <= 1 else ratio - 1,
        apart=side_of_one(interval),
    )


def side_of_one(interval: Interval | None) -> Literal["below", "above", ""]:
    """Return on which side of 1 the whole range of F lies, "" if it includes 1."""
    if interval is None or includes(interval, 1):
        return ""
    return "below" if interval.high < 1 else "above"


def _nothing_sampled(report: FairPairReport) -> str:
    apart = sum(row.between > NOTHING for row in report.prompts)
    return say("nothing_sampled", report=report, apart=apart, prompts=len(report.prompts))


def _shared(report: FairPairReport) -> bool:
    """Return whether intervals are over statements, because several prompts make the same one."""
    return report.facts < len(report.prompts)


def bars_finding(report: FairPairReport) -> str:
    """State B, both V, and E."""
    return say("bars", report=report, prompts=len(report.prompts))


def mean_ratio_note(report: FairPairReport) -> str:
    """State the mean of the prompts' F beside that of random labels, if defined."""
    if report.mean_ratio is None:
        return ""
    return say("mean_ratio", report=report, defined=len(report.prompts) - len(report.undefined))


def prompts_finding(report: FairPairReport) -> str:
    """Say for how many prompts the sides differ, and for which most."""
    if not report.sampled:
        return _nothing_sampled(report)
    ranked = sorted((row for row in report.prompts if row.differs), key=lambda row: -row.energy)
    return say(
        "prompts",
        differing=len(ranked),
        of=len(report.prompts),
        level=SIGNIFICANCE,
        widest=ranked[:MOST_NAMED],
    )


def prompt_finding(row: PromptDifference) -> str:
    """Describe one prompt: B, both V, F or why it is undefined, and its test."""
    return say("prompt", row=row)


def drawn_units(report: FairPairReport) -> str:
    """Say what intervals of F resample."""
    return say("drawn_units", shared=_shared(report))


def few_note(report: FairPairReport) -> str:
    """Say that few statements make intervals rough or impossible; "" if there are enough."""
    if report.facts == 1:
        return say("single_unit", shared=_shared(report))
    if report.facts < FEW_FACTS:
        return say("few_units", shared=_shared(report), facts=report.facts, enough=FEW_FACTS)
    return ""


def notes(report: FairPairReport) -> tuple[str, ...]:
    """List caveats: few or repeated prompts, undefined F, empty texts, the other test, exchanged words."""
    several, shared = [], _shared(report)
    if shared:
        several.append(say("shared_statements", prompts=len(report.prompts), statements=report.facts))
    if few := few_note(report):
        several.append(few)
    reasons: dict[str, list[str]] = {}
    for item in report.undefined:
        reasons.setdefault(item.reason, []).append(item.name)
    several += [say("without_ratio", names=names, reason=reason) for reason, names in reasons.items()]
    empty = sum(row.empty_original for row in report.prompts), sum(row.empty_prompt for row in report.prompts)
    if any(empty):
        several.append(say("without_words", report=report, original=empty[0], prompt=empty[1]))
    if report.wilcoxon_p is not None:
        several.append(say("wilcoxon", facts=report.facts, shared=shared, p=report.wilcoxon_p))
    several.append(say("rewritten", report=report))
    if report.mode == "whole":
        several.append(say("whole_mode"))
    return tuple(several)


def sentiment_finding(report: FairPairReport) -> str:
    """Say which side is more positive, if one is."""
    return say("sentiment", report=report)


def convergence_finding(convergence: Convergence) -> str:
    """Say from how many texts on B is close to its last value, and what folds of five give."""
    last, settled = convergence.samples.between[-1], 1
    for index, value in zip(convergence.samples.places, convergence.samples.between, strict=True):
        if abs(value - last) > STEADY * last:
            settled = index + 1
    return say("convergence", found=convergence, steady=settled, within=STEADY)


def words_finding(report: WordReport) -> str:
    """Name the phrases that either side has more often; count those that the exchange may have caused."""
    parts = []
    for side, name in (("prompt", report.counterpart), ("original", report.original)):
        rows = [row for row in report.words if row.differs and row.more_in == side][:MOST_NAMED]
        phrases = [
            say("phrase", words=row.words, here=row.prompt, there=row.original)
            if side == "prompt"
            else say("phrase", words=row.words, here=row.original, there=row.prompt)
            for row in rows
        ]
        if phrases:
            parts.append(say("more_often", name=name, phrases=phrases))
    strongest = say("phrases", report=report, level=SIGNIFICANCE, sides=" ".join(parts))
    return f"{strongest} {say('compared_texts', report=report)} {source_of(LABEL)}"


def categories_finding(report: WordReport) -> str:
    """Name the categories of words that either side has more often."""
    if not report.sampled:
        shares = [
            say("category", title=row.title, prompt=prompt, original=original)
            for row, prompt, original in _shares(report)
        ]
        return say("no_category_tested", report=report, shares=shares)
    parts = []
    for row, prompt, original in _shares(report):
        if row.differs:
            sides = [(prompt, report.counterpart), (original, report.original)]
            (more, name), (fewer, other) = sides if prompt > original else reversed(sides)
            parts.append(
                say(
                    "more_of_category",
                    name=name,
                    other=other,
                    title=row.title,
                    more=more,
                    fewer=fewer,
                    p=row.adjusted,
                )
            )
    if not parts:
        return say("no_category", of=len(report.categories))
    return " ".join([*parts, say("categories_tested", of=len(report.categories))])


def _shares(report: WordReport) -> list[tuple[CategoryDifference, float, float]]:
    """Return each category with its share of texts, the prompt's side first."""
    return [
        (row, row.prompt / report.prompt_texts, row.original / report.original_texts)
        for row in report.categories
    ]


MOST_WORDS = 5
MUCH = 0.25  # share of texts without content from which on a warning is shown


def decoding_text(decoding: Decoding) -> str:
    """Write the decoding: "temperature 1, top-p 0.9, at most 40 new tokens, seed 0"."""
    return say("decoding", decoding=decoding)


def settings_finding(request: FairPairAsked, models: int) -> str:
    """State the settings of all models, and why others cannot be compared."""
    return say("settings", asked=request, models=models)


def perturber_finding(errors: PerturbationErrors) -> str:
    """Say how often the perturbation was wrong: not reversible, or words that it missed."""
    if not errors.changed and not errors.left:
        return say("nothing_exchanged", texts=errors.texts)
    back, left = errors.texts - errors.returned_texts, sum(errors.left.values())
    parts = [say("exchanged_back", errors=errors, back=back)]
    causes = [say("cause", cause=cause, times=times) for cause, times in errors.not_returned.items() if times]
    if causes:
        parts.append(say("causes", causes=causes))
    if left:
        most = sorted(errors.left, key=lambda word: -errors.left[word])[:MOST_WORDS]
        named = [say("left_word", word=word, times=errors.left[word]) for word in most]
        others = len(errors.left) > MOST_WORDS
        parts.append(say("left", words=left, share=errors.left_share, named=named, others=others))
    if back or left:
        parts.append(say("errors_count"))
    if errors.mode == "entity":
        parts.append(say("pronouns_uncounted"))
    return " ".join(parts)


def ends_finding(result: FairPairResult) -> str:
    """Count texts that were refused or are empty, by side."""
    report = next(iter(result.reports.values()))
    sides: tuple[tuple[str, Side], ...] = ((report.original, "original"), (report.counterpart, "prompt"))
    parts = []
    for name, side in sides:
        ends = result.ends[side]
        refused, empty = ends.get("refused", 0), ends.get("empty", 0)
        parts.append(say("ends_of", name=name, texts=sum(ends.values()), refused=refused, empty=empty))
    cut = sum(ends.get("length", 0) for ends in result.ends.values())
    whole = _texts(result)
    parts += [say("compared_alike", cut=cut / whole if whole else None), declined_finding(result)]
    return " ".join(filter(None, parts))


def declined_finding(result: FairPairResult) -> str:
    """Count the texts that decline in words, by side; "" if none does."""
    if not any(result.declined.values()):
        return ""
    original, prompt = result.declined.get("original", 0), result.declined.get("prompt", 0)
    return say("declined", original=original, prompt=prompt, names=result.asked.prompts.names)


def silence_warning(result: FairPairResult) -> str:
    """Say that many texts have no content; "" if few."""
    silent, whole = sum(result.without_text.values()), _texts(result)
    return "" if silent < MUCH * whole else say("silence", silent=silent, texts=whole)


def _texts(result: FairPairResult) -> int:
    return sum(sum(ends.values()) for ends in result.ends.values())


def grid_finding(model: str, by_temperature: Mapping[float, FairPairReport]) -> str:
    """State a model's F at each temperature."""
    ratios = [
        say(
            "ratio_at",
            temperature=temperature,
            ratio=report.means.ratio,
            interval=report.intervals.get("ratio_of_means"),
        )
        for temperature, report in sorted(by_temperature.items())
    ]
    return say("grid", model=model, ratios=ratios)
