from __future__ import annotations

import numpy as np
from scipy.stats import false_discovery_control, mannwhitneyu

from pcf_core.texts.criteria.hobbies import hobby_words

FEMALE = [["paints and reads", "paints chess"], ["paints", "reads"], ["paints paints", "runs"]] * 3
MALE = [["runs", "runs chess"], ["runs and reads", "chess"], ["paints", "runs"]] * 3


def test_uses_texts_and_the_test_of_names() -> None:
    found = hobby_words(FEMALE, MALE, least_texts=2)
    words = {row.word: row for row in found.words}
    assert set(words) == {"paints", "reads", "chess", "runs"}  # "and" says little
    paints = words["paints"]
    assert (paints.uses, paints.texts) == ((15, 3), (12, 3))
    assert paints.difference == 12 / 18 - 3 / 18
    shares = [np.array([1, 0.5, 0.5] * 3), np.array([0, 0, 0.5] * 3)]
    assert np.isclose(paints.p_value, mannwhitneyu(*shares).pvalue)
    adjusted = false_discovery_control([row.p_value for row in found.words])
    assert np.allclose(adjusted, [row.adjusted for row in found.words])
    assert found.tested == 4
    assert found.found == sum(row.differs for row in found.words)


def test_rare_and_listed_words_are_not_tested() -> None:
    found = hobby_words(FEMALE, MALE, leave={"paints"}, least_texts=10)
    assert {row.word for row in found.words} == {"runs"}
    assert hobby_words(FEMALE, MALE, least_texts=99).words == ()


def test_a_word_of_every_text_tells_nothing() -> None:
    (row,) = hobby_words([["chess"], ["chess"]], [["chess"]], least_texts=1).words
    assert (row.difference, row.p_value) == (0, 1)


def test_equal_shares_of_names_with_other_numbers_of_texts_are_equal() -> None:
    """Six sixths added up are less than 1, which would part names by how many texts they have."""
    (row,) = hobby_words([["chess"] * 6] * 8, [["chess"] * 5] * 8, least_texts=1).words
    assert (row.difference, row.p_value) == (0, 1)
