"""Knowledge and how confident it is: the decomposition of risk turned round, with a concave score.

PCF section 5.1 and BVF appendix E.1: if J grows with the probability p of the right answers and is concave,
Jensen's inequality says E_t J(p) ≤ J(E_t p) (the papers write <; a p that no context moves gives equality).
J(E_t p) is what the model knows, contexts averaged first, and the difference, the confidence gap, is what
its contexts take from each other.  The gap is no caprice: caprice is the gap of a convex J of stereotypes.

Worked example: √p of p = 0.01 and 0.49 in two contexts that weigh alike.  Knowledge √0.25 = 0.5, mean score
(0.1 + 0.7)/2 = 0.4, confidence gap 0.1.

The papers name no J ("we leave the refinement of this … as future work"); these are ours, each increasing
and concave on [0, 1] with J(0) = 0 and J(1) = 1:

=============  ============  ===========================================================================
``sqrt``       √p            the default: steep near 0, so a first trace of knowledge counts much
``log1p``      ln(1+p)/ln 2  almost a straight line: differences of p count nearly alike, gaps are small
``quadratic``  p(2 − p)      1 − (1 − p)²; the gap is exactly the variance of p over contexts
=============  ============  ===========================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray
from pcf_core.risk.decomposition import jensen_gap
from pcf_core.risk.validation import normalised

DEFAULT_SCORE = "sqrt"


@dataclass(frozen=True)
class KnowledgeScore:
    """J: ``of`` maps probabilities to scores, both in [0, 1]; ``formula`` is what people see."""

    name: str
    formula: str
    of: Callable[[FloatArray], FloatArray]


SCORES: Mapping[str, KnowledgeScore] = {
    score.name: score
    for score in (
        KnowledgeScore("sqrt", "√p", np.sqrt),
        KnowledgeScore("log1p", "ln(1+p)/ln 2", lambda p: np.log1p(p) / math.log(2)),
        KnowledgeScore("quadratic", "p(2 − p)", lambda p: p * (2 - p)),
    )
}


@dataclass(frozen=True)
class KnowledgeParts:
    """By fact, all [fact] and in [0, 1]; ``knowledge`` − ``confidence_gap`` = ``mean_score``.

    ``mean_probability``: E_t p.  ``knowledge``: J(E_t p).  ``mean_score``: E_t J(p).  ``confidence_gap``:
    never below 0, and exactly 0 where all that differs is rounding.
    """

    mean_probability: FloatArray
    knowledge: FloatArray
    mean_score: FloatArray
    confidence_gap: FloatArray


@dataclass(frozen=True)
class KnowledgeTotal:
    """Means over facts by weight."""

    knowledge: float
    mean_score: float
    confidence_gap: float


def knowledge_score(name: str) -> KnowledgeScore:
    """The score of that name.

    Raises:
        CriterionError: there is none.
    """
    if name not in SCORES:
        raise CriterionError(f"The score of knowledge must be one of {', '.join(SCORES)}; got {name!r}.")
    return SCORES[name]


def knowledge_parts(values: ArrayLike, template_weights: ArrayLike, score: KnowledgeScore) -> KnowledgeParts:
    """Knowledge J(E_t p), mean score E_t J(p) and the gap between them, of each fact.

    Args:
        values: [fact, template] probabilities of the right answers among the right and wrong ones.
        template_weights: [template] finite, >= 0, positive sum; normalised here.
        score: J.

    Raises:
        CriterionError: values or weights that are not allowed, or do not fit each other.
    """
    probabilities = checked_probabilities(values)
    weights = normalised(template_weights, probabilities.shape[1], "template_weights")
    mean = np.minimum(probabilities @ weights, 1.0)  # a mean of ones may be a rounding above 1
    knowledge = score.of(mean)
    gap = jensen_gap(knowledge, score.of(probabilities) @ weights)
    return KnowledgeParts(mean, knowledge, knowledge - gap, gap)


def knowledge_total(parts: KnowledgeParts, fact_weights: ArrayLike) -> KnowledgeTotal:
    """Average over facts.

    Args:
        parts: of each fact.
        fact_weights: [fact] finite, >= 0, positive sum; normalised here.

    Raises:
        CriterionError: weights that are not allowed.
    """
    weights = normalised(fact_weights, len(parts.knowledge), "fact_weights")
    knowledge, gap = float(weights @ parts.knowledge), float(weights @ parts.confidence_gap)
    return KnowledgeTotal(knowledge, knowledge - gap, gap)


def checked_probabilities(values: ArrayLike) -> FloatArray:
    """[fact, template] probabilities as float64.

    Raises:
        CriterionError: another shape, or a number outside [0, 1], naming the first.
    """
    probabilities = np.asarray(values, dtype=np.float64)
    if probabilities.ndim != 2 or 0 in probabilities.shape:
        raise CriterionError(
            "Probabilities of right answers must have the axes [fact][template] with at least one of each; "
            f"got the shape {list(probabilities.shape)}."
        )
    refused = ~((probabilities >= 0) & (probabilities <= 1))
    if refused.any():
        fact, template = (int(index) for index in np.argwhere(refused)[0])
        raise CriterionError(
            f"The probability [{fact}][{template}] of the right answers must lie between 0 and 1; "
            f"got {probabilities[fact, template]:.6g}."
        )
    return probabilities
