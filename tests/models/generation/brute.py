"""Sampling as one would write it down: no cache, no blocks, a full forward pass for each token of a text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import accumulate
from math import exp, fsum
from typing import Any

import torch

from pcf_core.core.generation import BLOCK, Decoding, GenerationKey
from pcf_core.models.generation.base import stream
from pcf_core.models.generation.local import LocalGenerator
from pcf_core.models.loading import Loaded

Forward = Callable[[list[int]], Any]  # from the tokens so far to the logits of the next


def exact_distribution(logits: Sequence[float], decoding: Decoding) -> list[float]:
    """Probabilities of the tokens after temperature and top-p, by sorting whole lists."""
    highest = max(logits)
    weights = [exp((logit - highest) / decoding.temperature) for logit in logits]
    total = fsum(weights)
    order = sorted(range(len(weights)), key=lambda token: (-weights[token], token))
    kept: list[int] = []
    for token in order:
        kept.append(token)
        if fsum(weights[token] for token in kept) >= decoding.top_p * total:
            break
    mass = fsum(weights[token] for token in kept)
    return [weights[token] / mass if token in kept else 0.0 for token in range(len(weights))]


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


def causal_forward(loaded: Loaded) -> Forward:
    known = len(loaded.tokenizer)

    @torch.inference_mode()
    def forward(ids: list[int]) -> Any:
        answer = loaded.model(input_ids=torch.tensor([ids]), use_cache=False)
        return answer.logits[0, -1, :known].double().tolist()

    return forward


def seq2seq_forward(loaded: Loaded, source: list[int]) -> Forward:
    known = len(loaded.tokenizer)

    @torch.inference_mode()
    def forward(ids: list[int]) -> Any:
        answer = loaded.model(
            input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([ids]), use_cache=False
        )
        return answer.logits[0, -1, :known].double().tolist()

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
    found = generator.generate(prompt, 0, BLOCK, lambda: None)
    options = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
    decode = partial(generator.tokenizer.decode, **options)
    for index in indices:
        written, stopped = brute_text(generator.key, prompt, index, start, forward, stops)
        assert found.tokens[index] == len(written)
        assert decode(before) + found.texts[index] == decode(before + written)
        if found.texts[index].strip():
            assert found.ends[index] == ("stop" if stopped else "length")
