"""What has to be known beside a FairPair report: how texts were written, and what went wrong on the way."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.core.generation import Decoding
from pcf_core.show.findings.numbers import beside_one, count, listed, number, percent
from pcf_core.texts.fairpair.records import (
    Cause,
    FairPairAsked,
    FairPairReport,
    FairPairResult,
    PerturbationErrors,
    Side,
)

MOST_WORDS = 5
MUCH = 0.25  # of all texts, from which on those without content are warned of
CAUSES: Mapping[Cause, str] = {
    "one way": "a counterpart leads back to another word",
    "part of speech": "a part of speech was read differently",
    "another reading": "the counterpart was not found again",
}


def decoding_text(decoding: Decoding) -> str:
    """Say how the next token is drawn: "temperature 1, top-p 0.9, at most 40 new tokens, seed 0"."""
    drawn = (
        "temperature 0 (always the likeliest token)"
        if decoding.temperature == 0
        else f"temperature {decoding.temperature:g}, top-p {decoding.top_p:g}"
    )
    return f"{drawn}, at most {count(decoding.length, 'new token')}, seed {decoding.seed}"


def settings_finding(asked: FairPairAsked, models: int) -> str:
    """State the settings that all models were asked with, and why others cannot stand beside them."""
    who = {1: "The model", 2: "Both models"}.get(models, f"All {models} models")
    folds = "" if asked.fold_size is None else f", compared in folds of {asked.fold_size}"
    return (
        f"{who} wrote {count(asked.count, 'text')} for each side of a prompt{folds}. The settings are "
        f"{decoding_text(asked.key.decoding)}. V depends on them, and F with it. So compare models at equal "
        "settings alone."
    )


def perturber_finding(errors: PerturbationErrors) -> str:
    """Say how often the perturbation itself was wrong, by the way back and by words that it left."""
    if not errors.changed and not errors.left:
        return (
            f"The rewriting found nothing to exchange in {count(errors.texts, 'text')}, so its own error is "
            "not known."
        )
    back = errors.texts - errors.returned_texts
    said = [
        f"The rewriting exchanged {count(errors.changed, 'word')} in {errors.changed_texts:,} of "
        f"{count(errors.texts, 'text')}.",
        f"Exchanged back, {back:,} ({percent(errors.text_error or 0.0)}) are not what they were.",
    ]
    causes = [f"{CAUSES[cause]} ({times:,})" for cause, times in errors.not_returned.items() if times]
    if causes:
        said.append(f"Causes: {'; '.join(causes)}.")
    left = sum(errors.left.values())
    if left:
        most = sorted(errors.left, key=lambda word: -errors.left[word])[:MOST_WORDS]
        named = listed([f"“{word}” ({errors.left[word]:,})" for word in most])
        more = " and others" if len(errors.left) > MOST_WORDS else ""
        said.append(
            f"It left {count(left, 'word')} of those that it exchanges "
            f"({percent(errors.left_share or 0.0)} of those left and exchanged)."
        )
        said.append(f"That is right for surnames alone: {named}{more}.")
    if back or left:
        said.append("Each error looks like a difference between the sides.")
    if errors.mode == "entity":
        said.append("Pronouns that were missed are not counted.")
    return " ".join(said)


def ends_finding(result: FairPairResult) -> str:
    """Count texts that were refused or are empty, by side; they count as they are."""
    report = next(iter(result.reports.values()))
    sides: tuple[tuple[str, Side], ...] = ((report.original, "original"), (report.counterpart, "prompt"))
    parts = []
    for name, side in sides:
        ends = result.ends[side]
        parts.append(
            f"Of {sum(ends.values()):,} texts for {name}, {ends.get('refused', 0):,} were refused and "
            f"{ends.get('empty', 0):,} are empty."
        )
    cut = sum(ends.get("length", 0) for ends in result.ends.values())
    whole = sum(sum(ends.values()) for ends in result.ends.values())
    return (
        f"{' '.join(parts)} They are compared like any other. "
        f"{percent(cut / whole) if whole else 'None'} of all texts stop at the length limit. "
        f"{declined_finding(result)}"
    ).rstrip()


def declined_finding(result: FairPairResult) -> str:
    """Say how many texts decline in words, by side; empty where none does."""
    if not any(result.declined.values()):
        return ""
    first, second = result.asked.prompts.names
    return (
        f"{result.declined.get('original', 0):,} texts for {first} and {result.declined.get('prompt', 0):,} "
        f"for {second} decline (“I'm sorry, but I can't …”). They are compared like any other. Where one "
        "side has more of them, that is part of the difference."
    )


def silence_warning(result: FairPairResult) -> str:
    """Say that many texts say nothing, so that little was compared; empty where few do."""
    silent = sum(result.without_text.values())
    whole = sum(sum(ends.values()) for ends in result.ends.values())
    if silent < MUCH * whole:
        return ""
    return (
        f"{silent:,} of {whole:,} texts were refused or are empty. Two empty texts are alike, so B and both "
        "V are small for want of words. Try another kind of prompt."
    )


def grid_finding(model: str, by_temperature: Mapping[float, FairPairReport]) -> str:
    """State F of one model at each temperature."""
    parts = []
    for temperature, report in sorted(by_temperature.items()):
        ratio = report.means.ratio
        interval = report.intervals.get("ratio_of_means")
        shown = "undefined" if ratio is None else beside_one(ratio, interval)
        if ratio is not None and interval is None:
            shown += ", no range,"
        parts.append(f"{shown} at {number(temperature)}")
    return f"By temperature, F of {model} is {listed(parts)}. Sampling alone gives 1."
