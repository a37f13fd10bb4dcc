"""A configuration that asks for more than the weights hold: refused before anything is built."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedConfig,
)
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from pcf_core.core.errors import ModelError
from pcf_core.models.extent import Extent, _growth, require_extent, require_layers, require_tokenizer
from pcf_core.models.loading import load
from pcf_core.models.registry import resolve
from tests.models.conftest import edit, write_model

SIZES = {"vocab_size": 40, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
WIDE = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 24, "num_hidden_layers": 3}
LLAMA = {**WIDE, "num_key_value_heads": 1, "head_dim": 8}
T5 = {"d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 3, "num_decoder_layers": 2, "num_heads": 2}
BART = {
    f"{half}_{part}": size
    for half, layers in (("encoder", 3), ("decoder", 2))
    for part, size in (("layers", layers), ("attention_heads", 2), ("ffn_dim", 24))
} | {"d_model": 16}
GPT2 = {"n_embd": 16, "n_layer": 3, "n_head": 2, "n_positions": 32}
MASKED, CAUSAL, SEQ2SEQ = AutoModelForMaskedLM, AutoModelForCausalLM, AutoModelForSeq2SeqLM
# Of each kind a tiny model, and the names of its numbers of layers.
LAYERS = ("num_hidden_layers",)
FAMILIES: dict[str, tuple[Any, dict[str, Any], tuple[str, ...]]] = {
    **dict.fromkeys(
        ("bert", "roberta", "xlm-roberta", "deberta-v2", "modernbert", "mpnet"), (MASKED, WIDE, LAYERS)
    ),
    "electra": (MASKED, {**WIDE, "embedding_size": 8}, LAYERS),
    "distilbert": (MASKED, {"dim": 16, "hidden_dim": 24, "n_heads": 2, "n_layers": 3}, ("n_layers",)),
    "albert": (MASKED, {**WIDE, "embedding_size": 8}, LAYERS),  # layers that are shared
    "gpt2": (CAUSAL, GPT2, ("n_layer",)),
    "gpt_neo": (
        CAUSAL,
        {"hidden_size": 16, "num_heads": 2, "num_layers": 3, "attention_types": [[["global"], 3]]},
        ("num_layers",),
    ),
    "gptj": (CAUSAL, {**GPT2, "rotary_dim": 4}, ("n_layer",)),
    "bloom": (CAUSAL, {"hidden_size": 16, "n_layer": 3, "n_head": 2}, ("n_layer",)),
    "opt": (CAUSAL, {**WIDE, "ffn_dim": 24, "word_embed_proj_dim": 16}, LAYERS),
    **dict.fromkeys(("gpt_neox", "falcon", "phi"), (CAUSAL, WIDE, LAYERS)),
    "mpt": (CAUSAL, {"d_model": 16, "n_heads": 2, "n_layers": 3}, ("n_layers",)),
    **dict.fromkeys(("llama", "mistral", "gemma2", "gemma3_text", "qwen2", "qwen3"), (CAUSAL, LLAMA, LAYERS)),
    "mixtral": (CAUSAL, {**LLAMA, "num_local_experts": 4}, LAYERS),
    "mamba": (CAUSAL, {"hidden_size": 16, "num_hidden_layers": 3, "state_size": 4}, LAYERS),
    "t5": (SEQ2SEQ, T5, ("num_layers", "num_decoder_layers")),
    "mt5": (SEQ2SEQ, T5, ("num_layers", "num_decoder_layers")),
    "bart": (SEQ2SEQ, BART, ("encoder_layers", "decoder_layers")),
    "xlnet": (CAUSAL, {"d_model": 16, "n_layer": 3, "n_head": 2, "d_inner": 24}, ("n_layer",)),
}


@pytest.fixture
def save(tmp_path: Path) -> Callable[[str], Path]:
    def saved(kind: str) -> Path:
        auto, sizes, _ = FAMILIES[kind]
        config: PreTrainedConfig = CONFIG_MAPPING[kind](**SIZES, **sizes)
        auto.from_config(config).save_pretrained(tmp_path / kind)
        return tmp_path / kind

    return saved


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_family_passes_as_it_is_and_no_layer_count_is_believed(
    kind: str, save: Callable[[str], Path]
) -> None:
    auto, _, fields = FAMILIES[kind]
    folder = save(kind)
    require_layers(folder, kind)
    require_extent(folder, kind, auto)
    require_extent(folder, kind, AutoModel)
    for field in fields:
        assert field in json.loads((folder / "config.json").read_text())
        honest = (folder / "config.json").read_bytes()
        for layers in (100_000_000, 10**400):
            edit(folder, **{field: layers})
            began = time.monotonic()
            with pytest.raises(ModelError, match=rf"layers \({field}\), where its weights hold \d+ tensors"):
                require_layers(folder, kind)
            assert time.monotonic() - began < 5
        (folder / "config.json").write_bytes(honest)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("gpt2", {"n_embd": 2**24}),
        ("gpt2", {"n_positions": 2**40}),
        ("gpt2", {"vocab_size": 2**40}),
        ("bert", {"vocab_size": 2**40}),
        ("bert", {"intermediate_size": 2**40}),
        ("llama", {"intermediate_size": 2**40}),
        ("llama", {"vocab_size": 2**40}),
        ("t5", {"d_ff": 2**40}),
        ("albert", {"num_hidden_groups": 10**8}),
        ("mixtral", {"num_local_experts": 10**8}),
        ("gptj", {"n_positions": 2**40}),  # a table that is no weight
    ],
)
def test_no_size_is_believed(kind: str, wanted: dict[str, int], save: Callable[[str], Path]) -> None:
    """Counted while it is built on no memory at all, to the first that is too much."""
    folder = save(kind)
    edit(folder, **wanted)
    began = time.monotonic()
    with pytest.raises(ModelError, match=r"asks for .*, where its files hold"):
        require_extent(folder, kind, FAMILIES[kind][0])
    assert time.monotonic() - began < 10


def test_configurations_inside_are_held_to_it_too(save: Callable[[str], Path]) -> None:
    folder = save("gpt2")
    edit(folder, text_config={"num_hidden_layers": 10**8})
    with pytest.raises(ModelError, match=r"100,000,000 layers \(text_config.num_hidden_layers\)"):
        require_layers(folder, "m")


def test_what_is_no_count_of_layers_passes(save: Callable[[str], Path]) -> None:
    folder = save("gpt2")
    edit(folder, vocab_size_per_layer_input=262_144, max_window_layers=28, layer_norm_seed=10**9)
    require_layers(folder, "m")


def test_all_shards_count(tmp_path: Path) -> None:
    config = GPT2Config(vocab_size=40, n_positions=32, n_embd=16, n_layer=3, n_head=2)
    model = GPT2LMHeadModel(config)
    model.save_pretrained(tmp_path / "whole")
    model.save_pretrained(tmp_path / "shards", max_shard_size=8_000)
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
    whole, shards = (Extent.of(tmp_path / name, "m") for name in ("whole", "shards"))
    assert shards.tensors == whole.tensors
    assert shards.most_weights >= whole.most_weights


@pytest.mark.parametrize(
    ("config", "layers"),
    [({}, "n_layer"), ({"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}, "num_hidden_layers")],
    ids=["gpt2", "a list with an entry a layer"],
)
def test_loading_refuses_at_once(config: dict[str, object], layers: str, tmp_path: Path) -> None:
    """What took over a minute, and all memory, in which nothing was heard; a tokenizer reads it too."""
    folder = write_model(tmp_path / "hostile", weights=False)
    tiny = GPT2Config(**SIZES, n_positions=16, n_embd=8, n_layer=1, n_head=1)
    GPT2LMHeadModel(tiny).save_pretrained(folder)
    edit(folder, **config, **{layers: 100_000_000})
    began = time.monotonic()
    with pytest.raises(ModelError, match=rf"asks for 100,000,000 layers \({layers}\)"):
        load(resolve(str(folder)), "cpu")
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("count", [-1, -(10**400)])
@pytest.mark.parametrize("field", ["n_head", "n_layer"])
def test_no_count_is_below_0(field: str, count: int, tmp_path: Path) -> None:
    """Of heads it passes through all sizes of tensors, and fails in the first forward pass."""
    folder = write_model(tmp_path / "m", weights=False)
    GPT2LMHeadModel(GPT2Config(**SIZES, **GPT2)).save_pretrained(folder)
    edit(folder, **{field: count})
    with pytest.raises(
        ModelError, match=rf"says (-1|−10\^15 and more) for {field}, which is a number from 0"
    ):
        load(resolve(str(folder)), "cpu")


# Twelve characters, each of which becomes two or three: together no more than three of one.
LIGATURES = tuple(
    zip(
        "…½¼¾ßæœĳﬁﬂ№™",
        ["...", "1/2", "1/4", "3/4", "ss", "ae", "oe", "ij", "fi", "fl", "No", "TM"],
        strict=True,
    )
)


def replaced(text: str, by: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": text}, "content": by}


def doubling(times: int, of: str = "a") -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": [replaced(of, of * 2)] * times}


@pytest.mark.parametrize(
    "normalizer",
    [
        doubling(40),
        {"type": "Sequence", "normalizers": [doubling(6), replaced("a", "bb"), doubling(6, "b")]},
        {"type": "Sequence", "normalizers": [doubling(6), {"type": "Lowercase"}, doubling(6, "b")]},
        {"type": "Replace", "pattern": {"Regex": "."}, "content": "x" * 2000},
        {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "x" * 2000}]},
    ],
)
def test_a_tokenizer_that_makes_texts_without_end_is_not_opened(
    normalizer: dict[str, Any], tmp_path: Path
) -> None:
    folder = write_model(tmp_path / "m", weights=False)
    GPT2LMHeadModel(GPT2Config(**SIZES, **GPT2)).save_pretrained(folder)
    edit(folder, "tokenizer.json", normalizer=normalizer)
    begin = time.monotonic()
    with pytest.raises(ModelError, match=r"makes a character up to [0-9,]+ times as long, where 1,024"):
        load(resolve(str(folder)), "cpu")
    assert time.monotonic() - begin < 10


def test_normalizers_of_public_tokenizers_pass(tmp_path: Path) -> None:
    usual = [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
        {"type": "Replace", "pattern": {"String": "``"}, "content": '"'},
        *(replaced(*pair) for pair in LIGATURES),
        {"type": "NFKC"},
    ]
    for normalizer in (None, usual[0], {"type": "Sequence", "normalizers": usual}):
        (tmp_path / "tokenizer.json").write_text(json.dumps({"normalizer": normalizer}))
        require_tokenizer(tmp_path, "m")


def test_no_text_grows_more_than_a_character_may() -> None:
    """The bound against what random replacements make of random texts."""
    for seed in range(500):
        draw = random.Random(seed)

        def letters(least: int, most: int, draw: random.Random = draw) -> str:
            return "".join(draw.choices("abc", k=draw.randint(least, most)))

        parts = [replaced(letters(1, 3), letters(0, 4)) for _ in range(draw.randint(1, 5))]
        for _ in range(10):
            text = made = letters(1, 6)
            for part in parts:
                made = made.replace(part["pattern"]["String"], part["content"])
            assert len(made) <= _growth(parts) * len(text), (parts, text)
