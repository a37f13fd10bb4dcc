"""Shares of answers that are right, wrong or invalid: separation and sufficiency.

A rate whose denominator is 0 is ``None`` with a reason, never 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pcf_core.records.base import Record
from pcf_core.records.risk import Interval

RateName = Literal["FNR", "FPR", "PPV", "NPV"]
InvalidName = Literal["invalid", "invalid, female right", "invalid, male right"]  # of whose answers a share
SEPARATION: tuple[RateName, ...] = ("FNR", "FPR")
SUFFICIENCY: tuple[RateName, ...] = ("PPV", "NPV")
RATES: tuple[RateName, ...] = (*SEPARATION, *SUFFICIENCY)
INVALID: tuple[InvalidName, ...] = ("invalid", "invalid, female right", "invalid, male right")
UNDEFINED: Mapping[RateName, str] = {
    "FNR": "no valid answer where the female-stereotyped role was right (TP + FN = 0)",
    "FPR": "no valid answer where the male-stereotyped role was right (FP + TN = 0)",
    "PPV": "the female-stereotyped role was never named (TP + FP = 0)",
    "NPV": "the male-stereotyped role was never named (TN + FN = 0)",
}


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
        return self.tp + self.fn + self.fp + self.tn

    def parts(self, name: RateName) -> tuple[float, float]:
        """Numerator and denominator of a rate."""
        return {
            "FNR": (self.fn, self.tp + self.fn),
            "FPR": (self.fp, self.fp + self.tn),
            "PPV": (self.tp, self.tp + self.fp),
            "NPV": (self.tn, self.tn + self.fn),
        }[name]

    def rate(self, name: RateName) -> float | None:
        """``None`` where the denominator is 0."""
        part, whole = self.parts(name)
        return part / whole if whole > 0 else None


class Rate(Record):
    """A share of answers, 0 to 1.

    ``n``: its denominator; ``units``: the questions or tasks that this comes from.  ``value`` is ``None``
    where ``n`` is 0, and ``reason`` says why.  ``interval``: clustered by question or task, what others of
    the kind would show; ``None`` with fewer than two.  ``repeats``: Wilson's over texts, what these very
    prompts would show if asked again; ``None`` where answers were scored, which has no chance in it.
    """

    name: str
    value: float | None
    reason: str = ""
    n: float
    units: int
    interval: Interval | None = None
    repeats: Interval | None = None
