"""Intervals over prompts: scipy's bootstrap beside them, coverage by simulation, what has none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.texts.fairpair.intervals import mean_interval, of_facts, ratio_of_means_interval, signed_ranks


def three(prompts: int, seed: int) -> FloatArray:
    """[3, prompt] B and both V, all alike on average and moving together."""
    generator = np.random.default_rng([2, seed])
    return 0.6 + 0.1 * generator.normal(size=prompts) + 0.05 * generator.normal(size=(3, prompts))


def test_the_mean_is_close_to_scipys_bca() -> None:
    values = np.random.default_rng(0).gamma(2.0, size=200)
    found = mean_interval(values, resamples=4000)
    other = bootstrap((values,), np.mean, method="BCa", rng=np.random.default_rng(1)).confidence_interval
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.03)
    assert (found.unit, found.level) == ("prompt", 0.95)


def test_the_ratio_is_close_to_scipys_bca() -> None:
    values = three(150, 0)

    def ratio(b: FloatArray, v: FloatArray, w: FloatArray, axis: int = -1) -> FloatArray:
        return np.asarray(b.mean(axis) ** 2 / (v.mean(axis) * w.mean(axis)))

    found = ratio_of_means_interval(*values, resamples=4000)
    other = bootstrap(tuple(values), ratio, paired=True, method="BCa", rng=np.random.default_rng(1))
    ends = other.confidence_interval
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=0.003)


def check_coverage(simulations: int, prompts: int, least: float) -> None:
    hold = {"mean": 0, "ratio": 0}
    for seed in range(simulations):
        values = three(prompts, 1 + seed)
        mean = mean_interval(values[0], resamples=500, seed=seed)
        ratio = ratio_of_means_interval(*values, resamples=500, seed=seed)
        hold["mean"] += mean.low <= 0.6 <= mean.high
        hold["ratio"] += ratio.low <= 1 <= ratio.high
    assert min(hold.values()) / simulations >= least


def test_intervals_hold_the_truth() -> None:
    check_coverage(300, 20, 0.92)


@pytest.mark.slow
def test_intervals_hold_the_truth_in_many_simulations() -> None:
    for prompts, least in ((5, 0.9), (10, 0.92), (20, 0.93), (100, 0.94)):
        check_coverage(4000, prompts, least)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_an_interval_of_the_mean_holds_it_and_keeps_to_what_is_possible(values: list[float]) -> None:
    found = mean_interval(np.array(values), possible=(0.0, 1.0), resamples=200)
    assert 0 <= found.low <= found.high <= 1
    assert found.low - 0.02 <= np.mean(values) <= found.high + 0.02
    assert found.few == (len(values) < 10)


def test_three_prompts_give_students_interval_and_not_the_smallest_and_the_largest() -> None:
    """0.4, 0.5 and 0.6: 0.5 ± 4.303 · 0.1 / √3, which is 0.25 to 0.75."""
    found = mean_interval(np.array([0.4, 0.5, 0.6]), possible=(0.0, 1.0), resamples=20_000)
    assert (found.low, found.high) == pytest.approx((0.252, 0.748), abs=0.03)
    assert found.few


@pytest.mark.parametrize("prompts", [3, 5])
def test_few_prompts_hold_as_often_as_they_say(prompts: int) -> None:
    generator = np.random.default_rng(1)
    held = []
    for seed, values in enumerate(generator.beta(6, 4, size=(400, prompts))):
        found = mean_interval(values, possible=(0.0, 1.0), resamples=300, seed=seed)
        held.append(found.low <= 0.6 <= found.high)
    assert np.mean(held) >= 0.92


def test_what_has_no_interval() -> None:
    one, zeros = np.array([0.5]), np.array([0.0, 0.0, 0.4])
    assert mean_interval(one) is None
    assert ratio_of_means_interval(one, one, one) is None
    assert ratio_of_means_interval(zeros + 0.1, zeros, zeros) is None  # some draws have no V at all
    with pytest.raises(CriterionError, match="finite"):
        mean_interval(np.array([0.5, np.nan]))
    with pytest.raises(CriterionError, match="finite"):
        ratio_of_means_interval(zeros, zeros, np.array([0.5, np.inf, 1]))


def test_signed_ranks_by_hand() -> None:
    """All five above 0: the one largest sum of ranks of 2^5."""
    assert signed_ranks(np.array([1.0, 2, 3, 4, 5])) == pytest.approx(1 / 32)
    assert signed_ranks(np.array([-1.0, -2, -3, -4, -5])) == pytest.approx(1)
    assert signed_ranks(np.zeros(5)) is None


def test_rounding_breaks_no_tie_of_signed_ranks() -> None:
    """Another processor's last digits decide neither which value is 0 nor which of two is larger."""
    values = np.array([0.0, 0.3, -0.3, 0.3, 0.6, 0.0, -0.1, 0.2])
    expected = signed_ranks(values)
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(size=8) * 1e-16
        assert signed_ranks(values + noise) == expected
        assert signed_ranks(noise) is None


# ------------------------------------------------------------------------------ prompts that share a fact


def sharing(facts: int, frames: int, of_fact: float, alone: float, seed: int) -> tuple[FloatArray, list[str]]:
    """[prompt] values around 0 of facts in frames, and the fact of each."""
    generator = np.random.default_rng([4, seed])
    values = of_fact * generator.normal(size=facts).repeat(frames) + alone * generator.normal(
        size=facts * frames
    )
    return values, [f"fact {place}" for place in np.arange(facts).repeat(frames)]


@pytest.mark.slow
@pytest.mark.parametrize(("of_fact", "alone"), [(1.0, 0.5), (0.5, 1.0)])
def test_intervals_hold_the_truth_where_prompts_share_facts(of_fact: float, alone: float) -> None:
    """40 facts in 5 frames, as shipped; prompts drawn one by one held it in 66 and 86 of 100."""
    with_facts, without = 0, 0
    for seed in range(300):
        values, facts = sharing(40, 5, of_fact, alone, seed)
        whole = mean_interval(values, facts, resamples=400, seed=seed)
        single = mean_interval(values, resamples=400, seed=seed)
        with_facts += whole.low <= 0 <= whole.high
        without += single.low <= 0 <= single.high
    assert with_facts / 300 >= 0.92
    assert without / 300 < 0.9


def test_facts_of_as_many_prompts_are_their_means() -> None:
    values, facts = sharing(12, 3, 1.0, 0.5, 0)
    found = mean_interval(values, facts)
    means = mean_interval(values.reshape(12, 3).mean(axis=1))
    assert (found.low, found.high) == pytest.approx((means.low, means.high))
    assert (found.unit, means.unit) == ("fact", "prompt")
    assert signed_ranks(values, facts) == pytest.approx(signed_ranks(values.reshape(12, 3).mean(axis=1)))


def test_facts_of_different_size_are_close_to_scipys_bca_of_a_ratio_of_sums() -> None:
    generator = np.random.default_rng(6)
    sizes = generator.integers(1, 4, size=150)
    facts = [str(place) for place in np.arange(150).repeat(sizes)]
    values = generator.gamma(2.0, size=150).repeat(sizes) + 0.3 * generator.normal(size=len(facts))
    sums = np.bincount(np.arange(150).repeat(sizes), weights=values)

    def mean(total: FloatArray, count: FloatArray, axis: int = -1) -> FloatArray:
        return np.asarray(total.sum(axis) / count.sum(axis))

    found = mean_interval(values, facts, resamples=4000)
    other = bootstrap((sums, sizes), mean, paired=True, method="BCa", rng=np.random.default_rng(1))
    ends = other.confidence_interval
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=0.04)


def test_the_ratio_is_drawn_by_facts_too() -> None:
    values = np.repeat(three(15, 3), 4, axis=1)
    facts = [str(place) for place in np.arange(15).repeat(4)]
    found, means = ratio_of_means_interval(*values, facts), ratio_of_means_interval(*values[:, ::4])
    assert (found.low, found.high) == pytest.approx((means.low, means.high))


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(-1, 1)), min_size=1, max_size=12))
def test_means_of_facts_weigh_up_to_the_mean_of_prompts(rows: list[tuple[str, float]]) -> None:
    values = np.array([value for _, value in rows])
    means, sizes, unit = of_facts(values[:, np.newaxis], [name for name, _ in rows])
    assert means[:, 0] @ sizes / sizes.sum() == pytest.approx(values.mean(), abs=1e-12)
    assert unit == ("fact" if len({name for name, _ in rows}) < len(rows) else "prompt")


def test_a_single_fact_has_no_interval_and_every_prompt_needs_one() -> None:
    values = np.array([0.1, 0.2, 0.3])
    assert mean_interval(values, ["a", "a", "a"]) is None
    assert ratio_of_means_interval(values, values, values, ["a"] * 3) is None
    with pytest.raises(CriterionError, match="There are 3 prompts but 2 facts"):
        mean_interval(values, ["a", "b"])
