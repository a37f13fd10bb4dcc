"""What scoring needs at least, FLOPs at the measured rate of a matrix product, and the memory it takes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psutil
import torch

from benchmarks.sides import beginning, word_ids
from pcf_core.core.families import Family
from pcf_core.models.loading import TYPES, Loaded

GAP = "[Y]"


def gemm_rate(dtype: str, device: str, seconds: float = 0.3) -> float:
    """Measure FLOPs per second of a linear layer in the shape of the models' largest, 2,048 tokens each."""
    tokens = torch.randn(2048, 768).to(device, TYPES[dtype])
    weights = torch.randn(3072, 768).to(device, TYPES[dtype])
    repeats = 1 if device == "cpu" else 200
    rates = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        wait(device)
        begun = time.perf_counter()
        for _ in range(repeats):
            torch.nn.functional.linear(tokens, weights)
        wait(device)
        rates.append(repeats * 2 * 2048 * 768 * 3072 / (time.perf_counter() - begun))
    return float(np.median(rates))


def wait(device: str) -> None:
    """Wait until the device has done what was asked of it."""
    if device != "cpu":
        torch.cuda.synchronize()


def needed_flops(loaded: Loaded, family: Family, prompts: Sequence[str], words: Sequence[str]) -> float:
    """Count multiplications and additions of matrix products, each distinct input once, without attention.

    Causal: every distinct beginning of a text.  Masked: every distinct input whole.  Encoder–decoder: every
    prompt, and behind its beginning every distinct beginning of a word.  The head runs where a distribution
    is read.
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
        return 2.0 * (tokens * weights(model.base_model) + len(set(lefts)) * len(masks) * head)
    decoder = model.get_decoder()
    crossed = sum(weights(layer.layer[1].EncDecAttention.k) * 2 for layer in decoder.block)
    read = sum(len(left) + 1 for left in set(lefts))
    written = len(set(lefts)) * (beginning(loaded, 1).shape[1] + len(behind) - 1)
    flops = read * (weights(model.get_encoder()) + crossed) + written * (weights(decoder) - crossed)
    return 2.0 * (flops + reads * head)


def weights(module: Any) -> int:
    """Count entries of a module's matrices that every token runs through: all but tables of embeddings."""
    tables = {id(part.weight) for part in module.modules() if isinstance(part, torch.nn.Embedding)}
    return sum(p.numel() for p in module.parameters() if p.ndim == 2 and id(p) not in tables)


def peak_growth(work: Callable[[], Any], device: str) -> float:
    """Return the most bytes by which memory grew during ``work``: the device's, or the resident set."""
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
