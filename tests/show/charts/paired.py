"""FairPair results for pictures: one with a planted difference, one without, and one without an F."""

from __future__ import annotations

from functools import lru_cache

from pcf_core.texts.fairpair.records import FairPairResult, PromptPairs
from tests.texts.fairpair.planted import identical, planted
from tests.texts.fairpair.results import made_up


@lru_cache(maxsize=1)
def different() -> FairPairResult:
    return made_up(planted(20, share=0.9, prompts=3))


@lru_cache(maxsize=1)
def alike() -> FairPairResult:
    return made_up(identical(20, prompts=3))


@lru_cache(maxsize=1)
def constant() -> FairPairResult:
    """Greedy texts: each side says always the same."""
    return made_up([PromptPairs("x", ("a",) * 6, ("b",) * 6)])
