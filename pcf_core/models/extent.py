"""Refuse configurations that ask for more than their weights have, before anything is built.

A hostile ``config.json`` with a hundred million layers would take hours and all memory; the safetensors
headers say how much the model really has.
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
from pcf_core.models.folder import LARGEST, MOST_A_BYTE, read_config, read_object, read_shapes, weight_files

# Tensors (and weights) allowed for each one in the files: shared ones are made, then replaced; a head may be
# absent; four-bit types pack several weights.
MADE_FOR_ONE = 4
LEAST_LAYERS = 64  # always allowed, however small the files
COUNTS = ("layer", "layers", "head", "heads", "head_kv")
CHOICES = ("feature_layer", "select_layer")  # the number of a layer, possibly from the end (LLaVA)
MOST_GROWTH = 1024  # characters that normalizers may make of one; usually up to three
LEAST_TENSORS = 64
LEAST_NUMBERS = 2**28  # a GiB, for tables of positions


@dataclass(frozen=True)
class Extent:
    """The size of safetensors files, which limits the model."""

    tensors: int
    most_weights: int

    @classmethod
    def of(cls, folder: Path, name: str) -> Extent:
        """Measure a model by the headers of all shards."""
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
    """Raise ModelError if ``config.json`` asks for more tensors or weights than the files can fill.

    The model is built without memory (on torch's device ``meta``), up to the first tensor too many; check
    layers before (:func:`require_layers`).  ``kind``: its class, such as ``AutoModelForCausalLM``.
    """
    require_built(
        AutoConfig.from_pretrained(folder, local_files_only=True), Extent.of(folder, name), name, kind
    )


def require_built(config: Any, extent: Extent, name: str, kind: Any) -> None:
    """Raise ModelError for a transformers configuration that makes more than the extent of its files."""
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
    """Raise ModelError for a ``config.json`` with more layers than tensors, or negative numbers.

    To be called before transformers reads it, which may already make a list of layers.
    """
    extent = Extent.of(folder, name)
    for field, layers in _counts(read_config(folder, name)):
        if layers < 0:
            raise ModelError(
                f"The config.json of the model {name} has {shown(layers)} for {field}, which must be a "
                "number of at least 0: take it from the checkpoint that the weights belong to."
            )
        if layers > max(extent.tensors, LEAST_LAYERS) and "head" not in field.rpartition(".")[2]:
            raise ModelError(
                f"The config.json of the model {name} has {shown(layers)} layers ({field}), but its weights "
                f"hold {extent.tensors:,} tensors in all: take both from one checkpoint."
            )


def shown(number: int) -> str:
    """Format a number from a foreign file, which may have thousands of digits."""
    return f"{number:,}" if abs(number) < 10**15 else f"{'−' * (number < 0)}10^15 and more"


def _counts(config: Any, within: str = "") -> Iterator[tuple[str, int]]:
    if not isinstance(config, Mapping):
        return
    for key, value in config.items():
        if type(value) is int and key.endswith(COUNTS) and not key.endswith(CHOICES) and "per_" not in key:
            yield f"{within}{key}"[-80:], value
        else:
            yield from _counts(value, f"{within}{key}.")


def require_tokenizer(folder: Path, name: str) -> None:
    """Raise ModelError if the normalizers of ``tokenizer.json`` make a text many times as long.

    Forty that double the text would exceed any memory.
    """
    try:
        growth = _growth(list(_normalizers(read_object(folder / "tokenizer.json").get("normalizer"))))
    except (ValueError, AttributeError, TypeError):
        return  # transformers reports it
    if growth > MOST_GROWTH:
        raise ModelError(
            f"The tokenizer.json of the model {name} makes a character up to {growth:,} times as long, and "
            f"at most {MOST_GROWTH:,} times is allowed: take the tokenizer of the model's own checkpoint."
        )


def _normalizers(part: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(part, Mapping):
        yield part
        for inner in part.get("normalizers") or ():
            yield from _normalizers(inner)


def _growth(parts: Sequence[Mapping[str, Any]]) -> int:
    """Return the maximum number of characters that normalizers make of one.

    Computed from the last normalizer to the first: a character weighs as much as its replacement becomes, so
    that only successive replacements multiply.  Others may match any character.
    """
    weights: dict[str, int] = {}
    others = 1  # the weight of all other characters
    for part in reversed(parts):
        kind = part.get("type")
        if kind == "Sequence":  # its parts follow
            continue
        if kind not in ("Prepend", "Replace"):
            weights, others = {}, max([others, *weights.values()])
            continue
        content = part["prepend" if kind == "Prepend" else "content"]
        made = min(sum(weights.get(one, others) for one in content), LARGEST)
        pattern = "" if kind == "Prepend" else part["pattern"].get("String")
        if pattern:
            for one in pattern:
                weights[one] = max(weights.get(one, others), -(-made // len(pattern)))
        elif pattern is None:  # a regular expression
            weights, others = {one: max(weight, made) for one, weight in weights.items()}, max(others, made)
        else:  # before a text, or each of its characters
            weights, others = {one: weight + made for one, weight in weights.items()}, others + made
    return min(max([others, *weights.values()]), LARGEST)


@dataclass
class _Made:
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

    def _too_much(self, amount: str) -> ModelError:
        return ModelError(
            f"The config.json of the model {self.name} describes {amount}, but its files hold "
            f"{self.extent.tensors:,} tensors with at most {self.extent.most_weights:,} weights: take both "
            "from one checkpoint."
        )
