"""All prompts of a model: acceptance checks, tests across prompts, the signed reading, Holm, refusals."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind, wilcoxon
from statsmodels.stats.multitest import multipletests

from pcf_core.core.errors import FairPairError
from pcf_core.texts.fairpair.dissimilarity import Dissimilarity, Jaccard, Sentiment
from pcf_core.texts.fairpair.metric import fold_matrices, variation_of
from pcf_core.texts.fairpair.records import LABEL, QUANTITIES, FairPairReport, PromptPairs
from pcf_core.texts.fairpair.report import beside_others, controlled, fairpair_report, permutations_for
from tests.texts.fairpair.planted import identical, planted

LEANS = {"a": 0.4, "o": -0.6}  # sentiments by first letter: most texts have exactly 0


def report(pairs: list[PromptPairs], phi: Dissimilarity | None = None, **options: Any) -> FairPairReport:
    usual = {"model": "mini", "original": "John", "counterpart": "Jane", "resamples": 500}
    return fairpair_report(pairs, phi or Jaccard(), **usual | options)


def leaning(text: str) -> float:
    return LEANS.get(text[:1], 0.0)


def test_identity_is_within_sampling() -> None:
    found = report(identical(200))
    assert found.means.ratio == pytest.approx(1, abs=0.05)
    assert found.mean_ratio == pytest.approx(1, abs=0.05)
    assert found.p_value > 0.05
    assert not found.differs
    assert found.label == LABEL


def test_planted_family_words_are_found() -> None:
    found = report(planted(60, share=0.9, prompts=5))
    assert found.means.ratio > 1
    assert found.p_value < 0.01
    assert found.differs
    assert all(row.adjusted is not None and row.adjusted < 0.05 for row in found.prompts)
    for quantity in ("ratio_of_means", "mean_ratio"):
        assert found.intervals[quantity].low > 1


def test_sides_swapped_give_the_same_figures() -> None:
    pairs = planted(30, prompts=4)
    swapped = [PromptPairs(p.prompt, p.perturbed_prompt, p.perturbed_original) for p in pairs]
    first, second = report(pairs), report(swapped)
    assert second.means.ratio == pytest.approx(first.means.ratio)
    assert second.mean_ratio == pytest.approx(first.mean_ratio)
    assert second.means.energy == pytest.approx(first.means.energy)
    assert second.sentiment.difference == pytest.approx(-first.sentiment.difference)
    assert second.p_value == pytest.approx(first.p_value, abs=0.08)  # other labels are dealt


def test_figures_a_second_time_from_single_prompts() -> None:
    pairs = planted(23, prompts=6)
    found = report(pairs, fold_size=5)
    each = [
        variation_of(fold_matrices(p.perturbed_original, p.perturbed_prompt, Jaccard(), 4)) for p in pairs
    ]
    b, v, w = (np.array([getattr(one, name) for one in each]) for name in QUANTITIES[:3])
    assert found.means.ratio == pytest.approx(b.mean() ** 2 / (v.mean() * w.mean()))
    assert found.mean_ratio == pytest.approx((b**2 / (v * w)).mean())
    assert found.means.energy == pytest.approx((2 * b - v - w).mean())
    assert found.wilcoxon_p == pytest.approx(wilcoxon(b - np.sqrt(v * w), alternative="greater").pvalue)
    expected = multipletests([row.p_value for row in found.prompts], method="holm")[1]
    assert [row.adjusted for row in found.prompts] == pytest.approx(expected)
    assert [(row.samples, row.folds) for row in found.prompts] == [(23, 4)] * 6
    assert set(found.intervals) == set(QUANTITIES)
    for name in QUANTITIES[:3]:
        assert found.intervals[name].low <= getattr(found.means, name) <= found.intervals[name].high


def test_one_fold_finds_what_folds_of_five_miss() -> None:
    pairs = [planted(60, seed=seed)[0] for seed in range(30)]
    shares = [np.mean([report([pair], fold_size=m).p_value <= 0.05 for pair in pairs]) for m in (5, None)]
    assert shares[0] + 0.2 < shares[1]


def test_one_prompt_is_its_own_report() -> None:
    found = report(planted(40))
    (row,) = found.prompts
    assert found.p_value == row.p_value
    assert found.means.ratio == pytest.approx(row.ratio)
    assert found.intervals == {}
    assert found.sentiment == row.sentiment


def test_prompts_without_a_ratio_are_named_and_left_out_of_its_mean_alone() -> None:
    pairs = [
        *identical(10, prompts=2),
        PromptPairs("silent", ("",) * 10, ("",) * 10),
        PromptPairs("fixed", ("a",) * 10, ("b",) * 10),
    ]
    found = report(pairs)
    assert [item.name for item in found.undefined] == ["silent", "fixed"]
    assert "no variation" in found.undefined[0].reason
    assert "neither side varies" in found.undefined[1].reason
    assert found.mean_ratio == pytest.approx(np.mean([row.ratio for row in found.prompts[:2]]))
    assert found.means.between == pytest.approx(np.mean([row.between for row in found.prompts]))
    silent, fixed = found.prompts[2:]
    assert (silent.p_value, silent.empty_original, silent.empty_prompt) == (1, 10, 10)
    assert fixed.p_value < 0.01
    assert fixed.chance_ratio is not None  # random labels mix the two, so that they vary


def test_nothing_varies_anywhere() -> None:
    found = report([PromptPairs(name, ("a", "a"), ("a", "a")) for name in "xy"])
    assert found.means.undefined == "no variation"
    assert (found.mean_ratio, found.chance_ratio, found.wilcoxon_p, found.p_value) == (None, None, None, 1)
    assert "mean_ratio" not in found.intervals
    assert "ratio_of_means" not in found.intervals


def test_the_signed_reading_is_welchs_for_one_prompt() -> None:
    pair = PromptPairs("x", ("good", "bad", "fine day", "a table"), ("great", "lovely", "happy", "a chair"))
    reading = report([pair]).sentiment
    scores = [Sentiment().scores(side) for side in (pair.perturbed_original, pair.perturbed_prompt)]
    assert reading.difference == pytest.approx(scores[1].mean() - scores[0].mean())
    ends = ttest_ind(scores[1], scores[0], equal_var=False).confidence_interval()
    assert (reading.interval.low, reading.interval.high) == pytest.approx((ends.low, ends.high))
    assert reading.more_positive is None


def test_the_more_positive_side_is_found_over_prompts() -> None:
    pairs = [
        PromptPairs(p.prompt, p.perturbed_original, tuple(f"{text} wonderful" for text in p.perturbed_prompt))
        for p in identical(10, prompts=8)
    ]
    assert report(pairs).sentiment.more_positive == "prompt"
    swapped = [PromptPairs(p.prompt, p.perturbed_prompt, p.perturbed_original) for p in pairs]
    assert report(swapped).sentiment.more_positive == "original"


def test_constant_sentiments_have_no_interval() -> None:
    found = report([PromptPairs("x", ("good",) * 5, ("table",) * 5)])
    assert found.sentiment.interval is None
    assert found.sentiment.more_positive is None
    assert found.sentiment.difference < 0


def check_size(simulations: int) -> None:
    """Relabelling holds its level and the ratio of means its interval; the mean F and Wilcoxon do not."""
    found = [
        report(identical(20, seed=seed, prompts=20), Sentiment(leaning), seed=seed, resamples=200)
        for seed in range(simulations)
    ]
    bound = 3.5 * np.sqrt(0.05 * 0.95 / simulations)
    assert np.mean([one.p_value <= 0.05 for one in found]) == pytest.approx(0.05, abs=bound)
    ratios, means, chances = (
        np.array(values, dtype=float)
        for values in zip(
            *((one.means.ratio, one.mean_ratio, one.chance_ratio) for one in found), strict=True
        )
    )
    assert ratios.mean() == pytest.approx(1, abs=0.02)
    assert means.mean() > 1.02
    assert chances.mean() == pytest.approx(means.mean(), abs=0.03)
    if simulations > 100:
        assert np.mean([one.wilcoxon_p is not None and one.wilcoxon_p <= 0.05 for one in found]) > 0.08


@pytest.mark.slow
def test_the_size_across_prompts() -> None:
    check_size(30)


@pytest.mark.slow
@pytest.mark.timeout(900)  # a minute of processor time, and the machine may be shared
def test_the_size_across_prompts_in_many_simulations() -> None:
    check_size(600)


def test_several_models_are_controlled_together() -> None:
    reports = [
        report(planted(20, share=0.3, seed=3, prompts=3), model="planted"),
        report(identical(20, seed=4, prompts=3), model="same"),
    ]
    found = controlled(reports)
    expected = multipletests([one.p_value for one in reports], method="holm")[1]
    assert [one.adjusted for one in found] == pytest.approx(expected)
    prompts = multipletests([row.p_value for one in reports for row in one.prompts], method="holm")[1]
    assert [row.adjusted for one in found for row in one.prompts] == pytest.approx(prompts)
    assert controlled(reports[:1]) == tuple(reports[:1])


def test_refusals_say_what_came() -> None:
    pair = identical(4)[0]
    with pytest.raises(FairPairError, match="at least one prompt"):
        report([])
    with pytest.raises(FairPairError, match="“prompt 0” appears twice"):
        report([pair, pair])
    with pytest.raises(FairPairError, match=r"Prompt “x”: .*at least 2 texts per side.*there is 1"):
        report([PromptPairs("x", ("a",), ("b",))])


# -------------------------------------------------------------------------------- nothing was sampled


def greedy(copies: int) -> list[PromptPairs]:
    return [PromptPairs(f"prompt {name}", (f"a {name}",) * copies, ("b c",) * copies) for name in "xy"]


@pytest.mark.parametrize("copies", [2, 20, 50])
def test_copies_of_one_text_are_not_tested(copies: int) -> None:
    """p would be 1 / (N + 1) by their number alone."""
    found = report(greedy(copies), sampled=False)
    assert (found.p_value, found.least_p, found.wilcoxon_p, found.permutations) == (None, None, None, 0)
    assert (found.sampled, found.differs, found.chance_ratio) == (False, False, None)
    assert all((row.p_value, row.adjusted, row.chance_ratio) == (None, None, None) for row in found.prompts)
    assert found.means.undefined == "both sides constant"
    assert found.means.between == 1
    assert report(greedy(copies)[:1], sampled=False).sentiment.interval is None


def test_what_was_not_sampled_is_no_member_of_holm() -> None:
    drawn = [report(planted(20, share=0.3, seed=seed, prompts=2)) for seed in (1, 2)]
    first, none, second = controlled([drawn[0], report(greedy(5), sampled=False), drawn[1]])
    assert (none.adjusted, none.differs) == (None, False)
    assert [one.adjusted for one in controlled(drawn)] == [first.adjusted, second.adjusted]


# ----------------------------------------------------------------------------------- facts and others


def test_intervals_are_over_facts_where_prompts_share_one() -> None:
    pairs = [replace(pair, fact=f"fact {place // 3}") for place, pair in enumerate(planted(10, prompts=12))]
    found = report(pairs)
    assert found.facts == 4
    assert {interval.unit for interval in found.intervals.values()} == {"fact"}
    assert found.sentiment.interval.unit == "fact"
    b, v, w = np.array([(row.between, row.within_original, row.within_prompt) for row in found.prompts]).T
    means = (b - np.sqrt(v * w)).reshape(4, 3).mean(axis=1)
    assert found.wilcoxon_p == pytest.approx(wilcoxon(means, alternative="greater").pvalue)
    alone = report(planted(10, prompts=12))
    assert (alone.facts, alone.intervals["energy"].unit) == (12, "prompt")
    assert alone.p_value == found.p_value


def test_jaccard_carries_what_is_left_of_it_among_other_words() -> None:
    both = [
        {
            "jaccard": report(planted(20, prompts=2, seed=s)),
            "jaccard-others": report(identical(20, prompts=2, seed=s)),
        }
        for s in (1, 2)
    ]
    found = [beside_others(one, "whole") for one in both]
    others = found[0]["jaccard"].others
    assert others.ratio == both[0]["jaccard-others"].means.ratio
    assert others.p_value == both[0]["jaccard-others"].p_value
    assert {one.mode for one in found[0].values()} == {"whole"}
    assert found[0]["jaccard-others"].others is None
    together = controlled([one["jaccard"] for one in found])
    expected = multipletests([one["jaccard-others"].p_value for one in both], method="holm")[1]
    assert [one.others.adjusted for one in together if one.others is not None] == pytest.approx(expected)


# -------------------------------------------------------------------------------------- size and stops


@pytest.mark.slow
def test_memory_does_not_grow_with_prompts_times_dealings() -> None:
    """400 prompts of two texts a side: their dealings together would be 64 MB."""
    pairs = [PromptPairs(str(place), ("a b", "c"), ("d", "a e")) for place in range(400)]
    tracemalloc.start()
    report(pairs, resamples=2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 25e6


def test_permutations_stay_few_and_enough_for_holm() -> None:
    assert [permutations_for(prompts) for prompts in (2, 800)] == [1_000, 20_000]
    assert all(k / (permutations_for(k) + 1) < 0.05 for k in (1, 50, 200, 1000, 5000))


def test_work_can_be_stopped_between_prompts_and_between_blocks_of_dealings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []
    report(identical(5, prompts=3), pause=lambda: calls.append(1))
    assert len(calls) == 6
    monkeypatch.setattr("pcf_core.texts.fairpair.intervals.BLOCK_CELLS", 1000)  # 100 dealings of ten texts
    calls.clear()
    report(identical(5), pause=lambda: calls.append(1))
    assert len(calls) == 1 + 10
