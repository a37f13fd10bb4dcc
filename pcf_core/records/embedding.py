"""The embedding score: how far a text leans to *she* or *he* in word vectors learned from the texts.

One embedding is learned from the texts of all models together.  A word's score is its projection on the axis
from *he* to *she* about their midpoint: above 0 nearer to *she*.  A text's is the mean over its known words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pcf_core.records.base import Record
from pcf_core.records.gender_difference import GenderDifference
from pcf_core.records.risk import Interval

LABEL = "our names and prompts; the method of arXiv 2403.08564, about the true midpoint of she and he"

Variant = Literal["without gendered words", "all words"]
HEADLINE: Variant = "without gendered words"  # “she” in a text is an end of the axis: it scores as gendered


def one_sided(effects: Sequence[float | None]) -> bool:
    """Whether there are several values, all defined and on the same side of 0."""
    known = [effect or 0.0 for effect in effects]
    return len(known) > 1 and (min(known) > 0 or max(known) < 0)


class SeedReading(Record):
    """What one training shows: ``effect`` is Cohen's d of texts, ``p_value`` of names' means."""

    seed: int
    effect: float | None
    p_value: float | None


class EmbeddingReading(Record):
    """One model under one variant; a text's score is the mean over the seeds' embeddings.

    Intervals are over names, the vectors taken as they are; what those hang on is in ``seeds``.

    ``invalid``: texts of (female, male) without a known word, which are left out.  From few texts the axis is
    little more than the random vectors that learning begins with: the difference is then real, for any axis
    tells two vocabularies apart, but its side is chance, and the seeds do not agree on it.
    """

    model: str
    variant: Variant
    difference: GenderDifference
    seeds: tuple[SeedReading, ...]
    invalid: tuple[int, int]

    @property
    def steady(self) -> bool:
        """Whether there are several seeds and all show a lean to the same side."""
        return one_sided([one.effect for one in self.seeds])

    @property
    def differs(self) -> bool:
        """Whether names differ beyond chance, and to a side that does not hang on the seed."""
        return self.difference.differs and self.steady


class EmbeddingGap(Record):
    """``difference``: effect of ``second`` − that of ``first``; ``interval`` over names, which both share.

    ``seeds``: the same in each embedding by itself, ``None`` where an effect is undefined there.
    """

    first: str
    second: str
    variant: Variant
    difference: float
    interval: Interval | None
    seeds: tuple[float | None, ...] = ()

    @property
    def steady(self) -> bool:
        """Whether there are several seeds, and in all of them the same model has the larger effect."""
        return one_sided(self.seeds)

    @property
    def differs(self) -> bool:
        """Whether the effects differ for other names too, and to a side that does not hang on the seed."""
        found = self.interval
        return found is not None and not found.low <= 0 <= found.high and self.steady


class ScoredWord(Record):
    """``score``: mean over seeds; ``texts``: that have the word, of all models."""

    word: str
    score: float
    texts: int


class EmbeddingReport(Record):
    """All models.

    ``library``: what learned the vectors, with its version; ``settings``: its options.  ``vocabulary``:
    words with a vector.  ``undefined``: why there is no axis; then ``readings`` is empty.
    ``words``: the ends of the axis, gendered words left out.
    """

    models: tuple[str, ...]
    library: str
    settings: dict[str, int | float | str]
    seeds: tuple[int, ...]
    texts: int
    vocabulary: int
    level: float
    readings: tuple[EmbeddingReading, ...]
    gaps: tuple[EmbeddingGap, ...]
    words: tuple[ScoredWord, ...]
    undefined: str = ""
    label: str = LABEL

    def gaps_of(self, variant: Variant = HEADLINE) -> tuple[EmbeddingGap, ...]:
        """Every two models of one variant."""
        return tuple(one for one in self.gaps if one.variant == variant)

    def of(self, variant: Variant = HEADLINE) -> tuple[EmbeddingReading, ...]:
        """The readings of one variant, model by model."""
        return tuple(one for one in self.readings if one.variant == variant)
