"""What decides the weights of a fine-tuned model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Recipe:
    """What decides the weights, besides model and corpus; ``tools/finetune.py`` has the sources."""

    epochs: int = 2
    learning_rate: float = 1e-5
    warmup: float = 0.2
    batch: int = 32
    length: int = 512
    held_out: float = 0.05
    seed: int = 0
    precision: Literal["float32", "bfloat16"] = "float32"
    weights: Literal["float32", "float16"] = "float32"
