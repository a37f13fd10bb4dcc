"""The benchmark of scoring on models of a few thousand weights: both sides must compute the same quantity."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.floor import Products, needed_flops, peak_growth
from benchmarks.scoring import ON_CPU, ON_GPU, Case, line, measure
from benchmarks.sides import MINICONS, encoded, naive
from benchmarks.sizes import SIZES, build, mined_templates, open_scorer, tokenizer_for
from pcf_core.core.run import ScoringKey
from pcf_core.models.scoring.permutation import PermutationScorer
from tests.models.scoring.conftest import load_tiny

WORDS = ("he", "she", "man", "woman")
KEY = ScoringKey(model="xlnet", identity="tiny", tokenizer="tiny", family="permutation", rules="1")
PROMPTS = ("The nurse said that [Y]", "The nurse knew [Y]", "The old captain told us that [Y]")


@pytest.mark.parametrize("case", [case for case in ON_CPU + ON_GPU if case.against != "minicons"], ids=str)
def test_both_sides_compute_the_same_quantity(case: Case) -> None:
    found = measure(replace(case, cells=24, sample=min(case.sample, 8)), "cpu", rounds=1, small=True)
    assert found.difference < (1e-4 if {case.dtype, case.their_dtype} == {"float32"} else 0.5)
    assert found.several == pytest.approx(case.share, abs=0.02)
    assert found.ours > 0 < found.theirs
    assert case.model in line(case, found)


@pytest.mark.slow
@pytest.mark.skipif(not MINICONS.exists(), reason="there is no .venv-minicons; make it with: make bench")
@pytest.mark.parametrize("case", [case for case in ON_CPU if case.against == "minicons"], ids=str)
def test_minicons_computes_the_same_quantity(case: Case) -> None:
    found = measure(replace(case, cells=4, sample=2), "cpu", rounds=1, small=True)
    assert found.difference < 1e-4


def test_a_wrong_side_would_be_seen() -> None:
    """Prompts and words of the small models differ by far more than the bound."""
    for name in {case.model for case in ON_CPU + ON_GPU if case.against == "naive"}:
        size = SIZES[name]
        loaded = build(name, tokenizer_for(size.family, PROMPTS, WORDS, ()), "float32", "cpu", small=True)
        values = naive(loaded, size.family, PROMPTS, WORDS)
        assert abs(values[0] - values[2]).min() > 1e-3
        assert abs(values[:, 0] - values[:, 1]).min() > 1e-3
        scores = open_scorer(name, loaded, "float32").score(PROMPTS, WORDS)
        assert scores == pytest.approx(values, abs=1e-4)


@pytest.mark.parametrize("name", ["BERT-base", "GPT-2 small", "T5-base"])
def test_needed_flops_are_those_of_one_plain_pass(name: str) -> None:
    """Counted by torch for one prompt and words of one token; the head is wanted at one position only."""
    family = SIZES[name].family
    loaded = build(name, tokenizer_for(family, PROMPTS, WORDS, ()), "float32", "cpu", small=True)
    (inputs,) = encoded(loaded, family, PROMPTS[:1])
    positions = inputs["input_ids"].shape[1]
    if family == "seq2seq":
        inputs["decoder_input_ids"] = torch.tensor([[2, 4]])
        positions = 2
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        loaded.model(**inputs)
    counted = sum(
        n for op, n in counter.get_flop_counts()["Global"].items() if op.__name__ in ("mm", "addmm")
    )
    unread = loaded.model.get_output_embeddings().weight.numel()
    if family == "masked":
        layer = loaded.model.base_model.encoder.layer[-1]
        products = (layer.attention.self.query, layer.attention.output, layer.intermediate, layer.output)
        unread += sum(part.numel() for made in products for part in made.parameters() if part.ndim == 2)
    expected = counted - 2 * unread * (positions - 1)
    needed = needed_flops(loaded, family, PROMPTS[:1], WORDS)
    assert needed == pytest.approx(expected, rel=0.08)  # BERT's head has one more small matrix
    assert needed_flops(loaded, family, PROMPTS[:1] * 2, WORDS) == needed
    assert needed_flops(loaded, family, PROMPTS[:2], WORDS) > needed


def test_needed_flops_of_xlnet_are_those_that_its_scorer_spends() -> None:
    """Counted by torch where the scorer leaves out what no answer depends on; a plain pass does more."""
    loaded = load_tiny("xlnet")
    words = ["he", "she", "son", "woman"]
    prompts = [f"The nurse said that {a}{b} [Y]" for a in "bcdfghjk" for b in "bcdfghjk"]  # distances once
    scorer = PermutationScorer(loaded, KEY)
    assert scorer.lean
    counts = []
    for scorer.lean in (True, False):
        with Products(loaded.model) as products:
            scorer.score(prompts, words)
        counts.append(products.flops)
    needed = needed_flops(loaded, "permutation", prompts, words)
    assert needed == pytest.approx(counts[0], rel=0.05)
    assert counts[1] > 1.3 * needed
    assert needed_flops(loaded, "permutation", prompts * 2, words) == needed


def test_templates_have_the_statistics_of_mined_ones() -> None:
    templates = mined_templates()
    texts = [template.removesuffix(" [Y]").split() for template in templates]
    beginnings = {tuple(text[:length]) for text in texts for length in range(1, len(text) + 1)}
    assert len(set(templates)) == 500
    assert sum(map(len, texts)) == 2495
    assert len(beginnings) == pytest.approx(980, rel=0.02)


def test_peak_growth_sees_what_was_freed_again() -> None:
    def take() -> None:
        torch.ones(50_000_000).sum()

    assert 150e6 < peak_growth(take, "cpu") < 400e6
