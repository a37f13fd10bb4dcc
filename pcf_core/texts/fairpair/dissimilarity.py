"""What tells two texts apart: Φ(a, b) from 0, alike, to 1.

Every Φ here is symmetric, 0 of a text with itself, and of negative type: for distributions P and Q of texts,
2 E Φ(a, b) − E Φ(a, a') − E Φ(b, b') >= 0 with a, a' from P and b, b' from Q.  FairPair's B is then never
below the mean of its two V but for sampling.  Another Φ is any class with a name and the method ``matrix``.

Only continuations are compared, without the prompt: it would add the same words to every pair.

Also which words of a text p may have put there, which model makes vectors of texts (torch comes only with
opening it), and where two texts differ, word by word.
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


# Which words of a text p may have put there: those that a table exchanges.


def exchanged_words(table: PerturbationTable, entity: Pair) -> frozenset[str]:
    """List the words that p exchanges, of both sides and in lower case: names, titles, words, plurals, rules.

    Of a pair of phrases those that differ: "old man" and "young man" exchange *old* and *young*, not *man*.
    *a* and *an* too, where a word and its counterpart want different ones.  Words without a counterpart are
    none of them.
    """
    rules = [(rule.word, rule.becomes) for rule in table.rules]
    pairs = (entity, *table.names, *table.titles, *table.words, *table.plurals, *rules)
    exchanged = {word for one, other in pairs for word in set(word_tokens(one)) ^ set(word_tokens(other))}
    if any(article_of(first) != article_of(second) for first, second in (*table.words, *rules)):
        exchanged |= {"a", "an"}
    return frozenset(exchanged)


def is_exchanged(word: str, exchanged: frozenset[str]) -> bool:
    """Tell whether a lower-case word is exchanged, with or without an ending after an apostrophe: "he's"."""
    return word in exchanged or word.partition("'")[0] in exchanged


Encode = Callable[[Sequence[str]], FloatArray]
KEPT_SCORES = 200_000  # texts of which the sentiment is remembered
KEPT_VECTORS = 20_000  # texts of which the vector is: 120 MB of 768 numbers each


class Dissimilarity(Protocol):
    """A way of comparing texts: a name for reports, and one method."""

    name: str

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """Return [len(first), len(second)] Φ of every text of one with every text of the other, 0 to 1."""
        ...


class Jaccard:
    """1 − |T(a) ∩ T(b)| / |T(a) ∪ T(b)|, with T(a) the set of a text's words.

    "a b" and "a c" share one word of three: 2/3.  Two texts without a word are alike, 0; one without and one
    with words share nothing, 1.  The similarity is a positive definite kernel (Gower 1971,
    doi:10.2307/2528823), hence the negative type.
    """

    name = "Jaccard"

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """Compute [len(first), len(second)] from one product of sparse matrices [text, word] of 0 and 1."""
        numbers: dict[str, int] = {}  # by word
        left = self._numbered(first, numbers)
        right = left if second is first else self._numbered(second, numbers)
        rows, columns = _incidence(left, len(numbers)), _incidence(right, len(numbers))
        shared = (rows @ columns.T).toarray()
        sizes = np.array([len(row) for row in left])[:, np.newaxis] + np.array([len(row) for row in right])
        union = sizes - shared
        return np.where(union > 0, 1 - shared / np.maximum(union, 1), 0.0)

    def _numbered(self, texts: Sequence[str], numbers: dict[str, int]) -> list[list[int]]:
        """Return the numbers of each text's distinct words; new words get the next ones."""
        return [[numbers.setdefault(word, len(numbers)) for word in self._words(text)] for text in texts]

    def _words(self, text: str) -> set[str]:
        return set(word_tokens(text))


class JaccardOfOthers(Jaccard):
    """Jaccard over the words that p does not exchange; the others are left out of both texts.

    p rewrites one side alone.  A model that writes *he* whoever is named has *she* in u and *he* in z:
    Jaccard tells them apart by that word, this Φ does not.  With John and Jane, "He has a dog" and "She has a
    dog" are alike, "his dog" and "her cat" share nothing.  Of fewer words, so the negative type is the same.
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

    The default s is VADER's compound score (Hutto & Gilbert 2014, doi:10.1609/icwsm.v8i1.14550), rounded to
    four decimals as it comes: many plain sentences have exactly 0.  Its lexicon takes the title Miss for the
    verb and the names Joy, Grace and Hope for praise: a perturbation that writes them moves the score by
    itself.
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
    """Return VADER's compound score, −1 negative to 1 positive; 0 without a word of its lexicon."""
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
        """Take ``encode``: texts to vectors [text, dimension], which are remembered up to a limit."""
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
        """Encode the texts that are new; vectors are scaled to length 1, or stay 0."""
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
    """Return the Φ that can be chosen, by name; ``embedding:MODEL`` with an encoder.

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


# Which model makes vectors of texts, and from its key to the encoder.  Torch comes only with opening one.


USUAL_ENCODER = "mini-bert"
OpenEncoder = Callable[[EncoderKey], Encode]


def encoder_key(choice: str) -> EncoderKey:
    """Return the encoder of ``embedding:MODEL``; ``embedding`` alone names the shipped model.

    A checkpoint without a language-model head is read as masked: only its body is used.

    Raises FairPairError for a model that does not read in both directions, ModelError for none that is here.
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
    """Find an encoder; as a masked model, where the configuration leaves its family open."""
    try:
        return resolve_to_score(model)
    except ModelError as first:
        try:
            return resolve_to_score(f"masked:{model}")
        except ModelError:
            raise first from None


def open_encoder(key: EncoderKey) -> Encode:
    """Load the model of a key.

    Raises ModelError where it cannot be loaded, or is another one now.
    """
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


# Where two texts differ, word by word, and where a phrase stands in one.


Piece = tuple[str, bool]  # a stretch of a text, and whether it is marked


def words_apart(text: str, other: str) -> list[Piece]:
    """Split a text into pieces, marking the words that the other text does not have.

    The words are those of the Jaccard dissimilarity: case and place do not count.  "He left." beside "she
    left" -> ("He", True), (" left.", False).  The pieces give the text again, composed (NFC).
    """
    shared = set(word_tokens(other))
    composed = normal("NFC", text)
    places = [span for span in _words(composed) if not shared.issuperset(word_tokens(composed[slice(*span)]))]
    return _pieces(composed, places)


def phrase_places(text: str, phrase: str) -> list[Piece]:
    """Split a text into pieces, marking the phrase: words that follow each other within a clause."""
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
    """Return start and end of every word, the same words as in ``word_tokens``."""
    return [match.span() for match in WORD.finditer(text.replace("’", "'"))]


def _pieces(text: str, marked: Iterable[tuple[int, int]]) -> list[Piece]:
    """Cut a text at the marked stretches, in order; two with a space between become one."""
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
