"""Loading a model for scoring: evaluation mode, safetensors only, own code only if allowed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
import transformers
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

from pcf_core.core.errors import ModelError
from pcf_core.core.families import FAMILIES
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.conversion import converted
from pcf_core.models.extent import require_extent, require_layers
from pcf_core.models.hub import download, require_allowed_code, require_own_code
from pcf_core.models.precision import DTYPES
from pcf_core.models.public import gguf_files

TYPES = {dtype: getattr(torch, dtype) for dtype in DTYPES}
SPLIT = "split"
POOLER = "pooler."  # a layer for whole texts, which few checkpoints have trained; no hidden state needs it


@dataclass(frozen=True)
class Loaded:
    """A model in evaluation mode, and its tokenizer; token ids go to ``device``.

    ``identity``: the hash of weights and configuration, where they alone decide what the model computes on
    its device; empty where it has code of its own, lies on several devices, or was made in memory.
    """

    model: Any
    tokenizer: Any
    device: str
    identity: str = ""


def load(spec: ModelSpec, device: str = "auto") -> Loaded:
    """Load the model of ``spec`` in its dtype (float32 unless the operator chose another).

    Weights and activations have that dtype, whatever the file holds.  Attention is transformers' default,
    SDPA wherever the architecture has it.  On the device ``split`` the layers are laid over all GPUs, then
    the memory of the CPU, by accelerate; logits come back to the first of them.

    Raises
    ------
    ModelError
        An unknown dtype; configuration, tokenizer or weights are missing or damaged, the configuration asks
        for more than the weights hold, the model needs code of its own that is not allowed, the device is not
        there.
    """
    return _loaded(spec, device, getattr(transformers, FAMILIES[spec.family].auto_class))


def load_body(spec: ModelSpec, device: str = "auto") -> Loaded:
    """Load the model of ``spec`` without its head, for its hidden states; the same rules as :func:`load`.

    A checkpoint may have the head or lack it: it is not read.

    Raises
    ------
    ModelError
        As ``load``.
    """
    return _loaded(spec, device, AutoModel, unread=(POOLER,))


def load_classifier(spec: ModelSpec, device: str = "auto") -> Loaded:
    """Load a model as :func:`load`, with the head that sorts texts into classes; its own code never runs.

    Raises
    ------
    ModelError
        As :func:`load`; its weights have no such head.
    """
    if spec.remote_code:
        raise ModelError(f"The classifier {spec.name} needs code of its own, which none may run here.")
    return _loaded(spec, device, AutoModelForSequenceClassification)


def _loaded(spec: ModelSpec, device: str, kind: Any, unread: tuple[str, ...] = ()) -> Loaded:
    """Load a model; ``kind`` is its class in transformers.

    ``unread``: how tensors begin whose absence does not matter.
    """
    if spec.dtype not in TYPES:
        raise ModelError(
            f"The dtype {spec.dtype!r} of {spec.name} is not known; choose one of {', '.join(DTYPES)}."
        )
    require_allowed_code(spec)
    place = choose_device(settings().device if device == "auto" else device)
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()  # what matters of its report is refused below
    if settings().threads:
        torch.set_num_threads(settings().threads)
    model, tokenizer = _read(spec, _folder(spec), place, kind, unread)
    if place == SPLIT:
        return Loaded(model.eval(), tokenizer, _entry(model))
    return Loaded(model.eval(), tokenizer, place, "" if spec.remote_code else spec.identity)


def _folder(spec: ModelSpec) -> Path:
    """Return where weights and any code allowed to run lie.

    The code may be missing beside weights fetched before.  A GGUF file is converted first.
    """
    if files := gguf_files(spec):
        return converted(spec, files)
    folder = Path(spec.path)
    if not spec.path or (spec.remote_code and not any(folder.glob("*.py"))):
        folder = download(spec)
    if spec.remote_code:
        require_own_code(folder, spec.name)
    return folder


def _read(spec: ModelSpec, folder: Path, place: str, kind: Any, unread: tuple[str, ...]) -> tuple[Any, Any]:
    """Read model and tokenizer from a folder; code of the folder runs only where ``spec`` was allowed to."""
    try:
        if not spec.remote_code:  # whose code does what it likes anyway
            require_layers(folder, spec.name)
        tokenizer = AutoTokenizer.from_pretrained(
            folder, trust_remote_code=spec.remote_code, local_files_only=True
        )
        tokenizer("a")  # where its settings are nonsense this fails, not its loading
        if not spec.remote_code:
            require_extent(folder, spec.name, kind)
        model, report = kind.from_pretrained(
            folder,
            dtype=TYPES[spec.dtype],
            trust_remote_code=spec.remote_code,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # refused below
            device_map="auto" if place == SPLIT else None,
        )
        placed = model if place == SPLIT else model.to(place)
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise ModelError(
            f"The model {spec.name} does not fit into the free memory of {place} as {spec.dtype}: take a "
            "narrower dtype, PCF_DEVICE=split, or serve it and score it as an endpoint."
        ) from error
    except ModelError:
        raise
    except Exception as error:  # whatever transformers trips over in a folder that somebody else wrote
        reason = shorten(f"{type(error).__name__}: {error}", 240, placeholder=" …")
        raise ModelError(
            f"The model {spec.name} cannot be loaded ({reason}); check its config.json, tokenizer "
            "and weights."
        ) from error
    odd = sorted(name for name, *_ in report["mismatched_keys"])
    if odd:
        raise ModelError(
            f"The weights of {spec.name} do not have the shapes that its config.json gives "
            f"({', '.join(odd[:3])}): take both from one checkpoint."
        )
    absent = sorted(name for name in report["missing_keys"] if not name.startswith(unread))
    if absent:  # transformers would fill them with random numbers
        needed = "whole checkpoint" if unread else "checkpoint saved with its head"
        raise ModelError(
            f"The weights of {spec.name} lack {len(absent)} tensors ({', '.join(absent[:3])}): scores would "
            f"be random; use a {needed}."
        )
    return placed, tokenizer


def _entry(model: Any) -> str:
    """Return where accelerate takes the token ids of a model, and gives back its logits."""
    if not hasattr(model, "hf_device_map"):  # all of it went to one place
        return str(model.device)
    cards = [place for place in model.hf_device_map.values() if place not in ("cpu", "disk")]
    return str(torch.device(cards[0])) if cards else "cpu"


def choose_device(wanted: str) -> str:
    """Choose the device: ``auto`` takes a CUDA device, else Apple's, else the CPU; ``split`` needs none.

    Raises
    ------
    ModelError
        A device is asked for that is not there.
    """
    cards = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    apple = ["mps"] if torch.backends.mps.is_available() else []
    available = [*cards[:1], *apple, "cpu"]
    if wanted == "auto":
        return available[0].split(":")[0]
    if wanted == "cuda" and cards:
        return wanted
    there = [*cards, *apple, "cpu", SPLIT]
    if wanted not in there:
        raise ModelError(f"The device {wanted!r} is not available; available are: {', '.join(there)}.")
    return wanted
