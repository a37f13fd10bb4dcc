"""Categories: the lexicon keeps its promises, counts by text, and the test over prompts a second time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from pcf_core.core.errors import FairPairError
from pcf_core.core.settings import Settings
from pcf_core.material.safety.reading import heard
from pcf_core.material.topics import load_topic
from pcf_core.texts.fairpair.categories import (
    OWN,
    categories,
    categories_of,
    category_differences,
    chosen_categories,
    load_categories,
)
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.records import PromptPairs, WordCategory
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.texts.fairpair.words import word_report
from tests.texts.fairpair.planted import identical, planted


def entries(category: WordCategory) -> set[str]:
    return {word.removesuffix("*") for word in category.words}


def test_the_shipped_ones() -> None:
    assert [one.name for one in categories()] == ["work", "family", "appearance", "hobbies", "personality"]
    for one in categories():
        assert all(word_tokens(entry) == (entry,) for entry in entries(one))


def test_no_word_is_in_two_categories() -> None:
    for one in categories():
        for word in entries(one):
            assert categories_of([word], categories()) == (one.name,), word


def test_swapping_the_genders_changes_no_category() -> None:
    """Each aligned pair of the topic gender, and all that p exchanges, is in the same category or in none."""
    male, female = load_topic("gender").groups
    table = load_table("gender")
    pairs = list(zip(male.words, female.words, strict=True))
    pairs += [*table.words, *table.plurals, *((rule.word.lower(), rule.becomes) for rule in table.rules)]
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


@pytest.mark.slow
def test_without_a_difference_p_is_about_even() -> None:
    lexicon = (WordCategory(name="b", title="B", words=("book", "music")),)
    p_values = [
        category_differences(identical(20, seed=seed, prompts=2), lexicon)[0].p_value for seed in range(200)
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


# ------------------------------------------------------------------------------------- a user's own

OWN_TOML = """
name = "kitchen"
title = "Kitchen and rest"

[[categories]]
name = "kitchen"
title = "In the kitchen"
words = "cook* Oven oven"

[[categories]]
name = "rest"
words = ["sleep*", "nap"]
"""


def kept_as(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf8")
    return folder / name


def test_a_file_of_ones_own_sorts_words_its_own_way(tmp_path: Path) -> None:
    found = load_categories(kept_as(tmp_path, "mine.toml", OWN_TOML))
    assert (found.name, found.title) == ("kitchen", "Kitchen and rest")
    assert [one.words for one in found.categories] == [("cook*", "oven"), ("sleep*", "nap")]
    assert categories_of(["cooking", "sleepless", "naps"], found.categories) == ("kitchen", "rest")
    report = word_report(
        planted(40, prompts=3), original="John", counterpart="Jane", lexicon=found.categories
    )
    assert [row.name for row in report.categories] == ["kitchen", "rest"]
    assert not any(set(row.categories) - {"kitchen", "rest"} for row in report.words)


def test_csv_says_the_same_as_toml(tmp_path: Path) -> None:
    table = "category,word\nIn the kitchen,cook*\nrest,sleep*\nIn the kitchen,oven\nrest,nap\n"
    found = load_categories(kept_as(tmp_path, "kitchen.csv", table))
    assert [(one.name, one.title) for one in found.categories] == [
        ("in-the-kitchen", "In the kitchen"),
        ("rest", "rest"),
    ]
    toml = load_categories(kept_as(tmp_path, "own.toml", OWN_TOML))
    assert [one.words for one in found.categories] == [one.words for one in toml.categories]


def test_titles_without_letters_of_ascii_and_words_with_capitals(tmp_path: Path) -> None:
    table = "category,word\n力,Job\n愛,boss\n 力 ,job\n"
    sentences: list[str] = []
    with heard(sentences.append):
        found = load_categories(kept_as(tmp_path, "own.csv", table))
    assert [(one.name, one.title, one.words) for one in found.categories] == [
        ("category-1", "力", ("job",)),
        ("category-2", "愛", ("boss",)),
    ]
    assert sentences == ["Capitals do not count in the words of own.csv: all are read in small letters."]
    with pytest.raises(FairPairError, match=r"own.csv, line 2 has no category: write one, or remove the row"):
        load_categories(kept_as(tmp_path, "own.csv", "category,word\n,boss\n"))


def test_a_set_is_chosen_by_its_name_and_the_shipped_one_is_none(own_settings: Settings) -> None:
    own = OWN.save(OWN.read_upload([("own.toml", OWN_TOML.encode())]))
    assert chosen_categories("kitchen") == own
    assert chosen_categories("fairpair") is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'categories' is missing: write it"),
        ("categories = []", "has 0 categories: give 1 to 50"),
        ("[[categories]]\nname = 'a'", "'words' is missing in category 1: write it"),
        ("[[categories]]\nname = 'a'\nwords = ''", "the words of category 1 must have at least 1 entry"),
        ("[[categories]]\nname = 'A b'\nwords = 'x'", "use small letters"),
        ("[[categories]]\nname = 'a'\nwords = ['two words']", "'two words' is not a single word"),
        ("[[categories]]\nname = 'a'\nwords = 'b*'", "after at least 2 letters"),
        ("[[categories]]\nname = 'a'\nwords = '*'", "is not a single word"),
        ("[[categories]]\nname = 'a'\nwords = 'x'\n" * 2, "the category 'a' appears twice"),
        ("[[categories]]\nname = 'a'\nwords = [3]", "write it as a text"),
        (
            "[[categories]]\nname = 'a'\nwords = 'x'\nweight = 2",
            "'weight' is not known in category 1",
        ),
    ],
)
def test_what_is_no_set_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(FairPairError, match=sentence) as refusal:
        load_categories(kept_as(tmp_path, "own.toml", text))
    assert "own.toml" in str(refusal.value)


def test_too_many_words_are_refused(tmp_path: Path) -> None:
    words = " ".join(f"w{place}" for place in range(5001))
    with pytest.raises(FairPairError, match="has 5,001 words; at most 5,000"):
        load_categories(kept_as(tmp_path, "own.toml", f"[[categories]]\nname = 'a'\nwords = '{words}'"))
