"""What has to be said beside a number: what was left out, how much is covered, whose words are unequal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pcf_core.audit.token_shares import (
    TokenShares,
    are_unequal,
    largest_difference,
    mean_tokens,
    most_and_least,
)
from pcf_core.core.families import facts_of
from pcf_core.core.records import LeftOut
from pcf_core.core.run import LOW_COVERAGE, CoverageSummary, RunSpec, SelfAudit
from pcf_core.show.findings.numbers import begun, chance, count, listed, odds, percent, words_of

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
        f"{words_with(key)}median {chance(found.median)}, lowest {chance(found.lowest)}"
        for key, found in coverage.by_tokens.items()
    ]
    return {
        "coverage": "; ".join(ranges),
        "flagged cells": f"{coverage.flagged:,} of {coverage.cells:,}, with a coverage under "
        f"{odds(coverage.limit)}",
    }


def low_coverage_note(found: Mapping[str, CoverageSummary | None]) -> str:
    """Name models that hardly expect the topic's words in too many cells to answer; empty for none.

    Parameters
    ----------
    found
        Per model its coverage, ``None`` where that is not defined.
    """
    low = [
        f"{model} in {one.flagged:,} of {count(one.cells, 'cell')}"
        for model, one in found.items()
        if one is not None and one.is_low
    ]
    if not low:
        return ""
    return (
        f"These words are hardly expected, which makes figures say little: by {listed(low)}. Choose other "
        "words or sentences."
    )


def warning_text(sentence: str, coverage: CoverageSummary | None) -> str:
    """Return a warning that was kept with a result as a person reads it.

    That of flagged cells is written anew from the coverage: what is kept has a bare number and a template's
    marks in it, and the bytes of kept results do not change.
    """
    if coverage is None or not coverage.listed:
        return sentence
    kept = f"In {coverage.flagged:,} of {coverage.cells:,} cells the topic's words together get less than"
    whose, found, _ = sentence.partition(kept)
    if not found:
        return sentence
    lowest = coverage.listed[0]
    prompt = lowest.template.replace("[X]", lowest.occupation).replace("[Y]", "…").rstrip(".")
    least = odds(lowest.coverage) if lowest.coverage > 0 else "none at all"
    return (
        f"{whose}In {coverage.flagged:,} of {count(coverage.cells, 'cell')} the topic's words together get "
        f"less than {odds(coverage.limit)} of the probability, so preferences there say little. The "
        f"lowest is in “{prompt}”: {least}."
    )


def words_with(key: str) -> str:
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
    parts = ", ".join(f"{words_with(key)}{chance(share)}" for key, share in shares.items())
    flag = (
        f" It is below {odds(LOW_COVERAGE)}, so the preferences in this cell say little."
        if max(shares.values()) < LOW_COVERAGE
        else ""
    )
    return f"Coverage is the probability that the topic's words have together here: {parts}.{flag}"


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
        f"“{evidence.title}” fills [X]. Where this page says occupation, read {evidence.noun}, such as "
        f"“{evidence.terms[0]}”. The groups are those of “{run.topic.title}”."
    )


def noise_note(found: SelfAudit) -> str:
    """Say how far scores move when they are made again, one at a time."""
    if found.noise_floor is None:
        return found.note or "not measured"
    cells = "" if found.noise_cells is None else f" in {count(found.noise_cells, 'cell')}"
    change = math.expm1(found.noise_floor)  # of a probability; nats are those of its logarithm
    most = f"1 part in {odds(change).removeprefix('1 in ')}" if 0 < change < 0.01 else percent(change)
    moved = f"no probability changes by more than {most}" if change else "every score is the same"
    return (
        f"Scored again one at a time, {moved} "
        f"({count(found.noise_scores, 'score')}{cells}, {found.noise_dtype})."
    )


def tokens_clause(found: Mapping[str, TokenShares | None]) -> str:
    """Say whose words have more tokens in the model in which groups differ most; empty where they do not.

    ``found``: by model, in how many tokens each group's probability lies.
    """
    model = most_unequal(found)
    if not model:
        return ""
    shares = found[model] or {}
    means, (most, least) = mean_tokens(shares), most_and_least(shares)
    whose = f" in {model}" if len(found) > 1 else ""
    return f"{words_of(most)} have {tokens(means[most])}{whose}, {words_of(least)} {means[least]:.1f}"


def most_unequal(found: Mapping[str, TokenShares | None]) -> str:
    """Return the model in which groups differ most in their tokens; empty where they differ in none."""
    unequal = {model: shares for model, shares in found.items() if shares is not None and are_unequal(shares)}
    return max(unequal, key=lambda one: largest_difference(unequal[one]), default="")


def tokens_sentence(found: Mapping[str, TokenShares | None], families: Mapping[str, str]) -> str:
    """Say whose words have more tokens, as :func:`tokens_clause`, and what follows; empty where none have.

    ``families``: the family of each model.
    """
    model = most_unequal(found)
    if not model:
        return ""
    why = "Longer words are less likely for that alone."
    if facts_of(families[model]).by_tokens:
        why = "Scored under as many masks, their probabilities are no parts of one whole."
    return f"{begun(tokens_clause(found))}. {why}"


def unequal_note(tokens: str, sizes: str, ways: Sequence[str], *, none_left: bool = False) -> str:
    """Say in one sentence what is unequal about the words that count, and what to read instead.

    Parameters
    ----------
    tokens, sizes
        The clauses of :func:`tokens_clause` and :func:`sizes_clause`, of which one may be empty.
    ways
        What would make them equal, such as "words of one token".
    none_left
        Whether words of equal tokens would help, and some group has none.
    """
    parts = [", ".join(filter(None, (tokens, sizes)))]
    parts.append(f": read {listed(ways, 'or')}" if ways else ", so the groups are not measured alike")
    parts.append("; no words of equal tokens are left for every group" if none_left else "")
    return f"{begun(''.join(parts))}."


def tokens(mean: float) -> str:
    """Write a mean number of tokens."""
    return f"{mean:.1f} token{'' if f'{mean:.1f}' == '1.0' else 's'}"


def sizes_clause(sizes: Mapping[str, int]) -> str:
    """Say which group has the most words that are added up, and which the fewest; empty where all alike."""
    most, least = (choose(sizes, key=lambda group: sizes[group]) for choose in (max, min))
    if sizes[most] == sizes[least]:
        return ""
    return f"“{most}” has {count(sizes[most], 'word')}, “{least}” {sizes[least]}"
