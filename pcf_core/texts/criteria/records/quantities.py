"""Quantities of the criteria: mutual information, differences by the gender of names, shares of answers.

**Mutual information** is in nats, of a table [category, group] of counts, such as professions by gender.

**Differences between women's and men's names**: texts of one name are not independent, so intervals and tests
are over names.  The paper's test treats each text as independent; it is called *texts*.

**Rates**: a rate whose denominator is 0 is ``None`` with a reason, never 0 or 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from pcf_core.core.records import Record
from pcf_core.core.risk import SIGNIFICANCE, Interval, Tested

ExperimentName = Literal["anecdotes", "hobbies", "questions", "tasks"]
Wording = Literal["instruction", "continuation"]
Answering = Literal["written", "scored"]
LEVEL = 0.95  # of all intervals


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
FEW = 20  # texts per category: with fewer, bias remains and intervals over texts are too narrow


class Entropies(Record):
    """Entropies in nats of a table: H(C) of its rows, H(A) of its columns, and I(C; A) >= 0."""

    rows: float
    columns: float
    information: float


class NullInformation(Record):
    """I where the groups are assigned at random, with the same margins.

    ``exchanged``: ``text`` or ``cluster``.  ``mean``, ``high``: mean and 95 % point of I in nats; ``means``,
    ``highs``: normalised.  ``p_value``: share of assignments with at least the observed I, which counts as
    one (Phipson & Smyth 2010).  ``varies``: false if all assignments have the same I.
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
        """The smallest possible p."""
        return 1 / (self.permutations + 1)

    @property
    def at_most(self) -> bool:
        """Whether p is the smallest possible."""
        return self.p_value <= self.least_p


class LargestInformation(Record):
    """The largest I for the observed margins, in nats and normalised; unless ``exact``, an upper bound."""

    information: float
    normalised: dict[Normaliser, float]
    exact: bool


class MutualInformation(Record):
    """I(C; A) of one table, in nats, with its four normalised forms (:data:`FORMULAS`).

    ``n``: texts, or the sum of expected shares.  ``rows``, ``columns``: numbers of non-empty categories and
    groups.  ``normalised``: plug-in, 0 to 1.  ``corrected``: I without its bias, by ``correction``;
    ``second_correction``: by Miller–Madow; either may be below 0, which means 0.  ``above_chance``: (I − null
    mean) / (largest I − null mean).  ``intervals``: of ``corrected_normalised``, for other texts or clusters;
    ``category_intervals``: for other categories.  Both contain the value, or 0 if it is negative.  For
    scores, ``corrected``, ``above_chance`` and ``null`` are ``None``, as nothing is sampled.  Where
    :attr:`untold` has a reason, only the plug-in value, the null and the largest are given.
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
        """The plug-in I(C; A), in nats."""
        return self.entropies.information

    def of_largest(self, name: Normaliser) -> float | None:
        """Return the normalised value, corrected if possible, as a share of the largest for these margins.

        NMI itself is no such share: of 100 professions and two genders it cannot reach 0.3.
        """
        largest = self.largest.normalised.get(name, 0.0)
        value = self.corrected_normalised.get(name, self.normalised[name])
        return min(1.0, max(0.0, value) / largest) if largest > 0 else None

    @property
    def untold(self) -> str:
        """Why the texts say nothing about I, or empty: with one text in each category, it is always H(A)."""
        if self.null is None or self.null.varies:
            return ""
        return ONE_EACH if self.n == self.rows else ALL_ALIKE

    @property
    def depends(self) -> bool | None:
        """Whether I is larger than by chance; ``None`` if that cannot be tested."""
        return None if self.null is None or self.untold else self.null.p_value <= SIGNIFICANCE

    @property
    def few(self) -> bool:
        """Whether there are too few texts per category to remove the bias fully."""
        return self.null is not None and not self.untold and self.n < FEW * self.rows


# Differences between women's and men's names.


FEW_NAMES = 10  # per gender: intervals over fewer are rough

Gender = Literal["female", "male"]
GENDERS: tuple[Gender, Gender] = ("female", "male")


class GenderDifference(Tested):
    """A quantity of texts compared between women's and men's names.

    ``female``, ``male``: means over texts.  ``interval``: of ``difference``, over names.  ``effect``: Cohen's
    d over texts, with its interval over names; ``None`` for the reason in ``undefined``.  ``p_value``:
    Mann–Whitney of the names' means, two-sided; ``adjusted``: over related tests (Holm).  ``texts_p_value``:
    as in the paper, of texts as if independent: too small.  ``names``, ``texts``: (female, male) numbers.
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


# Rates of answers: separation and sufficiency.


RateName = Literal["FNR", "FPR", "PPV", "NPV"]
InvalidName = Literal["invalid", "invalid, female right", "invalid, male right"]  # shares of invalid answers
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
# What pages call quantities: data and *Method* have the papers' symbols, and reasons are stored as they are.
TITLES: Mapping[str, str] = {
    "FNR": "wrong answers where the women's job is right",
    "FPR": "wrong answers where the men's job is right",
    "PPV": "right answers among those that name the women's job",
    "NPV": "right answers among those that name the men's job",
    "link of profession and gender (NMI)": "link between profession and gender",
    "link of label and gender (NMI)": "link between hobby and gender",
}
SHORT_TITLES: Mapping[str, str] = {
    "FNR": "wrong if the women's job is right",
    "FPR": "wrong if the men's job is right",
    "PPV": "right if it names the women's job",
    "NPV": "right if it names the men's job",
}
_SYMBOLS = re.compile(r" \((?:[TF][PN] \+ [TF][PN] = 0|NMI)\)")
_ROLES = re.compile(r"\b(fe)?male-stereotyped role")


def in_words(quantity: str) -> str:
    """Describe a rate in words, with the papers' term in brackets; return other quantities unchanged."""
    return RATE_WORDS.get(quantity, quantity)


def quantity_title(quantity: str) -> str:
    """Name a quantity without symbols; return others than those of :data:`TITLES` unchanged."""
    return TITLES.get(quantity, quantity)


def short_title(quantity: str) -> str:
    """Name a quantity as :func:`quantity_title` does, a rate in fewer words, for labels."""
    return SHORT_TITLES.get(quantity) or quantity_title(quantity)


def plain_reason(reason: str) -> str:
    """Write why a quantity is undefined without symbols, and with the words of pages for the two roles."""
    named = _ROLES.sub(lambda match: "women's job" if match[1] else "men's job", reason)
    return _SYMBOLS.sub("", named)


class Confusion(Record):
    """Answers by truth: of Y = 1 ``tp`` right and ``fn`` wrong, of Y = 0 ``fp`` wrong and ``tn`` right.

    Numbers of texts, or sums of the probabilities of scored answers.
    """

    tp: float = 0
    fn: float = 0
    fp: float = 0
    tn: float = 0

    @property
    def n(self) -> float:
        """The number of answers, or the sum of their probabilities."""
        return self.tp + self.fn + self.fp + self.tn


class Rate(Record):
    """A share of answers, 0 to 1.

    ``n``: its denominator; ``units``: questions or tasks.  ``value``: ``None`` for the ``reason`` given if
    ``n`` is zero.  ``interval``: over questions or tasks, ``None`` with fewer than two.  ``repeats``:
    Wilson's over texts, for new answers to the same prompts; ``None`` for scored answers.
    """

    name: str
    value: float | None
    reason: str = ""
    n: float
    units: int
    interval: Interval | None = None
    repeats: Interval | None = None
