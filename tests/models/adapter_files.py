"""Adapters with random weights, written by hand in PEFT's layout, and merged by hand."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from pcf_core.models.loading import Loaded

RANK, ALPHA = 2, 3
# Layers of the twins of tests/models/scoring/conftest.py.
LAYERS = {
    "bert": ("query", "intermediate.dense"),
    "gpt2": ("c_attn", "mlp.c_proj"),
    "llama": ("q_proj", "down_proj"),
    "t5": ("q", "wo"),
}


def write_adapter(folder: Path, base: str, loaded: Loaded, layers: tuple[str, ...], **config: Any) -> Path:
    """A LoRA of every layer whose name ends so; ``base``: the model that it says it changes."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    tensors = {}
    for name, module in loaded.model.named_modules():
        if name.endswith(tuple(f".{layer}" for layer in layers)):
            inside, outside = module.weight.shape if _is_turned(module) else module.weight.shape[::-1]
            tensors[f"base_model.model.{name}.lora_A.weight"] = torch.randn(RANK, inside)
            tensors[f"base_model.model.{name}.lora_B.weight"] = torch.randn(outside, RANK)
    save_file(tensors, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    written = {
        "peft_type": "LORA",
        "base_model_name_or_path": base,
        "r": RANK,
        "lora_alpha": ALPHA,
        "target_modules": list(layers),
        "fan_in_fan_out": any(map(_is_turned, loaded.model.modules())),
        "inference_mode": True,
        "lora_dropout": 0.1,
        "peft_version": "0.21.2",
        "loftq_config": {},
        "megatron_core": "megatron.core",
    }
    (folder / "adapter_config.json").write_text(json.dumps(written | config))
    return folder


def merged_by_hand(loaded: Loaded, folder: Path) -> Loaded:
    """W + alpha / rank · B · A for each pair of the file."""
    model = copy.deepcopy(loaded.model)
    tensors = load_file(folder / "adapter_model.safetensors")
    for key in [key for key in tensors if ".lora_A." in key]:
        change = ALPHA / RANK * tensors[key.replace("lora_A", "lora_B")] @ tensors[key]
        module = model.get_submodule(key.removeprefix("base_model.model.").removesuffix(".lora_A.weight"))
        module.weight.data += change.T if _is_turned(module) else change
    return Loaded(model, loaded.tokenizer, "cpu")


def _is_turned(module: Any) -> bool:
    return type(module).__name__ == "Conv1D"
