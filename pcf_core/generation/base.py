"""The seam that every generator implements, and the draw of a token that local ones share.  No torch here.

============  ===========================  =================================================
``logits``    [row, vocabulary] float32    one row per text of a block, or one for all
``uniforms``  [row] float64 in [0, 1)      of each text's own stream
``weights``   [token] float64, at most 1   probabilities, each divided by the largest
============  ===========================  =================================================

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
from pcf_core.records.generation import BLOCK as BLOCK
from pcf_core.records.generation import Decoding, End, Generated, GenerationKey

Tokens = NDArray[np.int_]


class Generator(Protocol):
    """Writes texts behind a prompt; ``key`` is all that decides them."""

    @property
    def key(self) -> GenerationKey: ...

    def with_system(self, system: str) -> Generator:
        """The same open model, told ``system`` before every prompt: as a message of its own where the model
        takes one, else in front of the prompt (:func:`~pcf_core.records.generation.in_one`).

        Raises:
            ScoringError: a server that has to be asked how it takes it cannot be reached, or refuses.
        """
        ...

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

    ``logits`` may have one row for all.  At temperature 0 the likeliest token, of equal ones that of the
    lowest number; ``uniforms`` do not count.
    """
    if decoding.temperature == 0:
        return np.broadcast_to(logits.argmax(axis=1), len(uniforms))
    if len(logits) == 1:
        weights = weights_of(logits[0], decoding.temperature)
        return draw(weights, nucleus(weights, decoding.top_p), uniforms)
    drawn = np.empty(len(uniforms), dtype=np.int_)
    for row, line in enumerate(logits):
        weights = weights_of(line, decoding.temperature)
        drawn[row : row + 1] = draw(weights, nucleus(weights, decoding.top_p), uniforms[row : row + 1])
    return drawn


def weights_of(logits: FloatArray, temperature: float) -> FloatArray:
    """[token] probabilities at a temperature above 0, each divided by the largest: float64, 1 at most."""
    scaled = logits.astype(np.float64)
    scaled -= scaled.max()
    scaled /= temperature
    return np.asarray(np.exp(scaled, out=scaled))


def nucleus(weights: FloatArray, top_p: float) -> Tokens:
    """The smallest set of the likeliest tokens that together have the share ``top_p`` or more, in order.

    Args:
        weights: [token] their probabilities, on any scale.
        top_p: above 0, at most 1.

    Of tokens of equal probability at the edge of the set, those of the lowest numbers belong to it.
    """
    if top_p == 1:
        return np.arange(len(weights))
    total = weights.sum()
    # Tokens below this have less than 1 − top-p together, so that the set needs none: few have to be sorted.
    likely = np.flatnonzero(weights >= (1 - top_p) * total / len(weights))
    values = weights[likely]
    descending = np.sort(values)[::-1]
    size = min(int(descending.cumsum().searchsorted(top_p * total)) + 1, len(values))  # sums are rounded
    edge = descending[size - 1]
    kept = values > edge
    kept[np.flatnonzero(values == edge)[: size - kept.sum()]] = True
    return np.asarray(likely[kept])


def draw(weights: FloatArray, tokens: Tokens, uniforms: FloatArray) -> Tokens:
    """One of the ``tokens`` for each number u of ``uniforms``: the first whose cumulative share exceeds u."""
    cumulative = weights[tokens].cumsum()
    return np.asarray(tokens[cumulative.searchsorted(uniforms * cumulative[-1], side="right")])


def end_of(text: str, stopped: bool) -> End:
    """How a text ended: ``stopped`` says that the model ended it, not the length."""
    if not text.strip():
        return "empty"
    return "stop" if stopped else "length"
