"""Write the compressed copy of a teaching model that ships beside it: a GGUF file, as llama.cpp makes them.

    python -m tools.compress_model                       # mini-gpt-s as mini-gpt-s-q4_0
    python -m tools.compress_model --model mini-gpt-l --kind Q8_0 --out FOLDER

Matrices of the layers are stored as ``--kind``, the embedding, which is also the head, in eight bits, and the
rest as it is.  The file has the tokenizer too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import gguf
import numpy as np
import typer
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType, TokenType
from gguf.quants import quantize

from pcf_core.core.settings import ROOT
from pcf_core.models.loading import load
from pcf_core.models.registry import resolve

KINDS = {"Q4_0": LlamaFileType.MOSTLY_Q4_0, "Q8_0": LlamaFileType.MOSTLY_Q8_0}
EMBEDDING = GGMLQuantizationType.Q8_0
SMALL = ("position_embd",)  # matrices that llama.cpp leaves alone
TURNED = ("attn_qkv", "attn_output", "ffn_up", "ffn_down")  # in and out exchanged by GPT-2's layers


def write_copy(model: str, kind: str, path: Path) -> Path:
    """Write a GPT-2 as a GGUF file."""
    loaded = load(resolve(model), "cpu")
    config, tensors = loaded.model.config, loaded.model.state_dict()
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, "gpt2")
    writer.add_name(model)
    writer.add_context_length(config.n_positions)
    writer.add_block_count(config.n_layer)
    writer.add_embedding_length(config.n_embd)
    writer.add_feed_forward_length(config.n_inner or 4 * config.n_embd)
    writer.add_head_count(config.n_head)
    writer.add_layer_norm_eps(config.layer_norm_epsilon)
    writer.add_file_type(KINDS[kind])
    _add_tokenizer(writer, loaded.tokenizer)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.GPT2, config.n_layer)
    for key, tensor in tensors.items():
        if key == "lm_head.weight":  # the embedding again
            continue
        name = names.get_name(key, try_suffixes=(".weight", ".bias"))
        assert name is not None, key
        values = tensor.numpy().astype(np.float32)
        if any(part in name for part in TURNED):
            values = np.ascontiguousarray(values.T)
        _add(writer, name, values, kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add(writer: GGUFWriter, name: str, values: np.ndarray, kind: str) -> None:
    if values.ndim < 2 or name.startswith(SMALL):
        writer.add_tensor(name, values)
        return
    stored = EMBEDDING if name.startswith("token_embd") else GGMLQuantizationType[kind]
    writer.add_tensor(name, quantize(values, stored), raw_dtype=stored)


def _add_tokenizer(writer: GGUFWriter, tokenizer: Any) -> None:
    model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    special = set(tokenizer.all_special_tokens)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if token in special else TokenType.NORMAL for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_unk_token_id(tokenizer.unk_token_id)
    writer.add_add_bos_token(tokenizer("a")["input_ids"][0] == tokenizer.bos_token_id)


def main(
    model: Annotated[str, typer.Option(help="a teaching model that is a GPT-2")] = "mini-gpt-s",
    kind: Annotated[str, typer.Option(help=f"one of {', '.join(KINDS)}")] = "Q4_0",
    out: Annotated[Path | None, typer.Option(help="the folder to write")] = None,
) -> None:
    """Write the file, and say how large it is."""
    name = f"{model}-{kind.lower()}"
    folder = out or ROOT / "assets" / "models" / name
    path = write_copy(model, kind, folder / f"{name}.gguf")
    typer.echo(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    typer.run(main)
