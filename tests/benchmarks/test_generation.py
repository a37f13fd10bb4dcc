"""The benchmark of generation: its floor is what a block's plain passes need, and it measures a job."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.generation import PROMPTS, measure, needed_flops
from pcf_core.core.generation import BLOCK, Decoding
from pcf_core.models.generation.local import LEAST, LocalGenerator
from pcf_core.models.generation.opening import open_generator
from pcf_core.models.registry import resolve


def test_needed_flops_are_those_of_a_block() -> None:
    """Counted by torch, which also sees the head at the prompt's other positions."""
    generator = open_generator(resolve("mini-gpt-s"), Decoding(length=6))
    assert isinstance(generator, LocalGenerator)
    assert generator.steady  # tried before anything is counted
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        generator.generate(PROMPTS[0], 0, BLOCK, lambda: None)
    products = ("mm", "addmm")
    counted = sum(n for op, n in counter.get_flop_counts()["Global"].items() if op.__name__ in products)
    prompt = len(generator.seam.encode([PROMPTS[0]])[0] + generator.seam.opening)
    assert prompt == LEAST  # so that it is read once, and the head at all of its positions
    head = 2 * generator.model.get_output_embeddings().weight.numel()
    assert needed_flops(generator, PROMPTS[0]) == pytest.approx(counted - head * (prompt - 1), rel=0.01)


def test_a_job_is_measured() -> None:
    rate, floor = measure("mini-gpt-s", blocks=1, length=3, repeats=3)
    assert rate > 0
    assert 0 < floor < 2


def test_the_median_of_the_repeats_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of three jobs takes a second longer, by a clock of the test's."""
    times = iter([0.0, 1.0, 10.0, 12.0, 20.0, 21.0])
    monkeypatch.setattr("benchmarks.generation.gemm_rate", lambda dtype, device: 1e9)
    monkeypatch.setattr("benchmarks.generation.generate_missing", lambda asked, store, opened: 150)
    monkeypatch.setattr("benchmarks.generation.time", SimpleNamespace(perf_counter=lambda: next(times)))
    rate, _ = measure("mini-gpt-s", blocks=1, length=3, repeats=3)
    assert rate == 150
    assert next(times, None) is None
