"""Products of small models by oneDNN: the same numbers but for rounding, and only while asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from transformers.pytorch_utils import Conv1D

from pcf_core.models.scoring import local
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.products import Products, product
from tests.models.scoring.conftest import build, open_loaded
from tests.models.scoring.tiny_tokenizers import roberta_tokenizer

Open = Callable[..., Scorer]


@pytest.mark.parametrize("rows", [(1,), (7,), (300,), (5, 60)])
@pytest.mark.parametrize("light", [True, False])
def test_a_product_is_that_of_float64(rows: tuple[int, ...], light: bool) -> None:
    draw = torch.Generator().manual_seed(0)
    weight, bias = torch.randn(32, 50, generator=draw), torch.randn(50, generator=draw)
    given = torch.randn(*rows, 32, generator=draw)
    for added in (bias, None):
        found = product(weight, added, light=light)(given)
        expected = given.double() @ weight.double() + (0 if added is None else added.double())
        torch.testing.assert_close(found.double(), expected, atol=2e-5, rtol=0)


def test_a_row_has_the_same_bits_in_any_company() -> None:
    given, multiply = torch.randn(700, 64), product(torch.randn(64, 300), light=True)
    whole = multiply(given)
    for size in (1, 2, 16, 33, 512):
        assert torch.equal(multiply(given[:size]), whole[:size])


def test_layers_multiply_so_only_while_they_are_asked_to() -> None:
    draw = torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 24), Conv1D(8, 24), torch.nn.Linear(8, 4, bias=False))
    given = torch.randn(9, 16, generator=draw)
    with torch.inference_mode():
        before = model(given)
        model[2].weight.zero_()  # laid out before or after: it shows which is multiplied by
        products = Products(model, light=True)
        with products.used():
            assert not model(given).any()
            model[2].weight.fill_(1)
            assert not model(given).any()
        assert model(given).any()
        assert before.any()
    assert all("forward" not in vars(part) for part in model.modules())


def test_large_models_keep_their_own_products() -> None:
    model = torch.nn.Linear(16, 24)
    with Products(model, light=False).used():
        assert "forward" not in vars(model)


def test_narrow_numbers_keep_their_own_products() -> None:
    weight = torch.randn(16, 24).bfloat16()
    given = torch.randn(3, 16).bfloat16()
    assert torch.equal(product(weight, light=True)(given), given @ weight)


class Packed(torch.Tensor):
    """Numbers held in a form of their own, as those of quantised weights are."""


def test_empty_and_packed_weights_keep_their_own_products() -> None:
    """A head of MobileBERT has an empty layer where embeddings are as wide as the model."""
    packed = torch.nn.Linear(16, 24)
    packed.weight = torch.nn.Parameter(packed.weight.detach().as_subclass(Packed))
    empty = torch.nn.Linear(16, 24)
    empty.weight = torch.nn.Parameter(torch.empty(0, 16))
    parts = [empty, packed]
    with Products(torch.nn.Sequential(*parts), light=True).used():
        assert all("forward" not in vars(part) for part in parts)


def test_the_head_gives_the_same_in_slices(
    any_name: str,
    open_tiny: Open,
    prompts: tuple[str, ...],
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A product of fewer rows may round in another order; what runs before the head runs once."""
    scorer: Any = open_tiny(any_name)
    expected, runs = scorer.score(prompts, words), []
    hook = scorer.model.get_input_embeddings().register_forward_hook(lambda *given: runs.append(1))
    once = scorer.score(prompts, words)
    whole = len(runs)
    monkeypatch.setattr(local, "FEWEST_PLACES", 1)
    for number, places in enumerate((2, 5), start=2):
        monkeypatch.setattr(local, "SLICE", places * scorer.vocabulary)
        sliced = scorer.score(prompts, words)
        assert len(runs) == number * whole
        np.testing.assert_allclose(sliced, expected, atol=1e-5, rtol=0)
    hook.remove()
    np.testing.assert_array_equal(once, expected)


@pytest.mark.parametrize("name", ["bert", "mini-bert", "roberta", "albert", "distilbert"])
def test_only_the_place_that_is_read_runs_behind_the_last_attention(
    name: str,
    open_tiny: Open,
    prompts: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    """Where a layer has a module there; ALBERT's layers are all one."""
    scorer: Any = open_tiny(name)
    assert (scorer.last is not None) == (name in ("bert", "mini-bert", "roberta"))
    trimmed = scorer.score(prompts, words)
    scorer.last = None
    np.testing.assert_allclose(scorer.score(prompts, words), trimmed, atol=1e-5, rtol=0)


def test_a_layer_that_asks_which_text_a_row_is_runs_whole(prompts: tuple[str, ...]) -> None:
    """X-MOD's adapters stand behind the last attention, one for each text's language."""
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    languages = {"languages": ["en_XX"], "default_language": "en_XX"}
    scorer: Any = open_loaded(build("XmodForMaskedLM", roberta_tokenizer, **shape, **languages), "xmod")
    assert scorer.last is None
    together = scorer.score(prompts, ("he", "she"))
    alone = [[scorer.alone(prompt, word) for word in ("he", "she")] for prompt in prompts]
    np.testing.assert_allclose(together, alone, atol=1e-5, rtol=0)
