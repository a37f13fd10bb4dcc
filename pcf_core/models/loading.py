"""Loading a model for scoring: evaluation mode, safetensors only, no code from the model's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from pcf_core.errors import ModelError
from pcf_core.models.hub import download
from pcf_core.records import ModelSpec
from pcf_core.settings import settings

CLASSES = {"masked": AutoModelForMaskedLM, "causal": AutoModelForCausalLM}


@dataclass(frozen=True)
class Loaded:
    """A model in evaluation mode on ``device``, and its tokenizer."""

    model: Any
    tokenizer: Any
    device: str


def load(spec: ModelSpec, device: str = "auto") -> Loaded:
    """Load the model of ``spec`` in its dtype (float32 unless the operator chose another).

    Attention is transformers' default, SDPA wherever the architecture has it.

    Raises:
        ModelError: weights are missing or damaged, the architecture needs code of its own, the device is not
            there.
    """
    transformers.utils.logging.disable_progress_bar()
    if settings().threads:
        torch.set_num_threads(settings().threads)
    folder = Path(spec.path) if spec.path else download(spec)
    place = choose_device(settings().device if device == "auto" else device)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        model, report = CLASSES[spec.family].from_pretrained(
            folder,
            dtype=getattr(torch, spec.dtype),
            trust_remote_code=False,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
        )
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(f"The model {spec.name} cannot be loaded: {reason}") from error
    absent = sorted(report["missing_keys"])
    if absent:  # transformers would fill them with random numbers
        raise ModelError(
            f"The weights of {spec.name} lack {len(absent)} tensors ({', '.join(absent[:3])}): scores would "
            "be random; use a checkpoint saved with its language-model head."
        )
    return Loaded(model.eval().to(place), tokenizer, place)


def choose_device(wanted: str) -> str:
    """``auto`` takes a CUDA device, else Apple's, else the CPU.

    Raises:
        ModelError: a device is asked for that is not there.
    """
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == "auto":
        return next(name for name, there in available.items() if there)
    if not available.get(wanted.split(":")[0], False):
        there = ", ".join(name for name, is_there in available.items() if is_there)
        raise ModelError(f"The device {wanted!r} is not available; available are: {there}.")
    return wanted
