"""The risk by kind of word that fits: of the templates of each slot alone, and the caprice between slots."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from pcf_core.audit.by_slot import by_slot
from pcf_core.audit.case import restricted
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned
from pcf_core.core.topics import Part, Template, TemplateSet
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from tests.audit.small_runs import FEW, score_with_fake

FITS: tuple[tuple[Part, ...], ...] = (
    ("pronoun",),
    ("determiner",),
    ("pronoun",),
    ("phrase", "adjective"),
    (),
)
COUNTS = (4.0, 3.0, 2.0, 1.0, 0.0)
RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


def scored(store: Store, fits: tuple[tuple[Part, ...], ...] = FITS) -> RunView:
    texts = tuple(
        Template(text=f"The [X] of number {place} saw that [Y]", count=count, fits=one)
        for place, (count, one) in enumerate(zip(COUNTS, fits, strict=True))
    )
    templates = TemplateSet(name="mixed", title="Mixed", templates=texts)
    run = build_run(resolve("mini-gpt"), load_topic("gender"), FEW, templates)
    return RunView(score_with_fake(store, run), load_result(store, run), ViewOptions())


def test_each_slot_is_a_set_of_its_own(store: Store) -> None:
    reading = scored(store)
    found = by_slot(reading, resamples=40)
    assert found is not None
    assert [(one.slot, one.templates, one.weight) for one in found.slots] == [
        ("pronoun", 2, pytest.approx(0.6)),
        ("determiner", 1, pytest.approx(0.3)),
        ("phrase+adjective", 1, pytest.approx(0.1)),
    ]
    texts = reading.run.templates.texts
    alone = restricted(
        reading.result, reading.run, (texts[0], texts[2]), [4.0, 2.0], ViewOptions(), resamples=40
    )
    for name in RISKS:
        assert getattr(found.slots[0], name) == pytest.approx(getattr(alone, name), abs=1e-12)
        mine, theirs = found.slots[0].intervals[name], alone.intervals[name]
        for one, other in zip(mine, theirs, strict=True):
            assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)


def test_what_lies_between_slots_by_hand(store: Store) -> None:
    """Stereotypes .4 and −.2 of the pronouns (mean .2), −.4 of the determiner, 0 elsewhere.

    E_m |mean| = .6 · .2 + .3 · .4 = .24, and the mean of all is 0: .24 lies between slots, of a caprice of
    .6 · .4 · ⅔ + .6 · .2 · ⅓ + .12 = .32.  The slot means vary by D = 2 (.6 · .04 + .3 · .16) = .144.  The
    pronouns vary by 2 · .6 (.04 · ⅔ + .16 · ⅓) = .096, of which two templates show 4/9 of 60 %: 0.36, and Σ
    q (1 − q) h = .24 · 5/9 + .21 + .09 = .433 of it is more than D, so that nothing is left.
    """
    reading = scored(store)
    s = np.broadcast_to([0.4, -0.4, -0.2, 0.0, 0.9], (5, 5))
    values = np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1)
    preferences = replace(reading.result.preferences, values=values)
    found = by_slot(replace(reading, result=replace(reading.result, preferences=preferences)), resamples=20)
    assert found is not None
    assert found.between == pytest.approx(0.24)
    assert found.corrected_between == 0
    inside = sum(one.weight * one.caprice_risk for one in found.slots)
    assert found.between + inside == pytest.approx(0.32)


def test_chance_is_taken_from_what_lies_between_slots(store: Store) -> None:
    """With .3 and .0 of the pronouns they vary by .09, and k² = 1 − .433 · .09 / .144."""
    reading = scored(store)
    s = np.broadcast_to([0.3, -0.4, 0.0, 0.0, 0.9], (5, 5))
    values = np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1)
    preferences = replace(reading.result.preferences, values=values)
    found = by_slot(replace(reading, result=replace(reading.result, preferences=preferences)), resamples=20)
    assert found is not None
    assert found.corrected_between == pytest.approx(0.24 * np.sqrt(1 - 0.039 / 0.144))


def test_a_run_without_figures_has_none(store: Store) -> None:
    reading = scored(store)
    assert by_slot(replace(reading, result=replace(reading.result, forbidden=Mock(too_many=True)))) is None


def test_one_slot_and_a_plan_have_none(store: Store) -> None:
    assert by_slot(scored(store, (("pronoun",),) * 5), resamples=20) is None
    assert by_slot(scored(store, (*(("pronoun",),) * 4, ("noun",))), resamples=20) is None  # without weight
    reading = scored(store)
    assert by_slot(replace(reading, run=planned(reading.run, 0.05)), resamples=20) is None
