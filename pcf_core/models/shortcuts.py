"""Faster ways to compute a model's scores, and the test whether they are exact.

**The test.**  Prefix trees, shared rows and cached keys and values avoid repeated work.  Whether an
architecture allows that is tested when a model is opened.  The two ways differ by rounding, by an amount that
depends on model, numbers and device, so no fixed bound separates rounding from errors:

- **The largest difference counts**: a lost attention window shows in a few scores of many.
- **It is compared with the effect of rounding on the plain way**: how far scores move when every embedding
  moves by one unit in its last place.  Differences below ``FLOOR`` in float32 pass without this comparison;
  differences above ``MOST`` never pass.
- **float32 decides.**  In bfloat16 rounding reaches tenths of a nat, so models in narrower numbers are also
  tested widened to float32 if memory allows.

**Products by oneDNN.**  On a CPU torch multiplies float32 matrices by MKL.  For narrow matrices or on AMD,
oneDNN is 1.2 to 1.8 times as fast, but rounds differently: scores differ by a few units in the last place,
and a few in a thousand texts continue differently.  A row has the same bits in any batch.  oneDNN needs a
second copy of the weights, so only models of up to ``LIGHT`` weights use it; the choice depends on the model
alone, so that scores are reproducible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
import torch
from transformers.pytorch_utils import Conv1D

from pcf_core.core.records import FloatArray
from pcf_core.models.names import free_memory

FLOOR = 1e-4  # nats
SLACK = 2.0  # times the effect of rounding; correct ways stay below 0.5 in narrow numbers, 2 in float32
MOST = {torch.float32: 0.01, torch.bfloat16: 0.5, torch.float16: 0.1}  # nats
PART_OF_MEMORY = 0.8  # share of free memory for a widened model
NARROW = (torch.bfloat16, torch.float16)
Scores = Callable[[], FloatArray]


def agree(model: Any, fast: Scores, plain: Scores) -> bool:
    """Tell whether two ways to compute scores differ only by rounding, and ``fast`` does not fail."""
    if model.dtype in NARROW and _can_be_widened(model):
        with _widened(model):
            if not _differ_by_rounding(model, fast, plain):
                return False
    return _differ_by_rounding(model, fast, plain)


def _differ_by_rounding(model: Any, fast: Scores, plain: Scores) -> bool:
    try:
        scores = fast()
    except Exception:  # noqa: BLE001
        return False
    expected = plain()
    largest = float(np.abs(scores - expected).max())
    if model.dtype == torch.float32 and largest <= FLOOR:
        return True
    with _nudged(model):
        moved = float(np.abs(plain() - expected).max())
    return largest <= min(SLACK * moved, MOST.get(model.dtype, 0.0))


@contextmanager
def _nudged(model: Any) -> Iterator[None]:
    """Move every number of an embedding up or down by one unit in its last place."""
    draws = torch.Generator().manual_seed(0)

    def nudge(module: Any, arguments: Any, embedded: torch.Tensor) -> torch.Tensor:
        signs = torch.randint(0, 2, embedded.shape, generator=draws).to(embedded.device) * 2 - 1
        return embedded + embedded * (signs * torch.finfo(embedded.dtype).eps).to(embedded.dtype)

    weight = model.get_input_embeddings().weight  # encoder and decoder may each have a module for it
    hooks = [
        module.register_forward_hook(nudge)
        for module in model.modules()
        if isinstance(module, torch.nn.Embedding) and module.weight is weight
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _tensors(model: Any) -> list[torch.Tensor]:
    return [tensor for tensor in chain(model.parameters(), model.buffers()) if tensor.is_floating_point()]


def _can_be_widened(model: Any) -> bool:
    tensors = _tensors(model)
    devices = {tensor.device for tensor in tensors}
    if len(devices) > 1 or any(tensor.dtype not in (*NARROW, torch.float32) for tensor in model.parameters()):
        return False
    (device,) = devices
    added = sum(tensor.numel() * (4 - tensor.element_size()) for tensor in tensors)
    return device.type != "meta" and added <= PART_OF_MEMORY * free_memory(str(device))


@contextmanager
def _widened(model: Any) -> Iterator[None]:
    """Convert the weights to float32 inside the block; narrowed again they have the same bits.

    Buffers are replaced, as some cannot be changed in place (CTRL's positions).
    """
    narrow = [(weights, weights.dtype) for weights in model.parameters() if weights.dtype in NARROW]
    buffers = [
        (module._buffers, name, buffer)
        for module in model.modules()
        for name, buffer in module._buffers.items()
        if buffer is not None and buffer.dtype in NARROW
    ]
    try:
        with torch.inference_mode(False):
            for weights, _ in narrow:
                weights.data = weights.data.float()
            for own, name, buffer in buffers:
                own[name] = buffer.float()
        yield
    finally:
        with torch.inference_mode(False):
            for weights, dtype in narrow:
                weights.data = weights.data.to(dtype)
        for own, name, buffer in buffers:
            own[name] = buffer


# Products by oneDNN.


LIGHT = 2**25  # weights that may be held twice: 128 MB
ROWS = 1024  # rows for which weights are laid out; other numbers work too
Product = Callable[[torch.Tensor], torch.Tensor]


def product(weight: torch.Tensor, bias: torch.Tensor | None = None, *, light: bool) -> Product:
    """Return a function that multiplies the last axis by a matrix [in, out] and adds a bias [out].

    ``light``: whether the matrix may be held twice.
    """
    if not (light and _fits(weight)):
        return lambda given: given @ weight if bias is None else given @ weight + bias
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach().t().contiguous(), ROWS)

    def multiply(given: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(given, packed, bias, "none", [], "")
        return result

    return multiply


def _fits(weight: torch.Tensor) -> bool:
    here = torch.backends.mkldnn.is_available() and hasattr(  # type: ignore[no-untyped-call]
        torch.ops.mkldnn, "_linear_pointwise"
    )
    plain = type(weight) in (torch.Tensor, torch.nn.Parameter) and weight.layout == torch.strided
    return here and plain and weight.is_cpu and weight.dtype == torch.float32 and weight.numel() > 0


class Products:
    """The linear layers of a ``light`` model, computed by oneDNN while :meth:`used` is open."""

    def __init__(self, model: Any, *, light: bool) -> None:
        self._forwards: list[tuple[dict[str, Any], Product]] = []
        for module in model.modules() if light else ():
            linear = type(module) is torch.nn.Linear
            if (linear or type(module) is Conv1D) and "forward" not in vars(module) and _fits(module.weight):
                weight = module.weight.t() if linear else module.weight
                self._forwards.append((vars(module), product(weight, module.bias, light=True)))

    @contextmanager
    def used(self) -> Iterator[None]:
        """Use oneDNN inside the block, which must not be nested."""
        for own, forward in self._forwards:
            own["forward"] = forward
        try:
            yield
        finally:
            for own, _ in self._forwards:
                own.pop("forward", None)
