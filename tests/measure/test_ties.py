"""Risks of many models, pair by pair: against the whole comparison, and letters against their definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.comparison import paired_comparison
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.ties import letters, risk_differences

MODELS = 8
PAIRS = list(combinations(range(MODELS), 2))


@given(
    st.integers(0, 10_000),
    st.integers(2, 3),
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 7.0]), min_size=3, max_size=13).filter(any),
    st.sampled_from([Criterion(), Criterion.parse("l2", "bvf")]),
)
def test_every_pair_has_the_numbers_of_the_whole_comparison(
    seed: int, groups: int, weights: list[float], criterion: Criterion
) -> None:
    generator = np.random.default_rng(seed)
    shares = generator.dirichlet(np.ones(3))
    values = [generator.dirichlet(np.ones(groups), size=(3, len(weights))) for _ in range(3)]
    few = {"resamples": 40, "permutations": 60, "seed": seed}
    found = risk_differences(values, weights, shares, criterion, **few)
    assert list(found) == [(0, 1), (0, 2), (1, 2)]
    for (one, other), mine in found.items():
        whole = paired_comparison(
            values[one], values[other], TemplateUnit.templates(weights), shares, criterion, **few
        )
        theirs = whole.totals["overall_risk"]
        assert (mine.p_value, mine.least_p) == pytest.approx((theirs.p_value, theirs.least_p))
        assert (mine.first, mine.second) == pytest.approx((theirs.first, theirs.second))
        assert mine.basis is not None
        assert theirs.basis is not None
        assert (mine.basis.low, mine.basis.high) == pytest.approx(
            (theirs.basis.low, theirs.basis.high), abs=1e-12
        )
        assert mine.basis.few == theirs.basis.few
        assert mine.verdict == theirs.verdict


def test_a_model_without_risk_is_never_above_another() -> None:
    even = np.full((2, 9, 2), 0.5)
    share = np.random.default_rng(0).uniform(0.6, 0.9, size=(2, 9))
    skewed = np.stack([share, 1 - share], axis=-1)
    found = risk_differences([even, even, skewed], np.ones(9), [1, 1], Criterion())
    assert found[0, 1].verdict == "equal"
    assert found[0, 2].verdict == "second"
    assert found[0, 2].basis is not None
    assert found[0, 2].basis.high <= 0


def test_one_model_has_no_pair_and_unlike_axes_are_refused() -> None:
    one = np.full((2, 3, 2), 0.5)
    assert risk_differences([one], np.ones(3), [1, 1], Criterion()) == {}
    with pytest.raises(CriterionError, match=r"\[2, 2, 2\], \[2, 3, 2\]"):
        risk_differences([one, one[:, :2]], np.ones(3), [1, 1], Criterion())


@given(st.integers(1, MODELS), st.sets(st.sampled_from(PAIRS)))
def test_two_share_a_letter_exactly_if_they_are_not_told_apart(
    models: int, told: set[tuple[int, int]]
) -> None:
    apart = {pair for pair in told if max(pair) < models}
    found = [set(own.split()) for own in letters(models, apart)]
    for pair in combinations(range(models), 2):
        assert bool(found[pair[0]] & found[pair[1]]) == (pair not in apart)
    assert all(found)


@given(st.integers(1, 6), st.sets(st.sampled_from(PAIRS)))
def test_letters_are_the_largest_sets_that_can_be_in_the_order_of_the_models(
    models: int, told: set[tuple[int, int]]
) -> None:
    apart = {pair for pair in told if max(pair) < models}
    alike = [
        set(several)
        for size in range(1, models + 1)
        for several in combinations(range(models), size)
        if not apart & set(combinations(several, 2))
    ]
    largest = sorted(sorted(one) for one in alike if not any(one < other for other in alike))
    found = [own.split() for own in letters(models, apart)]
    names = sorted({name for own in found for name in own})
    assert [[model for model in range(models) if name in found[model]] for name in names] == largest
    assert names == list("abcdefghijklmnopqrstuvwxyz"[: len(names)])


def test_a_chain_in_which_the_outer_two_alone_are_told_apart() -> None:
    assert letters(3, [(0, 2)]) == ["a", "a b", "b"]
    assert letters(3, []) == ["a", "a", "a"]
    assert letters(3, [(0, 1), (0, 2), (1, 2)]) == ["a", "b", "c"]
    assert letters(0, []) == []


def test_after_z_letters_go_on() -> None:
    every = letters(28, combinations(range(28), 2))
    assert every[25:] == ["z", "a1", "b1"]
    assert len(set(every)) == 28
