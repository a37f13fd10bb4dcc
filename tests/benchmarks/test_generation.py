"""The benchmark of generation: its floor is what a block's plain passes need, and it measures a job."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from benchmarks.floor import Products, weights
from benchmarks.generation import PROMPTS, measure, needed_flops
from pcf_core.core.generation import BLOCK, Decoding, Generated
from pcf_core.models.generation.base import open_generator
from pcf_core.models.generation.local import LEAST, LocalGenerator
from pcf_core.models.registry import resolve


def counted_by_torch(generator: LocalGenerator, count: int) -> tuple[float, Generated]:
    """FLOPs of the products of one writing, and what came."""
    assert generator.row_invariant  # tried before anything is counted
    with Products(generator.model) as products, torch.inference_mode():
        written = generator.generate(PROMPTS[0], 0, count, lambda: None)
    return products.flops, written


def test_needed_flops_are_those_of_the_texts() -> None:
    """Counted by torch, which also sees the head at the prompt's other positions. Greedy: none ends."""
    generator = open_generator(resolve("mini-gpt-s"), Decoding(length=6, temperature=0))
    assert isinstance(generator, LocalGenerator)
    prompt = len(generator.prompt_ids(PROMPTS[0]))
    assert prompt == LEAST  # so that it is read once, and the head at all of its positions
    head = 2 * generator.model.get_output_embeddings().weight.numel()
    for count in (BLOCK, 4 * BLOCK):  # a prompt is read once for all of its blocks
        counted, written = counted_by_torch(generator, count)
        assert set(written.tokens) == {6}
        assert needed_flops(generator, written) == pytest.approx(counted - head * (prompt - 1), rel=1e-3)


def test_what_a_template_puts_around_a_prompt_is_read_and_texts_that_end_need_less() -> None:
    """Two texts of four tokens and of none: the latter took the one draw behind the prompt."""
    generator = open_generator(resolve("mini-gpt-s"), Decoding(length=6))
    assert isinstance(generator, LocalGenerator)
    head = generator.model.get_output_embeddings().weight.numel()
    layers = weights(generator.model.base_model)
    short = Generated(PROMPTS[0], 0, ("a", ""), ("stop", "empty"), (4, 0))
    assert needed_flops(generator, short) == 2 * ((LEAST + 4) * layers + 5 * head)
    told = generator.with_system("Be brief.")
    longer = len(told.prompt_ids(PROMPTS[0])) - LEAST
    assert longer > 1
    assert needed_flops(told, short) - needed_flops(generator, short) == 2 * longer * layers


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
