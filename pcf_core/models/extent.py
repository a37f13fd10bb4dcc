"""Whether a configuration asks for no more than the weights beside it hold, before anything is built.

What a ``config.json`` says decides how much transformers builds, and somebody else wrote it: a hundred
million layers take hours and all memory.  The headers of the safetensors files say what there really is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import torch
from torch.nn.modules.module import (
    register_module_buffer_registration_hook,
    register_module_parameter_registration_hook,
)
from transformers import AutoConfig

from pcf_core.core.errors import ModelError
from pcf_core.models.folder import MOST_A_BYTE, read_config, read_shapes, weight_files

# Tensors, or weights, that a model may make for each one in its files: shared ones are made, then replaced, a
# head may be absent, and a number type of four bits has several weights in what counts as one.
MADE_FOR_ONE = 4
LEAST_LAYERS = 64  # these, tensors and numbers are never too many, however small the files
LEAST_TENSORS = 64
LEAST_NUMBERS = 2**28  # a GiB; beside weights a model makes tables of its positions


@dataclass(frozen=True)
class Extent:
    """How much safetensors files hold, and so the most that a model may make of them."""

    tensors: int
    most_weights: int

    @classmethod
    def of(cls, folder: Path, name: str) -> Extent:
        """Measure a model by the headers of all shards.

        Raises
        ------
        ModelError
            There are no safetensors, or they are damaged.
        """
        files = weight_files(folder, name)
        shapes = [shape for path in files for shape in read_shapes(path, name)]
        return cls.of_shapes(shapes, sum(path.stat().st_size for path in files))

    @classmethod
    def of_shapes(cls, shapes: Sequence[Sequence[int]], size: int) -> Extent:
        """Measure a model by the shapes of its tensors, in files of ``size`` bytes."""
        return cls(len(shapes), max(MADE_FOR_ONE * sum(map(prod, shapes)), MOST_A_BYTE * size))

    @property
    def most_tensors(self) -> int:
        """How many tensors the model may have."""
        return MADE_FOR_ONE * self.tensors + LEAST_TENSORS


def require_extent(folder: Path, name: str, kind: Any) -> None:
    """Refuse a model directory whose ``config.json`` asks for more than its weights can fill.

    What it comes to is counted while the model is built without memory (on torch's device ``meta``), up to
    the first tensor too much; its layers are to be held against the weights before
    (:func:`require_layers`).

    Parameters
    ----------
    folder
        A model directory of a type that transformers knows itself.
    name
        The model's, for the sentence.
    kind
        The class of transformers that is going to read it, such as ``AutoModelForCausalLM``.

    Raises
    ------
    ModelError
        It asks for more; there are no weights, or they are damaged.
    """
    require_built(
        AutoConfig.from_pretrained(folder, local_files_only=True), Extent.of(folder, name), name, kind
    )


def require_built(config: Any, extent: Extent, name: str, kind: Any) -> None:
    """Refuse a configuration of transformers that makes more than the extent of its files.

    Raises
    ------
    ModelError
        It makes more.
    """
    made = _Made(extent, name)
    hooks = (
        register_module_parameter_registration_hook(made.count_weights),
        register_module_buffer_registration_hook(made.count_tables),
    )
    try:
        with torch.device("meta"):
            kind.from_config(config)
    finally:
        for hook in hooks:
            hook.remove()


def require_layers(folder: Path, name: str) -> None:
    """Refuse a ``config.json`` with more layers than there are tensors, before transformers reads it.

    Every layer has a tensor at least, shared or its own.  To read a configuration can take a list with an
    entry a layer already, and who opens a tokenizer reads it too.

    Raises
    ------
    ModelError
        It asks for more; there are no weights, or they are damaged.
    """
    extent = Extent.of(folder, name)
    for field, layers in _layers(read_config(folder, name)):
        if layers > max(extent.tensors, LEAST_LAYERS):
            raise ModelError(
                f"The config.json of the model {name} asks for {shown(layers)} layers ({field}), where its "
                f"weights hold {extent.tensors:,} tensors in all: take both from one checkpoint."
            )


def shown(number: int) -> str:
    """Shorten a number from a foreign file, which may have thousands of digits."""
    return f"{number:,}" if number < 10**15 else "over 10^15"


def _layers(config: Any, within: str = "") -> Iterator[tuple[str, int]]:
    """Yield the numbers of layers in a configuration and those inside it."""
    if not isinstance(config, Mapping):
        return
    for key, value in config.items():
        if type(value) is int and key.endswith(("layer", "layers")) and "per_" not in key:
            yield f"{within}{key}"[-80:], value
        else:
            yield from _layers(value, f"{within}{key}.")


@dataclass
class _Made:
    """What a model makes while it is built, held against what its files hold."""

    extent: Extent
    name: str
    tensors: int = 0
    weights: int = 0
    tables: int = 0

    def count_weights(self, module: Any, key: str, made: torch.Tensor) -> None:
        self.tensors += 1
        self.weights += prod(made.shape)
        if self.tensors > self.extent.most_tensors:
            raise self._too_much(f"over {self.extent.most_tensors:,} tensors")
        if self.weights > max(self.extent.most_weights, LEAST_NUMBERS):
            raise self._too_much(f"{shown(self.weights)} weights and more")

    def count_tables(self, module: Any, key: str, made: torch.Tensor | None) -> None:
        self.tables += 0 if made is None else prod(made.shape)
        if self.tables > max(self.extent.most_weights, LEAST_NUMBERS):
            raise self._too_much(f"{shown(self.tables)} numbers in tables")

    def _too_much(self, asked: str) -> ModelError:
        return ModelError(
            f"The config.json of the model {self.name} asks for {asked}, where its files hold "
            f"{self.extent.tensors:,} tensors that are at most {self.extent.most_weights:,} weights: take "
            "both from one checkpoint."
        )
