"""Sensitivity of R to the analyst's choices: one run read in every other way that its scores allow.

Each choice is changed alone, without scoring: other view options, other protocols, the authors' published
scripts, and other templates (the heaviest, random halves, all but one, and all with or without a full stop).

**The published scripts** compute something else than their papers define:

    gender   s = p − ½ and its mean m; the risk is E s^+ where m > 0, else E s^−; prejudice |m|, the rest
             volatility.  Doubled, as its plots do.  R^p is the papers'; with a = E S^+ and b = E S^− (m > 0)
             R is a, not a + b, and R^c is b, not 2b.
    race     the sum of the positive stereotypes (l¹, not l∞) divided by the number of groups; the words of a
             group are averaged, not added up; only contexts counted at least ten times.
    demo     the largest |S|, not the largest positive S: the same with two groups, larger with more.

They only answer whether a published figure could come from here, and no report contains them.  Written from
what is known of the repository EmpathYang/Prejudice-Volatility-Framework (calculate.py, compute_risk.py), not
copied, as it has no licence.  All take PCF's stereotypes S (arXiv 2402.15481v1, Eq. 2) against an even split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError

from pcf_core.audit.case import Case, Sibling, Variation, extremes, protocol_sibling, stop_sibling, variant
from pcf_core.audit.fitting import identity_of, words_by_template
from pcf_core.audit.forbidden import filled
from pcf_core.audit.options import ViewOptions, with_families
from pcf_core.audit.preferences import aggregated
from pcf_core.audit.reading import RunView, View, view_of
from pcf_core.audit.results import load_result
from pcf_core.audit.slots import slots_of
from pcf_core.audit.word_lists import aggregation_choices, word_choices
from pcf_core.core.errors import AuditError, CriterionError, RunError
from pcf_core.core.options import declared
from pcf_core.core.records import FloatArray, digest
from pcf_core.core.run import RunSpec
from pcf_core.core.sensitivity import BASE, SAMPLE, Sensitivity, Unavailable, Variant
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised
from pcf_core.measure.decomposition import jensen_gap
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.wordings import splits
from pcf_core.store.store import Store

# Other view options, other protocols, and the published scripts.


def _option_choices(case: Case) -> Variation:
    """Change one view option at a time, but no scale (a unit), nor own weights if there are none."""
    now = case.options
    several = "with two groups every way to combine them gives the same risk"
    for field, one in declared(type(now)).items():
        dimension = one.spec.varied_as
        for name in one.offered if dimension else ():
            if getattr(now, field) == name:
                continue
            if field == "occupation_weights" and name == "list" and not case.run.evidence.weights:
                continue
            if field == "criterion" and case.groups == 2:
                yield Unavailable(dimension=dimension, name=name, reason=several)
                continue
            options = now.model_copy(update={field: name})
            yield _with_occupations(case, case.read(dimension, name, options), options)


def _with_occupations(case: Case, way: Variant | Unavailable, options: ViewOptions) -> Variant | Unavailable:
    """Add how many occupations a choice covers, if that changes."""
    if isinstance(way, Unavailable):
        return way
    count = len(RunView(case.run, case.result, options).view.rows)
    if count == len(case.view.rows):
        return way
    now = len(case.view.rows)
    note = f"Over {count:,} instead of {now:,} occupations, because the other figures are missing."
    return way.model_copy(update={"note": note})


def _protocol_choices(case: Case) -> Variation:
    """Yield the protocols that need scores of their own."""
    scored = case.run.scoring.protocol
    for protocol in ("exact", "exact-boundary"):
        if protocol == scored:
            continue
        sibling = protocol_sibling(case.store, case.run, protocol)
        if isinstance(sibling, Unavailable):
            yield sibling
        else:
            yield case.sibling("protocol", sibling, protocol)


def _script_variants(case: Case) -> Variation:
    """Compute the authors' scripts, which are other measures and not defensible choices."""
    if case.groups == 2:
        equal = case.complete * 1.0
        yield _script(case, "gender", "script for gender, every sentence counted equally", case.values, equal)
        yield _script(case, "gender", "script for gender", case.values, case.view.template_weights)
        yield Unavailable(
            dimension="published scripts",
            name="demo library",
            reason="with two groups it gives the same numbers as the papers' definitions",
        )
        return
    counted = (case.run.drawn.counts >= RACE_LEAST_COUNT) & case.complete
    averaged = aggregated(case.sums, case.run.topic, case.words, "mean", case.at)
    if counted.any():
        note = f"{counted.sum():,} sentences found at least {RACE_LEAST_COUNT:g} times, words averaged."
        yield _script(case, "race", "script for race", averaged, counted * 1.0, note)
    else:
        yield Unavailable(
            dimension="published scripts",
            name="script for race",
            reason=f"it uses sentences found at least {RACE_LEAST_COUNT:g} times, and there are none",
        )
    yield _script(case, "demo", "demo library", case.values, case.view.template_weights)


def _script(
    case: Case, script: Script, name: str, values: FloatArray, weights: FloatArray, note: str = ""
) -> Variant:
    parts = script_risks(values[case.view.rows], weights, script)
    shares = case.view.occupation_weights / case.view.occupation_weights.sum()
    risks: dict[str, Any] = {
        risk: float(shares @ part)
        for risk, part in zip(("overall_risk", "prejudice_risk", "caprice_risk"), parts, strict=True)
    }
    other = case.options.scale != "pcf" and case.groups > 2
    even = "Measured against an even split." if case.options.reference != "uniform" else ""
    notes = " ".join(filter(None, [note, even, "On the first paper's scale." if other else ""]))
    return variant("published scripts", name, risks, kind="script", note=notes)


# Other templates.


HEAVIEST = (1, 3, 10, 30, 100, 300, 1000, 3000, 10000)
HALVES = 20
DIMENSION = "sentences"
LEAST_HALVED = 4  # fewest templates with weight for random halves
SEED = 0
LEAST_LEFT = 1e-9  # of the weight; less means that one template has all


def _template_choices(case: Case) -> Variation:
    """Yield parts of the run's templates: the heaviest, random halves, and all but one, families whole."""
    weights, texts, whole = case.view.template_weights, case.run.drawn.texts, case.matrix.whole
    families, one, several = whole.drawn_families, "sentence", "sentences"
    of = np.arange(len(texts)) if families is None else families.of
    if families is not None:
        one, several = "family of sentences", "families of sentences"
    if len(texts) == 1:
        yield Unavailable(dimension=DIMENSION, name="fewer sentences", reason="there is only one sentence")
        return
    for size, items in heaviest(whole.items):
        rows = np.flatnonzero(np.isin(of, items))
        share = weights[rows].sum() / weights.sum()
        note = f"{'It counts' if size == 1 else 'They count'} for {100 * share:.0f} % of the result."
        name = f"the most common {one} alone" if size == 1 else f"the {size:,} most common {several}"
        yield variant(DIMENSION, name, case.view.risks(case.values, rows), note=note)
    if splits(families):
        ranked = np.argsort(-weights, kind="stable")
        _, first = np.unique(of[ranked], return_index=True)
        one_each = np.zeros(len(texts))
        one_each[ranked[first]] = whole.items
        alone = replace(case.view, template_weights=one_each).risks(case.values)
        note = f"One of {len(texts):,} sentences for each of {len(first):,} families."
        yield variant(DIMENSION, "the most common wording of each family", alone, note=note)
    drawn: list[Variant | Unavailable] = [
        variant(SAMPLE, f"random half {number}", case.view.risks(case.values, np.isin(of, items)), "each")
        for number, items in enumerate(halves(whole.items, SEED), start=1)
    ]
    if not drawn:
        reason = f"fewer than {LEAST_HALVED} {several} count for anything"
        yield Unavailable(dimension=SAMPLE, name="a random half", reason=reason)
    yield from extremes(drawn, "a random half", "sample")
    yield from drawn
    carrying, left_out = int((whole.items > 0).sum()), f"one {one} left out"
    if carrying == 1:
        reason = f"only one {one} counts for anything, so none would be left"
        yield Unavailable(dimension=SAMPLE, name=left_out, reason=reason)
        return
    # What has no weight changes nothing and must not be named as an extreme.
    risks = np.where(whole.items > 0, risks_without_one(case.values, case.view, whole), np.nan)
    for end, index in (("lowest", np.nanargmin(risks)), ("highest", np.nanargmax(risks))):
        members = np.flatnonzero(of == index)
        which = f"without {texts[members[0]]!r}"
        which += " and its other wordings" if len(members) > 1 else ""
        note = f"The {end} risk of {carrying:,}: {which}."
        now = case.view.risks(case.values, of != index)
        without_one = variant(SAMPLE, left_out, now, "sample", note)
        yield without_one.model_copy(update={"end": end, "which": which})


def _stop_choices(case: Case) -> Variation:
    sibling = stop_sibling(case.store, case.run)
    if isinstance(sibling, Unavailable):
        yield sibling
        return
    yield case.sibling("full stop", sibling, case.options.protocol)


def heaviest(weights: FloatArray) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield sizes, and the rows of so many of the heaviest templates; ties in the order of the set."""
    ranked = np.argsort(-weights, kind="stable")
    for size in HEAVIEST:
        if size < (weights > 0).sum():
            yield size, np.sort(ranked[:size])


def halves(weights: FloatArray, seed: int = 0) -> Iterator[NDArray[np.intp]]:
    """Yield the rows of random halves of the templates with a weight, drawn without replacement."""
    generator = np.random.default_rng(seed)
    carrying = np.flatnonzero(weights > 0)
    for _ in range(HALVES if len(carrying) >= LEAST_HALVED else 0):
        yield np.sort(generator.choice(carrying, size=len(carrying) // 2, replace=False))


def risks_without_one(values: FloatArray, view: View, whole: TemplateUnit) -> FloatArray:
    """Compute R of all templates but those of one item of ``whole``: [item], NaN for one that has all weight.

    From E_t J and E_t s of all, each less the part of the one: (E J − w_t J_t) / (1 − w_t).  ``values``
    [occupation, template, group]: preferences of all occupations of the run.
    """
    weights = view.template_weights / view.template_weights.sum()
    shares = view.occupation_weights / view.occupation_weights.sum()
    left = np.where(1 - whole.items > LEAST_LEFT, 1 - whole.items, np.nan)
    risks = np.zeros(len(left))
    for index, share in enumerate(shares.tolist()):  # one at a time, as there may be many templates
        part = view.part(index, index + 1)
        stereotypes = part.criterion.stereotypes(values[part.rows])[0]
        each = part.criterion.of_stereotypes(stereotypes)
        overall = (weights @ each - whole.sums(weights * each)) / left
        taken = whole.sums(weights[:, np.newaxis] * stereotypes, axis=0)
        means = (weights @ stereotypes - taken) / left[:, np.newaxis]
        prejudice = part.criterion.of_stereotypes(means)
        risks += share * (prejudice + jensen_gap(overall, prejudice))
    return risks


SENSITIVITY_VERSION = 6  # raise it when a stored table would change
# Choices from labour statistics, and the list's own weights, which are always in the table and not part
# of the run key.
STATISTICS: tuple[Mapping[str, str], ...] = ({"occupation_weights": "employment"}, {"reference": "labour"})
OWN_WEIGHTS: Mapping[str, str] = {"occupation_weights": "list"}


def sensitivity(
    store: Store, run: RunSpec, options: ViewOptions, on_prompts: Callable[[int], None] = lambda prompts: None
) -> Sensitivity:
    """Load the stored table, or compute it from the words and store it.

    Raises RunError for an unfinished run, another protocol or a sampling plan, and AuditError for unusable
    options.
    """
    name = sensitivity_name(store, run, options)
    stored = store.load_result(run.kept_as, name)
    if stored is not None:
        try:
            return Sensitivity.model_validate(stored[1])
        except ValidationError:
            pass  # of another version of the app: computed again
    table = _worked_out(store, run, options, on_prompts)
    store.save_result(run.kept_as, name, {}, table.model_dump(mode="json"))
    return table


def sensitivity_kept(store: Store, run: RunSpec, options: ViewOptions) -> bool:
    """Return whether the table is stored, so that no words need be read; raises as :func:`sensitivity`."""
    return store.has_result(run.kept_as, sensitivity_name(store, run, options))


def sensitivity_name(store: Store, run: RunSpec, options: ViewOptions) -> str:
    """Name the table by all that decides it beside the run key; raises as :func:`sensitivity`."""
    if run.plan is not None:
        raise RunError(
            f"The run {run.key} drew its templates by a sampling plan, so the effect of other templates and "
            "weights cannot be estimated: score every template to see it."
        )
    if run.topic.decides:
        raise RunError(
            f"The run {run.key} is about decisions, and the effect of choices on these is not calculated: "
            "compare runs of other topics or sentences instead."
        )
    if run.scoring.sampled is not None:
        raise RunError(
            f"The run {run.key} counts sampled answers, and the effect of choices on these is not known: "
            "sample it with other sentences or words to see theirs."
        )
    view, drawn = view_of(run, options), with_families(run).drawn
    reference = view.criterion.reference
    siblings = [protocol_sibling(store, run, kind) for kind in ("exact", "exact-boundary")]
    siblings.append(stop_sibling(store, run))
    parts = [
        options.of_figures,
        run.topic.aligned,
        identity_of(run),
        run.templates.counts.tolist(),
        view.rows.tolist(),
        view.occupation_weights.tolist(),
        None if reference is None else reference.tolist(),
        [_statistics(run, options, change) for change in _always_tried(run)],
        [sibling.run.key if isinstance(sibling, Sibling) else "" for sibling in siblings],
    ]
    if (families := TemplateUnit.templates(view.template_weights, drawn.families).drawn_families) is not None:
        parts.append(["families", families.of.tolist()])
    if any(slot.joins for slot in slots_of(run)):  # earlier versions scored parts of these words
        parts.append("joined")
    return f"sensitivity-{SENSITIVITY_VERSION}-{digest(parts)}"


def _always_tried(run: RunSpec) -> tuple[Mapping[str, str], ...]:
    return (*STATISTICS, OWN_WEIGHTS) if run.evidence.weights else STATISTICS


def _statistics(run: RunSpec, options: ViewOptions, change: Mapping[str, str]) -> list[object]:
    """Return the figures for a choice that is always in the table, or why it is impossible."""
    try:
        view = view_of(run, options.model_copy(update=change))
    except AuditError as error:
        return [str(error)]
    reference = view.criterion.reference
    return [
        view.rows.tolist(),
        view.occupation_weights.tolist(),
        None if reference is None else reference.tolist(),
    ]


def _worked_out(
    store: Store, run: RunSpec, options: ViewOptions, on_prompts: Callable[[int], None]
) -> Sensitivity:
    result = load_result(store, run, options.protocol)
    sums = filled(result.preferences.values)
    at = words_by_template(run, result.words, options.protocol)
    values = aggregated(result.preferences.values, run.topic, result.words, options.aggregation, at)
    read = replace(result, preferences=replace(result.preferences, values=values))
    case = Case(run, read, options, store, sums)
    ways = [
        *word_choices(case, on_prompts),
        *aggregation_choices(case),
        *_template_choices(case),
        *_stop_choices(case),
        *_option_choices(case),
        *_protocol_choices(case),
        *_script_variants(case),
    ]
    return Sensitivity(
        run=run.key,
        base=variant(BASE, BASE, case.view.risks(case.values), kind="base"),
        variants=tuple(one for one in ways if isinstance(one, Variant)),
        unavailable=tuple(one for one in ways if isinstance(one, Unavailable)),
    )


Script = Literal["gender", "race", "demo"]

RACE_LEAST_COUNT = 10.0


def script_risks(
    values: ArrayLike, template_weights: ArrayLike, script: Script
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute overall risk, prejudice and volatility, each [occupation], as a script of the authors does.

    ``values`` [occupation, template, group]: preferences, rows sum to 1; for ``race`` already averaged, in
    its contexts. ``template_weights`` [template] >= 0, positive sum; the scripts' default is equal.  The
    first result is the sum of the others; for ``race`` it ends at 1 / |Y|.  Raises CriterionError for
    preferences or weights that are not allowed; ``gender`` and more than two groups.
    """
    preferences = checked_preferences(values)
    weights = normalised(template_weights, preferences.shape[1], "template_weights")
    stereotypes = Criterion().stereotypes(preferences)
    mean = weights @ stereotypes
    if script == "gender":
        return _of_gender(stereotypes, mean, weights)
    measure = _race_measure if script == "race" else _demo_measure
    overall, prejudice = measure(stereotypes) @ weights, measure(mean)
    volatility = jensen_gap(overall, prejudice)
    return prejudice + volatility, prejudice, volatility


def _of_gender(
    stereotypes: FloatArray, mean: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count only the side of the mean as risk."""
    if mean.shape[-1] != 2:
        raise CriterionError(
            f"The authors' script for gender knows two groups; got {mean.shape[-1]}: use that for race."
        )
    towards = mean.argmax(axis=-1)
    rows = np.arange(len(mean))
    leading = stereotypes[rows, :, towards]
    overall = np.maximum(leading, 0.0) @ weights
    prejudice = mean[rows, towards]
    volatility = jensen_gap(overall, prejudice)
    return prejudice + volatility, prejudice, volatility


def _race_measure(stereotypes: FloatArray) -> FloatArray:
    return np.asarray(np.maximum(stereotypes, 0.0).sum(axis=-1) / stereotypes.shape[-1])


def _demo_measure(stereotypes: FloatArray) -> FloatArray:
    return np.asarray(np.abs(stereotypes).max(axis=-1))
