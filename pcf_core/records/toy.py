"""An example small enough to be followed by hand: one occupation in a few contexts."""

from __future__ import annotations

from dataclasses import dataclass

from pcf_core.records import FloatArray


@dataclass(frozen=True)
class ToyRisk:
    """Every step from preference to risk, p → s → J → r = r^p + r^c (PCF Eq. 1–6), of one occupation.

    ``name``: of the occupation, or of the model that is asked about it.
    ``weights``: [context], sum to 1.
    ``preferences``: [context, group] p, rows sum to 1; ``stereotypes``: [context, group] s;
    ``risks``: [context] J(s).
    ``mean_preference``, ``mean_stereotype``: [group] E p and E s.
    ``stereotype_sd``: s.d. over contexts of the stereotype, see ``pcf_core.risk.Decomposition``.
    """

    name: str
    groups: tuple[str, ...]
    contexts: tuple[str, ...]
    weights: FloatArray
    preferences: FloatArray
    stereotypes: FloatArray
    risks: FloatArray
    mean_preference: FloatArray
    mean_stereotype: FloatArray
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    stereotype_sd: float


@dataclass(frozen=True)
class SimplexRisk:
    """J over all preferences of three groups, and an example among them.

    The preferences lie in a plane, a triangle with the first group's corner on the left, the second's on the
    right and the third's on top.  ``across``: [column] p_2 − p_1, −1 to 1.  ``up``: [row] p_3, 0 to 1.
    ``risks``: [row, column] J there, NaN outside the triangle.
    """

    across: FloatArray
    up: FloatArray
    risks: FloatArray
    example: ToyRisk
