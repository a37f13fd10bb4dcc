"""Categories: the lexicon keeps its promises, counts by text, and the test over prompts a second time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from pcf_core.fairpair.categories import Category, categories, categories_of, category_differences
from pcf_core.fairpair.tokens import word_tokens
from pcf_core.records.fairpair import PromptPairs
from pcf_core.topics.topics import load_topic
from tests.fairpair.planted import identical, planted


def entries(category: Category) -> set[str]:
    return set(category.words) | set(category.stems)


def test_the_shipped_ones() -> None:
    assert [one.name for one in categories()] == ["work", "family", "appearance", "hobbies", "personality"]
    for one in categories():
        assert all(word_tokens(entry) == (entry,) for entry in entries(one))


def test_no_word_is_in_two_categories() -> None:
    for one in categories():
        for word in entries(one):
            assert categories_of([word], categories()) == (one.name,), word


def test_swapping_the_genders_changes_no_category() -> None:
    """Every aligned pair of the topic gender is in the same category, or in none."""
    male, female = load_topic("gender").groups
    pairs = list(zip(male.words, female.words, strict=True))
    for first, second in pairs:
        assert categories_of([first], categories()) == categories_of([second], categories()), (first, second)


def test_examples() -> None:
    assert categories_of(["engineering", "families"], categories()) == ("work", "family")
    assert categories_of(["the", "nurse"], categories()) == ()


def test_planted_family_words_are_of_the_family() -> None:
    found = {row.name: row for row in category_differences(planted(40, prompts=3))}
    family = found["family"]
    assert family.differs
    assert family.prompt > family.original
    assert set(family.words) <= {"family", "children", "parents", "wedding"}
    assert max(count for _, count in family.words.values()) <= family.prompt
    assert not any(row.differs for name, row in found.items() if name != "family")


def test_a_text_counts_once() -> None:
    pairs = [PromptPairs("x", ("family family parents", "a"), ("child", "a"))]
    row = next(row for row in category_differences(pairs) if row.name == "family")
    assert (row.original, row.prompt) == (1, 1)
    assert row.words == {"child": (0, 1), "family": (1, 0), "parents": (1, 0)}
    assert row.p_value == pytest.approx(1)


def test_over_prompts_a_second_time_by_the_formula() -> None:
    """Cochran–Mantel–Haenszel: (Σ (a − n/2))² / Σ Var, as both sides have as many texts."""
    pairs = planted(12, share=0.2, seed=5, prompts=4)
    row = next(row for row in category_differences(pairs) if row.name == "family")
    words = set(row.words)
    gap, variance = 0.0, 0.0
    for pair in pairs:
        u, z = (
            sum(not words.isdisjoint(word_tokens(text)) for text in side)
            for side in (pair.perturbed_original, pair.perturbed_prompt)
        )
        having, texts = u + z, 24
        gap += u - having / 2
        variance += having * (texts - having) / (4 * (texts - 1))
    assert row.p_value == pytest.approx(chi2.sf(gap**2 / variance, 1))


def test_a_category_that_nobody_or_everybody_says_has_no_test() -> None:
    pairs = [PromptPairs("x", ("home", "home"), ("home", "home"))]
    found = category_differences(pairs)
    assert all(row.p_value is None and row.adjusted is None and not row.differs for row in found)
    assert next(row for row in found if row.name == "family").prompt == 2


def test_without_a_difference_p_is_about_even() -> None:
    known = (Category("b", "B", frozenset({"book", "music"}), ()),)
    p_values = [
        category_differences(identical(20, seed=seed, prompts=2), known)[0].p_value for seed in range(200)
    ]
    shares = np.array([p for p in p_values if p is not None])
    assert len(shares) == 200
    assert (shares <= 0.05).mean() == pytest.approx(0.05, abs=0.05)
    assert shares.mean() == pytest.approx(0.5, abs=0.08)


def test_the_texts_behind_a_category_have_one_of_its_words_and_the_others_none() -> None:
    pairs = planted(30, prompts=3)
    for row in category_differences(pairs):
        for side, behind in (
            ("perturbed_original", row.original_texts),
            ("perturbed_prompt", row.prompt_texts),
        ):
            expected = [
                (x, i)
                for x, pair in enumerate(pairs)
                for i, text in enumerate(getattr(pair, side))
                if not set(row.words).isdisjoint(word_tokens(text))
            ]
            assert list(behind) == expected
        assert (row.original, row.prompt) == (len(row.original_texts), len(row.prompt_texts))
