"""Each Φ: worked examples, symmetry, range, 0 with itself, negative type, and the matrix computed again."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from pcf_core.core.errors import FairPairError
from pcf_core.core.records import FloatArray
from pcf_core.texts.fairpair.dissimilarity import (
    Dissimilarity,
    EmbeddingDistance,
    Jaccard,
    JaccardOfOthers,
    Sentiment,
    dissimilarities,
    exchanged_words,
    is_exchanged,
    phrase_places,
    words_apart,
)
from pcf_core.texts.fairpair.matching import clauses, word_tokens
from pcf_core.texts.fairpair.perturbation import Perturbation
from pcf_core.texts.fairpair.records import PromptPairs
from pcf_core.texts.fairpair.report import fairpair_report
from pcf_core.texts.fairpair.tables import load_table
from tests.quick import scaled
from tests.texts.fairpair.planted import text_list

PLAIN = st.lists(st.sampled_from(["kind", "bad", "the", "home", "awful", "good", "!"]), max_size=6).map(
    " ".join
)
TEXTS = st.lists(PLAIN, min_size=2, max_size=8)
ALPHABET = ("kind", "bad", "the", "home", "awful")


def letters(texts: Sequence[str]) -> FloatArray:
    """A small encoder: how often each of five words stands there; zeros for a text with none."""
    return np.array([[text.split().count(word) for word in ALPHABET] for text in texts], dtype=float)


ALL: list[Dissimilarity] = [
    Jaccard(),
    JaccardOfOthers(frozenset({"the", "kind"})),
    Sentiment(),
    EmbeddingDistance(letters, "counts"),
]


def one_pair(first: str, second: str) -> float:
    """Jaccard dissimilarity of one pair, from its definition."""
    left, right = set(word_tokens(first)), set(word_tokens(second))
    return 1 - len(left & right) / len(left | right) if left | right else 0.0


@given(TEXTS, st.lists(st.text(max_size=20), min_size=1, max_size=8))
def test_jaccard_a_second_time(first: list[str], second: list[str]) -> None:
    expected = [[one_pair(left, right) for right in second] for left in first]
    np.testing.assert_allclose(Jaccard().matrix(first, second), expected, atol=1e-12)


@pytest.mark.parametrize("phi", ALL, ids=lambda phi: phi.name)
@settings(max_examples=scaled(40))
@given(texts=TEXTS, others=TEXTS)
def test_symmetric_in_range_and_0_with_itself(
    phi: Dissimilarity, texts: list[str], others: list[str]
) -> None:
    matrix = phi.matrix(texts, texts)
    assert (matrix >= 0).all()
    assert (matrix <= 1).all()
    np.testing.assert_array_equal(matrix.diagonal(), 0)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    np.testing.assert_allclose(phi.matrix(texts, others), phi.matrix(others, texts).T, atol=1e-12)
    np.testing.assert_allclose(phi.matrix(texts, list(texts)), matrix, atol=1e-12)


@pytest.mark.parametrize("phi", ALL, ids=lambda phi: phi.name)
@settings(max_examples=scaled(40))
@given(texts=TEXTS, seed=st.integers(0, 999))
def test_negative_type(phi: Dissimilarity, texts: list[str], seed: int) -> None:
    """2 E Φ(a, b) − E Φ(a, a') − E Φ(b, b') >= 0 for any two distributions over the texts."""
    matrix = phi.matrix(texts, texts)
    p, q = np.random.default_rng(seed).dirichlet(np.ones(len(texts)), 2)
    assert 2 * p @ matrix @ q - p @ matrix @ p - q @ matrix @ q >= -1e-12


def test_sentiment_is_half_the_difference_of_vaders_compound() -> None:
    """0.8316 is what the authors' own page gives for their first example without its exclamation mark."""
    texts = ["VADER is smart, handsome, and funny.", "The table is there."]
    assert Sentiment().scores(texts).tolist() == [0.8316, 0.0]
    assert Sentiment().matrix(texts[:1], texts[1:])[0, 0] == pytest.approx(0.4158)


def test_a_sentiment_out_of_range_is_refused() -> None:
    for wrong in (2.0, float("nan")):
        with pytest.raises(FairPairError, match="from −1 to 1, but mine returned"):
            Sentiment(lambda text, value=wrong: value, "mine").matrix(["a"], ["b"])


def test_embedding_distance_is_that_of_scipy_and_each_text_is_encoded_once() -> None:
    generator, asked = np.random.default_rng(0), []
    vectors = {text: generator.normal(size=5) for text in "abcd"}

    def encode(texts: Sequence[str]) -> FloatArray:
        asked.extend(texts)
        return np.stack([vectors[text] for text in texts])

    phi = EmbeddingDistance(encode)
    expected = np.sqrt(cdist([vectors[t] for t in "aab"], [vectors[t] for t in "cd"], "cosine") / 2)
    np.testing.assert_allclose(phi.matrix(list("aab"), list("cd")), expected, atol=1e-12)
    phi.matrix(list("abcd"), list("abcd"))
    assert asked == list("abcd")


def test_a_text_without_direction_lies_half_way_from_any_other() -> None:
    matrix = EmbeddingDistance(letters).matrix(["", "kind"], ["", "kind", "bad"])
    np.testing.assert_allclose(matrix, [[0, 0.5, 0.5], [0.5, 0, np.sqrt(0.5)]])


def test_the_chord_sees_a_scatter_that_the_cosine_misses() -> None:
    """Two triangles of directions, one turned by 60°: both have the mean 0, and share no direction."""
    angles = {"a": 0.0, "b": 2 * np.pi / 3, "c": -2 * np.pi / 3, "d": np.pi, "e": np.pi / 3, "f": -np.pi / 3}

    def encode(texts: Sequence[str]) -> FloatArray:
        return np.array([[np.cos(angles[text]), np.sin(angles[text])] for text in texts])

    def energy(matrix: FloatArray) -> float:
        return float(2 * matrix[:3, 3:].mean() - matrix[:3, :3].mean() - matrix[3:, 3:].mean())

    texts = list("abcdef")
    chord = EmbeddingDistance(encode).matrix(texts, texts)
    assert energy(chord) == pytest.approx(((1 + 2 * 0.5) - 2 * np.sqrt(0.75)) * 2 / 3, abs=1e-12)
    assert energy(chord) > 0.1
    assert energy(chord**2) == pytest.approx(0, abs=1e-12)


def test_vectors_beyond_the_limit_are_forgotten_and_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.texts.fairpair.dissimilarity.KEPT_VECTORS", 2)
    phi = EmbeddingDistance(letters)
    for texts in (["kind", "bad", "the"], ["the", "home"], ["kind", "awful", "bad home"]):
        np.testing.assert_array_equal(
            phi.matrix(texts, texts), EmbeddingDistance(letters).matrix(texts, texts)
        )
    assert len(phi._directions) < 6


@pytest.mark.parametrize("answer", [np.zeros(2), np.zeros((3, 4)), np.full((2, 4), np.nan)])
def test_an_encoder_that_is_none_is_refused(answer: FloatArray) -> None:
    with pytest.raises(FairPairError, match="one vector of finite numbers for each text, but for 2"):
        EmbeddingDistance(lambda texts: answer).matrix(["a", "b"], ["a"])


def test_embeddings_are_a_choice_only_with_an_encoder() -> None:
    several = dissimilarities({"mine": letters})
    assert [*several] == [*dissimilarities(), "embedding:mine"]
    assert several["embedding:mine"].name == "embedding distance (mine)"


def test_jaccard_of_the_other_words_is_that_of_texts_without_them() -> None:
    """A second opinion: the texts with those words taken out by hand, under plain Jaccard."""
    exchanged = frozenset({"he", "she", "his", "her", "john", "jane"})
    texts = ["He has a dog", "She has a dog", "his dog", "Her cat", "he's late", "John", ""]
    without = ["has a dog", "has a dog", "dog", "cat", "late", "", ""]
    found = JaccardOfOthers(exchanged).matrix(texts, texts)
    np.testing.assert_allclose(found, Jaccard().matrix(without, without))
    assert found[0, 1] == 0
    assert found[2, 3] == 1


def test_a_model_that_writes_he_whoever_is_named_differs_by_that_word_alone() -> None:
    """F of plain Jaccard is above 1, that of the other words 1: p turned he into she on one side alone."""
    texts = text_list(40, 3)
    u, z = [f"she {text}" for text in texts[:20]], [f"he {text}" for text in texts[20:]]
    table = exchanged_words(load_table("gender"), ("John", "Jane"))
    pairs = [PromptPairs("x", tuple(u), tuple(z))]
    names = {"model": "m", "original": "John", "counterpart": "Jane"}
    plain = fairpair_report(pairs, Jaccard(), **names)
    others = fairpair_report(pairs, JaccardOfOthers(table), **names)
    assert plain.differs
    assert not others.differs
    assert others.means.ratio == pytest.approx(1, abs=0.03)


# Words of a text: case, punctuation, apostrophes, clauses.


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don’t go!", ("don't", "go")),
        ("A well-known nurse, aged 42.", ("a", "well", "known", "nurse", "aged", "42")),
        ("cafe\u0301 'quoted' rock_n_roll", ("café", "quoted", "rock", "n", "roll")),
        (" …!? ", ()),
        ("", ()),
    ],
)
def test_examples(text: str, words: tuple[str, ...]) -> None:
    assert word_tokens(text) == words


@given(st.text())
def test_words_are_words_again(text: str) -> None:
    found = word_tokens(text)
    assert word_tokens(" ".join(found)) == found


def test_no_phrase_reaches_over_a_full_stop() -> None:
    assert clauses("She left. He (too) stayed") == (("she", "left"), ("he",), ("too",), ("stayed",))


# Words that a table exchanges: of both sides, with what stands behind an apostrophe, and not the others.


GENDER = exchanged_words(load_table("gender"), ("Alice", "Bob"))
AGE = exchanged_words(load_table("age"), ("Emma", "Dorothy"))


@pytest.mark.parametrize(
    ("exchanged", "words", "expected"),
    [
        (GENDER, "Bob alice Jane he him his himself she her hers herself Mrs mister countess waiters", True),
        (GENDER, "ma'am host bride he's mother's", True),
        (GENDER, "a an the nurse sultan there's", False),  # no word of this table wants another article
        (AGE, "old young a an", True),  # "an old man" becomes "a young man"
        (AGE, "man person people", False),
    ],
)
def test_which_words_are_exchanged(exchanged: frozenset[str], words: str, expected: bool) -> None:
    assert {is_exchanged(word, exchanged) for word in word_tokens(words)} == {expected}


@pytest.mark.parametrize("text", ["he gave her his book", "My uncle's wife is an actress.", "She's a widow"])
def test_what_p_changes_is_exchanged_and_what_stays_is_not(text: str) -> None:
    """A second opinion: by the perturbation itself."""
    (after,) = Perturbation.of("gender", entity=("Bob", "Alice"))([text])
    before, now = word_tokens(text), word_tokens(after)
    assert [is_exchanged(word, GENDER) for word in before] == [
        one != other for one, other in zip(before, now, strict=True)
    ]


# Marked words: those of the Jaccard dissimilarity, and not a character of a text is lost.


TEXTS_MARKING = st.text(st.sampled_from("ab AB.'’\n-é中_1\u0301"), max_size=30)


@pytest.mark.parametrize(
    ("text", "other", "pieces"),
    [
        ("He left.", "she left", [("He", True), (" left.", False)]),
        ("big dog ran", "ran", [("big dog", True), (" ran", False)]),
        ("Don’t go", "don't go", [("Don’t go", False)]),
        ("a, b", "", [("a", True), (", ", False), ("b", True)]),
        ("", "a", []),
        ("…", "a", [("…", False)]),
    ],
)
def test_words_that_the_other_text_lacks(text: str, other: str, pieces: list[tuple[str, bool]]) -> None:
    assert words_apart(text, other) == pieces


@given(TEXTS_MARKING, TEXTS_MARKING)
def test_pieces_are_the_text_and_marks_are_jaccards_words(text: str, other: str) -> None:
    pieces = words_apart(text, other)
    assert "".join(piece for piece, _ in pieces) == unicodedata.normalize("NFC", text)
    marked = {word for piece, mark in pieces if mark for word in word_tokens(piece)}
    assert marked == set(word_tokens(text)) - set(word_tokens(other))


@pytest.mark.parametrize(
    ("text", "phrase", "marked"),
    [
        ("Her family and her Family.", "her family", ["Her family", "her Family"]),
        ("her. Family", "her family", []),
        ("a a a", "a a", ["a a"]),
        ("familyless", "family", []),
        ("x", "", []),
    ],
)
def test_a_phrase_is_found_within_clauses(text: str, phrase: str, marked: list[str]) -> None:
    pieces = phrase_places(text, phrase)
    assert [piece for piece, mark in pieces if mark] == marked
    assert "".join(piece for piece, _ in pieces) == text
