"""Notes beside numbers: what was left out or is running, coverage, unequal words."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pcf_core.audit.fitting import (
    UNEQUAL,
    TokenShares,
    are_unequal,
    largest_difference,
    mean_tokens,
    most_and_least,
)
from pcf_core.audit.preferences import seldom_used
from pcf_core.core.families import facts_of
from pcf_core.core.frame import Frame
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Look, RiskReport
from pcf_core.core.run import LOW_COVERAGE, CoverageSummary, Opening, Progress, RunSpec, SelfAudit
from pcf_core.show.findings.numbers import count
from pcf_core.show.wording import sentences

OCCUPATION = "occupation"
NUMERALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MOST_NAMED = 5  # forbidden words
SMALL_CHANGE = 0.01  # of a probability; smaller changes are not in per cent

say = sentences("notes")


def left_out_note(left_out: Sequence[LeftOut]) -> str:
    """Name everything that was not used, by reason."""
    reasons: dict[str, list[str]] = {}
    for item in left_out:
        reasons.setdefault(item.reason, []).append(item.name)
    return " ".join(say("left_out", names=names, reason=reason) for reason, names in reasons.items())


def tokens_note(tokens: Iterable[int]) -> str:
    """Say how many words have how many tokens."""
    sizes = sorted(Counter(tokens).items())
    if not sizes:
        return say("no_word_scored")
    return say("words_scored", words=sum(words for _, words in sizes), sizes=sizes)


def coverage_facts(coverage: CoverageSummary | None) -> dict[str, str]:
    """State the probability of the topic's words together, and the cells in which they are improbable."""
    if coverage is None:
        return {"coverage": say("coverage_undefined")}
    ranges = [say("coverage_range", key=key, found=found) for key, found in coverage.by_tokens.items()]
    return {
        "coverage": say("coverage_ranges", ranges=ranges, coverage=coverage),
        "flagged cells": say("flagged_cells", coverage=coverage),
    }


def given_left() -> str:
    """Say of which words a coverage is if text to their right is scored with them."""
    return say("given_left")


def coverage_given_left(share: float) -> str:
    """Write the coverage of words given the text to their left; NaN if unknown."""
    return say("coverage_given_left", share=None if math.isnan(share) else share)


def low_coverage_note(coverages: Mapping[str, CoverageSummary | None]) -> str:
    """Name models for which the topic's words are too improbable to answer, "" for none."""
    low = [
        say("low_in_cells", model=model, coverage=one)
        for model, one in coverages.items()
        if one is not None and one.is_low
    ]
    return say("low_coverage", found=low, every=len(low) == len(coverages)) if low else ""


def no_answer_note(reports: Mapping[str, RiskReport]) -> str:
    """Name models without an answer, because the topic's words are improbable or forbidden; "" for none."""
    clauses = {model: forbidden_clause(model, report) for model, report in reports.items()}
    clauses = {model: clause for model, clause in clauses.items() if clause}
    low = {model: report.coverage for model, report in reports.items() if model not in clauses}
    several = list(clauses.values())
    forbidden = say("forbidden", found=several, every=len(clauses) == len(reports)) if clauses else ""
    return " ".join(filter(None, [forbidden, low_coverage_note(low)]))


def forbidden_clause(model: str, report: RiskReport) -> str:
    """Say in how many sentences a model forbids which words, "" if not in too many."""
    words = report.forbidden
    if words is None or not words.too_many:
        return ""
    return say("forbidden_in_cells", model=model, forbidden=words, more=len(words.words) - MOST_NAMED)


def warning_text(sentence: str, coverage: CoverageSummary | None) -> str:
    """Return a warning of a result as a page writes it, with chances as odds and the sentence quoted.

    The warning may begin with the name of the model.
    """
    if coverage is None or not coverage.listed:
        return sentence
    whose, matched, _ = sentence.partition(seldom_used(coverage))
    if not matched:
        return sentence
    lowest = coverage.listed[0]
    prompt = lowest.template.replace("[X]", lowest.occupation).replace("[Y]", "…").rstrip(".")
    return say("flagged_warning", whose=whose, coverage=coverage, prompt=prompt, lowest=lowest.coverage)


def words_with(key: str) -> str:
    """Say by its key which words a coverage is of, "" for all words."""
    which = say("words_with", key=key)
    return which and f"{which} "


def coverage_note(
    shares: Mapping[str, float] | None, *, right_text: bool = True, left_only: bool = False
) -> str:
    """State the coverage of a cell by number of tokens or ``all``, and whether it is low.

    Without ``shares`` there is no coverage because of ``right_text``, or because no space precedes the gap.
    """
    if shares is None:
        return say("right_text_scored") if right_text else say("no_space_before")
    sentence = coverage_sentence(shares, left_only=left_only)
    if max(shares.values()) >= LOW_COVERAGE:
        return sentence
    return f"{sentence} {say('low_in_cell', limit=LOW_COVERAGE)}"


def coverage_sentence(shares: Mapping[str, float | None], *, left_only: bool = False) -> str:
    """State the coverage by number of tokens or ``all``; ``left_only``: given only the text to the left."""
    return say("coverage", shares=shares, left_only=left_only)


def self_audit_facts(audit: SelfAudit | None) -> dict[str, str]:
    """Return what a scorer found about itself, by name."""
    if audit is None:
        return {"self-audit": say("no_self_audit")}
    facts = {say("trait", name=name): sentence for name, sentence in audit.traits.items()}
    facts["tokens per word"] = tokens_note(audit.tokens.values())
    facts["words left out"] = left_out_note(audit.left_out) or say("nothing_left_out")
    facts["noise floor"] = noise_note(audit)
    return facts


def frame_note(model: str, frame: Frame) -> str:
    """Show the text before every sentence in a chat, and which parts of it the template adds by itself."""
    return say("frame", model=model, frame=frame, text=repr(frame.text))


def opening_facts(opening: Opening) -> dict[str, str]:
    """Return what bare texts begin with, by name, if that is not what the tokenizer puts there."""
    return {} if opening is None else {"texts begin with": say("opening", tokens=opening)}


def text_frame_note(model: str, frame: Frame, *, begins: bool) -> str:
    """Show the chat around every prompt of texts; ``begins``: the answer begins with the prompt."""
    return say("text_frame", model=model, frame=frame, text=repr(frame.text), begins=begins)


def noun_note(run: RunSpec) -> str:
    """Explain *occupation* if the list for [X] has another noun, else return ""."""
    if run.evidence.noun == OCCUPATION:
        return ""
    return say("noun", evidence=run.evidence, topic=run.topic)


def other_lists_note(
    run: RunSpec, stored: RunSpec, where: Literal["page", "score", "report", "pack"] = "page"
) -> str:
    """Say that a run has other counts or weights than the ``stored`` one under its key, else return ""."""
    differing = run.differing(stored)
    parts = []
    for name, what in differing.items():
        own, theirs = getattr(run, name).name, getattr(stored, name).name
        parts.append(say("other_list", what=what, own=own, theirs=theirs, same=own == theirs))
    options = [f"--{name} {shlex.quote(getattr(run, name).name)}" for name in differing if name != "topic"]
    command = " ".join(["risk", run.key, *options]) if options else ""
    return say("other_lists", key=run.key, parts=parts, command=command, where=where) if parts else ""


def noise_note(audit: SelfAudit) -> str:
    """Say how far scores change when they are repeated one at a time."""
    if audit.noise_floor is None:
        return audit.note or say("noise_not_measured")
    change = math.expm1(audit.noise_floor)  # of a probability; nats are those of its logarithm
    return say(
        "noise",
        change=change,
        small=0 < change < SMALL_CHANGE,
        scores=audit.noise_scores,
        cells=audit.noise_cells,
        dtype=audit.noise_dtype,
    )


def tokens_clause(by_model: Mapping[str, TokenShares | None]) -> str:
    """Say whose words have more tokens, in the model in which groups differ most; "" if in none."""
    model = most_unequal(by_model)
    if not model:
        return ""
    shares = by_model[model] or {}
    means, (most, least) = mean_tokens(shares), most_and_least(shares)
    return say(
        "tokens_clause",
        most=most,
        most_tokens=means[most],
        model=model if len(by_model) > 1 else "",
        least=least,
        least_tokens=means[least],
    )


def most_unequal(by_model: Mapping[str, TokenShares | None]) -> str:
    """Return the model in which the groups' numbers of tokens differ most, "" for none."""
    unequal = {
        model: shares for model, shares in by_model.items() if shares is not None and are_unequal(shares)
    }
    return max(unequal, key=lambda one: largest_difference(unequal[one]), default="")


def tokens_sentence(by_model: Mapping[str, TokenShares | None], families: Mapping[str, str]) -> str:
    """Say whose words have more tokens, and what follows; ``families``: by model."""
    model = most_unequal(by_model)
    if not model:
        return ""
    by_masks = facts_of(families[model]).by_tokens
    return say("unequal_tokens", clause=tokens_clause(by_model), by_masks=by_masks)


def longer_words_note(last: Mapping[str, str], by_model: Mapping[str, TokenShares | None]) -> str:
    """Warn of groups that come ``last`` and have longer words than others; "" without any."""
    models: dict[tuple[str, str], list[str]] = {}
    for model, group in last.items():
        shares = by_model.get(model)
        if not group or shares is None:
            continue
        means, shortest = mean_tokens(shares), most_and_least(shares)[1]
        if means[group] - means[shortest] > UNEQUAL:
            models.setdefault((group, shortest), []).append(model)
    return " ".join(
        say("longer_words", group=group, shortest=shortest, models=names, every=len(names) == len(last))
        for (group, shortest), names in models.items()
    )


def unequal_note(tokens: str, sizes: str) -> str:
    """Join :func:`tokens_clause` and :func:`sizes_clause` to a sentence, "" if both are empty."""
    clauses = list(filter(None, (tokens, sizes)))
    return say("unequal", clauses=clauses, longer=bool(tokens)) if clauses else ""


def none_equal_note() -> str:
    """Say that there are too few words of equal numbers of tokens."""
    return say("none_equal")


def sizes_clause(sizes: Mapping[str, int]) -> str:
    """Say which group has the most and which the fewest words that are summed; "" if all are equal."""
    most, least = (choose(sizes, key=lambda group: sizes[group]) for choose in (max, min))
    if sizes[most] == sizes[least]:
        return ""
    return say("sizes_clause", most=most, most_words=sizes[most], least=least, least_words=sizes[least])


def progress_note(at: Progress) -> str:
    """Say what a run is doing, how far it is, how fast, and the time left."""
    left = "" if at.seconds_left is None else duration(at.seconds_left)
    return say("progress", at=at, done=at.done + at.unsaved, left=left)


def duration(seconds: float) -> str:
    """Write a time in seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def look_finding(look: Look) -> str:
    """State R with its interval after so many draws, its parts, and the distance to the goal."""
    return say("look", look=look)


def contexts(templates: int, look: Look | None) -> str:
    """Count the sentences: "19 sentences", "212 of 2,000 sentences in 400 random draws"."""
    if look is None or look.whole:
        return count(templates, "sentence")
    return say("draws", look=look)


def sentences_of(templates: int, title: str, look: Look | None = None) -> str:
    """Count the sentences and name their set, "12 sentences of “Mine”", without repeating the number."""
    number, _, rest = title.partition(" ")
    whole = look.available if look else templates
    alike = number in (f"{whole:,}", str(whole)) or number.casefold() in NUMERALS[whole - 1 : whole]
    counted = contexts(templates, look)
    return say("of_set", sentences=counted, templates=templates, title=title, rest=rest if alike else "")


def unequal_weights(report: RiskReport) -> str:
    """Say that a few sentences have most of the weight, after their count; "" if not."""
    few = report.effective_by_weight < len(report.templates) / 2
    return say("few_weigh_most") if few else ""


def weights_help(effective: str) -> str:
    """Explain that a few sentences have most of the weight; ``effective``: as text."""
    return say("weights", effective=effective)
