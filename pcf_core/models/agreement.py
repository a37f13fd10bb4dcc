"""Whether a faster way to compute a model's scores gives those of the plain way.

Prefix trees, shared rows and stored keys and values leave out work that the plain way does twice.  Whether an
architecture allows that is tried when a model is opened.  Rounding alone makes the two ways differ, by an
amount that depends on the model, its numbers and the device, so no fixed bound tells rounding from an error:

- **The largest difference counts.**  A lost attention window shows in a few scores of many, and a mean hides
  it.
- **It is compared with what rounding does to the plain way**: how far plain scores move when every embedding
  moves by one unit in its last place.  Below ``FLOOR`` in float32 that is not asked; beyond ``MOST`` no
  difference is rounding, however far a mixture of experts jumps.
- **float32 decides.**  In bfloat16 rounding reaches tenths of a nat, and errors of that size would pass.  A
  model of narrower numbers is widened for the trial where memory allows, which loses nothing, and tried in
  its own numbers too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
import torch

from pcf_core.core.records import FloatArray
from pcf_core.models.precision import free_memory

FLOOR = 1e-4  # nats
SLACK = 2.0  # times what such a unit does; right ways stay below 0.5 in narrow numbers and below 2 in float32
MOST = {torch.float32: 0.01, torch.bfloat16: 0.5, torch.float16: 0.1}  # nats
PART_OF_MEMORY = 0.8  # of what is free, that a widened model may take
NARROW = (torch.bfloat16, torch.float16)
Scores = Callable[[], FloatArray]


def agree(model: Any, fast: Scores, plain: Scores) -> bool:
    """Tell whether two ways to compute scores of a model differ by rounding alone.

    ``fast`` may raise whatever an architecture says to inputs that it does not take: the answer is no then.
    """
    if model.dtype in NARROW and _can_be_widened(model):
        with _widened(model):
            if not _differ_by_rounding(model, fast, plain):
                return False
    return _differ_by_rounding(model, fast, plain)


def _differ_by_rounding(model: Any, fast: Scores, plain: Scores) -> bool:
    try:
        given = fast()
    except Exception:  # noqa: BLE001
        return False
    expected = plain()
    largest = float(np.abs(given - expected).max())
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

    weight = model.get_input_embeddings().weight  # encoder and decoder may have a module each around it
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
    """Tell whether all weights lie on one device, as plain numbers, with room for them as float32."""
    tensors = _tensors(model)
    devices = {tensor.device for tensor in tensors}
    if len(devices) > 1 or any(tensor.dtype not in (*NARROW, torch.float32) for tensor in model.parameters()):
        return False
    (device,) = devices
    added = sum(tensor.numel() * (4 - tensor.element_size()) for tensor in tensors)
    return device.type != "meta" and added <= PART_OF_MEMORY * free_memory(str(device))


@contextmanager
def _widened(model: Any) -> Iterator[None]:
    """Hold the weights as float32 for a while; narrowed again they have the bits that they had.

    Buffers are exchanged for others: a forward pass may have put one there that cannot be changed, as CTRL's
    puts its positions in the dtype of its input.
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
