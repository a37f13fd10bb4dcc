"""What has to be said beside a number: what was left out, how much is covered, how far scores hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pcf_core.core.records import LeftOut
from pcf_core.core.run import LOW_COVERAGE, CoverageSummary, RunSpec, SelfAudit
from pcf_core.show.findings.numbers import count, listed, number

OCCUPATION = "occupation"
TRAITS = {"space": "leading space", "opening": "opening (BOS policy)"}  # names of traits as people read them


def left_out_note(left_out: Sequence[LeftOut]) -> str:
    """Name everything that was not used, by reason; empty where nothing was left out."""
    reasons: dict[str, list[str]] = {}
    for item in left_out:
        reasons.setdefault(item.reason, []).append(item.name)
    return " ".join(f"Left out: {listed(names)} ({reason})." for reason, names in reasons.items())


def tokens_note(tokens: Iterable[int]) -> str:
    """Say how many words have how many tokens."""
    sizes = sorted(Counter(tokens).items())
    if not sizes:
        return "No word is scored."
    parts = ", ".join(f"{words:,} of {count(size, 'token')}" for size, words in sizes)
    return f"{count(sum(words for _, words in sizes), 'word is', 'words are')} scored: {parts}."


def coverage_facts(coverage: CoverageSummary | None) -> dict[str, str]:
    """State how much probability the topic's words get, and the cells in which it is next to none."""
    if coverage is None:
        return {"coverage": "not defined for these templates"}
    ranges = [
        f"{words_of(key)}median {number(found.median)}, lowest {number(found.lowest)}"
        for key, found in coverage.by_tokens.items()
    ]
    return {
        "coverage": "; ".join(ranges),
        "flagged cells": f"{coverage.flagged:,} of {coverage.cells:,}, with a coverage under "
        f"{number(coverage.limit)}",
    }


def low_coverage_note(found: Mapping[str, CoverageSummary | None]) -> str:
    """Name models that hardly expect the topic's words in over half of their cells; empty for none.

    Parameters
    ----------
    found
        Per model its coverage, ``None`` where that is not defined.
    """
    low = [(model, one) for model, one in found.items() if one is not None and 2 * one.flagged > one.cells]
    if not low:
        return ""
    parts = [f"{model} in {one.flagged:,} of {count(one.cells, 'cell')}" for model, one in low]
    few = f"less than {number(low[0][1].limit)} of the probability"
    return (
        f"These words are hardly expected here: all of them together get {few} by {listed(parts)}, so that "
        f"the figures of {'this model say' if len(low) == 1 else 'these models say'} little."
    )


def words_of(key: str) -> str:
    """Say which words a coverage is of, by its key; nothing where it is all of them."""
    return "" if key == "all" else f"words of {count(int(key), 'token')}: "


def coverage_note(shares: Mapping[str, float] | None, *, right_text: bool = True) -> str:
    """Say how much of the probability the topic's words get in a cell, per number of tokens or ``all``.

    ``right_text`` says why there is none: text that is scored with the word, or else no space before it.
    """
    if shares is None and not right_text:
        return "Coverage is not given: tokens are counted behind a space, and none stands before the word."
    if shares is None:
        return "Coverage is not defined: the text right of the word is scored with it."
    parts = ", ".join(f"{words_of(key)}{number(share)}" for key, share in shares.items())
    flag = (
        f" It is under {number(LOW_COVERAGE)}: the cell is flagged, its preferences say little."
        if max(shares.values()) < LOW_COVERAGE
        else ""
    )
    return f"Coverage, what the topic's words together take of the probability here: {parts}.{flag}"


def self_audit_facts(found: SelfAudit | None) -> dict[str, str]:
    """Return what a scorer found out about itself, a name and a sentence each."""
    if found is None:
        return {"self-audit": "none: nothing was scored for this run itself, or by an earlier version"}
    facts = {TRAITS.get(name, name): sentence for name, sentence in found.traits.items()}
    facts["tokens per word"] = tokens_note(found.tokens.values())
    facts["words left out"] = left_out_note(found.left_out) or "none"
    facts["noise floor"] = noise_note(found)
    return facts


def noun_note(run: RunSpec) -> str:
    """Say what to read for *occupation* where the list for [X] has none; empty where it has."""
    evidence = run.evidence
    if evidence.noun == OCCUPATION:
        return ""
    return (
        f"What fills [X] here is “{evidence.title}”: where this page says occupation, read {evidence.noun}, "
        f"such as “{evidence.terms[0]}”. The groups are those of “{run.topic.title}”."
    )


def noise_note(found: SelfAudit) -> str:
    """Say how far scores move when they are made again, one at a time."""
    if found.noise_floor is None:
        return found.note or "not measured"
    cells = "" if found.noise_cells is None else f" in {count(found.noise_cells, 'cell')}"
    return (
        f"The scores and the same ones made again alone differ by at most {number(found.noise_floor)} nats "
        f"({count(found.noise_scores, 'score')}{cells}, {found.noise_dtype})."
    )
