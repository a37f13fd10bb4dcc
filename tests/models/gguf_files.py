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
    **{f"self_attn.{part}_proj": f"attn_{part}" for part in "qkv"},
    "self_attn.o_proj": "attn_output",
    **{f"mlp.{part}_proj": f"ffn_{part}" for part in ("gate", "up", "down")},
}
GEMMA = BLOCK | {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
    **{f"self_attn.{part}_norm": f"attn_{part}_norm" for part in "qk"},
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
    pre: str = "gpt-2",
    opens: bool | None = False,
    name: str = "Tiny Llama",
    sentencepiece: bool = False,
    spaced: bool | None = None,
    merges: int | None = None,
) -> Path:
    """Write a Llama or Gemma as llama.cpp's converter does, with ``extra`` entries and further ``tensors``.

    ``pre``: how its tokenizer splits texts; ``opens``: whether they open with the first token.
    ``sentencepiece``: its tokenizer is one of few letters; ``spaced``: whether a space comes before a text.
    ``merges``: how many of its tokenizer's merges are kept, all by default.
    """
    loaded = loaded or tiny_llama()
    config = loaded.model.config
    writer = GGUFWriter(path, architecture)
    writer.add_name(name)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    rope = config.rope_parameters
    writer.add_rope_freq_base(rope.get("full_attention", rope)["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_file_type(LlamaFileType.MOSTLY_Q8_0 if quantized else LlamaFileType.ALL_F32)
    gemma = architecture.startswith("gemma")
    if gemma:
        writer.add_key_length(config.head_dim)
        writer.add_value_length(config.head_dim)
        writer.add_sliding_window(config.sliding_window)
    if sentencepiece:
        _add_sentencepiece(writer, config.vocab_size, spaced)
    else:
        _add_tokenizer(writer, loaded.tokenizer, pre, opens, merges)
    for key, value in (extra or {}).items():
        writer.add_key_value(key, value, _kind(value))
    for key, weight in loaded.model.state_dict().items():
        if gemma and key == "lm_head.weight":  # as the embedding
            continue
        values = (weight if gemma else _permuted(key, weight, config)).numpy().astype(np.float32)
        values = values + 1 if gemma and key.endswith("norm.weight") else values
        stored = _stored_name(key, GEMMA if gemma else BLOCK)
        if quantized and values.ndim == 2:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(stored, quants.quantize(values, kind), raw_dtype=kind)
        else:
            writer.add_tensor(stored, values)
    for stored, values in (tensors or {}).items():
        writer.add_tensor(stored, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _kind(value: Any) -> Any:
    from gguf.constants import GGUFValueType

    return GGUFValueType.UINT32 if isinstance(value, int) else GGUFValueType.get_type(value)


def _stored_name(name: str, block: Mapping[str, str]) -> str:
    module, _, what = name.rpartition(".")
    if module in WHOLE:
        return f"{WHOLE[module]}.{what}"
    _, _, layer, part = module.split(".", 3)
    return f"blk.{layer}.{block[part]}.{what}"


def _permuted(name: str, weight: torch.Tensor, config: Any) -> torch.Tensor:
    """Queries and keys as llama.cpp has them: halves of a head lie in turns."""
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for part, count in heads.items():
        if part in name:
            halves = weight.reshape(count, 2, weight.shape[0] // count // 2, *weight.shape[1:])
            return halves.swapaxes(1, 2).reshape(weight.shape)
    return weight


def _add_tokenizer(
    writer: GGUFWriter, tokenizer: Any, pre: str, opens: bool | None, merges: int | None
) -> None:
    model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    special = set(tokenizer.all_special_tokens)
    writer.add_tokenizer_model("gpt2")
    if pre:
        writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if token in special else TokenType.NORMAL for token in tokens])
    if kept := model["merges"][:merges]:
        writer.add_token_merges([" ".join(pair) for pair in kept])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_unk_token_id(tokenizer.unk_token_id)
    if opens is not None:
        writer.add_add_bos_token(opens)
    writer.add_chat_template(TEMPLATE)


def _add_sentencepiece(writer: GGUFWriter, size: int, spaced: bool | None) -> None:
    pieces = ["▁", "a", "b", "▁a", "ab", "▁ab"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    unused = [f"<unused{number}>" for number in range(size - len(tokens))]
    kinds = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL] + [TokenType.BYTE] * 256
    kinds += [TokenType.NORMAL] * len(pieces) + [TokenType.UNUSED] * len(unused)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([*tokens, *unused])
    writer.add_token_scores([-float(number) for number in range(size)])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    if spaced is not None:
        writer.add_add_space_prefix(spaced)
