"""Knowledge and its confidence gap: the decomposition of risk with a concave score of the right answers.

PCF section 5.1 and BVF appendix E.1: if J grows with the probability p of the right answers and is concave,
E_t J(p) ≤ J(E_t p) by Jensen's inequality (the papers write <; constant p gives equality).  J(E_t p) is the
knowledge, and the difference, the confidence gap, is what varying contexts cost.  It is not caprice, the gap
of a convex J of stereotypes.

Example: √p of p = 0.01 and 0.49 in two equally weighted contexts.  Knowledge √0.25 = 0.5, mean score (0.1 +
0.7)/2 = 0.4, confidence gap 0.1.

The papers name no J ("we leave the refinement of this … as future work"); these are ours, each increasing and
concave on [0, 1] with J(0) = 0 and J(1) = 1:

=============  ============  ===========================================================================
``sqrt``       √p            the default: steep near 0, so a first trace of knowledge counts much
``log1p``      ln(1+p)/ln 2  almost a straight line: differences of p count nearly equally, gaps are small
``quadratic``  p(2 − p)      1 − (1 − p)²; the gap is exactly the variance of p over contexts
=============  ============  ===========================================================================

**Intervals** over templates, facts or both are stretched percentiles (:mod:`pcf_core.measure.resampling`).  J
is concave, so with few templates knowledge and the gap are biased downwards, and resamples twice so.
Replicates of knowledge are therefore shifted by twice their mean shortfall, and those of the gap, which like
a variance is too small by a factor, scaled by the square of that factor.  The mean score E_t J(p) is
unbiased. Every interval contains the plug-in estimate, which is what is reported.  There is no interval over
an axis with a single template or fact, nor over both.

Coverage of 95 % intervals over templates, simulated with √p and contexts that move p much: knowledge and mean
score 92 to 95 of 100 with 10 templates, the gap 88 to 94; with 30, 93 to 95
(tests/measure/test_knowledge.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.knowledge import QUANTITIES
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, Over
from pcf_core.measure.criterion import normalised
from pcf_core.measure.decomposition import jensen_gap
from pcf_core.measure.resampling import (
    TemplateUnit,
    interval,
    resampled_occupation_weights,
    resampled_template_weights,
    stretch_and_few,
    stretched,
)

DEFAULT_SCORE = "sqrt"


@dataclass(frozen=True)
class KnowledgeScore:
    """A score J: ``of`` maps probabilities to scores, both in [0, 1]."""

    name: str
    words: str
    formula: str
    of: Callable[[FloatArray], FloatArray]


SCORES: Mapping[str, KnowledgeScore] = {
    score.name: score
    for score in (
        KnowledgeScore("sqrt", "square root", "√p", np.sqrt),
        KnowledgeScore("log1p", "logarithm", "ln(1+p)/ln 2", lambda p: np.log1p(p) / math.log(2)),
        KnowledgeScore("quadratic", "quadratic", "p(2 − p)", lambda p: p * (2 - p)),
    )
}


@dataclass(frozen=True)
class KnowledgeParts:
    """Values by [fact], in [0, 1]; ``knowledge`` J(E_t p) − ``confidence_gap`` = ``mean_score`` E_t J(p).

    ``confidence_gap`` is never below 0, and exactly 0 where only rounding differs.
    """

    mean_probability: FloatArray
    knowledge: FloatArray
    mean_score: FloatArray
    confidence_gap: FloatArray


@dataclass(frozen=True)
class KnowledgeTotal:
    """Weighted means over facts."""

    knowledge: float
    mean_score: float
    confidence_gap: float


def knowledge_score(name: str) -> KnowledgeScore:
    """Return the score of that name.

    Raises CriterionError if there is none of that name.
    """
    if name not in SCORES:
        raise CriterionError(f"The score of knowledge must be one of {', '.join(SCORES)}; got {name!r}.")
    return SCORES[name]


def knowledge_parts(values: ArrayLike, template_weights: ArrayLike, score: KnowledgeScore) -> KnowledgeParts:
    """Compute knowledge J(E_t p), mean score E_t J(p) and the gap between them, by fact.

    ``values`` [fact, template] probabilities of the right answers among the right and wrong ones;
    ``template_weights`` [template] finite, >= 0, positive sum (normalised here).  Raises CriterionError for
    values or weights that are not allowed, or do not fit each other.
    """
    probabilities = checked_probabilities(values)
    weights = normalised(template_weights, probabilities.shape[1], "template_weights")
    mean = np.minimum(probabilities @ weights, 1.0)  # rounding
    knowledge = score.of(mean)
    gap = jensen_gap(knowledge, score.of(probabilities) @ weights)
    return KnowledgeParts(mean, knowledge, knowledge - gap, gap)


def knowledge_total(parts: KnowledgeParts, fact_weights: ArrayLike) -> KnowledgeTotal:
    """Average over facts.

    ``fact_weights`` [fact] finite, >= 0, positive sum (normalised here).  Raises CriterionError for weights
    that are not allowed.
    """
    weights = normalised(fact_weights, len(parts.knowledge), "fact_weights")
    knowledge, gap = float(weights @ parts.knowledge), float(weights @ parts.confidence_gap)
    return KnowledgeTotal(knowledge, knowledge - gap, gap)


def checked_probabilities(values: ArrayLike) -> FloatArray:
    """Check probabilities; return [fact, template] as float64."""
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


# Intervals.


@dataclass(frozen=True)
class KnowledgeIntervals:
    """Intervals of knowledge, its gap, mean score and gain.

    ``intervals``: by quantity, over templates, facts (``occupations``) and both, where there are two to
    resample; no ``gain`` if ``elsewhere`` is unknown.  ``facts`` [fact, 2]: bounds of knowledge over
    templates, ``None`` with one template.
    """

    intervals: Mapping[str, tuple[Interval, ...]]
    facts: FloatArray | None


def knowledge_intervals(
    values: ArrayLike,
    elsewhere: Sequence[ArrayLike] | None,
    template_weights: ArrayLike,
    fact_weights: ArrayLike,
    score: KnowledgeScore,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> KnowledgeIntervals:
    """Return intervals of knowledge, confidence gap, mean score and gain.

    ``values`` [fact, template] p(right answers | right or wrong ones); ``elsewhere``: for each fact [subject,
    template] the same with other subjects, at least one, ``None`` if unknown; ``template_weights`` [template]
    and ``fact_weights`` [fact] finite, >= 0, positive sum; ``level`` inside (0, 1).  Raises CriterionError if
    any of these is not allowed.
    """
    probabilities = checked_probabilities(values)
    unit = TemplateUnit.templates(normalised(template_weights, probabilities.shape[1], "template_weights"))
    shares = normalised(fact_weights, len(probabilities), "fact_weights")
    facts = TemplateUnit.templates(shares)
    blocks = np.concatenate(list(resampled_template_weights(unit, resamples, seed)))
    drawn = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    quantities = _Quantities.of(probabilities, elsewhere, unit.weights, shares, blocks, score)
    several_templates, several_facts = (np.count_nonzero(some) > 1 for some in (unit.weights, shares))
    possible = {
        "templates": several_templates,
        "occupations": several_facts,
        "both": several_templates and several_facts,
    }

    def three(name: str) -> tuple[Interval, ...]:
        plug_in, replicates = quantities.plug_in[name], quantities.replicates[name]
        value = float(shares @ plug_in)
        over_both = np.einsum("rx,rx->r", replicates, drawn)
        overs: tuple[tuple[Over, str, FloatArray, tuple[TemplateUnit, ...]], ...] = (
            ("templates", "template", replicates @ shares, (unit,)),
            ("occupations", "fact", drawn @ plug_in, (facts,)),
            ("both", "template", over_both, (unit, facts)),
        )
        lowest = -1.0 if name == "gain" else 0.0
        intervals = []
        for over, kind, several, units in overs:
            if not possible[over]:
                continue
            stretch, few = stretch_and_few(units, level)
            low, high = np.clip(stretched(several, level, stretch), lowest, 1.0)
            ends = np.array([min(low, value), max(high, value)])
            intervals.append(interval(ends, level, over, kind, few))
        return tuple(intervals)

    knowledge = quantities.plug_in["knowledge"]
    bounds = np.clip(stretched(quantities.replicates["knowledge"], level, unit.stretch(level)), 0.0, 1.0)
    return KnowledgeIntervals(
        intervals={name: three(name) for name in QUANTITIES if name in quantities.plug_in},
        facts=np.stack([np.minimum(bounds[0], knowledge), np.maximum(bounds[1], knowledge)], axis=-1)
        if several_templates
        else None,
    )


@dataclass(frozen=True)
class _Quantities:
    """Hold by quantity: ``plug_in`` [fact], and ``replicates`` [resample, fact] corrected for bias."""

    plug_in: Mapping[str, FloatArray]
    replicates: Mapping[str, FloatArray]

    @classmethod
    def of(
        cls,
        probabilities: FloatArray,
        elsewhere: Sequence[ArrayLike] | None,
        weights: FloatArray,
        shares: FloatArray,
        blocks: FloatArray,
        score: KnowledgeScore,
    ) -> _Quantities:
        """Resample [fact, template] probabilities with template weights ``blocks`` [resample, template]."""
        parts = knowledge_parts(probabilities, weights, score)
        scores = blocks @ score.of(probabilities).T
        known = score.of(_means(blocks, probabilities))
        plug_in = {
            "knowledge": parts.knowledge,
            "confidence_gap": parts.confidence_gap,
            "mean_score": parts.mean_score,
        }
        replicates = {
            "knowledge": _moved(known, parts.knowledge),
            "confidence_gap": _stretched(known - scores, parts.confidence_gap, shares),
            "mean_score": scores,
        }
        if elsewhere is not None:
            each = [checked_probabilities(others) for others in elsewhere]
            plain = np.array([knowledge_parts(others, weights, score).knowledge.mean() for others in each])
            drawn = [score.of(_means(blocks, others)).mean(axis=1) for others in each]
            plug_in["gain"] = parts.knowledge - plain
            replicates["gain"] = replicates["knowledge"] - _moved(np.stack(drawn, axis=1), plain)
        return cls(plug_in, replicates)


def _means(blocks: FloatArray, probabilities: FloatArray) -> FloatArray:
    """Return [resample, fact] means, at most 1."""
    return np.minimum(blocks @ probabilities.T, 1.0)


def _moved(replicates: FloatArray, plug_in: FloatArray) -> FloatArray:
    """Shift [resample, fact] replicates of J(E_t p) by twice the bias: their own, and the estimate's."""
    return np.asarray(replicates + 2 * (plug_in - replicates.mean(axis=0)))


def _stretched(replicates: FloatArray, plug_in: FloatArray, shares: FloatArray) -> FloatArray:
    """Scale [resample, fact] replicates of the gap by the squared ratio of its means over facts."""
    drawn, gap = float(replicates.mean(axis=0) @ shares), float(plug_in @ shares)
    return np.asarray(replicates * (gap / drawn) ** 2 if gap > 0 and drawn > 0 else replicates)
