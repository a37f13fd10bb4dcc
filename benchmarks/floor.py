"""The least that scoring needs: FLOPs at the measured rate of a matrix product, and peak memory."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psutil
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks.peer import CLOCKS
from benchmarks.sides import beginning, word_ids
from pcf_core.core.families import Family
from pcf_core.models.loading import TYPES, Loaded

GAP = "[Y]"
PACKED = torch.ops.mkldnn._linear_pointwise
PRODUCTS = (torch.ops.aten.mm, torch.ops.aten.addmm, torch.ops.aten.bmm)


def gemm_rate(dtype: str, device: str, seconds: float = 0.3, clock: str = "wall") -> float:
    """Measure FLOPs per second of a linear layer shaped like the models' largest, with 2,048 tokens."""
    now = CLOCKS[clock]
    tokens = torch.randn(2048, 768).to(device, TYPES[dtype])
    weights = torch.randn(3072, 768).to(device, TYPES[dtype])
    repeats = 1 if device == "cpu" else 200
    rates = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        wait(device)
        begun = now()
        for _ in range(repeats):
            torch.nn.functional.linear(tokens, weights)
        wait(device)
        rates.append(repeats * 2 * 2048 * 768 * 3072 / (now() - begun))
    return float(np.median(rates))


class Products(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Records the matrix products with a model's weights on a CPU while entered.

    ``flops`` is their total; they can be repeated alone, as if all other work were free.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.flops = 0.0
        self._calls: list[tuple[Any, list[Any]]] = []
        self._weights = {part.untyped_storage().data_ptr() for part in model.parameters()}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with self:  # operations that consist of others, as a linear layer does
            found = func.decompose(*args, **(kwargs or {}))
        if found is not NotImplemented:
            return found
        found = func(*args, **(kwargs or {}))
        packed = func.overloadpacket is PACKED
        if packed or (func.overloadpacket in PRODUCTS and any(map(self._is_weight, args[-2:]))):
            self.flops += 2.0 * found.numel() * args[0 if packed else -2].shape[-1]
            self._calls.append((func, [part if self._is_kept(part) else _laid(part) for part in args]))
        return found

    def _is_weight(self, part: torch.Tensor) -> bool:
        return part.untyped_storage().data_ptr() in self._weights

    def _is_kept(self, part: Any) -> bool:
        return not isinstance(part, torch.Tensor) or part.is_mkldnn or self._is_weight(part)

    @torch.inference_mode()
    def bare_rate(self, clock: str, repeats: int = 3) -> float:
        """Measure FLOPs per second of the recorded products alone, in their shapes and order."""
        seconds = []
        for _ in range(repeats):
            spent = 0.0
            for func, kept in self._calls:
                parts = [_ones(*part) if isinstance(part, tuple) else part for part in kept]
                begun = CLOCKS[clock]()
                func(*parts)
                spent += CLOCKS[clock]() - begun
            seconds.append(spent)
        return self.flops / float(np.median(seconds))


def _laid(part: torch.Tensor) -> tuple[Sequence[int], Sequence[int]]:
    return part.shape, part.stride()


def _ones(shape: Sequence[int], strides: Sequence[int]) -> torch.Tensor:
    """Return a tensor of ones with this shape and these strides."""
    last = sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
    return torch.ones(1 + last).as_strided(shape, strides)


def wait(device: str) -> None:
    """Wait until the device has finished."""
    if device != "cpu":
        torch.cuda.synchronize()


def needed_flops(loaded: Loaded, family: Family, prompts: Sequence[str], words: Sequence[str]) -> float:
    """Count FLOPs of matrix products, each distinct input once, without attention.

    - Causal: every distinct beginning of a text.
    - Masked: every distinct input; in the last layer up to keys and values, and then only the mask.
    - Encoder–decoder: every prompt, and after its beginning every distinct beginning of a word.
    - Permutation: as masked, without the open positions, with the stream of the predicted position and the
      keys of all distances once.

    The head runs where a distribution is read.
    """
    model = loaded.model
    head = int(model.get_output_embeddings().weight.numel())
    ids = [tuple(word_ids(loaded, word)) for word in words]
    behind = {word[:length] for word in ids for length in range(len(word))}  # read behind each of these
    lefts = [tuple(loaded.tokenizer(prompt.replace(f" {GAP}", ""))["input_ids"]) for prompt in prompts]
    reads = len(set(lefts)) * len(behind)
    if family == "causal":
        texts = {left[:length] for left in lefts for length in range(1, len(left) + 1)}
        tokens = len(texts) + len(set(lefts)) * (len(behind) - 1)
        return 2.0 * (tokens * weights(model.base_model) + reads * head)
    if family == "masked":
        masks = {(len(word), word[:filled]) for word in ids for filled in range(len(word))}
        tokens = sum(len(left) + length for left in set(lefts) for length, _ in masks)
        inputs = len(set(lefts)) * len(masks)
        asked = behind_keys(model.base_model)
        return 2.0 * (tokens * (weights(model.base_model) - asked) + inputs * (asked + head))
    if family == "permutation":
        filled = {(len(word), word[:length]) for word in ids for length in range(len(word))}
        seen = [len(left) + len(beginning) for left in set(lefts) for _, beginning in filled]
        longest = max(map(len, lefts)) + max(map(len, ids))
        return 2.0 * (two_streams(model.base_model, seen, longest) + len(seen) * head)
    decoder = model.get_decoder()
    crossed = sum(weights(layer.layer[1].EncDecAttention.k) * 2 for layer in decoder.block)
    read = sum(len(left) + 1 for left in set(lefts))
    written = len(set(lefts)) * (beginning(loaded, 1).shape[1] + len(behind) - 1)
    flops = read * (weights(model.get_encoder()) + crossed) + written * (weights(decoder) - crossed)
    return 2.0 * (flops + reads * head)


def behind_keys(body: Any) -> int:
    """Count a token's multiplications in BERT's last layer, except for its key and value."""
    layer = body.encoder.layer[-1]
    return weights(layer) - weights(layer.attention.self.key) - weights(layer.attention.self.value)


def two_streams(body: Any, seen: Sequence[int], longest: int) -> int:
    """Count the multiplications of XLNet's layers for inputs that each predict one position.

    ``body``: the model without its head; ``seen``: tokens per input without open positions; ``longest``:
    tokens of the longest input with open positions (there are twice as many distances).
    """
    found = 0
    for number, layer in enumerate(body.layer, start=1):
        attention, feed = layer.rel_attn, weights(layer.ff)
        asked = attention.q.numel() + attention.o.numel() + feed
        told = attention.k.numel() + attention.v.numel()
        content = told if number == len(body.layer) else told + asked
        found += sum(seen) * content + len(seen) * asked + 2 * longest * attention.r.numel()
    return found


def weights(module: Any) -> int:
    """Count entries of the matrices that every token runs through, without embedding tables."""
    tables = {id(part.weight) for part in module.modules() if isinstance(part, torch.nn.Embedding)}
    return sum(p.numel() for p in module.parameters() if p.ndim == 2 and id(p) not in tables)


def peak_growth(work: Callable[[], Any], device: str) -> float:
    """Return the peak growth of memory during ``work`` in bytes: the device's, or the resident set."""
    if device != "cpu":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        work()
        return float(torch.cuda.max_memory_allocated() - before)
    process = psutil.Process(os.getpid())
    before = highest = process.memory_info().rss
    done = threading.Event()

    def watch() -> None:
        nonlocal highest
        while not done.wait(0.005):
            highest = max(highest, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        work()
    finally:
        done.set()
        watcher.join()
    return float(highest - before)
