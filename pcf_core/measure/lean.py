"""Prejudice split once more: what all occupations share, and what differs between them.

R^p is the mean over occupations of J(E_t s_x) (PCF Eq. 8).  J is convex, so it is at least J of the mean
stereotype of all occupations together, as r_x is at least r_x^p for one occupation:

    R  =  J(E_x E_t s)  +  [E_x J(E_t s) − J(E_x E_t s)]  +  caprice
          common lean      occupation-specific lean

All three are at least 0.  With two groups the common lean is the size of the mean tilt; the specific lean is
0 where every occupation leans the same way, however far, and grows with the occupations that lean the other
way.  The split is ours; the papers stop at R^p.  Its intervals over templates, occupations and both come from
the same draws as those of R^p (:mod:`pcf_core.measure.bootstrap`).

A worked example: two occupations of equal weight, stereotypes towards men of +0.6 and −0.2 in every context.
R = R^p = 0.4, the mean stereotype is +0.2, so 0.2 is common and 0.2 is specific.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, Lean, Over
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import Decomposition, jensen_gap
from pcf_core.measure.resampling import TemplateUnit, interval, rough, stretched


@dataclass(frozen=True)
class Draws:
    """What came of the templates that were drawn again.

    ``unit``: what was drawn; ``means``: [resample, occupation, group] mean stereotypes over templates;
    ``prejudice``: [resample, occupation] J of them.
    """

    unit: TemplateUnit
    means: FloatArray
    prejudice: FloatArray


def split(
    stereotype: FloatArray, prejudice: FloatArray, weights: FloatArray, criterion: Criterion
) -> tuple[FloatArray, FloatArray]:
    """Split R^p into what occupations share and what differs between them; both at least 0.

    Parameters
    ----------
    stereotype
        [..., occupation, group] mean stereotypes.
    prejudice
        [..., occupation] J of them.
    weights
        [..., occupation], sum to 1.
    criterion
        Its norm.

    Returns
    -------
    tuple
        [...] common and specific lean; they sum to R^p.
    """
    common = criterion.of_stereotypes((weights[..., np.newaxis, :] @ stereotype)[..., 0, :])
    return common, jensen_gap((weights * prejudice).sum(axis=-1), common)


def lean_of(
    parts: Decomposition,
    shares: FloatArray,
    criterion: Criterion,
    alone: Draws,
    across: Draws,
    occupations: FloatArray,
    level: float,
) -> Lean:
    """Split the prejudice of a run, with intervals.

    Parameters
    ----------
    parts
        The plug-in decomposition.
    shares
        [occupation] weights, sum to 1.
    criterion
        Its norm.
    alone, across
        What came of the templates drawn where the occupations stay, and where these are drawn too.
    occupations
        [resample, occupation] weights, rows sum to 1.
    level
        Share of the intervals that are to hold the truth.
    """
    common, specific = split(parts.stereotype, parts.prejudice, shares, criterion)
    many = TemplateUnit.templates(shares)
    most = float(shares @ criterion.largest(*parts.stereotype.shape))
    replicates: Mapping[Over, tuple[FloatArray, FloatArray, tuple[TemplateUnit, ...], str]] = {
        "templates": (
            *split(alone.means, alone.prejudice, shares, criterion),
            (alone.unit,),
            alone.unit.name,
        ),
        "occupations": (
            *split(parts.stereotype, parts.prejudice, occupations, criterion),
            (many,),
            "occupation",
        ),
        "both": (
            *split(across.means, across.prejudice, occupations, criterion),
            (across.unit, many),
            across.unit.name,
        ),
    }
    found: dict[str, list[Interval]] = {"common_lean": [], "specific_lean": []}
    values = {"common_lean": float(common), "specific_lean": float(specific)}
    for over, (of_all, of_each, units, name) in replicates.items():
        stretch, few = (
            max(unit.stretch(level) for unit in units),
            any(rough(unit.effective) for unit in units),
        )
        for quantity, drawn in (("common_lean", of_all), ("specific_lean", of_each)):
            low, high = stretched(drawn, level, stretch)
            value = values[quantity]
            bounds = np.array([min(max(low, 0.0), value), max(min(high, most), value)])
            found[quantity].append(interval(bounds, level, over, name, few))
    return Lean(
        common=values["common_lean"],
        specific=values["specific_lean"],
        intervals={quantity: tuple(several) for quantity, several in found.items()},
    )
