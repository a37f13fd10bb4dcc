"""What a model directory in the hub's layout is, read from its small files and the safetensors headers."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from pcf_core.errors import ModelError
from pcf_core.models.identity import model_hash, tokenizer_hash
from pcf_core.records import Family, ModelSpec

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
VOCABULARIES = tuple(name for name in TOKENIZER_FILES if name not in TOKENIZER_FILES[1:4])
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
SUPPORTED = (
    "supported are …ForMaskedLM (masked) and …ForCausalLM or …LMHeadModel (causal); "
    "T5, BART and other encoder–decoders, and XLNet, are not supported yet"
)
CONTEXT_FIELDS = ("n_positions", "max_position_embeddings", "n_ctx", "max_seq_len", "seq_length")
# Position ids of these begin at pad_token_id + 1, so that many rows of the position table hold no position.
SHIFTED_POSITIONS = (
    "roberta",
    "roberta-prelayernorm",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "data2vec-text",
    "longformer",
    "mpnet",
)
HEADER_LIMIT = 100_000_000  # the safetensors format's own limit, bytes


def describe(folder: Path, name: str, revision: str = "") -> ModelSpec:
    """The specification of a model directory.

    ``identity`` is ``revision`` where one is given (a hub model; its weights may then be missing yet, and
    ``path`` is empty) and otherwise the hash of weights and configuration.

    Raises:
        ModelError: no readable config, unsupported or ambiguous family, no safetensors, no tokenizer.
    """
    config = read_config(folder, name)
    family = family_of(config, name)
    tokenizer = [folder / file for file in TOKENIZER_FILES if (folder / file).is_file()]
    if not any(path.name in VOCABULARIES for path in tokenizer):
        raise ModelError(
            f"The model {name} has no tokenizer: one of {', '.join(VOCABULARIES)} is needed in {folder}; "
            "save its tokenizer there."
        )
    present = weights_present(folder)
    weights = weight_files(folder, name) if present or not revision else []
    title, notes = read_card(folder)
    return ModelSpec(
        name=name,
        family=family,
        path=str(folder.resolve()) if weights else "",
        identity=revision or model_hash(weights, folder / "config.json"),
        tokenizer=tokenizer_hash(tokenizer),
        parameters=sum(count_parameters(path, name) for path in weights),
        context=context_of(config),
        title=title or name,
        notes=notes,
    )


def read_config(folder: Path, name: str) -> Mapping[str, Any]:
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError as error:
        raise ModelError(
            f"The model {name} has no config.json in {folder}; give a directory in the hub's layout."
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"The file {path} of the model {name} cannot be read as JSON: {error}.") from error
    if not isinstance(config, dict):
        raise ModelError(f"The file {path} of the model {name} must hold a JSON object.")
    return config


def family_of(config: Mapping[str, Any], name: str) -> Family:
    """``masked`` or ``causal`` by the names in ``architectures``; anything else is refused, never guessed."""
    architectures = config.get("architectures")
    if not isinstance(architectures, list) or not architectures:
        raise ModelError(
            f"The config.json of the model {name} names no architecture in 'architectures'; {SUPPORTED}."
        )
    families = {_family(str(architecture)) for architecture in architectures}
    if None in families or len(families) != 1 or config.get("is_encoder_decoder"):
        raise ModelError(
            f"The model {name} has the architecture {', '.join(map(str, architectures))}, which cannot be "
            f"scored: {SUPPORTED}."
        )
    (family,) = families
    assert family is not None
    return family


def _family(architecture: str) -> Family | None:
    if architecture.startswith(("XLNet", "XLM", "Flaubert")) and not architecture.startswith("XLMRoberta"):
        return None
    if architecture.endswith("ForMaskedLM"):
        return "masked"
    return "causal" if architecture.endswith(("ForCausalLM", "LMHeadModel")) else None


def context_of(config: Mapping[str, Any]) -> int:
    """Tokens that the model can take, special tokens included; 0 where the config does not say."""
    found = [config[field] for field in CONTEXT_FIELDS if isinstance(config.get(field), int)]
    if not found or found[0] <= 0:
        return 0
    if config.get("model_type") in SHIFTED_POSITIONS:
        padding = config.get("pad_token_id")
        return int(found[0]) - (padding if isinstance(padding, int) else 1) - 1
    return int(found[0])


def weights_present(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("model.safetensors", "model.safetensors.index.json"))


def weight_files(folder: Path, name: str) -> list[Path]:
    """The safetensors file, or all shards that the index names.

    Raises:
        ModelError: none there (pickles are never read), or a shard is missing.
    """
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        names = _shards(index, name)
        missing = [shard for shard in names if not (folder / shard).is_file()]
        if missing:
            raise ModelError(
                f"The model {name} lacks {', '.join(missing)}, named in {index.name}; download it again."
            )
        return [folder / shard for shard in names]
    if (folder / "model.safetensors").is_file():
        return [folder / "model.safetensors"]
    pickles = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
    came = f"only {', '.join(pickles)}" if pickles else "no weights"
    raise ModelError(
        f"The model {name} has {came} in {folder}: only safetensors are read, because other formats can run "
        "code; save it again with save_pretrained(…) as model.safetensors."
    )


def _shards(index: Path, name: str) -> Sequence[str]:
    try:
        names = sorted(
            {str(shard) for shard in json.loads(index.read_text(encoding="utf8"))["weight_map"].values()}
        )
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise ModelError(
            f"The file {index.name} of the model {name} is not a safetensors index; download it again."
        ) from error
    odd = [shard for shard in names if not re.fullmatch(r"[\w.\-]+\.safetensors", shard)]
    if odd or not names:
        raise ModelError(
            f"The file {index.name} of the model {name} names {odd or 'no shards'}; "
            "only files beside it may be named."
        )
    return names


def count_parameters(path: Path, name: str) -> int:
    """Number of weights, from the header of a safetensors file (8 bytes of length, then JSON)."""
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else HEADER_LIMIT + 1
        try:
            if length > HEADER_LIMIT:
                raise ValueError("the header is too long")
            header = json.loads(file.read(length))
            return sum(prod(tensor["shape"]) for key, tensor in header.items() if key != "__metadata__")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ModelError(
                f"The weights {path.name} of the model {name} are damaged ({error}); copy them again."
            ) from error


def read_card(folder: Path) -> tuple[str, str]:
    """(title, notes): the first heading of the model card and the paragraph under it, or empty strings."""
    path = folder / "README.md"
    if not path.is_file():
        return "", ""
    text = re.sub(
        r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf8", errors="replace"), flags=re.DOTALL
    )
    heading = re.search(r"^# +(.+)$", text, flags=re.MULTILINE)
    if heading is None:
        return "", ""
    blocks = [block.strip() for block in text[heading.end() :].split("\n\n")]
    notes = next((block for block in blocks if block and not block.startswith(("#", "|", "```"))), "")
    return heading[1].strip(), " ".join(notes.split())
