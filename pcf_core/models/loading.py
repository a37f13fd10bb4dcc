"""Loading a model for scoring: evaluation mode, safetensors only, no code from the model's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from pcf_core.errors import ModelError
from pcf_core.models.hub import download
from pcf_core.records import ModelSpec
from pcf_core.settings import settings

CLASSES = {"masked": AutoModelForMaskedLM, "causal": AutoModelForCausalLM}
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True)
class Loaded:
    """A model in evaluation mode on ``device``, and its tokenizer."""

    model: Any
    tokenizer: Any
    device: str


def load(spec: ModelSpec, device: str = "auto") -> Loaded:
    """Load the model of ``spec`` in its dtype (float32 unless the operator chose another).

    Weights and activations have that dtype, whatever the file holds.  Attention is transformers' default,
    SDPA wherever the architecture has it.

    Raises:
        ModelError: an unknown dtype; configuration, tokenizer or weights are missing or damaged, the
            architecture needs code of its own, the device is not there.
    """
    if spec.dtype not in DTYPES:
        raise ModelError(
            f"The dtype {spec.dtype!r} of {spec.name} is not known; choose one of {', '.join(DTYPES)}."
        )
    transformers.utils.logging.disable_progress_bar()
    if settings().threads:
        torch.set_num_threads(settings().threads)
    folder = Path(spec.path) if spec.path else download(spec)
    place = choose_device(settings().device if device == "auto" else device)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
        model, report = CLASSES[spec.family].from_pretrained(
            folder,
            dtype=DTYPES[spec.dtype],
            trust_remote_code=False,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
        )
    except Exception as error:  # whatever transformers trips over in a folder that somebody else wrote
        reason = shorten(f"{type(error).__name__}: {error}", 240, placeholder=" …")
        raise ModelError(
            f"The model {spec.name} cannot be loaded ({reason}); check its config.json, tokenizer "
            "and weights."
        ) from error
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
