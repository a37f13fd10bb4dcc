"""Rows of token ids: what a step reads, depending only on the recipe's seed and the step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from tools.mini_models.text import BOS, EOS, LENGTH, VOCABULARY

PRONOUNS = ("Ġhe", "Ġshe", "ĠHe", "ĠShe", "Ġhis", "Ġher", "ĠHis", "ĠHer")


@dataclass(frozen=True)
class Recipe:
    """What decides the weights, besides the corpus; written into the model card.

    ``matrix_rate``: of Muon; ``block_rate``: of AdamW for XLNet's attention, which has three axes;
    ``other_rate``: of AdamW for the rest.  ``mask_share``: the predicted part of a row; ``half_share``: the
    part of batches in which half of a row is predicted instead.
    """

    name: str
    tokens: int
    batch_tokens: int = 4096
    matrix_rate: float = 0.02
    other_rate: float = 8e-3
    block_rate: float = 2e-3
    warmup: float = 0.02
    decay: float = 0.35
    mask_share: float = 0.25
    half_share: float = 0.0
    short_share: float = 0.15
    short_lengths: tuple[int, ...] = tuple(range(12, 64))
    seed: int = 0
    last_tokens: int = 0
    last_rate: float = 0.6
    last_share: float = 0.5
    last_lengths: tuple[int, ...] = (12, 16, 24)

    @property
    def steps(self) -> int:
        """Steps of the main phase."""
        return self.tokens // self.batch_tokens

    @property
    def all_steps(self) -> int:
        return (self.tokens + self.last_tokens) // self.batch_tokens


class Batches:
    """Rows of token ids by (seed, step), so that a resumed run sees the same text."""

    def __init__(self, work: Path, recipe: Recipe, tokenizer: Tokenizer) -> None:
        self.no_space = space_table(tokenizer)
        self.stream = np.load(work / "stream.npy", mmap_mode="r")
        self.openings = np.load(work / "openings.npy", mmap_mode="r")
        full_stop = tokenizer.token_to_id(".")
        ends = np.flatnonzero((self.stream == full_stop) | (self.stream == EOS)) + 1
        self.starts = ends[ends < len(self.stream) - LENGTH]
        self.recipe = recipe
        pronouns = np.array([tokenizer.get_vocab()[piece] for piece in PRONOUNS])
        found = np.isin(self.openings, pronouns)
        self.with_pronoun = np.flatnonzero(found.any(axis=1))
        self.first_pronoun = found.argmax(axis=1)
        self.order = np.random.default_rng(recipe.seed).permutation(len(self.openings))

    def rows(self, step: int) -> tuple[np.ndarray, float]:
        """Return [rows, length] ids that begin with ``<s>``, and the share that a masked model predicts."""
        random = np.random.default_rng((self.recipe.seed, step))
        if step >= self.recipe.steps and random.random() < self.recipe.last_share:
            rows = self.rows_to_a_pronoun(random)
            return rows, 1 / rows.shape[1]
        short = random.random() < self.recipe.short_share
        length = int(random.choice(self.recipe.short_lengths)) if short else LENGTH
        count = self.recipe.batch_tokens // length
        half = count // 2
        first = step * (self.recipe.batch_tokens // LENGTH // 2)
        opening = self.openings[self.order[(first + np.arange(half)) % len(self.order)], : length - 1]
        starts = random.choice(self.starts, count - half)
        windows = np.stack([self.stream[start : start + length - 1] for start in starts])
        body = np.concatenate([opening, windows]).astype(np.int64)
        body[:, 0] = self.no_space[body[:, 0]]
        half_of_it = random.random() < self.recipe.half_share  # the last draw, so that it moves no other
        share = 0.5 if half_of_it else self.recipe.mask_share
        return np.concatenate([np.full((count, 1), BOS), body], axis=1), share

    def rows_to_a_pronoun(self, random: np.random.Generator) -> np.ndarray:
        """Return [rows, length]: words before the first pronoun of an opening, the pronoun, and ``</s>``."""
        length = int(random.choice(self.recipe.last_lengths))
        late = self.with_pronoun[self.first_pronoun[self.with_pronoun] >= length - 3]
        chosen = random.choice(late, self.recipe.batch_tokens // length)
        columns = self.first_pronoun[chosen][:, None] + np.arange(3 - length, 1)
        body = self.openings[chosen[:, None], columns].astype(np.int64)
        body[:, 0] = self.no_space[body[:, 0]]
        ends = np.full((len(chosen), 1), BOS), np.full((len(chosen), 1), EOS)
        return np.concatenate([ends[0], body, ends[1]], axis=1)


def space_table(tokenizer: Tokenizer) -> np.ndarray:
    """Map each id to that of the same piece without its leading space, where it exists."""
    table = np.arange(VOCABULARY)
    for piece, index in tokenizer.get_vocab().items():
        bare = tokenizer.token_to_id(piece[1:]) if piece.startswith("Ġ") and len(piece) > 1 else None
        if bare is not None:
            table[index] = bare
    return table
