"""How far the analyst's choices can move R: one run read in every other way that its scores allow.

Each choice is changed alone, the others stay as the view options have them.  Nothing is scored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import ValidationError

from pcf_core.audit.case import Case, variant
from pcf_core.audit.option_choices import option_choices, protocol_choices, script_variants
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result
from pcf_core.audit.siblings import Sibling, protocol_sibling, stop_sibling
from pcf_core.audit.template_choices import stop_choices, template_choices
from pcf_core.audit.views import view_of
from pcf_core.audit.word_choices import aggregation_choices, word_choices
from pcf_core.audit.words import aggregated
from pcf_core.errors import AuditError, RunError
from pcf_core.records import RunSpec, digest
from pcf_core.records.sensitivity import BASE, Sensitivity, Unavailable, Variant
from pcf_core.store import Store

SENSITIVITY_VERSION = 3  # raise it when a kept table would come out differently
# The choices that rest on labour statistics, which the table holds whatever it starts from; so it does a
# list's own weights, which are no part of the run key either.
STATISTICS: tuple[Mapping[str, str], ...] = ({"occupation_weights": "employment"}, {"reference": "labour"})
OWN_WEIGHTS: Mapping[str, str] = {"occupation_weights": "list"}


def sensitivity(
    store: Store,
    run: RunSpec,
    options: ViewOptions,
    on_prompts: Callable[[int], None] = lambda prompts: None,
) -> Sensitivity:
    """The kept table, else worked out from the words and kept.

    Raises:
        RunError: the run is not finished, was scored under another protocol, or has a sampling plan.
        AuditError: the options are none that this run can be read with.
    """
    name = sensitivity_name(store, run, options)
    kept = store.load_result(run.key, name)
    if kept is not None:
        try:
            return Sensitivity.model_validate(kept[1])
        except ValidationError:
            pass  # of another version of the app: worked out again
    found = _worked_out(store, run, options, on_prompts)
    store.save_result(run.key, name, {}, found.model_dump(mode="json"))
    return found


def sensitivity_kept(store: Store, run: RunSpec, options: ViewOptions) -> bool:
    """Whether the table is there, so that the words need not be read; raises as :func:`sensitivity`."""
    return store.has_result(run.key, sensitivity_name(store, run, options))


def sensitivity_name(store: Store, run: RunSpec, options: ViewOptions) -> str:
    """Name of the kept table: all that decides it beside the run key.  Raises as :func:`sensitivity`."""
    if run.plan is not None:
        raise RunError(
            f"The run {run.key} draws its templates by a sampling plan, and other choices of templates and "
            "weights have no estimate from it: score every template to see what choices do."
        )
    view = view_of(run, options)
    reference = view.criterion.reference
    siblings = [protocol_sibling(store, run, kind) for kind in ("exact", "exact-boundary")]
    siblings.append(stop_sibling(store, run))
    parts = [
        options.model_dump(exclude={"unit"}),
        run.topic.aligned,
        run.templates.counts.tolist(),
        view.rows.tolist(),
        view.occupation_weights.tolist(),
        None if reference is None else reference.tolist(),
        [_statistics(run, options, change) for change in _always_tried(run)],
        [found.run.key if isinstance(found, Sibling) else "" for found in siblings],
    ]
    return f"sensitivity-{SENSITIVITY_VERSION}-{digest(parts)}"


def _always_tried(run: RunSpec) -> tuple[Mapping[str, str], ...]:
    return (*STATISTICS, OWN_WEIGHTS) if run.evidence.weights else STATISTICS


def _statistics(run: RunSpec, options: ViewOptions, change: Mapping[str, str]) -> list[object]:
    """What the figures come to for a choice that is always tried, or why it cannot be made."""
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
    sums = result.preferences.values
    case = Case(
        store=store,
        run=run,
        options=options,
        view=view_of(run, options),
        words=result.words,
        tokens=dict(zip(result.words, result.tokens, strict=True)),
        sums=sums,
        values=aggregated(sums, run.topic, result.words, options.aggregation),
    )
    found = [
        *word_choices(case, on_prompts),
        *aggregation_choices(case),
        *template_choices(case),
        *stop_choices(case),
        *option_choices(case),
        *protocol_choices(case),
        *script_variants(case),
    ]
    return Sensitivity(
        run=run.key,
        base=variant(BASE, BASE, case.view.risks(case.values), kind="base"),
        variants=tuple(one for one in found if isinstance(one, Variant)),
        unavailable=tuple(one for one in found if isinstance(one, Unavailable)),
    )
