"""How far two categories tell of each other: mutual information in nats, and its normalised forms.

A table is [category, group] counts, such as professions by gender.  I is the plug-in value; what it gains by
chance, what remains of it without, and the largest value that its margins allow stand beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from pcf_core.records.base import Record
from pcf_core.records.criteria import SIGNIFICANCE
from pcf_core.records.risk import Interval

Normaliser = Literal["arithmetic", "joint", "minimum", "geometric"]

USUAL: Normaliser = "arithmetic"
FORMULAS: Mapping[Normaliser, str] = {
    "arithmetic": "2 I / (H(C) + H(A))",
    "joint": "I / H(C, A)",
    "minimum": "I / min(H(C), H(A))",
    "geometric": "I / √(H(C) H(A))",
}
CORRECTION = "jackknife, leaving out a text at a time"
ALL_ALIKE = "every deal of the genders gives as much"
ONE_EACH = f"with one text of each {ALL_ALIKE}"
FEW = 20  # texts a category: with fewer, a part of the bias remains, and intervals over texts are too narrow


class Entropies(Record):
    """Entropies in nats of a table: H(C) of its rows, H(A) of its columns, and I(C; A), at least 0."""

    rows: float
    columns: float
    information: float

    @property
    def joint(self) -> float:
        """H(C, A) = H(C) + H(A) − I."""
        return self.rows + self.columns - self.information

    def normalised(self, normaliser: Normaliser, information: float | None = None) -> float | None:
        """I, or another ``information`` with the same margins, from 0 to 1; ``None`` where H(C) or H(A) is 0.

        A margin without entropy makes I 0 whatever the table, so that 0 of it would say nothing.
        """
        if min(self.rows, self.columns) <= 0:
            return None
        value = self.information if information is None else information
        below = {
            "arithmetic": (self.rows + self.columns) / 2,
            "joint": self.rows + self.columns - value,
            "minimum": min(self.rows, self.columns),
            "geometric": math.sqrt(self.rows * self.columns),
        }
        return value / below[normaliser]


class NullInformation(Record):
    """I where the groups are dealt out at random over the same margins.

    ``exchanged``: what is dealt, ``text`` or ``cluster``.  ``mean``, ``high``: of I in nats, mean and 95 %
    point; ``means``, ``highs``: of its normalised forms.  ``p_value``: share of deals with at least the
    observed I, the observed one counted (Phipson & Smyth 2010); never below ``least_p``.  ``varies``: whether
    some deal has another I than that observed; where none has, nothing can be told of chance, nor of bias.
    """

    exchanged: str
    permutations: int
    mean: float
    high: float
    means: dict[Normaliser, float]
    highs: dict[Normaliser, float]
    p_value: float
    varies: bool = True

    @property
    def least_p(self) -> float:
        return 1 / (self.permutations + 1)

    @property
    def at_most(self) -> bool:
        """Whether so many deals can give no smaller p."""
        return self.p_value <= self.least_p


class LargestInformation(Record):
    """The largest I that the observed margins allow, in nats and normalised.

    ``exact``: no table with these margins has more; else it is an upper bound that no table may reach.
    """

    information: float
    normalised: dict[Normaliser, float]
    exact: bool


class MutualInformation(Record):
    """I(C; A) of one table, in nats, with its four normalised forms (:data:`FORMULAS`).

    ``n``: texts, or the sum of the expected shares where scores made the table.  ``rows``, ``columns``: how
    many categories and groups have any.  ``normalised``: plug-in, 0 to 1.  ``corrected``: I less its bias, by
    ``correction``; ``second_correction``: a second opinion, Miller–Madow's, by the cells that are not
    empty.  Either may lie below 0, which means as much as 0.  ``corrected_normalised``: of ``corrected``.
    ``above_chance``: (I − null mean) / (largest I − null mean): 0 is what chance gives, 1 the most there can
    be.  ``intervals``: of ``corrected_normalised``, if other texts had been written (or other clusters drawn:
    its ``unit``); ``category_intervals``: if other categories had been chosen.  Either holds the value, or 0
    where that is less.  What scores make has no bias
    of sampling, no null and no interval over texts: ``corrected``, ``above_chance`` and ``null`` are then
    ``None``.  Where :attr:`untold` has a reason there is nothing but the plug-in value, the null and the
    largest, which are all the same.
    """

    n: float
    rows: int
    columns: int
    entropies: Entropies
    normalised: dict[Normaliser, float]
    corrected: float | None = None
    correction: str = ""
    corrected_normalised: Mapping[Normaliser, float] = {}
    second_correction: float | None = None
    above_chance: float | None = None
    null: NullInformation | None = None
    largest: LargestInformation
    intervals: Mapping[Normaliser, Interval] = {}
    category_intervals: Mapping[Normaliser, Interval] = {}

    @property
    def information(self) -> float:
        return self.entropies.information

    @property
    def untold(self) -> str:
        """Why texts tell nothing of I, as the end of a sentence; empty where they can.

        With one text of each category I is H(A), whoever wrote them.
        """
        if self.null is None or self.null.varies:
            return ""
        return ONE_EACH if self.n == self.rows else ALL_ALIKE

    @property
    def depends(self) -> bool | None:
        """Whether I is more than chance gives; ``None`` where nothing was drawn by chance, or is untold."""
        return None if self.null is None or self.untold else self.null.p_value <= SIGNIFICANCE

    @property
    def few(self) -> bool:
        """Whether there are so few texts a category that the bias is corrected only in part."""
        return self.null is not None and not self.untold and self.n < FEW * self.rows
