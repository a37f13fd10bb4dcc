"""A finished run read with other templates out of its own: weights are computed anew, nothing is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pcf_core.audit.assembling import Result, coverage_summary, warnings_of
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import noise_warnings, size_warnings
from pcf_core.errors import RunError, TemplateError
from pcf_core.records import FloatArray, RiskReport, RunSpec, TemplateSet
from pcf_core.store import Store
from pcf_core.topics import make_templates, template_weights
from pcf_core.topics.template_rows import Row


@dataclass(frozen=True)
class Covering:
    """A run that has scored some of a set's templates.

    ``texts`` and ``counts``: those it has, in the order and with the counts of the set.  ``share``: what they
    carry of the set's mass, above 0 and at most 1.
    """

    run: RunSpec
    texts: tuple[str, ...]
    counts: tuple[float, ...]
    share: float


def covering_runs(store: Store, templates: TemplateSet) -> tuple[Covering, ...]:
    """The finished runs that have some of a set's mass, the largest share first, then the newest.

    Runs with a sampling plan are not among them: :func:`restricted` refuses them.
    """
    found = [
        covering
        for info in store.runs()
        if info.complete and info.run.plan is None
        for covering in [coverage_by(info.run, templates)]
        if covering.share > 0
    ]
    return tuple(sorted(found, key=lambda covering: -covering.share))


def coverage_by(run: RunSpec, templates: TemplateSet) -> Covering:
    """What one run has of a set."""
    own = set(run.templates.texts)
    weights = template_weights(templates, "counts")
    chosen = [index for index, text in enumerate(templates.texts) if text in own]
    return Covering(
        run=run,
        texts=tuple(templates.texts[index] for index in chosen),
        counts=tuple(templates.templates[index].count for index in chosen),
        share=min(1.0, float(weights[chosen].sum())),
    )


def restricted(
    result: Result,
    run: RunSpec,
    texts: Sequence[str],
    counts: Sequence[float],
    options: ViewOptions,
    resamples: int = 2000,
) -> RiskReport:
    """The report of a run as if only these of its templates had been scored, with these counts.

    Coverage per number of tokens is not in it where the run has several: the words' own scores are not read.
    A template with another count than the run's is counted elsewhere: its documents are unknown.

    Raises:
        RunError: the run has a sampling plan.
        TemplateError: a text that the run has not scored; counts that are no weights.
        EvidenceError, CriterionError: as :func:`~pcf_core.audit.report`.
    """
    chosen, narrowed = _narrowed(run, texts, counts)
    preferences = replace(
        result.preferences,
        templates=narrowed.templates.texts,
        values=result.preferences.values[:, chosen],
        coverage=None if result.preferences.coverage is None else result.preferences.coverage[:, chosen],
    )
    keys = tuple(result.coverage.by_tokens) if result.coverage else ()
    shares: dict[str, FloatArray] = {}
    if len(keys) == 1 and preferences.coverage is not None:
        shares[keys[0]] = preferences.coverage.ravel()
    summary = coverage_summary(preferences, shares)
    warnings = warnings_of(run.scoring.family, result.tokens, summary)
    warnings += size_warnings(run, result.words, options.aggregation) + noise_warnings(result.self_audit)
    kept = replace(result, preferences=preferences, coverage=summary, warnings=warnings)
    return report(kept, narrowed, options, resamples)


def _narrowed(run: RunSpec, texts: Sequence[str], counts: Sequence[float]) -> tuple[list[int], RunSpec]:
    """[chosen] places of the texts on the run's template axis, and the run with only these."""
    if run.plan is not None:
        raise RunError(
            f"The run {run.key} has a sampling plan: its templates were drawn for the counts of the whole "
            "set, so other counts cannot be tried on it; choose a run that scores every template."
        )
    known = {template.text: template for template in run.templates.templates}
    rows = []
    for text, count in zip(texts, np.asarray(counts, dtype=np.float64).tolist(), strict=True):
        own = known.get(text)
        documents = own.documents if own is not None and own.count == count else 0
        rows.append(Row("The choice of templates", text, count, documents))
    templates = make_templates(
        run.templates.name,
        rows,
        title=run.templates.title,
        source=run.templates.source,
        notes=run.templates.notes,
        where="The choice of templates",
    )
    share = min(1.0, float(templates.counts.sum() / run.templates.counts.sum()))
    templates = templates.model_copy(update={"kept": run.templates.kept * share})
    place = {text: index for index, text in enumerate(run.templates.texts)}
    unknown = [text for text in templates.texts if text not in place]
    if unknown:
        raise TemplateError(
            f"The run {run.key} has not scored {len(unknown):,} of the {len(templates.texts):,} templates, "
            f"the first of them {unknown[0][:100]!r}: choose from its own, or score the new set."
        )
    return [place[text] for text in templates.texts], run.model_copy(update={"templates": templates})
