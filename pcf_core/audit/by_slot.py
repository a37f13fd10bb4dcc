"""The risk of a run by slot: by the kind of word that fits at ``[Y]``.

A set that was mined with several constructions mixes clauses (*he*), possessives (*his*) and nouns (*a man*),
whose words and preferences differ.  With m the slots and t their templates, caprice is, as in
:mod:`pcf_core.measure.wordings`, a part between slots and one inside them:

    R^c  =  [E_m J(E_t s) − J(E_m E_t s)]  +  [E_m E_t J(s) − E_m J(E_t s)]

Slots of few templates differ by chance alone.  The corrected part draws their means towards that of all by
the factor of that module, in which the templates (or families) of a slot are its wordings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.reading import RunView
from pcf_core.audit.writing import risk_report
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.decomposition import decompose, jensen_gap
from pcf_core.measure.families import Families
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.wordings import Variation


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

    ``between`` is a plug-in figure, too large where slots have few templates or families; the corrected one
    is ``None`` if no slot has two of them.
    """

    slots: tuple[SlotRisk, ...]
    between: float
    corrected_between: float | None


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
    labels = np.array(reading.labelled.drawn.slots)
    if not labels.size or len(set(labels[used])) < 2:
        return None
    names, of = np.unique(labels, return_inverse=True)
    weights = matrix.template_weights / matrix.template_weights.sum()
    slots = Families(of, weights)
    parts = decompose(matrix.values, weights, matrix.criterion)
    stereotypes = matrix.criterion.stereotypes(matrix.values)
    means = slots.means(stereotypes, axis=1)
    shares = matrix.occupation_weights / matrix.occupation_weights.sum()
    reports = [_slot(reading, name, of == slot, resamples) for slot, name in enumerate(names.tolist())]

    def between(factor: float = 1.0) -> float:
        """Return what lies between slot means that are drawn towards the mean of all."""
        middle = parts.stereotype[:, np.newaxis]
        risks = matrix.criterion.of_stereotypes(middle + factor * (means - middle)) @ slots.totals
        return float(shares @ jensen_gap(risks, parts.prejudice).clip(min=0.0))

    variation = _variation(matrix.whole, stereotypes, of, shares)
    known = (variation.counted > 0).any()
    return BySlot(
        tuple(sorted((one for one in reports if one is not None), key=lambda one: -one.weight)),
        between(),
        between(variation.factor) if known else None,
    )


def _variation(
    whole: TemplateUnit, stereotypes: FloatArray, of: NDArray[np.intp], shares: FloatArray
) -> Variation:
    """Return how slots vary, and the templates or families inside them; a family is in its first slot."""
    items = of
    if whole.drawn_families is not None:
        _, firsts = np.unique(whole.drawn_families.of, return_index=True)
        _, items = np.unique(of[firsts], return_inverse=True)
    return Variation.of(whole.means(stereotypes, axis=1), Families(items, whole.items), shares)


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
        slots=(),
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
