"""Tiny models that write, opened without a registry, and sampling as one would write it down.

The brute force has no cache and no blocks: a full forward pass for each token of a text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import accumulate
from math import exp, fsum
from typing import Any

import pytest
import torch

from pcf_core.core.generation import BLOCK, Decoding, GenerationKey
from pcf_core.models.generation.base import stream
from pcf_core.models.generation.local import CausalGenerator, LocalGenerator
from pcf_core.models.loading import Loaded


def key_of(family: str = "causal", chat_template: str = "", **decoding: float) -> GenerationKey:
    return GenerationKey(
        model="tiny",
        identity="tiny",
        tokenizer="tiny",
        family=family,
        rules="1",
        chat_template=chat_template,
        decoding=Decoding.model_validate({"length": 8, **decoding}),
    )


def nothing() -> None:
    """A pause in which nothing happens."""


def open_causal(loaded: Loaded, context: int = 0, **options: Any) -> CausalGenerator:
    return CausalGenerator(loaded, key_of(**options), context=context)


@pytest.fixture
def _own_folders() -> None:
    """The shipped models, where the tests of what finds models have an empty folder of them."""


Forward = Callable[[list[int]], Any]  # from the tokens so far to the logits of the next


def exact_distribution(logits: Sequence[float], decoding: Decoding) -> list[float]:
    """Probabilities of the tokens after temperature and top-p, by sorting whole lists."""
    highest = max(logits)
    weights = [exp((logit - highest) / decoding.temperature) for logit in logits]
    total = fsum(weights)
    order = sorted(range(len(weights)), key=lambda token: (-weights[token], token))
    nucleus: list[int] = []
    for token in order:
        nucleus.append(token)
        if fsum(weights[token] for token in nucleus) >= decoding.top_p * total:
            break
    mass = fsum(weights[token] for token in nucleus)
    return [weights[token] / mass if token in nucleus else 0.0 for token in range(len(weights))]


def brute_text(
    key: GenerationKey, prompt: str, index: int, start: list[int], forward: Forward, stops: Collection[int]
) -> tuple[list[int], bool]:
    """The tokens of one text, drawn with its own uniform numbers, and whether the model ended it."""
    written: list[int] = []
    for uniform in stream(key, prompt, index).random(key.decoding.length):
        logits = forward(start + written)
        if key.decoding.temperature == 0:
            token = logits.index(max(logits))
        else:
            below = accumulate(exact_distribution(logits, key.decoding))
            token = next(token for token, mass in enumerate(below) if mass > uniform)
        if token in stops:
            return written, True
        written.append(token)
    return written, False


def forward_of(loaded: Loaded, source: list[int] | None = None) -> Forward:
    """The logits of the next token by a plain forward pass; ``source``: what an encoder reads."""
    size = len(loaded.tokenizer)

    @torch.inference_mode()
    def forward(ids: list[int]) -> Any:
        texts = {"input_ids": ids} if source is None else {"input_ids": source, "decoder_input_ids": ids}
        inputs = {name: torch.tensor([text]) for name, text in texts.items()}
        logits = loaded.model(**inputs, use_cache=False).logits
        return logits[0, -1, :size].double().tolist()

    return forward


def require_brute_force(
    generator: LocalGenerator,
    prompt: str,
    start: list[int],
    forward: Forward,
    stops: Collection[int],
    before: list[int],
    indices: range,
) -> None:
    """Tokens, texts and ends of some texts of the first block; each is a continuation of ``before``."""
    texts = generator.generate(prompt, 0, BLOCK, nothing)
    options = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
    decode = partial(generator.tokenizer.decode, **options)
    for index in indices:
        written, stopped = brute_text(generator.key, prompt, index, start, forward, stops)
        assert texts.tokens[index] == len(written)
        assert decode(before) + texts.texts[index] == decode(before + written)
        if texts.texts[index].strip():
            assert texts.ends[index] == ("stop" if stopped else "length")
