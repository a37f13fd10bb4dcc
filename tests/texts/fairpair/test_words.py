"""Words that differ: the worked example, a posterior drawn beside it, planted words first, texts behind."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from pcf_core.core.errors import FairPairError
from pcf_core.texts.fairpair.matching import clauses, word_tokens
from pcf_core.texts.fairpair.records import LABEL, PromptPairs, WordDifference, WordReport
from pcf_core.texts.fairpair.words import log_odds_ratios, two_sided, word_report
from tests.quick import scaled
from tests.texts.fairpair.planted import FAMILY, identical, planted


def report(pairs: list[PromptPairs], most: int = 200) -> WordReport:
    return word_report(pairs, original="John", counterpart="Jane", most=most)


def test_the_example_of_the_docstring() -> None:
    log_odds, z_scores = log_odds_ratios(np.array([0.0]), np.array([30.0]), 500, 500)
    prior = 100 * 30.5 / 1001
    with_it, without = np.array([prior, 30 + prior]), np.array([600 - prior, 570 - prior])
    expected = np.log(with_it[1] / without[1]) - np.log(with_it[0] / without[0])
    assert log_odds[0] == pytest.approx(expected)
    assert z_scores[0] == pytest.approx(expected / np.sqrt((1 / with_it + 1 / without).sum()))
    assert (round(log_odds[0], 2), round(z_scores[0], 2)) == (2.44, 4.05)


@pytest.mark.parametrize(("original", "prompt"), [(30, 60), (200, 150), (480, 495), (25, 25)])
def test_the_posterior_of_each_side_a_second_time(original: int, prompt: int) -> None:
    """δ and its standard error are the mean and s.d. of a difference of log-odds of Beta posteriors."""
    log_odds, z_scores = log_odds_ratios(np.array([original]), np.array([prompt]), 500, 500)
    prior, generator = 100 * (original + prompt + 0.5) / 1001, np.random.default_rng(0)
    drawn = [
        logit(generator.beta(having + prior, 600 - having - prior, 200_000)) for having in (original, prompt)
    ]
    difference = drawn[1] - drawn[0]
    assert log_odds[0] == pytest.approx(difference.mean(), abs=0.05)
    if original != prompt:
        assert log_odds[0] / z_scores[0] == pytest.approx(difference.std(), rel=0.05)


@given(st.integers(0, 50), st.integers(0, 50))
def test_sides_swapped_turn_the_sign(original: int, prompt: int) -> None:
    first = log_odds_ratios(np.array([original]), np.array([prompt]), 50, 50)
    second = log_odds_ratios(np.array([prompt]), np.array([original]), 50, 50)
    for one, other in zip(first, second, strict=True):
        assert np.isfinite(one).all()
        np.testing.assert_allclose(one, -other, atol=1e-12)
    assert (np.sign(first[0]) == np.sign(prompt - original)).all()


@given(st.floats(-30, 30))
def test_two_sided_p(z: float) -> None:
    assert two_sided(np.array([z]))[0] == pytest.approx(2 * norm.sf(abs(z)))


WRITTEN = st.lists(st.sampled_from(["a b a b", "b. c a", "", "c c c c", "a, b c"]), min_size=3, max_size=3)


@settings(max_examples=scaled(40))
@given(WRITTEN, WRITTEN, WRITTEN, WRITTEN)
def test_counts_a_second_time(one: list[str], two: list[str], three: list[str], four: list[str]) -> None:
    """Texts that have an n-gram, once each, by plain loops over sets of words."""
    pairs = [PromptPairs("x", tuple(one), tuple(two)), PromptPairs("y", tuple(three), tuple(four))]
    expected: dict[str, tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]] = {}
    for row, pair in enumerate(pairs):
        for side, texts in enumerate((pair.perturbed_original, pair.perturbed_prompt)):
            for at, text in enumerate(texts):
                for words in clauses(text):
                    for first in range(len(words)):
                        for last in range(first + 1, min(first + 3, len(words)) + 1):
                            gram = " ".join(words[first:last])
                            expected.setdefault(gram, (Counter(), Counter()))[side][row, at] += 1
    found = report(pairs)
    assert found.tested == len(expected)
    assert {row.words for row in found.words} == set(expected)
    for row in found.words:
        assert (row.original, row.prompt) == tuple(len(side) for side in expected[row.words])
        assert row.original_texts == tuple(sorted(expected[row.words][0]))
        assert row.prompt_texts == tuple(sorted(expected[row.words][1]))
    if found.words:
        adjusted = multipletests([row.p_value for row in found.words], method="fdr_bh")[1]
        assert [row.adjusted for row in found.words] == pytest.approx(adjusted)


def test_planted_words_come_first() -> None:
    found = report(planted(60, prompts=5))
    used = {word for phrase in FAMILY for word in word_tokens(phrase)}
    for row in found.words[:4]:
        assert set(row.words.split()) <= used
        assert (row.differs, row.more_in) == (True, "prompt")
        assert row.adjusted < 0.01
    assert "family" in {name for row in found.words[:10] for name in row.categories}
    assert found.label == LABEL


def test_nothing_planted_nothing_found() -> None:
    """False discoveries in at most 5 of 100 audits: in 40 there should hardly be more than 6."""
    assert sum(report(identical(30, seed=seed, prompts=3)).found > 0 for seed in range(40)) <= 6


def test_only_the_strongest_are_kept_but_all_are_counted() -> None:
    pairs = planted(60, prompts=5)
    whole, short = report(pairs, most=10**6), report(pairs, most=3)
    assert len(whole.words) == whole.tested == short.tested
    assert short.words == whole.words[:3]
    assert whole.found == sum(row.differs for row in whole.words) == short.found
    sizes = [abs(row.z_score) for row in whole.words]
    assert sizes == sorted(sizes, reverse=True)


def test_texts_without_words_have_no_phrases() -> None:
    found = report([PromptPairs("x", ("", "…"), ("!", ""))])
    assert (found.tested, found.found, found.words) == (0, 0, ())
    assert (found.original_texts, found.prompt_texts) == (2, 2)


def test_refusals_say_what_came() -> None:
    with pytest.raises(FairPairError, match="at least one prompt"):
        report([])
    with pytest.raises(
        FairPairError, match="“x” needs the same number of texts on both sides, but it has 1 and 2"
    ):
        report([PromptPairs("x", ("a",), ("b", "c"))])


def test_too_many_words_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.texts.fairpair.words.BITS", 3)
    with pytest.raises(FairPairError, match="up to 6 different words"):
        report([PromptPairs("x", ("a b c d", "e f"), ("g h", "i"))])


def test_copies_of_one_text_count_once_and_are_not_tested() -> None:
    pairs = [
        PromptPairs(name, (f"a {name}",) * 40, ("home again", *("home again",) * 39)) for name in ("x", "y")
    ]
    found = word_report(pairs, original="John", counterpart="Jane", sampled=False)
    assert (found.sampled, found.tested, found.found) == (False, 0, 0)
    assert (found.original_texts, found.prompt_texts) == (2, 2)
    home = next(row for row in found.words if row.words == "home")
    assert (home.prompt, home.prompt_texts) == (2, ((0, 0), (1, 0)))
    assert (home.p_value, home.adjusted, home.differs) == (None, None, False)
    family = next(row for row in found.categories if row.name == "family")
    assert (family.original, family.prompt, family.p_value, family.differs) == (0, 2, None, False)
    assert family.prompt_texts == ((0, 0), (1, 0))
    assert report(pairs).found > 0  # as if they had been drawn


def test_phrases_with_a_word_that_is_exchanged_are_marked_and_counted() -> None:
    pairs = [PromptPairs("x", ("she walks",) * 40, ("he walks",) * 40)]
    found = word_report(
        pairs, original="John", counterpart="Jane", exchanged=frozenset({"he", "she"}), most=2
    )
    assert (found.found, found.exchanged, len(found.words)) == (4, 4, 2)  # he, she, he walks, she walks
    plain = report(pairs)
    assert (plain.found, plain.exchanged) == (4, 0)
    marked = word_report(pairs, original="John", counterpart="Jane", exchanged=frozenset({"he"}))
    assert {row.words for row in marked.words if row.exchanged} == {"he", "he walks"}


def test_words_can_be_stopped_between_prompts() -> None:
    calls: list[int] = []
    word_report(identical(3, prompts=4), original="a", counterpart="b", pause=lambda: calls.append(1))
    assert len(calls) == 4


# Words that differ.


def test_a_word_differs_by_its_controlled_p() -> None:
    row = WordDifference(
        words="a", original=1, prompt=9, log_odds=1.0, z_score=2.5, p_value=0.01, adjusted=0.2
    )
    assert (row.differs, row.more_in) == (False, "prompt")
