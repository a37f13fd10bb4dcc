"""What may enter the arithmetic: preferences and weights, checked once at the door.

Messages use the names and the zero-based indices of the matrix file of ``risk --matrix``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray

ROW_TOLERANCE = 1e-6


def checked_preferences(values: ArrayLike) -> FloatArray:
    """Check preferences and return them as float64.

    Args:
        values: [occupation, template, group] probabilities, each row summing to 1 ± 1e-6 over groups.

    Returns:
        The same numbers: a row is not rescaled.

    Raises:
        CriterionError: a shape or a row that is not allowed, naming the first such row.
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


def refuse_rows(rows: FloatArray, refused: NDArray[np.bool_], reason: str) -> None:
    """Raise for the first row of [occupation, template, group] where a cell or the row is refused."""
    if not refused.any():
        return
    occupation, template = (int(index) for index in np.argwhere(refused)[0][:2])
    values = ", ".join(f"{value:.6g}" for value in rows[occupation, template])
    raise CriterionError(
        f"The row preferences[{occupation}][{template}] {reason} (got {values}); "
        "give probabilities of all groups that sum to 1."
    )


def normalised(weights: ArrayLike, length: int, name: str) -> FloatArray:
    """Check weights and divide them by their sum.

    Args:
        weights: [length] finite numbers >= 0 with a positive sum.
        length: how many there must be.
        name: what to call them in a message, such as ``template_weights``.

    Returns:
        [length] weights that sum to 1.

    Raises:
        CriterionError: a wrong shape, or a weight that is not allowed.
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
