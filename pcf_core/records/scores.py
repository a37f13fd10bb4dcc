"""What a model makes of a run: its tokens, its preferences, how much they cover, and its self-audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pcf_core.records.base import FloatArray, LeftOut, Record

LOW_COVERAGE = 1e-4  # a cell in which the topic's words together get less of the probability is flagged


@dataclass(frozen=True)
class TokenTable:
    """What a tokenizer makes of the words: tokens per word, and the words it cannot express.

    ``spelling``: the tokens themselves as a text, the same for words that the model cannot tell apart ("He"
    and "he", where a tokenizer knows no capital letters).  Nothing is known of words that are not in it:
    those of scores that were kept without, and those of which an endpoint tells no whole characters.
    ``unspaced``: words that are known to have these same tokens where no space stands before them, as Chinese
    ones have where each character is a token.
    """

    tokens: Mapping[str, int]
    refused: Mapping[str, str] = field(default_factory=dict)
    spelling: Mapping[str, str] = field(default_factory=dict, compare=False)
    unspaced: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def same(self) -> tuple[tuple[str, ...], ...]:
        """Words of one spelling, two or more each, in the order of the table."""
        alike: dict[str, list[str]] = {}
        for word, spelling in self.spelling.items():
            alike.setdefault(spelling, []).append(word)
        return tuple(tuple(words) for words in alike.values() if len(words) > 1)


class SelfAudit(Record):
    """What a scorer found out about itself in one run, kept in the run's provenance under ``self_audit``.

    ``traits``: what it does with spaces, opening and closing tokens, and how it batches, a sentence each.
    ``noise_floor``: the largest difference in nats between scores of the run and the same ones computed
    again, one at a time (``noise_scores`` of them, with weights as ``noise_dtype``); ``None`` where none was,
    or where one of the two is no probability at all, of which ``note`` tells.
    """

    traits: dict[str, str]
    tokens: dict[str, int]
    left_out: tuple[LeftOut, ...] = ()
    noise_floor: float | None = None
    noise_scores: int = 0
    noise_dtype: str = ""
    note: str = ""


@dataclass(frozen=True)
class Preferences:
    """``values``: [occupation, template, group] probabilities that sum to 1 over groups (PCF Eq. 11).

    ``coverage``: [occupation, template] probability that the model gives to all words of the topic together;
    of a masked model the largest over the numbers of tokens, which share no sample space; ``None`` where the
    text right of ``[Y]`` is scored together with the word.
    """

    groups: tuple[str, ...]
    occupations: tuple[str, ...]
    templates: tuple[str, ...]
    values: FloatArray
    coverage: FloatArray | None = None

    @property
    def flagged(self) -> NDArray[np.bool_]:
        """[occupation, template] whether the preferences say little: coverage under ``LOW_COVERAGE``."""
        if self.coverage is None:
            return np.zeros(self.values.shape[:2], dtype=bool)
        return np.asarray(self.coverage < LOW_COVERAGE)


class FlaggedCell(Record):
    """A cell whose coverage is under ``LOW_COVERAGE``."""

    occupation: str
    template: str
    coverage: float


class CoverageRange(Record):
    """Median and lowest probability of the topic's words together, over the cells of a run."""

    median: float
    lowest: float


class CoverageSummary(Record):
    """Coverage of a run (see :class:`Preferences`).

    ``by_tokens``: over all cells, per number of tokens of the words (masked) or under ``all``.  ``flagged``
    counts the cells of which none of these reaches ``limit``; ``listed`` names the lowest, at most a hundred.
    """

    by_tokens: dict[str, CoverageRange]
    cells: int
    flagged: int
    listed: tuple[FlaggedCell, ...] = ()
    limit: float = LOW_COVERAGE
