"""What makes the numbers of a knowledge report say less than they seem to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcf_core.audit.words import BY_TOKENS, SEES_RIGHT, coverage_of
from pcf_core.records import LOW_COVERAGE, FloatArray, TokenTable
from pcf_core.records.knowledge import Fact, KnowledgeSet

FEW = 8  # templates or facts below which a report warns


def knowledge_warnings(
    asked: KnowledgeSet,
    facts: Sequence[Fact],
    words: Sequence[str],
    nats: FloatArray,
    table: TokenTable,
    family: str,
) -> tuple[str, ...]:
    """What makes the numbers say less than they seem to, a sentence each."""
    weighty = sum(fact.weight > 0 for fact in facts)
    warnings = [
        f"It rests on {number} {noun}{'' if number == 1 else 's'}, fewer than {FEW}: what it says need not "
        "hold for others."
        for number, noun in ((len(asked.templates), "template"), (weighty, "fact"))
        if number < FEW
    ]
    uneven = sum(len({table.tokens[word] for word in fact.answers}) > 1 for fact in facts)
    if family in BY_TOKENS and uneven:
        warnings.append(
            f"The answers of {uneven:,} of {len(facts):,} facts differ in their number of tokens, and scores "
            f"of a {family} model are conditional on that number: the protocol single-token compares words "
            "of one."
        )
    low = 0
    row_of = {fact.subject: row for row, fact in enumerate(asked.facts)}
    column_of = {word: column for column, word in enumerate(words)}
    ends = [family in SEES_RIGHT or not text.partition("[Y]")[2].strip() for text in asked.templates]
    for fact in facts:
        cells = nats[row_of[fact.subject]][ends][:, [column_of[word] for word in fact.answers]]
        coverage = coverage_of(cells, [table.tokens[word] for word in fact.answers], family, right_text=False)
        assert coverage is not None  # no text right of [Y] is scored with the word in any of these
        low += int((np.max(list(coverage.values()), axis=0) < LOW_COVERAGE).sum())
    if low:
        warnings.append(
            f"In {low:,} of {len(facts) * sum(ends):,} prompts the answers of the fact together get less "
            f"than {LOW_COVERAGE:g} of the probability: the model hardly expects any of them."
        )
    return tuple(warnings)
