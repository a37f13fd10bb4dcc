"""The discrimination risk criterion J, a norm of positive stereotypes, and checks of what enters it.

Sources: PCF (arXiv 2402.15481v1) Eq. 1–3 and 13–14; BVF (NeurIPS 2024) Eq. 1–2 and 9–10.  Messages use the
names and zero-based indices of the matrix file of ``risk --matrix``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import reduce
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Scale

ROW_TOLERANCE = 1e-6


def checked_preferences(values: ArrayLike) -> FloatArray:
    """Check preferences and return them as float64, not rescaled.

    ``values`` [occupation, template, group] probabilities, each row summing to 1 ± 1e-6 over groups.
    """
    preferences = np.asarray(values, dtype=np.float64)
    if preferences.ndim != 3 or 0 in preferences.shape or preferences.shape[-1] < 2:
        raise CriterionError(
            "Preferences must have the axes [occupation][template][group] with at least one occupation, one "
            f"template and two groups; got the shape {list(preferences.shape)}."
        )
    refuse_rows(preferences, ~np.isfinite(preferences), "holds a value that is not a number")
    refuse_rows(preferences, preferences < 0, "holds a negative probability")
    sums = preferences.sum(axis=-1)
    refuse_rows(preferences, np.abs(sums - 1) > ROW_TOLERANCE, "does not sum to 1 ± 1e-6 over groups")
    return preferences


def refuse_rows(rows: FloatArray, refused: NDArray[np.bool_], reason: str, what: str = "preferences") -> None:
    """Raise for the first row of [occupation, template, group] where ``refused`` is true anywhere."""
    if not refused.any():
        return
    occupation, template = (int(index) for index in np.argwhere(refused)[0][:2])
    values = ", ".join(f"{value:.6g}" for value in rows[occupation, template])
    raise CriterionError(
        f"The row {what}[{occupation}][{template}] {reason} (got {values}); "
        + (
            "give probabilities of all groups that sum to 1."
            if what == "preferences"
            else "give each group's."
        )
    )


def normalised(weights: ArrayLike, length: int, name: str) -> FloatArray:
    """Check weights and return them [length] divided by their sum.

    ``weights``: finite numbers >= 0 with a positive sum.  ``name``: as in messages, such as
    ``template_weights``.  Raises CriterionError for a wrong shape, or a weight that is not allowed.
    """
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (length,):
        raise CriterionError(
            f"`{name}` must be a list of {length} numbers, one for each; got the shape {list(given.shape)}."
        )
    refused = ~(np.isfinite(given) & (given >= 0))
    if refused.any():
        first = int(np.argmax(refused))
        raise CriterionError(
            f"`{name}` must be finite numbers of at least 0; got {given[first]:g} at `{name}[{first}]`."
        )
    largest = given.max(initial=0.0)
    if largest == 0:
        raise CriterionError(f"`{name}` are all 0; at least one weight must be positive.")
    # Dividing by the largest first keeps the sum of very large counts finite.
    relative = given / largest
    return np.asarray(relative / relative.sum())


# The criterion.


@dataclass(frozen=True, eq=False)
class Criterion:
    """How preferences become a risk.

    ``norm``: k of the l^k norm, 1 to infinity (the papers' choice); with two groups all norms agree.
    ``scale``: ``"pcf"``, s = (p − p*) / (1 − p*), at most 1 and equal to PCF's S_y (Eq. 2) where p* = 1/|Y|;
    or ``"bvf"``, s = p/p* − 1 (BVF Eq. 1), at most 1/p* − 1. ``reference``: neutral p*, [group] or
    [occupation, group], each row inside (0, 1) with sum 1 ± 1e-6; ``None`` is uniform, 1/|Y|.  Stored as a
    read-only copy.  Raises CriterionError for a norm, scale or reference that is not allowed.
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
        """Parse a criterion from a link or the command line, such as ``max``, ``linf`` or ``l2.5``.

        Raises CriterionError for anything but ``max``, or ``l`` and ``inf`` or a number of at least 1.
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

    def checked(self, values: ArrayLike) -> FloatArray:
        """Check what the criterion reads, [occupation, template, group], and return it as float64."""
        return checked_preferences(values)

    def stereotypes(self, p: FloatArray) -> FloatArray:
        """Compute stereotypes s of preferences, in the same shape.

        ``p`` [occupation, template, group], [occupation, group] or [group].  With a uniform reference, rows
        sum to 0.  Raises CriterionError for a shape that does not fit the reference.
        """
        p = np.asarray(p, dtype=np.float64)
        neutral = self.neutral(p.shape)
        # Subtract first: the sign is exact, so no preference above p* has a stereotype below 0.
        return np.asarray((p - neutral) / (neutral if self.scale == "bvf" else 1 - neutral))

    def neutral(self, shape: tuple[int, ...]) -> FloatArray:
        """Return p* in a shape that broadcasts against preferences of the given shape."""
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
        """Compute J^k of stereotypes, (Σ_y (s_y^+)^k)^{1/k} >= 0 (PCF Eq. 14): [..., group] -> [...]."""
        # Group by group: numpy's own maximum over a last axis this short takes six times as long.
        largest = np.asarray(reduce(np.maximum, np.moveaxis(s, -1, 0), np.float64(0)))
        if math.isinf(self.norm):
            return largest
        # Relative to the largest, powers stay in range and one positive stereotype is returned exactly.
        relative = np.maximum(s, 0.0) / np.where(largest > 0, largest, 1.0)[..., np.newaxis]
        return np.asarray(largest * np.sum(relative**self.norm, axis=-1) ** (1 / self.norm))

    def gradient(self, s: FloatArray) -> FloatArray:
        """Compute ∂J/∂s: [..., group] -> [..., group]; J = ∇J · s, as J is homogeneous.

        At a kink of J (nothing above 0, or a tie for the maximum) it is one of the subgradients.
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
        """Compute J of preferences: [occupation, template, group] -> [occupation, template], or fewer axes.

        Raises CriterionError for a shape that does not fit the reference.
        """
        return self.of_stereotypes(self.stereotypes(p))

    def leading(self, s: FloatArray) -> NDArray[np.intp]:
        """Return the group that decides J, as a number: [..., group] -> [...]."""
        return np.asarray(s.argmax(axis=-1))

    def limits(self, s: FloatArray) -> FloatArray:
        """Return the largest possible stereotypes, in the shape of [..., group]."""
        return self.stereotypes(np.ones_like(s))

    def of_box(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ends of J for stereotypes between [..., group] low and high; it grows with each."""
        return self.of_stereotypes(low), self.of_stereotypes(high)

    def largest(self, occupations: int, groups: int) -> FloatArray:
        """Return [occupation] the largest possible risk, that of certainty of one group, as J is convex."""
        certain = np.broadcast_to(np.eye(groups), (occupations, groups, groups))
        return np.asarray(self.J(certain).max(axis=1))


def checked_reference(reference: FloatArray) -> FloatArray:
    """Check a reference [group] or [occupation, group]; return a read-only float64 copy."""
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
