"""A run as pages show it, the starting point of sensitivity, and related runs and readings.

These are finished runs that differ in a single choice (the protocol, or the full stop), a run with other
templates out of its own, and a run of a calibration model compared with what was planted in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.fitting import words_by_template
from pcf_core.audit.forbidden import forbidden_warning, forbidden_words
from pcf_core.audit.options import ViewOptions, with_families
from pcf_core.audit.preferences import Result, coverage_summary, is_left_only
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import load_result, reading_warnings
from pcf_core.core.errors import AuditError, RunError, TemplateError
from pcf_core.core.families import facts_of
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import Preferences, Protocol, RunSpec
from pcf_core.core.sensitivity import QUANTITIES, Calibration, Kind, Planted, Unavailable, Variant
from pcf_core.core.topics import TemplateSet
from pcf_core.material.template_files import Row
from pcf_core.material.templates import make_templates, template_weights
from pcf_core.store.store import Store

# Other finished runs that differ from one in a single choice: the protocol, or the full stop.


STOPS = (".", "。")


@dataclass(frozen=True)
class Sibling:
    """A finished run, and the ``rows`` of the counterparts of the first run's templates, in their order."""

    run: RunSpec
    name: str
    rows: NDArray[np.intp]


def protocol_sibling(store: Store, run: RunSpec, protocol: str) -> Sibling | Unavailable:
    """Find the run that has scored the same under another protocol."""
    key = run.scoring.model_copy(update={"protocol": protocol})
    other, texts = run.model_copy(update={"scoring": key}), run.templates.texts
    for info in store.runs():
        if info.complete and _same_but_templates(info.run, other) and info.run.templates.texts == texts:
            return Sibling(info.run, protocol, np.arange(len(run.templates.templates)))
    reason = f"there is no result of this kind yet; score again with --protocol {protocol}"
    refusal = facts_of(run.scoring.family).without_boundary
    if protocol == "exact-boundary" and refusal:
        reason = f"it {refusal.format(name=run.scoring.model, family=run.scoring.family)}"
    return Unavailable(dimension="protocol", name=protocol, reason=reason)


def stop_sibling(store: Store, run: RunSpec) -> Sibling | Unavailable:
    """Find a run that has scored all templates with a full stop where they have none, or the reverse."""
    texts = run.templates.texts
    ended = [text.endswith(STOPS) for text in texts]
    name = "without the full stop" if ended[0] else "with a full stop"
    if len(set(ended)) > 1:
        reason = "some sentences end with a full stop and some do not"
        return Unavailable(dimension="full stop", name="with or without", reason=reason)
    stop = "。" if run.topic.language == "zh" else "."
    wanted = [text[:-1] if ended[0] else text + stop for text in texts]
    for info in store.runs():
        other = info.run
        if info.complete and _same_but_templates(other, run):
            index_of = {text: index for index, text in enumerate(other.templates.texts)}
            if all(text in index_of for text in wanted):
                return Sibling(other, name, np.array([index_of[text] for text in wanted]))
    how = "import it" if ended[0] else "press Add full stops and save it"
    reason = (
        f"there is no result for these sentences {name}; make such a set on the page Templates (under edit, "
        f"{how}), then run it on the page 'Run an audit'"
    )
    return Unavailable(dimension="full stop", name=name, reason=reason)


def _same_but_templates(first: RunSpec, second: RunSpec) -> bool:
    """Return whether two runs without a plan have scored the same words and terms under the same key."""
    return (
        first.plan is None
        and second.plan is None
        and first.scoring == second.scoring
        and first.topic.groups == second.topic.groups
        and first.evidence.terms == second.evidence.terms
    )


Variation = Iterator[Variant | Unavailable]


@dataclass(frozen=True)
class Case(RunView):
    """A run as the pages show it, with the store of related runs.

    ``sums`` [occupation, template, group]: preferences with words added up, whatever the aggregation.
    """

    store: Store
    sums: FloatArray

    @property
    def complete(self) -> NDArray[np.bool_]:
        """[template] whether every counted occupation has a preference there."""
        return np.isin(self.run.drawn.texts, self.templates_left_out, invert=True)

    @property
    def words(self) -> tuple[str, ...]:
        """The topic's words that are read."""
        return self.result.words

    @property
    def at(self) -> tuple[tuple[str, ...], ...]:
        """Those that count in each template; empty if all count everywhere."""
        return words_by_template(self.run, self.words, self.options.protocol)

    @property
    def tokens(self) -> dict[str, int]:
        """The number of tokens by word."""
        return dict(zip(self.result.words, self.result.tokens, strict=True))

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.run.topic.groups)

    def read(self, dimension: str, name: str, options: ViewOptions, note: str = "") -> Variant | Unavailable:
        """Read the same preferences under other options."""
        try:
            view = RunView(self.run, self.result, options).view
        except AuditError as error:
            return Unavailable(dimension=dimension, name=name, reason=str(error))
        return variant(dimension, name, view.risks(self.values), note=note)

    def sibling(self, dimension: str, other: Sibling, protocol: Protocol) -> Variant | Unavailable:
        """Read another run with the weights of this one."""
        try:
            result = load_result(self.store, other.run, protocol, self.options.aggregation)
        except AuditError as error:
            return Unavailable(dimension=dimension, name=other.name, reason=str(error))
        if result.forbidden is not None:
            reason = " ".join(forbidden_warning(result.forbidden))
            return Unavailable(dimension=dimension, name=other.name, reason=reason)
        risks = self.view.risks(result.preferences.values[:, other.rows])
        return variant(dimension, other.name, risks, note=f"From the result {other.run.key}.")


def variant(
    dimension: str, name: str, risks: Mapping[str, float], kind: Kind = "choice", note: str = ""
) -> Variant:
    """Make a variant from its risks."""
    return Variant.model_validate({"dimension": dimension, "name": name, "kind": kind, "note": note, **risks})


def extremes(each: Sequence[Variant | Unavailable], label: str, kind: Kind = "choice") -> Variation:
    """Yield the lowest and the highest of a long list, as choices or as samples.

    Of equal risks, up to rounding, the lowest is the first of the list and the highest the last.
    """
    readable = [one for one in each if isinstance(one, Variant)]
    if not readable:
        return
    risks = [round(one.overall_risk, 9) for one in readable]
    lowest, highest = risks.index(min(risks)), len(risks) - 1 - risks[::-1].index(max(risks))
    for end, one in (("lowest", readable[lowest]), ("highest", readable[highest])):
        note = f"The {end} risk of {len(readable):,}: {one.name}."
        changes = {"name": label, "end": end, "which": one.name, "kind": kind, "note": note}
        yield one.model_copy(update=changes)


# A finished run with other templates out of its own: new weights, no scoring.


@dataclass(frozen=True)
class Covering:
    """A run with ``share`` (0 to 1) of a set's mass, its ``texts`` and ``counts`` ordered as in the set."""

    run: RunSpec
    texts: tuple[str, ...]
    counts: tuple[float, ...]
    share: float


def covering_runs(store: Store, templates: TemplateSet) -> tuple[Covering, ...]:
    """Return finished runs without a plan that have templates of a set, by share and then newest first."""
    coverings = [
        covering
        for info in store.runs()
        if info.complete and info.run.plan is None
        for covering in [_coverage_by(info.run, templates)]
        if covering.share > 0
    ]
    return tuple(sorted(coverings, key=lambda covering: -covering.share))


def _coverage_by(run: RunSpec, templates: TemplateSet) -> Covering:
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
    """Report a run as if only these of its templates had been scored, with these counts.

    Coverage by number of tokens is missing if the run has several, and numbers of documents for other counts
    than the run's.  Raises RunError for a sampling plan, TemplateError for a text that the run has not scored
    or counts that are no weights, and EvidenceError or CriterionError as
    :func:`~pcf_core.audit.reading.report`.
    """
    chosen, narrowed = _narrowed(run, texts, counts)
    preferences = replace(
        result.preferences,
        templates=narrowed.templates.texts,
        values=result.preferences.values[:, chosen],
        coverage=None if result.preferences.coverage is None else result.preferences.coverage[:, chosen],
        people=None if result.preferences.people is None else result.preferences.people[:, chosen],
        left_only=result.preferences.left_only and is_left_only(run.scoring.family, narrowed.templates.texts),
    )
    keys = tuple(result.coverage.by_tokens) if result.coverage else ()
    shares: dict[str, FloatArray] = {}
    if len(keys) == 1 and preferences.coverage is not None:
        shares[keys[0]] = preferences.coverage.ravel()
    summary = coverage_summary(preferences, shares)
    forbidden = result.forbidden and forbidden_words(
        preferences, result.forbidden.words, narrowed.templates.counts
    )
    narrowed_result = replace(result, preferences=preferences, coverage=summary, forbidden=forbidden)
    warnings = reading_warnings(narrowed, narrowed_result, options.aggregation)
    return report(replace(narrowed_result, warnings=warnings), narrowed, options, resamples)


def _narrowed(run: RunSpec, texts: Sequence[str], counts: Sequence[float]) -> tuple[list[int], RunSpec]:
    """Return the texts' rows on the run's template axis, and the run with only these templates."""
    if run.plan is not None:
        raise RunError(
            f"The run {run.key} used a sampling plan, which drew its templates by the counts of the whole "
            "set, so other counts cannot be tried on it: choose a run that scored every template."
        )
    own_templates = {template.text: template for template in with_families(run).templates.templates}
    rows = []
    for text, count in zip(texts, np.asarray(counts, dtype=np.float64).tolist(), strict=True):
        own = own_templates.get(text)
        documents = own.documents if own is not None and own.count == count else 0
        family = own.family if own is not None else ""
        rows.append(Row("The choice of templates", text, count, documents, family=family))
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
    index_of = {text: index for index, text in enumerate(run.templates.texts)}
    unknown = [text for text in templates.texts if text not in index_of]
    if unknown:
        raise TemplateError(
            f"The run {run.key} has not scored {len(unknown):,} of the {len(templates.texts):,} templates, "
            f"for example {unknown[0][:100]!r}: choose only templates that the run has scored, or score the "
            "new set."
        )
    return [index_of[text] for text in templates.texts], run.model_copy(update={"templates": templates})


# A run of a calibration model compared with what was planted in it.


def held_against(
    planted: Planted, preferences: Preferences, report: RiskReport, written: datetime, version: str
) -> Calibration:
    """Compare the report of a calibration model, under default options, with what was planted in it.

    ``written``: time of the results; ``version``: of the app that scored the run, empty if unknown.  Raises
    RunError if the run has other groups, occupations or contexts than the truth.
    """
    axes = (preferences.groups, preferences.occupations, preferences.templates)
    if axes != (planted.groups, planted.occupations, planted.contexts):
        raise RunError(
            f"This run cannot be compared with the preferences planted in {planted.model}: its groups, "
            f"occupations and templates must be those of the shipped topic {planted.topic}. Restore the "
            "shipped lists and score it again."
        )
    off = np.abs(preferences.values - np.array(planted.values)).max(axis=-1)
    row, column = np.unravel_index(off.argmax(), off.shape)
    return Calibration(
        planted=planted,
        measured={name: float(getattr(report, name)) for name in QUANTITIES},
        largest=float(off.max()),
        occupation=planted.occupations[row],
        context=planted.contexts[column],
        written=written,
        version=version,
    )
