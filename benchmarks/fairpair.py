"""What folds save: B, V and F of 500 pairs in k folds of m, which take n·m values of Φ(u, z), against n².

Three Φ: one that is asked pair by pair, as a model that judges pairs would be; Jaccard as it is, a product of
sparse matrices; the sentiment, whose scores are remembered from its first line on.  Texts are words drawn by
Zipf's law, the same on both sides, so that F is 1 but for chance.  Then what a report takes: 20 prompts with
tests and intervals, and word differences.

    python -m benchmarks.fairpair --samples 500 --prompts 20
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated

import numpy as np
import typer

from pcf_core.fairpair.dissimilarity import Dissimilarity, Jaccard, Sentiment
from pcf_core.fairpair.metric import FOLD, variation
from pcf_core.fairpair.report import fairpair_report
from pcf_core.fairpair.tokens import word_tokens
from pcf_core.fairpair.words import word_report
from pcf_core.records import FloatArray
from pcf_core.records.fairpair import PromptPairs

VOCABULARY, LENGTH = 3000, 30
SENTIMENTS = ("good", "bad", "happy", "sad", "great", "awful", "kind", "poor", "calm", "lost")


class PairByPair:
    """Jaccard from its definition; ``asked`` counts the values that were computed."""

    name = "pair by pair"

    def __init__(self) -> None:
        self.asked = 0

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        """[len(first), len(second)], each pair by itself."""
        left, right = ([set(word_tokens(text)) for text in texts] for texts in (first, second))
        self.asked += len(left) * len(right)
        return np.array([[1 - len(a & b) / len(a | b) for b in right] for a in left])


def pairs_of(prompts: int, samples: int) -> list[PromptPairs]:
    """Prompts whose two sides are drawn alike."""
    generator = np.random.default_rng(0)
    words = np.array([*SENTIMENTS, *(f"w{place}" for place in range(VOCABULARY - len(SENTIMENTS)))])
    shares = 1 / np.arange(1, VOCABULARY + 1)
    generator.shuffle(words)
    drawn = generator.choice(words, (prompts, 2 * samples, LENGTH), p=shares / shares.sum())
    texts = [[" ".join(text) for text in side] for side in drawn]
    return [
        PromptPairs(f"prompt {place}", tuple(side[:samples]), tuple(side[samples:]))
        for place, side in enumerate(texts)
    ]


def main(
    samples: Annotated[int, typer.Option(help="texts a side")] = 500,
    prompts: Annotated[int, typer.Option(help="prompts of the report")] = 20,
) -> None:
    """Print the tables."""
    pairs = pairs_of(prompts, samples)
    pair = pairs[0]
    typer.echo(f"{'Φ':<20}{'folds':>7}{'Φ(u, z)':>12}{'seconds':>10}{'B':>9}{'F':>9}")
    slow = PairByPair()
    phis: list[Dissimilarity] = [slow, Jaccard(), Sentiment()]
    for phi in phis:
        phi.matrix(pair.perturbed_original[:2], pair.perturbed_prompt[:2])  # imports come before
        for folds in (max(1, samples // FOLD), max(1, samples // (4 * FOLD)), 1):
            begun = time.perf_counter()
            found = variation(pair.perturbed_original, pair.perturbed_prompt, phi, folds)
            seconds = time.perf_counter() - begun
            ratio = "none" if found.ratio is None else f"{found.ratio:.4f}"
            typer.echo(
                f"{phi.name:<20}{folds:>7}{samples**2 // folds:>12,}{seconds:>10.3f}{found.between:>9.4f}"
                f"{ratio:>9}"
            )
    typer.echo(f"\n{f'{prompts} prompts × {samples} pairs':<40}{'seconds':>10}")
    for size in (None, FOLD):
        begun = time.perf_counter()
        fairpair_report(pairs, Jaccard(), model="same", original="John", counterpart="Jane", fold_size=size)
        name = f"report, Jaccard, {'one fold' if size is None else f'folds of {size}'}"
        typer.echo(f"{name:<40}{time.perf_counter() - begun:>10.2f}")
    begun = time.perf_counter()
    report = word_report(pairs, original="John", counterpart="Jane")
    typer.echo(f"{f'words, {report.tested:,} phrases':<40}{time.perf_counter() - begun:>10.2f}")


if __name__ == "__main__":
    typer.run(main)
