"""Other view options, other protocols, and what the authors' published scripts would have made of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from pcf_core.audit.case import Case, Found, variant
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.siblings import protocol_sibling
from pcf_core.audit.views import view_of
from pcf_core.audit.words import aggregated
from pcf_core.records import FloatArray
from pcf_core.records.sensitivity import Unavailable, Variant
from pcf_core.risk import RACE_LEAST_COUNT, Script, script_risks


def option_choices(case: Case) -> Found:
    """View options, one changed at a time; scales are units and no choice, nor are a list's own weights
    where it has none."""
    now = case.options
    own_weights = ("list",) if case.run.evidence.weights else ()
    several = "with two groups one stereotype at most is above 0, and all criteria agree"
    for dimension, field, names in (
        ("occupation weights", "occupation_weights", ("uniform", "employment", *own_weights)),
        ("template weights", "template_weighting", ("counts", "equal")),
        ("criterion", "criterion", ("max", "l2", "l1")),
        ("neutral point", "reference", ("uniform", "labour")),
    ):
        for name in names:
            if getattr(now, field) == name:
                continue
            if field == "criterion" and case.groups == 2:
                yield Unavailable(dimension=dimension, name=name, reason=several)
                continue
            options = now.model_copy(update={field: name})
            yield _with_occupations(case, case.read(dimension, name, options), options)


def _with_occupations(
    case: Case, found: Variant | Unavailable, options: ViewOptions
) -> Variant | Unavailable:
    """Say on how many occupations a way rests where it is not as many as now."""
    if isinstance(found, Unavailable):
        return found
    count = len(view_of(case.run, options).rows)
    if count == len(case.view.rows):
        return found
    now = len(case.view.rows)
    note = f"Over {count:,} occupations, as chosen over {now:,}: of the others there is no figure."
    return found.model_copy(update={"note": note})


def protocol_choices(case: Case) -> Found:
    """The protocols that are scores of their own."""
    scored = case.run.scoring.protocol
    for protocol in ("exact", "exact-boundary"):
        if protocol == scored:
            continue
        found = protocol_sibling(case.store, case.run, protocol)
        if isinstance(found, Unavailable):
            yield found
        else:
            yield case.sibling("protocol", found, protocol)


def script_variants(case: Case) -> Found:
    """The authors' scripts, which are other measures and no choices in good faith."""
    if case.groups == 2:
        equal = np.ones(len(case.view.template_weights))
        yield _script(case, "gender", "script for gender, equal weights", case.values, equal)
        yield _script(case, "gender", "script for gender", case.values, case.view.template_weights)
        yield Unavailable(
            dimension="published scripts",
            name="demo library",
            reason="with two groups it computes what the papers define",
        )
        return
    counted = case.run.drawn.counts >= RACE_LEAST_COUNT
    averaged = aggregated(case.sums, case.run.topic, case.words, "mean")
    if counted.any():
        note = f"{counted.sum():,} templates counted at least {RACE_LEAST_COUNT:g} times, words averaged."
        yield _script(case, "race", "script for race", averaged, counted * 1.0, note)
    else:
        yield Unavailable(
            dimension="published scripts",
            name="script for race",
            reason=f"it takes templates counted at least {RACE_LEAST_COUNT:g} times, and there is none",
        )
    yield _script(case, "demo", "demo library", case.values, case.view.template_weights)


def _script(
    case: Case, script: Script, name: str, values: FloatArray, weights: FloatArray, note: str = ""
) -> Variant:
    found = script_risks(values[case.view.rows], weights, script)
    shares = case.view.occupation_weights / case.view.occupation_weights.sum()
    risks: dict[str, Any] = {
        risk: float(shares @ part)
        for risk, part in zip(("overall_risk", "prejudice_risk", "caprice_risk"), found, strict=True)
    }
    other = case.options.scale != "pcf" and case.groups > 2
    even = "Against an even split." if case.options.reference != "uniform" else ""
    said = " ".join(filter(None, [note, even, "On the scale pcf." if other else ""]))
    return variant("published scripts", name, risks, kind="script", note=said)
