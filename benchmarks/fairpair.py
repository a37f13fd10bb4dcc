"""Measure what folds save: B, V and F of 500 pairs in k folds of m take n·m values of Φ(u, z) instead of n².

Three Φ: one called pair by pair, like a model that judges pairs; Jaccard as shipped, a product of sparse
matrices; the sentiment, with cached scores.  Texts are words drawn by Zipf's law, alike on both sides, so
that F is 1 up to chance.  Then a report of 20 prompts with tests, intervals and word differences.  Last a
whole job by stage: writing is measured on a few texts and scaled; perturbing and measuring use all texts,
from a fake whose every text has a pronoun and is parsed twice.

    python -m benchmarks.fairpair --samples 500 --prompts 20
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.fakes import FakeGenerator
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ModelSpec
from pcf_core.models.generation.base import open_generator as open_real_generator
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.dissimilarity import Dissimilarity, Jaccard, Sentiment
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.metric import FOLD, fold_matrices, variation_of
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import load_prompts
from pcf_core.texts.fairpair.records import PromptPairs
from pcf_core.texts.fairpair.report import fairpair_report
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.texts.fairpair.words import word_report
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked
from pcf_core.work.jobs import OpenGenerator
from pcf_core.work.pairing import run_fairpair

VOCABULARY, LENGTH = 3000, 30
SENTIMENTS = ("good", "bad", "happy", "sad", "great", "awful", "kind", "poor", "calm", "lost")


class PairByPair:
    """Jaccard by its definition; ``asked`` counts computed values."""

    name = "pair by pair"

    def __init__(self) -> None:
        self.asked = 0

    def matrix(self, first: Sequence[str], second: Sequence[str]) -> FloatArray:
        left, right = ([set(word_tokens(text)) for text in texts] for texts in (first, second))
        self.asked += len(left) * len(right)
        return np.array([[1 - len(a & b) / len(a | b) for b in right] for a in left])


def pairs_of(prompts: int, samples: int) -> list[PromptPairs]:
    """Return prompts whose two sides are drawn alike."""
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


def job_seconds(
    model: str, prompts: int, samples: int, open_generator: OpenGenerator = open_real_generator
) -> dict[str, float]:
    """Return seconds by stage of a whole job in an empty store, with prompts of the shipped set."""
    shipped = load_prompts("common-sents-1")
    chosen = shipped.model_copy(update={"prompts": shipped.prompts[:prompts]})
    key = GenerationKey.of(resolve(model), Decoding())
    table = load_table("gender")
    asked = fairpair_asked(key, chosen, table, FairPairOptions(count=samples))
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder))
        FAIRPAIR_AUDIT.keep(store, asked, FairPairMaterial(chosen, table))
        found, _ = run_fairpair(asked, store, open_generator)
    return dict(found.provenance["seconds"])


def open_fake(spec: ModelSpec, decoding: Decoding) -> FakeGenerator:
    """Return a fake generator: texts with a pronoun whose counterpart depends on its part of speech."""
    words = pairs_of(1, 500)[0].perturbed_original
    said = {f" said that he gave her {text} and his book.": 1 / len(words) for text in words}
    return FakeGenerator(said, key=GenerationKey.of(spec, decoding))


def whole_job(model: str, prompts: int, samples: int, written: int) -> dict[str, float]:
    """Return seconds by stage; only ``written`` texts of one prompt are written, and scaled."""
    seconds = job_seconds(model, prompts, samples, open_fake)
    pace = job_seconds(model, 1, written)["writing"] / (2 * written)
    return {**seconds, "writing": pace * prompts * 2 * samples}


def main(
    samples: Annotated[int, typer.Option(help="texts a side")] = 500,
    prompts: Annotated[int, typer.Option(help="prompts of the report")] = 20,
    written: Annotated[int, typer.Option(help="pairs that the model writes, to be scaled")] = 100,
    model: Annotated[str, typer.Option(help="whose whole job is measured")] = "mini-gpt",
) -> None:
    """Print the tables."""
    pairs = pairs_of(prompts, samples)
    pair = pairs[0]
    typer.echo(f"{'Φ':<20}{'folds':>7}{'Φ(u, z)':>12}{'seconds':>10}{'B':>9}{'F':>9}")
    slow = PairByPair()
    phis: list[Dissimilarity] = [slow, Jaccard(), Sentiment()]
    for phi in phis:
        phi.matrix(pair.perturbed_original[:2], pair.perturbed_prompt[:2])  # warm-up of imports
        for folds in (max(1, samples // FOLD), max(1, samples // (4 * FOLD)), 1):
            begun = time.perf_counter()
            found = variation_of(fold_matrices(pair.perturbed_original, pair.perturbed_prompt, phi, folds))
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
    typer.echo(f"\n{f'job of {model}, {prompts} × {samples} pairs':<40}{'seconds':>10}")
    for stage, seconds in whole_job(model, prompts, samples, written).items():
        typer.echo(f"{stage:<40}{seconds:>10.1f}")


if __name__ == "__main__":
    typer.run(main)
