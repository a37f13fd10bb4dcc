"""Write a risk report from preferences, names, weights and a criterion."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import COUNTS_ONLY, CorrectedRisk, OccupationRisk, RiskReport
from pcf_core.measure.bootstrap import RiskIntervals, risk_intervals
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decisions import TINY, People, RateCriterion, decisions_of
from pcf_core.measure.decomposition import Decomposition, RiskTotal, total
from pcf_core.measure.resampling import TemplateUnit, effective_number, rough
from pcf_core.measure.wordings import caprice_parts, wording_split

HEAVY = 0.1  # share of the weight above which a template is mentioned
NEARLY_ALL = 0.9  # an effective number above this share of the number: weights hardly differ


@dataclass(frozen=True)
class Matrix:
    """The input of a report.

    ``values`` [occupation, template, group]: preferences, rows sum to 1, or rates, of ``people`` if known.
    ``template_weights`` [template] and ``occupation_weights`` [occupation]: >= 0 with a positive sum.
    ``families`` and ``slots`` [template]: labels, or none.  ``unit``: resampled for intervals over templates,
    ``None`` for whole templates or families.  ``left_out`` and ``warnings`` are copied into the report.
    """

    values: FloatArray
    groups: tuple[str, ...]
    occupations: tuple[str, ...]
    templates: tuple[str, ...]
    template_weights: FloatArray
    occupation_weights: FloatArray
    criterion: Criterion
    families: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    people: People | None = None
    unit: TemplateUnit | None = None
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()

    def without(self, templates: Collection[str]) -> Matrix:
        """Take the weight of some templates; whole templates or families are resampled then."""
        weights = np.where(np.isin(self.templates, list(templates)), 0.0, self.template_weights)
        return replace(self, template_weights=weights / weights.sum(), unit=None)

    @cached_property
    def whole(self) -> TemplateUnit:
        """The unit of whole templates, or of whole families."""
        return TemplateUnit.templates(self.template_weights, self.families, self.slots)

    @property
    def effective(self) -> float:
        """The effective number of templates, or of families."""
        return effective_number(self.whole.sums(self.template_weights))


def risk_report(matrix: Matrix, resamples: int = 2000, *, brief: bool = False) -> RiskReport:
    """Decompose preferences into a report (PCF Eq. 4–9), with intervals over templates, occupations, both.

    The figures are plug-in values; ``corrected`` has those without the bias of few templates.  A ``brief``
    report has the same figures, and only intervals of R.
    """
    unit = matrix.unit or matrix.whole
    intervals = risk_intervals(
        matrix.values, unit, matrix.occupation_weights, matrix.criterion, resamples=resamples, brief=brief
    )
    totals = total(intervals.parts, matrix.occupation_weights)
    written = written_report(matrix, totals, intervals, rough_means(matrix))
    corrected = _corrected_risk(matrix, totals, intervals)
    report = replace(written, corrected=corrected, lean=intervals.lean)
    if isinstance(matrix.criterion, RateCriterion):
        report = with_decisions(report, matrix, resamples)
    if brief:
        return _with_parts(report, matrix, intervals)
    return _with_wordings(report, matrix, intervals, resamples)


def with_decisions(report: RiskReport, matrix: Matrix, resamples: int, *, risks: bool = True) -> RiskReport:
    """Add rates, ratios, and intervals over people, those of ``risks`` too."""
    people = matrix.people or People(matrix.values, np.arange(len(matrix.groups)))
    unit, weights = matrix.unit or matrix.whole, matrix.occupation_weights
    decisions, drawn = decisions_of(people, matrix.groups, unit, weights, resamples=resamples)
    added = drawn if risks else {}
    intervals = {name: (*some, *added.get(name, ())) for name, some in report.intervals.items()}
    tiny = max(decisions.mean.values()) < TINY
    warning = (
        "No group gets a favourable answer with a probability of 2 % or more on average, so ratios of these "
        "rates compare tiny numbers."
    )
    warnings = (*report.warnings, warning) if tiny else report.warnings
    return replace(report, decisions=decisions, intervals=intervals, warnings=warnings)


def _with_parts(report: RiskReport, matrix: Matrix, intervals: RiskIntervals) -> RiskReport:
    """Add the parts of caprice, where families of templates define them."""
    criterion = matrix.criterion
    stereotypes = criterion.stereotypes(criterion.checked(matrix.values))
    parts = caprice_parts(stereotypes, intervals.parts, matrix.whole.drawn_families, criterion)
    if parts is None:
        return report
    shares = normalised(matrix.occupation_weights, len(matrix.occupations), "occupation_weights")
    return replace(
        report, context_caprice=float(shares @ parts.context), wording_caprice=float(shares @ parts.wording)
    )


def _with_wordings(
    report: RiskReport, matrix: Matrix, intervals: RiskIntervals, resamples: int
) -> RiskReport:
    """Add the parts of caprice with corrected ones and intervals, where families of templates define them."""
    split = wording_split(
        matrix.values,
        matrix.whole,
        matrix.occupation_weights,
        intervals,
        matrix.criterion,
        resamples=resamples,
    )
    if split is None or report.corrected is None:
        return report
    corrected = {"context_caprice": split.corrected_context, "wording_caprice": split.corrected_wording}
    return replace(
        report,
        context_caprice=split.context,
        wording_caprice=split.wording,
        corrected=report.corrected.model_copy(update=corrected),
        intervals={**report.intervals, **split.intervals},
    )


def unanswered(matrix: Matrix) -> RiskReport:
    """Write a report without figures: NaN for every number of the model, and no intervals."""
    occupations, groups = len(matrix.occupations), len(matrix.groups)
    none, by_group = np.full(occupations, np.nan), np.full((occupations, groups), np.nan)
    parts = Decomposition(none, none, none, none, by_group, by_group)
    totals = RiskTotal(np.nan, np.nan, np.nan)
    return written_report(matrix, totals, RiskIntervals(parts, {}, {}))


def rough_means(matrix: Matrix) -> tuple[str, ...]:
    """Return warnings about few templates or families, or one with much weight."""
    whole = matrix.whole
    if len(matrix.templates) == 1:
        return ("There is only one sentence, so the range says nothing about other sentences.",)
    if whole.drawn_families is not None and np.count_nonzero(whole.items) == 1:
        return ("All sentences are of one family, so the range says nothing about other families.",)
    few = few_note(matrix.template_weights, whole)
    if few is None:
        return _heavy_template(matrix)
    sentence = f"{few.sentence}, so means are rough and ranges wide"
    if not few.dominated:
        return (f"{sentence}.",)
    return (
        f"{sentence}; the range of caprice may be three times as wide as necessary.",
        *_heavy_template(matrix),
    )


@dataclass(frozen=True)
class Few:
    """The ``sentence``, without a full stop, on few sentences; ``dominated``: only some of them count."""

    sentence: str
    dominated: bool


def few_note(weights: FloatArray, whole: TemplateUnit) -> Few | None:
    """Say how few sentences, or families of them, carry the [template] weights; ``None`` if enough do."""
    items = whole.sums(weights)
    effective, number = effective_number(items), np.count_nonzero(items)
    if not rough(effective):
        return None
    if effective <= NEARLY_ALL * number:
        several, one = "sentences", "a single sentence"
        if whole.drawn_families is not None:
            several, one = "families of sentences", "a single family of sentences"
        equal = one if round(effective) == 1 else f"about {effective:.0f} equally common {several}"
        return Few(f"Precision is only that of {equal} (of {items.size:,})", dominated=True)
    if whole.drawn_families is None:
        return Few(f"There are only {number:,} sentences", dominated=False)
    several = f"These {np.count_nonzero(weights):,} sentences are only {number:,} in several wordings"
    return Few(several, dominated=False)


def _heavy_template(matrix: Matrix) -> tuple[str, ...]:
    """Warn if whole templates or families are resampled, and one has much more weight than others."""
    whole = matrix.whole
    items = whole.sums(matrix.template_weights)
    share = float(items.max() / items.sum())
    counts_only = matrix.unit is not None and matrix.unit.name in COUNTS_ONLY
    if share <= HEAVY + 1e-9 or whole.alike or counts_only:
        return ()
    what = "sentence" if whole.drawn_families is None else "family of sentences"
    return (
        f"One {what} counts for {100 * share:.0f} % of the result, so the ranges may be too narrow if "
        "results vary more than twice as much with it as with the others.",
    )


def _corrected_risk(matrix: Matrix, plug_in: RiskTotal, intervals: RiskIntervals) -> CorrectedRisk | None:
    if intervals.correction is None:
        return None
    shares = matrix.occupation_weights / matrix.occupation_weights.sum()
    taken = float(shares @ (intervals.parts.prejudice - intervals.correction.prejudice))
    return CorrectedRisk(
        prejudice_risk=max(0.0, plug_in.prejudice_risk - taken),
        caprice_risk=plug_in.caprice_risk + taken,
        plug_in_prejudice_risk=plug_in.prejudice_risk,
        plug_in_caprice_risk=plug_in.caprice_risk,
        headline=False,
        sampling_prejudice=float(shares @ intervals.correction.sampling),
    )


def written_report(
    matrix: Matrix, totals: RiskTotal, intervals: RiskIntervals, warnings: tuple[str, ...] = ()
) -> RiskReport:
    """Write the report of given risks and intervals."""
    shares = matrix.occupation_weights / matrix.occupation_weights.sum()
    return RiskReport(
        overall_risk=totals.overall_risk,
        prejudice_risk=totals.prejudice_risk,
        caprice_risk=totals.caprice_risk,
        effective_templates=matrix.effective,
        groups=matrix.groups,
        templates=matrix.templates,
        template_weights=matrix.template_weights / matrix.template_weights.sum(),
        occupations=tuple(
            _occupation_risk(index, name, shares, matrix.groups, intervals)
            for index, name in enumerate(matrix.occupations)
        ),
        intervals=dict(intervals.intervals),
        criterion=matrix.criterion.name,
        left_out=matrix.left_out,
        warnings=matrix.warnings + warnings,
    )


def _occupation_risk(
    index: int, name: str, weights: FloatArray, groups: tuple[str, ...], of_run: RiskIntervals
) -> OccupationRisk:
    parts = of_run.parts
    intervals = {
        risk: (
            of_run.intervals["overall_risk"][0].model_copy(
                update={"low": float(bounds[0]), "high": float(bounds[1])}
            ),
        )
        for risk, rows in of_run.occupations.items()
        for bounds in [rows[index]]
    }
    corrected = parts.prejudice if of_run.correction is None else of_run.correction.prejudice
    return OccupationRisk(
        occupation=name,
        weight=float(weights[index]),
        overall_risk=float(parts.overall[index]),
        prejudice_risk=float(parts.prejudice[index]),
        caprice_risk=float(parts.caprice[index]),
        stereotype_sd=float(parts.stereotype_sd[index]),
        stereotype=dict(zip(groups, parts.stereotype[index].tolist(), strict=True)),
        preferences=dict(zip(groups, parts.mean_preferences[index].tolist(), strict=True)),
        intervals=intervals,
        corrected_prejudice_risk=float(corrected[index]),
    )
