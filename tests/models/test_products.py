"""Products of small models by oneDNN: the same numbers but for rounding, and only while asked for."""

from __future__ import annotations

import pytest
import torch
from transformers.pytorch_utils import Conv1D

from pcf_core.models.shortcuts import Products, product


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
