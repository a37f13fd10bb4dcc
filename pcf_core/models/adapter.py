"""Describe an adapter: a folder with a change (LoRA) to the weights of another model, its base.

``conversion.py`` merges it into the base.  Settings that would change the base in a way that is not merged
exactly, or that are not known, are refused; what is left can be hashed, and be read by any process.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pcf_core.core.errors import ModelError
from pcf_core.core.records import digest, first_problem
from pcf_core.core.run import ModelSpec
from pcf_core.models.folder import (
    FURTHER_VOCABULARIES,
    PICKLES,
    VOCABULARIES,
    chat_template_hash,
    file_hash,
    first,
    read_small,
    read_tensors,
    shortened,
    tokenizer_identity,
)
from pcf_core.models.gguf import SUFFIX
from pcf_core.models.names import split_name

ADAPTER = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
KIND = "LORA"
LIBRARY = "requirements-peft.txt"
LONGEST_REASON = 240  # characters
CHECKPOINT = re.compile(r"checkpoint-\d+")  # of a training, beside its result
Rank = Annotated[int, Field(gt=0, le=2**20)]
# A regular expression that is quick on any name of a layer.
Layers = Annotated[str, Field(pattern=r"^\^?[\w.\\]*(\.\*[\w.\\]*){0,2}\$?$", max_length=200)]
# Where training starts without a change to the base; other ways change its weights first.
STARTS = (True, False, "gaussian", "orthogonal", "eva")
# Settings without effect on merged weights.
WITHOUT_EFFECT = {
    "auto_mapping",
    "corda_config",
    "eva_config",
    "inference_mode",
    "layers_pattern",
    "loftq_config",
    "lora_dropout",
    "lora_ga_config",
    "megatron_core",
    "peft_version",
    "qalora_group_size",
    "runtime_config",
    "task_type",
}
ELSEWHERE = (
    "merge it into its model where it was trained (PEFT's merge_and_unload()), save the result with its "
    "tokenizer, and give that directory"
)


class Lora(BaseModel):
    """The settings of a LoRA that decide the merged weights, named as in its file.

    ``r``: its rank, and ``rank_pattern`` of some layers; the change is ``lora_alpha`` / ``r`` · B · A.
    ``target_modules``: the layers that it changes; ``None`` for those that its weights name.
    """

    model_config = ConfigDict(frozen=True, strict=True)

    r: Rank = 8
    lora_alpha: float = Field(8, allow_inf_nan=False)
    target_modules: list[str] | None = None
    modules_to_save: list[str] | None = None
    rank_pattern: dict[Layers, Rank] = {}
    alpha_pattern: dict[Layers, Annotated[float, Field(allow_inf_nan=False)]] = {}
    fan_in_fan_out: bool = False
    bias: Literal["none", "all", "lora_only"] = "none"
    use_rslora: bool = False
    use_dora: bool = False
    lora_bias: bool = False


class _File(Lora):
    """``adapter_config.json``, with what is asked but not merged, and, as extra fields, what is not known."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    peft_type: str
    base_model_name_or_path: str | None = None
    revision: str | None = None
    init_lora_weights: bool | str = True
    target_modules: list[str] | str | None = None  # type: ignore[assignment]  # a text is an expression
    exclude_modules: list[str] | str | None = None
    layers_to_transform: list[int] | int | None = None

    @property
    def lora(self) -> Lora:
        """The decisive settings; only a plain list of layers is compared with the weights."""
        modules = self.target_modules
        plain = isinstance(modules, list) and not self.exclude_modules and self.layers_to_transform is None
        values = {field: getattr(self, field) for field in Lora.model_fields}
        return Lora(**values | {"target_modules": modules if plain else None})


@dataclass(frozen=True)
class Adapter:
    """An adapter that can be merged.

    ``base``: the model that it changes, as its file names it.  ``identity``: hash of weights and settings.
    """

    folder: Path
    base: str
    lora: Lora
    identity: str

    @property
    def weights(self) -> Path:
        """The file of its weights."""
        return self.folder / WEIGHTS

    @property
    def has_tokenizer(self) -> bool:
        """Whether it came with a tokenizer, which then takes the place of the base's."""
        return any((self.folder / file).is_file() for file in (*VOCABULARIES, *FURTHER_VOCABULARIES))


def read_adapter(folder: Path, name: str, *, alone: bool = True) -> Adapter:
    """Read an adapter without its weights; ``alone``: refuse a folder that holds further ones.

    Raises ModelError for a file that is damaged, of another kind or layout, or cannot be merged exactly, and
    without the library that merges.
    """
    read = _read_settings(folder / ADAPTER, name)
    if alone:
        _require_one(folder, name)
    weights = folder / WEIGHTS
    if not weights.is_file():
        pickles = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
        came = f"only {first(pickles)}" if pickles else "no weights"
        raise ModelError(
            f"The adapter {name} has {came} in {folder}, but only {WEIGHTS} can be read, because other "
            "formats can run code: save it again with PEFT's save_pretrained(…)."
        )
    tensors = read_tensors(weights, name)
    ranks = (read.r, *read.rank_pattern.values())
    largest = max((length for tensor in tensors.values() for length in tensor["shape"]), default=0)
    if max(ranks) > largest:
        raise ModelError(
            f"The adapter {name} states the rank {max(ranks):,}, but no side of a tensor in "
            f"{WEIGHTS} is longer than {largest:,}: take both files from one checkpoint."
        )
    if find_spec("peft") is None:
        raise ModelError(
            f"The model {name} is an adapter, which needs the library peft: run pip install -r {LIBRARY}, or "
            f"{ELSEWHERE}."
        )
    base = (read.base_model_name_or_path or "").strip()
    if not base:
        raise ModelError(
            f"The adapter {name} does not say which model it changes: write the model's name or folder as "
            f"base_model_name_or_path into {folder / ADAPTER}."
        )
    revised = read.revision not in (None, "", "main")
    return Adapter(
        folder=folder,
        base=f"{base}@{read.revision}" if revised and split_name(base).is_hub_id else base,
        lora=read.lora,
        identity=digest([file_hash(weights), read.lora.model_dump()]),
    )


def _read_settings(path: Path, name: str) -> _File:
    """Read the file, and refuse what would not be merged exactly."""
    try:
        read = _File.model_validate_json(read_small(path))
    except ValidationError as error:
        said = shortened(str(first_problem(error)), LONGEST_REASON)
        raise ModelError(
            f"The file {path} of the adapter {name} is damaged, or not one of PEFT ({said}): copy it again."
        ) from error
    except (OSError, ValueError) as error:
        raise ModelError(
            f"The file {path} of the adapter {name} cannot be read ({error}): copy it again."
        ) from error
    if read.peft_type != KIND:
        raise ModelError(
            f"The adapter {name} is of the kind {read.peft_type[:80]!r}, and only LoRA is merged here: "
            f"{ELSEWHERE}."
        )
    if read.init_lora_weights not in STARTS:
        raise ModelError(
            f"The adapter {name} was trained beside a changed copy of its model (init_lora_weights = "
            f"{str(read.init_lora_weights)[:80]!r}): {ELSEWHERE}."
        )
    further = read.model_extra or {}
    unknown = [key for key, value in further.items() if value and key not in WITHOUT_EFFECT]
    if unknown:
        listed = shortened(first(sorted(unknown)), LONGEST_REASON)
        raise ModelError(f"The adapter {name} has settings that are not merged here ({listed}): {ELSEWHERE}.")
    return read


def _require_one(folder: Path, name: str) -> None:
    """Refuse further adapters, in files or subfolders; saved steps of a training are none."""
    inside = {path.parent.name for path in folder.glob(f"*/{ADAPTER}")}
    others = [f"{one}/" for one in sorted(inside) if not CHECKPOINT.fullmatch(one)]
    others += sorted(path.name for path in folder.glob("adapter*.safetensors") if path.name != WEIGHTS)
    if others:
        raise ModelError(
            f"The folder {folder} of the model {name} holds several adapters ({first([WEIGHTS, *others])}): "
            f"give {folder / ADAPTER} if the first is meant, else a folder with the one that is."
        )


def adapter_spec(adapter: Adapter, name: str, base: ModelSpec) -> ModelSpec:
    """Describe the model that an adapter makes of its base.

    ``identity`` depends on the base, the weights and the settings, and not on where they are.  Raises
    ModelError for a base that cannot be changed.
    """
    if base.remote_code:
        raise ModelError(
            f"The adapter {name} changes the model {base.name}, which needs code of its own, and into such a "
            f"model nothing is merged here: {ELSEWHERE}."
        )
    if base.text_part_of:
        raise ModelError(
            f"The adapter {name} changes the model {base.name}, of which only the text part is read here, "
            f"and nothing can be merged into that: {ELSEWHERE}."
        )
    if base.quantization and not base.path.endswith(SUFFIX):
        raise ModelError(
            f"The adapter {name} changes the model {base.name}, whose weights are compressed "
            f"({base.quantization}), and nothing can be merged into such weights: write the model before "
            f"compression as base_model_name_or_path into {adapter.folder / ADAPTER}."
        )
    family = split_name(base.name).family
    own: dict[str, Any] = {}
    if adapter.has_tokenizer:
        own["tokenizer"] = tokenizer_identity(adapter.folder, name, Path(base.path) if base.path else None)
        own["chat_template"] = chat_template_hash(adapter.folder)
    short = adapter.folder.name if Path(name).is_absolute() else name
    return base.model_copy(
        update={
            "name": f"{family}:{name}" if family else name,
            "path": str(adapter.folder.resolve()),
            "identity": hashlib.sha256(f"{base.identity}+{adapter.identity}".encode()).hexdigest(),
            "kind": "own",
            "title": f"{base.title or base.name} + {short}",
            "opening": None,
            "notes": f"The model {base.name} with an adapter, which is merged into it.",
            "base": base.name,
            **own,
        }
    )
