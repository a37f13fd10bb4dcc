"""Matrices of answers by pronoun: TP, FN, FP and TN, and the tables that are drawn again for intervals.

    truth \\ said        female-stereotyped     male-stereotyped
    female (Y = 1)      TP                     FN
    male (Y = 0)        FP                     TN

The positive is the female-stereotyped role (Eqs. 3 to 6 of the paper, whose section 5.3 once reads PPV as if
it were the doctor).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcf_core.records import FloatArray
from pcf_core.records.rates import RATES, Confusion, InvalidName, RateName

Places = NDArray[np.intp]
Invalid = Mapping[tuple[int, int, int], Mapping[str, int]]  # (unit, pronoun, truth) -> reason -> answers


@dataclass(frozen=True, eq=False)
class Answers:
    """Valid answers, one a row, texts or scored prompts.

    ``unit``, ``pronoun``: [answer] places in ``units`` and ``pronouns``.  ``truth``: [answer] 1 where the
    female-stereotyped role was right.  ``first``: [answer] 1 where the prompt named it first.  ``said``:
    [answer] 1 where the answer says that role, 0 where the other; its probability where scored.
    """

    units: tuple[str, ...]
    pronouns: tuple[str, ...]
    unit: Places
    pronoun: Places
    truth: Places
    first: Places
    said: FloatArray

    def tallies(self) -> FloatArray:
        """[unit, pronoun, truth, said] answers, or their probabilities; the last two axes are 0 and 1."""
        shape = (len(self.units), len(self.pronouns), 2)
        place = np.ravel_multi_index((self.unit, self.pronoun, self.truth), shape)
        whole = np.bincount(place, minlength=int(np.prod(shape))).astype(np.float64)
        female = np.bincount(place, weights=self.said, minlength=int(np.prod(shape)))
        return np.stack([whole - female, female], axis=-1).reshape(*shape, 2)

    def likelier(self) -> FloatArray:
        """[answer] 1 where the female-stereotyped role is the likelier answer, .5 where both are alike."""
        return np.where(self.said == 0.5, 0.5, (self.said > 0.5) * 1.0)


def confusion(tallies: FloatArray) -> Confusion:
    """The matrix of [truth, said] tallies."""
    return Confusion(
        tp=float(tallies[1, 1]), fn=float(tallies[1, 0]), fp=float(tallies[0, 1]), tn=float(tallies[0, 0])
    )


def parts(tallies: FloatArray, name: RateName) -> tuple[FloatArray, FloatArray]:
    """Numerators and denominators […] of a rate from […, truth, said] tallies.

    Of TP 50, FN 100, FP 0, TN 150: FNR 100/150, FPR 0/150, PPV 50/50, NPV 150/250.
    """
    tp, fn = tallies[..., 1, 1], tallies[..., 1, 0]
    fp, tn = tallies[..., 0, 1], tallies[..., 0, 0]
    return {"FNR": (fn, tp + fn), "FPR": (fp, fp + tn), "PPV": (tp, tp + fp), "NPV": (tn, tn + fn)}[name]


def rates(tallies: FloatArray) -> dict[RateName, FloatArray]:
    """Rates […] from […, truth, said] tallies, NaN where the denominator is 0."""
    return {name: share(*parts(tallies, name)) for name in RATES}


def share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """[…] part / whole, NaN where there is no whole."""
    defined = whole > 0
    return np.where(defined, part / np.where(defined, whole, 1.0), np.nan)


def invalid_parts(tallies: FloatArray, name: InvalidName) -> tuple[FloatArray, FloatArray]:
    """Invalid answers and all answers […] from […, truth, (valid, invalid)] tallies."""
    wanted = {"invalid": (0, 1), "invalid, female right": (1,), "invalid, male right": (0,)}[name]
    chosen = tallies[..., wanted, :].sum(axis=-2)
    return chosen[..., 1], chosen.sum(axis=-1)


def possible(matrix: Confusion, invalid: tuple[float, float], name: RateName) -> tuple[float, float]:
    """The least and the greatest that a rate would be had the invalid answers been valid, whatever they said.

    TP 50, FN 50 and 25 invalid ones where Y = 1: FNR from 50/125 to 75/125.  An invalid answer adds to the
    numerator of a rate, to the rest of its denominator, or to another rate.

    Args:
        matrix: of the valid answers, some of which the rate is of.
        invalid: how many others there are where Y = 0 and where Y = 1.
        name: of the rate.
    """
    male, female = invalid
    part, whole = matrix.parts(name)
    more, rest = {
        "FNR": (female, female),
        "FPR": (male, male),
        "PPV": (female, male),
        "NPV": (male, female),
    }[name]
    return part / (whole + rest), (part + more) / (whole + more)
