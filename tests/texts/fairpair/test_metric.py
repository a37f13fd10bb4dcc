"""B, V, F and E: the example on paper, folds, a second computation, refusals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import FairPairError
from pcf_core.core.records import FloatArray
from pcf_core.texts.fairpair.dissimilarity import Jaccard, Sentiment
from pcf_core.texts.fairpair.metric import fold_bounds, fold_matrices, folds_for, variation
from tests.texts.fairpair.planted import identical, planted, text_list

TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=4).map(" ".join), min_size=2, max_size=14)


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


@settings(max_examples=30)
@given(TEXTS, st.data())
def test_a_second_time_by_loops(original: list[str], data: st.DataObject) -> None:
    prompt = data.draw(st.permutations(original))
    folds = data.draw(st.integers(1, len(original) // 2))
    found = variation(original, prompt, Jaccard(), folds)
    expected = by_loops(original, prompt, fold_bounds(len(original), folds))
    assert [found.between, found.within_original, found.within_prompt] == pytest.approx(expected)


@settings(max_examples=30)
@given(TEXTS, st.data())
def test_sides_swapped_give_the_same(original: list[str], data: st.DataObject) -> None:
    size = len(original)
    prompt = data.draw(st.lists(st.sampled_from(["a", "b c", ""]), min_size=size, max_size=size))
    found, swapped = variation(original, prompt, Jaccard()), variation(prompt, original, Jaccard())
    assert swapped.ratio == pytest.approx(found.ratio)
    assert swapped.energy == pytest.approx(found.energy)
    assert swapped.within_original == pytest.approx(found.within_prompt)


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


def test_folds_cost_n_times_m() -> None:
    pair = identical(50)[0]
    matrices = fold_matrices(pair.perturbed_original, pair.perturbed_prompt, Jaccard(), 10)
    assert sum(matrix[:5, 5:].size for matrix in matrices) == 50 * 5


def test_identity_gives_1_in_folds_and_in_full() -> None:
    """Section 10, check 2 and 3: 200 texts from one list, whose folds agree with the full double sum."""
    pair = identical(200)[0]
    full, folded = (
        variation(pair.perturbed_original, pair.perturbed_prompt, Jaccard(), folds) for folds in (1, 40)
    )
    assert full.ratio == pytest.approx(1, abs=0.05)
    assert folded.ratio == pytest.approx(1, abs=0.05)
    assert folded.between == pytest.approx(full.between, abs=0.01)
    assert folded.within_prompt == pytest.approx(full.within_prompt, abs=0.01)


def test_planted_family_words_are_beyond_sampling() -> None:
    pair = planted(200)[0]
    found = variation(pair.perturbed_original, pair.perturbed_prompt, Jaccard())
    assert found.ratio is not None
    assert found.ratio > 1.01
    assert found.energy > 0.01


@pytest.mark.slow
def test_folds_are_unbiased_where_the_mean_of_their_ratios_is_not() -> None:
    """Averages first, then the ratio: over many draws of one list the mean B and V do not depend on k."""
    texts, generator = text_list(12, 3, length=3), np.random.default_rng(0)
    rows = []
    for _ in range(300):
        u, z = generator.choice(texts, (2, 11)).tolist()
        rows.append([variation(u, z, Jaccard(), k).energy for k in (1, 2, 5)])
    np.testing.assert_allclose(np.mean(rows, axis=0), 0, atol=3 * np.std(rows) / np.sqrt(300))


def test_zero_variation_has_no_ratio() -> None:
    same = variation(["a", "a"], ["a", "a"], Jaccard())
    assert (same.ratio, same.undefined, same.energy) == (None, "no variation", 0)
    apart = variation(["a", "a"], ["b", "b"], Jaccard())
    assert (apart.ratio, apart.undefined, apart.energy) == (None, "both sides constant", 2)
    one = variation(["a", "a"], ["b", "c"], Jaccard())
    assert (one.ratio, one.undefined, one.energy) == (None, "one side constant", 1)
    flat = variation(["The table.", "A chair."], ["A door.", "It rains."], Sentiment())
    assert flat.undefined == "no variation"


def test_refusals_say_what_came() -> None:
    with pytest.raises(FairPairError, match="at least 2 texts a side for each prompt; there is 1"):
        variation(["a"], ["b"], Jaccard())
    with pytest.raises(FairPairError, match="as many texts; there are 2 perturbed originals and 3"):
        variation(["a"] * 2, ["b"] * 3, Jaccard())
    with pytest.raises(FairPairError, match="5 texts a side make 1 to 2 folds of at least 2; 3 were"):
        variation(["a"] * 5, ["b"] * 5, Jaccard(), 3)
    with pytest.raises(FairPairError, match="at least 2 texts a side; 1 was asked for"):
        folds_for(10, 1)


@pytest.mark.parametrize("wrong", [2.0, -0.5, float("nan")])
def test_a_dissimilarity_out_of_range_is_refused(wrong: float) -> None:
    class Wrong:
        name = "wrong"

        def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
            return np.full((len(first), len(second)), wrong) * (1 - np.eye(len(first)))

    with pytest.raises(FairPairError, match=r"numbers from 0 to 1, the same both ways.*wrong does not"):
        variation(["a", "b"], ["a", "b"], Wrong())
