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

**How far knowledge and its confidence gap move when templates, facts or both are drawn again.**  The
resamples are those of every bootstrap here (:mod:`pcf_core.measure.resampling`), the bounds expanded
percentiles.  J is concave, so J of a mean over few templates lies below J of the true mean: knowledge and the
gap are too small by as much, and resamples are so once more.  Replicates of knowledge are therefore moved by
twice what they lack on average, and those of the gap, which as a variance is too small by a share of itself,
stretched twice by that share.  The mean score E_t J(p) is a mean and needs none of it.  Every interval holds
the plug-in estimate, which is what is reported.  One template, or one fact, says nothing of how far others
lie: there is no interval over that axis then, nor over both.

How often 95 % intervals over templates hold the truth, simulated with √p and contexts that move p much: of
knowledge and mean score in 92 to 95 of 100 with 10 templates, of the gap in 88 to 94; with 30, in 93 to 95
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
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
    stretched,
)

DEFAULT_SCORE = "sqrt"


@dataclass(frozen=True)
class KnowledgeScore:
    """J: ``of`` maps probabilities to scores, both in [0, 1]; people see its ``words`` and ``formula``."""

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
    """Return the knowledge score of that name.

    Raises
    ------
    CriterionError
        There is none.
    """
    if name not in SCORES:
        raise CriterionError(f"The score of knowledge must be one of {', '.join(SCORES)}; got {name!r}.")
    return SCORES[name]


def knowledge_parts(values: ArrayLike, template_weights: ArrayLike, score: KnowledgeScore) -> KnowledgeParts:
    """Compute knowledge J(E_t p), mean score E_t J(p) and the gap between them, of each fact.

    Parameters
    ----------
    values
        [fact, template] probabilities of the right answers among the right and wrong ones.
    template_weights
        [template] finite, >= 0, positive sum; normalised here.
    score
        J.

    Raises
    ------
    CriterionError
        Values or weights that are not allowed, or do not fit each other.
    """
    probabilities = checked_probabilities(values)
    weights = normalised(template_weights, probabilities.shape[1], "template_weights")
    mean = np.minimum(probabilities @ weights, 1.0)  # a mean of ones may be a rounding above 1
    knowledge = score.of(mean)
    gap = jensen_gap(knowledge, score.of(probabilities) @ weights)
    return KnowledgeParts(mean, knowledge, knowledge - gap, gap)


def knowledge_total(parts: KnowledgeParts, fact_weights: ArrayLike) -> KnowledgeTotal:
    """Average over facts.

    Parameters
    ----------
    parts
        Of each fact.
    fact_weights
        [fact] finite, >= 0, positive sum; normalised here.

    Raises
    ------
    CriterionError
        Weights that are not allowed.
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


# How far knowledge and its confidence gap move when templates, facts or both are drawn again.


@dataclass(frozen=True)
class KnowledgeIntervals:
    """Intervals of knowledge and of its gain.

    ``intervals``: by quantity, of the mean over facts, over templates, facts (``occupations``) and both, as
    far as there are two of what is drawn again; ``gain`` is absent where ``elsewhere`` is unknown.
    ``facts``: [fact, 2] bounds of knowledge over templates, ``None`` where there is one.
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

    Parameters
    ----------
    values
        [fact, template] p(right answers | right or wrong ones).
    elsewhere
        For each fact [subject, template] the same with other subjects, at least one; ``None`` where that is
        unknown.
    template_weights
        [template] finite, >= 0, positive sum; templates are drawn alike.
    fact_weights
        [fact] likewise; facts are drawn alike.
    score
        J.
    resamples
        How many times templates and facts are drawn again.
    level
        Share of the intervals that are to hold the truth, inside (0, 1).
    seed
        The same seed gives the same intervals.

    Raises
    ------
    CriterionError
        Anything of the above that is not allowed.
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
            stretch = max(some.stretch(level) for some in units)
            low, high = np.clip(stretched(several, level, stretch), lowest, 1.0)
            intervals.append(
                Interval(
                    over=over,
                    level=level,
                    low=min(float(low), value),
                    high=max(float(high), value),
                    unit=kind,
                    few=any(rough(some.effective) for some in units),
                )
            )
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
    """By quantity: ``plug_in`` [fact], and ``replicates`` [resample, fact], centred without bias."""

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
        """Resample [fact, template] probabilities.

        They are weighed by [template] weights and by ``blocks`` [resample, template] of them; ``shares``:
        [fact] weights.
        """
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
    """Return [resample, fact] means, with what rounding puts above 1 removed."""
    return np.minimum(blocks @ probabilities.T, 1.0)


def _moved(replicates: FloatArray, plug_in: FloatArray) -> FloatArray:
    """Move [resample, fact] replicates of J(E_t p) by twice the bias: theirs, and the estimate's own."""
    return np.asarray(replicates + 2 * (plug_in - replicates.mean(axis=0)))


def _stretched(replicates: FloatArray, plug_in: FloatArray, shares: FloatArray) -> FloatArray:
    """Stretch [resample, fact] replicates of the gap by the ratio of its means over facts, likewise."""
    drawn, gap = float(replicates.mean(axis=0) @ shares), float(plug_in @ shares)
    return np.asarray(replicates * (gap / drawn) ** 2 if gap > 0 and drawn > 0 else replicates)
