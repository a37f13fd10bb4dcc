"""Products with the weights of a small model on a CPU, by oneDNN's kernels in place of MKL's.

torch multiplies matrices of float32 by MKL and asks oneDNN for narrower numbers alone.  On a processor of
AMD, and where matrices are as narrow as those of the models that come with the app, oneDNN is 1.2 to 1.8
times as fast.  Either rounds sums in an order of its own: scores differ by a few units of float32's last
place, and of 2,000 texts of mini-gpt five go on otherwise from some token on, as two or three do on a
processor without AVX-512.  A row has the same bits in any company.

oneDNN wants weights laid out in blocks.  They are laid out once and held beside the model's own, so that only
models of up to ``LIGHT`` weights have it.  That follows from the model alone and from no clock: the same
scores are to give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from transformers.pytorch_utils import Conv1D

LIGHT = 2**25  # weights of a model that may be held twice: 128 MB
ROWS = 1024  # for which weights are laid out; other numbers of rows may use the same
Product = Callable[[torch.Tensor], torch.Tensor]


def product(weight: torch.Tensor, bias: torch.Tensor | None = None, *, light: bool) -> Product:
    """Return what multiplies by a matrix [in, out], and adds a bias [out], over the last axis.

    ``light``: whether the matrix may be held twice.
    """
    if not (light and fits(weight)):
        return lambda given: given @ weight if bias is None else given @ weight + bias
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach().t().contiguous(), ROWS)

    def multiply(given: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = torch.ops.mkldnn._linear_pointwise(given, packed, bias, "none", [], "")
        return found

    return multiply


def fits(weight: torch.Tensor) -> bool:
    """Tell whether oneDNN is here and a matrix is of float32 on the CPU: none that is empty or packed."""
    here = torch.backends.mkldnn.is_available() and hasattr(  # type: ignore[no-untyped-call]
        torch.ops.mkldnn, "_linear_pointwise"
    )
    plain = type(weight) in (torch.Tensor, torch.nn.Parameter) and weight.layout == torch.strided
    return here and plain and weight.is_cpu and weight.dtype == torch.float32 and weight.numel() > 0


class Products:
    """The linear layers of a model, to be computed by oneDNN while :meth:`used` is open.

    The model itself stays as it is.  Of a model that is not ``light`` it holds none.
    """

    def __init__(self, model: Any, *, light: bool) -> None:
        self._forwards: list[tuple[dict[str, Any], Product]] = []
        for module in model.modules() if light else ():
            linear = type(module) is torch.nn.Linear
            if (linear or type(module) is Conv1D) and "forward" not in vars(module) and fits(module.weight):
                weight = module.weight.t() if linear else module.weight
                self._forwards.append((vars(module), product(weight, module.bias, light=True)))

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let the layers multiply so; not to be opened again while it is open."""
        for own, forward in self._forwards:
            own["forward"] = forward
        try:
            yield
        finally:
            for own, _ in self._forwards:
                own.pop("forward", None)
