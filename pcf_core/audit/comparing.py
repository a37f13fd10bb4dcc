"""Comparison of runs on their common templates, occupations and groups, read the same way.

P-values of several comparisons are corrected for their number.  As the order of two models may depend on the
sentences, their finished runs on other template sets are compared too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from pcf_core.audit.forbidden import FORBIDS_A_WORD
from pcf_core.audit.options import ViewOptions, counted_occupations, unit_of
from pcf_core.audit.reading import RunView, criterion_for
from pcf_core.audit.results import Read, load_result
from pcf_core.audit.writing import few_note
from pcf_core.core.errors import AuditError, RunError
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import SIGNIFICANCE, Comparison, Difference, OccupationDifference, Side
from pcf_core.core.run import RunSpec, version_name
from pcf_core.core.topics import TemplateSet
from pcf_core.material.safety.text import listed
from pcf_core.material.templates import labelled, template_weights
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.comparison import paired_comparison
from pcf_core.measure.families import Families
from pcf_core.measure.resampling import TemplateUnit, effective_number
from pcf_core.measure.ties import holm, letters, risk_differences
from pcf_core.store.store import Store

FEWEST_WORDINGS = 2  # of a sentence on average, where a set says sentences in several ways


@dataclass(frozen=True)
class Common:
    """The common part of two runs, in the order of the first.

    ``values`` [2, occupation, template, group]; ``left_out``: common occupations without a figure.
    """

    run: RunSpec
    occupations: tuple[str, ...]
    occupation_weights: FloatArray
    reference: FloatArray | None
    values: FloatArray
    left_out: tuple[LeftOut, ...]


def compared(
    first: RunView,
    second: RunView,
    options: ViewOptions,
    *,
    resamples: int = 2000,
    permutations: int = 2000,
    level: float = 0.95,
) -> Comparison:
    """Compare two runs on their common templates and occupations, with the counts of the first.

    Raises RunError if no template, occupation or group is common, groups differ, or a run has a plan, and
    EvidenceError, CriterionError or TemplateError as :func:`~pcf_core.audit.reading.report`.
    """
    common = common_part(first, second, options)
    criterion = criterion_for(options, common.reference, rated=common.run.topic.decides)
    weights = template_weights(common.run.templates, options.template_weighting)
    shares = common.occupation_weights / common.occupation_weights.sum()
    paired = paired_comparison(
        common.values[0],
        common.values[1],
        unit_of(common.run, weights, options),
        shares,
        criterion,
        resamples=resamples,
        permutations=permutations,
        level=level,
    )
    one, other = sides(first, second, common)
    return Comparison(
        first=one,
        second=other,
        groups=first.run.topic.group_names,
        templates=common.run.templates.texts,
        template_weights=weights,
        effective_templates=effective_number(_whole(common.run, weights).sums(weights)),
        differences={
            name: replace(total, margin=float(options.margin)) for name, total in paired.totals.items()
        },
        occupations=tuple(
            OccupationDifference(name, float(shares[index]), paired.occupations[index])
            for index, name in enumerate(common.occupations)
        ),
        permutations=paired.permutations,
        criterion=criterion.name,
        left_out=common.left_out,
        warnings=(
            *warnings_of(first, second, one, other, common.run, weights),
            *_counts_warnings(first, second, one, other, common, options),
        ),
    )


def risk_difference(first: RunView, second: RunView, options: ViewOptions) -> Difference:
    """Return only R of :func:`compared`, with its interval over whole templates, in much less time."""
    return _risk_difference(common_part(first, second, options), options)


def _risk_difference(common: Common, options: ViewOptions) -> Difference:
    differences = risk_differences(
        common.values,
        template_weights(common.run.templates, options.template_weighting),
        common.occupation_weights,
        criterion_for(options, common.reference, rated=common.run.topic.decides),
        families=common.run.templates.families,
        slots=common.run.templates.slots,
    )
    return replace(differences[0, 1], margin=float(options.margin))


def _in_each_slot(common: Common, options: ViewOptions) -> dict[str, Difference]:
    """Return the same for the templates of each slot, heaviest first, corrected for their number (Holm).

    Empty if all templates have one slot; a slot without weight is left out.
    """
    templates, slots = common.run.templates, np.array(common.run.templates.slots)
    weights = template_weights(templates, options.template_weighting)
    shares = {slot: float(weights[slots == slot].sum()) for slot in dict.fromkeys(slots.tolist())}
    differences = {}
    for slot in sorted((slot for slot, share in shares.items() if share), key=lambda slot: -shares[slot]):
        rows = np.flatnonzero(slots == slot)
        some = templates.model_copy(update={"templates": tuple(templates.templates[row] for row in rows)})
        run = common.run.model_copy(update={"templates": some})
        differences[slot] = _risk_difference(
            replace(common, run=run, values=common.values[:, :, rows]), options
        )
    return dict(zip(differences, _controlled_totals([*differences.values()]), strict=True))


def common_part(first: RunView, second: RunView, options: ViewOptions) -> Common:
    """Return the preferences of both runs on their common templates and occupations."""
    if first.run.key == second.run.key:
        raise RunError(f"The run {first.run.key} cannot be compared with itself: give two different runs.")
    texts, terms = common_names(first.run, second.run)
    for read in (first, second):
        texts = _without(texts, read.templates_left_out, "template", read)
        terms = _without(terms, read.occupations_left_out, "occupation", read)
    groups, by_text = (
        first.run.topic.group_names,
        [{template.text: template for template in read.labelled.drawn.templates} for read in (first, second)],
    )
    one, other = ([of[text] for text in texts] for of in by_text)
    templates = first.run.drawn.model_copy(update={"templates": tuple(one)})
    labels = [[template.family for template in several] for several in (one, other)]
    if labels[0] != labels[1]:
        templates = labelled(templates, Families.joined(*labels))
    evidence = first.run.evidence.model_copy(update={"terms": terms, "codes": ()})
    counted = counted_occupations(evidence, first.run.topic, options)
    return Common(
        run=first.run.whole.model_copy(update={"templates": templates, "evidence": evidence}),
        occupations=tuple(counted.weights),
        occupation_weights=np.array(list(counted.weights.values())),
        reference=counted.reference,
        values=np.stack([picked(read, tuple(counted.weights), texts, groups) for read in (first, second)]),
        left_out=counted.left_out,
    )


def common_names(first: RunSpec, second: RunSpec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return common templates and occupations in the order of the first; raises as :func:`compared`."""
    for run in (first, second):
        _refuse_plan(run)
    groups, others = first.topic.group_names, second.topic.group_names
    if set(groups) != set(others):
        raise RunError(
            f"The runs {first.key} and {second.key} have different groups ({', '.join(groups)} and "
            f"{', '.join(others)}): compare runs on one topic."
        )
    return (
        shared(first.drawn.texts, second.drawn.texts, "template", first, second),
        shared(first.evidence.terms, second.evidence.terms, "occupation", first, second),
    )


def _without(names: Sequence[str], left_out: Collection[str], noun: str, read: RunView) -> tuple[str, ...]:
    """Leave out what a run has no preferences for; raises RunError if nothing remains."""
    kept = tuple(name for name in names if name not in left_out)
    if not kept:
        raise RunError(
            f"No {noun} is left to compare the run {read.run.key} in: {FORBIDS_A_WORD}. Leave such words out "
            "of the topic."
        )
    return kept


def _counts_warnings(
    first: RunView, second: RunView, one: Side, other: Side, common: Common, options: ViewOptions
) -> tuple[str, ...]:
    """Say whose counts and documents both runs are read with, if those of the second differ."""
    if options.template_weighting != "counts":
        return ()
    name = first.run.templates.name
    theirs = {template.text: template for template in second.run.drawn.templates}
    pairs = [(template, theirs[template.text]) for template in common.run.templates.templates]
    counts = sum(mine.count != their.count for mine, their in pairs)
    documents = sum(mine.documents != their.documents for mine, their in pairs)
    differing = ""
    if counts:
        differing = f"{counts:,} of {len(pairs):,} sentences have different counts in {other.name}: "
    elif one.templates_left_out or other.templates_left_out:
        return (f"Both results use the counts of {name}, as {one.name} does.",)
    elif documents and options.unit == "counts-only":
        differing = (
            f"{documents:,} of {len(pairs):,} sentences have different numbers of documents in {other.name}: "
        )
    return (f"{differing}both results use those of {name}, as {one.name} does.",) if differing else ()


def _refuse_plan(run: RunSpec) -> None:
    """Refuse templates drawn by a plan, which are another sample in each run."""
    if run.plan is not None and len(run.drawn.templates) < (run.templates.counts > 0).sum():
        raise RunError(
            f"The run {run.key} drew its templates at random by a sampling plan, so they differ from those "
            "of any other run: compare runs that scored every template."
        )


def shared(
    first: Sequence[str], second: Sequence[str], noun: str, one: RunSpec, other: RunSpec
) -> tuple[str, ...]:
    """Return the common names, in the order of the first; raises RunError if there are none."""
    have = set(second)
    common = tuple(name for name in first if name in have)
    if not common:
        raise RunError(
            f"The runs {one.key} and {other.key} have no {noun} in common, so they cannot be compared: score "
            f"both with the same {noun}s."
        )
    return common


def picked(
    read: RunView, occupations: Sequence[str], texts: Sequence[str], groups: Sequence[str]
) -> FloatArray:
    """Return [occupation, template, group] preferences of a run in the requested order."""
    preferences, values = read.result.preferences, read.values
    axes = []
    for names, request in (
        (preferences.occupations, occupations),
        (preferences.templates, texts),
        (preferences.groups, groups),
    ):
        index_of = {name: index for index, name in enumerate(names)}
        axes.append([index_of[name] for name in request])
    return values[np.ix_(*axes)]


def sides(first: RunView, second: RunView, common: Common) -> tuple[Side, Side]:
    """Return the two runs, each under a name of its own."""
    alike = first.run.scoring.label == second.run.scoring.label
    templates, terms = len(common.run.templates.templates), len(common.run.evidence.terms)
    one, other = (
        Side(
            name=f"{read.run.scoring.label} · {read.run.key[:6]}" if alike else read.run.scoring.label,
            run=read.run.key,
            model=read.run.scoring.name,
            dtype=read.run.scoring.dtype,
            protocol=read.options.protocol,
            templates_left_out=len(read.run.drawn.templates) - templates,
            occupations_left_out=len(read.run.evidence.terms) - terms,
        )
        for read in (first, second)
    )
    return one, other


def warnings_of(
    first: RunView, second: RunView, one: Side, other: Side, common: RunSpec, weights: FloatArray
) -> tuple[str, ...]:
    """Return what a reader has to know before believing a difference between these two runs.

    ``common``: a run of the common templates, which have the ``weights``.
    """
    sentences = []
    for noun, left_out in (
        ("sentences", (one.templates_left_out, other.templates_left_out)),
        ("occupations", (one.occupations_left_out, other.occupations_left_out)),
    ):
        if any(left_out):
            sentences.append(
                f"Only {noun} that both results have are compared: {left_out[0]:,} of {one.name} and "
                f"{left_out[1]:,} of {other.name} are left out."
            )
    if note := sampled_note((first, second)):
        sentences.append(note)
    if set(first.result.words) != set(second.result.words):
        sentences.append(
            f"The two models were compared on different words ({len(first.result.words):,} for {one.name}, "
            f"{len(second.result.words):,} for {other.name}), which may explain part of a difference."
        )
    if one.protocol != other.protocol:
        sentences.append(
            f"{one.name} is read with the protocol {one.protocol}, {other.name} with {other.protocol}."
        )
    for side, read in ((one, first), (other, second)):
        sentences += [f"{side.name}: {sentence}" for sentence in read.result.warnings]
    few = few_note(weights, _whole(common, weights))
    return tuple(sentences) if few is None else (*sentences, f"{few.sentence}.")


def sampled_note(readings: Sequence[RunView]) -> str:
    """Say which runs are sampled, and why a test of their difference is no ranking; "" if none is."""
    names = [read.run.scoring.label for read in readings if read.run.scoring.draws]
    if not names:
        return ""
    others = "" if len(names) == len(readings) else ", the other result is calculated from probabilities"
    verb = "are" if len(names) > 1 else "is"
    return (
        f"{listed(names)} {verb} estimated from sampled answers{others}. A test of the difference does not "
        "allow for chance in the answers: compare the ranges of the two risks, and do not rank them."
    )


def _whole(common: RunSpec, weights: FloatArray) -> TemplateUnit:
    """Return the unit of whole templates or families."""
    return TemplateUnit.templates(weights, common.templates.families, common.templates.slots)


# Corrections for several comparisons.


def controlled(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Correct each total's p-value for all comparisons, as ``adjusted`` (Holm 1979).

    ``least_p`` is corrected in the same way, as corrected p-values grow with uncorrected ones.  R, R^p and
    R^c are corrected separately.  Holm makes no assumption on the dependence of comparisons, which share
    models here.

    Source: Holm 1979, https://www.jstor.org/stable/4615733.
    """
    if len(comparisons) < 2:
        return tuple(comparisons)
    adjusted: list[dict[str, Difference]] = [{} for _ in comparisons]
    for name in RISKS:
        totals = _controlled_totals([comparison.differences[name] for comparison in comparisons])
        for differences, total in zip(adjusted, totals, strict=True):
            differences[name] = total
    return tuple(
        replace(comparison, differences=differences)
        for comparison, differences in zip(comparisons, adjusted, strict=True)
    )


def _controlled_totals(totals: Sequence[Difference]) -> list[Difference]:
    adjusted, least = holm([total.p_value for total in totals]), holm([total.least_p for total in totals])
    return [
        replace(total, adjusted=p, least_p=least_p)
        for total, p, least_p in zip(totals, adjusted, least, strict=True)
    ]


# Letters of many runs.

# With 15 models, p-values of at least 1/2,001 are corrected for 105 pairs: none could be under 0.05.
MOST_LETTERED = 14


def lettered(readings: Sequence[RunView], options: ViewOptions) -> list[str]:
    """Return the letters [run] of runs on the same templates and occupations, for a table.

    Two runs share a letter exactly if neither is shown to have the higher risk
    (:attr:`~pcf_core.core.risk.Difference.ordered`), corrected for all pairs, with the counts of the first;
    see :func:`~pcf_core.measure.ties.letters`.  Raises RunError for fewer than two runs or more than
    ``MOST_LETTERED``, for too few templates for any p-value to be small enough, for forbidden words, and as
    :func:`compared`.
    """
    if not 2 <= len(readings) <= MOST_LETTERED:
        raise RunError(f"Letters can be assigned to 2 to {MOST_LETTERED} runs; {len(readings)} were given.")
    if any(read.result.forbidden for read in readings):
        raise RunError(f"There are no letters here, because in some sentences {FORBIDS_A_WORD}.")
    first, second, *others = readings
    common = common_part(first, second, options)
    differences = risk_differences(
        chain(common.values, (common_part(first, other, options).values[1] for other in others)),
        template_weights(common.run.templates, options.template_weighting),
        common.occupation_weights,
        criterion_for(options, common.reference, rated=common.run.topic.decides),
        families=common.run.templates.families,
        slots=common.run.templates.slots,
    )
    totals = [replace(total, margin=float(options.margin)) for total in differences.values()]
    tested = _controlled_totals(totals)
    if tested[0].least_p > SIGNIFICANCE:
        raise RunError(
            f"Letters need more sentences: with {len(common.run.templates.templates):,} templates and "
            f"{len(totals):,} pairs of models, no difference could reach p < {SIGNIFICANCE}."
        )
    apart = [pair for pair, total in zip(differences, tested, strict=True) if total.ordered]
    return letters(len(readings), apart)


# The same models in other sentences: finished runs that differ only in the template set.


@dataclass(frozen=True)
class OtherSentences:
    """The tested risks of two models in one template set.

    ``name``: of the set, with its hash if ambiguous.  ``risk``: the difference of R, first minus second;
    ``little``: whether coverage of either is too low for an answer.  ``slots``: the difference in each slot,
    corrected for their number; none if there is one.
    """

    name: str
    runs: tuple[RunSpec, RunSpec]
    risk: Difference
    little: tuple[bool, bool]
    slots: Mapping[str, Difference]


def answers_elsewhere(
    store: Store,
    first: RunSpec,
    second: RunSpec,
    options: ViewOptions,
    on_set: Callable[[str], None] = lambda name: None,
) -> list[OtherSentences]:
    """Test the models of two runs in every other template set of the store that these options can read.

    ``on_set`` gets each set's name before it is read.
    """
    pairs = alike((info.run for info in store.runs() if info.complete), [first, second])
    named = Counter(run.templates.name for run in (first, *(runs[0] for runs in pairs)))
    answers: list[OtherSentences] = []
    for one, other in pairs:
        on_set(one.templates.name)
        with suppress(AuditError):
            answer, templates = answer_in(store, (one, other), options), one.templates
            several = named[templates.name] > 1
            answers.append(replace(answer, name=version_name(templates)) if several else answer)
    return answers


def answer_in(
    store: Store, runs: tuple[RunSpec, RunSpec], options: ViewOptions, read: Read = load_result
) -> OtherSentences:
    """Test which of two finished runs on the same templates has the higher risk; raises AuditError."""
    one, other = (read(store, run, options.protocol, options.aggregation) for run in runs)
    common = common_part(RunView(runs[0], one, options), RunView(runs[1], other, options), options)
    return OtherSentences(
        name=runs[0].templates.name,
        runs=runs,
        risk=_risk_difference(common, options),
        little=(one.says_little, other.says_little),
        slots=_in_each_slot(common, options),
    )


def alike(runs: Iterable[RunSpec], shown: Sequence[RunSpec]) -> list[tuple[RunSpec, ...]]:
    """Return those ``runs`` that are like the shown ones except for their templates, ordered by set name.

    Left out are sets that the shown one includes, reworded or not, and those that include it, as they would
    only confirm it; sampling plans; and all but the first run of a model on the same texts.  Empty if the
    shown runs differ in templates, topic or occupations.
    """
    here = shown[0].templates
    return [
        several
        for several in _on_other_sets(runs, shown)
        if not (_includes(here, several[0].templates) or _includes(several[0].templates, here))
    ]


def rewordings(runs: Iterable[RunSpec], shown: Sequence[RunSpec]) -> list[tuple[RunSpec, ...]]:
    """Return those ``runs`` that are like the shown ones on sentences of theirs, said in several ways."""
    here = shown[0].templates
    return [
        several
        for several in _on_other_sets(runs, shown)
        if _includes(here, there := several[0].templates)
        and there.families
        and len(there.families) >= FEWEST_WORDINGS * len(set(there.families))
    ]


def _on_other_sets(runs: Iterable[RunSpec], shown: Sequence[RunSpec]) -> list[tuple[RunSpec, ...]]:
    """Return runs of the shown models on the same topic and occupations in each other template set."""
    first, models = shown[0], [_scored(run) for run in shown]
    if any(_asked(run) != _asked(first) or run.templates.hash != first.templates.hash for run in shown):
        return []
    by_set: dict[str, dict[tuple[str, bool], RunSpec]] = {}
    for run in runs:
        if _scored(run) in models and _asked(run) == _asked(first) and run.plan is None:
            by_set.setdefault(run.templates.hash, {}).setdefault(_scored(run), run)
    by_set.pop(first.templates.hash, None)
    several = [
        tuple(of_set[model] for model in models) for of_set in by_set.values() if len(of_set) == len(models)
    ]
    return sorted(several, key=lambda one: one[0].templates.name)


def _includes(templates: TemplateSet, others: TemplateSet) -> bool:
    """Return whether every family of ``others`` has a member in ``templates``."""
    texts, families = set(templates.texts), others.families or others.texts
    here = {family for family, text in zip(families, others.texts, strict=True) if text in texts}
    return here == set(families)


def _asked(run: RunSpec) -> tuple[str, str]:
    return run.topic.hash, run.evidence.hash


def _scored(run: RunSpec) -> tuple[str, bool]:
    return run.scoring.hash, run.scoring.imported
