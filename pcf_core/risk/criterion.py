"""The discrimination risk criterion J: a norm of the positive stereotypes, on one of two scales.

Sources: PCF (arXiv 2402.15481v1) Eq. 1–3 and 13–14; BVF (NeurIPS 2024) Eq. 1–2 and 9–10.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import reduce
from typing import get_args

import numpy as np

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Scale
from pcf_core.risk.validation import ROW_TOLERANCE


@dataclass(frozen=True, eq=False)
class Criterion:
    """How preferences become a risk.

    ``norm``: k of the l^k norm, from 1 to infinity (the default, the papers' choice).  With two groups only
    one stereotype is positive, and all norms agree.
    ``scale``: ``"pcf"``, s = (p − p*) / (1 − p*), at most 1 and equal to PCF's S_y (Eq. 2) where p* = 1/|Y|;
    or ``"bvf"``, s = p/p* − 1 (BVF Eq. 1), at most 1/p* − 1.
    ``reference``: the neutral p*, [group] or [occupation, group], each row inside (0, 1) with sum 1 ± 1e-6;
    ``None`` is uniform, 1/|Y|.  It is copied and read-only.

    Raises:
        CriterionError: a norm, scale or reference that is not allowed.
    """

    norm: float = math.inf
    scale: Scale = "pcf"
    reference: FloatArray | None = None

    def __post_init__(self) -> None:
        if not self.norm >= 1:
            raise CriterionError(
                f"The norm must be a number of at least 1, or infinity for the maximum; got {self.norm:g}."
            )
        if self.scale not in get_args(Scale):
            raise CriterionError(f"The scale must be 'pcf' or 'bvf'; got {self.scale!r}.")
        if self.reference is not None:
            object.__setattr__(self, "reference", checked_reference(self.reference))

    @classmethod
    def parse(
        cls, criterion: str = "max", scale: Scale = "pcf", reference: FloatArray | None = None
    ) -> Criterion:
        """Read a criterion as it is written in links and on the command line.

        Args:
            criterion: ``max``, which is ``linf``, or ``l`` and a number of at least 1: ``l1``, ``l2.5``.
            scale: ``pcf`` or ``bvf``.
            reference: the neutral p*, see the class.

        Raises:
            CriterionError: anything else.
        """
        written = re.fullmatch(r"l(inf|\d+(?:\.\d+)?)", criterion, flags=re.ASCII)
        if criterion != "max" and written is None:
            raise CriterionError(
                "The criterion must be 'max', or 'l' and a number of at least 1 such as 'l2'; "
                f"got {criterion!r}."
            )
        return cls(math.inf if written is None else float(written[1]), scale, reference)

    @property
    def name(self) -> str:
        """The criterion in words, for provenance."""
        norm = "l∞" if math.isinf(self.norm) else f"l{self.norm:.12g}"
        reference = "uniform reference"
        if self.reference is not None:
            values = ", ".join(f"{value:.6g}" for value in self.reference.ravel())
            reference = f"reference ({values})" if self.reference.ndim == 1 else "a reference per occupation"
        return f"{norm}, {self.scale} scale, {reference}"

    def stereotypes(self, p: FloatArray) -> FloatArray:
        """Stereotypes s of preferences.

        Args:
            p: [occupation, template, group], [occupation, group] or [group] probabilities.

        Returns:
            An array of the same shape.  Uniform reference: the stereotypes of a row sum to 0.

        Raises:
            CriterionError: a shape that does not fit the reference.
        """
        p = np.asarray(p, dtype=np.float64)
        neutral = self.neutral(p.shape)
        # The difference comes first: its sign is exact, so no preference above p* has a stereotype below 0.
        return np.asarray((p - neutral) / (neutral if self.scale == "bvf" else 1 - neutral))

    def neutral(self, shape: tuple[int, ...]) -> FloatArray:
        """p* in a shape that broadcasts against preferences of the given shape."""
        if not 1 <= len(shape) <= 3 or shape[-1] < 2:
            raise CriterionError(
                "Preferences must be [group], [occupation, group] or [occupation, template, group] with at "
                f"least two groups; got the shape {list(shape)}."
            )
        if self.reference is None:
            return np.full(shape[-1], 1 / shape[-1])
        if self.reference.shape[-1] != shape[-1]:
            raise CriterionError(
                f"The reference has {self.reference.shape[-1]} groups and the preferences have {shape[-1]}; "
                "give one p* for each group."
            )
        if self.reference.ndim == 1:
            return self.reference
        if len(shape) == 1 or self.reference.shape[0] != shape[0]:
            raise CriterionError(
                f"The reference has a row for each of {self.reference.shape[0]} occupations, which does not "
                f"fit preferences of the shape {list(shape)}; give one row for each of theirs."
            )
        return self.reference if len(shape) == 2 else self.reference[:, np.newaxis, :]

    def of_stereotypes(self, s: FloatArray) -> FloatArray:
        """J^k of stereotypes, (Σ_y (s_y^+)^k)^{1/k} (PCF Eq. 14): [..., group] -> [...], never below 0."""
        # Group by group: numpy's own maximum over a last axis this short takes six times as long.
        largest = np.asarray(reduce(np.maximum, np.moveaxis(s, -1, 0), np.float64(0)))
        if math.isinf(self.norm):
            return largest
        # Relative to the largest, powers stay in range and one positive stereotype is returned exactly.
        relative = np.maximum(s, 0.0) / np.where(largest > 0, largest, 1.0)[..., np.newaxis]
        return np.asarray(largest * np.sum(relative**self.norm, axis=-1) ** (1 / self.norm))

    def gradient(self, s: FloatArray) -> FloatArray:
        """∂J/∂s at stereotypes: [..., group] -> [..., group]; J = ∇J · s, as J is homogeneous.

        Where J has a kink (nothing above 0, a tie for the maximum) it is one of the subgradients.
        """
        largest = np.max(s, axis=-1, keepdims=True)
        positive = np.where(s > 0, s, 0.0)
        if math.isinf(self.norm):
            return np.asarray((np.arange(s.shape[-1]) == s.argmax(axis=-1)[..., np.newaxis]) & (s > 0)) * 1.0
        relative = positive / np.where(largest > 0, largest, 1.0)
        total = np.sum(relative**self.norm, axis=-1, keepdims=True) ** (1 / self.norm)
        share = relative / np.where(total > 0, total, 1.0)
        return np.where(s > 0, share ** (self.norm - 1), 0.0)

    def J(self, p: FloatArray) -> FloatArray:
        """J of preferences: [occupation, template, group] -> [occupation, template], and so for fewer axes.

        Raises:
            CriterionError: a shape that does not fit the reference.
        """
        return self.of_stereotypes(self.stereotypes(p))


def checked_reference(reference: FloatArray) -> FloatArray:
    """A read-only float64 copy of a reference [group] or [occupation, group] that is allowed."""
    copy = np.array(reference, dtype=np.float64)
    if copy.ndim not in (1, 2) or 0 in copy.shape or copy.shape[-1] < 2:
        raise CriterionError(
            "The reference must be [group] or [occupation, group] with at least two groups; "
            f"got the shape {list(copy.shape)}."
        )
    rows = np.atleast_2d(copy)
    inside = ((rows > 0) & (rows < 1)).all(axis=-1)
    refused = ~(inside & (np.abs(rows.sum(axis=-1) - 1) <= ROW_TOLERANCE))
    if refused.any():
        first = int(np.argmax(refused))
        values = ", ".join(f"{value:.6g}" for value in rows[first])
        where = "The reference" if copy.ndim == 1 else f"Row {first} of the reference"
        raise CriterionError(
            f"{where} must hold probabilities above 0 and below 1 that sum to 1 ± 1e-6; got {values}."
        )
    copy.flags.writeable = False
    return copy
