"""Sentences about template sets, on counts whose shares can be added up by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard
from pcf_core.show.findings.templates import (
    carriers,
    cut_finding,
    kept_share,
    mining_finding,
    move_finding,
    origin_finding,
    set_finding,
    sets_finding,
)

COUNTS = [40, 20, 10, 10, 5, 5, 2, 2, 2, 2, 1, 1]  # 100 in all


def mined(name: str, counts: list[float]) -> MinedSet:
    templates = tuple(MinedTemplate(text=f"The [X] {i} [Y]", count=c) for i, c in enumerate(counts))
    return MinedSet(name=name, card=SetCard(title=name), templates=templates)


def test_the_mass_is_told_by_its_heaviest_and_its_half() -> None:
    assert set_finding(COUNTS) == (
        "The ten heaviest carry 98 % of the weight; half of it lies in 2 of 12 templates."
    )
    assert set_finding([3, 1]) == (
        "The heaviest template carries 75 % of the weight; half of it lies in 1 of 2 templates."
    )
    assert set_finding([7]) == "The set has one template: every number rests on it alone."


def test_a_cut_tells_both_shares() -> None:
    assert cut_finding(COUNTS, 3) == (
        "The cut keeps the 3 heaviest: 70 % of the weight and 25 % of the templates."
    )
    assert cut_finding(COUNTS, None) == cut_finding(COUNTS, 12) == ""
    assert kept_share(COUNTS, 50) == kept_share(COUNTS, None) == 1


def test_equal_shares_are_carried_by_exactly_half() -> None:
    assert carriers([1, 1, 1, 1]) == 2
    assert carriers([0.1] * 10, 0.3) == 3


@given(
    st.lists(st.floats(0, 1e9), min_size=1, max_size=40).filter(lambda counts: sum(counts) > 0),
    st.floats(0.01, 0.99),
)
def test_carriers_are_the_fewest_that_carry_the_share(counts: list[float], share: float) -> None:
    few = carriers(counts, share)
    assert kept_share(counts, few) >= share - 1e-9
    assert few == 1 or kept_share(counts, few - 1) < share
    order = np.random.default_rng(0).permutation(len(counts))
    assert carriers(np.array(counts)[order], share) == few


def test_where_a_set_comes_from() -> None:
    card = SetCard(
        title="t", corpus="simplewiki", documents=26_748, words=5_903_633, matches=3120, kept=0.714
    )
    assert origin_finding(card) == (
        "Mined from 3,120 sentences in 26,748 documents and 5,903,633 words. The source is "
        "simplewiki. This set covers 71 % of the sentences found."
    )
    assert "in 5,903,633 Chinese characters." in origin_finding(
        card.model_copy(update={"documents": 0}), "Chinese characters"
    )
    assert origin_finding(SetCard(title="t", matches=1)) == "Mined from 1 sentence."
    assert origin_finding(SetCard(title="t", matches=1, kept=0)) == "Mined from 1 sentence."  # kept: unknown
    assert origin_finding(SetCard(title="t")) == ""


def test_what_a_mining_job_found() -> None:
    result = {
        "templates": 1200,
        "matches": 5000,
        "documents": 1,
        "dropped": {"a name": 40, "a number": 300, "a hint": 9, "a question": 40},
    }
    assert mining_finding(result) == (
        "1,200 templates from 5,000 matches in 1 document. "
        "Most often dropped: a number (300), a name (40) and a question (40)."
    )
    assert mining_finding({**result, "dropped": {}}).endswith("in 1 document.")
    without = mining_finding({**result, "without_word": 1200})
    assert "1,200 sentences had no word that is looked for. Most often dropped" in without


def report_of(male: list[float]) -> RiskReport:
    document = {"preferences": [[[p, 1 - p] for p in male]], "groups": ["male", "female"]}
    found = matrix_report(document, ViewOptions(), resamples=20)
    intervals = {risk: (Interval(low=0.1, high=0.3),) for risk in found.intervals}
    return replace(found, intervals=intervals)


def test_what_a_choice_does_to_the_risk_and_its_parts() -> None:
    """All caprice before, all prejudice after: J is 0.2 in every context of both."""
    said = move_finding("m", report_of([0.4, 0.6]), report_of([0.6, 0.6]), "2 templates", "the 1 chosen")
    assert said == (
        "The risk of m is 0.20 (0.10–0.30) over 2 templates and 0.20 (0.10–0.30) over the 1 "
        "chosen. Prejudice goes from 0 to 0.20 and caprice goes from 0.20 to 0."
    )


@pytest.mark.parametrize(
    ("correlation", "interval", "end"),
    [
        (0.65, Interval(low=0.5, high=0.8), "Over those the ranks correlate with ρ = 0.65 (0.50–0.80)."),
        (None, None, "are in both."),
    ],
)
def test_what_two_sets_have_in_common(correlation: float | None, interval: Interval | None, end: str) -> None:
    said = sets_finding(mined("wiki", [3, 2, 1]), mined("books", [1, 1]), 0.25, 2, correlation, interval)
    assert said.startswith(
        "wiki and books have 25 % of their weight in common. 2 of 3 and 2 templates are in both."
    )
    assert said.endswith(end)
