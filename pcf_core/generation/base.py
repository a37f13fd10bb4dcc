"""The seam that every generator implements, and the draw of a token that local ones share.  No torch here.

==============  =============================  ============================================================
``logits``      [row, vocabulary] float32      one row per text of a block
``uniforms``    [row] float64 in [0, 1)        of each text's own stream
probabilities   [row, vocabulary] float64      after temperature and top-p; each row sums to 1
==============  =============================  ============================================================

**A text is a function of (generation key, prompt, index).**  Its uniform numbers come from a stream of its
own, and the forward passes from a block of ``BLOCK`` indices of one prompt, always whole: 0–24, 25–49, ….
So a local model writes the same texts whatever was asked before, in whatever order, after whatever
interruption.

**Worked example** of one draw.  Logits log 5, log 3, log 2 at temperature 1 give 0.5, 0.3, 0.2.  With top-p
0.7 the smallest set of the likeliest tokens with at least 0.7 is the first two, which get 0.625 and 0.375.
The cumulative probabilities in the order of the vocabulary are 0.625 and 1: u = 0.6 draws the first token,
u = 0.7 the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pcf_core.records import FloatArray, digest
from pcf_core.records.generation import Decoding, End, Generated, GenerationKey

BLOCK = 25  # texts of one prompt that are made together

Tokens = NDArray[np.int_]


class Generator(Protocol):
    """Writes texts behind a prompt; ``key`` is all that decides them."""

    @property
    def key(self) -> GenerationKey: ...

    def generate(self, prompt: str, first: int, count: int, pause: Callable[[], None]) -> Generated:
        """The texts of the indices ``first`` to ``first + count − 1``: whole blocks of ``BLOCK``.

        ``pause`` is called often (between two tokens, or while waiting for a server); what it raises ends the
        work, and nothing is kept of it.

        Raises:
            GenerationError: the prompt is empty, or too long for the model.
            ScoringError: the model failed: NaN, out of memory, the device or the server was lost.
            ValueError: no whole blocks.
        """
        ...


def blocks(first: int, count: int) -> Iterator[int]:
    """First indices of the blocks that the indices ``first`` to ``first + count − 1`` are made of.

    Raises:
        ValueError: they are no whole blocks.
    """
    if first < 0 or count < 1 or first % BLOCK or count % BLOCK:
        raise ValueError(f"{count} texts from index {first} are no whole blocks of {BLOCK}")
    yield from range(first, first + count, BLOCK)


def stream(key: GenerationKey, prompt: str, index: int) -> np.random.Generator:
    """The random numbers of one text."""
    return np.random.default_rng(int(digest([key.hash, prompt, index]), 16))


def choose(logits: FloatArray, uniforms: FloatArray, decoding: Decoding) -> Tokens:
    """[row] the drawn tokens: the inverse of the cumulative probabilities, in the order of the vocabulary.

    At temperature 0 the likeliest token, of equal ones that of the lowest number; ``uniforms`` do not count.
    """
    if decoding.temperature == 0:
        return np.asarray(logits.argmax(axis=1))
    cumulative = probabilities(logits, decoding).cumsum(axis=1)
    targets = uniforms[:, None] * cumulative[:, -1:]  # the last is 1 but for rounding
    return np.asarray((cumulative > targets).argmax(axis=1))


def probabilities(logits: FloatArray, decoding: Decoding) -> FloatArray:
    """[row, vocabulary] what :func:`choose` draws from, float64; for a temperature above 0."""
    scaled = logits.astype(np.float64) / decoding.temperature
    weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    if decoding.top_p < 1:
        weights[~nucleus(weights, decoding.top_p)] = 0
        weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(weights)


def nucleus(weights: FloatArray, top_p: float) -> NDArray[np.bool_]:
    """[row, token] the smallest set of the likeliest tokens whose probabilities add up to ``top_p`` or more.

    Args:
        weights: [row, token] probabilities, each row sums to 1.
        top_p: above 0, at most 1.

    Of tokens of equal probability at the edge of the set, those of the lowest numbers belong to it.
    """
    descending = -np.sort(-weights, axis=1)
    short = descending.cumsum(axis=1) < top_p
    size = np.minimum(short.sum(axis=1) + 1, weights.shape[1])  # rounding may leave the whole row short
    edge = descending[np.arange(len(size)), size - 1][:, None]
    kept = weights >= edge
    for row in np.flatnonzero(kept.sum(axis=1) > size):
        equal = np.flatnonzero(weights[row] == edge[row])
        surplus = int(kept[row].sum() - size[row])
        kept[row, equal[len(equal) - surplus :]] = False
    return np.asarray(kept)


def end_of(text: str, stopped: bool) -> End:
    """How a text ended: ``stopped`` says that the model ended it, not the length."""
    if not text.strip():
        return "empty"
    return "stop" if stopped else "length"
