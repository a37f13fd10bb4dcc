"""Quantities of the criteria: mutual information, differences by the gender of names, shares of answers.

**Mutual information** of two categories is in nats, of a table [category, group] of counts, such as
professions by gender.  I is the plug-in value; beside it are its bias, the value without bias, and the
largest value that the margins allow.

**Differences between women's and men's names.**  Several texts of one name are not independent: intervals and
the test are for another draw of names (unit ``name``).  The paper's test, which takes each text by itself, is
called *texts*.

**Rates**: a rate whose denominator is 0 is ``None`` with a reason, never 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from pcf_core.core.records import Record
from pcf_core.core.risk import Interval

ExperimentName = Literal["anecdotes", "hobbies", "questions", "tasks"]
Wording = Literal["instruction", "continuation"]
Answering = Literal["written", "scored"]
LEVEL = 0.95  # of all intervals
SIGNIFICANCE = 0.05  # of a p-value, controlled where several are tested


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

    def normalised(self, normaliser: Normaliser, information: float | None = None) -> float | None:
        """Normalise I, or ``information`` of the same margins, to 0 … 1; ``None`` if H(C) or H(A) is 0.

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
        """The smallest p that so many permutations can give."""
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
        """I(C; A) of the table, in nats, not corrected for bias."""
        return self.entropies.information

    def of_largest(self, name: Normaliser) -> float | None:
        """Return the normalised value, less its bias where that is known, as a share of the largest.

        It is at most 1, and ``None`` where these margins allow none.  NMI itself is no such share: of 100
        professions and two genders it cannot reach 0.3.
        """
        largest = self.largest.normalised.get(name, 0.0)
        value = self.corrected_normalised.get(name, self.normalised[name])
        return min(1.0, max(0.0, value) / largest) if largest > 0 else None

    @property
    def untold(self) -> str:
        """Why texts have no information about I, as the end of a sentence; empty if they have.

        With one text in each category, I equals H(A) for every model.
        """
        if self.null is None or self.null.varies:
            return ""
        return ONE_EACH if self.n == self.rows else ALL_ALIKE

    @property
    def depends(self) -> bool | None:
        """Whether I is larger than by chance; ``None`` without random draws, or if undetermined."""
        return None if self.null is None or self.untold else self.null.p_value <= SIGNIFICANCE

    @property
    def few(self) -> bool:
        """Whether there are so few texts a category that the bias is corrected only in part."""
        return self.null is not None and not self.untold and self.n < FEW * self.rows


# Differences between women's and men's names.


FEW_NAMES = 10  # of either gender: an interval over fewer is rough

Gender = Literal["female", "male"]
GENDERS: tuple[Gender, Gender] = ("female", "male")


class GenderDifference(Record):
    """A quantity of every text: women's names against men's.

    ``female``, ``male``: means over texts.  ``difference``: female − male, with its ``interval`` over names.
    ``effect``: Cohen's d, the difference over the pooled standard deviation of texts, with its interval over
    names; ``None`` where ``undefined`` says why.  ``p_value``: Mann–Whitney of the names' means, two-sided,
    what a verdict rests on; ``adjusted``: controlled over what is tested beside it (Holm).
    ``texts_p_value``: of the texts as if they were independent, as in the paper: too small.
    ``names``, ``texts``: how many of (female, male).
    """

    female: float
    male: float
    interval: Interval | None
    effect: float | None
    effect_interval: Interval | None
    undefined: str = ""
    p_value: float
    adjusted: float | None = None
    texts_p_value: float
    names: tuple[int, int]
    texts: tuple[int, int]

    @property
    def difference(self) -> float:
        """``female`` − ``male``."""
        return self.female - self.male

    @property
    def controlled_p(self) -> float:
        """The p-value for the verdict: corrected if there are several tests."""
        return self.p_value if self.adjusted is None else self.adjusted

    @property
    def differs(self) -> bool:
        """Whether they differ beyond chance, by the controlled p."""
        return self.controlled_p <= SIGNIFICANCE


# Rates of answers: separation and sufficiency.


RateName = Literal["FNR", "FPR", "PPV", "NPV"]
InvalidName = Literal["invalid", "invalid, female right", "invalid, male right"]  # of whose answers a share
SEPARATION: tuple[RateName, ...] = ("FNR", "FPR")
SUFFICIENCY: tuple[RateName, ...] = ("PPV", "NPV")
RATES: tuple[RateName, ...] = (*SEPARATION, *SUFFICIENCY)
INVALID: tuple[InvalidName, ...] = ("invalid", "invalid, female right", "invalid, male right")
RATE_WORDS: Mapping[str, str] = {
    "FNR": "women's job right, not named (FNR)",
    "FPR": "men's job right, not named (FPR)",
    "PPV": "women's job named, and right (PPV)",
    "NPV": "men's job named, and right (NPV)",
}
CONFUSION_WORDS: Mapping[str, str] = {
    "tp": "women's job right and named (TP)",
    "fn": "women's job right, men's named (FN)",
    "fp": "men's job right, women's named (FP)",
    "tn": "men's job right and named (TN)",
}
UNDEFINED: Mapping[RateName, str] = {
    "FNR": "no valid answer where the female-stereotyped role was right (TP + FN = 0)",
    "FPR": "no valid answer where the male-stereotyped role was right (FP + TN = 0)",
    "PPV": "the female-stereotyped role was never named (TP + FP = 0)",
    "NPV": "the male-stereotyped role was never named (TN + FN = 0)",
}


def in_words(quantity: str) -> str:
    """Describe a rate in words, with the papers' term in brackets; other quantities are words already."""
    return RATE_WORDS.get(quantity, quantity)


class Confusion(Record):
    """Answers by truth: of Y = 1 ``tp`` right and ``fn`` wrong, of Y = 0 ``fp`` wrong and ``tn`` right.

    Whole numbers of texts; where answers were scored, sums of the probabilities of either answer.
    """

    tp: float = 0
    fn: float = 0
    fp: float = 0
    tn: float = 0

    @property
    def n(self) -> float:
        """The number of answers, or the sum of their probabilities."""
        return self.tp + self.fn + self.fp + self.tn

    def parts(self, name: RateName) -> tuple[float, float]:
        """Return numerator and denominator of a rate."""
        return {
            "FNR": (self.fn, self.tp + self.fn),
            "FPR": (self.fp, self.fp + self.tn),
            "PPV": (self.tp, self.tp + self.fp),
            "NPV": (self.tn, self.tn + self.fn),
        }[name]

    def rate(self, name: RateName) -> float | None:
        """Compute a rate; return ``None`` where the denominator is 0."""
        part, whole = self.parts(name)
        return part / whole if whole > 0 else None


class Rate(Record):
    """A share of answers, 0 to 1.

    ``n``: its denominator; ``units``: the number of questions or tasks.  ``value`` is ``None`` if ``n`` is 0,
    and ``reason`` explains why.  ``interval``: clustered by question or task, so that it allows for other
    questions or tasks; ``None`` with fewer than two.  ``repeats``: Wilson's interval over texts, which allows
    only for new answers to the same prompts; ``None`` if answers were scored, which involves no chance.
    """

    name: str
    value: float | None
    reason: str = ""
    n: float
    units: int
    interval: Interval | None = None
    repeats: Interval | None = None
