"""The benchmark of the zoo: what is scored, and how it is scaled."""

from __future__ import annotations

import pytest
import torch

from benchmarks.floor import Products
from benchmarks.zoo import Timed, line, measure, prompts_of
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates


def test_a_sample_is_some_occupations_with_all_templates() -> None:
    prompts, cells = prompts_of(3)
    assert len(prompts) == 3 * 500
    assert cells == 120 * 500
    heaviest = load_templates("gender-wikipedia-100").texts
    terms = load_evidence("occupations-bvf").terms
    for start, place in ((0, 0), (500, 40), (1000, 80)):
        assert prompts[start : start + 100] == [text.replace("[X]", terms[place]) for text in heaviest]
    assert len(prompts_of(120)[0]) == cells


def test_time_is_scaled_by_cells() -> None:
    timed = Timed("mini", 5_000_000, 100, 2.0, 0.25, 0.75)
    assert timed.minutes(6000) == pytest.approx(2)
    assert line(timed, 6000).split() == ["mini", "5.0", "M", "50.0", "2.0", "25%", "75%"]


def test_a_model_is_scored_beside_its_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a rate of one FLOP a second the floor is the FLOPs: more than one token through every weight."""
    monkeypatch.setattr("benchmarks.zoo.gemm_rate", lambda dtype, device, clock: 1.0)
    prompts, _ = prompts_of(1, templates=2)
    found = measure("mini-gpt", prompts, "processor", rounds=1)
    assert (found.model, found.cells) == ("mini-gpt", 2)
    assert found.seconds > 0
    assert found.floor * found.seconds > 2 * found.parameters
    assert found.bare > 1e9


def test_products_are_those_of_the_weights() -> None:
    """Two layers and what stands between them, which is no product of a weight."""
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3, bias=False))
    given = torch.randn(5, 4)
    with torch.inference_mode(), Products(model) as products:
        model(given) @ torch.randn(3, 7)
    assert products.flops == 2 * 5 * (4 * 8 + 8 * 3)
    assert products.bare_rate("wall") > 0
