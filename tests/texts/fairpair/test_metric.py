"""B, V, F and E: the example on paper, folds, a second computation, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError, FairPairError
from pcf_core.core.records import FloatArray
from pcf_core.texts.fairpair.dissimilarity import Dissimilarity, Jaccard
from pcf_core.texts.fairpair.intervals import relabelled, share_at_least
from pcf_core.texts.fairpair.metric import (
    convergence,
    fold_bounds,
    fold_matrices,
    folds_for,
    samples_for,
    variation_of,
)
from pcf_core.texts.fairpair.records import MOST_TOGETHER, Course, PromptPairs, Variation
from tests.quick import scaled
from tests.texts.fairpair.planted import identical, planted, text_list

TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=4).map(" ".join), min_size=2, max_size=14)


def variation(u: Sequence[str], z: Sequence[str], dissimilarity: Dissimilarity, folds: int = 1) -> Variation:
    return variation_of(fold_matrices(u, z, dissimilarity, folds))


def test_the_hand_example_of_section_10() -> None:
    found = variation(["a b", "a c"], ["a b", "d"], Jaccard())
    assert found.between == pytest.approx(2 / 3)
    assert found.within_original == pytest.approx(2 / 3)
    assert found.within_prompt == pytest.approx(1)
    assert found.ratio == pytest.approx(2 / 3)
    assert found.energy == pytest.approx(-1 / 3)


def by_loops(
    original: Sequence[str], prompt: Sequence[str], bounds: Sequence[tuple[int, int]]
) -> list[float]:
    """B, V_pg and V_gp from the definition, one pair at a time."""
    phi, total = Jaccard(), np.zeros(3)
    for first, last in bounds:
        u, z, m = original[first:last], prompt[first:last], last - first
        values = [
            [phi.matrix([a], [b])[0, 0] for a in u for b in z],
            [phi.matrix([u[i]], [u[j]])[0, 0] for i in range(m) for j in range(m) if i != j],
            [phi.matrix([z[i]], [z[j]])[0, 0] for i in range(m) for j in range(m) if i != j],
        ]
        total += np.array([np.mean(each) for each in values]) * m
    return (total / len(original)).tolist()


@settings(max_examples=scaled(30))
@given(TEXTS, st.data())
def test_a_second_time_by_loops(original: list[str], data: st.DataObject) -> None:
    prompt = data.draw(st.permutations(original))
    folds = data.draw(st.integers(1, len(original) // 2))
    found = variation(original, prompt, Jaccard(), folds)
    expected = by_loops(original, prompt, fold_bounds(len(original), folds))
    assert [found.between, found.within_original, found.within_prompt] == pytest.approx(expected)


@given(st.integers(2, 600), st.data())
def test_folds_hold_every_sample_once(samples: int, data: st.DataObject) -> None:
    bounds = fold_bounds(samples, data.draw(st.integers(1, samples // 2)))
    assert [place for first, last in bounds for place in range(first, last)] == list(range(samples))
    sizes = [last - first for first, last in bounds]
    assert min(sizes) >= 2
    assert max(sizes) - min(sizes) <= 1


def test_folds_where_the_size_does_not_divide() -> None:
    assert fold_bounds(23, folds_for(23, 5)) == ((0, 6), (6, 12), (12, 18), (18, 23))
    assert [folds_for(samples, 5) for samples in (2, 5, 9, 10, 500)] == [1, 1, 1, 2, 100]
    assert folds_for(500, None) == 1


@pytest.mark.slow
def test_folds_are_unbiased_where_the_mean_of_their_ratios_is_not() -> None:
    """Averages first, then the ratio: over many draws of one list the mean B and V do not depend on k."""
    texts, generator = text_list(12, 3, length=3), np.random.default_rng(0)
    rows = []
    for _ in range(300):
        u, z = generator.choice(texts, (2, 11)).tolist()
        rows.append([variation(u, z, Jaccard(), k).energy for k in (1, 2, 5)])
    np.testing.assert_allclose(np.mean(rows, axis=0), 0, atol=3 * np.std(rows) / np.sqrt(300))


def test_refusals_say_what_came() -> None:
    with pytest.raises(FairPairError, match="at least 2 texts per side for each prompt, but there is 1"):
        variation(["a"], ["b"], Jaccard())
    with pytest.raises(
        FairPairError,
        match="the same number of texts on both sides, but there are 2 perturbed originals and 3",
    ):
        variation(["a"] * 2, ["b"] * 3, Jaccard())
    with pytest.raises(
        FairPairError, match="5 texts per side can be split into 1 to 2 folds of at least 2, but 3 were"
    ):
        variation(["a"] * 5, ["b"] * 5, Jaccard(), 3)
    with pytest.raises(FairPairError, match="at least 2 texts per side, but 1 was requested"):
        folds_for(10, 1)


@pytest.mark.parametrize("wrong", [2.0, -0.5, float("nan")])
def test_a_dissimilarity_out_of_range_is_refused(wrong: float) -> None:
    class Wrong:
        name = "wrong"

        def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
            return np.full((len(first), len(second)), wrong) * (1 - np.eye(len(first)))

    with pytest.raises(FairPairError, match=r"between 0 and 1, be the same in both directions.*wrong is not"):
        variation(["a", "b"], ["a", "b"], Wrong())


# Labels dealt anew: the worked example, every dealing by hand, the size of the test, refusals.


def distances(size: int, seed: int) -> FloatArray:
    """[size, size] differences of random numbers from 0 to 1."""
    places = np.random.default_rng([1, seed]).random(size)
    return np.abs(places[:, np.newaxis] - places)


def figures(fold: FloatArray, half: tuple[int, ...]) -> tuple[float, float]:
    """E and F of one dealing, from the definition."""
    m, rest = len(half), [place for place in range(len(fold)) if place not in half]
    between = fold[np.ix_(half, rest)].mean()
    u, z = (fold[np.ix_(side, side)].sum() / (m * (m - 1)) for side in (half, rest))
    return 2 * between - u - z, between**2 / (u * z) if u * z else np.nan


def test_the_example_of_the_docstring() -> None:
    fold = np.zeros((4, 4))
    fold[0, 1] = fold[1, 0] = 1
    found = relabelled([fold], 6000)
    assert found.observed == -1
    assert sorted(set(found.dealt.tolist())) == [-1, 0.5]
    assert (found.dealt == 0.5).mean() == pytest.approx(2 / 3, abs=0.02)
    assert found.p_value == 1
    assert found.least_p == pytest.approx(1 / 3)
    assert found.chance_ratio is None


@settings(max_examples=scaled(20))
@given(st.integers(2, 4), st.integers(0, 999))
def test_one_fold_a_second_time_by_all_its_dealings(half: int, seed: int) -> None:
    fold = distances(2 * half, seed)
    every = [figures(fold, found) for found in combinations(range(2 * half), half)]
    found = relabelled([fold], 20_000, (seed,))
    assert found.observed == pytest.approx(figures(fold, tuple(range(half)))[0])
    np.testing.assert_allclose(np.unique(found.dealt.round(9)), np.unique(np.round([e for e, _ in every], 9)))
    exact = np.mean([e >= found.observed - 1e-9 for e, _ in every])
    assert found.p_value == pytest.approx(exact, abs=0.02)
    assert found.least_p == pytest.approx(2 / comb(2 * half, half))
    ratios = np.array([f for _, f in every])
    assert found.chance_ratio == pytest.approx(ratios.mean(), abs=0.2 * ratios.std() + 1e-9)


def test_folds_of_two_sizes_count_by_their_texts() -> None:
    first, second = distances(6, 1), distances(4, 2)
    found = relabelled([first, second])
    expected = 0.6 * figures(first, (0, 1, 2))[0] + 0.4 * figures(second, (0, 1))[0]
    assert found.observed == pytest.approx(expected)
    assert found.least_p == pytest.approx(1 / 30)  # 20 / 2 ways times 6 / 2


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    folds = [distances(10, seed) for seed in range(4)]
    whole = relabelled(folds, 1000, (3,))
    monkeypatch.setattr("pcf_core.texts.fairpair.intervals.BLOCK_CELLS", 7 * 40)
    np.testing.assert_allclose(relabelled(folds, 1000, (3,)).dealt, whole.dealt)


def test_the_seed_decides() -> None:
    folds = [distances(10, 0)]
    first, again, other = (relabelled(folds, 1000, seed).dealt for seed in ((1, 2), (1, 2), (1, 3)))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def rejections(simulations: int, shift: float, folds: int = 4, half: int = 5) -> FloatArray:
    """[simulation] p where one side's numbers are moved by so much."""
    generator = np.random.default_rng(5)
    found = []
    for place in range(simulations):
        drawn = generator.exponential(size=(folds, 2 * half))
        drawn[:, half:] += shift
        stack = np.abs(drawn[:, :, np.newaxis] - drawn[:, np.newaxis])
        found.append(relabelled(list(stack / stack.max()), 1000, (place,)).p_value)
    return np.array(found)


def check_size(simulations: int) -> None:
    p_values = rejections(simulations, 0.0)
    for level in (0.01, 0.05, 0.2, 0.5):
        bound = 3.5 * np.sqrt(level * (1 - level) / simulations)
        assert (p_values <= level).mean() == pytest.approx(level, abs=bound)


def test_the_size_is_that_of_the_level() -> None:
    check_size(400)


@pytest.mark.slow
def test_the_size_is_that_of_the_level_in_many_simulations() -> None:
    check_size(10_000)


def test_a_difference_is_found() -> None:
    assert (rejections(50, 1.5) <= 0.01).mean() > 0.8


def test_observed_labels_count_as_one_dealing() -> None:
    assert share_at_least(2.0, np.zeros(999)) == 0.001
    assert share_at_least(0.0, np.zeros(999)) == 1


def test_refusals() -> None:
    with pytest.raises(CriterionError, match="at least 1,000 permutations; 999"):
        relabelled([distances(4, 0)], 999)
    for shape in ((2, 2), (5, 5), (4, 6)):
        with pytest.raises(CriterionError, match="the same number of texts on both sides"):
            relabelled([np.zeros(shape)])
    with pytest.raises(CriterionError, match="at least one fold"):
        relabelled([])


# B and V along samples and folds: each point is the metric of so many samples or folds.


def at(course: Course, place: int) -> tuple[float, float | None, float | None]:
    row = course.places.index(place)
    return course.between[row], course.within_original[row], course.within_prompt[row]


def mean_at(pairs: list[PromptPairs], samples: int, folds: int) -> list[float]:
    """Mean B, V_pg and V_gp over prompts of the first samples, by the metric itself."""
    found = [
        variation(p.perturbed_original[:samples], p.perturbed_prompt[:samples], Jaccard(), folds)
        for p in pairs
    ]
    names = ("between", "within_original", "within_prompt")
    return [sum(getattr(one, name) for one in found) / len(found) for name in names]


@settings(max_examples=scaled(20))
@given(st.integers(2, 17), st.data())
def test_every_point_is_the_metric_of_so_many_samples_or_folds(samples: int, data: st.DataObject) -> None:
    pairs = [
        replace(
            pair,
            perturbed_original=pair.perturbed_original[:samples],
            perturbed_prompt=pair.perturbed_prompt[:samples],
        )
        for pair in planted(17, prompts=2)
    ]
    found = convergence(pairs, Jaccard())
    assert found.samples.places == tuple(range(1, samples + 1))
    some = data.draw(st.integers(2, samples))
    assert at(found.samples, some) == pytest.approx(mean_at(pairs, some, 1))
    folds = data.draw(st.sampled_from(found.folds.places))
    assert at(found.folds, folds) == pytest.approx(mean_at(pairs, samples, folds))
    assert {1, samples // 2, max(1, samples // 5)} <= set(found.folds.places)


def test_a_single_sample_has_no_v() -> None:
    found = convergence(identical(6), Jaccard())
    assert found.samples.within_original[0] is None
    assert found.samples.within_prompt[0] is None
    assert found.samples.ratio[0] is None
    assert all(ratio is not None for ratio in found.folds.ratio)
    assert (found.count, found.prompts) == (6, 1)


def test_samples_are_those_that_every_prompt_has() -> None:
    pairs = [*identical(8), PromptPairs("short", ("a", "b", "c"), ("d", "e", "f"))]
    assert convergence(pairs, Jaccard()).count == 3
    with pytest.raises(FairPairError, match="at least one prompt"):
        convergence([], Jaccard())


class Counting(Jaccard):
    """Jaccard that knows how many values it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.values = 0

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        self.values += len(first) * len(second)
        return super().matrix(first, second)


@pytest.mark.parametrize(("count", "size"), [(500, 5), (100, 7), (12, 12), (2, 2)])
def test_with_folds_it_takes_no_more_values_than_the_folds_do(count: int, size: int) -> None:
    pairs, folds, curve = identical(count), Counting(), Counting()
    variation(pairs[0].perturbed_original, pairs[0].perturbed_prompt, folds, folds_for(count, size))
    found = convergence(pairs, curve, fold_size=size)
    assert curve.values <= folds.values
    assert found.count == samples_for(count, size) == max(2, int((count * size) ** 0.5))
    assert convergence(pairs, Jaccard()).count == count


def test_it_never_takes_more_than_memory_allows() -> None:
    assert samples_for(10_000, None) == MOST_TOGETHER
    assert samples_for(10_000, 2_000) == MOST_TOGETHER
    assert samples_for(10_000, 5) == 223


def test_it_can_be_stopped_between_prompts() -> None:
    calls: list[int] = []
    convergence(identical(4, prompts=3), Jaccard(), pause=lambda: calls.append(1))
    assert len(calls) == 3
