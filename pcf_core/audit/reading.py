"""From the preferences of a run to a risk report under view options."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.answers import FULL, NO_ANSWER, answers_report
from pcf_core.audit.forbidden import FORBIDS_A_WORD, filled, forbidden_warning
from pcf_core.audit.options import (
    Counted,
    ViewOptions,
    counted_occupations,
    slots_of,
    unit_of,
    with_families,
)
from pcf_core.audit.preferences import Result
from pcf_core.audit.sampling import plan_report, weights_of
from pcf_core.audit.writing import Matrix, risk_report, unanswered
from pcf_core.core.errors import (
    CriterionError,
    EvidenceError,
    ForbiddenWordsError,
    InputError,
    TemplateError,
)
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decisions import People, RateCriterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.resampling import TemplateUnit


def report(
    result: Result, run: RunSpec, options: ViewOptions, resamples: int = 2000, *, brief: bool = False
) -> RiskReport:
    """Report the risk of a run under view options, with intervals over templates, occupations and both.

    A run with a sampling plan gives estimates for all its templates.  A ``brief`` report of another run has
    only intervals of R, in a fraction of the time.  With too many forbidden words the report has no figures.

    Raises EvidenceError for weights that cannot be used, TemplateError for template weights that a sampling
    plan does not allow, and CriterionError for a criterion, reference or unit that cannot be used.
    """
    view = RunView(run, result, options)
    if result.forbidden is not None and result.forbidden.too_many:
        risks = unanswered(view.matrix_of(result.preferences.values))
    elif (answers := result.answers) is not None:
        none = answers.none[view.view.rows]
        risks = answers_report(view.matrix_of(answers.counts), none, resamples, answers.group)
    elif run.plan is None:
        risks = risk_report(view.matrix, resamples, brief=brief)
    else:
        risks = plan_report(view.matrix, run, resamples)
    return replace(risks, coverage=result.coverage, self_audit=result.self_audit, forbidden=result.forbidden)


# View options resolved for one run.


@dataclass(frozen=True)
class View:
    """Resolved view options.

    ``rows`` [occupation]: those that count, on the run's occupation axis; ``occupation_weights`` and rows of
    a reference are in their order, ``template_weights`` in that of the run's templates.  Weights are >= 0
    with a positive sum.
    """

    rows: NDArray[np.intp]
    occupation_weights: FloatArray
    template_weights: FloatArray
    criterion: Criterion

    def risks(self, values: FloatArray, templates: NDArray[Any] | None = None) -> dict[str, float]:
        """Compute R, R^p, R^c and the mean s.d. of the stereotype, by name.

        ``values`` [occupation, template, group]: preferences of all occupations of the run.  ``templates``:
        rows, or a mask; ``None`` for all.
        """
        chosen, weights = values[self.rows], self.template_weights
        if templates is not None:
            chosen, weights = chosen[:, templates], weights[templates]
        parts = decompose(chosen, weights, self.criterion)
        totals = total(parts, self.occupation_weights)
        shares = self.occupation_weights / self.occupation_weights.sum()
        return {
            "overall_risk": totals.overall_risk,
            "prejudice_risk": totals.prejudice_risk,
            "caprice_risk": totals.caprice_risk,
            "stereotype_sd": float(shares @ parts.stereotype_sd),
        }

    def part(self, start: int, stop: int) -> View:
        """Return the view of some of its occupations, as if they were all."""
        reference = self.criterion.reference
        if reference is not None and reference.ndim == 2:
            reference = reference[start:stop]
        return replace(
            self,
            rows=self.rows[start:stop],
            occupation_weights=self.occupation_weights[start:stop],
            criterion=replace(self.criterion, reference=reference),
        )


def view_of(run: RunSpec, options: ViewOptions) -> View:
    """Resolve the options for a run, raising the errors of :func:`report`, and TopicError for a reference."""
    return _view(run, options, counted_occupations(run.evidence, run.topic, options))


def even_criterion(topic: Topic) -> Criterion:
    """Return the criterion whose stereotypes are tilts: from an even split, or between rates of decisions."""
    return RateCriterion() if topic.decides else Criterion()


def criterion_for(options: ViewOptions, reference: FloatArray | None = None, *, rated: bool) -> Criterion:
    """Return the criterion of preferences, or of rates, which raise CriterionError for options of theirs."""
    if not rated:
        return Criterion.parse(options.criterion, options.scale, reference)
    if (options.criterion, options.scale) != ("max", "pcf") or reference is not None:
        raise CriterionError(
            "Rates of decisions are compared by their range over groups: leave out --criterion, --scale and "
            "--reference."
        )
    return RateCriterion()


def _view(run: RunSpec, options: ViewOptions, counted: Counted, without: Collection[str] = ()) -> View:
    """Resolve the options for the occupations ``counted``, and no weight of the templates ``without``."""
    index_of = {term: index for index, term in enumerate(run.evidence.terms)}
    weights = weights_of(run, options.template_weighting)
    if without:
        weights = np.where(np.isin(run.drawn.texts, list(without)), 0.0, weights)
        if not weights.any():
            raise TemplateError(
                f"No sentence with a weight can be counted in the run {run.key}: {FORBIDS_A_WORD}. Leave "
                "such words out of the topic, or count all sentences equally."
            )
        weights = weights / weights.sum()
    return View(
        rows=np.array([index_of[term] for term in counted.weights]),
        occupation_weights=np.array(list(counted.weights.values())),
        template_weights=weights,
        criterion=criterion_for(options, counted.reference, rated=run.topic.decides),
    )


@dataclass(frozen=True)
class RunView:
    """A finished run under view options, for reports, comparisons and sensitivity.

    ``result``: the run's preferences under the protocol and the aggregation of the options.  Everything is
    computed once, when first used; errors are those of :func:`report`, and ForbiddenWordsError for values
    with too many forbidden words.
    """

    run: RunSpec
    result: Result
    options: ViewOptions

    @property
    def occupations_left_out(self) -> tuple[str, ...]:
        """The occupations that do not count, because cells have no preference, or none has an answer."""
        if (answers := self.result.answers) is not None:
            return tuple(compress(self.run.evidence.terms, np.asarray(~answers.there.any(axis=1))))
        return self.result.forbidden.occupations if self.result.forbidden else ()

    @property
    def templates_left_out(self) -> tuple[str, ...]:
        """The templates in which one of the other occupations has no preference."""
        return self.result.forbidden.templates if self.result.forbidden else ()

    @cached_property
    def counted(self) -> Counted:
        """The occupations that count, their weights and neutral point."""
        counted = counted_occupations(self.run.evidence, self.run.topic, self.options)
        return counted.without(
            self.occupations_left_out, NO_ANSWER if self.result.answers else FORBIDS_A_WORD
        )

    @cached_property
    def view(self) -> View:
        """The resolved view options, without occupations and templates that lack preferences."""
        return _view(self.run, self.options, self.counted, self.templates_left_out)

    @cached_property
    def unit(self) -> TemplateUnit:
        """The unit that intervals over templates resample."""
        return unit_of(self.labelled, self.view.template_weights, self.options)

    @cached_property
    def labelled(self) -> RunSpec:
        """The run with the families of its templates."""
        return with_families(self.run)

    @cached_property
    def values(self) -> FloatArray:
        """[occupation, template, group] preferences of all occupations of the run.

        An even split stands in cells without a preference, which have no weight.
        """
        forbidden = self.result.forbidden
        if forbidden is not None and forbidden.too_many:
            label = self.run.scoring.label
            raise ForbiddenWordsError(
                f"The run {self.run.key} of {label} has no risk. {forbidden_warning(forbidden)[0]}"
            )
        return filled(self.result.preferences.values)

    @property
    def people(self) -> People | None:
        """The rates of single people in the occupations that count, if the topic is about people."""
        rates = self.result.preferences.people
        if rates is None:
            return None
        sizes = [len(group.words) for group in self.run.topic.groups]
        return People(np.nan_to_num(rates[self.view.rows], nan=0.5), np.repeat(np.arange(len(sizes)), sizes))

    @cached_property
    def matrix(self) -> Matrix:
        """The input of a report, with only the occupations that count."""
        return self.matrix_of(self.values)

    def matrix_of(self, values: FloatArray) -> Matrix:
        """Return the same with other values [occupation, template, group]."""
        view, preferences = self.view, self.result.preferences
        return Matrix(
            values=values[view.rows],
            groups=preferences.groups,
            occupations=tuple(self.counted.weights),
            templates=preferences.templates,
            template_weights=view.template_weights,
            occupation_weights=view.occupation_weights,
            criterion=view.criterion,
            families=self.labelled.drawn.families,
            slots=slots_of(self.labelled),
            people=self.people,
            unit=self.unit,
            left_out=(
                *self.run.topic.left_out,
                *self.result.left_out,
                *self.counted.left_out,
                *(LeftOut(name=text, reason=FORBIDS_A_WORD) for text in self.templates_left_out),
            ),
            warnings=(*self.result.warnings, *self._lost_occupations(), *self._lost_matches()),
        )

    def _lost_occupations(self) -> Iterator[str]:
        """Yield a sentence if occupations lack the figures that the options need."""
        total = len(self.run.evidence.terms)
        used = total - sum(item.reason != FORBIDS_A_WORD for item in self.counted.left_out)
        if used < total:
            yield (
                f"{total - used:,} of {total:,} occupations are left out, because the figure for their "
                f"weight or for what counts as even is missing; {100 * used / total:.0f} % of the list "
                "remains."
            )

    def _lost_matches(self) -> Iterator[str]:
        """Yield a sentence if intervals over documents ignore templates that were cut from the set."""
        share = self.run.templates.kept
        if self.unit.name == "document" and 0 < share < FULL:
            yield (
                f"These sentences cover {100 * share:.0f} % of the matches in the corpus. Ranges over "
                "documents apply to these sentences only; ranges over whole sentences also allow for "
                "others."
            )


# A run with other counts or weights.


def read_with(
    run: RunSpec, templates: TemplateSet | None = None, evidence: Evidence | None = None
) -> RunSpec:
    """Return a run with the counts of another set of its templates, or the weights of another list.

    Raises TemplateError or EvidenceError for other templates or terms than those that were scored, and
    RunError if the run has a sampling plan with other counts.
    """
    changed = run
    if templates is not None:
        by_text = {template.text: template for template in templates.templates}
        _must_be_scored(run, list(by_text), run.templates.texts, templates.name, TemplateError)
        ordered = tuple(by_text[text] for text in run.templates.texts)
        changed = changed.model_copy(
            update={"templates": templates.model_copy(update={"templates": ordered})}
        )
    if evidence is not None:
        _must_be_scored(run, evidence.terms, run.evidence.terms, evidence.name, EvidenceError)
        weight_of = dict(zip(evidence.terms, evidence.weights, strict=False))
        update = {
            "terms": run.evidence.terms,
            "codes": run.evidence.codes,
            "weights": tuple(weight_of[term] for term in run.evidence.terms) if weight_of else (),
        }
        changed = changed.model_copy(update={"evidence": evidence.model_copy(update=update)})
    changed.with_lists_of(run)
    return changed


def _must_be_scored(
    run: RunSpec, given: Sequence[str], scored: Sequence[str], name: str, error: type[InputError]
) -> None:
    other = sorted(set(given) ^ set(scored))
    if other:
        raise error(
            f"The run {run.key} was scored with other texts than {name} has: {len(other):,} texts are in "
            f"only one of the two, for example {other[0][:100]!r}. Give a file with the same texts, or score "
            f"{name} itself."
        )
