"""The seam that every generator implements, and the draw of a token that local ones share.  No torch here.

============  ===========================  =================================================
``logits``    [row, vocabulary] float32    one row per text, or one for all
``uniforms``  [row] float64 in [0, 1)      of each text's own stream
``weights``   [row, candidate] float64     probabilities, each divided by the row's largest
============  ===========================  =================================================

**A text is a function of (generation key, prompt, index).**  Its uniform numbers come from a stream of its
own, and no row of a forward pass depends on its neighbours (:mod:`pcf_core.models.generation.local`).  So a
local model writes the same texts with whatever others, in whatever order, after whatever interruption.

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

import abc
import re
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.generation import Decoding, End, Generated, GenerationKey, MissingTexts, joined, parts
from pcf_core.core.records import FloatArray, digest

Tokens = NDArray[np.int_]

AT_ONCE = 2**18  # logits whose weights stay in a core's own cache
RARE = (1e-5, 1e-4, 1e-3)  # probabilities of tokens that a nucleus may be found without
MARGIN = 1e-4  # more than float32 sums are wrong by
COLDEST = 1e-30  # temperature that float32 can divide logits by


class Generator(abc.ABC):
    """Writes texts behind prompts; ``key`` is all that decides them."""

    key: GenerationKey

    @abc.abstractmethod
    def check(self, prompt: str) -> None:
        """Refuse a prompt that cannot be gone on from, without writing: :meth:`write` refuses the same.

        Raises
        ------
        GenerationError
            The prompt is empty, holds a special token, or is too long for the model.
        """

    @abc.abstractmethod
    def with_system(self, system: str) -> Self:
        """Give the open model another system prompt, inside the block.

        It is a message of its own where the model takes one, else put in front of the prompt
        (:func:`~pcf_core.core.generation.in_one`).

        Raises
        ------
        ScoringError
            A server that has to be asked how it takes it cannot be reached, or refuses.
        """

    def batches(self, wanted: Sequence[MissingTexts]) -> list[list[MissingTexts]]:
        """Say which of these parts of blocks are best written together: here each by itself."""
        return [[part] for part in wanted]

    @abc.abstractmethod
    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """Write the texts of some of a batch that :meth:`batches` made, a record for each part.

        ``pause`` is called often (between two tokens, or while waiting for a server); what it raises ends the
        work, and nothing is kept of it.

        Raises
        ------
        GenerationError
            A prompt is empty, or too long for the model.
        ScoringError
            The model failed: NaN, out of memory, the device or the server was lost.
        """

    def generate(self, prompt: str, first: int, count: int, pause: Callable[[], None]) -> Generated:
        """Write the texts of one prompt, those of the indices ``first`` to ``first + count − 1``."""
        batches = self.batches(list(parts(prompt, first, count)))
        return joined([texts for batch in batches for texts in self.write(batch, pause)])


def packed(wanted: Sequence[MissingTexts], most: int) -> list[list[MissingTexts]]:
    """Put parts of blocks together, in their order, to batches of ``most`` texts; a larger part is one."""
    batches: list[list[MissingTexts]] = []
    filled = most
    for part in wanted:
        if filled + part.count > most:
            batches.append([])
            filled = 0
        batches[-1].append(part)
        filled += part.count
    return batches


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
    logits = np.broadcast_to(logits, (len(uniforms), logits.shape[1]))
    some = max(1, AT_ONCE // logits.shape[1])
    drawn = np.empty(len(uniforms), dtype=np.int_)
    for start in range(0, len(uniforms), some):
        rows = slice(start, start + some)
        tokens, weights, total = candidates(logits[rows], decoding)
        kept = nucleus(weights, decoding.top_p * total) if decoding.top_p < 1 else weights
        places = draw(kept, uniforms[rows])
        drawn[rows] = places if tokens is None else tokens[np.arange(len(places)), places]
    return drawn


def candidates(logits: FloatArray, decoding: Decoding) -> tuple[Tokens | None, FloatArray, FloatArray]:
    """Find the tokens that a row's nucleus may hold, at a temperature above 0.

    Tokens below half of (1 − top-p) / vocabulary have less than 1 − top-p together, so that no nucleus needs
    them; nor those below a share of ``RARE`` where the others have more than top-p.  They count for the total
    alone, where their float32 is enough.

    Returns
    -------
    tuple
        [row, candidate] tokens in order, ``None`` where all are; [row, candidate] their weights, 0 behind a
        row's last; [row] the sum of the weights of all tokens.
    """
    highest = logits.max(axis=1, keepdims=True)
    if decoding.top_p == 1:
        weights = _weights(logits, highest, decoding)
        return None, weights, weights.sum(axis=1)
    rough = logits - highest
    rough /= np.float32(max(decoding.temperature, COLDEST))
    np.exp(rough, out=rough)
    total = rough.sum(axis=1, dtype=np.float64)
    least = ((1 - decoding.top_p) / 2 * total / logits.shape[1]).astype(np.float32)
    for share in RARE:
        limit = (share * total).astype(np.float32)
        mass = ((rough >= limit[:, None]) * rough).sum(axis=1)  # many times as fast as np.where
        least = np.where(mass > (decoding.top_p + MARGIN) * total, np.maximum(limit, least), least)
    rows, columns = np.divmod(np.flatnonzero(rough >= least[:, None]), logits.shape[1])
    counts = np.bincount(rows, minlength=len(logits))
    places = np.arange(len(rows)) - (counts.cumsum() - counts)[rows]
    tokens = np.zeros((len(logits), counts.max()), dtype=np.int_)
    weights = np.zeros(tokens.shape)
    tokens[rows, places] = columns
    exact = _weights(logits[rows, columns], highest[rows, 0], decoding)
    weights[rows, places] = exact
    total += np.bincount(rows, exact - rough[rows, columns], minlength=len(logits))
    return tokens, weights, total


def _weights(logits: FloatArray, highest: FloatArray, decoding: Decoding) -> FloatArray:
    """Return probabilities divided by that of the highest logit: float64, 1 at most."""
    scaled = logits.astype(np.float64)
    scaled -= highest
    scaled /= decoding.temperature
    return np.asarray(np.exp(scaled, out=scaled))


def nucleus(weights: FloatArray, mass: FloatArray) -> FloatArray:
    """Return the weights of the fewest likeliest tokens that together have the mass or more, 0 for others.

    Of tokens of equal weight at the edge of the set, the first belong to it.

    Parameters
    ----------
    weights
        [row, token] on any scale, 0 where there is no token.
    mass
        [row] at most the sum of the row; where rounding puts it above, all tokens are taken.
    """
    descending = -np.sort(-weights, axis=1)
    size = (descending.cumsum(axis=1) < mass[:, None]).sum(axis=1, keepdims=True)
    edge = np.take_along_axis(descending, np.minimum(size, weights.shape[1] - 1), axis=1)
    spare = (descending >= edge).sum(axis=1, keepdims=True) - size - 1  # equal to the edge, and not needed
    kept = (weights >= edge) * weights
    for row in np.flatnonzero((spare > 0) & (edge > 0)):
        equal = np.flatnonzero(weights[row] == edge[row])
        kept[row, equal[len(equal) - spare[row, 0] :]] = 0.0
    return kept


def draw(weights: FloatArray, uniforms: FloatArray) -> Tokens:
    """Draw [row] places, one for each u of ``uniforms``: the first whose cumulative share exceeds u."""
    cumulative = weights.cumsum(axis=1)
    return np.asarray((cumulative <= (uniforms * cumulative[:, -1])[:, None]).sum(axis=1))


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
