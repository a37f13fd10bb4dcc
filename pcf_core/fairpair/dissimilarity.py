"""What tells two texts apart: Φ(a, b) from 0, alike, to 1.

Every Φ here is symmetric, 0 of a text with itself, and of negative type: for distributions P and Q of texts,
2 E Φ(a, b) − E Φ(a, a') − E Φ(b, b') >= 0 with a, a' from P and b, b' from Q.  FairPair's B is then never
below the mean of its two V but for sampling.  Another Φ is any class with a name and the method ``matrix``.

Only continuations are compared, without the prompt: it would add the same words to every pair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pcf_core.errors import FairPairError
from pcf_core.fairpair.exchanged import is_exchanged
from pcf_core.fairpair.tokens import word_tokens
from pcf_core.records import FloatArray
from pcf_core.records.fairpair_run import EMBEDDING, JACCARD, OTHERS

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

Encode = Callable[[Sequence[str]], FloatArray]
KEPT_SCORES = 200_000  # texts of which the sentiment is remembered
KEPT_VECTORS = 20_000  # texts of which the vector is: 120 MB of 768 numbers each


class Dissimilarity(Protocol):
    """The seam: one name for reports, one method."""

    name: str

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """[len(first), len(second)] Φ of every text of one with every text of the other, 0 to 1."""
        ...


class Jaccard:
    """1 − |T(a) ∩ T(b)| / |T(a) ∪ T(b)|, with T(a) the set of a text's words.

    "a b" and "a c" share one word of three: 2/3.  Two texts without a word are alike, 0; one without and one
    with words share nothing, 1.  The similarity is a positive definite kernel (Gower 1971,
    doi:10.2307/2528823), hence the negative type.
    """

    def __init__(self, without: frozenset[str] = frozenset(), name: str = "") -> None:
        """``without``: words that do not count, such as :func:`pcf_core.fairpair.tokens.stop_words`."""
        self._without = without
        self.name = name or ("Jaccard, without stop words" if without else "Jaccard")

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """[len(first), len(second)] from one product of sparse matrices [text, word] of 0 and 1."""
        places: dict[str, int] = {}
        left = [self._places(text, places) for text in first]
        right = left if second is first else [self._places(text, places) for text in second]
        rows = _incidence(left, len(places))
        columns = rows if second is first else _incidence(right, len(places))
        shared = (rows @ columns.T).toarray()
        sizes = np.array([len(row) for row in left])[:, np.newaxis] + np.array([len(row) for row in right])
        union = sizes - shared
        return np.where(union > 0, 1 - shared / np.maximum(union, 1), 0.0)

    def _places(self, text: str, places: dict[str, int]) -> list[int]:
        """The numbers of a text's distinct words; new words get the next ones."""
        return [places.setdefault(word, len(places)) for word in self._words(text)]

    def _words(self, text: str) -> set[str]:
        """Those of a text that count."""
        return set(word_tokens(text)) - self._without


class JaccardOfOthers(Jaccard):
    """Jaccard over the words that p does not exchange; the others are left out of both texts.

    p rewrites one side alone.  A model that writes *he* whoever is named has *she* in u and *he* in z:
    Jaccard tells them apart by that word, this Φ does not.  With John and Jane, "He has a dog" and "She has a
    dog" are alike, "his dog" and "her cat" share nothing.  Of fewer words, so the negative type is the same.
    """

    def __init__(self, exchanged: frozenset[str]) -> None:
        """``exchanged``: of :func:`pcf_core.fairpair.exchanged.exchanged_words`."""
        super().__init__(exchanged, "Jaccard, without the words that are exchanged")

    def _words(self, text: str) -> set[str]:
        return {word for word in word_tokens(text) if not is_exchanged(word, self._without)}


def _incidence(rows: Sequence[Sequence[int]], columns: int) -> csr_array:
    """[row, column] 1 at the places of each row."""
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *(len(row) for row in rows)])
    places = np.fromiter((place for row in rows for place in row), dtype=np.intp, count=int(ends[-1]))
    return csr_array((np.ones(len(places)), places, ends), shape=(len(rows), max(1, columns)))


class Sentiment:
    """|s(a) − s(b)| / 2 with s the sentiment of a text, −1 negative to 1 positive.

    The default s is VADER's compound score (Hutto & Gilbert 2014, doi:10.1609/icwsm.v8i1.14550), rounded to
    four decimals as it comes: many plain sentences have exactly 0.  Its lexicon takes the title Miss for the
    verb and the names Joy, Grace and Hope for praise: a perturbation that writes them moves the score by
    itself.
    """

    def __init__(self, score: Callable[[str], float] | None = None, name: str = "sentiment (VADER)") -> None:
        self.name = name
        self._score = vader_compound if score is None else score

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """[len(first), len(second)]."""
        left, right = self.scores(first), self.scores(second)
        return np.asarray(np.abs(left[:, np.newaxis] - right) / 2)

    def scores(self, texts: Sequence[str]) -> FloatArray:
        """[text] sentiments, −1 to 1.

        Raises:
            FairPairError: a score that is no number from −1 to 1.
        """
        found = np.array([self._score(text) for text in texts], dtype=np.float64)
        if not (np.abs(found) <= 1).all():
            wrong = found[~(np.abs(found) <= 1)][0]
            raise FairPairError(f"A sentiment must be a number from −1 to 1; {self.name} gave {wrong:g}.")
        return found


@lru_cache(maxsize=KEPT_SCORES)
def vader_compound(text: str) -> float:
    """VADER's compound score of a text, −1 negative to 1 positive; 0 without a word of its lexicon."""
    return float(_vader().polarity_scores(text)["compound"])


@lru_cache(maxsize=1)
def _vader() -> SentimentIntensityAnalyzer:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


class EmbeddingDistance:
    """‖a − b‖ / 2 of the texts' vectors made length 1: half the chord between their directions.

    With c their cosine this is √((1 − c) / 2), so it is the cosine distance on another scale: 0 same
    direction, 0.5 at 60°, √½ at right angles, 1 opposite.  The scale matters.  Euclidean distance is of
    negative type, strictly: E is 0 only where both sides have one distribution of directions (Székely & Rizzo
    2013, doi:10.1016/j.jspi.2013.03.018).  (1 − c) / 2 itself, its square, is of negative type too, but its
    E compares mean directions alone and misses that one side is more scattered.

    A vector of zeros, of a text without a word, has no direction: it stays one, a half from any other.
    """

    def __init__(self, encode: Encode, name: str = "embedding") -> None:
        """``encode``: texts to vectors [text, dimension]; what it gave is remembered, up to a limit."""
        self.name = name
        self._encode = encode
        self._directions: dict[str, FloatArray] = {}

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """[len(first), len(second)].

        Raises:
            FairPairError: an encoder that does not give one vector of numbers for each text.
        """
        from scipy.spatial.distance import cdist

        self._learn(list(dict.fromkeys([*first, *second])))
        left, right = (np.stack([self._directions[text] for text in texts]) for texts in (first, second))
        return np.asarray(np.clip(cdist(left, right) / 2, 0.0, 1.0))

    def _learn(self, texts: Sequence[str]) -> None:
        """See to it that the vectors of these texts are there, of length 1, or 0."""
        if len(self._directions) > KEPT_VECTORS:
            self._directions = {text: self._directions[text] for text in texts if text in self._directions}
        unseen = [text for text in texts if text not in self._directions]
        if not unseen:
            return
        vectors: np.ndarray[Any, Any] = np.asarray(self._encode(unseen), dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(unseen) or not np.isfinite(vectors).all():
            raise FairPairError(
                f"The encoder of {self.name} must give one vector of finite numbers for each text; "
                f"for {len(unseen)} it gave the shape {list(vectors.shape)}."
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self._directions.update(zip(unseen, vectors / np.where(lengths > 0, lengths, 1.0), strict=True))


def dissimilarities(
    encoders: Mapping[str, Encode] | None = None, exchanged: frozenset[str] = frozenset()
) -> dict[str, Dissimilarity]:
    """The Φ that can be chosen, by the names they are asked for by; ``embedding:MODEL`` with an encoder.

    ``exchanged``: words that p exchanges, which ``jaccard-others`` leaves out.
    """
    found: dict[str, Dissimilarity] = {
        JACCARD: Jaccard(),
        OTHERS: JaccardOfOthers(exchanged),
        "sentiment": Sentiment(),
    }
    for model, encode in (encoders or {}).items():
        found[f"{EMBEDDING}:{model}"] = EmbeddingDistance(encode, f"embedding distance ({model})")
    return found
