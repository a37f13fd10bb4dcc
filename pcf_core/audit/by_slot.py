"""The risk of a run by slot: by the kind of word that fits at ``[Y]``.

A set that was mined with several constructions mixes clauses (*he*), possessives (*his*) and nouns (*a man*),
whose words and preferences differ.  With m the slots and t their templates, caprice is, as in
:mod:`pcf_core.measure.wordings`, a part between slots and one inside them:

    R^c  =  [E_m J(E_t s) − J(E_m E_t s)]  +  [E_m E_t J(s) − E_m J(E_t s)]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pcf_core.audit.fitting import fits_in
from pcf_core.audit.reading import RunView
from pcf_core.audit.writing import risk_report
from pcf_core.core.risk import Interval
from pcf_core.measure.decomposition import decompose, jensen_gap
from pcf_core.measure.families import Families

ANY = "any"  # the slot of templates that do not say what fits


@dataclass(frozen=True)
class SlotRisk:
    """The risk in the templates of one slot: their number, share of the weight, and plug-in figures.

    ``slot``: what fits, such as ``pronoun`` or ``phrase+adjective``.  ``intervals``: over whole templates or
    families, occupations and both, by quantity.
    """

    slot: str
    templates: int
    weight: float
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    intervals: Mapping[str, tuple[Interval, ...]]


@dataclass(frozen=True)
class BySlot:
    """The slots of a run, heaviest first, and how much of its caprice lies ``between`` them.

    ``between`` is not corrected: it is too large where slots have few templates.
    """

    slots: tuple[SlotRisk, ...]
    between: float


def by_slot(reading: RunView, resamples: int = 2000) -> BySlot | None:
    """Report the risk of a run by slot.

    ``None`` if all of its templates have one, if a plan drew some, or if it has too many forbidden words.
    Raises as :func:`~pcf_core.audit.reading.report`.
    """
    forbidden = reading.result.forbidden
    if reading.run.plan is not None or (forbidden is not None and forbidden.too_many):
        return None
    matrix = reading.matrix
    used = matrix.template_weights > 0
    labels = np.array(["+".join(fits) or ANY for fits in fits_in(reading.run)])
    names, of = np.unique(labels, return_inverse=True)
    if len(set(labels[used])) < 2:
        return None
    weights = matrix.template_weights / matrix.template_weights.sum()
    slots = Families(of, weights)
    parts = decompose(matrix.values, weights, matrix.criterion)
    means = slots.means(matrix.criterion.stereotypes(matrix.values), axis=1)
    between = jensen_gap(matrix.criterion.of_stereotypes(means) @ slots.totals, parts.prejudice).clip(min=0.0)
    shares = matrix.occupation_weights / matrix.occupation_weights.sum()
    reports = [_slot(reading, name, of == slot, resamples) for slot, name in enumerate(names.tolist())]
    return BySlot(
        tuple(sorted((one for one in reports if one is not None), key=lambda one: -one.weight)),
        float(shares @ between),
    )


def _slot(reading: RunView, name: str, chosen: np.ndarray, resamples: int) -> SlotRisk | None:
    """Report one slot; ``None`` if it has no weight."""
    whole = reading.matrix
    rows = np.flatnonzero(chosen)
    weights = whole.template_weights[rows]
    if not weights.any():
        return None
    some = replace(
        whole,
        values=whole.values[:, rows],
        templates=tuple(whole.templates[row] for row in rows),
        template_weights=weights,
        families=tuple(whole.families[row] for row in rows) if whole.families else (),
        unit=None,
    )
    report = risk_report(some, resamples)
    return SlotRisk(
        slot=name,
        templates=len(rows),
        weight=float(weights.sum() / whole.template_weights.sum()),
        overall_risk=report.overall_risk,
        prejudice_risk=report.prejudice_risk,
        caprice_risk=report.caprice_risk,
        intervals=report.intervals,
    )
