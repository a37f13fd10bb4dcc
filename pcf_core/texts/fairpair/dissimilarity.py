"""Dissimilarities of two texts: Φ(a, b) from 0 (same) to 1.

Every Φ here is symmetric, 0 of a text with itself, and of negative type: for distributions P and Q of texts,
2 E Φ(a, b) − E Φ(a, a') − E Φ(b, b') >= 0 with a, a' from P and b, b' from Q.  So FairPair's B is below the
mean of its two V only through sampling.  Continuations are compared without the prompt.

Also the words that p exchanges, the encoders (torch is imported when one is opened), and how two texts' words
differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pcf_core.core.errors import FairPairError, ModelError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ModelSpec
from pcf_core.material.safety.text import normal
from pcf_core.models.names import split_name
from pcf_core.models.registry import resolve_to_score
from pcf_core.texts.fairpair.matching import CLAUSE_END, WORD, article_of, word_tokens
from pcf_core.texts.fairpair.records import EMBEDDING, JACCARD, OTHERS, EncoderKey, Pair, PerturbationTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer


# The words that a table exchanges.


def exchanged_words(table: PerturbationTable, entity: Pair) -> frozenset[str]:
    """List the words that p exchanges, of both sides and in lower case.

    Of phrases only the differing words: *old* and *young* of "old man" and "young man".  *a* and *an* are
    included if any counterpart needs the other article.
    """
    rules = [(rule.word, rule.becomes) for rule in table.rules]
    pairs = (entity, *table.names, *table.titles, *table.words, *table.plurals, *rules)
    exchanged = {word for one, other in pairs for word in set(word_tokens(one)) ^ set(word_tokens(other))}
    if any(article_of(first) != article_of(second) for first, second in (*table.words, *rules)):
        exchanged |= {"a", "an"}
    return frozenset(exchanged)


def is_exchanged(word: str, exchanged: frozenset[str]) -> bool:
    """Tell whether a lower-case word is exchanged, with or without an ending such as "'s"."""
    return word in exchanged or word.partition("'")[0] in exchanged


Encode = Callable[[Sequence[str]], FloatArray]
KEPT_SCORES = 200_000  # cached sentiments
KEPT_VECTORS = 20_000  # cached vectors: 120 MB of 768 numbers each


class Dissimilarity(Protocol):
    """A way of comparing texts."""

    name: str

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """Return [len(first), len(second)] Φ of every pair of texts, 0 to 1."""
        ...


class Jaccard:
    """1 − |T(a) ∩ T(b)| / |T(a) ∪ T(b)|, with T(a) the set of a text's words.

    "a b" and "a c" share one word of three: 2/3.  Two texts without a word have Φ = 0, one without and one
    with words Φ = 1.  The similarity is a positive definite kernel (Gower 1971, doi:10.2307/2528823), hence
    the negative type.
    """

    name = "Jaccard"

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """Compute [len(first), len(second)] by one product of sparse matrices [text, word]."""
        numbers: dict[str, int] = {}  # by word
        left = self._numbered(first, numbers)
        right = left if second is first else self._numbered(second, numbers)
        rows, columns = _incidence(left, len(numbers)), _incidence(right, len(numbers))
        shared = (rows @ columns.T).toarray()
        sizes = np.array([len(row) for row in left])[:, np.newaxis] + np.array([len(row) for row in right])
        union = sizes - shared
        return np.where(union > 0, 1 - shared / np.maximum(union, 1), 0.0)

    def _numbered(self, texts: Sequence[str], numbers: dict[str, int]) -> list[list[int]]:
        """Return the indices of each text's distinct words, adding new words."""
        return [[numbers.setdefault(word, len(numbers)) for word in self._words(text)] for text in texts]

    def _words(self, text: str) -> set[str]:
        return set(word_tokens(text))


class JaccardOfOthers(Jaccard):
    """Jaccard without the words that p exchanges.

    p rewrites only one side: a model that always writes *he* has *she* in u and *he* in z, which Jaccard
    counts as a difference and this Φ does not.  "He has a dog" and "She has a dog" have 0.
    """

    name = "Jaccard, without the words that are exchanged"

    def __init__(self, exchanged: frozenset[str]) -> None:
        self._exchanged = exchanged

    def _words(self, text: str) -> set[str]:
        return {word for word in word_tokens(text) if not is_exchanged(word, self._exchanged)}


def _incidence(rows: Sequence[Sequence[int]], columns: int) -> csr_array:
    """Return [row, column] 1 in the columns that each row lists."""
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *(len(row) for row in rows)])
    ones = np.fromiter((column for row in rows for column in row), dtype=np.intp, count=int(ends[-1]))
    return csr_array((np.ones(len(ones)), ones, ends), shape=(len(rows), max(1, columns)))


class Sentiment:
    """|s(a) − s(b)| / 2 with s the sentiment of a text, −1 negative to 1 positive.

    By default s is VADER's compound score (Hutto & Gilbert 2014, doi:10.1609/icwsm.v8i1.14550), rounded to
    four decimals; many plain sentences have exactly 0.  Its lexicon takes the title Miss for the verb and the
    names Joy, Grace and Hope for praise, so a perturbation that writes them moves the score by itself.
    """

    def __init__(self, score: Callable[[str], float] | None = None, name: str = "sentiment (VADER)") -> None:
        self.name = name
        self._score = vader_compound if score is None else score

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """Compute [len(first), len(second)]."""
        left, right = self.scores(first), self.scores(second)
        return np.asarray(np.abs(left[:, np.newaxis] - right) / 2)

    def scores(self, texts: Sequence[str]) -> FloatArray:
        """Return [text] sentiments, −1 to 1."""
        scores = np.array([self._score(text) for text in texts], dtype=np.float64)
        if not (np.abs(scores) <= 1).all():
            wrong = scores[~(np.abs(scores) <= 1)][0]
            raise FairPairError(
                f"A sentiment must be a number from −1 to 1, but {self.name} returned {wrong:g}."
            )
        return scores


@lru_cache(maxsize=KEPT_SCORES)
def vader_compound(text: str) -> float:
    """Return VADER's compound score, −1 to 1; 0 without a word of its lexicon."""
    return float(_vader().polarity_scores(text)["compound"])


@lru_cache(maxsize=1)
def _vader() -> SentimentIntensityAnalyzer:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


class EmbeddingDistance:
    """‖a − b‖ / 2 of the texts' vectors made length 1.

    With c their cosine this is √((1 − c) / 2): 0 same direction, 0.5 at 60°, √½ at right angles, 1 opposite.
    Euclidean distance is strictly of negative type: E is 0 only if both sides have one distribution of
    directions (Székely & Rizzo 2013, doi:10.1016/j.jspi.2013.03.018).  (1 − c) / 2 would compare only mean
    directions.  A vector of zeros has no direction: its distance is ½ from any other.
    """

    def __init__(self, encode: Encode, name: str = "embedding") -> None:
        self.name = name
        self._encode = encode
        self._directions: dict[str, FloatArray] = {}

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """Compute [len(first), len(second)]."""
        from scipy.spatial.distance import cdist

        self._learn(list(dict.fromkeys([*first, *second])))
        left, right = (np.stack([self._directions[text] for text in texts]) for texts in (first, second))
        return np.asarray(np.clip(cdist(left, right) / 2, 0.0, 1.0))

    def _learn(self, texts: Sequence[str]) -> None:
        """Encode new texts and scale the vectors to length 1; zeros stay 0."""
        if len(self._directions) > KEPT_VECTORS:
            self._directions = {text: self._directions[text] for text in texts if text in self._directions}
        unseen = [text for text in texts if text not in self._directions]
        if not unseen:
            return
        vectors: np.ndarray[Any, Any] = np.asarray(self._encode(unseen), dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(unseen) or not np.isfinite(vectors).all():
            raise FairPairError(
                f"The encoder of {self.name} must return one vector of finite numbers for each text, but for "
                f"{len(unseen)} texts it returned the shape {list(vectors.shape)}."
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self._directions.update(zip(unseen, vectors / np.where(lengths > 0, lengths, 1.0), strict=True))


def dissimilarities(
    encoders: Mapping[str, Encode] | None = None, exchanged: frozenset[str] = frozenset()
) -> dict[str, Dissimilarity]:
    """Return the available Φ by name, with one ``embedding:MODEL`` for each encoder.

    ``exchanged``: words that p exchanges, which ``jaccard-others`` leaves out.
    """
    several: dict[str, Dissimilarity] = {
        JACCARD: Jaccard(),
        OTHERS: JaccardOfOthers(exchanged),
        "sentiment": Sentiment(),
    }
    for model, encode in (encoders or {}).items():
        several[f"{EMBEDDING}:{model}"] = EmbeddingDistance(encode, f"embedding distance ({model})")
    return several


# Encoders.


USUAL_ENCODER = "mini-bert"
OpenEncoder = Callable[[EncoderKey], Encode]


def encoder_key(choice: str) -> EncoderKey:
    """Return the key of ``embedding:MODEL``; ``embedding`` alone names the shipped model.

    Checkpoints without a language-model head are allowed: only the body is used.  Raises FairPairError for a
    model that is not masked, ModelError for an unknown one.
    """
    model = choice.removeprefix(EMBEDDING).removeprefix(":") or USUAL_ENCODER
    family = split_name(model).family
    if model.startswith("endpoint:") or family not in (None, "masked"):
        raise FairPairError(_no_encoder(model, family or "an endpoint's"))
    spec = _resolved(model)
    if spec.family != "masked":
        raise FairPairError(_no_encoder(model, spec.family))
    return EncoderKey(model=spec.name, identity=spec.identity, tokenizer=spec.tokenizer)


def _resolved(model: str) -> ModelSpec:
    """Find an encoder; as a masked model if its configuration does not name a family."""
    try:
        return resolve_to_score(model)
    except ModelError as first:
        try:
            return resolve_to_score(f"masked:{model}")
        except ModelError:
            raise first from None


def open_encoder(key: EncoderKey) -> Encode:
    """Load the model of a key; ModelError if it cannot be loaded or has changed."""
    spec = resolve_to_score(key.model)
    if (spec.identity, spec.tokenizer) != (key.identity, key.tokenizer):
        raise ModelError(
            f"The encoder {key.model} has changed since it was requested (then {key.identity}, now "
            f"{spec.identity}): start the request again."
        )
    from pcf_core.models.loading import load_body
    from pcf_core.texts.fairpair.mean_pooling import MeanPooling

    return MeanPooling(load_body(spec), key.model, context=spec.context)


def _no_encoder(model: str, kind: str) -> str:
    return (
        f"The model {model} is {kind}, and an encoder has to read a text in both directions: choose a masked "
        f"model, such as {EMBEDDING}:{USUAL_ENCODER}."
    )


# Marking words that differ, and phrases.


Piece = tuple[str, bool]  # a stretch of a text, and whether it is marked


def words_apart(text: str, other: str) -> list[Piece]:
    """Split a text into pieces, marking the words that the other text does not have.

    Case and position do not count.  "He left." beside "she left" -> ("He", True), (" left.", False).  The
    pieces add up to the text in NFC.
    """
    shared = set(word_tokens(other))
    composed = normal("NFC", text)
    places = [span for span in _words(composed) if not shared.issuperset(word_tokens(composed[slice(*span)]))]
    return _pieces(composed, places)


def phrase_places(text: str, phrase: str) -> list[Piece]:
    """Split a text into pieces, marking a phrase: its words in sequence within a clause."""
    wanted = word_tokens(phrase)
    composed = normal("NFC", text)
    spans = _words(composed)
    places: list[tuple[int, int]] = []
    for index in range(len(spans) - len(wanted) + 1 if wanted else 0):
        start, end = spans[index][0], spans[index + len(wanted) - 1][1]
        within = composed[start:end]
        beyond = bool(places) and start < places[-1][1]
        if not beyond and word_tokens(within) == wanted and not CLAUSE_END.search(within):
            places.append((start, end))
    return _pieces(composed, places)


def _words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in WORD.finditer(text.replace("’", "'"))]


def _pieces(text: str, marked: Iterable[tuple[int, int]]) -> list[Piece]:
    """Cut a text at the marked stretches; two with a space between become one."""
    pieces: list[Piece] = []
    end = 0
    for start, stop in marked:
        gap = text[end:start]
        if pieces and gap == " ":
            pieces[-1] = (pieces[-1][0] + gap + text[start:stop], True)
        else:
            pieces += [(gap, False)] if gap else []
            pieces.append((text[start:stop], True))
        end = stop
    rest = text[end:]
    return [*pieces, (rest, False)] if rest else pieces
