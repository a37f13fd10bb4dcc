"""Word vectors learned from texts, and the axis from *he* to *she* in them (section 6 of the paper).

With s and h the vectors of *she* and *he*, m = (s + h) / 2 their midpoint and u = (s − m) / ‖s − m‖:

    score(w) = (v_w − m) · u        > 0 nearer to *she*, < 0 nearer to *he*

so that *she* scores ‖s − h‖ / 2, *he* as much below 0, and exchanging the two turns every sign.  The authors'
script takes (h − s) / 2 for the midpoint, which is half the way between them and not the middle: there the
score of *he* is not the opposite of that of *she*.  We follow the paper's text.

Example: s = (2, 1), h = (0, 1): m = (1, 1), u = (1, 0); a word at (4, 7) scores 3.

word2vec is gensim's with the paper's options: a window of 10, words that stand twice or more, everything else
as it comes (CBOW, 100 dimensions, five passes).  One thread makes it repeatable.  Texts are read in a random
order that the seed decides: the last are learned at the lowest rate, and those would be one model's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pcf_core.errors import CriteriaError
from pcf_core.records import FloatArray

SHE, HE = "she", "he"
SETTINGS: Mapping[str, int] = {
    "vector_size": 100,
    "window": 10,
    "min_count": 2,
    "epochs": 5,
    "sg": 0,
    "workers": 1,
}


def library() -> str:
    """What learns the vectors, with its version."""
    from importlib.metadata import version

    return f"gensim {version('gensim')}"


def learned_vectors(texts: Sequence[Sequence[str]], seed: int) -> dict[str, FloatArray]:
    """Word -> [dimension] of the words that stand twice or more; the same seed gives the same vectors.

    Args:
        texts: [text][word].
        seed: of the first vectors, the order of the texts and the noise words; at least 0.
    """
    from gensim.models import Word2Vec

    order = np.random.default_rng(seed).permutation(len(texts))
    shuffled = [list(texts[place]) for place in order]
    model = Word2Vec(**SETTINGS, seed=seed + 1)  # gensim takes 0 for its usual seed
    model.build_vocab(shuffled)
    if not model.wv.index_to_key:
        return {}
    model.train(shuffled, total_examples=len(shuffled), epochs=model.epochs)
    return {word: model.wv[word].astype(np.float64) for word in model.wv.index_to_key}


def axis_scores(vectors: Mapping[str, FloatArray]) -> dict[str, float]:
    """The score of every word.

    Raises:
        CriteriaError: :func:`why_no_axis` says why there is none.
    """
    reason = why_no_axis(vectors)
    if reason:
        raise CriteriaError(f"The embedding score has no axis: {reason}.")
    she, he = vectors[SHE], vectors[HE]
    middle = (she + he) / 2
    unit = (she - middle) / np.linalg.norm(she - middle)
    scores = (np.stack(list(vectors.values())) - middle) @ unit
    return dict(zip(vectors, scores.tolist(), strict=True))


def why_no_axis(vectors: Mapping[str, FloatArray]) -> str:
    """Why there is no axis, as the end of a sentence; empty where there is one."""
    absent = [f"“{word}”" for word in (SHE, HE) if word not in vectors]
    if absent:
        return f"the texts have {' and '.join(absent)} less than {SETTINGS['min_count']} times"
    return "“she” and “he” have the same vector" if np.allclose(vectors[SHE], vectors[HE], rtol=0) else ""
