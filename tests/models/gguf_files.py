"""GGUF files made on the spot: tiny models with random weights, written by the package ``gguf``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFWriter, quants
from gguf.constants import GGMLQuantizationType, LlamaFileType, TokenType

from pcf_core.models.loading import Loaded
from tests.models.scoring.conftest import GROUPED, build
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer

TEMPLATE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
BLOCK = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def tiny_llama() -> Loaded:
    return build("LlamaForCausalLM", gpt2_tokenizer, **GROUPED)


def write_gguf(
    path: Path,
    loaded: Loaded | None = None,
    *,
    architecture: str = "llama",
    quantized: bool = False,
    extra: Mapping[str, Any] | None = None,
    tensors: Mapping[str, np.ndarray] | None = None,
) -> Path:
    """Write a Llama as llama.cpp's converter does, with ``extra`` entries and further ``tensors``."""
    loaded = loaded or tiny_llama()
    config = loaded.model.config
    writer = GGUFWriter(path, architecture)
    writer.add_name("Tiny Llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_file_type(LlamaFileType.MOSTLY_Q8_0 if quantized else LlamaFileType.ALL_F32)
    _add_tokenizer(writer, loaded.tokenizer)
    for key, value in (extra or {}).items():
        writer.add_key_value(key, value, _kind(value))
    for name, weight in loaded.model.state_dict().items():
        values = _permuted(name, weight, config).numpy().astype(np.float32)
        stored = _stored_name(name)
        if quantized and values.ndim == 2:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(stored, quants.quantize(values, kind), raw_dtype=kind)
        else:
            writer.add_tensor(stored, values)
    for name, values in (tensors or {}).items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _kind(value: Any) -> Any:
    from gguf.constants import GGUFValueType

    return GGUFValueType.UINT32 if isinstance(value, int) else GGUFValueType.get_type(value)


def _stored_name(name: str) -> str:
    module, _, what = name.rpartition(".")
    if module in WHOLE:
        return f"{WHOLE[module]}.{what}"
    _, _, layer, part = module.split(".", 3)
    return f"blk.{layer}.{BLOCK[part]}.{what}"


def _permuted(name: str, weight: torch.Tensor, config: Any) -> torch.Tensor:
    """Queries and keys as llama.cpp has them: halves of a head lie in turns."""
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for part, count in heads.items():
        if part in name:
            halves = weight.reshape(count, 2, weight.shape[0] // count // 2, *weight.shape[1:])
            return halves.swapaxes(1, 2).reshape(weight.shape)
    return weight


def _add_tokenizer(writer: GGUFWriter, tokenizer: Any) -> None:
    model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    special = set(tokenizer.all_special_tokens)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if token in special else TokenType.NORMAL for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_unk_token_id(tokenizer.unk_token_id)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
