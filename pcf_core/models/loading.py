"""Load a model in evaluation mode: safetensors only, its own code only if allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
import transformers
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer
from transformers.quantizers.auto import AutoHfQuantizer

from pcf_core.core.errors import ModelError
from pcf_core.core.families import FAMILIES
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.adapter import read_adapter
from pcf_core.models.compression import compression, quantizations
from pcf_core.models.conversion import converted, merged, require_merges
from pcf_core.models.extent import require_extent, require_layers, require_tokenizer
from pcf_core.models.folder import (
    TOKENIZER_SETTINGS,
    is_corrected,
    read_config,
    read_tensors,
    require_unchanged,
    tokenizer_files,
    weight_files,
)
from pcf_core.models.hub import download, require_allowed_code, require_own_code
from pcf_core.models.names import DTYPES
from pcf_core.models.public import gguf_files
from pcf_core.models.registry import resolve
from pcf_core.models.textpart import TextPart, towers_of
from pcf_core.models.tokenizer_faults import CORRECTED_NOTE, heard

TYPES = {dtype: getattr(torch, dtype) for dtype in DTYPES}
SPLIT = "split"
NOWHERE = "-"  # where transformers looks for adapters, which it would add to the weights
WHOLE_NUMBERS = re.compile("[IU][0-9]+")  # number types in safetensors files
DIGITS_OF_HASH = 64  # of SHA-256
CLASSIFIER = AutoModelForSequenceClassification
POOLER = "pooler."  # a layer for whole texts, which hidden states do not need

# Tensors that files may have although no score depends on them, beyond those that transformers names
# (``_keys_to_ignore_on_load_unexpected``).
HARMLESS = (
    # Tables computed from the configuration, saved by older versions: frequencies and sines of positions,
    # positions, distances, and segments that are all 0.
    r"(^|\.)((original_)?inv_freq|(cos|sin)_cached|position_ids|token_type_ids|relative_position_index)$",
    r"(^|\.)embed_positions\.(weights|_float_tensor|inv_freq)$",
    # The causal mask as saved by GPT-2 and similar models, and its value.
    r"(^|\.)(attn|attention)(\.attention)?\.(bias|masked_bias|causal_mask)$",
    # Versions, counts of training steps, and scales of a cache of keys and values.
    r"(^|\.)(version|num_batches_tracked|_extra_state)$",
    r"(^|\.)(self_attn|attn)\.(k_scale|v_scale|(k_proj|v_proj)\.output_scale)$",
    # Heads for other tasks: whole texts, next sentence, sentence order, replaced words, and rewards.
    r"(^|\.)pooler\.",
    r"^cls\.seq_relationship\.",
    r"^(sop_classifier|discriminator_predictions|mask_predictions|v_head)\.",
    # Layers that predict further tokens, to speed up generation.
    r"(^|\.)mtp(_\w+)?\.",
    # Parts for pictures and sound.
    r"^(model\.)?(visual|vision_tower|vision_model|audio_tower|multi_modal_projector|embed_(vision|audio))\.",
)


@dataclass(frozen=True)
class Loaded:
    """A model in evaluation mode, and its tokenizer; token ids go to ``device``.

    ``identity``: the hash of weights and configuration if they alone decide what the model computes; empty if
    it has code of its own, is on several devices, or was made in memory.  ``text_part_of``: as in
    :class:`~pcf_core.core.run.ModelSpec`.  ``notes``: on faults of the tokenizer, a sentence each.
    """

    model: Any
    tokenizer: Any
    device: str
    identity: str = ""
    text_part_of: str = ""
    notes: tuple[str, ...] = ()


def load(spec: ModelSpec, device: str = "auto") -> Loaded:
    """Load the model of ``spec`` in its dtype, whatever the file has.

    Attention is transformers' default, SDPA if available.  On the device ``split`` accelerate distributes the
    layers over all GPUs, then the CPU; logits come back to the first.

    Raises ModelError for an unknown dtype or device, unusable files, and code of its own that is not allowed.
    """
    return _loaded(spec, device, getattr(transformers, FAMILIES[spec.family].auto_class))


def load_body(spec: ModelSpec, device: str = "auto") -> Loaded:
    """Load the model of ``spec`` without its head, for its hidden states; raises as :func:`load`."""
    return _loaded(spec, device, AutoModel, absent=(POOLER,))


def load_classifier(spec: ModelSpec, device: str = "auto") -> Loaded:
    """Load a model with a classification head; raises as :func:`load`, and for code of its own."""
    if spec.remote_code:
        raise ModelError(
            f"The classifier {spec.name} needs code of its own, which is not allowed: choose another."
        )
    return _loaded(spec, device, CLASSIFIER)


def load_tokenizer(spec: ModelSpec) -> Any:
    """Load the tokenizer of ``spec`` alone; raises as :func:`load`."""
    require_allowed_code(spec)
    transformers.utils.logging.set_verbosity_error()
    if spec.base and not read_adapter(Path(spec.path), spec.name, alone=False).has_tokenizer:
        return load_tokenizer(resolve(spec.base))
    folder = Path(spec.path) if spec.base else _folder(spec)
    with _loading_errors(spec, "cpu"):
        return _read_tokenizer(spec, folder)[0]


def _loaded(spec: ModelSpec, device: str, kind: Any, absent: tuple[str, ...] = ()) -> Loaded:
    """Load a model by its class in transformers; ``absent``: prefixes of tensors that may be missing."""
    if spec.dtype not in TYPES:
        raise ModelError(
            f"The dtype {spec.dtype!r} of {spec.name} is unknown: choose one of {', '.join(DTYPES)}."
        )
    require_allowed_code(spec)
    target = choose_device(settings().device if device == "auto" else device)
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()  # important parts of its report are refused below
    if settings().threads:
        torch.set_num_threads(settings().threads)
    folder = _folder(spec)
    model, tokenizer, notes = _read(spec, folder, target, kind, absent)
    if spec.path == str(folder) and len(spec.identity) == DIGITS_OF_HASH:  # not a hub revision
        require_unchanged(spec, folder)
    if target == SPLIT:
        return Loaded(model.eval(), tokenizer, _entry(model), "", spec.text_part_of, notes)
    identity = "" if spec.remote_code else spec.identity
    return Loaded(model.eval(), tokenizer, target, identity, spec.text_part_of, notes)


def _folder(spec: ModelSpec) -> Path:
    """Return the folder of the weights, downloading or converting if needed, also missing code."""
    if files := gguf_files(spec):
        return converted(spec, files)
    if spec.base:
        return merged(spec, _whole)
    folder = Path(spec.path)
    if not spec.path or (spec.remote_code and not any(folder.glob("*.py"))):
        folder = download(spec)
    if spec.remote_code:
        require_own_code(folder, spec.name)
    return folder


def _whole(spec: ModelSpec) -> tuple[Any, Path]:
    """Load the base of an adapter, which is merged in float32, with the folder of its files."""
    return load(spec.with_dtype("float32"), "cpu").model, _folder(spec)


def _read(
    spec: ModelSpec, folder: Path, target: str, kind: Any, absent: tuple[str, ...]
) -> tuple[Any, Any, tuple[str, ...]]:
    """Read model, tokenizer and its faults from a folder, whose code runs only if ``spec`` allows."""
    opened = TextPart(kind) if spec.text_part_of else kind
    with _loading_errors(spec, target):
        if not spec.remote_code:  # a model's own code may build anything
            require_layers(folder, spec.name)
            _require_quantization(folder, spec.name)
        tokenizer, notes = _read_tokenizer(spec, _lending_base(spec) or folder)
        if not spec.remote_code:
            require_extent(folder, spec.name, opened)
        model, report = opened.from_pretrained(
            folder,
            dtype=TYPES[spec.dtype],
            trust_remote_code=spec.remote_code,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # refused below
            device_map="auto" if target == SPLIT else None,
            adapter_kwargs={"subfolder": NOWHERE},
        )
        placed = model if target == SPLIT else model.to(target)
    _require_whole(spec, model, report, kind, absent)
    return placed, tokenizer, notes


def _lending_base(spec: ModelSpec) -> Path | None:
    """Return the folder of an adapter's base if it lends its tokenizer, which is read as it is there.

    A merged model is written by the installed transformers, which corrects nothing there.
    """
    if not spec.base or read_adapter(Path(spec.path), spec.name, alone=False).has_tokenizer:
        return None
    return _base_folder(spec)


def _base_folder(spec: ModelSpec) -> Path | None:
    """Return the folder of an adapter's base, ``None`` for other models and for a base in a GGUF file."""
    base = Path(resolve(spec.base).path) if spec.base else None
    return base if base and base.is_dir() else None


def _read_tokenizer(spec: ModelSpec, folder: Path) -> tuple[Any, tuple[str, ...]]:
    """Read a tokenizer with the corrections that are part of its key, and what is wrong with it."""
    require_tokenizer(folder, spec.name)
    base = _base_folder(spec)
    correction = {"fix_mistral_regex": True} if is_corrected(folder, base) else {}
    with heard() as faults:
        tokenizer = AutoTokenizer.from_pretrained(
            folder, trust_remote_code=spec.remote_code, local_files_only=True, **correction
        )
    if correction and base:  # transformers decides by config.json, which no tokenizer of an adapter has
        tokenizer._patch_mistral_regex(tokenizer.backend_tokenizer, base, local_files_only=True, **correction)
    tokenizer("a")  # fails for nonsense settings
    _require_vocabulary(tokenizer, folder, spec.name)
    if gguf_files(spec):
        require_merges(tokenizer, spec.name)
    return tokenizer, (*([CORRECTED_NOTE] if correction else []), *faults)


def _require_vocabulary(tokenizer: Any, folder: Path, name: str) -> None:
    """Raise ModelError for a tokenizer of special tokens alone, made where its class reads another file."""
    if not getattr(tokenizer, "is_fast", False) or set(tokenizer.get_vocab()) - set(
        tokenizer.all_special_tokens
    ):
        return
    there, read = (
        ", ".join(sorted(names))
        for names in (
            {path.name for path in tokenizer_files(folder, name) if path.name not in TOKENIZER_SETTINGS},
            set(tokenizer.vocab_files_names.values()),
        )
    )
    raise ModelError(
        f"The tokenizer of {name} cannot be read from {there}: its class {type(tokenizer).__name__} reads "
        f"{read}. Rename the file if it is one of these, or save tokenizer.json in {folder}."
    )


@contextmanager
def _loading_errors(spec: ModelSpec, target: str) -> Iterator[None]:
    """Turn errors of transformers into ModelError."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise ModelError(
            f"The model {spec.name} does not fit into the free memory of {target} as {spec.dtype}: use a "
            "narrower dtype or PCF_DEVICE=split, or serve the model and connect it as an endpoint."
        ) from error
    except ModelError:
        raise
    except Exception as error:  # transformers may fail in any way
        reason = shorten(f"{type(error).__name__}: {error}", 240, placeholder=" …")
        raise ModelError(
            f"The model {spec.name} cannot be loaded ({reason}): check its config.json, tokenizer and "
            "weights."
        ) from error


def _require_whole(
    spec: ModelSpec, model: Any, report: Mapping[str, Any], kind: Any, absent: tuple[str, ...]
) -> None:
    odd = sorted(name for name, *_ in report["mismatched_keys"])
    if odd:
        raise ModelError(
            f"The weights of {spec.name} do not have the shapes stated in its config.json "
            f"({', '.join(odd[:3])}): take both from one checkpoint."
        )
    missing = sorted(name for name in report["missing_keys"] if not name.startswith(absent))
    if missing:  # transformers would fill them with random numbers
        needed = "whole checkpoint" if absent else "checkpoint saved with its head"
        raise ModelError(
            f"The weights of {spec.name} lack {len(missing)} tensors ({', '.join(missing[:3])}), so scores "
            f"would be random: use a {needed}."
        )
    unread = sorted(_unread(report["unexpected_keys"], model, heads=kind not in (AutoModel, CLASSIFIER)))
    if unread:  # transformers would leave them out
        raise ModelError(
            f"The weights of {spec.name} hold {len(unread):,} tensors that its class {type(model).__name__} "
            f"does not use (for example {unread[0][:120]!r}), so the scores would be wrong: take weights and "
            "config.json from one checkpoint, in a number type and a quantization that transformers "
            "supports, or serve the model and connect it as an endpoint."
        )


def _require_quantization(folder: Path, name: str) -> None:
    """Refuse compressed weights that cannot be read here, before transformers reads them."""
    config = read_config(folder, name)
    how, packings = compression(config, name), quantizations(config)
    for packing in packings:
        if not AutoHfQuantizer.supports_quant_method(packing):
            raise ModelError(
                f"According to its config.json the weights of the model {name} are quantized by the method "
                f"{str(packing.get('quant_method'))[:80]!r}, which transformers {transformers.__version__} "
                "does not support: use the checkpoint before quantization, or serve the model and connect "
                "it as an endpoint."
            )
        try:
            AutoHfQuantizer.from_config(dict(packing), pre_quantized=True).validate_environment()
        except ImportError as error:
            raise ModelError(
                f"The weights of the model {name} are compressed ({how}), and a library that reads them "
                f"is missing ({shorten(str(error), 240, placeholder=' …')}): install it, use the checkpoint "
                "before compression, or serve the model and connect it as an endpoint."
            ) from error
        except Exception as error:  # a method may fail in any way
            raise ModelError(
                f"The weights of the model {name} are compressed ({how}) in a way that cannot be read here "
                f"({shorten(str(error), 240, placeholder=' …')}): check the quantization_config in its "
                "config.json, use the checkpoint before compression, or serve the model and connect it as an "
                "endpoint."
            ) from error
    for path in () if packings else weight_files(folder, name):
        for key, tensor in read_tensors(path, name).items():
            if key.endswith("weight") and WHOLE_NUMBERS.fullmatch(str(tensor.get("dtype"))):
                raise ModelError(
                    f"The weights {path.name} of the model {name} hold whole numbers ({tensor['dtype']}) for "
                    f"{key[:120]!r}, but its config.json has no quantization_config that explains them: use "
                    "the checkpoint before quantization, or serve the model and connect it as an endpoint."
                )


def _unread(keys: Iterable[str], model: Any, heads: bool) -> Iterator[str]:
    """Yield the tensors that the model should have read; ``heads``: also those outside its modules."""
    config = model.config.get_text_config()
    # Layers after the last that predict further tokens (DeepSeek-V3, GLM-4.5).
    last, extra = getattr(config, "num_hidden_layers", 0), getattr(config, "num_nextn_predict_layers", 0) or 0
    further = [rf"(^|\.)layers\.{layer}\." for layer in range(last, last + extra)]
    harmless = re.compile("|".join((*HARMLESS, *further)))
    parts = {name for name, _ in model.named_children()}
    towers = towers_of(model)
    for key in keys:
        module = key.removeprefix(f"{model.base_model_prefix}.").partition(".")[0]
        if key.startswith(towers):
            continue
        if not harmless.search(key) and (heads or module in parts):
            yield key


def _entry(model: Any) -> str:
    """Return the device of token ids and logits under accelerate."""
    if not hasattr(model, "hf_device_map"):  # on one device
        return str(model.device)
    cards = [device for device in model.hf_device_map.values() if device not in ("cpu", "disk")]
    return str(torch.device(cards[0])) if cards else "cpu"


def choose_device(wanted: str) -> str:
    """Choose the device: ``auto`` takes CUDA, else Apple's, else the CPU; ModelError if unavailable."""
    cards = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    apple = ["mps"] if torch.backends.mps.is_available() else []
    available = [*cards[:1], *apple, "cpu"]
    if wanted == "auto":
        return available[0].split(":")[0]
    if wanted == "cuda" and cards:
        return wanted
    there = [*cards, *apple, "cpu", SPLIT]
    if wanted not in there:
        raise ModelError(f"The device {wanted!r} is not available: choose one of {', '.join(there)}.")
    return wanted
