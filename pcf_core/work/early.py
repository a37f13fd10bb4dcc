"""Early results of a run: the order of scoring, and the preferences of a sentence scored just now."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.preferences import coverage_at, preferences_of
from pcf_core.audit.slots import Slot
from pcf_core.core.run import LOW_COVERAGE, RunSpec, ScoredSentence, TokenTable
from pcf_core.work.blocks import Block, ScoredBlock

GOLDEN = 0.6180339887498949  # fractions of its multiples are evenly spread, however many


def spread_ranks(count: int) -> NDArray[np.intp]:
    """Return the rank of each list entry: 0 for the first, and the lowest ranks spread evenly."""
    ranks = np.empty(count, dtype=np.intp)
    ranks[np.argsort(np.arange(count) * GOLDEN % 1.0, kind="stable")] = np.arange(count)
    return ranks


def last_sentence(
    run: RunSpec, block: Block, scored: ScoredBlock, table: TokenTable, counting: Sequence[str]
) -> ScoredSentence | None:
    """Return the last sentence of a scored block with its preferences.

    ``counting``: the words that count.  ``None`` if the block lacks some of them in their written form, or
    coverage is low or the model forbids a word.
    """
    prompt = block.prompts[-1]
    written = Slot.of(prompt).written(counting)
    if not set(written) <= set(block.words):
        return None
    columns = [block.words.index(word) for word in written]
    nats, left = scored.values[-1, columns], None if scored.left is None else scored.left[-1, columns]
    tokens = [table.tokens[word] for word in written]
    covered = coverage_at(prompt, nats, left, tokens, run.scoring.family)
    if np.isneginf(nats).any() or (covered and max(covered.values()) < LOW_COVERAGE):
        return None
    preferences = preferences_of(nats, run.topic, counting).tolist()
    return ScoredSentence(
        prompt=prompt, preferences=dict(zip(run.topic.group_names, preferences, strict=True))
    )
