"""The gate: whether a model is within the limits of a policy, decided by intervals and paired tests.

    Policy -> for each context, look by look: RunView (and that of the baseline) -> Judged -> GateReport

The caller scores: :func:`check_context` asks for the run of a look and gets its preferences.  An increase
*exceeds* its limit if the interval of the difference lies above it and, with a limit of 0 or more, the
permutation test of :mod:`pcf_core.measure.comparison` rejects that the two models are alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.comparing import common_names, compared
from pcf_core.audit.options import ViewOptions, with_families
from pcf_core.audit.policy import CannotTell, Context, Limit, Policy, Quantity
from pcf_core.audit.reading import RunView, even_criterion, view_of
from pcf_core.core.errors import CriterionError, ForbiddenWordsError, PolicyError
from pcf_core.core.records import FloatArray, Record
from pcf_core.core.risk import Comparison, Interval
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.core.topics import Topic
from pcf_core.material.templates import template_weights
from pcf_core.measure.bootstrap import RiskIntervals, risk_intervals
from pcf_core.measure.decisions import People, decisions_of
from pcf_core.measure.decomposition import total
from pcf_core.measure.distribution import mean_tilts
from pcf_core.measure.limits import LimitVerdict, Stage, limit_verdict, reaching, resamples_for, stages
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.wordings import splits, wording_split

Outcome = Literal["pass", "warn", "fail"]
ReadRun = Callable[[RunSpec], RunView]

MOST_CELLS = 100_000_000  # resamples × occupations × groups: 0.8 GB an array


class Judged(Record):
    """One limit and the verdict on it.

    ``value``: the figure, or the difference from the baseline, for display only.  ``interval`` decides, at
    level 1 − the limit's part of the error.  ``p_value``: of an increase, unless both are the same model.
    ``run``: with ``templates`` of the ``available`` ones.
    """

    limit: Limit
    value: float
    interval: Interval
    p_value: float | None = None
    verdict: LimitVerdict
    run: str
    templates: int
    available: int


class ContextReport(Record):
    """The limits of one context.

    ``topic``, ``templates``, ``evidence``: titles or names.  ``baseline``: label of the model that increases
    are measured from, and ``baseline_run`` its run at the last look, if any.  ``reliable``: false if coverage
    is so low that figures are hidden, although the verdicts stand.
    """

    topic: str
    templates: str
    evidence: str
    run: str
    baseline: str = ""
    baseline_run: str = ""
    judged: tuple[Judged, ...]
    cannot_tell: CannotTell
    warnings: tuple[str, ...] = ()
    reliable: bool = True

    def outcome_of(self, judged: Judged) -> Outcome:
        """Return the outcome of the verdict on a limit."""
        if judged.verdict == "cannot tell":
            return self.cannot_tell
        return "pass" if judged.verdict == "within" else "fail"

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of its limits."""
        return _worst(self.outcome_of(one) for one in self.judged)


class GateReport(Record):
    """Verdicts on all limits of a policy; ``model``: its label; ``error``: of all verdicts together."""

    model: str
    title: str
    error: float
    stop_early: bool
    contexts: tuple[ContextReport, ...]

    @property
    def judged(self) -> tuple[Judged, ...]:
        """The limits of all contexts."""
        return tuple(one for context in self.contexts for one in context.judged)

    @property
    def verdict(self) -> LimitVerdict:
        """*exceeds* if one limit is exceeded, *within* if the model is within all, else *cannot tell*."""
        verdicts = {one.verdict for one in self.judged}
        if "exceeds" in verdicts:
            return "exceeds"
        return "within" if verdicts == {"within"} else "cannot tell"

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of all limits."""
        return _worst(context.outcome for context in self.contexts)


def _worst(outcomes: Iterable[Outcome]) -> Outcome:
    return max(outcomes, key=("pass", "warn", "fail").index)


def check_groups(policy_context: Context, topic: Topic) -> None:
    """Raise PolicyError for limits on the tilt towards groups that the topic does not have."""
    unknown = [group for group in policy_context.max_tilt if group not in topic.group_names]
    if unknown:
        raise PolicyError(
            f"max_tilt names the group {unknown[0][:60]!r}, which the topic {topic.name!r} does not have: "
            f"use one of {', '.join(topic.group_names)}."
        )


def check_plan(context: Context, run: RunSpec, error: float, *, early: bool, has_baseline: bool) -> None:
    """Refuse limits on which no verdict is possible, before anything is scored for them.

    ``error``: of each limit.  ``early``: whether there are looks before all templates are scored.  Raises
    PolicyError for a limit on an unknown group, or on an increase without a baseline, CriterionError for an
    unknown criterion or an error too small for resampling, and EvidenceError or TopicError for unusable
    weights or references.
    """
    check_groups(context, run.topic)
    if context.min_impact_ratio is not None and not run.topic.decides:
        raise PolicyError(
            f"An impact ratio compares decisions about people, and the topic {run.topic.name!r} has no "
            "people: leave out min_impact_ratio, or choose a topic with favourable and unfavourable answers."
        )
    if context.compares and not has_baseline:
        raise PolicyError(
            f"The policy limits the increase over a baseline for the topic {run.topic.name!r} but names no "
            "baseline: give --baseline with a run or a model."
        )
    view = view_of(run, context.options)
    unit = TemplateUnit.templates(view.template_weights, with_families(run).templates.families)
    if context.max.wording_caprice is not None and not splits(unit.drawn_families):
        raise PolicyError(
            f"The policy limits wording caprice, and {run.templates.name} does not say most of its sentences "
            "in several wordings: use a set with families, such as `templates reword` makes, or leave the "
            "limit out."
        )
    _, looks = _looks(context, run, error, early=early)
    _resamples_of(min(look.error for look in looks), len(view.rows), len(run.topic.groups))


def _resamples_of(error: float, occupations: int, groups: int) -> int:
    resamples = resamples_for(error)
    if resamples * occupations * groups > MOST_CELLS:
        raise CriterionError(
            f"Checking these limits needs {resamples:,} resamples of {occupations:,} occupations and "
            f"{groups:,} groups, which do not fit in memory: set fewer limits, or allow a larger error."
        )
    return resamples


# Growing sets of templates, in an order independent of scores.


def scoring_order(texts: Sequence[str], weights: FloatArray) -> NDArray[np.intp]:
    """Return [template] rows, heaviest first, ties by the hashes of their texts."""
    hashes = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    return np.array(sorted(range(len(texts)), key=lambda place: (-weights[place], hashes[place])))


def _looks(
    context: Context, run: RunSpec, error: float, *, early: bool
) -> tuple[NDArray[np.intp], tuple[Stage, ...]]:
    """Return [template] rows in the order of scoring, and the looks at growing parts of them."""
    weights = template_weights(run.templates, context.template_weights)
    order, families = scoring_order(run.templates.texts, weights), run.templates.families
    labels = [families[row] for row in order] if families else []
    return order, stages(weights[order], error, early=early, families=labels)


def first_templates(run: RunSpec, rows: NDArray[np.intp]) -> RunSpec:
    """Return the run of these templates, in the order of the set; the run itself if these are all."""
    whole = run.templates
    if len(rows) == len(whole.templates):
        return run
    some = whole.model_copy(
        update={
            "name": f"{whole.name}-{len(rows)}-of-{len(whole.templates)}",
            "title": f"{whole.title}, {len(rows)} of {len(whole.templates)} for a check",
            "templates": tuple(whole.templates[index] for index in np.sort(rows)),
        }
    )
    return run.model_copy(update={"templates": some})


# The verdicts on the limits of one context.


def check_context(
    context: Context,
    run: RunSpec,
    error: float,
    read: ReadRun,
    *,
    policy: Policy,
    early: bool,
    read_baseline: ReadRun | None = None,
) -> ContextReport:
    """Judge the limits of one context, in looks if it may stop early.

    A limit keeps the verdict of the look that decided it; scoring ends once every limit has one.  ``run``: of
    all its templates.  ``error``: of each limit.  ``read`` scores the run of a look, if need be, and reads
    it; ``read_baseline`` returns what to compare it with.  ``policy``: says what *cannot tell* means if the
    context does not.

    Raises InputError as :func:`check_plan`, and RunError for a baseline that has other groups, or no template
    or occupation in common.
    """
    check_plan(context, run, error, early=early, has_baseline=read_baseline is not None)
    order, looks = _looks(context, run, error, early=early)
    judged: dict[Limit, Judged] = {}
    left, warnings, reading, other = list(context.limits), tuple[str, ...](), None, None
    for stage in looks:
        reading = read(first_templates(run, order[: stage.templates]))
        if context.compares and read_baseline is not None:
            other = read_baseline(reading.run)
            common_names(reading.run, other.run)  # even for the same model, which is not compared
        look = Analysis(reading, other, stage.error, len(order))
        try:
            judged |= {limit: look.judged(limit) for limit in left}
            warnings = look.warnings
        except ForbiddenWordsError:  # too many here may be few of all
            if stage is looks[-1]:
                raise
            continue
        left = [limit for limit in left if judged[limit].verdict == "cannot tell"]
        if not left:
            break
    assert reading is not None
    return ContextReport(
        topic=run.topic.name,
        templates=run.templates.name,
        evidence=run.evidence.name,
        run=reading.run.key,
        baseline=other.run.scoring.label if other else "",
        baseline_run=other.run.key if other else "",
        judged=tuple(judged[limit] for limit in context.limits),
        cannot_tell=context.cannot_tell or policy.cannot_tell,
        warnings=warnings,
        reliable=not reading.result.says_little,
    )


def same_model(one: ScoringKey, other: ScoringKey) -> bool:
    """Return whether two keys have the same weights and rules, under any names, trusting a pack's claim.

    A false claim gains nothing: the candidate would be compared with itself.
    """
    return one.model_dump(exclude={"model"}) == other.model_dump(exclude={"model"})


@dataclass(frozen=True)
class Analysis:
    """A look at a model and its baseline, if any; ``error`` of intervals, ``available`` templates."""

    reading: RunView
    baseline: RunView | None
    error: float
    available: int

    @property
    def options(self) -> ViewOptions:
        """The view options of both."""
        return self.reading.options

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return 1 - self.error

    @cached_property
    def resamples(self) -> int:
        """How many resamples intervals of this level need."""
        occupations, _, groups = self.reading.matrix.values.shape
        return _resamples_of(self.error, occupations, groups)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader has to know about the figures of this look."""
        sentences = self._comparison.warnings if self._comparable else self.reading.matrix.warnings
        return tuple(dict.fromkeys(sentences))

    def judged(self, limit: Limit) -> Judged:
        """Judge one limit."""
        if limit.increase:
            value, interval, p_value = self._increase(limit.quantity)
        else:
            (value, interval), p_value = self._figure(limit), None
        low, high = interval.low, interval.high
        if not (limit.increase and self._is_same_model):
            low, high = self._reaching(limit, low, high)
        if limit.kind == "least":  # a ratio is at least this if its negative is at most the negative
            verdict = limit_verdict(-high, -low, -limit.limit)
        else:
            verdict = limit_verdict(low, high, limit.limit)
        if verdict == "exceeds" and p_value is not None and limit.limit >= 0 and p_value > self.error:
            verdict = "cannot tell"
        return Judged(
            limit=limit,
            value=value,
            interval=interval.model_copy(update={"low": low, "high": high, "level": self.level}),
            p_value=p_value,
            verdict=verdict,
            run=self.reading.run.key,
            templates=len(self.reading.run.drawn.templates),
            available=self.available,
        )

    def _reaching(self, limit: Limit, low: float, high: float) -> tuple[float, float]:
        """Widen an interval of zero width for unseen contexts."""
        signed = limit.increase or limit.quantity == "tilt"
        if limit.increase:  # two models on common templates
            effective, figures = self._comparison.effective_templates, 2
        else:
            effective, figures = self.reading.matrix.effective, 1
        low, high = reaching(low, high, effective, self.error, figures)
        return max(low, -1.0 if signed else 0.0), min(high, 1.0)

    @cached_property
    def _intervals(self) -> RiskIntervals:
        matrix = self.reading.matrix
        return risk_intervals(
            matrix.values,
            matrix.whole,
            matrix.occupation_weights,
            matrix.criterion,
            resamples=self.resamples,
            level=self.level,
        )

    def _risk(self, name: str) -> tuple[float, Interval]:
        risks = total(self._intervals.parts, self.reading.matrix.occupation_weights)
        return getattr(risks, name), self._intervals.intervals[name][0]

    @cached_property
    def _wording(self) -> tuple[float, Interval]:
        """The wording's part of caprice; in a look without families, any part of caprice."""
        matrix = self.reading.matrix
        split = wording_split(
            matrix.values,
            matrix.whole,
            matrix.occupation_weights,
            self._intervals,
            matrix.criterion,
            resamples=self.resamples,
            level=self.level,
        )
        if split is not None:
            return split.wording, split.intervals["wording_caprice"][0]
        caprice, interval = self._risk("caprice_risk")
        return caprice, interval.model_copy(update={"low": 0.0})

    @cached_property
    def _tilts(self) -> Mapping[str, tuple[float, Interval]]:
        """The mean stereotype towards each group against an even split."""
        matrix = self.reading.matrix
        tilts = mean_tilts(
            even_criterion(self.reading.run.topic).stereotypes(matrix.values),
            matrix.whole,
            matrix.occupation_weights,
            groups=matrix.groups,
            occupations=matrix.occupations,
            resamples=self.resamples,
            level=self.level,
        )
        return {name: (tilt.mean, tilt.intervals["templates"]) for name, tilt in tilts.items()}

    @cached_property
    def _impact_ratio(self) -> tuple[float, Interval]:
        """The ratio of the groups' mean rates; of no favourable answer at all nothing is known."""
        matrix = self.reading.matrix
        decisions, _ = decisions_of(
            People(matrix.values, np.arange(len(matrix.groups))),
            matrix.groups,
            matrix.whole,
            matrix.occupation_weights,
            resamples=self.resamples,
            level=self.level,
        )
        return decisions.impact_ratio or 0.0, decisions.interval("impact_ratio") or Interval(low=0, high=1)

    def _figure(self, limit: Limit) -> tuple[float, Interval]:
        if limit.quantity == "impact_ratio":
            return self._impact_ratio
        if limit.quantity == "tilt":
            return self._tilts[limit.group]
        return self._wording if limit.quantity == "wording_caprice" else self._risk(limit.quantity)

    @property
    def _is_same_model(self) -> bool:
        return self.baseline is not None and same_model(self.reading.run.scoring, self.baseline.run.scoring)

    @property
    def _comparable(self) -> bool:
        return self.baseline is not None and not self._is_same_model

    @cached_property
    def _comparison(self) -> Comparison:
        if self.baseline is None:
            raise PolicyError("A limit on an increase needs a baseline to compare with: give --baseline.")
        return compared(
            self.reading,
            self.baseline,
            self.options,
            resamples=self.resamples,
            permutations=self.resamples,
            level=self.level,
        )

    def _increase(self, quantity: Quantity) -> tuple[float, Interval, float | None]:
        """Return the difference from the baseline, its interval over whole templates, and the test's p."""
        if self._is_same_model:
            return 0.0, Interval(low=0.0, high=0.0, level=self.level), None
        difference = self._comparison.differences[quantity]
        assert difference.basis is not None
        return difference.value, difference.basis, difference.p_value
