"""Draw the next token of all texts of a pass at once.

============  ===========================  =================================================
``logits``    [row, vocabulary] float32    on the CPU; one row per text, or one for all
``uniforms``  [row] float64 in [0, 1)      from each text's own stream
``weights``   float64                      probabilities, each divided by the row's largest
============  ===========================  =================================================

**Worked example.**  Logits log 5, log 3, log 2 at temperature 1 give 0.5, 0.3, 0.2.  With top-p 0.7 the
smallest set of likeliest tokens with at least 0.7 is the first two, which get 0.625 and 0.375.  The
cumulative probabilities in the order of the vocabulary are 0.625 and 1: u = 0.6 draws the first token, u =
0.7 the second.

**Speed.**  Passes over the whole vocabulary are done in float32.  A softmax finds the tokens that may belong
to a row's nucleus (:func:`candidates`); their float64 weights are added up by size, and only those of the
last size are sorted (:func:`in_nucleus`).  A few rows at a time are processed, on one :class:`Sheet` in a
core's caches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from pcf_core.core.generation import Decoding
from pcf_core.core.records import FloatArray

Tokens = NDArray[np.int_]

AT_ONCE = 2**19  # logits whose weights fit into a core's caches
SHARES = (2.0**-14, 2.0**-11, 2.0**-8)  # of tokens that may be outside the nucleus
MARGIN = 1e-4  # more than the error of float32 sums
COLDEST = 1e-30  # the lowest temperature for float32
LEFT_OUT = (
    48  # last bits of a weight that its size ignores: weights of one size differ by at most a sixteenth
)
LARGEST = int(np.float64(1).view(np.int64)) >> LEFT_OUT


@dataclass(frozen=True)
class Sheet:
    """Memory [row, vocabulary] for intermediate results, reused for the next rows."""

    shares: torch.Tensor
    above: NDArray[np.bool_]

    @classmethod
    def for_some(cls, logits: torch.Tensor, rows: int) -> Sheet:
        """Return an empty sheet for this many rows."""
        words = logits.shape[1]
        return cls(logits.new_empty(rows, words), np.empty((rows, words), dtype=np.bool_))

    def top(self, rows: int) -> Sheet:
        """Return its first rows."""
        return Sheet(self.shares[:rows], self.above[:rows])


@dataclass(frozen=True)
class Candidates:
    """[candidate] tokens of several rows, in order of rows and vocabulary, at least one each.

    ``total``: [row] the weights of the whole vocabulary.
    """

    rows: Tokens
    tokens: Tokens
    weights: FloatArray
    total: FloatArray


def choose(logits: torch.Tensor, uniforms: FloatArray, decoding: Decoding) -> Tokens:
    """Draw [row] tokens by the inverse of the cumulative probabilities, in the order of the vocabulary.

    ``logits`` may have one row for all.  At temperature 0 the first of the likeliest tokens is taken.
    """
    if decoding.temperature == 0:
        return np.broadcast_to(logits.numpy().argmax(axis=1), len(uniforms))
    logits = logits.expand(len(uniforms), -1)
    some = min(max(1, AT_ONCE // logits.shape[1]), len(uniforms))
    drawn = np.empty(len(uniforms), dtype=np.int_)
    sheet = Sheet.for_some(logits, some)
    for start in range(0, len(uniforms), some):
        rows = slice(start, start + some)
        if decoding.top_p == 1:
            scores = logits[rows].numpy()
            weights = _weights(scores, scores.max(axis=1, keepdims=True), decoding)
            drawn[rows] = draw(weights, uniforms[rows])
        else:
            likely = candidates(logits[rows], decoding, sheet)
            weights = in_nucleus(likely.rows, likely.weights, decoding.top_p * likely.total)
            inside = np.flatnonzero(weights > 0)
            drawn[rows] = likely.tokens[
                inside[draw_each(likely.rows[inside], weights[inside], uniforms[rows])]
            ]
    return drawn


def candidates(logits: torch.Tensor, decoding: Decoding, sheet: Sheet | None = None) -> Candidates:
    """Find the tokens that a row's nucleus may contain, at a temperature above 0 and a top-p below 1.

    Tokens below half of (1 − top-p) / vocabulary have less than 1 − top-p together, so no nucleus needs them;
    nor those below one of ``SHARES`` if the others have more than top-p.  They count only for the total, in
    float32.  ``sheet``: overwritten; at least as many rows.
    """
    sheet = (sheet or Sheet.for_some(logits, len(logits))).top(len(logits))
    scaled = logits
    if decoding.temperature != 1:
        scaled = (logits - logits.amax(dim=1, keepdim=True)) / max(decoding.temperature, COLDEST)
    shares = torch.softmax(scaled, dim=1, out=sheet.shares).numpy()
    places, rows = _likely(shares, sheet.above, decoding.top_p)
    begins = rows.searchsorted(np.arange(len(shares)))
    scores, portions = np.ascontiguousarray(logits.numpy()).ravel().take(places), shares.ravel().take(places)
    weights = _weights(scores, np.maximum.reduceat(scores, begins)[rows], decoding)
    left = shares.sum(axis=1) - np.add.reduceat(portions, begins, dtype=np.float64)
    total = np.add.reduceat(weights, begins) + left / np.maximum.reduceat(portions, begins)
    return Candidates(rows, places - rows * shares.shape[1], weights, total)


def _likely(shares: FloatArray, above: NDArray[np.bool_], top_p: float) -> tuple[Tokens, Tokens]:
    """Return [candidate] indices into the flat ``shares``, and their rows; ``above``: overwritten.

    All tokens are compared with the first of ``SHARES``, and again only where those above it have too little.
    """
    count, words = shares.shape
    lowest, enough = np.float32((1 - top_p) / 2 / words), top_p + MARGIN
    least = np.full(count, max(lowest, np.float32(SHARES[0])))
    while True:
        positions = np.flatnonzero(np.greater_equal(shares, least[:, None], out=above))
        rows, portions = positions // words, shares.ravel().take(positions)
        begins = rows.searchsorted(np.arange(count))
        filled = np.diff(begins, append=len(rows)) > 0
        mass = np.add.reduceat(np.append(portions, np.float32(0)), begins) * filled
        lacking = (mass <= enough) & (least > lowest)
        if not lacking.any():
            break
        least[lacking] = lowest
    for share in SHARES[1:]:
        mass = np.add.reduceat(portions * (portions >= share), begins)
        least = np.where(mass > enough, least.clip(min=share), least)
    likely = np.flatnonzero(portions >= least[rows])
    return positions[likely], rows[likely]


def _weights(logits: FloatArray, highest: FloatArray, decoding: Decoding) -> FloatArray:
    scaled = logits.astype(np.float64)
    scaled -= highest
    scaled /= decoding.temperature
    return np.asarray(np.exp(scaled, out=scaled))


def in_nucleus(rows: Tokens, weights: FloatArray, mass: FloatArray) -> FloatArray:
    """Return [candidate] weights, 0 outside their row's nucleus; see :func:`nucleus`.

    Weights of one size share their leading bits.  Whole sizes are taken, the largest first, until the next
    would reach the mass; of that one, the likeliest tokens.  ``rows``, ``weights``: [candidate] in the order
    of the rows; weights are at most 1.  ``mass``: [row].
    """
    sizes = LARGEST - (weights.view(np.int64) >> LEFT_OUT)
    most = int(sizes.max()) + 1
    sums = np.bincount(rows * most + sizes, weights, len(mass) * most).reshape(-1, most).cumsum(axis=1)
    last = (sums < mass[:, None]).sum(axis=1)
    before = np.where(last > 0, sums[np.arange(len(mass)), last - 1], 0.0)
    inside: FloatArray = (sizes < last[rows]) * weights
    split = np.flatnonzero(sizes == last[rows])
    table, places = padded(rows[split], weights[split], len(mass))
    inside[split] = nucleus(table, mass - before)[rows[split], places]
    return inside


def padded(rows: Tokens, weights: FloatArray, count: int) -> tuple[FloatArray, Tokens]:
    """Return [row, place] weights of ``count`` rows, filled with 0; and the [weight] places."""
    counts = np.bincount(rows, minlength=count)
    places = np.arange(len(rows)) - (counts.cumsum() - counts)[rows]
    table = np.zeros((count, max(1, counts.max())))
    table[rows, places] = weights
    return table, places


def nucleus(weights: FloatArray, mass: FloatArray) -> FloatArray:
    """Return the weights of the fewest likeliest tokens that together have at least the mass, 0 for others.

    Of equal weights at the edge, the first belong to it.  ``weights``: [row, token] on any scale.  ``mass``:
    [row] at most the sum of the row; if rounding puts it above, all tokens are taken.
    """
    descending = -np.sort(-weights, axis=1)
    size = (descending.cumsum(axis=1) < mass[:, None]).sum(axis=1, keepdims=True)
    edge = np.take_along_axis(descending, np.minimum(size, weights.shape[1] - 1), axis=1)
    spare = (descending >= edge).sum(axis=1, keepdims=True) - size - 1  # equal to the edge, but not needed
    inside = (weights >= edge) * weights
    for row in np.flatnonzero((spare > 0) & (edge > 0)):
        equal = np.flatnonzero(weights[row] == edge[row])
        inside[row, equal[len(equal) - spare[row, 0] :]] = 0.0
    return inside


def draw_each(rows: Tokens, weights: FloatArray, uniforms: FloatArray) -> Tokens:
    """Draw [row] indices into ``weights``, like :func:`draw` without a padded table.

    ``rows``, ``weights``: [weight] in the order of the rows, at least one each.
    """
    ends = np.bincount(rows, minlength=len(uniforms)).cumsum().tolist()
    drawn, begin = [], 0
    for end, uniform in zip(ends, uniforms.tolist(), strict=True):
        cumulative = weights[begin:end].cumsum()
        drawn.append(begin + cumulative.searchsorted(uniform * cumulative[-1], side="right"))
        begin = end
    return np.array(drawn)


def draw(weights: FloatArray, uniforms: FloatArray) -> Tokens:
    """Draw [row] the first index whose cumulative share exceeds u, for each u of ``uniforms``."""
    cumulative = weights.cumsum(axis=1)
    return np.asarray((cumulative > (uniforms * cumulative[:, -1])[:, None]).argmax(axis=1))
