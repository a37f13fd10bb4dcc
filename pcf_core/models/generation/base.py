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

**Texts that decline in words, told from others by how they begin.**  A server says of few refusals that they
are any; most models write "I'm sorry, but I can't help with that" and end like after any other text.  Such a
text counts when one of ``OPENINGS`` stands at its beginning, be it behind "Sorry," or "Unfortunately,".  The
list was written by hand from the usual wordings of English chat models: it misses others, and a person in a
story may speak so too, so texts are counted and never left out.

**Worked example.**  "I'm sorry, but I can't help with that." and "As an AI language model, I …" decline;
"Sorry to hear that, said John" and "I cannot wait to see him" do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.generation import BLOCK, Decoding, End, Generated, GenerationKey
from pcf_core.core.records import FloatArray, digest

Tokens = NDArray[np.int_]


class Generator(Protocol):
    """Writes texts behind a prompt; ``key`` is all that decides them."""

    @property
    def key(self) -> GenerationKey:
        """The key under which its texts are stored."""
        ...

    def check(self, prompt: str) -> None:
        """Refuse a prompt that cannot be gone on from, without writing: :meth:`generate` refuses the same.

        Raises
        ------
        GenerationError
            The prompt is empty, holds a special token, or is too long for the model.
        """
        ...

    def with_system(self, system: str) -> Generator:
        """Give the open model another system prompt, inside the block.

        It is a message of its own where the model takes one, else put in front of the prompt
        (:func:`~pcf_core.core.generation.in_one`).

        Raises
        ------
        ScoringError
            A server that has to be asked how it takes it cannot be reached, or refuses.
        """
        ...

    def generate(self, prompt: str, first: int, count: int, pause: Callable[[], None]) -> Generated:
        """Write the texts of the indices ``first`` to ``first + count − 1``: whole blocks of ``BLOCK``.

        ``pause`` is called often (between two tokens, or while waiting for a server); what it raises ends the
        work, and nothing is kept of it.

        Raises
        ------
        GenerationError
            The prompt is empty, or too long for the model.
        ScoringError
            The model failed: NaN, out of memory, the device or the server was lost.
        ValueError
            No whole blocks.
        """
        ...


def blocks(first: int, count: int) -> Iterator[int]:
    """Yield the first indices of the blocks that hold the indices ``first`` to ``first + count − 1``.

    Raises
    ------
    ValueError
        They are no whole blocks.
    """
    if first < 0 or count < 1 or first % BLOCK or count % BLOCK:
        raise ValueError(f"{count} texts from index {first} are no whole blocks of {BLOCK}")
    yield from range(first, first + count, BLOCK)


def stream(key: GenerationKey, prompt: str, index: int) -> np.random.Generator:
    """Return the random numbers of one text."""
    return np.random.default_rng(int(digest([key.hash, prompt, index]), 16))


def choose(logits: FloatArray, uniforms: FloatArray, decoding: Decoding) -> Tokens:
    """Draw [row] tokens by the inverse of the cumulative probabilities, in the order of the vocabulary.

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
    """Return [token] probabilities at a temperature above 0, divided by the largest: float64, 1 at most."""
    scaled = logits.astype(np.float64)
    scaled -= scaled.max()
    scaled /= temperature
    return np.asarray(np.exp(scaled, out=scaled))


def nucleus(weights: FloatArray, top_p: float) -> Tokens:
    """Return the fewest likeliest tokens that together have the share ``top_p`` or more, in order.

    Of tokens of equal probability at the edge of the set, those of the lowest numbers belong to it.

    Parameters
    ----------
    weights
        [token] their probabilities, on any scale.
    top_p
        Above 0, at most 1.
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
    """Draw one of ``tokens`` for each u of ``uniforms``: the first whose cumulative share exceeds u."""
    cumulative = weights[tokens].cumsum()
    return np.asarray(tokens[cumulative.searchsorted(uniforms * cumulative[-1], side="right")])


def end_of(text: str, stopped: bool) -> End:
    """Return how a text ended: ``stopped`` says that the model ended it, not the length."""
    if not text.strip():
        return "empty"
    return "stop" if stopped else "length"


# Texts that decline in words, told from others by how they begin.


BEFORE = (
    r"(?:(?:i(?:'m| am) (?:very |really |so )?sorry|sorry|i apologi[sz]e|unfortunately)[,.!]?\s*(?:but )?)"
)
CANNOT = r"i(?: am|'m)? (?:cannot|can't|can not|won't|will not|unable to|not able to|must decline to)"
ASKED = (
    r"(?:help|assist|comply|fulfil|fulfill|provide|write|create|generate|continue|complete|answer|engage|"
    r"support|do that|do this|discuss|make|produce|respond|say|determine|tell)"
)
OPENINGS = re.compile(
    rf"\s*[\"“]?(?:{BEFORE}?{CANNOT} {ASKED}\b|{BEFORE}?as an ai\b|i(?:'m| am) (?:just )?an ai\b|"
    r"i must (?:respectfully )?decline\b|i (?:respectfully )?decline to\b)",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Tell whether a text begins as one that declines."""
    return bool(OPENINGS.match(text.replace("’", "'")))


def count_declining(written: Generated) -> int:
    """Count the texts that decline in words; those that a server called refused are counted there."""
    return sum(
        end in ("stop", "length") and declines(text)
        for text, end in zip(written.texts, written.ends, strict=True)
    )
