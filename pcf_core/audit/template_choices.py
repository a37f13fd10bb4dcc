"""Other templates: the heaviest, halves drawn at random, all but one, and all with or without a full stop."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.case import Case, Found, extremes, variant
from pcf_core.audit.siblings import stop_sibling
from pcf_core.audit.views import View
from pcf_core.records import FloatArray
from pcf_core.records.sensitivity import SAMPLE, Unavailable, Variant
from pcf_core.risk import jensen_gap

HEAVIEST = (1, 3, 10, 30, 100, 300, 1000, 3000, 10000)
HALVES = 20
LEAST_HALVED = 4  # templates with a weight: two halves of fewer are no samples
SEED = 0
LEAST_LEFT = 1e-9  # of the weight: what one template leaves of it when it carries all


def template_choices(case: Case) -> Found:
    """Fewer of the run's own templates, with the weights that they have.

    The heaviest are a choice; halves by chance and all but any one show how much hangs on the sample.
    """
    weights, texts = case.view.template_weights, case.run.drawn.texts
    if len(texts) == 1:
        yield Unavailable(dimension="templates", name="fewer templates", reason="the run has one template")
        return
    for size, places in heaviest(weights):
        share = weights[places].sum() / weights.sum()
        note = f"They carry {100 * share:.0f} % of the weight."
        name = "the heaviest template" if size == 1 else f"{size:,} heaviest templates"
        yield variant("templates", name, case.view.risks(case.values, places), note=note)
    drawn: list[Variant | Unavailable] = [
        variant(SAMPLE, f"random half {number}", case.view.risks(case.values, places), "each")
        for number, places in enumerate(halves(weights, SEED), start=1)
    ]
    if not drawn:
        reason = f"fewer than {LEAST_HALVED} templates carry weight"
        yield Unavailable(dimension=SAMPLE, name="a random half", reason=reason)
    yield from extremes(drawn, "a random half", "sample")
    yield from drawn
    carrying = int((weights > 0).sum())
    if carrying == 1:
        reason = "one template alone carries weight, and nothing would be left"
        yield Unavailable(dimension=SAMPLE, name="one template left out", reason=reason)
        return
    # Without a template of no weight nothing changes: where all are alike it must not be named an extreme.
    risks = np.where(weights > 0, risks_without_one(case.values, case.view), np.nan)
    for end, place in (("lowest", np.nanargmin(risks)), ("highest", np.nanargmax(risks))):
        others = np.arange(len(texts)) != place
        which = f"without {texts[place]!r}"
        note = f"Of {carrying:,}, the one with the {end} R: {which}."
        now = case.view.risks(case.values, others)
        found = variant(SAMPLE, "one template left out", now, "sample", note)
        yield found.model_copy(update={"end": end, "which": which})


def stop_choices(case: Case) -> Found:
    """All templates with a full stop where they have none, or without."""
    found = stop_sibling(case.store, case.run)
    if isinstance(found, Unavailable):
        yield found
        return
    yield case.sibling("full stop", found, case.options.protocol)


def heaviest(weights: FloatArray) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """How many of those with a weight, and their places in the set's order; equal weights in that order."""
    ranked = np.argsort(-weights, kind="stable")
    for size in HEAVIEST:
        if size < (weights > 0).sum():
            yield size, np.sort(ranked[:size])


def halves(weights: FloatArray, seed: int = 0) -> Iterator[NDArray[np.intp]]:
    """Places of half of the templates, drawn without replacement, each as likely; of those with a weight."""
    generator = np.random.default_rng(seed)
    carrying = np.flatnonzero(weights > 0)
    for _ in range(HALVES if len(carrying) >= LEAST_HALVED else 0):
        yield np.sort(generator.choice(carrying, size=len(carrying) // 2, replace=False))


def risks_without_one(values: FloatArray, view: View) -> FloatArray:
    """R of all templates but one: [template], NaN for one that carries all weight.

    From E_t J and E_t s of all, each less the part of the one: (E J − w_t J_t) / (1 − w_t).

    Args:
        values: [occupation, template, group] preferences of all occupations of the run.
        view: how they are read.
    """
    weights = view.template_weights / view.template_weights.sum()
    shares = view.occupation_weights / view.occupation_weights.sum()
    left = np.where(1 - weights > LEAST_LEFT, 1 - weights, np.nan)
    risks = np.zeros(len(weights))
    for place, share in enumerate(shares.tolist()):  # one occupation at a time: there may be many templates
        part = view.part(place, place + 1)
        stereotypes = part.criterion.stereotypes(values[part.rows])[0]
        each = part.criterion.of_stereotypes(stereotypes)
        overall = (weights @ each - weights * each) / left
        means = (weights @ stereotypes - weights[:, np.newaxis] * stereotypes) / left[:, np.newaxis]
        prejudice = part.criterion.of_stereotypes(means)
        risks += share * (prejudice + jensen_gap(overall, prejudice))
    return risks
