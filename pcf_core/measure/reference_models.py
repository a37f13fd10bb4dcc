"""Reference models: what R, R^p and R^c mean at their extremes (PCF Sec. 4.1).

==================== ============================================== =====================================
model                preferences                                    (R, R^p, R^c), PCF scale
==================== ============================================== =====================================
unbiased             1/|Y| everywhere                               (0, 0, 0)
stereotyped          one group per occupation, always               (1, 1, 0)
randomly stereotyped one group per cell, each as likely             (1, 0, 1)
randomly initialised a cell is uniform on the simplex               (h, 0, h), h = (H_n − 1)/(n − 1)
==================== ============================================== =====================================

n = |Y| and H_n = 1 + 1/2 + … + 1/n.  The largest part of a stick broken at random into n is H_n/n on average,
and S of it is (n · H_n/n − 1)/(n − 1); two groups give ½.  The BVF scale multiplies by n − 1.  All values are
for the uniform reference; the last row is for the l∞ norm, the others hold for every norm.  PCF's appendix
8.6 prints R^p and R^c of the stereotyped model the wrong way round; its Sec. 4.1, followed here, is right.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Scale
from pcf_core.measure.decomposition import RiskTotal

REFERENCE_MODELS: Final = ("unbiased", "stereotyped", "randomly stereotyped", "randomly initialised")


def reference_risks(groups: int, scale: Scale = "pcf") -> dict[str, RiskTotal]:
    """Return the closed forms of the four models, by name, for the uniform reference and the l∞ norm.

    Parameters
    ----------
    groups
        |Y|, at least 2.
    scale
        ``pcf`` (at most 1) or ``bvf`` (at most |Y| − 1).

    Raises
    ------
    CriterionError
        Fewer than two groups.
    """
    refuse_few(groups)
    largest = 1.0 if scale == "pcf" else groups - 1.0
    harmonic = sum(1 / i for i in range(1, groups + 1))
    middle = largest * (harmonic - 1) / (groups - 1)
    return {
        "unbiased": RiskTotal(0.0, 0.0, 0.0),
        "stereotyped": RiskTotal(largest, largest, 0.0),
        "randomly stereotyped": RiskTotal(largest, 0.0, largest),
        "randomly initialised": RiskTotal(middle, 0.0, middle),
    }


def draw(name: str, occupations: int, templates: int, groups: int, rng: np.random.Generator) -> FloatArray:
    """Draw preferences of a reference model at random.

    R of a draw is unbiased.  With few templates R^p of the two random models lies above its closed form (an
    average of a few draws is never quite neutral) and R^c as much below; both converge with more templates.

    Returns
    -------
    FloatArray
        [occupation, template, group], rows sum to 1.

    Raises
    ------
    CriterionError
        An unknown name, or fewer than two groups.
    """
    refuse_few(groups)
    shape = (occupations, templates, groups)
    match name:
        case "unbiased":
            return np.full(shape, 1 / groups)
        case "stereotyped":
            chosen = rng.integers(groups, size=(occupations, 1))
            return np.broadcast_to(np.eye(groups)[chosen], shape).copy()
        case "randomly stereotyped":
            return np.eye(groups)[rng.integers(groups, size=(occupations, templates))]
        case "randomly initialised":
            return rng.dirichlet(np.ones(groups), size=(occupations, templates))
    raise unknown(name)


def balanced(name: str, occupations: int, templates: int, groups: int) -> FloatArray:
    """Make preferences that have a reference model's closed form exactly, with equal template weights.

    All four models have such a design when the templates are a multiple of the groups.  The two random ones
    take one row and let the groups change places from template to template, so that the mean is neutral: one
    certain group for the randomly stereotyped, and for the randomly initialised the expected sizes of the
    parts of a broken stick in order of size (two groups: ¾ and ¼), whose largest is H_n/n (l∞ norm).

    Returns
    -------
    FloatArray
        [occupation, template, group], rows sum to 1.

    Raises
    ------
    CriterionError
        An unknown name, fewer than two groups, or templates that are no multiple of them.
    """
    refuse_few(groups)
    if templates < 1 or templates % groups:
        raise CriterionError(
            f"A balanced design needs a multiple of {groups} templates, one turn a group; got {templates}."
        )
    certain = np.eye(groups)[0]
    rotation = (np.arange(groups) - np.arange(templates)[:, np.newaxis]) % groups
    match name:
        case "unbiased":
            rows = np.full((templates, groups), 1 / groups)
        case "stereotyped":
            rows = np.tile(certain, (templates, 1))
        case "randomly stereotyped":
            rows = certain[rotation]
        case "randomly initialised":
            parts = np.cumsum(1 / np.arange(groups, 0, -1)) / groups
            rows = parts[rotation]
        case _:
            raise unknown(name)
    return np.tile(rows, (occupations, 1, 1))


def refuse_few(groups: int) -> None:
    """Raise unless there are at least two groups."""
    if groups < 2:
        raise CriterionError(f"A reference model needs at least 2 groups; got {groups}.")


def unknown(name: str) -> CriterionError:
    """Return the error for a name that is no reference model."""
    allowed = ", ".join(REFERENCE_MODELS)
    return CriterionError(f"There is no reference model {name!r}; choose one of: {allowed}.")
