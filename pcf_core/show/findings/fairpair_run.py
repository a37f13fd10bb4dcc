"""What has to be known beside a FairPair report: how texts were written, and what went wrong on the way."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.core.generation import Decoding
from pcf_core.show.wording import sentences
from pcf_core.texts.fairpair.records import (
    FairPairAsked,
    FairPairReport,
    FairPairResult,
    PerturbationErrors,
    Side,
)

MOST_WORDS = 5
MUCH = 0.25  # of all texts, from which on those without content are warned of

say = sentences("fairpair_run")


def decoding_text(decoding: Decoding) -> str:
    """Say how the next token is drawn: "temperature 1, top-p 0.9, at most 40 new tokens, seed 0"."""
    return say("decoding", decoding=decoding)


def settings_finding(asked: FairPairAsked, models: int) -> str:
    """State the settings that all models were asked with, and why others cannot stand beside them."""
    return say("settings", asked=asked, models=models)


def perturber_finding(errors: PerturbationErrors) -> str:
    """Say how often the perturbation itself was wrong, by the way back and by words that it left."""
    if not errors.changed and not errors.left:
        return say("nothing_exchanged", texts=errors.texts)
    back, left = errors.texts - errors.returned_texts, sum(errors.left.values())
    said = [say("exchanged", errors=errors, back=back)]
    causes = [say("cause", cause=cause, times=times) for cause, times in errors.not_returned.items() if times]
    if causes:
        said.append(say("causes", causes=causes))
    if left:
        most = sorted(errors.left, key=lambda word: -errors.left[word])[:MOST_WORDS]
        named = [say("left_word", word=word, times=errors.left[word]) for word in most]
        others = len(errors.left) > MOST_WORDS
        said.append(say("left", words=left, share=errors.left_share, named=named, others=others))
    if back or left:
        said.append(say("errors_count"))
    if errors.mode == "entity":
        said.append(say("pronouns_uncounted"))
    return " ".join(said)


def ends_finding(result: FairPairResult) -> str:
    """Count texts that were refused or are empty, by side; they count as they are."""
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
    """Say how many texts decline in words, by side; empty where none does."""
    if not any(result.declined.values()):
        return ""
    original, prompt = result.declined.get("original", 0), result.declined.get("prompt", 0)
    return say("declined", original=original, prompt=prompt, names=result.asked.prompts.names)


def silence_warning(result: FairPairResult) -> str:
    """Say that many texts say nothing, so that little was compared; empty where few do."""
    silent, whole = sum(result.without_text.values()), _texts(result)
    return "" if silent < MUCH * whole else say("silence", silent=silent, texts=whole)


def _texts(result: FairPairResult) -> int:
    """Count the texts of both sides."""
    return sum(sum(ends.values()) for ends in result.ends.values())


def grid_finding(model: str, by_temperature: Mapping[float, FairPairReport]) -> str:
    """State F of one model at each temperature."""
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
