"""The seam that every scorer implements, and the arithmetic that they share.  No torch here.

===============  =====================  ================================================
``prompts``      [prompt] str           each with exactly one ``[Y]``
``words``        [word] str             words that :meth:`Scorer.check` accepts
values           [prompt, word] float32 natural log of a probability (nats), at most 0
===============  =====================  ================================================
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcf_core.errors import ModelError, OutOfMemoryError, ScoringError, TemplateError
from pcf_core.records import FloatArray, ScoringKey, TokenTable
from pcf_core.settings import settings
from pcf_core.topics.text import listed

GAP = "[Y]"
LOGITS = 2**26  # float32 logits held at once
MOST_NAMED = 5  # words in a sentence
Batch = tuple[NDArray[np.int_], FloatArray]


def split_prompt(prompt: str) -> tuple[str, str]:
    """The texts left and right of ``[Y]``; white space at the very end of the prompt is not text.

    Raises:
        TemplateError: the prompt has no ``[Y]``, or more than one.
    """
    if prompt.count(GAP) != 1:
        raise TemplateError(
            f"The prompt {quoted(prompt)} must contain exactly one {GAP}, the place of the word; it has "
            f"{prompt.count(GAP)}."
        )
    left, right = prompt.split(GAP)
    return left, right.rstrip()


def quoted(prompt: str) -> str:
    """A prompt as messages quote it: a long one without its middle."""
    return repr(prompt if len(prompt) <= 120 else f"{prompt[:70]} … {prompt[-40:]}")


def refused_words(refused: Mapping[str, str]) -> str:
    """Words and why a model cannot score them, for a sentence: the first few, and how many more there are.

    Args:
        refused: word -> reason.
    """
    words: dict[str, list[str]] = {}
    for word, reason in list(refused.items())[:MOST_NAMED]:
        words.setdefault(reason, []).append(repr(word))
    parts = [f"{listed(some)}: {reason}" for reason, some in words.items()]
    more = len(refused) - MOST_NAMED
    return "; ".join([*parts, f"and {more:,} more"] if more > 0 else parts)


def has_right_text(prompt: str) -> bool:
    """Whether text follows ``[Y]``: a causal model then scores it together with the word."""
    return bool(split_prompt(prompt)[1])


class Scorer(abc.ABC):
    """Gives the log-probability of words at ``[Y]``; what quantity exactly, the family's docstring says.

    ``key`` is all that decides a number.  ``batch_tokens`` bounds the tokens of one forward pass and changes
    no number beyond the rounding of the model's own logits: with the mini models in float32, a cell scored
    alone and in a batch of 256 prompts agree within 1e-5 nats, or within four units of float32's last place
    (5e-7 of the value) where that is more: below −20 nats, where a word or the text behind it is long.
    """

    key: ScoringKey

    def __init__(self, key: ScoringKey, batch_tokens: int | None = None) -> None:
        self.key = key
        self.batch_tokens = batch_tokens or settings().batch_tokens

    @abc.abstractmethod
    def check(self, words: Sequence[str]) -> TokenTable:
        """Tokens of each word as it stands after a space, and the words refused, with the reason."""

    @abc.abstractmethod
    def _score_batches(self, prompts: Sequence[str], words: Sequence[str]) -> Iterator[Batch]:
        """The batches of :meth:`batches`, for prompts and words that were checked."""

    def batches(self, prompts: Sequence[str], words: Sequence[str]) -> Iterator[Batch]:
        """Yield (row indices [n], nats float32 [n, word]) until every prompt has had its row exactly once.

        The order and the size of batches are a function of the prompts and words alone.  The caller may stop
        between two batches.

        Raises:
            TemplateError: a prompt without exactly one ``[Y]``, with a special token of the tokenizer, or
                longer than the model's context.
            ModelError: a word that :meth:`check` refuses.
            ScoringError: NaN, out of memory.
        """
        for prompt in prompts:
            split_prompt(prompt)
        refused = self.check(words).refused
        if refused:
            raise ModelError(
                f"The model {self.key.model} cannot score these words ({refused_words(refused)}); leave them "
                "out."
            )
        if not words:
            raise ModelError(f"No words were given to score with {self.key.model}; give at least one.")
        return self._finite(prompts, words)

    @property
    def traits(self) -> dict[str, str]:
        """What the scorer does that a reader of its numbers may ask for: name to sentence."""
        return {}

    def alone(self, prompt: str, word: str) -> float:
        """Nats of one word in one prompt with nothing batched and nothing shared: a second reading."""
        return float(self.score([prompt], [word])[0, 0])

    def score(self, prompts: Sequence[str], words: Sequence[str]) -> FloatArray:
        """[prompt, word] nats, float32: all batches of :meth:`batches` in the order of the prompts."""
        values = np.full((len(prompts), len(words)), np.nan, dtype=np.float32)
        for rows, nats in self.batches(prompts, words):
            values[rows] = nats
        return values

    def _finite(self, prompts: Sequence[str], words: Sequence[str]) -> Iterator[Batch]:
        for rows, nats in self._score_batches(prompts, words):
            bad = np.argwhere(np.isnan(nats))
            if len(bad):
                row, word = bad[0]
                raise ScoringError(
                    f"The model {self.key.model} gave NaN for {words[word]!r} in "
                    f"{quoted(prompts[rows[row]])}: its weights are damaged or {self.key.dtype} is too "
                    "narrow; check them, or use float32."
                )
            yield rows, nats.astype(np.float32)


def check_context(key: ScoringKey, context: int, lengths: Sequence[int], prompts: Sequence[str]) -> None:
    """Refuse the first prompt that needs more than ``context`` tokens (0: unlimited)."""
    for length, prompt in zip(lengths, prompts, strict=True):
        if context and length > context:
            raise TemplateError(
                f"The prompt {quoted(prompt)} needs {length} tokens with its longest word, but the context "
                f"of {key.model} holds {context}; shorten the prompt or take a model with a longer context."
            )


def log_normaliser(logits: Any) -> Any:
    """[…] float64 on the CPU: log Σ exp over the last axis of a tensor of float32 logits […, vocabulary].

    The device, which may lack float64, only sums exp(logit − highest): one rounding near 1e-7 whatever the
    size of the logits, where log Σ exp itself in float32 would be rounded at the size of its value.
    """
    highest = logits.amax(dim=-1, keepdim=True)
    spread = (logits - highest).exp_().sum(dim=-1)
    return highest.squeeze(-1).cpu().double() + spread.cpu().double().log()


def plan(lengths: Sequence[int], costs: Sequence[int], budget: int) -> list[list[int]]:
    """Blocks of rows of one length, longest first, whose costs add up to at most ``budget`` (or one row).

    Rows of one forward pass always have equal length, so there is no padding whose side, mask or token could
    be wrong, and a row's numbers cannot depend on its neighbours.
    """
    blocks: list[list[int]] = []
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    for _, group in groupby(order, key=lambda row: lengths[row]):
        block: list[int] = []
        spent = 0
        for row in group:
            if block and spent + costs[row] > budget:
                blocks.append(block)
                block, spent = [], 0
            block.append(row)
            spent += costs[row]
        blocks.append(block)
    return blocks


def row_cost(tokens: int, positions: int, vocabulary: int, budget: int) -> int:
    """Cost of a row for :func:`plan`: its tokens, or more where its logits would fill 256 MB first."""
    return max(tokens, -(-budget * positions * vocabulary // LOGITS))


def out_of_memory(key: ScoringKey, batch_tokens: int) -> OutOfMemoryError:
    """The refusal for a batch that did not fit."""
    return OutOfMemoryError(
        f"The model {key.model} ran out of memory with {batch_tokens} tokens a batch: free memory on its "
        "device, take a narrower dtype, or set PCF_BATCH_TOKENS to half of it."
    )
